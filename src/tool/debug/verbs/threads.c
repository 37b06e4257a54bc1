/* thread: the threads of processes. */
#include <stdlib.h>

#include "../debug.h"

/* Where the chosen thread stands; free it. */
static char *place(hb_debug *d, int32_t rank, hb_gdb *gdb)
{
	hb_frames frames;
	hb_error err = {0};
	if (!hb__d_frames(d, rank, gdb, &frames, &err))
		return hb__copy(err.message);
	char *text = frames.nown ? hb__d_frame_text(&frames.all[frames.own[0]])
		     : frames.n  ? hb__d_frame_text(&frames.all[0])
				 : hb__copy("no stack");
	hb__d_frames_free(&frames);
	return text;
}

static void list(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	(void)user;
	uint32_t chosen, n = hb_gdb_threads(gdb, rank, &chosen);
	char *all = hb__copy("");
	for (uint32_t i = 1; i <= n; i++) {
		if (hb_gdb_choose_thread(gdb, rank, i, NULL))
			continue;
		char *where = place(d, rank, gdb);
		char *more = hb__format("%s%s%c%u  %s", all, i > 1 ? "\n" : "", i == chosen ? '>' : ' ', i, where);
		free(where);
		free(all);
		all = more;
	}
	if (chosen)
		hb_gdb_choose_thread(gdb, rank, chosen, NULL);
	hb__d_reply(d, rank, false, NULL, "%s", all);
	free(all);
}

static void choose(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	hb_error err = {0};
	if (hb_gdb_choose_thread(gdb, rank, *(const uint32_t *)user, &err)) {
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
		return;
	}
	d->frame[rank] = 0;
	char *where = place(d, rank, gdb);
	hb__d_reply(d, rank, false, NULL, "thread %u: %s", *(const uint32_t *)user, where);
	free(where);
}

int hb__v_thread(hb_debug *d, char *args)
{
	long n = *args ? hb__d_number(args) : 0;
	uint32_t number = n < 0 ? 0 : (uint32_t)n;
	if (*args && n < 1)
		return hb__d_fail(d, HB_EXIT_USAGE,
			"thread takes the number of a thread, but got '%s'; thread lists them (gdb thread %s is gdb's own command)",
			args, args);
	hb__d_poll(d, 0);
	hb__d_look(d, &d->set, *args ? choose : list, &number);
	return hb__d_replies(d, "thread");
}
