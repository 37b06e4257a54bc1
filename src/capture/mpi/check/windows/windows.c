/* Windows from their making to their end, and the way of a call through the parts of this folder. */
#include "capture/mpi/check/windows/windows.h"

struct hb__window *hb__windows;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
	if (unlikely(hb__threaded))
		pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
	if (unlikely(hb__threaded))
		pthread_mutex_unlock(&mutex);
}

/* ---- the table ---- */

struct hb__window *hb__window_find(uintptr_t handle)
{
	for (struct hb__window *w = hb__windows; w && handle; w = w->next)
		if (w->handle == handle)
			return w;
	return NULL;
}

struct hb__window *hb__window_at(const char *address, int64_t *ret_offset)
{
	for (struct hb__window *w = hb__windows; w; w = w->next) {
		if (!w->handle)
			continue;
		if (w->base && address >= w->base && address < w->base + w->size) {
			*ret_offset = address - w->base;
			return w;
		}
		for (uint32_t i = 0; i < w->nregions; i++)
			if (address >= w->region[i].base && address < w->region[i].base + w->region[i].size) {
				*ret_offset = (int64_t)(intptr_t)address;
				return w;
			}
	}
	return NULL;
}

/* A free place whose arrays are long enough, or a new one. */
static struct hb__window *place_for(int n)
{
	struct hb__window *w = hb__windows;
	while (w && (w->handle || (int)w->room < n))
		w = w->next;
	if (w) {
		memset(w->started_to, 0, w->room);
		memset(w->lock, 0, w->room);
		return w;
	}
	size_t room = (size_t)n;
	hb__track_lock();
	w = hb__pool(sizeof *w);
	uint8_t *arrays = w ? hb__pool(room * (2 + sizeof(uint32_t)) + 64) : NULL;
	hb__track_unlock();
	if (!arrays)
		return NULL;
	w->lock_site = (uint32_t *)arrays;
	w->lock = arrays + room * sizeof(uint32_t);
	w->started_to = w->lock + room;
	w->room = (uint32_t)room;
	w->next = hb__windows;
	hb__windows = w;
	return w;
}

struct making {
	char *base;
	int64_t size, unit;
	enum hb_flavor flavor;
	uintptr_t comm, win;
};

/* What a constructor that returned has made. */
static bool made_by(const struct hb__call *c, struct making *ret)
{
	uintptr_t *a = c->a;
	*ret = (struct making){.unit = 1, .flavor = c->fn->means->flavor};
	if (!ret->flavor)
		return false;
	ret->comm = hb__arg(c, HB_R_COMM);
	ret->win = hb__arg(c, HB_R_WINPTR);
	if (ret->flavor == HB_FLAVOR_CREATE) {
		ret->base = (char *)a[0];
		ret->size = (int64_t)a[1];
		ret->unit = c->fn->wide ? (int64_t)a[2] : (int)a[2];
	} else if (ret->flavor != HB_FLAVOR_DYNAMIC) {
		ret->size = (int64_t)a[0];
		ret->unit = c->fn->wide ? (int64_t)a[1] : (int)a[1];
		ret->base = a[4] ? *(char **)a[4] : NULL;
	}
	return ret->win != 0;
}

/* A window begins. Its place may be that of one that was freed, whose arrays by rank (lock, started_to, ...) it takes over. */
static void made(struct hb__call *c)
{
	static const enum hb_allocation makes[] = {[HB_FLAVOR_CREATE] = HB_ALLOCATION_CREATE,
		[HB_FLAVOR_ALLOCATE] = HB_ALLOCATION_ALLOCATE,
		[HB_FLAVOR_SHARED] = HB_ALLOCATION_SHARED,
		[HB_FLAVOR_DYNAMIC] = HB_ALLOCATION_DYNAMIC};
	struct making m;
	if (!made_by(c, &m))
		return;
	const struct hb__comm *comm = hb__comm_find(m.comm);
	uintptr_t handle = (uintptr_t) * (MPI_Win *)m.win;
	if (!comm || comm->size <= 0)
		return;
	struct hb__window *w = place_for(comm->size);
	if (!w)
		return;
	struct hb__window fresh = {.next = w->next,
		.handle = handle,
		.number = hb__win_number(handle),
		.rank = comm->rank,
		.n = comm->size,
		.base = m.base,
		.size = m.size,
		.unit = m.unit,
		.dynamic = m.flavor == HB_FLAVOR_DYNAMIC,
		.shared = m.flavor == HB_FLAVOR_SHARED,
		.given = m.flavor == HB_FLAVOR_CREATE,
		.copy = w->copy,
		.made_site = hb__check_site(c),
		.room = w->room,
		.started_to = w->started_to,
		.lock = w->lock,
		.lock_site = w->lock_site};
	fresh.has_group = PMPI(Win_get_group)(*(MPI_Win *)m.win, &fresh.group) == MPI_SUCCESS;
	*w = fresh;
	if (w->given && w->base && w->size > 0) {
		uintptr_t low = (uintptr_t)w->base;
		hb__memory_used(c, "base", low, low + (uintptr_t)w->size, false);
		w->block = hb__block_of(low);
	}
	hb__attention.windows++;
	hb__remark(c, WINDOW, .make = makes[m.flavor], .win = w->number, .base = (int64_t)(uintptr_t)w->base,
		.size = w->size, .unit = w->unit, .rank = w->rank, .n = w->n);
}

