/* Windows: what others changed in the memory of this process, and what it fetched from theirs.
 *
 * Nobody tells a process that its window was written to. So there is a copy of what each window held when it was looked at last; at each
 * synchronisation the parts that are another than in the copy are kept. The program's own stores among them do no harm: it
 * stores the same again. What a program fetches is there when the operation is complete at its origin, at the next synchronisation that
 * completes it. Memory that processes share is looked at after every call that may have waited for another process, too. */
#include <string.h>
#include <sys/mman.h>

#include "capture/core/memory/memory.h"
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"

#define RUNS 64
#define GRAIN 64u
#define COARSE 4096u

struct range {
	struct range *next;
	int rank; /* of the window, whose memory it is */
	uint8_t *base, *copy;
	size_t bytes;
	int unit;
};

struct window {
	struct window *next;
	uintptr_t handle;
	bool shared;
	int rank; /* of this process in it */
	struct range *ranges;
	struct hb__fetches fetches;
};

static struct window *windows;
static struct hb__fetch *unused;
static unsigned shared_windows;

static struct window *window_of(uintptr_t handle)
{
	struct window *w = windows;
	while (w && w->handle != handle)
		w = w->next;
	return w;
}

/* ---- their life ---- */

void hb__window_range(uintptr_t handle, int rank, void *base, int64_t bytes)
{
	if (base && bytes > 0)
		hb__window_segment(handle, rank, base, bytes, 1, false);
}

/* Memory that MPI made begins as zeros alone, and is taken to have done so when it was recorded: what else is in it at the first look,
 * because another process was quick or nobody cleared it, is kept then. */
void hb__window_segment(uintptr_t handle, int rank, void *base, int64_t bytes, int unit, bool fresh)
{
	struct window *w = window_of(handle);
	if (!w)
		return;
	hb__track_lock();
	struct range *r = hb__pool(sizeof *r);
	hb__track_unlock();
	if (!r)
		return;
	*r = (struct range){.rank = rank, .base = base, .bytes = (size_t)bytes, .unit = unit};
	if (!hb__alone && bytes) {
		r->copy = hb__pages(r->bytes);
		if (r->copy && !fresh && hb__readable(base, r->bytes))
			memcpy(r->copy, base, r->bytes);
	}
	if (hb__alone && fresh && bytes)
		memset(base, 0, r->bytes);
	struct range **at = &w->ranges;
	while (*at)
		at = &(*at)->next;
	*at = r;
}

void hb__window_no_range(uintptr_t handle, const void *base)
{
	struct window *w = window_of(handle);
	for (struct range **at = w ? &w->ranges : NULL; at && *at; at = &(*at)->next)
		if ((*at)->base == base) {
			if ((*at)->copy)
				munmap((*at)->copy, (*at)->bytes);
			*at = (*at)->next;
			return;
		}
}

void hb__window_new(uintptr_t handle, int rank, bool shared)
{
	hb__track_lock();
	struct window *w = hb__pool(sizeof *w);
	hb__track_unlock();
	if (!w)
		return;
	*w = (struct window){.next = windows, .handle = handle, .rank = rank, .shared = shared};
	shared_windows += shared;
	windows = w;
}

void hb__window_gone(uintptr_t handle)
{
	struct window **at = &windows;
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	struct window *w = *at;
	if (!w)
		return;
	shared_windows -= w->shared;
	while (w->ranges)
		hb__window_no_range(handle, w->ranges->base);
	*at = w->next;
}

/* MPI_PROC_NULL asks for the first that has memory (MPI 4.0, 12.2.3). */
bool hb__window_query(uintptr_t handle, int rank, MPI_Aint *bytes, int *unit, void *base)
{
	const struct window *w = window_of(handle);
	for (const struct range *r = w && w->shared ? w->ranges : NULL; r; r = r->next)
		if (r->rank == rank || (rank == MPI_PROC_NULL && (r->bytes || !r->next))) {
			*bytes = (MPI_Aint)r->bytes;
			*unit = r->unit;
			*(void **)base = r->base;
			return true;
		}
	return false;
}

int hb__window_base(uintptr_t handle, void **base, int *flag)
{
	const struct window *w = window_of(handle);
	const struct range *r = w ? w->ranges : NULL;
	while (r && r->rank != w->rank)
		r = r->next;
	*flag = w != NULL;
	*base = r ? r->base : NULL;
	return MPI_SUCCESS;
}

