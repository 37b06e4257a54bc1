/* Recording: who had what before. */
#include <errno.h>

#include "capture/threads/actor.h"

/* Of each thing that threads order each other by, the position of the last operation on it, with the number of the thread: 0, there was
 * none. Nothing is ever taken out of it, so it needs no lock.
 *
 * A thing has an entry for itself when it was the first to come there. Of a lock, whoever has it is alone at its entry: he reads and
 * writes it as any memory, which costs less than a third of an exchange, for that waits until all that was written before is in the caches. The
 * others share words, which are exchanged: two things that share one only add an order that was there, too. */
#define THREAD_SHIFT (HB__OPERATIONS_BITS + HB__EVENTS_BITS)
#define POSITION_MASK ((1ull << THREAD_SHIFT) - 1)
struct entry {
	const void *object;
	uint64_t last;
};
#define ENTRIES (1u << 19)
#define WORDS (1u << 17)
static struct entry entries[ENTRIES];
static uint64_t words[WORDS];

/* What lies side by side stays so: programs have thousands of locks in a row. */
static inline struct entry *entry_of(const void *object)
{
	uintptr_t at = (uintptr_t)object;
	return &entries[((at >> 4) + (at >> 23) * 0x9e3779b1u) % ENTRIES];
}

static inline uint64_t *word_of(const void *object)
{
	uintptr_t at = (uintptr_t)object;
	return &words[((at >> 2) + (at >> 19) * 0x9e3779b1u) % WORDS];
}

/* The thing has its entry from now on, or never: then NULL. */
static struct entry *claimed(const void *object)
{
	struct entry *e = entry_of(object);
	const void *is = __atomic_load_n(&e->object, __ATOMIC_RELAXED);
	if (!is && __atomic_compare_exchange_n(&e->object, &is, object, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return e;
	return is == object ? e : NULL;
}

/* The position becomes the last one on the thing; returns the one before. What a posting names are channels and no addresses. */
static uint64_t exchanged(enum hb_thread_function function, const void *object, uint64_t position)
{
	struct entry *e = object && function != HB_THREAD_hb_posting ? claimed(object) : NULL;
	uint64_t *at = e ? &e->last : word_of(object);
	if (!e || !hb__thread_alone[function])
		return __atomic_exchange_n(at, position, __ATOMIC_ACQ_REL);
	uint64_t before = __atomic_load_n(at, __ATOMIC_RELAXED);
	__atomic_store_n(at, position, __ATOMIC_RELAXED);
	return before;
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

static void pass(struct hb_actor *a, enum hb_thread_function function, const void *object, uint64_t position)
{
	uint64_t before = exchanged(function, object, a->number << THREAD_SHIFT | position);
	bool mine = !before || before >> THREAD_SHIFT == a->number;
	if (unlikely(!mine || (a->lane && a->lane->control->polls)))
		came_after(a, function, position, before);
}

/* Only what has an owner is unlocked. */
static void hold(struct hb_actor *a, const void *object)
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

static bool nothing_since(struct hb_actor *a, const void *object)
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

/* ---- by whom is not known yet ---- */

static __attribute__((noinline)) int takes(
	const void *pc, enum hb_thread_function function, const void *object, int got)
{
	bool follows;
	struct hb_actor *a = hb__actor_enter(pc, &follows);
	if (likely(a != NULL))
		hb__took(a, function, object);
	return got;
}

static __attribute__((noinline)) void frees(const void *pc, enum hb_thread_function function, const void *object)
{
	bool follows;
	struct hb_actor *a = hb__actor_enter(pc, &follows);
	if (likely(a != NULL))
		hb__unlocks(a, function, object);
}

/* Whether an operation of this thread is counted, and nothing else is to be told of it; then it is the next one behind `events`. */
static inline __attribute__((always_inline)) bool is_counted(
	const struct hb_actor *a, enum hb_thread_function function, uint64_t events, uint64_t *ret_operation)
{
	*ret_operation = (events == a->events ? a->operations : 0) + 1;
	return likely(a->counts[function].n && !a->control->polls && *ret_operation <= HB__OPERATIONS_MOST);
}

static inline __attribute__((always_inline)) void counted(
	struct hb_actor *a, enum hb_thread_function function, const void *pc, uint64_t events, uint64_t operation)
{
	a->counts[function].n++;
	a->events = events;
	a->operations = operation;
	a->pc = pc;
}

/* Nearly all: a lock that this thread had last itself, or nobody before. They are made some dozen times for one event: so nothing is called from
 * here, and anything else is left to those above. */
int hb__takes(const void *pc, enum hb_thread_function function, const void *object, int got)
{
	struct hb_actor *a = hb__actor_usual(pc);
	struct entry *e = entry_of(object);
	if (unlikely(!a || !hb__thread_alone[function] || __atomic_load_n(&e->object, __ATOMIC_RELAXED) != object))
		return takes(pc, function, object, got);
	uint64_t before = __atomic_load_n(&e->last, __ATOMIC_RELAXED), events = a->control->events, operation;
	if (unlikely(before >> THREAD_SHIFT != a->number || !is_counted(a, function, events, &operation)))
		return takes(pc, function, object, got);
	counted(a, function, pc, events, operation);
	__atomic_store_n(&e->last, a->number << THREAD_SHIFT | hb__position(events, operation), __ATOMIC_RELAXED);
	unsigned at = a->nheld++ % HB__HELD;
	a->held[at].object = object;
	a->held[at].events = events;
	return got;
}

void hb__frees(const void *pc, enum hb_thread_function function, const void *object)
{
	struct hb_actor *a = hb__actor_usual(pc);
	if (unlikely(!a || !a->nheld))
		return frees(pc, function, object);
	unsigned at = (a->nheld - 1) % HB__HELD;
	uint64_t events = a->control->events, operation;
	if (unlikely(a->held[at].object != object || a->held[at].events != events ||
		     !is_counted(a, function, events, &operation)))
		return frees(pc, function, object);
	counted(a, function, pc, events, operation);
	a->held[at].object = NULL;
	a->nheld--;
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
