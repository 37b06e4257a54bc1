/* Source files: found where they are now, and read only when this run names them. */
#ifndef HBDB_VIEW_ANSWER_SOURCES_H
#define HBDB_VIEW_ANSWER_SOURCES_H

#include "view/server.h"

struct hb_view_sources;
struct hb_view_sources *hb__sources_new(void);
void hb__sources_free(struct hb_view_sources *sources);

/* A call site or a frame of the run has named it. module: what the code is in, or NULL. The lock must be held. */
void hb__sources_know(struct hb_view_sources *sources, const char *file, const char *module);
/* [{"row":N,"text":TEXT}...] from the rows around one; [] when the file cannot be found. The file must be known. */
void hb__put_rows(struct hb_request *request, const char *file, int row, int around);

#endif