/* ---- what is fetched; and what is read in two halves, which comes with a later call as well ---- */

void hb__fetches_add(struct hb__fetches *list, uintptr_t of, int target, struct hb__places *places)
{
	if (!places->n || !hb__places_keep(places))
		return;
	hb__track_lock();
	struct hb__fetch *f = unused;
	if (f)
		unused = f->next;
	else
		f = hb__pool(sizeof *f);
	if (f) {
		*f = (struct hb__fetch){.of = of, .target = target, .places = *places};
		*(list->first ? list->last : &list->first) = f;
		list->last = &f->next;
	}
	hb__track_unlock();
	if (!f)
		hb__places_drop(places);
}

struct hb__fetch *hb__fetches_take(struct hb__fetches *list, uintptr_t of, int target)
{
	struct hb__fetch *taken = NULL, **end = &taken, *next;
	if (target == HB__OF_NONE || !list->first)
		return NULL;
	hb__track_lock();
	list->last = &list->first;
	for (struct hb__fetch *f = list->first; f; f = next) {
		bool here = f->of == of && (target == HB__OF_ALL || f->target == target);
		next = f->next;
		f->next = NULL;
		*(here ? end : list->last) = f;
		*(here ? &end : &list->last) = &f->next;
	}
	*list->last = NULL;
	hb__track_unlock();
	return taken;
}

void hb__fetches_drop(struct hb__fetch *taken)
{
	while (taken) {
		struct hb__fetch *f = taken;
		taken = f->next;
		hb__places_drop(&f->places);
		hb__track_lock();
		f->next = unused;
		unused = f;
		hb__track_unlock();
	}
}

int hb__completed_targets(const struct hb__call *c)
{
	switch (c->fn->means->does) {
	case HB_DOES_WINDOW_FENCE:
	case HB_DOES_WINDOW_COMPLETE:
	case HB_DOES_WINDOW_UNLOCK_ALL:
	case HB_DOES_WINDOW_FLUSH_ALL:
	case HB_DOES_WINDOW_FLUSH_LOCAL_ALL:
	case HB_DOES_WINDOW_FREE:
		return HB__OF_ALL;
	case HB_DOES_WINDOW_UNLOCK:
	case HB_DOES_WINDOW_FLUSH:
	case HB_DOES_WINDOW_FLUSH_LOCAL:
		return (int)hb__arg(c, HB_R_DEST);
	default:
		return HB__OF_NONE;
	}
}

void hb__fetches_window(struct hb__fetches *list, struct hb__call *c)
{
	struct hb__places places;
	int target = hb__has(c, HB_R_DEST) ? (int)hb__arg(c, HB_R_DEST) : MPI_PROC_NULL;
	if (target == MPI_PROC_NULL)
		return;
	hb__places_of_fetch(c, &places);
	hb__fetches_add(list, hb__arg(c, HB_R_WIN), target, &places);
}

void hb__window_fetches(struct hb__call *c)
{
	struct window *w = hb__has(c, HB_R_WIN) ? window_of(hb__arg(c, HB_R_WIN)) : NULL;
	if (w)
		hb__fetches_window(&w->fetches, c);
}

/* ---- what others changed ---- */

struct run {
	int64_t number, rank, offset;
	size_t bytes;
	struct range *range;
};

struct changes {
	unsigned n;
	struct run run[RUNS];
};

static void add(struct changes *all, struct range *r, uintptr_t handle, size_t from, size_t bytes)
{
	struct run *last = all->n ? &all->run[all->n - 1] : NULL;
	/* what is near, or has no room of its own, belongs to the one before */
	bool joins =
		last && last->range == r && (from - ((size_t)last->offset + last->bytes) < GRAIN || all->n >= RUNS - 1);
	if (joins)
		last->bytes = from + bytes - (size_t)last->offset;
	else if (all->n < RUNS)
		all->run[all->n++] = (struct run){.number = hb__win_number(handle),
			.rank = r->rank,
			.offset = (int64_t)from,
			.bytes = bytes,
			.range = r};
}

