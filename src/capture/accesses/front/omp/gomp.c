/* In front of GCC's library of OpenMP: parallel regions, and the chunks of loops that it gives out. (LLVM's has the same functions.)
 * libhbdb-threads.so stands in front of some of these, too, and before us: it calls us as the next one. */
#include "capture/accesses/next.h"
#include "capture/accesses/front/omp/chunk.h"
#include "capture/accesses/front/omp/omp.h"

typedef unsigned long long ull;
typedef void body(void *);

#define FRAME __builtin_dwarf_cfa()

/* ---- parallel regions ---- */

#define REGION(name, params, args, step)                                  \
	SEEN void name params;                                            \
	SEEN void name params                                             \
	{                                                                 \
		hb__region_begins((const void *)fn, step, CALLER, FRAME); \
		NEXT(name) args;                                          \
		hb__region_ends(CALLER, FRAME);                           \
	}
REGION(GOMP_parallel, (body * fn, void *data, unsigned threads, unsigned flags), (fn, data, threads, flags), 1)
REGION(GOMP_parallel_sections, (body * fn, void *data, unsigned threads, unsigned sections, unsigned flags),
	(fn, data, threads, sections, flags), 1)
#define REGION_CHUNKED(kind)                                                                           \
	REGION(GOMP_parallel_loop_##kind,                                                              \
		(body * fn, void *data, unsigned threads, long start, long end, long step, long chunk, \
			unsigned flags),                                                               \
		(fn, data, threads, start, end, step, chunk, flags), step)
#define REGION_RUNTIME(kind)                                                                                \
	REGION(GOMP_parallel_loop_##kind,                                                                   \
		(body * fn, void *data, unsigned threads, long start, long end, long step, unsigned flags), \
		(fn, data, threads, start, end, step, flags), step)
REGION_CHUNKED(static)
REGION_CHUNKED(dynamic)
REGION_CHUNKED(guided)
REGION_CHUNKED(nonmonotonic_dynamic)
REGION_CHUNKED(nonmonotonic_guided)
REGION_RUNTIME(runtime)
REGION_RUNTIME(nonmonotonic_runtime)
REGION_RUNTIME(maybe_nonmonotonic_runtime)

SEEN unsigned GOMP_parallel_reductions(body *fn, void *data, unsigned threads, unsigned flags);
SEEN unsigned GOMP_parallel_reductions(body *fn, void *data, unsigned threads, unsigned flags)
{
	hb__region_begins((const void *)fn, 1, CALLER, FRAME);
	unsigned got = NEXT(GOMP_parallel_reductions)(fn, data, threads, flags);
	hb__region_ends(CALLER, FRAME);
	return got;
}

/* ---- loops ---- */

#define NEXT_CHUNK(kind)                                                 \
	SEEN bool GOMP_loop_##kind##_next(long *from, long *to);         \
	SEEN bool GOMP_loop_##kind##_next(long *from, long *to)          \
	{                                                                \
		bool more = NEXT(GOMP_loop_##kind##_next)(from, to);     \
		return hb__chunk(more, *from, *to);                      \
	}                                                                \
	SEEN bool GOMP_loop_ull_##kind##_next(ull *from, ull *to);       \
	SEEN bool GOMP_loop_ull_##kind##_next(ull *from, ull *to)        \
	{                                                                \
		bool more = NEXT(GOMP_loop_ull_##kind##_next)(from, to); \
		return hb__chunk(more, (long)*from, (long)*to);          \
	}
#define START(kind, params, args)                                \
	SEEN bool GOMP_loop_##kind##_start params;               \
	SEEN bool GOMP_loop_##kind##_start params                \
	{                                                        \
		hb__loop_step((long)step);                       \
		bool more = NEXT(GOMP_loop_##kind##_start) args; \
		return hb__chunk(more, (long)*from, (long)*to);  \
	}
#define LOOP_CHUNKED(kind)                                                                        \
	NEXT_CHUNK(kind)                                                                          \
	START(kind, (long start, long end, long step, long chunk, long *from, long *to),          \
		(start, end, step, chunk, from, to))                                              \
	START(ull_##kind, (bool up, ull start, ull end, ull step, ull chunk, ull *from, ull *to), \
		(up, start, end, step, chunk, from, to))
#define LOOP_RUNTIME(kind)                                                                                 \
	NEXT_CHUNK(kind)                                                                                   \
	START(kind, (long start, long end, long step, long *from, long *to), (start, end, step, from, to)) \
	START(ull_##kind, (bool up, ull start, ull end, ull step, ull *from, ull *to), (up, start, end, step, from, to))
LOOP_CHUNKED(static)
LOOP_CHUNKED(dynamic)
LOOP_CHUNKED(guided)
LOOP_CHUNKED(nonmonotonic_dynamic)
LOOP_CHUNKED(nonmonotonic_guided)
LOOP_RUNTIME(runtime)
LOOP_RUNTIME(nonmonotonic_runtime)
LOOP_RUNTIME(maybe_nonmonotonic_runtime)
LOOP_CHUNKED(ordered_static)
LOOP_CHUNKED(ordered_dynamic)
LOOP_CHUNKED(ordered_guided)
LOOP_RUNTIME(ordered_runtime)

/* With reductions; from NULL: no chunk is asked for. */
#define START_GENERAL(name, type, params, args)                               \
	SEEN bool name params;                                                \
	SEEN bool name params                                                 \
	{                                                                     \
		hb__loop_step((long)step);                                    \
		bool more = NEXT(name) args;                                  \
		return from ? hb__chunk(more, (long)*from, (long)*to) : more; \
	}
START_GENERAL(GOMP_loop_start, long,
	(long start, long end, long step, long schedule, long chunk, long *from, long *to, uintptr_t *reductions,
		void **memory),
	(start, end, step, schedule, chunk, from, to, reductions, memory))
START_GENERAL(GOMP_loop_ordered_start, long,
	(long start, long end, long step, long schedule, long chunk, long *from, long *to, uintptr_t *reductions,
		void **memory),
	(start, end, step, schedule, chunk, from, to, reductions, memory))
START_GENERAL(GOMP_loop_ull_start, ull,
	(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to, uintptr_t *reductions,
		void **memory),
	(up, start, end, step, schedule, chunk, from, to, reductions, memory))
START_GENERAL(GOMP_loop_ull_ordered_start, ull,
	(bool up, ull start, ull end, ull step, long schedule, ull chunk, ull *from, ull *to, uintptr_t *reductions,
		void **memory),
	(up, start, end, step, schedule, chunk, from, to, reductions, memory))
