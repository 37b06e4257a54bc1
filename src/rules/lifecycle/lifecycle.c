/* Handles, requests and buffers from their making to their end: what the recorder remarked, as findings. */
#include <string.h>

#include "rules/lifecycle/parts.h"

#define FUNCTIONS 2048 /* more than MPI has */

/* Some calls of windows and files are no events, either: their place is the call site. */
static bool is_event(const hb_case *c, uint32_t process, const char *name)
{
	const hb_log *log = hb_model_processes(c->model)[process].log;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && f->name && !strcmp(f->name, name))
			return f->cls != HB_LOCAL && f->cls != HB_RMA && f->cls != HB_IO;
	}
	return false;
}

static void text_into(char *to, size_t size, const char *text)
{
	size_t n = strlen(text);
	n = n < size ? n : size - 1;
	memcpy(to, text, n);
	to[n] = 0;
}

hb_point hb__call_point(const hb_case *c, const hb_remark *r, const char *role)
{
	hb_point p = hb__point_of_call(r);
	text_into(p.role, sizeof p.role, role);
	if (is_event(c, r->process, p.function))
		p.at = r->at;
	return p;
}

hb_point hb__other_point(const hb_remark *r, uint32_t site, const char *fn, const char *role)
{
	hb_point p = {.process = r->process, .at = {HB_NO, 0}, .site = site};
	text_into(p.function, sizeof p.function, fn);
	text_into(p.role, sizeof p.role, role);
	return p;
}

const char *hb__what_text(enum hb_what what)
{
	static const char *const texts[] = {[HB_WHAT_COMM] = "a communicator",
		[HB_WHAT_OP] = "an operation",
		[HB_WHAT_WIN] = "a window",
		[HB_WHAT_INFO] = "an info object",
		[HB_WHAT_ERRHANDLER] = "an error handler",
		[HB_WHAT_KEYVAL] = "an attribute key",
		[HB_WHAT_MESSAGE] = "a matched message",
		[HB_WHAT_DATATYPE] = "a datatype",
		[HB_WHAT_GROUP] = "a group",
		[HB_WHAT_FILE] = "a file",
		[HB_WHAT_REQUEST] = "a request",
		[HB_WHAT_SESSION] = "a session"};
	return what < sizeof texts / sizeof *texts && texts[what] ? texts[what] : "a handle";
}

hb_status hb_rule_lifecycle(hb_case *c, hb_error *err)
{
	static hb_remark_rule *const rules[HB_REMARKS] = {
		[HB_REMARK_FREED] = hb__told_freed,
		[HB_REMARK_PREDEFINED] = hb__told_predefined,
		[HB_REMARK_LEAK] = hb__told_leak,
		[HB_REMARK_UNSTARTED] = hb__told_unstarted,
		[HB_REMARK_START_ACTIVE] = hb__told_start,
		[HB_REMARK_START_OTHER] = hb__told_start,
		[HB_REMARK_FREE_ACTIVE] = hb__told_free_active,
		[HB_REMARK_FREE_RECEIVE] = hb__told_free_receive,
		[HB_REMARK_CANCEL] = hb__told_cancel,
		[HB_REMARK_OVERLAP] = hb__told_overlap,
		[HB_REMARK_WRITTEN] = hb__told_written,
		[HB_REMARK_TOUCHED] = hb__told_touched,
		[HB_REMARK_BUFFER_SMALL] = hb__told_small,
		[HB_REMARK_BUFFER_FREED] = hb__told_buffer_freed,
		[HB_REMARK_OUTSIDE] = hb__told_outside,
		[HB_REMARK_INIT_AGAIN] = hb__told_init_again,
		[HB_REMARK_THREAD] = hb__told_thread,
		[HB_REMARK_THREADS] = hb__told_threads,
	};
	for (size_t i = 0; i < c->remarks->n; i++) {
		const hb_remark *r = &c->remarks->at[i];
		hb_status status = rules[r->word] ? rules[r->word](c, r, err) : HB_OK;
		if (status)
			return status;
	}
	return hb__processes_left(c, err);
}
