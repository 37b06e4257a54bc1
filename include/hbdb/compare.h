/* Constructs, points and arrays of your program, so that hbdb can compare a run with a reference run: other numbers of processes and
 * threads, another compiler, another MPI (`hbdb compare`, docs/compare/).
 *
 *   HB_ARRAY(.name = "u", .at = u, .type = HB_REAL8, .rank = 2, .global = {n, n}, .first = {lo, 0}, .count = {rows, n}, .below = {1}, .above = {1});
 *   hb_steps("time");
 *   for (int t = 0; t < steps; t++) {
 *           hb_iteration(t);
 *           hb_loop("sweep");
 *           for (int i = lo; i < hi; i++) { hb_iteration(i); ... }
 *           hb_loop_end("sweep");
 *   }
 *   hb_steps_end("time");
 *
 * This header is all there is: nothing to link. Outside of `hbdb compare` each of these costs a load and a branch, and the arguments
 * are not computed; so they must not have effects of their own.
 *
 * A parallel loop (hb_loop) is one of which the processes do parts: all of them come by it, in the same order. Its begin and its end are
 * points, numbered from 1 as the program runs: 6.B, 6.E. hb_point is a point by itself. A sequential loop (hb_steps) is one that every
 * process goes through whole; it has no point. A region (hb_region) has tasks, numbered from 0, each of which is done by some process:
 * points in task 3 of region 256 are 256.3.1.B, and so on. OpenMP's parallel regions are parallel loops without any of this.
 * Names are copied, at most 200 bytes of them; the same name is given to the end. Iterations are global indices.
 *
 * To be called by the thread that called MPI_Init, or in a program without MPI by the first one; hb_iteration by any. Errors: none that the
 * caller sees; what does not fit is told by `hbdb compare report`. C99 and C++; hbdb/compare.f90 is the same for Fortran. */
#ifndef HBDB_COMPARE_H
#define HBDB_COMPARE_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_DIMENSIONS = 7 };
typedef enum hb_element {
	HB_REAL8,
	HB_REAL4,
	HB_INTEGER4,
	HB_INTEGER8,
	HB_INTEGER1,
	HB_COMPLEX16,
	HB_COMPLEX8,
	HB_ELEMENTS
} hb_element;

/* An array as this process has it. The storage at `at` is a box of below + count + above elements in each dimension without gaps. */
typedef struct hb_array {
	const char *name;
	const void *at;
	hb_element type;
	unsigned rank;                 /* dimensions, 1 to 7 */
	int columns;                   /* 0: the last index is next to each other (C); 1: the first one (Fortran) */
	int replicated;                /* every process has all of it, and all have to agree */
	int read_only;                 /* for dynamic control: nobody writes it after this */
	int64_t base[HB_DIMENSIONS];   /* what the first global index is called, for messages: 0, in Fortran mostly 1 */
	int64_t global[HB_DIMENSIONS]; /* elements over all processes */
	int64_t first[HB_DIMENSIONS];  /* global index (from 0) of the first element that this process owns */
	int64_t count[HB_DIMENSIONS];  /* elements that it owns; 0 in all dimensions: those of `global` */
	int64_t below
		[HB_DIMENSIONS]; /* elements of its storage before those: copies of a neighbour's (halo), or borders */
	int64_t above[HB_DIMENSIONS]; /* and behind them */
	/* Block-cyclic (ScaLAPACK): blocks of `block` elements go round `over` processes, of which this one is number `place`;
	 * block 0: the box that first and count say. */
	int64_t block[HB_DIMENSIONS], over[HB_DIMENSIONS], place[HB_DIMENSIONS];
} hb_array;

/* How several values become one, for the result of a reduction. */
typedef enum hb_reduction { HB_SUM, HB_PRODUCT, HB_MINIMUM, HB_MAXIMUM, HB_OTHER } hb_reduction;

