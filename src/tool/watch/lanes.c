/* Reading the counters of a job that runs. */
#include "lanes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../store/logs.h"
#include "format/row.h"

#define LIST_S 1.0 /* how often new processes are looked for */

double hb__seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void hb__lanes_open(const char *recording, hb_lanes *ret)
{
	*ret = (hb_lanes){.recording = hb__copy(recording), .moved = hb__seconds()};
	gethostname(ret->host, sizeof ret->host - 1);
}

void hb__lanes_close(hb_lanes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->at[i].path);
		free(l->at[i].lane);
	}
	free(l->at);
	free(l->recording);
	*l = (hb_lanes){0};
}

static bool known(const hb_lanes *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->at[i].path, path))
			return true;
	return false;
}

/* Processes come at the beginning of a job, or when they are spawned. */
static void list(hb_lanes *l)
{
	hb_logs logs;
	double now = hb__seconds();
	if (now - l->listed < LIST_S && !(l->size && l->n < (size_t)l->size))
		return;
	l->listed = now;
	if (hb__list_logs(l->recording, &logs))
		return;
	for (size_t i = 0; logs.n > l->n && i < logs.n; i++) {
		if (known(l, logs.at[i].path))
			continue;
		l->at = hb__resize(l->at, (l->n + 1) * sizeof *l->at);
		l->at[l->n++] =
			(hb_process_now){.path = hb__copy(logs.at[i].path), .rank = logs.at[i].rank, .moved = now};
	}
	hb__close_logs(&logs);
}

/* Lane controls lie anywhere among the units: those that were not there the last time are looked at. */
static void find_controls(hb_process_now *p, int fd, uint64_t units)
{
	for (; p->scanned + 1 < units; p->scanned++) {
		struct hb_unit_header u;
		uint64_t offset = (p->scanned + 1) * HB_UNIT_SIZE;
		if (pread(fd, &u, sizeof u, (off_t)offset) != (ssize_t)sizeof u || u.magic != HB_UNIT_MAGIC)
			return;
		if (u.kind != HB_UNIT_LANE)
			continue;
		p->lane = hb__resize(p->lane, (p->nlanes + 1) * sizeof *p->lane);
		p->lane[p->nlanes++] = (hb_lane_now){.lane = u.lane, .offset = offset};
	}
}

static bool look_at_lane(hb_lane_now *lane, int fd, double now)
{
	struct {
		struct hb_unit_header unit;
		uint64_t thread, polls, inside, inside_enter, events, asked, polling, waits, task, faults;
	} c;
	if (pread(fd, &c, sizeof c, (off_t)lane->offset) != (ssize_t)sizeof c)
		return false;
	bool moved = c.events != lane->events || c.inside != lane->inside || c.inside_enter != lane->inside_enter;
	if (c.polls > lane->polls && c.events == lane->events)
		lane->asked = now;
	lane->events = c.events;
	lane->polls = c.polls;
	lane->inside = c.inside;
	lane->inside_enter = c.inside_enter;
	lane->asleep &= !moved;
	lane->task = c.task;
	lane->faults = c.faults;
	return moved;
}

/* A zombie will do nothing either. */
static bool lives(uint32_t pid)
{
	char path[64], text[512], *state;
	snprintf(path, sizeof path, "/proc/%u/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	state = strrchr(text, ')');
	return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

static bool look_at_process(hb_lanes *l, hb_process_now *p, double now)
{
	struct hb_log_header h;
	bool moved = false;
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h && !memcmp(h.magic, HB_LOG_MAGIC, sizeof h.magic) &&
		!(h.incompatible & HB_LOG_INCOMPAT_SEALED)) {
		moved = p->state != h.state || !p->pid;
		p->state = h.state;
		l->size = h.size > l->size ? h.size : l->size;
		if (!p->pid)
			l->elsewhere += strncmp(h.host, l->host, sizeof h.host) != 0;
		p->pid = h.pid;
		bool there = !p->gone && !strncmp(h.host, l->host, sizeof h.host) && lives(h.pid);
		bool went = p->seen && !p->gone && !there;
		moved |= went;
		l->ending |= went;
		p->gone = p->seen && !there;
		p->seen |= there;
		find_controls(p, fd, h.units);
		for (size_t i = 0; i < p->nlanes; i++)
			moved |= look_at_lane(&p->lane[i], fd, now);
	}
	close(fd);
	if (moved)
		p->moved = now;
	return moved;
}

bool hb__lanes_look(hb_lanes *l)
{
	bool moved = false;
	double now = hb__seconds();
	list(l);
	l->ending = false;
	for (size_t i = 0; i < l->n; i++)
		moved |= look_at_process(l, &l->at[i], now);
	if (moved)
		l->moved = now;
	return moved;
}

bool hb__is_over(const hb_process_now *p) { return p->gone || p->state != HB_STATE_RUNNING; }

bool hb__only_waits(const hb_process_now *p, double seconds)
{
	double now = hb__seconds();
	if (!p->nlanes)
		return false;
	for (size_t i = 0; i < p->nlanes; i++)
		if (!p->lane[i].inside && !p->lane[i].asleep && !(p->lane[i].asked && now - p->lane[i].asked < seconds))
			return false;
	return true;
}
