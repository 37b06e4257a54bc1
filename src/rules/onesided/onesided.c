/* Epochs and accesses of windows: what the recorder saw of one process, and what only all together tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/onesided/onesided.h"

hb_status hb__onesided_no_memory(hb_error *err)
{
	if (err) {
		*err = (hb_error){.status = HB_E_MEMORY};
		snprintf(err->message, sizeof err->message, "out of memory");
	}
	return HB_E_MEMORY;
}

/* ---- what the recorder saw ---- */

static hb_finding_id id_of(enum hb_misuse error)
{
	static const hb_finding_id ids[] = {[HB_MISUSE_OTHER] = HB_FINDINGS,
		[HB_MISUSE_NONE] = HB_RMA_EPOCH_NONE,
		[HB_MISUSE_OPEN] = HB_RMA_EPOCH_OPEN,
		[HB_MISUSE_TWICE] = HB_RMA_EPOCH_TWICE,
		[HB_MISUSE_MIXED] = HB_RMA_EPOCH_TWICE,
		[HB_MISUSE_END] = HB_RMA_EPOCH_END,
		[HB_MISUSE_ASSERT] = HB_RMA_EPOCH_END,
		[HB_MISUSE_RANGE] = HB_RMA_RANGE,
		[HB_MISUSE_TYPE] = HB_RMA_TYPE,
		[HB_MISUSE_MEMORY] = HB_RMA_MEMORY};
	return error < sizeof ids / sizeof *ids ? ids[error] : HB_FINDINGS;
}

static const char *advice_of(hb_finding_id id)
{
	switch (id) {
	case HB_RMA_EPOCH_NONE:
		return "Begin an epoch first: with MPI_Win_fence on all processes of the window, MPI_Win_start (the target calls MPI_Win_post), or MPI_Win_lock.";
	case HB_RMA_EPOCH_OPEN:
		return "Add the call that ends the epoch.";
	case HB_RMA_EPOCH_TWICE:
		return "End the epoch before the next one begins.";
	case HB_RMA_EPOCH_END:
		return "Each call that ends an epoch needs the one that begins it, on the same window and rank.";
	case HB_RMA_MEMORY:
		return "Call MPI_Win_free first: until then any process of the window may use this memory.";
	case HB_RMA_RANGE:
		return "Check the displacement (it is counted in the target's displacement unit) and the count.";
	case HB_RMA_TYPE:
		return "Give the same basic datatypes and the same number of elements for origin and target.";
	case HB_RMA_LOCAL:
		return "Complete the access first: MPI_Win_flush_local, MPI_Wait on its request, or the end of the epoch.";
	default:
		return NULL;
	}
}

const char *hb__window_named(const hb_case *c, uint32_t process, int64_t number, char ret[HB__NAMED])
{
	const hb_log *log = hb_model_processes(c->model)[process].log;
	const char *given = log && number >= 0 ? hb_log_name(log, HB_NAMED_WIN, number) : NULL;
	snprintf(ret, HB__NAMED, given ? " \"%s\"" : "", given);
	return ret;
}

/* The place of the remark, and the earlier one that it names. */
static uint32_t places(const hb_remark *r, uint32_t made, hb_point *ret)
{
	uint32_t n = 1;
	memset(ret, 0, 2 * sizeof *ret);
	ret[0] = hb__point_of_call(r);
	if (made) {
		ret[n] = (hb_point){.process = r->process, .at = {HB_NO, 0}, .site = made};
		snprintf(ret[n].role, sizeof ret[n].role, "%s",
			r->word == HB_REMARK_EPOCH ? "began the epoch" : "the access");
		n++;
	}
	return n;
}

