/* A signal that is about to end the process: noted in the header of the log, two plain stores. */
#include "capture/core/fatal.h"
#include "capture/mpi/check/check.h"

static void note(int sig, struct hb__lane *lane) { hb__log_signal((uint32_t)sig, lane ? lane->number + 1u : 0); }

void hb__crash_start(void) { hb__fatal_tell(note); }
