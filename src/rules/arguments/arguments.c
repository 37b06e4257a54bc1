/* Arguments that the standard calls erroneous, as the recorder saw them, and calls that failed for another reason. */
#include <stdio.h>
#include <string.h>

#include "rules/finding.h"

static const struct rule {
	bool mine;
	hb_finding_id id;
	const char *advice;
} rules[HB_REMARKS] = {
	[HB_REMARK_ARG_BUFFER] = {true, HB_ARG_BUFFER,
		"Give the address of the data, or a count of 0 if there is no data."},
	[HB_REMARK_ARG_ALIAS] = {true, HB_ARG_ALIAS,
		"Use separate buffers, or MPI_IN_PLACE where the collective allows it."},
	[HB_REMARK_ARG_COUNT] = {true, HB_ARG_COUNT,
		"Find out where the number comes from: for example from a loop, or from an overflow of int."},
	[HB_REMARK_ARG_RANK] = {true, HB_ARG_RANK,
		"Give a rank of the communicator of this call, or MPI_PROC_NULL where there is no neighbour."},
	[HB_REMARK_ARG_ROOT] = {true, HB_ARG_ROOT, "Give a rank of the communicator of this call as the root."},
	[HB_REMARK_ARG_TAG] = {true, HB_ARG_TAG, "Use a tag between 0 and MPI_TAG_UB, which is at least 32767."},
	[HB_REMARK_ARG_COMM] = {true, HB_ARG_COMM, NULL},
	[HB_REMARK_ARG_TYPE] = {true, HB_ARG_TYPE, NULL},
	[HB_REMARK_ARG_UNCOMMITTED] = {true, HB_ARG_UNCOMMITTED,
		"Call MPI_Type_commit once after the datatype has been made."},
	[HB_REMARK_ARG_OP] = {true, HB_ARG_OP, NULL},
	[HB_REMARK_ARG_HANDLE] = {true, HB_ARG_HANDLE, NULL},
	[HB_REMARK_ARG_POINTER] = {true, HB_ARG_POINTER, NULL},
	[HB_REMARK_ARG_VALUE] = {true, HB_ARG_VALUE, NULL},
};

static hb_finding_id by_handle(enum hb_what what)
{
	return what == HB_WHAT_COMM       ? HB_ARG_COMM
	       : what == HB_WHAT_DATATYPE ? HB_ARG_TYPE
	       : what == HB_WHAT_OP       ? HB_ARG_OP
	       : what == HB_WHAT_REQUEST  ? HB_ARG_REQUEST
	       : what == HB_WHAT_WIN      ? HB_ARG_WIN
					  : HB_ARG_HANDLE;
}

/* What is no number and no name stands for itself: the text tells. */
static bool told(const char *value) { return *value && (*value < 'a' || *value > 'z'); }

static hb_status argument(hb_case *c, const hb_remark *r, hb_error *err)
{
	const struct rule *rule = &rules[r->word];
	hb_point point = hb__point_of_event(r);
	hb_finding_id id = rule->id;
	const char *rank = hb_model_processes(c->model)[r->process].name;
	const char *arg = r->argument->arg;
	const char *value = r->argument->value;
	const char *text = r->argument->text;
	if (r->word == HB_REMARK_ARG_HANDLE) {
		id = by_handle(r->argument->what);
		if (hb__found_here(c, r->process, point.at, point.site))
			return HB_OK; /* freed before: said with where */
	}
	const hb_log *log = hb_model_processes(c->model)[r->process].log;
	int64_t type = r->argument->type;
	const char *name = log && type > 0 ? hb_log_name(log, HB_NAMED_TYPE, type) : NULL;
	if (name)
		snprintf(point.role, sizeof point.role, "%s \"%.80s\"", arg, name);
	else
		snprintf(point.role, sizeof point.role, "%s%s%s", arg, told(value) ? " = " : "",
			told(value) ? value : "");
	return hb__finding(c, id, false, rule->advice, &point, 1, err, "rank %s calls %s with %s%s, but %s", rank,
		point.function, told(value) ? "" : "the argument ", point.role, text);
}

/* A file that is not there is an answer, not an error of the program; what another finding names is said there. */
static hb_status failed(hb_case *c, const hb_remark *r, hb_error *err)
{
	hb_point point = hb__point_of_event(r);
	if (r->failed->answer || hb__found_here(c, r->process, point.at, point.site))
		return HB_OK;
	const char *name = r->failed->value;
	const char *text = r->failed->text;
	bool fatal = r->failed->fatal;
	snprintf(point.role, sizeof point.role, "%s %s", fatal ? "ends the process with" : "returns", name);
	return hb__finding(c, HB_CALL_FAILED, false, NULL, &point, 1, err, "rank %s: %s %s: %s",
		hb_model_processes(c->model)[r->process].name, point.function, point.role, text);
}

hb_status hb_rule_arguments(hb_case *c, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; !status && i < c->remarks->n; i++)
		if (rules[c->remarks->at[i].word].mine)
			status = argument(c, &c->remarks->at[i], err);
	for (size_t i = 0; !status && i < c->remarks->n; i++)
		if (c->remarks->at[i].word == HB_REMARK_CALL_FAILED)
			status = failed(c, &c->remarks->at[i], err);
	return status;
}