static void compare(struct changes *all, struct range *r, uintptr_t handle)
{
	if (!r->copy || !hb__readable(r->base, r->bytes))
		return;
	for (size_t page = 0; page < r->bytes; page += COARSE) {
		size_t n = r->bytes - page < COARSE ? r->bytes - page : COARSE;
		if (!memcmp(r->base + page, r->copy + page, n))
			continue;
		for (size_t at = page; at < page + n; at += GRAIN) {
			size_t m = page + n - at < GRAIN ? page + n - at : GRAIN;
			if (memcmp(r->base + at, r->copy + at, m))
				add(all, r, handle, at, m);
		}
	}
}

static struct range *range_of(int64_t number, int64_t rank, int64_t offset, size_t bytes)
{
	for (struct window *w = windows; w; w = w->next)
		for (struct range *r = hb__win_number(w->handle) == number ? w->ranges : NULL; r; r = r->next)
			if (r->rank == rank && offset >= 0 && (uint64_t)offset + bytes <= r->bytes)
				return r;
	return NULL;
}

/* The program stores into it while it is read: what is kept is what the copy then has. */
static void keep_runs(struct hb__io *io, const struct changes *all)
{
	for (unsigned i = 0; i < all->n; i++) {
		const struct run *run = &all->run[i];
		uint8_t *copy = run->range->copy + run->offset;
		int64_t where[3] = {run->number, run->rank, run->offset};
		memcpy(copy, run->range->base + run->offset, run->bytes);
		hb__io_numbers(io, HB_DATA_WINDOW + 1 + 2 * i, where, 3);
		hb__data_piece(HB_DATA_WINDOW + 2 + 2 * i, copy, run->bytes);
	}
}

static void give_runs(struct hb__io *io, unsigned n)
{
	struct hb__piece piece;
	for (unsigned i = 0; i < n && !io->bad; i++) {
		int64_t where[3] = {0};
		hb__io_numbers(io, HB_DATA_WINDOW + 1 + 2 * i, where, 3);
		if (io->bad || !hb__item_piece(io->item, &piece))
			return;
		struct range *r = range_of(where[0], where[1], where[2], piece.bytes);
		if (r)
			memcpy(r->base + where[2], piece.p, piece.bytes);
	}
}

static void runs(struct hb__io *io, const struct changes *all)
{
	int64_t n = io->gives ? 0 : all->n;
	hb__io_number(io, HB_DATA_WINDOW, &n);
	if (io->gives)
		give_runs(io, (unsigned)n);
	else
		keep_runs(io, all);
}

static void look(struct changes *all, struct window *w)
{
	for (struct range *r = w->ranges; r; r = r->next)
		compare(all, r, w->handle);
}

bool hb__io_window(struct hb__io *io, struct hb__call *c, uintptr_t handle)
{
	struct window *w = window_of(handle);
	struct changes all = {.n = 0};
	if (!w)
		return true;
	int target = hb__completed_targets(c);
	if (target == HB__OF_NONE && !w->ranges)
		return true;
	if (!hb__alone)
		look(&all, w);
	struct hb__fetch *fetched = hb__fetches_take(&w->fetches, handle, target);
	unsigned most = 1 + 2 * RUNS;
	for (const struct hb__fetch *f = fetched; f; f = f->next)
		most++;
	bool event = c->fn->flags & HB_EVENT;
	bool good = event ? hb__io_event(io, c, most) : hb__io_call(io, hb__io_source(c->fn), most);
	uint32_t what = HB_DATA_REQUEST;
	for (const struct hb__fetch *f = good ? fetched : NULL; f; f = f->next)
		hb__io_places(io, what++, &f->places, f->places.bytes);
	hb__fetches_drop(fetched);
	if (!good)
		return false;
	runs(io, &all);
	hb__io_end(io);
	return !io->bad;
}

/* Of every call: the room for changes is not cleared, and not there where no window is shared. */
static __attribute__((noinline)) void look_at_shared(struct hb__call *c)
{
	struct hb__io io;
	struct changes all;
	all.n = 0;
	for (struct window *w = hb__alone ? NULL : windows; w; w = w->next)
		if (w->shared)
			look(&all, w);
	if ((!all.n && !hb__alone) || !hb__io_event(&io, c, 1 + 2 * RUNS))
		return;
	runs(&io, &all);
	hb__io_end(&io);
}

void hb__io_shared(struct hb__call *c)
{
	if (unlikely(shared_windows))
		look_at_shared(c);
}
