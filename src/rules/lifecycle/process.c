/* From MPI_Init to MPI_Finalize: calls outside of them, a process that left without, and threads. */
#include <stdio.h>
#include <string.h>

#include "rules/lifecycle/parts.h"

hb_status hb__told_outside(hb_case *c, const hb_remark *r, hb_error *err)
{
	const char *fn = r->call->fn;
	bool after = r->outside->after;
	hb_point point = hb__other_point(
		r, r->call->site, r->call->fn, after ? "comes after MPI_Finalize" : "comes before MPI_Init");
	if (after)
		return hb__finding(c, HB_CALL_AFTER_FINALIZE, false, "Make no MPI call after MPI_Finalize.", &point, 1,
			err, "rank %s calls %s after MPI_Finalize", hb__named_of(c, r), fn);
	return hb__finding(c, HB_CALL_BEFORE_INIT, false, "Call MPI_Init or MPI_Init_thread first.", &point, 1, err,
		"rank %s calls %s before MPI_Init", hb__named_of(c, r), fn);
}

hb_status hb__told_init_again(hb_case *c, const hb_remark *r, hb_error *err)
{
	const char *fn = r->call->fn;
	hb_point point = hb__other_point(r, r->call->site, r->call->fn, "is the second one");
	return hb__finding(c, HB_INIT_TWICE, false,
		"Initialize MPI once; MPI_Initialized tells whether this has been done.", &point, 1, err,
		"rank %s calls %s when MPI is initialized already", hb__named_of(c, r), fn);
}

hb_status hb__told_thread(hb_case *c, const hb_remark *r, hb_error *err)
{
	static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED"};
	char advice[160];
	int64_t level = r->thread->level;
	const char *fn = r->call->fn;
	hb_point point =
		hb__call_point(c, r, level == 2 ? "overlaps the call of another thread" : "comes from another thread");
	const char *name = levels[level < 0 || level > 2 ? 0 : level];
	snprintf(advice, sizeof advice, "Ask MPI_Init_thread for %s, and check the level that it provides.",
		level == 2 ? "MPI_THREAD_MULTIPLE" : "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
	if (level == 2)
		return hb__finding(c, HB_THREAD_LEVEL, false, advice, &point, 1, err,
			"rank %s calls %s while another thread is inside of MPI, at %s", hb__named_of(c, r), fn, name);
	return hb__finding(c, HB_THREAD_LEVEL, false, advice, &point, 1, err,
		"rank %s calls %s from another thread than the one that called MPI_Init, at %s", hb__named_of(c, r), fn,
		name);
}

hb_status hb__told_threads(hb_case *c, const hb_remark *r, hb_error *err)
{
	const char *fn = r->call->fn;
	const char *made = r->threads->madefn;
	enum hb_what what = r->threads->what;
	hb_point points[] = {hb__call_point(c, r, "is called by one thread"),
		hb__other_point(r, r->threads->made, r->threads->madefn, "has another thread inside")};
	if (what == HB_WHAT_FINALIZE) {
		hb_point point = hb__call_point(c, r, "comes from another thread");
		return hb__finding(c, HB_THREAD_FINALIZE, false,
			"Join the other threads, and call MPI_Finalize from the thread that called MPI_Init_thread.",
			&point, 1, err, "rank %s calls %s from another thread than the one that initialized MPI",
			hb__named_of(c, r), fn);
	}
	if (what == HB_WHAT_REQUEST)
		return hb__finding(c, HB_THREAD_REQUEST, false, "Let one thread complete a request.", points, 2, err,
			"rank %s: two threads complete one request at once, by %s and %s", hb__named_of(c, r), made,
			fn);
	return hb__finding(c, HB_THREAD_COLLECTIVE, false,
		"Give each thread a communicator of its own (MPI_Comm_dup), or let one call after the other.", points,
		2, err, "rank %s: two threads are in collectives of one communicator at once, %s and %s",
		hb__named_of(c, r), made, fn);
}

/* A library that ends the process inside a call leaves by exit, too: then the call has not returned. */
static bool inside(const hb_case *c, uint32_t process)
{
	const hb_model *model = c->model;
	const hb_process *p = &hb_model_processes(model)[process];
	for (size_t i = 0; i < c->remarks->n; i++)
		if (c->remarks->at[i].word == HB_REMARK_LEFT_INSIDE && c->remarks->at[i].process == process)
			return true;
	for (uint32_t i = 0; i < p->nlines; i++)
		if (hb_model_lines(model)[p->first_line + i].inside)
			return true;
	return false;
}

hb_status hb__processes_left(hb_case *c, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	for (uint32_t i = 0; i < info->processes; i++) {
		const hb_process *p = &hb_model_processes(c->model)[i];
		bool mpi = p->log && hb_log_get_info(p->log)->library;
		if (!mpi || p->ending != HB_ENDING_LEFT || p->cut || !p->nlines || inside(c, i))
			continue;
		hb_point point = {.process = i,
			.at = {p->first_line, hb_model_lines(c->model)[p->first_line].events},
			.role = "is its last MPI call"};
		if (!point.at.event)
			point.at.line = HB_NO;
		hb_status status = hb__finding(c, HB_FINALIZE_MISSING, false,
			"Call MPI_Finalize on every way out of the program, or MPI_Abort if it cannot go on.", &point,
			1, err, "rank %s leaves without MPI_Finalize", p->name);
		if (status)
			return status;
	}
	return HB_OK;
}
