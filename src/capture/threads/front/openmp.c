/* Critical sections, locks, sections and single of OpenMP. */
#include "capture/threads/front/front.h"

static char unnamed, atomics; /* the critical section without a name, and what is atomic by a lock */

#define TAKING_VOID(name, object, params, args)                          \
	SEEN void name params                                            \
	{                                                                \
		bool follows;                                            \
		struct hb_actor *actor = hb__enter(CALLER, &follows);    \
		struct hb_expected e;                                    \
		if (unlikely(actor && follows))                          \
			hb__door->expect(actor, HB_THREAD_##name, &e);   \
		NEXT(name) args;                                         \
		if (likely(!actor))                                      \
			return;                                          \
		if (unlikely(follows))                                   \
			hb__door->done(actor, HB_THREAD_##name, &e);     \
		else                                                     \
			hb__door->took(actor, HB_THREAD_##name, object); \
	}

#define GIVING_VOID(name, object, params, args)                             \
	SEEN void name params                                               \
	{                                                                   \
		bool follows;                                               \
		struct hb_actor *actor = hb__enter(CALLER, &follows);       \
		struct hb_expected e;                                       \
		if (unlikely(actor && follows))                             \
			hb__door->expect(actor, HB_THREAD_##name, &e);      \
		else if (actor)                                             \
			hb__door->unlocks(actor, HB_THREAD_##name, object); \
		NEXT(name) args;                                            \
		if (unlikely(actor && follows))                             \
			hb__door->done(actor, HB_THREAD_##name, &e);        \
	}

TAKING_VOID(GOMP_critical_start, &unnamed, (void), ())
GIVING_VOID(GOMP_critical_end, &unnamed, (void), ())
TAKING_VOID(GOMP_critical_name_start, section, (void **section), (section))
GIVING_VOID(GOMP_critical_name_end, section, (void **section), (section))
TAKING_VOID(GOMP_atomic_start, &atomics, (void), ())
GIVING_VOID(GOMP_atomic_end, &atomics, (void), ())
TAKING_VOID(omp_set_lock, lock, (void *lock), (lock))
GIVING_VOID(omp_unset_lock, lock, (void *lock), (lock))
TAKING_VOID(omp_set_nest_lock, lock, (void *lock), (lock))
GIVING_VOID(omp_unset_nest_lock, lock, (void *lock), (lock))

/* They return 0 when another thread has it. */
#define TESTING(name, set)                                                                \
	SEEN int name(void *lock)                                                         \
	{                                                                                 \
		bool follows;                                                             \
		struct hb_actor *actor = hb__enter(CALLER, &follows);                     \
		if (likely(!actor))                                                       \
			return NEXT(name)(lock);                                          \
		struct hb_expected e;                                                     \
		if (follows)                                                              \
			hb__door->expect(actor, HB_THREAD_##name, &e);                    \
		int got = follows && e.outcome ? 0 : NEXT(name)(lock);                    \
		while (follows && !e.outcome && !got && hb__door->follows(actor))         \
			got = NEXT(name)(lock); /* who had it is about to give it back */ \
		if (follows)                                                              \
			hb__door->done(actor, HB_THREAD_##name, &e);                      \
		else if (got)                                                             \
			hb__door->took(actor, HB_THREAD_##name, lock);                    \
		else                                                                      \
			hb__door->told(actor, HB_THREAD_##name, EBUSY, 0, NULL);          \
		return got;                                                               \
	}
TESTING(omp_test_lock, omp_set_lock)
TESTING(omp_test_nest_lock, omp_set_nest_lock)

/* What is told and usually 0. The library's own answer is not looked at in a replay, but asked for: it makes what the end needs. */
#define ANSWERING(name, type, params, args, asked)                        \
	SEEN type name params                                             \
	{                                                                 \
		bool follows;                                             \
		struct hb_actor *actor = hb__enter(CALLER, &follows);     \
		if (likely(!actor))                                       \
			return NEXT(name) args;                           \
		if (follows && hb__door->follows(actor)) {                \
			struct hb_expected e;                             \
			if (asked)                                        \
				(void)NEXT(name) args;                    \
			hb__door->expect(actor, HB_THREAD_##name, &e);    \
			hb__door->done(actor, HB_THREAD_##name, &e);      \
			return (type)e.outcome;                           \
		}                                                         \
		type got = NEXT(name) args;                               \
		if (!follows)                                             \
			hb__door->answered(actor, HB_THREAD_##name, got); \
		return got;                                               \
	}
ANSWERING(GOMP_single_start, bool, (void), (), true)
ANSWERING(GOMP_sections_start, unsigned, (unsigned count), (count), true)
ANSWERING(GOMP_sections_next, unsigned, (void), (), false)

/* The one that gets NULL does it, which is told; the others get it when it has, and all are there: they come after it. */
SEEN void *GOMP_single_copy_start(void)
{
	static char singles;
	const enum hb_thread_function function = HB_THREAD_GOMP_single_copy_start;
	bool follows;
	struct hb_actor *actor = hb__enter(CALLER, &follows);
	if (likely(!actor))
		return NEXT(GOMP_single_copy_start)();
	if (follows) {
		struct hb_expected e;
		hb__door->expect(actor, function, &e);
		hb__door->done(actor, function, &e);
		void *given = NEXT(GOMP_single_copy_start)();
		if (e.outcome) {
			hb__door->expect(actor, function, &e);
			hb__door->done(actor, function, &e);
		}
		return given;
	}
	void *given = NEXT(GOMP_single_copy_start)();
	if (!given)
		hb__door->told(actor, function, 1, 0, NULL);
	hb__door->gives(actor, function, &singles);
	return given;
}
