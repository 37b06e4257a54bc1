/* Reading the counters of a job that runs. */
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#include "../store/logs.h"
#include "base/clock.h"
#include "base/task.h"
#include "format/row.h"

#define LIST_S 1.0 /* how often new processes are looked for */

void hb__lanes_open(const char *recording, hb_lanes *ret)
{
	*ret = (hb_lanes){.recording = hb__copy(recording), .moved = hb_seconds()};
}

void hb__lanes_close(hb_lanes *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->at[i].path);
		free(l->at[i].lane);
		hb_growing_free(&l->at[i].log);
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
	double now = hb_seconds();
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

static bool compare_lane(hb_lane_now *lane, const hb_counters *c, double now)
{
	const hb_counters *was = &lane->is;
	bool moved = c->events != was->events || c->inside != was->inside || c->inside_enter != was->inside_enter;
	if (c->polls > was->polls && c->events == was->events)
		lane->asked = now;
	lane->asleep &= !moved;
	lane->is = *c;
	return moved;
}

static bool compare_lanes(hb_process_now *p, double now)
{
	bool moved = false;
	const hb_growing *g = &p->log;
	if (p->nlanes < g->nlanes)
		p->lane = hb__resize(p->lane, g->nlanes * sizeof *p->lane);
	for (; p->nlanes < g->nlanes; p->nlanes++)
		p->lane[p->nlanes] = (hb_lane_now){.is = {.lane = g->lane[p->nlanes].lane}};
	for (size_t i = 0; i < g->nlanes; i++)
		moved |= compare_lane(&p->lane[i], &g->lane[i], now);
	return moved;
}

static bool look_at_process(hb_lanes *l, hb_process_now *p, double now)
{
	const hb_log_head *h = &p->log.head;
	if (hb_growing_look(&p->log, p->path, NULL) || h->sealed)
		return false;
	bool moved = p->state != h->state || !p->pid, here = hb_host_is_here(h->host);
	p->state = h->state;
	l->size = h->size > l->size ? h->size : l->size;
	if (!p->pid)
		l->elsewhere += !here;
	p->pid = h->pid;
	bool there = !p->gone && here && hb_task_lives((int32_t)h->pid);
	bool went = p->seen && !p->gone && !there;
	moved |= went;
	l->ending |= went;
	p->gone = p->seen && !there;
	p->seen |= there;
	moved |= compare_lanes(p, now);
	if (moved)
		p->moved = now;
	return moved;
}

bool hb__lanes_look(hb_lanes *l)
{
	bool moved = false;
	double now = hb_seconds();
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
	double now = hb_seconds();
	if (!p->nlanes)
		return false;
	for (size_t i = 0; i < p->nlanes; i++)
		if (!p->lane[i].is.inside && !p->lane[i].asleep &&
			!(p->lane[i].asked && now - p->lane[i].asked < seconds))
			return false;
	return true;
}
