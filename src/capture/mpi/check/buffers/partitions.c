/* Partitioned requests: which partitions were given to the library, or have come. Of a partition that is ready the program may only
 * read, and of one that has not come it may not even do that; all the others are its own. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/mpi/family/family.h"

#define MOST 4096 /* partitions of a request */

struct hb__partition {
	bool marked; /* since the start: said to be ready, or known to have come */
	bool digested;
	uint64_t digest;
};

struct hb__partitions {
	struct hb__partitions *next; /* unused ones */
	bool receives;
	int n, room;
	uintptr_t base;
	int64_t bytes; /* of one; 0: not known, or with holes */
	struct hb__partition part[];
};
static struct hb__partitions *unused;
static uint32_t in_use;

/* One of a request that was freed, or memory of its own. */
static struct hb__partitions *partitions_new(int n)
{
	hb__track_lock();
	struct hb__partitions *p = unused && unused->room >= n ? unused : NULL;
	if (p)
		unused = p->next;
	int room = p ? p->room : n;
	size_t bytes = sizeof *p + (size_t)room * sizeof p->part[0];
	if (!p)
		p = hb__pool(bytes);
	in_use += p != NULL;
	hb__track_unlock();
	if (p) {
		memset(p, 0, bytes);
		p->room = room;
	}
	return p;
}

void hb__partitions_drop(struct hb__watch *w)
{
	struct hb__partitions *p = w->partitions;
	if (!p)
		return;
	w->partitions = NULL;
	hb__track_lock();
	p->next = unused;
	unused = p;
	in_use--;
	hb__track_unlock();
}

void hb__partitions_made(const struct hb__call *c, struct hb__watch *w)
{
	bool sends = c->fn->cls == HB_SEND;
	int n = (int)c->a[1], peer = (int)c->a[4];
	if (c->fn->means->does != HB_DOES_PARTITIONED || n <= 0 || n > MOST || peer == MPI_PROC_NULL)
		return;
	struct hb__partitions *p = partitions_new(n);
	if (!p)
		return;
	const struct hb__type *t = hb__type_look(c->a[3]);
	p->receives = !sends;
	p->n = n;
	p->base = c->a[0];
	p->bytes = t->number != HB_NONE && t->dense && p->base ? t->size * (int64_t)c->a[2] : 0;
	w->partitions = p;
}

/* ---- from the start to the completion ---- */

static void guard(const struct hb__call *c, const struct hb__watch *w, int i)
{
	struct hb__partitions *p = w->partitions;
	const struct hb_remark_touch owner = hb__request_owner(w, p->receives);
	if (!hb__guard_wanted(c))
		return;
	hb__guard_begin(&p->part[i], (const void *)(p->base + (uintptr_t)(i * p->bytes)), (size_t)p->bytes, p->receives,
		&owner);
}

void hb__partitions_started(const struct hb__call *c, struct hb__watch *w)
{
	struct hb__partitions *p = w->partitions;
	if (!p)
		return;
	memset(p->part, 0, (size_t)p->n * sizeof p->part[0]);
	for (int i = 0; p->receives && p->bytes && i < p->n; i++)
		guard(c, w, i);
}

static bool digest(const struct hb__partitions *p, int i, uint64_t *ret)
{
	struct hb__piece piece = {p->base + (uintptr_t)(i * p->bytes), p->base + (uintptr_t)((i + 1) * p->bytes)};
	struct hb__region region = {.known = true, .n = 1, .piece = &piece};
	return p->bytes > 0 && hb__region_digest(&region, 0, false, ret);
}

static void changed(struct hb__call *c, const struct hb__watch *w, const struct hb__partition *part, int i)
{
	uint64_t now = 0;
	bool mapped = digest(w->partitions, i, &now);
	if ((!mapped || now != part->digest) && hb__remark_wanted(HB_REMARK_WRITTEN, w->site))
		hb__remark(c, WRITTEN, .req = {true, w->lane, (int64_t)w->posting}, .made = w->site, .madefn = w->fn,
			.arg = "buf", .mapped = mapped);
}

void hb__partitions_ended(struct hb__call *c, struct hb__watch *w, bool good)
{
	struct hb__partitions *p = w->partitions;
	for (int i = 0; p && i < p->n; i++) {
		struct hb__partition *part = &p->part[i];
		if (good && part->digested)
			changed(c, w, part, i);
		hb__guard_end(part);
		part->marked = part->digested = false;
	}
}

/* ---- MPI_Pready and its kin, MPI_Parrived ---- */

/* One partition, the first and the last of several, or none: then the first two arguments are a list and its length before it. */
static int partitions_given(const struct hb__fn *fn, unsigned ret_at[2])
{
	int n = 0;
	for (unsigned i = 0; i < fn->nargs && n < 2; i++)
		if (fn->param[i].kind == HB_P_PARTITION)
			ret_at[n++] = i;
	return n;
}

/* The partitions that a call names. Calls visit for each as long as it says yes. */
static void named(struct hb__call *c, struct hb__watch *w, bool (*visit)(struct hb__call *, struct hb__watch *, int))
{
	unsigned at[2];
	int n = partitions_given(c->fn, at);
	const int *list = n ? NULL : (const int *)c->a[1];
	for (int i = n ? (int)c->a[at[0]] : 0; n && i <= (int)c->a[at[n - 1]] && visit(c, w, i); i++)
		;
	for (int i = 0; list && i < (int)c->a[0] && visit(c, w, list[i]); i++)
		;
}

