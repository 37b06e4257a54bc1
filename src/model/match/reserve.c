/* Room in advance: a log counts the calls of every function, so how much a model will hold is known before it is
 * read. What the counts leave out grows as usual. */
#include "model/internal.h"

#define WORTH_IT 4096 /* events of a log */

struct sizes {
	uint64_t sends, receives, probes;
};

/* Adds what the calls of one function make; returns how many operations they are. */
static uint64_t add(struct sizes *all, const struct hb__function *f, uint64_t calls)
{
	bool sends = f->means->does == HB_DOES_SEND || (f->means->does == HB_DOES_RECEIVE && f->dest >= 0);
	if (f->means->flags & HB_PERSISTENT)
		return 0;
	all->sends += sends ? calls : 0;
	switch (f->means->does) {
	case HB_DOES_SEND:
		return calls * (f->means->mode == HB_MODE_SYNCHRONOUS ? 2 : 1);
	case HB_DOES_RECEIVE:
	case HB_DOES_MATCHED_PROBE:
		all->receives += calls;
		return calls * (f->means->posts || sends ? 2 : 1);
	case HB_DOES_PROBE:
		all->probes += calls;
		return calls;
	case HB_DOES_COLLECTIVE:
	case HB_DOES_FILE_OPEN:
		return calls * 2;
	default:
		return 0;
	}
}

static bool add_process(hb_model *m, const hb_process *p, struct sizes *all)
{
	const hb_log_info *info = hb_log_get_info(p->log);
	uint64_t ops = 0;
	for (uint32_t i = 0; i < info->functions && info->events >= WORTH_IT; i++) {
		const hb_function *f = hb_log_function(p->log, i);
		if (!f || !f->name || !f->calls)
			continue;
		struct hb__function k;
		hb__know(f, &k);
		ops += add(all, &k,
			f->calls < info->events ? f->calls : info->events); /* the count of a damaged log may be any */
	}
	return p->nlines != 1 || !ops || VEC_GROW(&m->line_more.at[p->first_line].ops, ops);
}

bool hb__reserve(hb_model *m, uint32_t first, uint32_t end)
{
	struct sizes all = {0};
	for (uint32_t i = first; i < end; i++)
		if (m->processes.at[i].log && !add_process(m, &m->processes.at[i], &all))
			return false;
	return VEC_GROW(&m->sends, all.sends) && VEC_GROW(&m->receives, all.receives) &&
	       VEC_GROW(&m->probes, all.probes) && VEC_GROW(&m->probe_after, all.probes);
}