static void attached(const struct hb__call *c, struct hb__window *w)
{
	if (w->nregions < HB__REGIONS) {
		w->region[w->nregions].base = (char *)c->a[1];
		w->region[w->nregions++].size = (int64_t)c->a[2];
	}
}

static void detached(const struct hb__call *c, struct hb__window *w)
{
	for (uint32_t i = 0; i < w->nregions; i++)
		if (w->region[i].base == (char *)c->a[1])
			w->region[i] = w->region[--w->nregions];
}

/* ---- calls ---- */

/* Request-based accesses are events, too. */
static bool synchronises(const struct hb__call *c) { return (c->fn->flags & (HB_EVENT | HB_NONBLOCKING)) == HB_EVENT; }

static uintptr_t freeing; /* the window that the call under way frees */

static void end_of_window(struct hb__call *c)
{
	struct hb__window *w = hb__window_find(c->a[0] ? (uintptr_t) * (MPI_Win *)c->a[0] : 0);
	freeing = w ? w->handle : 0;
	if (!w)
		return;
	hb__watch_stop(w);
	hb__given_end(c, w);
	hb__epochs_over(c, w);
	hb__locals_synced(c, w, -1);
	hb__remark(c, WINSYNC, .kind = HB_SYNC_FREE, .win = w->number, .rank = -1);
}

void hb__check_windows_enter(struct hb__call *c)
{
	if (likely(!hb__attention.windows))
		return;
	lock();
	hb__compare_end(c);
	if (c->fn->cls == HB_RMA) {
		struct hb__window *w = hb__has(c, HB_R_WIN) ? hb__window_find(hb__arg(c, HB_R_WIN)) : NULL;
		if (w && synchronises(c))
			hb__epochs_enter(c, w);
		else if (w && c->fn->means->does == HB_DOES_WINDOW_SYNC)
			hb__watch_polled(w);
		else if (w)
			hb__access_enter(c, w);
		else if (c->fn->means->does == HB_DOES_WINDOW_FREE)
			end_of_window(c);
	} else if (c->fn->means->does == HB_DOES_FREE_MEMORY) {
		hb__given_freed(c);
	} else if (c->fn->cls == HB_COMPLETE) {
		hb__locals_completing(c);
	} else if (c->fn->means->does == HB_DOES_FINALIZE) {
		for (struct hb__window *w = hb__windows; w; w = w->next)
			if (w->handle)
				hb__epochs_over(c, w);
	} else if (c->fn->flags & HB_EVENT) {
		hb__locals_call(c);
	}
	unlock();
}

static void left_window(struct hb__call *c, int code)
{
	struct hb__window *w = hb__has(c, HB_R_WIN) ? hb__window_find(hb__arg(c, HB_R_WIN)) : NULL;
	if (code == MPI_SUCCESS && c->fn->means->does == HB_DOES_WINDOW_FREE) {
		w = hb__window_find(freeing);
		if (w) {
			if (w->has_group)
				PMPI(Group_free)(&w->group);
			w->handle = 0;
			hb__attention.windows--;
		}
	} else if (code == MPI_SUCCESS && c->fn->means->does == HB_DOES_WINDOW_ATTACH && w) {
		attached(c, w);
	} else if (code == MPI_SUCCESS && c->fn->means->does == HB_DOES_WINDOW_DETACH && w) {
		detached(c, w);
	} else if (code == MPI_SUCCESS && hb__has(c, HB_R_WINPTR)) {
		made(c);
	} else if (w && synchronises(c)) {
		hb__epochs_leave(c, w, code);
	} else if (w) {
		hb__access_leave(c, code);
	}
}

void hb__check_windows_leave(struct hb__call *c, int code)
{
	if (likely(!hb__attention.windows && !(c->fn->cls == HB_RMA && hb__has(c, HB_R_WINPTR))))
		return;
	lock();
	if (c->fn->cls == HB_RMA)
		left_window(c, code);
	else if (c->fn->cls == HB_COMPLETE)
		hb__locals_completed(c);
	if (hb__attention.windows && c->fn->flags & HB_EVENT) {
		hb__watch_begin(c);
		hb__compare_begin(c);
	}
	unlock();
}
