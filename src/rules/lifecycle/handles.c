/* Handles used after their end, ended that may not be, and never ended. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/meaning.h"
#include "rules/lifecycle/parts.h"

hb_status hb__told_freed(hb_case *c, const hb_remark *r, hb_error *err)
{
	enum hb_what what = r->freed->what;
	const char *fn = r->call->fn;
	const char *by = r->freed->freedfn;
	const char *arg = r->freed->arg;
	bool request = what == HB_WHAT_REQUEST,
	     freed = !request || hb_meaning_of(by, HB_SPECIAL)->does == HB_DOES_FREE_REQUEST;
	hb_point points[] = {hb__call_point(c, r, "uses it"),
		hb__other_point(r, r->freed->freed, r->freed->freedfn, freed ? "freed it" : "completed it"),
		hb__other_point(r, r->freed->made, r->freed->madefn, "made it")};
	const char *advice =
		request ? "Give each call the variable that holds the request: completion sets it to MPI_REQUEST_NULL, and copies of it are invalid from then on."
			: "Free it after its last use; when a handle is freed, all copies of it become invalid.";
	if (r->freed->again)
		return hb__finding(c, HB_HANDLE_FREED, false,
			"Free it once, with the variable that the constructor set.", points, 3, err,
			"rank %s frees %s twice: %s has freed it before", hb__named_of(c, r), hb__what_text(what), by);
	return hb__finding(c, HB_HANDLE_FREED, false, advice, points, 3, err,
		"rank %s passes %s (%s) to %s that %s has %s before", hb__named_of(c, r), hb__what_text(what), arg, fn,
		by, freed ? "freed" : "completed");
}

hb_status hb__told_predefined(hb_case *c, const hb_remark *r, hb_error *err)
{
	enum hb_what what = r->freed->what;
	const char *fn = r->call->fn;
	const char *text = hb__what_text(what);
	hb_point point = hb__call_point(c, r, "frees it");
	return hb__finding(c, HB_HANDLE_PREDEFINED, false, "Free only handles that the program has made.", &point, 1,
		err, "rank %s frees a predefined %s with %s", hb__named_of(c, r), strchr(text, ' ') + 1, fn);
}

/* ---- leaks ---- */

struct leak {
	enum hb_what what;
	hb_finding_id id;
	const char *advice;
};
static const struct leak leaks[] = {
	{HB_WHAT_COMM, HB_LEAK_COMM, "Call MPI_Comm_free before MPI_Finalize."},
	{HB_WHAT_DATATYPE, HB_LEAK_DATATYPE, "Call MPI_Type_free before MPI_Finalize."},
	{HB_WHAT_GROUP, HB_LEAK_GROUP, "Call MPI_Group_free before MPI_Finalize."},
	{HB_WHAT_OP, HB_LEAK_OP, "Call MPI_Op_free before MPI_Finalize."},
	{HB_WHAT_WIN, HB_LEAK_WIN, "Call MPI_Win_free before MPI_Finalize."},
	{HB_WHAT_FILE, HB_LEAK_FILE, "Call MPI_File_close before MPI_Finalize."},
	{HB_WHAT_INFO, HB_LEAK_OTHER, "Call MPI_Info_free before MPI_Finalize."},
	{HB_WHAT_MESSAGE, HB_LEAK_MESSAGE, "Receive it with MPI_Mrecv or MPI_Imrecv."},
	{HB_WHAT_ERRHANDLER, HB_LEAK_MINOR, "Call MPI_Errhandler_free before MPI_Finalize."},
	{HB_WHAT_KEYVAL, HB_LEAK_MINOR, "Call the function that frees its key before MPI_Finalize."},
};

/* Requests that are active, and that no other finding is about. */
static hb_status left_active(hb_case *c, const hb_remark *r, const char *many, hb_error *err)
{
	const char *fn = r->leak->madefn;
	bool over = r->leak->over > 0, cancelled = r->leak->cancelled;
	hb_point points[4] = {hb__other_point(r, r->leak->made, r->leak->madefn, "made it"),
		hb__call_point(c, r, "it is still there")};
	uint32_t n = 2;
	if (cancelled) {
		points[n] = hb__other_point(r, r->leak->cancel, "", "cancels it");
		snprintf(points[n++].function, sizeof points->function, "MPI_Cancel");
	}
	if (over)
		points[n++] = hb__other_point(r, r->leak->over, "", "overwrites its handle");
	const char *advice =
		cancelled
			? "MPI_Cancel only asks for the cancellation: complete the request with MPI_Wait or MPI_Test all the same; MPI_Test_cancelled then "
			  "says whether it was cancelled."
		: over ? "The variable of the request was overwritten: keep each request until it is completed (MPI_Wait, MPI_Waitall)."
		       : "Complete it (MPI_Wait, MPI_Test, MPI_Waitall) before MPI_Finalize.";
	if (!(hb_meaning_of(fn, HB_SPECIAL)->flags & HB_PERSISTENT))
		return hb__finding(c, HB_LEAK_REQUEST, false, advice, points, n, err,
			cancelled ? "rank %s cancels the request of %s, but never completes it%s"
				  : "rank %s never completes the request of %s%s",
			hb__named_of(c, r), fn, many);
	return hb__finding(c, HB_FINALIZE_PENDING, false,
		cancelled ? advice
			  : "Complete the started request (MPI_Wait, MPI_Waitall) before MPI_Finalize, then free it.",
		points, n, err, "rank %s calls MPI_Finalize while the request of %s is active: it was started and %s%s",
		hb__named_of(c, r), fn, cancelled ? "cancelled (MPI_Cancel), but not completed" : "not completed",
		many);
}

