/* Setting the clock of a log. */
#ifndef HBDB_FORMAT_CLOCK_H
#define HBDB_FORMAT_CLOCK_H

#include <hbdb/format.h>

/* Of a log that is open: shift_ns is added to its origin_real, and each tick becomes longer by `rate` of it. What is asked afterwards has these times. */
void hb_log_set_clock(hb_log *log, int64_t shift_ns, double rate);

#endif
