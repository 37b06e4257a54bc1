/* Signals that end the process. */
#ifndef HBDB_CAPTURE_CORE_FATAL_H
#define HBDB_CAPTURE_CORE_FATAL_H

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* Called in the signal handler. The lane of the thread that has the signal; NULL: it has none. No library may be called: it may be
 * what crashed. */
typedef void hb__fatal_told(int sig, struct hb__lane *lane);

/* From now on `told` hears of such signals, those that asked first before the others; four at most. */
void hb__fatal_tell(hb__fatal_told *told);

#pragma GCC visibility pop

#endif
