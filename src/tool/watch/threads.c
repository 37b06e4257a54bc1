/* Threads that sleep outside of MPI, by /proc: one waits for the end of another, or at a barrier of OpenMP. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/task.h"
#include "lanes.h"
#include "model/event.h"

#define LOOK_S 0.3
#define INIT_S 5    /* MPI_Init takes no longer */
#define SURE_S 0.35 /* nothing of them has run for so long */

/* ---- threads that the library has started ---- */

static double boot_seconds(void)
{
	struct timespec boot, mono;
	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	return (double)(boot.tv_sec - mono.tv_sec) + (double)(boot.tv_nsec - mono.tv_nsec) * 1e-9;
}

static void look_up_init(hb_process_now *p)
{
	hb_log *log = NULL;
	hb_events *events = NULL;
	hb_event e;
	p->init = -1;
	if (hb_log_open(p->path, &log, NULL))
		return;
	const hb_log_info *info = hb_log_get_info(log);
	p->init = (double)info->origin_mono * 1e-9 + boot_seconds(); /* a replay keeps no rows */
	if (!hb_events_open(log, 0, &events, NULL) && hb_events_next(events, &e, NULL) == 1 && e.function &&
		e.function->name && strstr(e.function->name, "_Init")) {
		p->init = ((double)info->origin_mono + hb_ticks_ns(info, e.row->exit)) * 1e-9 + boot_seconds();
	}
	hb_events_close(events);
	hb_log_close(log);
}

/* It was started shortly before MPI_Init was over: recording begins at its end. */
static bool of_library(hb_process_now *p, uint64_t task)
{
	hb_task thread;
	if (!p->init)
		look_up_init(p);
	if (!hb_task_read((int32_t)p->pid, task, &thread))
		return false;
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK), when = (double)thread.began * tick;
	return when >= p->init - INIT_S && when <= p->init + 2 * tick;
}

/* ---- a process ---- */

static hb_lane_now *lane_of(hb_process_now *p, uint64_t task)
{
	for (size_t i = 0; i < p->nlanes && task; i++)
		if (p->lane[i].is.task == task)
			return &p->lane[i];
	return NULL;
}

/* All threads without a lane sleep, too, or are the library's. */
static bool others_sleep(hb_process_now *p, uint64_t *seen)
{
	char path[64];
	bool sleep = true;
	snprintf(path, sizeof path, "/proc/%u/task", p->pid);
	DIR *all = opendir(path);
	struct dirent *d;
	while (all && sleep && (d = readdir(all))) {
		hb_sleep s;
		uint64_t task = strtoull(d->d_name, NULL, 10);
		if (!task || lane_of(p, task))
			continue;
		sleep = hb_task_sleeps((int32_t)p->pid, task, &s) && (s.futex || (s.polls && of_library(p, task)));
		*seen = *seen * 31 + (s.futex ? s.ran : task);
	}
	if (all)
		closedir(all);
	return all && sleep;
}

static bool asks(const hb_lane_now *lane, double now) { return lane->asked > 0 && now - lane->asked < 1; }

static bool sleeps(hb_process_now *p, double now, uint64_t *seen)
{
	bool sleep = true, any = false;
	for (size_t i = 0; i < p->nlanes && sleep; i++) {
		hb_sleep s;
		hb_lane_now *lane = &p->lane[i];
		if (lane->is.inside || asks(lane, now))
			continue;
		any = true;
		if (lane->is.task && !hb_task_exists((int32_t)p->pid, lane->is.task)) {
			lane->joins = lane->is.lane;
			continue;
		}
		sleep = lane->is.task && hb_task_sleeps((int32_t)p->pid, lane->is.task, &s) && s.futex;
		const hb_lane_now *joined = sleep ? lane_of(p, s.joins) : NULL;
		lane->joins = joined ? joined->is.lane : HB_NO;
		*seen = *seen * 31 + (sleep ? s.ran : 0);
	}
	return sleep && any && others_sleep(p, seen);
}

static void look_at(hb_lanes *l, hb_process_now *p, double now)
{
	uint64_t seen = 1;
	bool was = false, is = false;
	bool sleep = sleeps(p, now, &seen);
	if (!sleep || p->slept != seen)
		p->sleeping = sleep ? now : 0;
	p->slept = seen;
	bool sure = sleep && now - p->sleeping >= SURE_S;
	for (size_t i = 0; i < p->nlanes; i++) {
		hb_lane_now *lane = &p->lane[i];
		was |= lane->asleep;
		lane->asleep = sure && !lane->is.inside && !asks(lane, now);
		is |= lane->asleep;
	}
	if (was != is)
		l->slept = now;
}

void hb__threads_look(hb_lanes *l)
{
	double now = hb_seconds();
	if (now - l->looked < LOOK_S)
		return;
	l->looked = now;
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].seen && !hb__is_over(&l->at[i]) && l->at[i].nlanes)
			look_at(l, &l->at[i], now);
}
