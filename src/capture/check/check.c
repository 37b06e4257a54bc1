/* The way of every call through the checks, and how a remark is written. */
#include "capture/check/check.h"

#include <stdarg.h>
#include <string.h>

#include "capture/check/handles/handles.h"
#include "capture/control/control.h"
#include "capture/mpi/family.h"
#include "mpi_ids.h"

bool hb__checking;

static const char *const words[] = {
#define HB_REMARK(name, word, keys) word,
#include "format/remark.def"
#undef HB_REMARK
};

/* The call's own event is in the log already: a remark that comes now is about the event before. */
static __thread bool late __attribute__((tls_model("initial-exec")));

static uint32_t written; /* remarks */

uint32_t hb__check_site(const struct hb__call *c) { return hb__define_site(hb__site_of(c->pc, c->cfa)); }

void hb__remark(struct hb__call *c, enum hb_remark_word word, const char *format, ...)
{
	char line[1000];
	written++;
	bool event = c->fn->flags & HB_EVENT;
	int n = snprintf(line, sizeof line, HB_REMARK_BEGIN "%s%s fn=%s%s site=%u ", words[word],
		late && event ? " late=1" : "", c->fn->name, event && !(c->fn->flags & HB_POLL) ? "" : " event=0",
		hb__check_site(c));
	va_list args;
	va_start(args, format);
	vsnprintf(line + n, sizeof line - (size_t)n, format, args);
	va_end(args);
	hb__row_lane_note(c->lane, line);
	if (word >= HB_REMARK_ARG_BUFFER &&
		word <= HB_REMARK_ARG_VALUE) /* who watches the job tells it while it runs */
		__atomic_fetch_add(&c->lane->control->faults, 1, __ATOMIC_RELEASE);
}

void hb__remark_like(struct hb__lane *lane, const char *note)
{
	written++;
	hb__row_lane_note(lane, note);
}

void hb__check_begin_process(void)
{
	hb__check_threads_begin();
	hb__memory_that_stays();
	char note[400];
	const char *why = hb__blocks_begin();
	snprintf(note, sizeof note, HB_REMARK_BEGIN "on guard=%d heap=%d%s%s", hb__guard_works(), !why,
		why ? " text=" : "", why ? why : "");
	hb__row_note(note);
	hb__fatal_begin();
	if (!hb__controlled) /* a session is told of signals itself */
		hb__crash_start();
}

/* ---- polls ---- */

/* What a program polls for it asks thousands of times. Where nothing has happened since the last time, and nothing was found
 * then, nothing can be found now. */
#define ARGUMENTS 8
static struct {
	const struct hb__lane *lane; /* NULL: the last call was no poll */
	const struct hb__fn *fn;
	const void *pc, *cfa;
	uintptr_t a[ARGUMENTS];
	MPI_Request request;
	uint64_t epoch, events;
	uint32_t turn, written;
} asked;

static MPI_Request request_of(const struct hb__call *c)
{
	const MPI_Request *at = hb__has(c, HB_R_REQUEST) ? (const MPI_Request *)hb__arg(c, HB_R_REQUEST) : NULL;
	return at ? *at : hb__known.request_null;
}

static bool asks_again(const struct hb__call *c)
{
	if (asked.lane != c->lane || asked.fn != c->fn || asked.pc != c->pc || asked.cfa != c->cfa ||
		asked.epoch != hb__epoch || asked.events != c->lane->control->events ||
		asked.turn != hb__requests_turn || asked.written != written || hb__windows_alive)
		return false;
	for (unsigned i = 0; i < c->fn->nargs; i++)
		if (asked.a[i] != c->a[i])
			return false;
	return asked.request == request_of(c);
}

static bool poll_again(const struct hb__call *c)
{
	bool one = c->fn->id == HB_FN_MPI_Test || c->fn->id == HB_FN_MPI_Iprobe || c->fn->id == HB_FN_MPI_Improbe ||
		   c->fn->id == HB_FN_MPI_Request_get_status;
	if (likely(!one) || hb__threaded || c->lane->nested || c->fn->nargs > ARGUMENTS) {
		asked.lane = NULL;
		return false;
	}
	if (likely(asks_again(c)))
		return true;
	asked.lane = c->lane;
	asked.fn = c->fn;
	asked.pc = c->pc;
	asked.cfa = c->cfa;
	memcpy(asked.a, c->a, c->fn->nargs * sizeof *c->a);
	asked.request = request_of(c);
	asked.epoch = hb__epoch;
	asked.events = c->lane->control->events;
	asked.turn = hb__requests_turn;
	asked.written = written;
	return false;
}

/* ---- the way of a call ---- */

void hb__check_enter(struct hb__call *c)
{
	c->again = poll_again(c);
	c->watched = hb__guard_any();
	if (unlikely(c->watched))
		c->again ? hb__guard_asks(c) : hb__guard_entered(c);
	hb__check_threads_enter(c);
	hb__check_together_enter(c);
	if (c->again) {
		hb__check_arguments_again(c);
		hb__between_enter(c);
		hb__mapped_forget();
		return;
	}
	if (unlikely(c->fn->id == HB_FN_MPI_Init || c->fn->id == HB_FN_MPI_Init_thread))
		hb__remark(c, HB_REMARK_INIT_AGAIN, "%s", "");
	hb__check_arguments(c);
	hb__check_handles_enter(c);
	hb__check_buffers_enter(c);
	hb__check_windows_enter(c);
	hb__check_files_enter(c);
	hb__check_given(c);
	hb__check_declared(c);
	hb__check_waits(c);
	if (c->fn->id == HB_FN_MPI_Finalize)
		hb__check_finalize(c);
}

void hb__check_leave(struct hb__call *c, int code)
{
	const int *flag = c->again ? (const int *)hb__arg(c, HB_R_FLAG) : NULL;
	late = true;
	hb__check_arguments_leave(c, code);
	if (flag && code == MPI_SUCCESS && !*flag) {
		hb__between_leave();
		hb__mapped_forget();
	} else {
		hb__check_handles_leave(c, code);
		hb__check_buffers_leave(c, code);
		hb__check_windows_leave(c, code);
		hb__check_files_leave(c, code);
	}
	late = false;
	hb__check_threads_leave(c);
	hb__check_together_leave(c);
	if (unlikely(c->watched) && c->again)
		hb__guard_asked();
	else if (unlikely(hb__guard_any()))
		hb__guard_left(c);
}
