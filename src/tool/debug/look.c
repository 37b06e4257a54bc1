/* Looking at processes with gdb: stopped for the moment of it, and left as they were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "debug.h"

#define FRAMES_MOST 400

/* Why gdb cannot look at a process; false: it can be tried. */
static bool gone(hb_debug *d, int32_t rank)
{
	const hb_proc *p = hb_session_proc(hb__live_session(d->live), rank);
	if (p && hb__d_alive(p))
		return false;
	char *text = hb__d_state(d, rank, NULL);
	hb__d_reply(d, rank, true, NULL, "%s", text);
	free(text);
	return true;
}

/* Attaches to those of the set that are there; which it got. */
static void attach(hb_debug *d, const hb_set *set, hb_set *ret)
{
	hb_session *session = hb__live_session(d->live);
	hb_set failed;
	hb_error err = {0};
	hb__d_init(d, ret);
	hb__d_init(d, &failed);
	for (int32_t i = hb_set_next(set, 0); i >= 0; i = hb_set_next(set, i + 1))
		if (!gone(d, i))
			hb_set_add(ret, i);
	if (hb_set_count(ret) && hb_session_attach(session, ret, &failed, &err))
		for (int32_t i = hb_set_next(&failed, 0); i >= 0; i = hb_set_next(&failed, i + 1))
			hb__d_reply(d, i, true, NULL, "cannot be inspected: %s", err.message);
	hb_set_without(ret, &failed);
	hb_set_free(&failed);
}

bool hb__d_look(hb_debug *d, const hb_set *set, hb_look *look, void *user)
{
	hb_session *session = hb__live_session(d->live);
	hb_set there, broken;
	bool any = false;
	if (!hb_set_count(set))
		hb__d_note(d, "no process is in [%s]", d->focus);
	hb__d_init(d, &broken);
	for (int32_t i = hb_set_next(set, 0); i >= 0; i = hb_set_next(set, i + 1)) {
		const hb_proc *p = hb_session_proc(session, i);
		if (p && p->life == HB_LIFE_BROKEN)
			hb_set_add(&broken, i);
	}
	attach(d, set, &there);
	for (int32_t i = hb_set_next(&there, 0); i >= 0; i = hb_set_next(&there, i + 1)) {
		hb_error err = {0};
		if (hb_session_gdb(session, i, &d->gdb[i], &err)) {
			hb__d_reply(d, i, true, NULL, "cannot be inspected: %s", err.message);
			continue;
		}
		any = true;
		look(d, i, d->gdb[i], user);
	}
	for (int32_t i = hb_set_next(&there, 0); i >= 0; i = hb_set_next(&there, i + 1))
		if (!hb_set_has(&broken, i))
			hb_session_resume(session, i);
	hb_set_free(&there);
	hb_set_free(&broken);
	return any;
}

/* ---- frames ---- */

/* What abort or qsort do inside is not what somebody looks for. */
static bool of_c_library(const hb_frame *f)
{
	const char *slash = strrchr(f->module, '/'), *name = slash ? slash + 1 : f->module;
	return !strncmp(name, "libc.so", 7) || !strncmp(name, "ld-linux", 8) || !strncmp(name, "libpthread", 10);
}

bool hb__d_frames(hb_debug *d, int32_t rank, hb_gdb *gdb, hb_frames *ret, hb_error *err)
{
	(void)d;
	*ret = (hb_frames){0};
	if (hb_gdb_stack(gdb, rank, FRAMES_MOST, &ret->all, &ret->n, err))
		return false;
	ret->own = hb__alloc((ret->n + 1) * sizeof *ret->own);
	for (int c_library = 0; !ret->nown && c_library < 2; c_library++)
		for (size_t i = 0; i < ret->n; i++)
			if (!ret->all[i].ours && (c_library || !of_c_library(&ret->all[i])))
				ret->own[ret->nown++] = i;
	return true;
}

void hb__d_frames_free(hb_frames *frames)
{
	free(frames->all);
	free(frames->own);
	*frames = (hb_frames){0};
}

bool hb__d_chosen(hb_debug *d, int32_t rank, hb_gdb *gdb, hb_frame *ret)
{
	hb_frames frames;
	hb_error err = {0};
	if (!hb__d_frames(d, rank, gdb, &frames, &err)) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return false;
	}
	bool any = frames.nown || frames.n;
	if (frames.nown) {
		if (d->frame[rank] >= frames.nown)
			d->frame[rank] = (uint32_t)frames.nown - 1;
		*ret = frames.all[frames.own[d->frame[rank]]];
	} else if (frames.n)
		*ret = frames.all[0];
	else
		hb__d_reply(d, rank, true, NULL, "it has no stack");
	hb__d_frames_free(&frames);
	return any;
}

char *hb__d_frame_text(const hb_frame *frame)
{
	const char *slash = strrchr(frame->file, '/'), *module = strrchr(frame->module, '/');
	const char *function = frame->function[0] ? hb__tame(frame->function) : "??";
	if (frame->line)
		return hb__format("%s (%s:%d)", function, hb__tame(slash ? slash + 1 : frame->file), frame->line);
	if (frame->module[0])
		return hb__format("%s (%s)", function, hb__tame(module ? module + 1 : frame->module));
	return frame->function[0] ? hb__copy(function) : hb__format("0x%llx", (unsigned long long)frame->pc);
}
