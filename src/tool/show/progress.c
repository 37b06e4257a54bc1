/* A bar on the terminal for work that lasts more than a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "progress.h"

#define FIRST 1.0 /* seconds before anything is drawn */
#define AGAIN 0.1
#define WIDTH 30

void hb__bar_begin(hb_bar *bar, const char *what)
{
	const char *term = getenv("TERM");
	*bar = (hb_bar){.what = what, .terminal = isatty(2) && !(term && !strcmp(term, "dumb"))};
	bar->begin = hb_seconds();
}

/* One write for the whole line: other processes may print on this terminal, too. */
void hb__bar_step(void *user, double share)
{
	hb_bar *bar = user;
	char line[160], cells[WIDTH + 1];
	if (!bar || !bar->terminal)
		return;
	double now = hb_seconds();
	if (now - bar->begin < FIRST || (bar->shown && now - bar->drawn < AGAIN))
		return;
	share = share > 1 ? 1 : share > 0 ? share : 0;
	size_t full = (size_t)(share * WIDTH);
	memset(cells, '#', full);
	memset(cells + full, '.', WIDTH - full);
	cells[WIDTH] = 0;
	int n = snprintf(line, sizeof line, "\rhbdb: %.60s  %s %3.0f %%", bar->what, cells, share * 100);
	bar->shown = write(2, line, (size_t)n) > 0 || bar->shown;
	bar->drawn = now;
}

void hb__bar_end(hb_bar *bar)
{
	if (bar->shown && write(2, "\r\033[K", 4) < 0)
		bar->terminal = false;
	bar->shown = false;
}