static uintptr_t request_of(const struct hb__call *c)
{
	uint8_t does = c->fn->means->does;
	for (unsigned i = 0; (does == HB_DOES_READY || does == HB_DOES_ARRIVED) && i < c->fn->nargs; i++)
		if (c->fn->param[i].kind == HB_P_REQVAL)
			return c->a[i];
	return 0;
}

static struct hb__watch *watch_at(uintptr_t handle)
{
	if (!handle)
		return NULL;
	hb__track_lock();
	struct hb__watch *w = hb__watch_find(handle, NULL);
	hb__track_unlock();
	return w;
}

static struct hb__watch *watch_of(const struct hb__call *c) { return watch_at(request_of(c)); }

static void wrong_partition(struct hb__call *c, int value, const char *text)
{
	unsigned at[2];
	int n = partitions_given(c->fn, at);
	char arg[120], number[16];
	snprintf(arg, sizeof arg, "%s%s%s", c->fn->param[n ? at[0] : 1].name, n == 2 ? ".." : "",
		n == 2 ? c->fn->param[at[1]].name : "");
	snprintf(number, sizeof number, "%d", value);
	if (hb__remark_wanted(HB_REMARK_ARG_VALUE, hb__check_site(c)))
		hb__remark(c, ARG_VALUE, .arg = arg, .value = number, .comm = -1, .text = text);
}

static bool in_range(struct hb__call *c, struct hb__watch *w, int i)
{
	struct hb__partitions *p = w->partitions;
	bool ready = c->fn->means->does == HB_DOES_READY;
	if (i < 0 || i >= p->n) {
		char text[80];
		snprintf(text, sizeof text, "the request has %d partitions, which are counted from 0", p->n);
		wrong_partition(c, i, text);
		return false;
	}
	if (ready && w->request->active && p->part[i].marked)
		wrong_partition(c, i, "this partition was said to be ready before, since the request was started");
	return true;
}

static void wrong_request(struct hb__call *c, const struct hb__watch *w, const char *text)
{
	char value[80];
	snprintf(value, sizeof value, "one_of_%s", w->fn->name);
	if (hb__remark_wanted(HB_REMARK_ARG_HANDLE, hb__check_site(c)))
		hb__remark(c, ARG_HANDLE, .arg = "request", .value = value, .comm = -1, .what = HB_WHAT_REQUEST,
			.text = text);
}

/* A wait for a send that cannot end yet: another thread may mark the rest, so only a hang makes it an error. */
static void unready(struct hb__call *c, uintptr_t handle)
{
	const struct hb__watch *w = watch_at(handle);
	const struct hb__partitions *p = w && w->request->active && !w->unsure ? w->partitions : NULL;
	char text[200];
	size_t used = 0;
	unsigned left = 0;
	for (int i = 0; p && !p->receives && i < p->n; i++) {
		left += !p->part[i].marked;
		if (!p->part[i].marked && used < sizeof text - 24)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", used ? ", " : "", i);
	}
	if (left && used >= sizeof text - 24)
		snprintf(text + used, sizeof text - used, ", ...");
	if (left)
		hb__remark(c, UNREADY, .n = left, .text = text);
}

static void waited(struct hb__call *c)
{
	if (c->fn->means->does != HB_DOES_COMPLETE || c->fn->means->chooses)
		return; /* it does not wait for all of them */
	if (hb__has(c, HB_R_REQUEST)) {
		const MPI_Request *one = (const MPI_Request *)hb__arg(c, HB_R_REQUEST);
		if (one)
			unready(c, (uintptr_t)*one);
	} else {
		const MPI_Request *all = (const MPI_Request *)hb__arg(c, HB_R_REQS);
		for (int i = 0; all && i < (int)hb__arg(c, HB_R_NREQ); i++)
			unready(c, (uintptr_t)all[i]);
	}
}

void hb__partitions_enter(struct hb__call *c)
{
	if (unlikely(__atomic_load_n(&in_use, __ATOMIC_RELAXED)))
		waited(c);
	struct hb__watch *w = watch_of(c);
	bool ready = c->fn->means->does == HB_DOES_READY;
	if (!w || w->unsure)
		return;
	if (w->fn->means->does != HB_DOES_PARTITIONED || w->fn->cls != (ready ? HB_SEND : HB_RECV))
		wrong_request(c, w,
			ready ? "only partitions of a request of MPI_Psend_init can be made ready"
			      : "only partitions of a request of MPI_Precv_init can be asked for");
	else if (ready && !w->request->active)
		wrong_request(c, w, "it is not active: MPI_Start has to come first");
	else if (w->partitions)
		named(c, w, in_range);
}

static bool mark(struct hb__call *c, struct hb__watch *w, int i)
{
	struct hb__partitions *p = w->partitions;
	if (i < 0 || i >= p->n || p->part[i].marked)
		return true;
	p->part[i].marked = true;
	if (p->receives) {
		hb__guard_end(&p->part[i]);
		return true;
	}
	p->part[i].digested = digest(p, i, &p->part[i].digest);
	if (p->bytes)
		guard(c, w, i);
	return true;
}

/* The library may be sending it already when the call returns, and does not write to it: that the digest is made then does no harm. */
void hb__partitions_leave(struct hb__call *c, int code)
{
	struct hb__watch *w = code == MPI_SUCCESS ? watch_of(c) : NULL;
	if (!w || !w->partitions || !w->request->active)
		return;
	if (!w->partitions->receives || *(const int *)c->a[2])
		named(c, w, mark);
}
