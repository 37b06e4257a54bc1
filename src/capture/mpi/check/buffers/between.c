/* Stores into receive buffers between two calls, where no register of guard.c watches: what a short buffer holds when a call
 * returns it must still hold when the next one begins, for the library writes into it only in calls. Long messages another
 * process may write itself, at any time, and with several threads at work the other ones are in calls. */
#include <stdlib.h>
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/core/record/clock.h"

#define MOST 4       /* receives that are looked at */
#define SHORT 1024   /* bytes */
#define ALWAYS 32    /* times that one is looked at ... */
#define SOMETIMES 64 /* ... then one of so many: a program may poll */

static struct hb__pending *pending[MOST];
static uint32_t turn; /* of what registers watched when the last call returned */

/* A library may be told to work in a thread of its own, also between the calls. */
static bool works_between(void)
{
	static const char *const names[] = {"MPIR_CVAR_ASYNC_PROGRESS", "MPICH_ASYNC_PROGRESS"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && *value && strcmp(value, "0") != 0)
			return true;
	}
	return false;
}

static bool calls_of_one_thread(void)
{
	static int level = -1;
	if (level < 0 && (PMPI(Query_thread)(&level) != MPI_SUCCESS || works_between()))
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

void hb__between_begin(const struct hb__call *c, struct hb__pending *p)
{
	static uint32_t seen[256]; /* by call site: each costs two digests for every call while it is pending */
	struct hb__region *r = written_of(p);
	uint64_t bytes = 0;
	p->held = false;
	p->looks = 0;
	/* files are read by threads of the libraries, at any time */
	if (!r || hb__attention.between == MOST || p->watch->fn->cls == HB_IO ||
		!hb__credit(c, &seen[p->watch->site % 256]))
		return;
	for (uint32_t i = 0; i < r->n; i++)
		bytes += r->piece[i].high - r->piece[i].low;
	if (!bytes || bytes > SHORT || r->n > MOST || !calls_of_one_thread())
		return;
	pending[hb__attention.between++] = p;
}

void hb__between_end(struct hb__pending *p)
{
	for (uint32_t i = 0; i < hb__attention.between; i++)
		if (pending[i] == p)
			pending[i] = pending[--hb__attention.between];
}

void hb__between_leave(void)
{
	if (likely(!hb__attention.between))
		return;
	uint64_t begin = 0;
	turn = hb__guard_turn();
	for (uint32_t i = 0; i < hb__attention.between; i++) {
		struct hb__pending *p = pending[i];
		uint32_t n = p->looks++;
		p->held = n < ALWAYS || n % SOMETIMES == 0;
		if (!p->held)
			continue;
		begin = begin ? begin : hb__count();
		p->held = hb__region_unwatched(written_of(p), &p->holds);
	}
	if (begin)
		hb__credit_used(2 * (hb__count() - begin)); /* the next call looks again */
}

void hb__between_enter(struct hb__call *c)
{
	for (uint32_t i = 0; i < hb__attention.between; i++) {
		struct hb__pending *p = pending[i];
		const struct hb__watch *w = p->watch;
		uint64_t now;
		if (likely(!p->held) || w->unsure || turn != hb__guard_turn() ||
			!hb__region_unwatched(written_of(p), &now) || now == p->holds)
			continue;
		p->held = false;
		if (hb__remark_wanted(HB_REMARK_WRITTEN, w->site))
			hb__remark(c, WRITTEN, .req = {true, w->lane, (int64_t)w->posting}, .made = w->site,
				.madefn = w->fn, .arg = written_of(p)->arg, .mapped = true, .receives = true);
	}
}
