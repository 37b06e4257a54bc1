/* Stores into receive buffers between two calls, where no register of guard.c watches: what a short buffer holds when a call
 * returns it must still hold when the next one begins, for the library writes into it only in calls. Long messages another
 * process may write itself, at any time, and with several threads at work the other ones are in calls. */
#include "capture/check/buffers/buffers.h"

#define MOST 4     /* receives that are looked at */
#define SHORT 1024 /* bytes */

static struct hb__pending *pending[MOST];
static uint32_t used;

static bool calls_of_one_thread(void)
{
	static int level = -1;
	if (level < 0 && PMPI(Query_thread)(&level) != MPI_SUCCESS)
		level = MPI_THREAD_MULTIPLE;
	return level < MPI_THREAD_SERIALIZED;
}

static struct hb__region *written_of(struct hb__pending *p)
{
	for (uint32_t i = 0; i < p->regions; i++)
		if (p->region[i].writes)
			return &p->region[i];
	return NULL;
}

void hb__between_begin(struct hb__pending *p)
{
	static uint32_t seen[256]; /* by call site: each costs two digests for every call while it is pending */
	struct hb__region *r = written_of(p);
	uint64_t bytes = 0;
	p->held = false;
	if (!hb__worth_it(&seen[p->watch->site % 256]))
		return;
	for (uint32_t i = 0; r && i < r->n; i++)
		bytes += r->piece[i].high - r->piece[i].low;
	if (!r || !bytes || bytes > SHORT || r->n > MOST || used == MOST || !calls_of_one_thread())
		return;
	pending[used++] = p;
}

void hb__between_end(struct hb__pending *p)
{
	for (uint32_t i = 0; i < used; i++)
		if (pending[i] == p)
			pending[i] = pending[--used];
}

void hb__between_leave(void)
{
	for (uint32_t i = 0; i < used; i++)
		pending[i]->held = hb__region_digest(written_of(pending[i]), &pending[i]->holds);
}

void hb__between_enter(struct hb__call *c)
{
	for (uint32_t i = 0; i < used; i++) {
		struct hb__pending *p = pending[i];
		const struct hb__watch *w = p->watch;
		uint64_t now;
		if (!p->held || w->unsure || !hb__region_digest(written_of(p), &now) || now == p->holds)
			continue;
		p->held = false;
		if (hb__remark_wanted(HB_REMARK_WRITTEN, w->site))
			hb__remark(c, HB_REMARK_WRITTEN, "req=%u.%llu made=%u madefn=%s arg=%s receives=1", w->lane,
				(unsigned long long)w->posting, w->site, w->fn->name, written_of(p)->arg);
	}
}