static hb_status leaked_request(hb_case *c, const hb_remark *r, hb_error *err)
{
	char many[40] = "";
	const char *fn = r->leak->madefn;
	int64_t count = r->leak->count;
	bool active = r->leak->active, over = r->leak->over > 0;
	uint64_t told = hb__waiting_told(c, r->process, r->leak->made);
	if (active && !over && !r->leak->cancelled && told) { /* that nothing is sent to it says more */
		count -= (int64_t)told;
		if (count <= 0)
			return HB_OK;
	}
	if (count > 1)
		snprintf(many, sizeof many, ", %" PRId64 " times", count);
	if (active)
		return left_active(c, r, many, err);
	hb_point points[] = {hb__other_point(r, r->leak->made, r->leak->madefn, "made it"),
		hb__call_point(c, r, "it is still there"),
		hb__other_point(r, r->leak->over, "", "overwrites its handle")};
	return hb__finding(c, HB_LEAK_PERSISTENT, false,
		"Call MPI_Request_free when the request is not started any more.", points, over ? 3 : 2, err,
		"rank %s never frees the persistent request of %s%s", hb__named_of(c, r), fn, many);
}

/* What MPI 4 allows to be freed after MPI_Finalize is no leak when it was. */
static int64_t freed_late(const hb_case *c, const hb_remark *leak)
{
	int64_t n = 0;
	for (size_t i = 0; i < c->remarks->n; i++) {
		const hb_remark *r = &c->remarks->at[i];
		n += r->word == HB_REMARK_FREED_LATE && r->process == leak->process &&
		     r->late->what == leak->leak->what && r->late->made == leak->leak->made;
	}
	return n;
}

/* ' "ocean"', the name that the program gave one of them; "" when there is none. */
static const char *named(const hb_case *c, const hb_remark *r, char ret[120])
{
	const hb_log *log = hb_model_processes(c->model)[r->process].log;
	const struct hb_remark_leak *l = r->leak;
	hb_named kind = l->what == HB_WHAT_COMM       ? HB_NAMED_COMM
			: l->what == HB_WHAT_DATATYPE ? HB_NAMED_TYPE
						      : HB_NAMED_WIN;
	*ret = 0;
	for (uint32_t i = 0; log && i < l->numbers.n && !*ret; i++) {
		const char *name = hb_log_name(log, kind, l->numbers.at[i]);
		if (name)
			snprintf(ret, 120, " \"%.100s\"%s", name, l->count > 1 ? ", for example," : "");
	}
	return ret;
}

hb_status hb__told_leak(hb_case *c, const hb_remark *r, hb_error *err)
{
	if (r->leak->what == HB_WHAT_REQUEST)
		return leaked_request(c, r, err);
	char name[120];
	const char *fn = r->leak->madefn;
	int64_t count = r->leak->count;
	for (unsigned i = 0; i < sizeof leaks / sizeof *leaks; i++) {
		const struct leak *l = &leaks[i];
		if (r->leak->what != l->what)
			continue;
		count -= freed_late(c, r);
		if (count <= 0)
			return HB_OK;
		hb_point points[] = {hb__other_point(r, r->leak->made, r->leak->madefn, "made it"),
			hb__call_point(c, r, "it is still there")};
		bool message = l->id == HB_LEAK_MESSAGE;
		char many[40] = "";
		if (count > 1)
			snprintf(many, sizeof many, ", %" PRId64 " times", count);
		return hb__finding(c, l->id, false, l->advice, points, 2, err,
			message ? "rank %s never receives %s%s that %s took%s"
				: "rank %s never frees %s%s that %s made%s",
			hb__named_of(c, r), hb__what_text(l->what), named(c, r, name), fn, many);
	}
	return HB_OK;
}