/* What the tracer offers; made known by the name hb_tracer_1. file and line: of the mark. */
enum { HB_MARK_LOOP, HB_MARK_STEPS, HB_MARK_REGION, HB_MARK_POINT };
struct hb_tracer {
	void (*begin)(int mark, const char *name, const char *file, int line);
	void (*end)(int mark, const char *name);
	void (*iteration)(unsigned n, const int64_t *index);
	void (*task)(int64_t task);
	void (*array)(const hb_array *array, const char *file, int line);
	void (*gone)(const void *at);
	/* Of the innermost construct: its variable is complete when the construct has ended and, where all processes share it, `done` was said. */
	void (*reduction)(
		const char *name, hb_reduction how, hb_element type, const void *at, const char *file, int line);
	void (*reduced)(const void *at);
	/* The halo of the array at `at` has been brought up to date, in the dimensions and sides that are not 0 (below, above of each); NULL: in all. */
	void (*exchanged)(const void *at, const unsigned char *sides);
};

#ifndef HB_TYPES_ALONE /* defined by hbdb itself, which reads what programs have said */

/* One for all files of a program or library that include this. NULL: nobody traces. */
__attribute__((weak, visibility("hidden"))) const struct hb_tracer *hb_tracer_here;

__attribute__((constructor(101))) static void hb_find_tracer(void)
{
	if (!hb_tracer_here)
		hb_tracer_here = (const struct hb_tracer *)dlsym((void *)0, "hb_tracer_1");
}

/* Whether somebody traces: 1 or 0. */
static inline int hb_is_traced(void) { return __builtin_expect(hb_tracer_here != (const struct hb_tracer *)0, 0); }

#define HB_TRACE(how, arguments) ((void)(hb_is_traced() ? (hb_tracer_here->how arguments, 0) : 0))

#define hb_loop(name) HB_TRACE(begin, (HB_MARK_LOOP, (name), __FILE__, __LINE__))
#define hb_loop_end(name) HB_TRACE(end, (HB_MARK_LOOP, (name)))
#define hb_steps(name) HB_TRACE(begin, (HB_MARK_STEPS, (name), __FILE__, __LINE__))
#define hb_steps_end(name) HB_TRACE(end, (HB_MARK_STEPS, (name)))
#define hb_region(name) HB_TRACE(begin, (HB_MARK_REGION, (name), __FILE__, __LINE__))
#define hb_region_end(name) HB_TRACE(end, (HB_MARK_REGION, (name)))
#define hb_task(number) HB_TRACE(task, ((int64_t)(number)))
#define hb_point(name) HB_TRACE(begin, (HB_MARK_POINT, (name), __FILE__, __LINE__))

/* An iteration of the innermost loop begins: its global index, or 2 to 7 of them, the outermost first. */
#define hb_iteration(i)                                           \
	do {                                                      \
		if (hb_is_traced()) {                             \
			const int64_t hb_index_ = (int64_t)(i);   \
			hb_tracer_here->iteration(1, &hb_index_); \
		}                                                 \
	} while (0)
#define HB_ITERATION(...)                                                                                       \
	do {                                                                                                    \
		if (hb_is_traced()) {                                                                           \
			const int64_t hb_index_[] = {__VA_ARGS__};                                              \
			hb_tracer_here->iteration((unsigned)(sizeof hb_index_ / sizeof *hb_index_), hb_index_); \
		}                                                                                               \
	} while (0)

/* An array, by members of hb_array (.name = ...): what is not given is 0. Again at the same address: it has changed. */
#define HB_ARRAY(...)                                                          \
	do {                                                                   \
		if (hb_is_traced()) {                                          \
			const hb_array hb_array_ = {__VA_ARGS__};              \
			hb_tracer_here->array(&hb_array_, __FILE__, __LINE__); \
		}                                                              \
	} while (0)
#define hb_array_gone(at) HB_TRACE(gone, (at))
#define hb_reduce(name, how, type, at) HB_TRACE(reduction, ((name), (how), (type), (at), __FILE__, __LINE__))
#define hb_reduced(at) HB_TRACE(reduced, (at))
#define hb_exchanged(at) HB_TRACE(exchanged, ((at), (const unsigned char *)0))

#endif

#ifdef __cplusplus
}
#endif
#endif
