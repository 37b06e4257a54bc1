/* What a process sent and received between two points: of its log, by what its trace says of where they are. */
#ifndef HBDB_REFERENCE_BETWEEN_H
#define HBDB_REFERENCE_BETWEEN_H

#include "format/trace/point.h"

/* A clause about the process of this rank in a recording (a path); NULL: not known. Free it. */
char *hb__between_words(const char *recording, int32_t rank, const hb_point *from, const hb_point *to);

#endif
