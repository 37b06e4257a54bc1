/* A replay that cannot go on: a process waits for what another one sent after
 * its own record had ended. Every process keeps counters in its log that tell. */
#include "stall.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../tool.h"
#include "format/row.h"

#define LOOK_S 0.5

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Steps of one process; *ret_inside: its first thread is inside a call. False: it has no log yet. */
static bool read_steps(const char *folder, int32_t rank, uint64_t *ret_steps, uint64_t *ret_events, bool *ret_inside)
{
	char *path = hb__format("%s/rank.%d.log", folder, rank);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return false;
	struct hb_log_header h;
	bool found = false;
	*ret_steps = 0;
	if (pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h) {
		for (uint64_t k = 1; k < h.units; k++) {
			struct {
				struct hb_unit_header unit;
				uint64_t thread, polls, inside, inside_enter, events;
			} c;
			if (pread(fd, &c, sizeof c, (off_t)(k * HB_UNIT_SIZE)) != (ssize_t)sizeof c)
				break;
			if (c.unit.magic != HB_UNIT_MAGIC || c.unit.kind != HB_UNIT_LANE)
				continue;
			*ret_steps += c.events + c.polls;
			if (!c.unit.lane) {
				found = true;
				*ret_inside = c.inside != 0;
				*ret_events = c.events;
			}
		}
	}
	close(fd);
	return found;
}

bool hb__stalled(hb_stall *s, const bool *over)
{
	double t = now();
	if (t - s->looked < LOOK_S)
		return false;
	s->looked = t;
	uint64_t sum = 0;
	bool waiting = true;
	s->used_up = false;
	for (int32_t i = 0; i < s->size; i++) {
		uint64_t steps, events = 0;
		bool inside = false;
		if (!read_steps(s->logs, i, &steps, &events, &inside))
			waiting = false;
		else
			sum += steps;
		bool past = !inside && events >= s->last[i];
		s->used_up = s->used_up || (past && !over[i]);
		waiting = waiting && (over[i] || inside || past);
	}
	if (!waiting || sum != s->steps || !s->since) {
		s->steps = sum;
		s->since = t;
		return false;
	}
	return t - s->since >= s->patience;
}

void hb__print_waiting(const hb_stall *s, const bool *over)
{
	for (int32_t i = 0; i < s->size; i++) {
		uint64_t steps, events;
		bool inside;
		if (over[i] || !read_steps(s->logs, i, &steps, &events, &inside))
			continue;
		if (events >= s->last[i]) {
			hb__say("rank %d, event %llu: the record ends here; it makes no further call", i,
				(unsigned long long)events);
			continue;
		}
		char *path = hb__format("%s/rank.%d.log", s->script, i);
		hb_log *log;
		hb_cursor *cursor = NULL;
		hb_row row;
		const char *name = "a call";
		bool open = !hb_log_open(path, &log, NULL);
		if (open && !hb_cursor_open(log, 0, events + 1, &cursor, NULL) &&
			hb_cursor_next(cursor, &row, NULL) == 1) {
			const hb_function *f = hb_log_function(log, row.function);
			name = f ? f->name : name;
		}
		hb__say("rank %d, event %llu: waits in %s for something that does not come", i,
			(unsigned long long)(events + 1), name);
		hb_cursor_close(cursor);
		if (open)
			hb_log_close(log);
		free(path);
	}
}
