/* Events are written: a place in the ring is taken by two atomic operations, and nobody ever waits.
 *
 * A writer takes positions from the tail, then each cell of them by a compare-and-swap from its last state, and publishes the record by storing the
 * state of its first cell. A cell that another writer has not finished is never taken over: whoever comes around the ring to it gives its own positions
 * back as void and takes others. So a writer that was interrupted, killed or left by longjmp costs its own cells and nothing else. One that was stopped
 * for so long that a reader went on finds that in the state, and writes its record again at another place: it would be lost where it is. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../state.h"

enum { TRIES = 8, RETRY = 1024, SEEN = 64 };

static inline void copy_small(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n >= 8) { /* two or three words, which overlap */
		uint64_t a, b, c;
		memcpy(&a, from, 8);
		memcpy(&b, from + n - 8, 8);
		if (n > 16) {
			memcpy(&c, from + 8, 8);
			memcpy(to + 8, &c, 8);
		}
		memcpy(to, &a, 8);
		memcpy(to + n - 8, &b, 8);
		return;
	}
	if (n >= 4) {
		uint32_t a, b;
		memcpy(&a, from, 4);
		memcpy(&b, from + n - 4, 4);
		memcpy(to, &a, 4);
		memcpy(to + n - 4, &b, 4);
		return;
	}
	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

/* Takes a cell for a position. */
static inline bool claim(struct hb_cell *cell, uint64_t position, unsigned more)
{
	uint64_t was = __atomic_load_n(&cell->state, __ATOMIC_RELAXED);
	if ((was & HB_CELL_PHASE) == HB_CELL_WRITING || (was && was >> 8 >= position))
		return false;
	return HB__CAS(cell->state, was, position << 8 | more | HB_CELL_WRITING);
}

/* Positions for so many cells: false: it is full. */
static inline bool reserve(struct hb_stream_head *h, unsigned cells, bool own, uint64_t *ret)
{
	if (h->stream_policy == HB_POSIX_TRACE_LOOP) {
		*ret = HB__ADD(h->tail, cells);
		return true;
	}
	uint64_t most = h->cells - (own ? 0 : HB__RESERVED);
	for (;;) {
		uint64_t tail = HB__LOAD(h->tail);
		bool full = tail + cells - HB__LOAD(h->head) > most;
		if (full && tail == HB__LOAD(h->tail)) /* else the head may be past this tail, which is old */
			return false;
		if (!full && HB__CAS(h->tail, tail, tail + cells)) {
			*ret = tail;
			return true;
		}
	}
}

/* Where a record goes. All of it is taken from the stream once: it may be shut down meanwhile, and what it was is zero then, but stays memory. */
struct ring {
	struct hb_cell *cell;
	uint64_t mask;
};

/* A cell that was claimed is void, so that readers do not wait for it. One that passed it may have put a later position in, which nobody is to take any
 * more either: it stays. */
static void give_back(struct hb_cell *cell)
{
	uint64_t was = HB__LOAD(cell->state);
	while ((was & HB_CELL_PHASE) == HB_CELL_WRITING && !HB__CAS(cell->state, was, (was >> 8) << 8 | HB_CELL_VOID))
		;
}

/* A cell that was claimed is whole. False: a reader has passed it, and it is void. */
static inline bool finish(struct hb_cell *cell, uint64_t position, unsigned more)
{
	uint64_t claimed = position << 8 | more | HB_CELL_WRITING;
	if (__builtin_expect(HB__CAS(cell->state, claimed, position << 8 | more | HB_CELL_DONE), 1))
		return true;
	give_back(cell);
	return false;
}

/* All cells of a record, or none: what could be taken is void then. */
static bool claim_all(const struct ring *r, uint64_t position, unsigned cells)
{
	unsigned n = 0;
	while (n < cells && claim(&r->cell[(position + n) & r->mask], position + n, n ? HB_CELL_MORE : 0))
		n++;
	for (unsigned i = 0; i < cells && n < cells; i++) {
		struct hb_cell *cell = &r->cell[(position + i) & r->mask];
		if (i < n || (i > n && claim(cell, position + i, HB_CELL_MORE)))
			give_back(cell);
	}
	return n == cells;
}

