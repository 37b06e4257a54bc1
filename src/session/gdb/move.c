/* Letting processes go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/gdb/inside.h"

/* Another thread had stopped for a reason of its own when the process stopped: that comes first. */
static bool tell_kept(hb_gdb *gdb, struct hb__inferior *inf)
{
	for (size_t i = 0; i < inf->nthreads; i++)
		if (inf->threads[i].kept) {
			hb_gdb_stop running = {.reason = HB_GDB_RUNNING};
			hb__gdb_tell(gdb, inf->id, &running);
			inf->stop = *inf->threads[i].kept;
			free(inf->threads[i].kept);
			inf->threads[i].kept = NULL;
			inf->thread = inf->stop.thread;
			hb__gdb_place_frames(gdb, inf, &inf->stop.frame, 1, false);
			hb__gdb_tell(gdb, inf->id, &inf->stop);
			return true;
		}
	return false;
}

/* The others go on while one thread steps: it may need them. */
static void others_go(hb_gdb *gdb, const struct hb__inferior *inf)
{
	for (size_t i = 0; i < inf->nthreads; i++)
		if (inf->threads[i].number != inf->thread)
			hb__gdb_send(gdb, "-exec-continue --thread %d", inf->threads[i].number);
}

static int64_t send_step(hb_gdb *gdb, const struct hb__inferior *inf, hb_gdb_step how, uint32_t level, uint32_t times)
{
	static const char *const words[] = {[HB_GDB_STEP] = "step",
		[HB_GDB_NEXT] = "next",
		[HB_GDB_STEPI] = "stepi",
		[HB_GDB_NEXTI] = "nexti",
		[HB_GDB_BACK_STEP] = "reverse-step",
		[HB_GDB_BACK_NEXT] = "reverse-next",
		[HB_GDB_BACK_STEPI] = "reverse-stepi",
		[HB_GDB_BACK_NEXTI] = "reverse-nexti"};
	if (how == HB_GDB_BACK_CONTINUE)
		return hb__gdb_send(gdb, "-exec-continue --thread-group i%d --reverse", inf->group);
	if (how == HB_GDB_BACK_FINISH)
		return hb__gdb_send(gdb, "-exec-finish --thread %d --frame %u --reverse", inf->thread, level);
	if (how == HB_GDB_CONTINUE)
		return hb__gdb_send(gdb, "-exec-continue --thread-group i%d", inf->group);
	if (how == HB_GDB_UNTIL)
		return hb__gdb_send(gdb, "-interpreter-exec --thread %d console until", inf->thread);
	if (how == HB_GDB_FINISH)
		return hb__gdb_send(gdb, "-exec-finish --thread %d --frame %u", inf->thread, level);
	return hb__gdb_send(gdb, "-interpreter-exec --thread %d console \"%s %u\"", inf->thread, words[how], times);
}

hb_status hb_gdb_go(hb_gdb *gdb, int32_t id, hb_gdb_step how, uint32_t level, uint32_t times, hb_error *err)
{
	struct hb__inferior *inf = hb__gdb_process(gdb, id, true, err);
	if (!inf)
		return gdb->lost ? HB_E_SYSTEM : HB_E_ARGUMENT;
	if (tell_kept(gdb, inf))
		return HB_OK;
	hb_gdb_stop running = {.reason = HB_GDB_RUNNING};
	size_t told = gdb->ntold;
	hb__gdb_tell(gdb, id, &running);
	inf->stop = running;
	/* A signal on its way (roused) still is: its thread may have stopped for another reason. */
	inf->has_stop = inf->asking = false;
	inf->stepping = how != HB_GDB_CONTINUE;
	inf->back = how >= HB_GDB_BACK_CONTINUE;
	gdb->moved = true;
	inf->state = HB__RUNNING;
	for (size_t i = 0; i < inf->nthreads; i++) {
		inf->threads[i].running = true;
		inf->threads[i].called = false;
	}
	if (how != HB_GDB_CONTINUE && !gdb->one)
		others_go(gdb, inf);
	hb__gdb_others_go(gdb, true);
	hb__gdb_stops_by(gdb, false);
	if (how == HB_GDB_CONTINUE)
		hb__gdb_wake(gdb, inf);
	hb_status status = hb__gdb_answer(gdb, send_step(gdb, inf, how, level, times ? times : 1), gdb->patience, err);
	inf = hb__gdb_find(gdb, id);
	if (!status || !inf || inf->state == HB__STOPPED)
		return status;
	/* This thread did not move. The others did, and are to come back. */
	for (size_t i = 0; i < inf->nthreads; i++)
		if (inf->threads[i].number == inf->thread || how == HB_GDB_CONTINUE || gdb->one)
			inf->threads[i].running = false;
	if (hb__gdb_all_stopped(inf) && gdb->ntold == told + 1) {
		gdb->ntold--;
		inf->state = HB__STOPPED;
	} else
		hb_gdb_interrupt(gdb, id, NULL);
	return status;
}
