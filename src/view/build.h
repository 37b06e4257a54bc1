/* The thread that builds the model, the layout and the list of races while the overview is served. */
#ifndef HBDB_VIEW_BUILD_H
#define HBDB_VIEW_BUILD_H

#include "server.h"

/* Makes the overview. */
hb_status hb__build_overview(hb_view_server *server, hb_error *err);
/* Starts the thread. From here on the logs are the thread's. */
hb_status hb__build_begin(hb_view_server *server, hb_error *err);
/* Waits for the thread, and frees what it made. What the tool has built stays the tool's. */
void hb__build_end(hb_view_server *server);
/* Whether all is there; else how far it is, or why it failed. */
bool hb__built(hb_view_server *server, double *ret_progress, hb_error *ret_failed);

#endif
