/* A replay that does not go on: a process waits for what another one sent after its own record had ended, or they wait
 * for each other. Every process keeps counters in its log that tell where it stands; the recording tells what the call that
 * it is in needs. A call that has all it needs may take long: a reduction by a function of the program, work on a window. */
#include "stall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/task.h"
#include "model/event.h"
#include "model/world/world.h"

#define LOOK_S 0.5
#define OPEN_WAIT 4  /* what may return yet gets so many times patience, and so many times as long as it took */
#define BUSY 0.2     /* a process that uses this part of a processor computes */
#define TOLD_SOME 16 /* lines at most */

/* Processor time that a process has used, in clock ticks; 0: it is not there. */
static uint64_t used_by(uint32_t pid)
{
	hb_task task;
	hb_task_read((int32_t)pid, 0, &task);
	return task.used;
}

static hb_process_now *process_of(const hb_stall *s, int32_t rank)
{
	for (size_t i = 0; i < s->lanes.n; i++)
		if (s->lanes.at[i].rank == rank)
			return &s->lanes.at[i];
	return NULL;
}

static bool first_lane(const hb_process_now *p, hb_lane_now *ret)
{
	for (size_t i = 0; p && i < p->nlanes; i++)
		if (!p->lane[i].is.lane) {
			*ret = p->lane[i];
			return true;
		}
	return false;
}

static double busy(const hb_stall *s, int32_t rank, double seconds)
{
	const hb_process_now *p = process_of(s, rank);
	uint64_t used = p && p->seen && !p->gone ? used_by(p->pid) : 0;
	return used > s->used[rank] && seconds > 0
		       ? (double)(used - s->used[rank]) / (double)sysconf(_SC_CLK_TCK) / seconds
		       : 0;
}

/* No thread of it can be seen to compute. A further thread that is in no call has ended, when its record has. */
static bool waits(hb_stall *s, int32_t rank, bool over)
{
	const hb_process_now *p = process_of(s, rank);
	hb_lane_now first;
	if (over || (p && p->gone))
		return true;
	if (!first_lane(p, &first))
		return false;
	bool past = !first.is.inside && first.is.events >= s->last[rank];
	s->used_up |= past;
	if (!past && !first.is.inside && !first.asleep)
		return false;
	char *path = hb__format("%s/rank.%d.log", s->script, rank);
	hb_log *log = NULL;
	hb_lane_info record;
	bool all = true;
	for (size_t i = 0; i < p->nlanes && all; i++) {
		const hb_lane_now *lane = &p->lane[i];
		if (!lane->is.lane || lane->is.inside || lane->asleep)
			continue;
		if (!log && hb_log_open(path, &log, NULL))
			log = NULL;
		all = log && !hb_log_lane(log, lane->is.lane, &record) && lane->is.events >= record.events;
	}
	if (log)
		hb_log_close(log);
	free(path);
	return all;
}

static void begin_again(hb_stall *s, double t, uint64_t polls)
{
	s->since = t;
	s->polls = polls;
	s->limit = 0;
	s->sure = HB_STILL_UNKNOWN;
	for (int32_t i = 0; i < s->size; i++) {
		const hb_process_now *p = process_of(s, i);
		s->used[i] = p && p->seen ? used_by(p->pid) : 0;
	}
}

/* How long the recorded process stayed after its last event: what it does now may lead to where it died. */
static double stayed(const hb_stall *s, int32_t rank)
{
	char *path = hb__format("%s/rank.%d.log", s->script, rank);
	hb_log *log;
	hb_cursor *cursor = NULL;
	hb_row row;
	double seconds = s->lasted;
	if (!hb_log_open(path, &log, NULL)) {
		const hb_log_info *info = hb_log_get_info(log);
		if (info->level == HB_LEVEL_EVENTS && s->ended > 0 && s->last[rank] &&
			!hb_cursor_open(log, 0, s->last[rank], &cursor, NULL) &&
			hb_cursor_next(cursor, &row, NULL) == 1)
			seconds = s->ended - ((double)info->origin_real + hb_ticks_ns(info, row.exit)) * 1e-9;
		hb_cursor_close(cursor);
		hb_log_close(log);
	}
	free(path);
	return seconds > 0 ? seconds : 0;
}

