/* libhbdb-threads.so: in front of the functions by which threads order each other. Each asks at the door whether the call is one of the
 * program's, and passes it on, has it recorded, or does it as recorded.
 *
 * A replay does the same calls in the recorded order: what is blocked is let go by the same thread as it was, and what was tried and not
 * got, or waited for in vain, is answered without waiting. The recorder's rules hold here, too (capture/core/core.h). */
#ifndef HBDB_CAPTURE_THREADS_FRONT_H
#define HBDB_CAPTURE_THREADS_FRONT_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <threads.h>

#include "capture/threads/door.h"
#include "capture/threads/front/gomp.h"

#pragma GCC visibility push(hidden)

#define SEEN __attribute__((visibility("default")))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

extern const struct hb_threads_door *hb__door; /* NULL: the recorder is not there (yet) */
/* A thread was recorded: none will follow anything. */
extern bool hb__records;

/* The functions behind us, looked up when they are first needed, which may be before our constructor has run. */
struct hb__next {
#define HB_THREAD_FUNCTION(name, version, kind, whose) __typeof__(name) *name;
#include "calls/threads/threads.def"
#undef HB_THREAD_FUNCTION
};
extern struct hb__next hb__next;
void *hb__next_find(enum hb_thread_function function);
static inline __attribute__((always_inline)) void *hb__next_at(void **at, enum hb_thread_function function)
{
	return likely(*at != NULL) ? *at : (*at = hb__next_find(function));
}
#define NEXT(name) ((__typeof__(name) *)hb__next_at((void **)&hb__next.name, HB_THREAD_##name))

static inline __attribute__((always_inline)) struct hb_actor *hb__enter(const void *pc, bool *ret_follows)
{
	*ret_follows = false;
	struct hb_actor *actor = likely(hb__door != NULL) ? hb__door->enter(pc, ret_follows) : NULL;
	if (unlikely(actor && !hb__records))
		hb__records = !*ret_follows;
	return actor;
}

/* Something is taken that is free or not: `name` is called with `args`; in a replay, where it was got, `blocking` is, which returns when
 * it has it. Both return 0 or an error. */
#define TAKING(name, object, params, args, blocking)                                           \
	SEEN int name params                                                                   \
	{                                                                                      \
		if (likely(hb__records)) {                                                     \
			int got = NEXT(name) args;                                             \
			if (likely(!got || got == EOWNERDEAD))                                 \
				return hb__door->takes(CALLER, HB_THREAD_##name, object, got); \
			bool none;                                                             \
			struct hb_actor *who = hb__enter(CALLER, &none);                       \
			if (who)                                                               \
				hb__door->told(who, HB_THREAD_##name, got, 0, NULL);           \
			return got;                                                            \
		}                                                                              \
		bool follows;                                                                  \
		struct hb_actor *actor = hb__enter(CALLER, &follows);                          \
		if (likely(!actor))                                                            \
			return NEXT(name) args;                                                \
		if (unlikely(follows)) {                                                       \
			struct hb_expected e;                                                  \
			hb__door->expect(actor, HB_THREAD_##name, &e);                         \
			int got = e.outcome ? (int)e.outcome : blocking;                       \
			hb__door->done(actor, HB_THREAD_##name, &e);                           \
			return got;                                                            \
		}                                                                              \
		int got = NEXT(name) args;                                                     \
		if (likely(!got || got == EOWNERDEAD))                                         \
			hb__door->took(actor, HB_THREAD_##name, object);                       \
		else                                                                           \
			hb__door->told(actor, HB_THREAD_##name, got, 0, NULL);                 \
		return got;                                                                    \
	}

/* What a thread alone has is given back. */
#define UNLOCKING(name, object, params, args)                              \
	SEEN int name params                                               \
	{                                                                  \
		if (likely(hb__records)) {                                 \
			hb__door->frees(CALLER, HB_THREAD_##name, object); \
			return NEXT(name) args;                            \
		}                                                          \
		GIVES(name, int, object, args, unlocks)                    \
	}

/* Others may go on by it. how: gives or unlocks. */
#define GIVING(name, type, object, params, args, how) \
	SEEN type name params { GIVES(name, type, object, args, how) }
#define GIVES(name, type, object, args, how)                    \
	bool follows;                                           \
	struct hb_actor *actor = hb__enter(CALLER, &follows);   \
	if (likely(!actor))                                     \
		return NEXT(name) args;                         \
	if (likely(!follows)) {                                 \
		hb__door->how(actor, HB_THREAD_##name, object); \
		return NEXT(name) args;                         \
	}                                                       \
	struct hb_expected e;                                   \
	hb__door->expect(actor, HB_THREAD_##name, &e);          \
	type got = NEXT(name) args;                             \
	hb__door->done(actor, HB_THREAD_##name, &e);            \
	return got;

#pragma GCC visibility pop

#endif
