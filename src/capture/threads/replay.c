/* Replay: each operation comes after those that it came after. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "capture/core/control/control.h"
#include "capture/core/layer.h"
#include "capture/threads/actor.h"

/* By number of a lane: the last operation of it that is over. Positions are those of the record. */
static uint64_t reached[HB_LANE_DEFINITIONS + 1];

#define SPINS 64u
#define YIELDS 2000u
#define PAUSE_NS 50000

static void rest(struct hb__lane *lane, unsigned turn)
{
	if (turn < SPINS) {
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	} else if (turn < YIELDS) {
		sched_yield();
	} else {
		/* others may need this process; only one thread may be inside a library that was not asked for more */
		if (turn % 16 == 0 && (hb__threaded || !lane->thread))
			hb__progress();
		nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
	}
}

static void wait_for(struct hb__lane *lane, int64_t other, uint64_t position)
{
	if (other < 0 || other >= HB_LANE_DEFINITIONS)
		return;
	for (unsigned turn = 0; __atomic_load_n(&reached[other], __ATOMIC_ACQUIRE) < position; turn++) {
		rest(lane, turn);
		if (turn % 65536 == 65535 && hb__job_ends())
			return;
	}
}

/* The recorded thread did nothing more: the process was at its end, or another thread of it is about to be. */
static void stand(struct hb_actor *a)
{
	a->over = true;
	for (unsigned turn = YIELDS; !hb__job_ends(); turn++) {
		rest(a->lane, turn);
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
}

static bool is_free(const struct hb_actor *a)
{
	const struct hb__follow *f = a->lane ? a->lane->follow : NULL;
	return !f || f->free || f->over;
}

#define BY_MEMORY \
	"what threads tell each other by atomic instructions is not recorded: hbdb record --threads off leaves them free"

static bool fits(const struct hb_actor *a, const struct hb__row *row)
{
	return row && row->n && row->results[0] == (int64_t)a->operations;
}

/* The record has an operation here that has not come: it is another one, or it came earlier. */
static void compare(
	struct hb_actor *a, enum hb_thread_function function, const struct hb__row *row, struct hb_expected *ret)
{
	bool other = row->slot->fn != &hb__thread_functions[function];
	if (fits(a, row) && !other) {
		ret->row = true;
		ret->n = row->n < sizeof ret->results / sizeof *ret->results
				 ? (unsigned)row->n
				 : sizeof ret->results / sizeof *ret->results;
		memcpy(ret->results, row->results, ret->n * sizeof *ret->results);
	} else if (fits(a, row) || (row->n && row->results[0] < (int64_t)a->operations)) {
		struct hb__call c;
		hb__operation_begin(a, function, &c, a->lane);
		hb__follow_differs(
			&c, other ? "another function; " BY_MEMORY : "another order of operations; " BY_MEMORY);
		hb__operation_end(&c);
		a->busy = false;
	}
}

static void wait_here(struct hb_actor *a, enum hb_thread_function function, const int64_t *r, size_t n)
{
	if (n >= 4 && r[1] >= 0) {
		struct hb__call c;
		uint64_t position = hb__position((uint64_t)r[2], (uint64_t)r[3]);
		struct hb__lane *lane = a->lane;
		hb__operation_begin(a, function, &c, lane);
		uint64_t outer = lane->control->inside;
		lane->control->inside_enter = hb__tick();
		lane->control->inside = c.slot->inside;
		wait_for(lane, r[1], position);
		lane->control->inside = outer;
		hb__operation_end(&c);
		a->busy = false;
	}
}

static void read_answer(struct hb_expected *ret)
{
	const int64_t *r = ret->results;
	unsigned at = r[1] >= 0 ? 4 : 2; /* the outcome, and values */
	ret->outcome = ret->n > at ? r[at] : 0;
	for (unsigned i = 0; i < HB_THREAD_VALUES; i++)
		ret->value[i] = ret->n > at + 1 + i ? r[at + 1 + i] : 0;
}

void hb__expect(struct hb_actor *a, enum hb_thread_function function, struct hb_expected *ret)
{
	int error = errno;
	*ret = (struct hb_expected){.row = false};
	if (is_free(a))
		return;
	struct hb__follow *f = a->lane->follow;
	const struct hb__row *row = hb__follow_thread(f);
	/* as record.c counts them */
	if (hb__thread_kinds[function] == HB_THREAD_TRY && f->polls_left &&
		a->failed == hb__position(f->event, f->event == a->events ? a->operations : 0)) {
		f->polls_left--;
		sched_yield();
		ret->outcome = function == HB_THREAD_sem_trywait ? EAGAIN : EBUSY;
		ret->position = UINT64_MAX;
		errno = error;
		return;
	}
	ret->position = hb__actor_step(a, function, f->event);
	if (unlikely(a->operations > HB__OPERATIONS_MOST && fits(a, row))) {
		struct hb_expected filled = {
			.row = true, .position = ret->position, .n = 2, .results = {row->results[0], -1}};
		hb__done(a, HB_THREAD_pthread_mutex_unlock, &filled);
		row = hb__follow_thread(f);
		ret->position = hb__actor_step(a, function, f->event);
		a->counts[function].n--;
	}
	a->total++;
	if (row)
		compare(a, function, row, ret);
	if (ret->row) {
		wait_here(a, function, ret->results, ret->n);
		read_answer(ret);
	} else if (a->last && a->total > a->last && hb__thread_kinds[function] != HB_THREAD_GIVE && a->lane->thread) {
		stand(a);
	}
	errno = error;
}

bool hb__follows(const struct hb_actor *a) { return !is_free(a); }

static const struct hb__row *row_ahead(const struct hb_actor *a, enum hb_thread_function function)
{
	const struct hb__follow *f = a->lane->follow;
	const struct hb__row *row = hb__follow_thread(a->lane->follow);
	uint64_t next = f->event == a->events ? a->operations + 1 : 1;
	bool it = row && row->n && row->slot->fn == &hb__thread_functions[function] && row->results[0] == (int64_t)next;
	return it ? row : NULL;
}

void hb__awaits(struct hb_actor *a, enum hb_thread_function function)
{
	if (is_free(a))
		return;
	const struct hb__row *row = row_ahead(a, function);
	if (row)
		wait_here(a, function, row->results, row->n);
}

static void write_row(struct hb_actor *a, enum hb_thread_function function, const struct hb_expected *e)
{
	if (e->row) {
		struct hb__call c;
		hb__operation_begin(a, function, &c, a->lane);
		hb__operation_row(&c, e->results, e->n);
		hb__follow_used(a->lane->follow);
		hb__operation_end(&c);
		a->busy = false;
		bool answered = e->results[1] < 0 && e->n > 2;
		if (answered)
			a->failed = hb__position(a->lane->follow->event, 0);
	}
}

void hb__done(struct hb_actor *a, enum hb_thread_function function, const struct hb_expected *e)
{
	int error = errno;
	if (is_free(a) || e->position == UINT64_MAX)
		return;
	write_row(a, function, e);
	__atomic_store_n(&reached[a->lane->number], e->position, __ATOMIC_RELEASE);
	errno = error;
}

/* ---- postings: the row stands before the call, and others go on once it is posted ---- */

void hb__posts_again(struct hb_actor *a)
{
	struct hb_expected e;
	if (is_free(a))
		return;
	hb__expect(a, HB_THREAD_hb_posting, &e);
	write_row(a, HB_THREAD_hb_posting, &e);
	a->posting = e.position;
}

bool hb__post_is_ahead(const struct hb_actor *a) { return !is_free(a) && row_ahead(a, HB_THREAD_hb_posting); }

void hb__posted_again(struct hb_actor *a)
{
	if (a->posting && !is_free(a))
		__atomic_store_n(&reached[a->lane->number], a->posting, __ATOMIC_RELEASE);
	a->posting = 0;
}