/* Asked once per standstill. */
static void ask(hb_stall *s, const bool *over)
{
	hb_wait_for *wait;
	bool proven, ended = s->used_up;
	size_t n = hb__needs(s, over, &wait, &proven);
	double longest = 0, computes = 0;
	bool timed = false;
	for (size_t i = 0; i < n; i++) {
		timed |= wait[i].took >= 0;
		if (!wait[i].stuck && wait[i].took > longest)
			longest = wait[i].took;
	}
	for (int32_t i = 0; i < s->size; i++) {
		hb_lane_now first;
		ended |= over[i];
		if (over[i] || !first_lane(process_of(s, i), &first) || first.is.inside || first.is.events < s->last[i])
			continue;
		double more = busy(s, i, s->still) >= BUSY ? stayed(s, i) : 0;
		computes = more > computes ? more : computes;
	}
	/* without times and needs (levels order and racing) who waits for a process at its end cannot be told from who works */
	s->sure = proven ? HB_STILL_PROVEN : ended && !timed ? HB_STILL_ENDED : HB_STILL_OPEN;
	s->limit = s->patience + computes;
	if (s->sure == HB_STILL_OPEN)
		s->limit = OPEN_WAIT * (s->patience + (timed ? longest : s->lasted)) + computes;
	if (s->limit > s->still + LOOK_S) {
		hb__say("no process has begun or finished a recorded call for %.0f s. That may still change, so hbdb waits for up to %.0f s more before it ends the job (Ctrl-C ends it now):",
			s->still, s->limit - s->still);
		hb__print_waiting(s, over);
	}
	free(wait);
}

bool hb__stalled(hb_stall *s, const bool *over)
{
	double t = hb_seconds();
	if (t - s->looked < LOOK_S)
		return false;
	s->looked = t;
	if (!s->used)
		s->used = hb__alloc(((size_t)s->size + 1) * sizeof *s->used);
	if (!s->lanes.recording)
		hb__lanes_open(s->logs, &s->lanes);
	bool moved = hb__lanes_look(&s->lanes), all = true;
	hb__threads_look(&s->lanes);
	uint64_t polls = 0;
	for (size_t i = 0; i < s->lanes.n; i++)
		for (size_t k = 0; k < s->lanes.at[i].nlanes; k++)
			polls += s->lanes.at[i].lane[k].is.polls;
	s->used_up = false;
	for (int32_t i = 0; i < s->size; i++)
		all &= waits(s, i, over[i]);
	if (moved || !all || polls != s->polls || !s->since) {
		begin_again(s, t, polls);
		return false;
	}
	s->still = t - s->since;
	if (s->still < s->patience)
		return false;
	if (s->sure == HB_STILL_UNKNOWN)
		ask(s, over);
	return s->still >= s->limit;
}

/* ---- in words ---- */

static char *waiting_text(const hb_stall *s, const hb_wait_for *w)
{
	const char *name = s->name[w->rank], *needs = w->needs >= 0 ? s->name[w->needs] : "";
	char *text = hb__format("%s%s, event %llu: ", hb_rank_word(name), name, (unsigned long long)w->event), *more;
	if (w->needs >= 0)
		more = hb__format("waits in %s for event %llu of %s%s, which %s", w->call,
			(unsigned long long)w->needs_event, hb_rank_word(needs), needs,
			w->stuck ? "will never happen" : "has not happened yet");
	else if (w->took >= 0 && s->still < 1) /* others are not standing still */
		more = hb__format("is in %s (which took %.3g s in the recording)", w->call, w->took);
	else if (w->took >= 0)
		more = hb__format(
			"has been in %s for %.0f s (it took %.3g s in the recording)", w->call, s->still, w->took);
	else
		more = hb__format("has been in %s for %.0f s", w->call, s->still);
	const hb_process_now *p = process_of(s, w->rank);
	char *use = s->used && s->still > 0 && p && p->seen /* of one elsewhere it is not known */
			    ? hb__format(", using %.0f %% of a processor", 100 * busy(s, w->rank, s->still))
			    : hb__copy("");
	char *all = hb__format("%s%s%s", text, more, w->stuck ? "" : use);
	free(text);
	free(more);
	free(use);
	return all;
}

