/* Buffers of this process while accesses are pending that read or fill them. */
#include "capture/mpi/check/windows/windows.h"

#include <stdarg.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct hb__local hb__locals[HB__LOCALS];
uint32_t hb__nlocals;

#define DIGESTED ((int64_t)64 << 10) /* no more of a buffer is looked at */

static uint64_t digest(const char *at, int64_t bytes)
{
	if (bytes > DIGESTED)
		bytes = DIGESTED;
	return hb__still_readable(at, (size_t)bytes) ? XXH3_64bits(at, (size_t)bytes) : 0;
}

/* MPI_BOTTOM, MPI_IN_PLACE and the like are no memory. */
static bool plain(const char *at, int64_t bytes)
{
	return (uintptr_t)at > 4096 && (uintptr_t)at < UINTPTR_MAX - 4096 && bytes > 0;
}

void hb__local_add(struct hb__call *c, struct hb__window *w, uint64_t seq, const struct hb__access *a, const char *at,
	int64_t bytes, bool write, bool overlaps)
{
	if (hb__nlocals == HB__LOCALS || !plain(at, bytes))
		return;
	hb__locals[hb__nlocals++] = (struct hb__local){.seq = seq,
		.window = w,
		.at = at,
		.bytes = bytes,
		.write = write,
		.fresh = true,
		.overlaps = overlaps,
		.target = a->target,
		.site = hb__check_site(c),
		.function = c->fn->name,
		.request = a->request,
		.digest = write ? 0 : digest(at, bytes),
		.index = -1};
}

enum hb_held hb__lock_held(const struct hb__window *w)
{
	uint8_t held = w->rank >= 0 && w->rank < w->n ? w->lock[w->rank] : 0;
	return held == HB__LOCK_EXCLUSIVE ? HB_HELD_EXCLUSIVE : held == HB__LOCK_SHARED ? HB_HELD_SHARED : HB_HELD_NOT;
}

/* Own memory of a window is used, too: others may access it. */
static void touch(struct hb__call *c, const char *at, int64_t bytes, bool write, uint64_t seq)
{
	int64_t offset;
	struct hb__window *w = hb__window_at(at, &offset);
	if (!w)
		return;
	if (!w->dynamic && offset + bytes > w->size)
		bytes = w->size - offset;
	hb__remark(c, TOUCH, .win = w->number, .off = offset, .len = bytes, .write = write, .lock = hb__lock_held(w),
		.seq = (int64_t)seq, .target = -1);
}

__attribute__((format(printf, 3, 4))) static void tell(
	struct hb__call *c, const struct hb__local *p, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	hb__remark(c, RMALOCAL, .seq = (int64_t)p->seq, .win = p->window->number, .target = p->target, .made = p->site,
		.text = text);
}

bool hb__local_use(struct hb__call *c, const char *at, int64_t bytes, bool write, uint64_t seq)
{
	bool overlaps = false;
	if (!plain(at, bytes))
		return false;
	for (uint32_t i = 0; i < hb__nlocals; i++) {
		struct hb__local *p = &hb__locals[i];
		if (p->seq == seq || (!write && !p->write) || at >= p->at + p->bytes || p->at >= at + bytes)
			continue;
		overlaps = true;
		if (p->told)
			continue;
		p->told = true;
		hb__watch_done(
			p); /* what is told need not be watched: each byte that the library writes there would be a trap */
		tell(c, p, "%s %s the buffer that %s %s rank %d %s, and nothing has completed that access", c->fn->name,
			write ? "writes to" : "reads", p->function, p->write ? "from" : "to", p->target,
			p->write ? "fills" : "reads");
	}
	touch(c, at, bytes, write, seq);
	return overlaps;
}

/* ---- calls that are no accesses ---- */

static int64_t argument(const struct hb__call *c, enum hb_role role)
{
	uintptr_t v = hb__arg(c, role);
	return c->fn->wide ? (int64_t)v : (int)v;
}

static void use(struct hb__call *c, enum hb_role buffer, enum hb_role count, enum hb_role type, bool write)
{
	if (!hb__has(c, buffer) || !hb__has(c, count) || !hb__has(c, type))
		return;
	const char *at = (const char *)hb__arg(c, buffer);
	struct hb__flat f;
	if (!plain(at, 1))
		return;
	hb__flatten(hb__arg(c, type), argument(c, count), &f);
	if (hb__flat_dense(&f))
		hb__local_use(c, at + f.run[0].offset, f.run[0].length, write, 0);
}

static bool nobody(const struct hb__call *c, enum hb_role role)
{
	return hb__has(c, role) && (int)hb__arg(c, role) == MPI_PROC_NULL;
}

/* The argument `root` of a rooted collective is this process; also when there is none. */
static bool at_root(const struct hb__call *c)
{
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	for (unsigned i = 0; i < c->fn->nrecorded; i++)
		if (!strcmp(c->fn->recorded[i].name, "root"))
			return comm && !comm->inter && (int)c->a[c->fn->recorded[i].arg] == comm->rank;
	return true;
}

