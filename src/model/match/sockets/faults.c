/* Whose clock is wrong. A process finds out how fast its counter runs by reading it and the system's clock together, twice; when it was interrupted
 * between the two, its times are off. All counters of a host run alike, so that most processes tell how fast. */
#include <math.h>

#include "model/match/sockets/sockets.h"

struct measure {
	uint32_t clock, process;
	double tick; /* nanoseconds */
};

static int by_clock(const void *a, const void *b)
{
	const struct measure *x = a, *y = b;
	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* How long the process ran, in its own measure. */
static double span(const struct hb__sockets *s, uint32_t process)
{
	const hb_process *p = &s->m->processes.at[process];
	int64_t last = 0, begun = (int64_t)hb_log_get_info(p->log)->origin_mono;
	for (uint32_t l = p->first_line; l < p->first_line + p->nlines; l++)
		if (s->last[l].event && s->last[l].exit - begun > last)
			last = s->last[l].exit - begun;
	return (double)last;
}

bool hb__find_faults(struct hb__sockets *s)
{
	const hb_model *m = s->m;
	struct measure *all = malloc((m->processes.n + 1) * sizeof *all);
	size_t n = 0;
	s->fault = calloc(m->processes.n + 1, sizeof *s->fault);
	/* What came from elsewhere is in nanoseconds: no counter of the host. */
	for (uint32_t i = 0; all && i < m->processes.n; i++)
		if (m->processes.at[i].log && hb_log_get_info(m->processes.at[i].log)->tick_ns != 1)
			all[n++] = (struct measure){
				hb__clock_of(s, i), i, hb_log_get_info(m->processes.at[i].log)->tick_ns};
	if (!all || !s->fault) {
		free(all);
		return false;
	}
	if (n)
		qsort(all, n, sizeof *all, by_clock);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && all[end].clock == all[i].clock;)
			end++;
		double usual = all[i + (end - i) / 2].tick;
		for (size_t k = i; k < end; k++) {
			double off = all[k].tick > 0 ? fabs(usual / all[k].tick - 1) * span(s, all[k].process) : 0;
			s->fault[all[k].process] = off < 1e12 ? (int64_t)off : (int64_t)1e12;
			if (s->fault[all[k].process] > s->most_fault)
				s->most_fault = s->fault[all[k].process];
		}
	}
	free(all);
	return true;
}
