/* When events of a run were, by the clocks of their hosts. */
#ifndef HBDB_CLOCKS_TIMES_H
#define HBDB_CLOCKS_TIMES_H

#include "../run/run.h"

typedef struct hb_when {
	int64_t enter, exit; /* nanoseconds since the epoch; 0: it never returned */
} hb_when;

typedef struct hb_times {
	const hb_run *run;
	hb_when **line; /* by line, by event from 0; NULL: not read yet */
} hb_times;

/* Of a run whose model is there. */
void hb__times_open(const hb_run *run, hb_times *ret);
hb_when hb__time_of(hb_times *times, hb_at at);
void hb__times_close(hb_times *times);
hb_log *hb__line_log(const hb_run *run, uint32_t line);

#endif
