/* What a process is doing between its stops: the lane controls of its log are in a shared mapping. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/row.h"
#include "session/internal.h"

#define FIRST_BYTES 256 /* of a lane control: what stands before its counts of calls */

static bool note(struct hb__process *p, uint32_t lane, uint64_t offset)
{
	void *more = realloc(p->controls, (p->ncontrols + 1) * sizeof *p->controls);
	if (!more)
		return false;
	p->controls = more;
	p->controls[p->ncontrols++] = (struct hb__control_at){lane, offset};
	return true;
}

/* Lane controls lie anywhere among the units: those that were not there the last time are looked at. */
static void find_controls(struct hb__process *p, int fd)
{
	struct hb_log_header h;
	if (pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h)
		return;
	for (; p->scanned + 1 < h.units; p->scanned++) {
		struct hb_unit_header u;
		uint64_t offset = (p->scanned + 1) * HB_UNIT_SIZE;
		if (pread(fd, &u, sizeof u, (off_t)offset) != (ssize_t)sizeof u || u.magic != HB_UNIT_MAGIC)
			return;
		if (u.kind == HB_UNIT_LANE && !note(p, u.lane, offset))
			return;
	}
}

void hb__read_lanes_of(hb_session *s, struct hb__process *p)
{
	char path[4300];
	uint64_t steps = 0;
	bool changed = false;
	if (!s->logs || !p->p.here)
		return;
	snprintf(path, sizeof path, "%s/rank.%d.log", s->logs, p->p.rank);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	find_controls(p, fd);
	for (uint32_t i = 0; i < p->ncontrols; i++) {
		struct {
			struct hb_unit_header unit;
			uint64_t thread, polls, inside, inside_enter, events;
		} c;
		hb_thread *t = hb__thread_of(p, p->controls[i].lane);
		if (!t || pread(fd, &c, sizeof c, (off_t)p->controls[i].offset) != (ssize_t)sizeof c)
			continue;
		t->lane_known = true;
		steps += c.events + c.polls;
		changed |= t->inside != (c.inside != 0);
		t->inside = c.inside && !t->held;
		t->slot = c.inside ? (uint32_t)(c.inside - 1) : 0;
		t->event = c.events;
	}
	close(fd);
	if (steps != p->steps || changed) {
		p->steps = steps;
		p->moved = hb__now();
		hb__changed(s, p);
	}
}

void hb__read_lanes(hb_session *s)
{
	for (int32_t i = 0; s->logs && i < s->size; i++) {
		struct hb__process *p = &s->process[i];
		if (p->p.here &&
			(p->p.life == HB_LIFE_RUNNING || p->p.life == HB_LIFE_HELD || p->p.life == HB_LIFE_BROKEN))
			hb__read_lanes_of(s, p);
	}
}

/* A process that has ended keeps its status until its parent has asked for it: a moment in which it can be read. The
 * connection ends before that. Field 52 of /proc/PID/stat, proc(5). */
int hb__died_of(int32_t pid)
{
	char path[64], text[1024];
	for (int i = 0; i < 200; i++) {
		snprintf(path, sizeof path, "/proc/%d/stat", pid);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
		if (fd >= 0)
			close(fd);
		if (n <= 0)
			return 0;
		text[n] = 0;
		char *p = strrchr(text, ')');
		if (!p)
			return 0;
		if (p[1] == ' ' && (p[2] == 'Z' || p[2] == 'X')) {
			for (int field = 2; p && field < 52; field++)
				p = strchr(p + 1, ' ');
			return p ? atoi(p) & 0x7f : 0;
		}
		nanosleep(&(struct timespec){0, 100000}, NULL);
	}
	return 0;
}
