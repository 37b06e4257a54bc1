/* A bar on the terminal for work that lasts more than a second. */
#ifndef HBDB_SHOW_PROGRESS_H
#define HBDB_SHOW_PROGRESS_H

#include "../tool.h"

typedef struct hb_bar {
	const char *what;    /* a few words */
	double begin, drawn; /* hb_seconds */
	bool terminal, shown;
} hb_bar;

/* Nothing is drawn when stderr is no terminal. */
void hb__bar_begin(hb_bar *bar, const char *what);
/* Of the type hb_progress: bar is a hb_bar, or NULL. */
void hb__bar_step(void *bar, double share);
/* Takes it off the screen. */
void hb__bar_end(hb_bar *bar);

#endif
