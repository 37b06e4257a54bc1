/* Recording: who had what before. */
#include <errno.h>

#include "capture/threads/actor.h"

/* Of each thing that threads order each other by, the position of the last operation on it, with the number of the thread. Things are not
 * told apart for certain: two of them that share a word only add an order that was there, too. So it needs no lock, and nothing is ever
 * taken out of it. */
#define WORDS (1u << 20)
static uint64_t words[WORDS];
#define THREAD_SHIFT (HB__OPERATIONS_BITS + HB__EVENTS_BITS)
#define POSITION_MASK ((1ull << THREAD_SHIFT) - 1)

/* What lies side by side stays so: programs have thousands of locks in a row. */
static inline uint64_t *word_of(const void *object)
{
	uintptr_t at = (uintptr_t)object;
	return &words[((at >> 3) + (at >> 23) * 0x9e3779b1u) % WORDS];
}

static uint64_t events_of(const struct hb_actor *a) { return a->lane ? a->lane->control->events : 0; }

static void write_row(struct hb_actor *a, enum hb_thread_function function, const int64_t *results, unsigned n)
{
	int error = errno;
	struct hb__lane *lane = hb__actor_lane(a);
	if (lane) {
		struct hb__call c;
		hb__operation_begin(a, function, &c, lane);
		hb__operation_row(&c, results, n);
		hb__operation_end(&c);
		a->busy = false;
	}
	errno = error;
}

void hb__filled(struct hb_actor *a)
{
	int64_t results[] = {(int64_t)a->operations, -1};
	write_row(a, HB_THREAD_pthread_mutex_unlock, results, 2);
}

static inline uint64_t step(struct hb_actor *a, enum hb_thread_function function)
{
	uint64_t position = hb__actor_step(a, function, events_of(a));
	if (unlikely(hb__position_operation(position) > HB__OPERATIONS_MOST)) {
		hb__filled(a);
		position = hb__actor_step(a, function, events_of(a));
		a->counts[function].n--;
	}
	return position;
}

static bool knows(const struct hb_actor *a, uint64_t number, uint64_t position)
{
	uint64_t at = number % HB__KNOWN;
	return a->known[at].number == number && a->known[at].position >= position;
}

/* The thread comes after that position of another one, anyway. */
static bool is_known(struct hb_actor *a, uint64_t number, uint64_t position)
{
	uint64_t at = number % HB__KNOWN;
	if (knows(a, number, position))
		return true;
	a->known[at].number = number;
	a->known[at].position = position;
	return false;
}

/* That a thread posts after another one lets it know nothing of that one: its next lock has to tell. */
static __attribute__((noinline)) void came_after(
	struct hb_actor *a, enum hb_thread_function function, uint64_t position, uint64_t before)
{
	uint64_t number = before >> THREAD_SHIFT, at = before & POSITION_MASK;
	bool posts = function == HB_THREAD_hb_posting;
	struct hb_actor *other = number && number != a->number ? hb__actor_numbered(number) : NULL;
	int64_t results[4] = {(int64_t)hb__position_operation(position), -1};
	unsigned n = 2;
	if (other && !(posts ? knows(a, number, at) : is_known(a, number, at))) {
		struct hb__lane *lane = hb__actor_lane(other);
		if (!lane) /* there is no room for it: what comes of this order is not known */
			return;
		results[1] = lane->number;
		results[2] = (int64_t)hb__position_events(at);
		results[3] = (int64_t)hb__position_operation(at);
		n = 4;
	}
	bool separates = !posts && a->lane && a->lane->control->polls;
	if (n == 4 || separates)
		write_row(a, function, results, n);
}

static inline void pass(struct hb_actor *a, enum hb_thread_function function, const void *object, uint64_t position)
{
	uint64_t before = __atomic_exchange_n(word_of(object), a->number << THREAD_SHIFT | position, __ATOMIC_ACQ_REL);
	bool mine = !before || before >> THREAD_SHIFT == a->number;
	if (unlikely(!mine || (a->lane && a->lane->control->polls)))
		came_after(a, function, position, before);
}

/* Only what has an owner is unlocked. */
static inline void hold(struct hb_actor *a, const void *object)
{
	unsigned at = a->nheld++ % HB__HELD;
	a->held[at].object = object;
	a->held[at].events = events_of(a);
}

void hb__took(struct hb_actor *a, enum hb_thread_function function, const void *object)
{
	uint64_t position = step(a, function);
	pass(a, function, object, position);
	hold(a, object);
}

void hb__gives(struct hb_actor *a, enum hb_thread_function function, const void *object)
{
	pass(a, function, object, step(a, function));
}

/* The caller has a lock of the channel, up to when it has posted: so this is the order in which they are posted. */
void hb__posts(struct hb_actor *a, uint64_t channel)
{
	pass(a, HB_THREAD_hb_posting, (const void *)(uintptr_t)channel, step(a, HB_THREAD_hb_posting));
}

void hb__takes(const void *pc, enum hb_thread_function function, const void *object)
{
	struct hb_actor *a = hb__actor_records(pc);
	if (likely(a != NULL))
		hb__took(a, function, object);
}

static inline bool nothing_since(struct hb_actor *a, const void *object)
{
	for (unsigned i = 1; i <= HB__HELD && i <= a->nheld; i++) {
		unsigned at = (a->nheld - i) % HB__HELD;
		if (a->held[at].object != object)
			continue;
		a->held[at].object = NULL;
		if (i == 1)
			a->nheld--;
		return a->held[at].events == events_of(a);
	}
	return false;
}

void hb__unlocks(struct hb_actor *a, enum hb_thread_function function, const void *object)
{
	uint64_t position = step(a, function);
	bool quiet = nothing_since(a, object);
	if (unlikely(!quiet || (a->lane && a->lane->control->polls)))
		pass(a, function, object, position);
}

void hb__frees(const void *pc, enum hb_thread_function function, const void *object)
{
	struct hb_actor *a = hb__actor_records(pc);
	if (likely(a != NULL))
		hb__unlocks(a, function, object);
}

/* Polls that say no again are counted, as those of MPI are. */
void hb__told(struct hb_actor *a, enum hb_thread_function function, int64_t outcome, unsigned n, const int64_t *value)
{
	uint64_t events = events_of(a);
	if (hb__thread_kinds[function] == HB_THREAD_TRY && a->lane &&
		a->failed == hb__position(events, events == a->events ? a->operations : 0)) {
		a->lane->control->polls++;
		return;
	}
	int64_t results[3 + HB_THREAD_VALUES] = {(int64_t)hb__position_operation(step(a, function)), -1, outcome};
	for (unsigned i = 0; i < n; i++)
		results[3 + i] = value[i];
	write_row(a, function, results, 3 + n);
	a->failed = hb__position(events_of(a), 0);
}

void hb__answered(struct hb_actor *a, enum hb_thread_function function, int64_t outcome)
{
	if (outcome)
		hb__told(a, function, outcome, 0, NULL);
	else
		step(a, function);
}
