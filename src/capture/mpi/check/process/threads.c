/* Threads at MPI_THREAD_MULTIPLE: what two of them may not do at once, seen when one calls while another is inside a call. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/mpi/family/family.h"

/* A call that a thread is inside of. */
#define THREADS 64u /* more are not looked after */
static struct flight {
	const struct hb__lane *lane; /* NULL: free */
	const struct hb__fn *fn;
	const void *pc; /* NULL: the thread is in no call */
	bool collective;
	uintptr_t comm;
	const MPI_Request *request;
	int nrequests;
	unsigned n;
	struct {
		uintptr_t low, high;
		bool writes;
		const char *arg;
	} region[HB__REGIONS];
} flight[THREADS];
static uint32_t flights;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct flight *own(const struct hb__lane *lane)
{
	for (uint32_t i = 0; i < flights; i++)
		if (flight[i].lane == lane)
			return &flight[i];
	if (flights == THREADS)
		return NULL;
	flight[flights].lane = lane;
	return &flight[flights++];
}

/* ---- what a call is about ---- */

/* Who makes a communicator of a group tells such calls apart by their tag. */
static bool collective(const struct hb__fn *fn)
{
	bool born = fn->means->does == HB_DOES_BIRTH || fn->means->does == HB_DOES_BIRTH_OF_GROUP;
	return fn->cls == HB_COLLECTIVE || (fn->cls == HB_COMM && !born);
}

static void requests_of(const struct hb__call *c, struct flight *f)
{
	f->nrequests = 0;
	if (c->fn->means->does != HB_DOES_COMPLETE)
		return;
	if (hb__has(c, HB_R_REQUEST)) {
		f->request = (const MPI_Request *)hb__arg(c, HB_R_REQUEST);
		f->nrequests = 1;
	} else if (hb__has(c, HB_R_REQS) && hb__has(c, HB_R_NREQ)) {
		f->request = (const MPI_Request *)hb__arg(c, HB_R_REQS);
		f->nrequests = (int)hb__arg(c, HB_R_NREQ);
	}
	if (!f->request || f->nrequests < 0)
		f->nrequests = 0;
}

static void describe(struct hb__call *c, struct flight *f)
{
	struct hb__region region[HB__REGIONS];
	f->fn = c->fn;
	f->collective = collective(c->fn) && hb__has(c, HB_R_COMM);
	f->comm = f->collective ? hb__arg(c, HB_R_COMM) : 0;
	f->n = 0;
	requests_of(c, f);
	/* what is still pending when the call has returned is compared by buffers/ */
	unsigned n = c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT) ? 0 : hb__regions(c, region);
	for (unsigned i = 0; i < n; i++)
		if (region[i].n == 1) {
			f->region[f->n].low = region[i].piece[0].low;
			f->region[f->n].high = region[i].piece[0].high;
			f->region[f->n].writes = region[i].writes;
			f->region[f->n++].arg = region[i].arg;
		}
}

/* ---- two of them ---- */

static bool share_request(const struct flight *a, const struct flight *b)
{
	const MPI_Request *low = a->request > b->request ? a->request : b->request;
	const MPI_Request *high = a->request + a->nrequests < b->request + b->nrequests ? a->request + a->nrequests
											: b->request + b->nrequests;
	if (!a->nrequests || !b->nrequests)
		return false;
	for (; low < high; low++)
		if (*low != hb__known.request_null)
			return true;
	return false;
}

static void compare(struct hb__call *c, const struct flight *mine, const struct flight *other)
{
	enum hb_what what = mine->collective && other->collective && mine->comm == other->comm ? HB_WHAT_COLLECTIVE
			    : share_request(mine, other)                                       ? HB_WHAT_REQUEST
											       : HB_WHAT_NONE;
	if (what && hb__remark_wanted(HB_REMARK_THREADS, hb__check_site(c)))
		hb__remark(c, THREADS, .what = what, .made = hb__define_site(other->pc), .madefn = other->fn);
	for (unsigned i = 0; i < mine->n; i++)
		for (unsigned k = 0; k < other->n; k++) {
			uintptr_t low =
				mine->region[i].low > other->region[k].low ? mine->region[i].low : other->region[k].low;
			uintptr_t high = mine->region[i].high < other->region[k].high ? mine->region[i].high
										      : other->region[k].high;
			if (low < high && (mine->region[i].writes || other->region[k].writes) &&
				hb__remark_wanted(HB_REMARK_OVERLAP, hb__check_site(c)))
				hb__remark(c, OVERLAP, .arg = mine->region[i].arg, .writes = mine->region[i].writes,
					.bytes = (int64_t)(high - low), .made = hb__define_site(other->pc),
					.madefn = other->fn, .otherwrites = other->region[k].writes, .thread = true);
		}
}

void hb__check_together_enter(struct hb__call *c)
{
	struct flight now = {.lane = c->lane};
	if (c->lane->nested || c->fn->cls == HB_LOCAL)
		return;
	describe(c, &now);
	if (!now.collective && !now.nrequests && !now.n)
		return;
	now.pc = hb__site_of(c->pc, c->cfa);
	pthread_mutex_lock(&lock);
	struct flight *f = own(c->lane);
	if (f) {
		*f = now;
		for (uint32_t i = 0; i < flights; i++)
			if (flight[i].lane != c->lane && flight[i].pc)
				compare(c, f, &flight[i]);
	}
	pthread_mutex_unlock(&lock);
}

void hb__check_together_leave(const struct hb__call *c)
{
	if (!flights)
		return;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < flights; i++)
		if (flight[i].lane == c->lane)
			flight[i].pc = NULL;
	pthread_mutex_unlock(&lock);
}
