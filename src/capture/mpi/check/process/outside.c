/* Calls before MPI_Init and after MPI_Finalize, and threads that the thread level does not allow. */
#include <string.h>

#include "capture/core/layer.h"
#include "capture/mpi/check/check.h"

/* ---- outside of MPI_Init and MPI_Finalize ---- */

/* There is no rank yet but what the launcher says; the library may end the process in this very call. */
static bool early_log(void)
{
	static bool tried;
	if (tried || hb__begun_early())
		return true;
	tried = true;
	hb__layers_expected(&hb__rank, &hb__size);
	return hb__early_log = hb__log_create(hb__config.dir, false);
}

#define MOST 20

void hb__check_outside(const struct hb__fn *fn, const void *pc, const void *cfa)
{
	static int told;
	static bool session; /* MPI 4.0, 11.3: instead of MPI_Init */
	session |= fn->means->does == HB_DOES_SESSION_INIT;
	if (session && !hb__finished)
		return;
	if (hb__config.mode != HB__RECORD || told >= MOST || fn->means->anytime || hb__in_library(pc))
		return;
	if (!hb__finished && !early_log())
		return;
	if (hb__finished && !hb__definitions_room())
		return; /* the file is as long as it will be */
	told++;
	const struct hb_remark_call call = {.fn = fn, .site = hb__define_site(hb__site_of(pc, cfa)), .event = true};
	hb__remark_process(OUTSIDE, &call, .after = hb__finished);
}

/* ---- threads ---- */

static pthread_t main_thread;
static int level = MPI_THREAD_MULTIPLE;
static int inside; /* threads in calls; SERIALIZED */

void hb__check_threads_begin(void)
{
	main_thread = pthread_self();
	PMPI(Query_thread)(&level);
}

bool hb__check_threads_quiet(void)
{
	return level == MPI_THREAD_MULTIPLE ||
	       (level != MPI_THREAD_SERIALIZED && pthread_equal(main_thread, pthread_self()));
}

void hb__check_threads_enter(struct hb__call *c)
{
	if (unlikely(c->fn->means->does == HB_DOES_FINALIZE) && level >= MPI_THREAD_SERIALIZED &&
		!pthread_equal(main_thread, pthread_self()))
		hb__remark(c, THREADS, .what = HB_WHAT_FINALIZE);
	if (likely(level == MPI_THREAD_MULTIPLE) || c->lane->nested)
		return;
	bool other = false;
	if (level == MPI_THREAD_SERIALIZED)
		other = __atomic_fetch_add(&inside, 1, __ATOMIC_ACQ_REL) > 0;
	else
		other = !pthread_equal(main_thread, pthread_self());
	static int told;
	if (other && !c->fn->means->anytime && __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) < MOST)
		hb__remark(c, THREAD, .level = level - MPI_THREAD_SINGLE);
}

void hb__check_threads_leave(struct hb__call *c)
{
	if (unlikely(level == MPI_THREAD_SERIALIZED) && !c->lane->nested)
		__atomic_fetch_sub(&inside, 1, __ATOMIC_ACQ_REL);
}
