/* What compilers call of the library of OpenMP (GCC's libgomp; others have the same names), and its locks: there is no header of the former
 * and need not be one of the latter. */
#ifndef HBDB_CAPTURE_THREADS_GOMP_H
#define HBDB_CAPTURE_THREADS_GOMP_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long hb_ull;

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void omp_set_lock(void *lock);
int omp_test_lock(void *lock);
void omp_unset_lock(void *lock);
void omp_set_nest_lock(void *lock);
int omp_test_nest_lock(void *lock);
void omp_unset_nest_lock(void *lock);
bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
unsigned GOMP_sections_start(unsigned count);
unsigned GOMP_sections_next(void);
bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
	uintptr_t *reductions, void **memory);
bool GOMP_loop_ull_start(bool up, hb_ull start, hb_ull end, hb_ull step, long schedule, hb_ull chunk, hb_ull *from,
	hb_ull *to, uintptr_t *reductions, void **memory);

#define HB_GOMP_LOOP(kind)                                  \
	bool GOMP_loop_##kind##_next(long *from, long *to); \
	bool GOMP_loop_ull_##kind##_next(hb_ull *from, hb_ull *to);
#define HB_GOMP_CHUNKED(kind)                                                                             \
	bool GOMP_loop_##kind##_start(long start, long end, long step, long chunk, long *from, long *to); \
	bool GOMP_loop_ull_##kind##_start(                                                                \
		bool up, hb_ull start, hb_ull end, hb_ull step, hb_ull chunk, hb_ull *from, hb_ull *to);
#define HB_GOMP_RUNTIME(kind)                                                                 \
	bool GOMP_loop_##kind##_start(long start, long end, long step, long *from, long *to); \
	bool GOMP_loop_ull_##kind##_start(bool up, hb_ull start, hb_ull end, hb_ull step, hb_ull *from, hb_ull *to);
HB_GOMP_LOOP(dynamic)
HB_GOMP_CHUNKED(dynamic)
HB_GOMP_LOOP(guided)
HB_GOMP_CHUNKED(guided)
HB_GOMP_LOOP(nonmonotonic_dynamic)
HB_GOMP_CHUNKED(nonmonotonic_dynamic)
HB_GOMP_LOOP(nonmonotonic_guided)
HB_GOMP_CHUNKED(nonmonotonic_guided)
HB_GOMP_LOOP(runtime)
HB_GOMP_RUNTIME(runtime)
HB_GOMP_LOOP(nonmonotonic_runtime)
HB_GOMP_RUNTIME(nonmonotonic_runtime)
HB_GOMP_LOOP(maybe_nonmonotonic_runtime)
HB_GOMP_RUNTIME(maybe_nonmonotonic_runtime)

#endif
