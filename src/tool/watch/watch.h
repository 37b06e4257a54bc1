/* Noticing that a job hangs, while it runs. */
#ifndef HBDB_WATCH_WATCH_H
#define HBDB_WATCH_WATCH_H

#include "lanes.h"

typedef enum hb_on_hang {
	HB_ON_HANG_LEAVE,  /* say it and let the job be */
	HB_ON_HANG_KILL,   /* end it */
	HB_ON_HANG_STACKS, /* print where each process stands, by gdb, and let the job be */
} hb_on_hang;

#define HB_WATCH_PATIENCE 10 /* seconds, unless told */

typedef struct hb_watch {
	double patience; /* seconds without a step that are called a hang when it cannot be proven */
	hb_on_hang then;
	bool quiet; /* the verdict is printed by someone else, later */
	/* ---- inside ---- */
	hb_lanes lanes;
	double looked, tried, pause;
	bool hung; /* it hung when last looked at: it has been said */
	bool ever;
} hb_watch;

/* Fits hb_making.watch: true ends the job. */
bool hb__watch(void *watch, const char *recording);
void hb__watch_close(hb_watch *watch);

#endif
