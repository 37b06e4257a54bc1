/* How the process stands, in words, and what was said about it. */
#include <stdlib.h>
#include <string.h>

#include "../../show/inert.h"
#include "alone.h"

bool hb__d_at_event(const hb_proc *p) { return p->stand.at; }

const hb_proc *hb__d_standing(hb_debug *d)
{
	hb__d_poll(d, 0);
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), 0);
	if (!hb__live_running(d->live))
		hb__d_fail(d, HB_EXIT_FINDING, "the process has been ended; run starts it again");
	else if (p->life != HB_LIFE_BROKEN)
		hb__d_fail(d, HB_EXIT_FINDING, "[%s] is running; halt stops it", p->name);
	else
		return p;
	return NULL;
}

/* "after 3:17  MPI_Recv  farm.c:71" */
static char *after(hb_debug *d, const hb_proc *p, bool call)
{
	hb_at at;
	char *name = hb__d_event_name(d, p->rank, 0, p->stand.event), *what = NULL;
	if (call && d->run.model && hb__d_stands_at(d, p->rank, &at) &&
		at.event <= hb_model_lines(d->run.model)[at.line].events)
		what = hb__d_call(d, at);
	char *text = hb__format("after %s%s%s", name, what ? "  " : "", what ? what : "");
	free(name);
	free(what);
	return text;
}

bool hb__d_never_returned(hb_debug *d, const hb_proc *p, hb_at *ret_at)
{
	if (!d->run.model || !hb__d_stands_at(d, p->rank, ret_at))
		return false;
	const hb_line *l = &hb_model_lines(d->run.model)[ret_at->line];
	return l->inside && ++ret_at->event == l->events;
}

/* Where the recording goes no further. */
static char *cut(hb_debug *d, const hb_proc *p, const char *where)
{
	hb_at at;
	bool never = hb__d_never_returned(d, p, &at);
	if (!never && (!d->run.model || !hb__d_stands_at(d, p->rank, &at) ||
			      at.event++ >= hb_model_lines(d->run.model)[at.line].events))
		return hb__format("at the end of the recording, %s: the next call is not in it", where);
	char *call = hb__d_call(d, at), *name = hb__d_event_name(d, p->rank, 0, at.event), *text;
	if (never)
		text = hb__format("at the end of the recording, inside %s%s%s, which never returned", name,
			call ? "  " : "", call ? call : "");
	else
		text = hb__format("at the end of what was kept, %s: what came in with %s%s%s was not", where, name,
			call ? "  " : "", call ? call : "");
	free(call);
	free(name);
	return text;
}

static bool is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT;
}

/* NULL: as any process that gdb has stopped. */
char *hb__d_alone_state(hb_debug *d, const hb_proc *p)
{
	const hb_gdb_stand *s = &p->stand;
	bool begin = s->begin && p->broken.reason == HB_GDB_ASKED;
	/* a point that stopped it there is what is told */
	bool at = hb__d_at_event(p) && (p->broken.reason == HB_GDB_ASKED || p->broken.reason == HB_GDB_STEPPED);
	bool fault = p->broken.reason == HB_GDB_SIGNAL && is_fault(p->broken.signal);
	char *where, *frame, *text = NULL;
	if (!s->end && !begin && !at && !fault)
		return NULL;
	where = after(d, p, at);
	frame = hb__d_frame_text(&p->broken.frame);
	const char *name = sigabbrev_np(s->signal);
	if (s->end && s->signal)
		text = hb__format(
			"SIG%s (%s): %s, %s; about to die", name ? name : "?", strsignal(s->signal), frame, where);
	else if (s->end && s->cut)
		text = cut(d, p, where);
	else if (s->end)
		text = hb__format("at its end, %s: about to exit with status %d", where, s->status);
	else if (fault)
		text = hb__format("%s (%s): %s, %s", p->broken.signal_name, p->broken.meaning, frame, where);
	else if (begin)
		text = hb__format("at its beginning, %s: it goes back no further", where);
	else
		text = hb__copy(where);
	free(where);
	free(frame);
	return text;
}

void hb__d_tell_notes(hb_debug *d)
{
	char *notes = hb_session_notes(hb__live_session(d->live));
	for (char *next = notes, *line; notes && (line = strsep(&next, "\n"));) {
		const char *text = strncmp(line, "hbdb: ", 6) ? line : line + 6;
		/* its state says so */
		bool said = !strncmp(text, "The process is about to exit", 28) ||
			    !strncmp(text, "The recording of the process ends here", 38);
		if (*text && !said)
			hb__d_fail(d, 0, "%s", hb__tame(text));
	}
	free(notes);
	d->differed = d->differed || hb__one_differs(d->one);
}

int hb__d_one_only(hb_debug *d, const char *what)
{
	return hb__d_fail(
		d, HB_EXIT_FINDING, "%s: there is one process only (hbdb debug without --alone has them all)", what);
}