static void on_collective(struct hb__call *c)
{
	const struct hb_meaning *m = c->fn->means;
	if (c->fn->flags & HB_NONBLOCKING)
		return;
	if (m->moves == HB_MOVES_CAST)
		use(c, HB_R_RBUF, HB_R_COUNT, HB_R_TYPE, !at_root(c));
	bool reduces = m->moves == HB_MOVES_REDUCE && m->order != HB_ORDER_SCAN && m->order != HB_ORDER_EXSCAN;
	bool gathers = m->moves == HB_MOVES_GATHER && (m->fit == HB_FIT_GATHER || m->fit == HB_FIT_ALL);
	if (!reduces && !gathers)
		return;
	use(c, HB_R_SBUF, HB_R_COUNT, HB_R_TYPE, false);
	if (at_root(c))
		use(c, HB_R_RBUF, HB_R_LAST_COUNT, HB_R_LAST_TYPE, true);
}

void hb__locals_call(struct hb__call *c)
{
	if (c->fn->flags & HB_PERSISTENT)
		return;
	if (c->fn->cls == HB_SEND && !nobody(c, HB_R_DEST))
		use(c, HB_R_SBUF, HB_R_COUNT, HB_R_TYPE, false);
	if (c->fn->cls == HB_RECV) {
		if (hb__has(c, HB_R_SBUF) && !nobody(c, HB_R_DEST))
			use(c, HB_R_SBUF, HB_R_COUNT, HB_R_TYPE, false);
		if (!nobody(c, HB_R_SOURCE))
			use(c, HB_R_RBUF, HB_R_LAST_COUNT, HB_R_LAST_TYPE, true);
	}
	if (c->fn->cls == HB_COLLECTIVE && hb__has(c, HB_R_COMM))
		on_collective(c);
}

/* ---- completion ---- */

static void over(struct hb__call *c, uint32_t i)
{
	struct hb__local *p = &hb__locals[i];
	if (!p->write && !p->told && p->digest) {
		uint64_t now = digest(p->at, p->bytes);
		if (now && now != p->digest)
			tell(c, p, "the buffer that %s to rank %d reads has changed before %s completed that access",
				p->function, p->target, c->fn->name);
	}
	hb__watch_done(p);
	*p = hb__locals[--hb__nlocals];
}

void hb__locals_synced(struct hb__call *c, struct hb__window *w, int target)
{
	for (uint32_t i = hb__nlocals; i-- > 0;)
		if (hb__locals[i].window == w && (target < 0 || hb__locals[i].target == target))
			over(c, i);
}

void hb__locals_accessed(const struct hb__call *c, int code)
{
	for (uint32_t i = hb__nlocals; i-- > 0;) {
		struct hb__local *p = &hb__locals[i];
		if (!p->fresh)
			continue;
		p->fresh = false;
		if (code == MPI_SUCCESS && p->request)
			p->handle = (uintptr_t)*p->request;
		if (!p->overlaps)
			hb__watch_pending(c, p);
	}
}

static MPI_Request *requests_of(const struct hb__call *c, int64_t *ret_n)
{
	if (hb__has(c, HB_R_REQS) && hb__has(c, HB_R_NREQ)) {
		*ret_n = (int)hb__arg(c, HB_R_NREQ);
		return (MPI_Request *)hb__arg(c, HB_R_REQS);
	}
	*ret_n = 1;
	return hb__has(c, HB_R_REQUEST) ? (MPI_Request *)hb__arg(c, HB_R_REQUEST) : NULL;
}

/* Where the requests of pending accesses stand in the array of the call. */
void hb__locals_completing(struct hb__call *c)
{
	int64_t n;
	MPI_Request *at = requests_of(c, &n);
	for (uint32_t i = 0; i < hb__nlocals; i++) {
		struct hb__local *p = &hb__locals[i];
		p->index = -1;
		/* The library may use one handle for several: the place in the program's memory tells. */
		if (at && p->handle && p->request >= at && p->request < at + n)
			p->index = p->request - at;
		for (int64_t k = 0; at && p->handle && p->index < 0 && k < n; k++)
			if ((uintptr_t)at[k] == p->handle)
				p->index = k;
		if (p->index >= 0 && (uintptr_t)at[p->index] != p->handle)
			p->index = -1;
		/* What is waited for is complete when the call returns: that nothing has changed is known only now. */
		bool waits = !c->fn->means->chooses;
		if (p->index >= 0 && waits && !p->write && p->digest && !p->told &&
			digest(p->at, p->bytes) != p->digest) {
			p->told = true;
			tell(c, p, "the buffer that %s to rank %d reads has changed before %s completed that access",
				p->function, p->target, c->fn->name);
		}
	}
}

void hb__locals_completed(struct hb__call *c)
{
	int64_t n;
	MPI_Request *at = requests_of(c, &n);
	for (uint32_t i = hb__nlocals; i-- > 0;) {
		struct hb__local *p = &hb__locals[i];
		if (!at || p->index < 0 || p->index >= n || (uintptr_t)at[p->index] == p->handle)
			continue;
		hb__remark(c, RMADONE, .seq = (int64_t)p->seq, .win = p->window->number);
		hb__watch_done(p);
		*p = hb__locals[--hb__nlocals];
	}
}
