/* In front of what orders threads of OpenMP, for dynamic control: critical sections, locks, barriers, of GCC's library and of LLVM's. Each does what
 * the next definition does. (libhbdb-threads.so stands in front of some of these, too, and before us.) */
#include <dlfcn.h>

#include "capture/accesses/next.h"
#include "capture/accesses/watch/watch.h"

#define SEEN __attribute__((visibility("default")))

__thread uint32_t hb__orders_held __attribute__((tls_model("initial-exec")));
static uint32_t arrived; /* at the barrier that the threads are coming to */
static bool tasks;       /* there are explicit tasks in this parallel construct, whose order is not followed */

bool hb__orders_unknown(void) { return __atomic_load_n(&tasks, __ATOMIC_RELAXED); }

void hb__orders_begin(void)
{
	__atomic_store_n(&arrived, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&tasks, false, __ATOMIC_RELAXED);
}

/* ---- who has a lock ---- */

#define TAKES(name, params, args)  \
	SEEN void name params;     \
	SEEN void name params      \
	{                          \
		NEXT(name) args;   \
		hb__orders_held++; \
	}
#define GIVES(name, params, args)                        \
	SEEN void name params;                           \
	SEEN void name params                            \
	{                                                \
		hb__orders_held -= hb__orders_held != 0; \
		NEXT(name) args;                         \
	}
TAKES(GOMP_critical_start, (void), ())
GIVES(GOMP_critical_end, (void), ())
TAKES(GOMP_critical_name_start, (void **section), (section))
GIVES(GOMP_critical_name_end, (void **section), (section))
TAKES(GOMP_atomic_start, (void), ())
GIVES(GOMP_atomic_end, (void), ())
TAKES(GOMP_ordered_start, (void), ())
GIVES(GOMP_ordered_end, (void), ())
TAKES(omp_set_lock, (void *l), (l))
GIVES(omp_unset_lock, (void *l), (l))
TAKES(omp_set_nest_lock, (void *l), (l))
GIVES(omp_unset_nest_lock, (void *l), (l))
TAKES(__kmpc_critical, (void *where, int32_t thread, void *l), (where, thread, l))
TAKES(__kmpc_critical_with_hint, (void *where, int32_t thread, void *l, uint32_t hint), (where, thread, l, hint))
GIVES(__kmpc_end_critical, (void *where, int32_t thread, void *l), (where, thread, l))
TAKES(__kmpc_ordered, (void *where, int32_t thread), (where, thread))
GIVES(__kmpc_end_ordered, (void *where, int32_t thread), (where, thread))

/* The thread that combines what the threads have computed: 1. */
#define REDUCES(name)                                                                       \
	SEEN int32_t name(void *where, int32_t thread, int32_t n, size_t bytes, void *data, \
		void (*how)(void *, void *), void *l);                                      \
	SEEN int32_t name(void *where, int32_t thread, int32_t n, size_t bytes, void *data, \
		void (*how)(void *, void *), void *l)                                       \
	{                                                                                   \
		int32_t got = NEXT(name)(where, thread, n, bytes, data, how, l);            \
		hb__orders_held += got == 1;                                                \
		return got;                                                                 \
	}
REDUCES(__kmpc_reduce)
REDUCES(__kmpc_reduce_nowait)
GIVES(__kmpc_end_reduce, (void *where, int32_t thread, void *l), (where, thread, l))
GIVES(__kmpc_end_reduce_nowait, (void *where, int32_t thread, void *l), (where, thread, l))

/* ---- barriers ---- */

/* The last thread that comes to a barrier: all others are in it already, and access nothing. In nested teams nobody is known to be the last one: what
 * the threads do before and behind the barrier is told apart by each of them, which may lose findings. */
static void meet(void)
{
	static int (*threads)(void), (*level)(void);
	if (!hb__settings()->control || !hb__control_parallel())
		return;
	if (!threads) {
		level = (int (*)(void))hb__next_of("omp_get_level", NULL);
		threads = (int (*)(void))hb__next_of("omp_get_num_threads", NULL);
	}
	uint32_t team = threads && level && level() == 1 ? (uint32_t)threads() : 1;
	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) % (team ? team : 1) == 0)
		hb__control_barrier();
}

#define MEETS(name, params, args) \
	SEEN void name params;    \
	SEEN void name params     \
	{                         \
		meet();           \
		NEXT(name) args;  \
	}
MEETS(GOMP_barrier, (void), ())
MEETS(GOMP_loop_end, (void), ())
MEETS(GOMP_sections_end, (void), ())
MEETS(__kmpc_barrier, (void *where, int32_t thread), (where, thread))

/* ---- tasks ---- */

/* Of newer versions with more arguments than of older ones: what was not given is handed on as it is there, and not looked at. */
SEEN void GOMP_task(void *code, void *data, void *copy, long bytes, long alignment, bool now, unsigned flags,
	void **depend, int priority, void *detach);
SEEN void GOMP_task(void *code, void *data, void *copy, long bytes, long alignment, bool now, unsigned flags,
	void **depend, int priority, void *detach)
{
	__atomic_store_n(&tasks, true, __ATOMIC_RELAXED);
	NEXT(GOMP_task)(code, data, copy, bytes, alignment, now, flags, depend, priority, detach);
}

SEEN int32_t __kmpc_omp_task(void *where, int32_t thread, void *task);
SEEN int32_t __kmpc_omp_task(void *where, int32_t thread, void *task)
{
	__atomic_store_n(&tasks, true, __ATOMIC_RELAXED);
	return NEXT(__kmpc_omp_task)(where, thread, task);
}
