/* What is recorded because it is found. */
#ifndef HBDB_FOUND_H
#define HBDB_FOUND_H

#include "../layers/layers.h"

/* After a run, before its logs are sealed: those of children by fork that have ended and have no event go. Of layers that were found, where no process talked to another, logs that say only who
 * made whom go, and if no such event is left, sockets and inputs are none of its layers. data: contents were asked for, which stay. Returns the layers. */
unsigned hb__keep_found(const char *recording, unsigned layers, bool data);

#endif
