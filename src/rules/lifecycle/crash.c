/* Processes that a signal ended. Why the others were ended, or wait, often starts there. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "rules/finding.h"

static const char *meaning(int64_t sig)
{
	switch (sig) {
	case SIGSEGV:
		return "SIGSEGV, access to memory that it does not have";
	case SIGBUS:
		return "SIGBUS, access to memory that cannot be reached";
	case SIGFPE:
		return "SIGFPE, an arithmetic error such as a division by zero";
	case SIGILL:
		return "SIGILL, an invalid instruction";
	case SIGABRT:
		return "SIGABRT, it called abort, as a failed assertion does";
	case SIGSYS:
		return "SIGSYS, a system call that is not allowed";
	default:
		return "it does not say why";
	}
}

/* Name of the last call, and whether the thread was inside. */
static const char *last_call(const hb_case *c, const hb_point *p, bool *ret_inside)
{
	const hb_line *line = &hb_model_lines(c->model)[p->at.line];
	hb_log *log = hb_model_processes(c->model)[p->process].log;
	const hb_function *f = NULL;
	hb_events *events;
	hb_event event;
	*ret_inside = line->inside;
	uint32_t from = line->inside ? line->events - 1 : line->events;
	if (!log || hb_events_open_at(log, line->lane, from ? from : 1, &events, NULL))
		return NULL;
	int more;
	while ((more = hb_events_next(events, &event, NULL)) > 0)
		f = event.function;
	if (!more && line->inside && hb_events_inside(events, &event) > 0)
		f = event.function;
	hb_events_close(events);
	return f ? f->name : NULL; /* the log keeps it */
}

static hb_status report(hb_case *c, const hb_remark *r, hb_error *err)
{
	const hb_process *process = &hb_model_processes(c->model)[r->process];
	int64_t lane = r->crash->lane, sig = r->crash->signal;
	hb_point point = {.process = r->process, .at = {HB_NO, 0}};
	const char *call = NULL;
	bool inside = false;
	uint32_t line = process->first_line + (lane > 0 ? (uint32_t)lane : 0);
	if (lane < (int64_t)process->nlines && process->nlines && hb_model_lines(c->model)[line].events) {
		point.at = (hb_at){line, hb_model_lines(c->model)[line].events};
		call = last_call(c, &point, &inside);
	}
	snprintf(point.role, sizeof point.role, "%s",
		lane < 0 ? "its last call; another thread got the signal"
		: inside ? "it died in this call"
			 : "its last call before it died");
	return hb__finding(c, HB_CRASH, false,
		"Look at the process where it died: replay the run with hbdb debug, which stops there and shows stack and variables.",
		&point, 1, err, "%s%s was killed by signal %d (%s)%s%s", hb_rank_word(process->name), process->name,
		(int)sig, meaning(sig),
		!call    ? ""
		: inside ? " inside "
			 : " after ",
		call ? call : "");
}

hb_status hb_rule_crash(hb_case *c, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; i < c->remarks->n && !status; i++)
		if (c->remarks->at[i].word == HB_REMARK_CRASH)
			status = report(c, &c->remarks->at[i], err);
	return status;
}
