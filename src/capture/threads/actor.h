/* A thread whose operations are ordered, and where it stands. */
#ifndef HBDB_CAPTURE_THREADS_ACTOR_H
#define HBDB_CAPTURE_THREADS_ACTOR_H

#include "capture/core/follow/follow.h"
#include "capture/threads/door.h"

#pragma GCC visibility push(hidden)

/* A position: how many events the thread had made, and how many operations since. */
#define HB__OPERATIONS_BITS 17
#define HB__OPERATIONS_MOST ((1u << HB__OPERATIONS_BITS) - 2)
#define HB__EVENTS_BITS 32
#define HB__ACTORS_MOST 32767u
static inline uint64_t hb__position(uint64_t events, uint64_t operations)
{
	return events << HB__OPERATIONS_BITS | operations;
}
static inline uint64_t hb__position_events(uint64_t position) { return position >> HB__OPERATIONS_BITS; }
static inline uint64_t hb__position_operation(uint64_t position)
{
	return position & ((1u << HB__OPERATIONS_BITS) - 1);
}

#define HB__HELD 8u
#define HB__KNOWN 16u
#define HB__CALLERS 64u
struct hb_actor {
	/* What each operation looks at stands first. */
	uint64_t number; /* from 1 on, shifted behind a position */
	bool follows, busy;
	bool over; /* replay: its record is at its end */
	unsigned nheld;
	struct hb__lane *lane;                 /* made when its first row is due, or that of one that comes after it */
	struct hb__lane *adopted;              /* the same, once the thread itself has seen it */
	const struct hb_lane_control *control; /* of that one; until then one of no events */
	uint64_t events, operations;
	struct hb_count *counts; /* of its operations, by function: in the lane's control, once it has that */
	const void *pc;
	uint64_t failed;                 /* position behind which nothing but polls came */
	const void *caller[HB__CALLERS]; /* places of the program, by hash */
	uint64_t identity;
	int task;
	uint64_t posting;     /* replay: position of the last posting that is about to be made; 0: none */
	uint64_t total, last; /* replay: operations so far, and in the record; last 0: not known */
	struct {
		const void *object;
		uint64_t events;
	} held[HB__HELD];
	struct {
		uint64_t number, position;
	} known[HB__KNOWN]; /* of others: this thread comes after it, anyway */
	struct hb_count own[HB_THREAD_FUNCTIONS];
};

/* ---- actor.c ---- */
extern __thread struct hb_actor *hb__actor_self __attribute__((tls_model("initial-exec")));
struct hb_actor *hb__actor_enter(const void *pc, bool *ret_follows);
/* An address may stand in this place or in the one beside it (its number ^ 1). */
static inline unsigned hb__actor_caller(const void *pc)
{
	return (unsigned)((uintptr_t)pc * 0x9e3779b97f4a7c15u >> 40) % HB__CALLERS;
}
static inline bool hb__actor_called(const struct hb_actor *a, const void *pc)
{
	unsigned at = hb__actor_caller(pc);
	return likely(a->caller[at] == pc) || a->caller[at ^ 1] == pc;
}
/* The same, where it is known that nothing is followed, of a thread that called there before and has no lane that it has not seen; NULL:
 * anything else. */
static inline __attribute__((always_inline)) struct hb_actor *hb__actor_usual(const void *pc)
{
	struct hb_actor *a = hb__actor_self;
	const struct hb__lane *lane = hb__self;
	if (unlikely(!a || !hb__many_threads || !hb__active || hb__apart || (lane && lane->depth)))
		return NULL;
	if (unlikely(a->busy || a->lane != a->adopted || !hb__actor_called(a, pc)))
		return NULL;
	return a;
}
/* The same of a call of another layer, in the lane of this thread; NULL: its order with other threads is not kept. */
struct hb_actor *hb__actor_beside(struct hb__lane *lane, const void *pc);
/* The lane of an actor, made if need be; NULL: there can be none. */
struct hb__lane *hb__actor_lane(struct hb_actor *actor);
struct hb_actor *hb__actor_numbered(uint64_t number);
/* The next position; the second where the function is counted for the first time, or not in the lane yet. */
uint64_t hb__actor_first_step(struct hb_actor *actor, enum hb_thread_function function);
static inline uint64_t hb__actor_step(struct hb_actor *a, enum hb_thread_function function, uint64_t events)
{
	if (events != a->events) {
		a->events = events;
		a->operations = 0;
	}
	if (unlikely(a->lane != a->adopted || !a->counts[function].n))
		return hb__actor_first_step(a, function);
	a->counts[function].n++;
	return hb__position(a->events, ++a->operations);
}

/* ---- row.c ---- */
extern struct hb__fn hb__thread_functions[HB_THREAD_FUNCTIONS];
extern const uint8_t hb__thread_kinds[HB_THREAD_FUNCTIONS];
extern const bool hb__thread_alone[HB_THREAD_FUNCTIONS]; /* who does this has the object for himself */
void hb__operation_begin(
	struct hb_actor *actor, enum hb_thread_function function, struct hb__call *ret, struct hb__lane *lane);
void hb__operation_row(struct hb__call *c, const int64_t *results, unsigned n);
void hb__operation_end(struct hb__call *c);
void hb__count_function(struct hb__lane *lane, enum hb_thread_function function, uint64_t n);

/* ---- record.c, replay.c ---- */
/* By whom is not known yet: of a thread that follows nothing. Returns `got`. */
int hb__takes(const void *pc, enum hb_thread_function function, const void *object, int got);
void hb__frees(const void *pc, enum hb_thread_function function, const void *object);
void hb__took(struct hb_actor *actor, enum hb_thread_function function, const void *object);
void hb__gives(struct hb_actor *actor, enum hb_thread_function function, const void *object);
void hb__unlocks(struct hb_actor *actor, enum hb_thread_function function, const void *object);
void hb__told(
	struct hb_actor *actor, enum hb_thread_function function, int64_t outcome, unsigned n, const int64_t *value);
void hb__answered(struct hb_actor *actor, enum hb_thread_function function, int64_t outcome);
void hb__posts(struct hb_actor *actor, uint64_t channel);
void hb__posts_again(struct hb_actor *actor);
bool hb__post_is_ahead(const struct hb_actor *actor);
void hb__posted_again(struct hb_actor *actor);
bool hb__follows(const struct hb_actor *actor);
void hb__awaits(struct hb_actor *actor, enum hb_thread_function function);
void hb__filled(struct hb_actor *actor); /* so many operations that a row has to stand between them */
void hb__expect(struct hb_actor *actor, enum hb_thread_function function, struct hb_expected *ret);
void hb__done(struct hb_actor *actor, enum hb_thread_function function, const struct hb_expected *expected);

#pragma GCC visibility pop

#endif
