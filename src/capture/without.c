/* The recorder by itself, for processors of which no MPI is known: there is no layer of MPI, and no library of it to be found. */
#include "capture/core/layer.h"

bool hb__has_library(void) { return false; }