static hb_status seen(hb_case *c, const hb_remark *r, hb_error *err)
{
	hb_point point[3];
	hb_finding_id id = HB_RMA_LOCAL;
	if (r->word == HB_REMARK_EPOCH)
		id = id_of(r->misuse->error);
	if (id == HB_FINDINGS)
		return HB_OK;
	uint32_t n = places(r, r->misuse->made, point);
	const char *text = r->misuse->text;
	/* libraries let it pass, and conformance tests of theirs rest on that */
	bool mixed = r->word == HB_REMARK_EPOCH && r->misuse->error == HB_MISUSE_MIXED;
	if (id == HB_RMA_MEMORY)
		snprintf(point[1].role, sizeof point[1].role, "made the window");
	if (id == HB_RMA_MEMORY && n == 2 && r->misuse->by > 0) {
		point[n] = (hb_point){
			.process = r->process, .at = {HB_NO, 0}, .site = r->misuse->by, .role = "freed its memory"};
		n++;
	}
	if (mixed)
		snprintf(point[1].role, sizeof point[1].role, "locked in between");
	int64_t target = r->misuse->target;
	char to[40] = "", named[HB__NAMED];
	if (id == HB_RMA_TYPE || id == HB_RMA_RANGE || id == HB_RMA_EPOCH_NONE)
		snprintf(to, sizeof to, target >= 0 ? " to rank %lld" : "", (long long)target);
	hb__window_named(c, r->process, r->misuse->win, named);
	return hb__finding(c, id, mixed,
		mixed ? "Give the fence before the lock MPI_MODE_NOSUCCEED, or the one after it MPI_MODE_NOPRECEDE (at all processes)."
		      : advice_of(id),
		point, n, err, "%s of rank %s%s%s%s: %s", point[0].function,
		hb_model_processes(c->model)[r->process].name, to, *named ? ", window" : "", named, text);
}

/* The program itself used the buffer of a pending access. */
static hb_status touched(hb_case *c, const hb_remark *r, hb_error *err)
{
	bool fills = r->touch->w;
	int64_t target = r->touch->target;
	hb_point point[2];
	uint32_t n = places(r, r->touch->made, point);
	point[0].site = r->touch->by;
	snprintf(point[0].role, sizeof point[0].role, "before %.60s", point[0].function);
	snprintf(point[0].function, sizeof point[0].function, fills ? "a load or store" : "a store");
	return hb__finding(c, HB_RMA_LOCAL, false, advice_of(HB_RMA_LOCAL), point, n, err,
		"rank %s %s the buffer that its access to rank %lld %s before anything has completed that access",
		hb_model_processes(c->model)[r->process].name, fills ? "uses" : "stores to", (long long)target,
		fills ? "fills" : "reads");
}

/* ---- all ---- */

static bool open_all(struct hb__onesided *o)
{
	uint32_t n = hb_model_get_info(o->c->model)->processes;
	o->part = calloc(n + 1, sizeof *o->part);
	o->nparts = calloc(n + 1, sizeof *o->nparts);
	return o->part && o->nparts;
}

static void close_all(struct hb__onesided *o)
{
	uint32_t n = hb_model_get_info(o->c->model)->processes;
	for (uint32_t i = 0; i < n && o->part; i++)
		free(o->part[i]);
	free(o->part);
	free(o->nparts);
	free(o->access);
	free(o->pool);
}

hb_status hb_rule_onesided(hb_case *c, hb_error *err)
{
	struct hb__onesided o = {.c = c, .err = err};
	hb_status status = HB_OK;
	bool windows = false;
	for (size_t i = 0; i < c->remarks->n && !status; i++) {
		enum hb_remark_word word = c->remarks->at[i].word;
		windows |= word == HB_REMARK_WINDOW;
		if (word == HB_REMARK_EPOCH || word == HB_REMARK_RMALOCAL)
			status = seen(c, &c->remarks->at[i], err);
		else if (word == HB_REMARK_TOUCHED && c->remarks->at[i].touch->rma > 0)
			status = touched(c, &c->remarks->at[i], err);
	}
	if (!windows || status)
		return status;
	status = open_all(&o) ? hb__onesided_gather(&o) : hb__onesided_no_memory(err);
	if (!status && !o.no_memory)
		status = hb__onesided_fences(&o);
	if (!status && !o.no_memory)
		status = hb__onesided_conflicts(&o);
	close_all(&o);
	return status ? status : o.no_memory ? hb__onesided_no_memory(err) : HB_OK;
}