static bool fill_more(const struct ring *r, uint64_t position, unsigned cells, const uint8_t *data, size_t bytes)
{
	bool all = true;
	for (unsigned i = 1; i < cells; i++) {
		struct hb_cell *cell = &r->cell[(position + i) & r->mask];
		size_t at = HB_CELL_DATA + (i - 1) * (size_t)HB_CELL_DATA_MORE, left = bytes - at;
		memcpy((uint8_t *)cell + 8, data + at, left < HB_CELL_DATA_MORE ? left : HB_CELL_DATA_MORE);
		all &= finish(cell, position + i, HB_CELL_MORE);
	}
	return all;
}

/* Fills what was claimed. False: a reader has passed it meanwhile. */
static inline bool fill(
	const struct ring *r, uint64_t position, unsigned cells, const struct hb__event *e, size_t bytes)
{
	__atomic_thread_fence(
		__ATOMIC_RELEASE); /* a reader that sees the old state must not see new contents: it looks again */
	struct hb_cell *c = &r->cell[position & r->mask];
	c->tick = e->tick ? e->tick : hb__tick();
	c->address = (uintptr_t)e->address;
	c->thread = (uint64_t)(uintptr_t)pthread_self();
	c->pid = (uint32_t)hb__pid;
	c->id = (uint16_t)e->id;
	c->truncated = bytes < e->bytes;
	c->cells = (uint8_t)cells;
	c->bytes = (uint16_t)bytes;
	if (__builtin_expect(cells == 1, 1)) {
		copy_small(c->data, e->data, bytes);
	} else {
		memcpy(c->data, e->data, HB_CELL_DATA);
		if (!fill_more(r, position, cells, e->data, bytes)) {
			give_back(c);
			return false;
		}
	}
	return finish(c, position, 0);
}

