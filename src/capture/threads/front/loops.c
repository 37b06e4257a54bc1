/* Loops of OpenMP whose chunks go to whoever comes first. A replay begins and ends them as the program does and gives out the chunks that
 * were recorded. */
#include "capture/threads/front/front.h"

enum { MORE = 1, NO_MORE = 2 }; /* outcomes */

static void told(struct hb_actor *actor, enum hb_thread_function function, bool more, int64_t from, int64_t to)
{
	int64_t chunk[2] = {from, to};
	hb__door->told(actor, function, more ? MORE : NO_MORE, more ? 2 : 0, chunk);
}

/* asked: the library makes what the end of the loop needs. */
#define CHUNK(name, type, params, args, asked)                                             \
	SEEN bool name params                                                              \
	{                                                                                  \
		bool follows;                                                              \
		struct hb_actor *actor = hb__enter(CALLER, &follows);                      \
		if (likely(!actor))                                                        \
			return NEXT(name) args;                                            \
		if (follows && hb__door->follows(actor)) {                                 \
			struct hb_expected e;                                              \
			if (asked)                                                         \
				(void)NEXT(name) args;                                     \
			hb__door->expect(actor, HB_THREAD_##name, &e);                     \
			hb__door->done(actor, HB_THREAD_##name, &e);                       \
			*from = (type)e.value[0];                                          \
			*to = (type)e.value[1];                                            \
			return e.outcome == MORE;                                          \
		}                                                                          \
		bool more = NEXT(name) args;                                               \
		if (!follows)                                                              \
			told(actor, HB_THREAD_##name, more, (int64_t)*from, (int64_t)*to); \
		return more;                                                               \
	}

#define CHUNKS(kind)                                                                    \
	CHUNK(GOMP_loop_##kind##_next, long, (long *from, long *to), (from, to), false) \
	CHUNK(GOMP_loop_ull_##kind##_next, hb_ull, (hb_ull * from, hb_ull * to), (from, to), false)
#define CHUNKED(kind)                                                                                              \
	CHUNKS(kind)                                                                                               \
	CHUNK(GOMP_loop_##kind##_start, long, (long start, long end, long step, long chunk, long *from, long *to), \
		(start, end, step, chunk, from, to), true)                                                         \
	CHUNK(GOMP_loop_ull_##kind##_start, hb_ull,                                                                \
		(bool up, hb_ull start, hb_ull end, hb_ull step, hb_ull chunk, hb_ull *from, hb_ull *to),          \
		(up, start, end, step, chunk, from, to), true)
#define RUNTIME(kind)                                                                                  \
	CHUNKS(kind)                                                                                   \
	CHUNK(GOMP_loop_##kind##_start, long, (long start, long end, long step, long *from, long *to), \
		(start, end, step, from, to), true)                                                    \
	CHUNK(GOMP_loop_ull_##kind##_start, hb_ull,                                                    \
		(bool up, hb_ull start, hb_ull end, hb_ull step, hb_ull *from, hb_ull *to),            \
		(up, start, end, step, from, to), true)
CHUNKED(dynamic)
CHUNKED(guided)
CHUNKED(nonmonotonic_dynamic)
CHUNKED(nonmonotonic_guided)
RUNTIME(runtime)
RUNTIME(nonmonotonic_runtime)
RUNTIME(maybe_nonmonotonic_runtime)

/* from NULL: no chunk is asked for. */
SEEN bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
	uintptr_t *reductions, void **memory)
{
	bool follows;
	struct hb_actor *actor = from ? hb__enter(CALLER, &follows) : NULL;
	bool more = NEXT(GOMP_loop_start)(start, end, step, schedule, chunk, from, to, reductions, memory);
	if (!actor)
		return more;
	if (!follows) {
		told(actor, HB_THREAD_GOMP_loop_start, more, *from, *to);
	} else if (hb__door->follows(actor)) {
		struct hb_expected e;
		hb__door->expect(actor, HB_THREAD_GOMP_loop_start, &e);
		hb__door->done(actor, HB_THREAD_GOMP_loop_start, &e);
		*from = (long)e.value[0];
		*to = (long)e.value[1];
		more = e.outcome == MORE;
	}
	return more;
}

SEEN bool GOMP_loop_ull_start(bool up, hb_ull start, hb_ull end, hb_ull step, long schedule, hb_ull chunk, hb_ull *from,
	hb_ull *to, uintptr_t *reductions, void **memory)
{
	bool follows;
	struct hb_actor *actor = from ? hb__enter(CALLER, &follows) : NULL;
	bool more = NEXT(GOMP_loop_ull_start)(up, start, end, step, schedule, chunk, from, to, reductions, memory);
	if (!actor)
		return more;
	if (!follows) {
		told(actor, HB_THREAD_GOMP_loop_ull_start, more, (int64_t)*from, (int64_t)*to);
	} else if (hb__door->follows(actor)) {
		struct hb_expected e;
		hb__door->expect(actor, HB_THREAD_GOMP_loop_ull_start, &e);
		hb__door->done(actor, HB_THREAD_GOMP_loop_ull_start, &e);
		*from = (hb_ull)e.value[0];
		*to = (hb_ull)e.value[1];
		more = e.outcome == MORE;
	}
	return more;
}