/* A further thread that waits until another one of its process has done what it did first in the recorded run; true when it does. */
static bool print_turn(const hb_stall *s, hb_log *log, int32_t rank, const hb_counters *thread)
{
	hb_cursor *cursor = NULL;
	hb_row row;
	const hb_function *f = NULL;
	if (!hb_cursor_open(log, thread->lane, thread->events + 1, &cursor, NULL) &&
		hb_cursor_next(cursor, &row, NULL) == 1)
		f = hb_log_function(log, row.function);
	bool turn = f && f->cls == HB_THREAD && row.nresults >= 4;
	if (turn) {
		hb_process_name name;
		snprintf(name, sizeof name, "%s%s", hb_rank_word(s->name[rank]), s->name[rank]);
		hb__say("%s.%u, event %llu: waits in %s for thread %s.%lld, which was first in the recorded run, after its event %lld",
			name, thread->lane, (unsigned long long)thread->events, f->name, s->name[rank],
			(long long)row.results[1], (long long)row.results[2]);
	}
	hb_cursor_close(cursor);
	return turn;
}

static int print_turns(const hb_stall *s, int32_t rank)
{
	const hb_process_now *p = process_of(s, rank);
	char *path = hb__format("%s/rank.%d.log", s->script, rank);
	hb_log *log = NULL;
	int told = 0;
	bool open = p && p->nlanes > 1 && !hb_log_open(path, &log, NULL);
	for (size_t k = 0; open && k < p->nlanes && told < TOLD_SOME; k++)
		if (p->lane[k].is.lane && p->lane[k].is.inside)
			told += print_turn(s, log, rank, &p->lane[k].is);
	if (open)
		hb_log_close(log);
	free(path);
	return told;
}

void hb__print_waiting(const hb_stall *s, const bool *over)
{
	hb_wait_for *wait;
	bool proven;
	int told = 0;
	size_t n = s->lanes.recording ? hb__needs(s, over, &wait, &proven) : (wait = NULL, 0);
	for (int32_t i = 0; i < s->size && told < TOLD_SOME; i++) {
		hb_lane_now first;
		const char *name = s->name[i];
		if (over[i] || !first_lane(process_of(s, i), &first))
			continue;
		told += print_turns(s, i);
		if (first.is.events >= s->last[i]) {
			hb__say("%s%s, event %llu: its recording ends here, so it makes no further call",
				hb_rank_word(name), name, (unsigned long long)first.is.events);
			told++;
			continue;
		}
		if (!first.is.inside) {
			hb__say("%s%s, event %llu: has been %s since this event; hbdb waits for its next call",
				hb_rank_word(name), name, (unsigned long long)first.is.events,
				hb_process_outside(name));
			told++;
			continue;
		}
		for (size_t k = 0; k < n; k++)
			if (wait[k].rank == i) {
				char *text = waiting_text(s, &wait[k]);
				hb__say("%s", text);
				free(text);
				told++;
			}
	}
	if (told >= TOLD_SOME)
		hb__say("further processes are not listed");
	free(wait);
}

bool hb__falls_short(const hb_stall *s, const bool *over, hb_wait_for *ret)
{
	hb_wait_for *wait = NULL;
	bool proven, found = false;
	size_t n = s->lanes.recording ? hb__needs(s, over, &wait, &proven) : 0;
	for (size_t k = 0; k < n && !found; k++) {
		hb_lane_now first;
		bool returned = !over[wait[k].rank] && first_lane(process_of(s, wait[k].rank), &first) &&
				first.is.inside && first.is.events < s->last[wait[k].rank];
		found = returned && !wait[k].stuck;
		if (found)
			*ret = wait[k];
	}
	free(wait);
	return found;
}

int64_t hb__stood_at(hb_stall *s, int32_t rank)
{
	hb_lane_now first;
	if (!s->lanes.recording)
		hb__lanes_open(s->logs, &s->lanes);
	s->lanes.listed = 0;
	hb__lanes_look(&s->lanes);
	return first_lane(process_of(s, rank), &first) ? (int64_t)first.is.events : -1;
}

void hb__stall_close(hb_stall *s)
{
	hb__lanes_close(&s->lanes);
	free(s->used);
	s->used = NULL;
}
