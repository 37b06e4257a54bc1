/* The way of every call through the checks, and how a remark is written. */
#include "capture/check/check.h"

#include <stdarg.h>

#include "capture/control/control.h"
#include "mpi_ids.h"

bool hb__checking;

static const char *const words[] = {
#define HB_REMARK(name, word, keys) word,
#include "format/remark.def"
#undef HB_REMARK
};

/* The call's own event is in the log already: a remark that comes now is about the event before. */
static __thread bool late __attribute__((tls_model("initial-exec")));

uint32_t hb__check_site(const struct hb__call *c) { return hb__define_site(hb__site_of(c->pc, c->cfa)); }

void hb__remark(struct hb__call *c, enum hb_remark_word word, const char *format, ...)
{
	char line[1000];
	bool event = c->fn->flags & HB_EVENT;
	int n = snprintf(line, sizeof line, HB_REMARK_BEGIN "%s%s fn=%s%s site=%u ", words[word],
		late && event ? " late=1" : "", c->fn->name, event && !(c->fn->flags & HB_POLL) ? "" : " event=0",
		hb__check_site(c));
	va_list args;
	va_start(args, format);
	vsnprintf(line + n, sizeof line - (size_t)n, format, args);
	va_end(args);
	hb__row_lane_note(c->lane, line);
}

void hb__check_begin_process(void)
{
	hb__check_threads_begin();
	hb__row_note(hb__guard_works() ? HB_REMARK_BEGIN "on guard=1" : HB_REMARK_BEGIN "on guard=0");
	hb__fatal_begin();
	if (!hb__controlled) /* a session is told of signals itself */
		hb__crash_start();
}

void hb__check_enter(struct hb__call *c)
{
	hb__guard_look(
		c->lane->nested ? NULL : c); /* in a callback: the library was at work since the call around it */
	hb__check_threads_enter(c);
	if (unlikely(c->fn->id == HB_FN_MPI_Init || c->fn->id == HB_FN_MPI_Init_thread))
		hb__remark(c, HB_REMARK_INIT_AGAIN, "%s", "");
	hb__check_arguments(c);
	hb__check_handles_enter(c);
	hb__check_buffers_enter(c);
	hb__check_windows_enter(c);
	hb__check_files_enter(c);
	hb__check_given(c);
	hb__check_waits(c);
	if (c->fn->id == HB_FN_MPI_Finalize)
		hb__check_finalize(c);
}

void hb__check_leave(struct hb__call *c, int code)
{
	late = true;
	hb__check_arguments_leave(c, code);
	hb__check_handles_leave(c, code);
	hb__check_buffers_leave(c, code);
	hb__check_windows_leave(c, code);
	hb__check_files_leave(c, code);
	late = false;
	hb__check_threads_leave(c);
	hb__guard_look(NULL);
}