static void wake(struct hb_stream_head *h)
{
	int error = errno;
	HB__STORE(h->waiting, 0);
	syscall(SYS_futex, &h->waiting, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = error;
}

/* A program that is killed leaves the rate of its ticks as it was measured last: it is measured again when twice as long has passed, which is seldom. */
static __attribute__((noinline)) void measure(struct hb_stream_head *h)
{
	int error = errno;
	sigset_t all, before;
	if (!hb__counter || hb__tick() - h->tick0 < 2 * (HB__LOAD(h->tick1) - h->tick0))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* as in a flush */
	if (hb__try_lock(h)) {
		if (HB__LOAD(h->run) != HB_STREAM_OVER && h->tick0)
			hb__clock_again(h);
		hb__unlock(h);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
}

static inline int put(struct hb__stream *s, const struct hb__event *e)
{
	struct hb_stream_head *h = __atomic_load_n(&s->head, __ATOMIC_RELAXED);
	uint64_t position;
	for (int tries = 0;; tries++) {
		const struct ring r = {
			(struct hb_cell *)(void *)((char *)h + HB_STREAM_RING_AT), HB__LOAD(h->cells) - 1};
		if (__builtin_expect(r.mask == UINT64_MAX, 0))
			return HB__PUT; /* it was shut down just now */
		size_t bytes = e->bytes <= h->max_data || e->own ? e->bytes : h->max_data;
		unsigned cells = hb__cells(bytes);
		if (!reserve(h, cells, e->own, &position))
			return HB__FULL;
		bool claimed =
			cells == 1 ? claim(&r.cell[position & r.mask], position, 0) : claim_all(&r, position, cells);
		if (__builtin_expect(claimed && fill(&r, position, cells, e, bytes), 1))
			break;
		if (tries == TRIES)
			return HB__FAILED;
	}
	if (__builtin_expect(h->waiting, 0))
		wake(h);
	if (__builtin_expect(position < SEEN || !(position % SEEN), 0))
		measure(h);
	return HB__PUT;
}

int hb__put(struct hb__stream *s, const struct hb__event *e) { return put(s, e); }

static inline bool filtered(const struct hb_stream_head *h, uint32_t id)
{
	return h->filtered && __atomic_load_n(&h->filter[id / 64], __ATOMIC_RELAXED) >> id % 64 & 1;
}

void hb__put_own(struct hb__stream *s, uint32_t id, const void *data, size_t bytes)
{
	struct hb__event e = {.id = id, .data = data, .bytes = bytes, .own = true};
	if (!filtered(s->head, id))
		put(s, &e);
}

static void lost(struct hb__stream *s)
{
	HB__ADD(s->head->lost, 1);
	HB__STORE(s->head->overrun, 1);
}

/* There was no room. A stream that is to stop then does, and says so behind its last event. */
static __attribute__((noinline)) void no_room(struct hb__stream *s, int how)
{
	struct hb_stream_head *h = s->head;
	uint32_t running = HB_STREAM_RUNNING, clear = 0;
	int automatic = 1;
	lost(s);
	if (how == HB__FULL && HB__CAS(h->run, running, HB_STREAM_FILLED)) {
		hb__put_own(s, HB_POSIX_TRACE_STOP, &automatic, sizeof automatic);
	} else if (how == HB__FAILED && HB__CAS(h->overflowing, clear, 1)) {
		HB__STORE(h->overflow_tick, hb__tick());
	}
}

/* Events were lost while the stream ran, and no longer are: both ends of that are told. */
static __attribute__((noinline)) void overflow_over(struct hb__stream *s)
{
	uint32_t was = 1;
	if (!HB__CAS(s->head->overflowing, was, 0))
		return;
	struct hb__event e = {.id = HB_POSIX_TRACE_OVERFLOW, .own = true, .tick = HB__LOAD(s->head->overflow_tick)};
	if (!filtered(s->head, e.id))
		put(s, &e);
	hb__put_own(s, HB_POSIX_TRACE_RESUME, NULL, 0);
}

/* When the last one has gone, or was flushed. */
void hb__resume(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	uint32_t filled = HB_STREAM_FILLED;
	if (HB__LOAD(h->run) != HB_STREAM_FILLED)
		return;
	hb__put_own(s, HB_POSIX_TRACE_START, h->filter, sizeof h->filter);
	HB__CAS(h->run, filled, HB_STREAM_RUNNING);
}

/* One more is lost. A log that could not be written is tried again now and then. */
static __attribute__((noinline)) void while_full(struct hb__stream *s)
{
	HB__STORE(s->head->overrun, 1);
	if (HB__ADD(s->head->lost, 1) % RETRY == 0 && s->head->stream_policy == HB_POSIX_TRACE_FLUSH)
		hb__flush(s, HB__TRY);
}

/* Half of a stream that is to be flushed is full, or all of it. Then somebody else may be flushing it: he is waited for. */
static __attribute__((noinline)) int flush_some(struct hb__stream *s, const struct hb__event *e, int how)
{
	if (HB__LOAD(s->head->flush_error) && how == HB__PUT)
		return how;
	int error = hb__flush(s, how == HB__FULL ? HB__PATIENT : HB__TRY);
	for (int tries = 0; how == HB__FULL && !error && tries < TRIES; tries++)
		if ((how = put(s, e)) == HB__FULL)
			error = hb__flush(s, HB__PATIENT);
	return how;
}

static inline void say(struct hb__stream *s, const struct hb__event *e)
{
	struct hb_stream_head *h = s->head;
	uint32_t run = HB__LOAD(h->run);
	if (__builtin_expect(run != HB_STREAM_RUNNING, 0)) {
		if (run == HB_STREAM_FILLED && !filtered(h, e->id))
			while_full(s);
		return;
	}
	if (filtered(h, e->id))
		return;
	if (__builtin_expect(h->overflowing, 0))
		overflow_over(s);
	int how = put(s, e);
	if (h->stream_policy == HB_POSIX_TRACE_FLUSH && h->tail - h->head > h->cells / 2)
		how = flush_some(s, e, how);
	if (__builtin_expect(how, 0))
		no_room(s, how);
}

void hb__put_all(uint32_t id, const void *data, size_t bytes, const void *address)
{
	uint32_t active = atomic_load_explicit(&hb__active, memory_order_acquire);
	if (!active || id >= HB_TRACE_EVENT_IDS)
		return;
	struct hb__event e = {.id = id, .data = data, .bytes = bytes, .address = address};
	for (; active; active &= active - 1)
		say(&hb__streams[__builtin_ctz(active)], &e);
}

void hb_posix_trace_event(hb_trace_event_id_t id, const void *HB_RESTRICT data, size_t bytes)
{
	if (id >= HB_POSIX_TRACE_UNNAMED_USEREVENT)
		hb__put_all(id, data, data ? bytes : 0, __builtin_return_address(0));
}
