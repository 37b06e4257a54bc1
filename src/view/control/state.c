/* The live run as the page sees it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live.h"
#include "base/clock.h"
#include "view/answer/answer.h"
#include "view/build.h"

#define WAIT_SECONDS 10

/* ---- a copy of what was published ---- */

/* Waits for a change after `since` (< 0: does not wait). Free ret->process. */
static bool copy_state(struct hb_view_live *l, int64_t since, struct hb_state *ret, uint64_t *ret_change)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += WAIT_SECONDS;
	pthread_mutex_lock(&l->mutex);
	while (since >= 0 && (uint64_t)since == l->change && !l->ending)
		if (pthread_cond_timedwait(&l->published, &l->mutex, &until) == ETIMEDOUT)
			break;
	*ret = l->state;
	*ret_change = l->change;
	ret->process = malloc(((size_t)ret->size + 1) * sizeof *ret->process);
	if (ret->process && ret->size)
		memcpy(ret->process, l->state.process, (size_t)ret->size * sizeof *ret->process);
	pthread_mutex_unlock(&l->mutex);
	return ret->process;
}

/* ---- where it stands in the picture ---- */

/* The event that the process is inside of, or that was over last. line HB_NO: not known. */
static hb_at place_of(const hb_view_server *s, int32_t rank, const struct hb_shown *p)
{
	uint32_t processes = hb_model_get_info(s->model)->processes;
	const hb_process *all = hb_model_processes(s->model), *process = NULL;
	if ((uint32_t)rank < processes && !strcmp(all[rank].name, p->name)) /* mostly */
		process = &all[rank];
	for (uint32_t i = 0; i < processes && !process; i++)
		process = strcmp(all[i].name, p->name) ? NULL : &all[i];
	uint64_t event = p->event + (p->inside ? 1 : 0);
	if (!process || p->lane >= process->nlines)
		return (hb_at){HB_NO, 0};
	uint32_t line = process->first_line + p->lane;
	return event && event <= hb_model_lines(s->model)[line].events ? (hb_at){line, (uint32_t)event}
								       : (hb_at){HB_NO, 0};
}

static void put_x(struct hb_request *r, hb_at at, bool inside)
{
	static const char *const names[] = {",\"logical\":", ",\"physical\":"};
	for (int i = 0; i < 2; i++) {
		double enter = 0, exit = 0;
		hb_text_put(&r->out, names[i]);
		if (at.line == HB_NO) {
			hb_text_put(&r->out, "null");
			continue;
		}
		hb_layout_x(r->server->layout, i ? HB_AXIS_PHYSICAL : HB_AXIS_LOGICAL, at, &enter, &exit);
		hb_text_number(&r->out, hb__shown_x(i ? HB_AXIS_PHYSICAL : HB_AXIS_LOGICAL, inside ? enter : exit));
	}
}

/* What the call that it is inside of waited for when it was recorded: the message that it got then. */
static void put_blocked_on(struct hb_request *r, hb_at at)
{
	const hb_model *m = r->server->model;
	uint64_t n, i = 0;
	const hb_op *op = hb_model_ops(m, at.line, &n);
	uint64_t high = n;
	while (i < high) {
		uint64_t mid = i + (high - i) / 2;
		if (op[mid].event < at.event)
			i = mid + 1;
		else
			high = mid;
	}
	uint32_t send = HB_NO;
	for (; i < n && op[i].event == at.event && send == HB_NO; i++)
		send = op[i].kind == HB_OP_RECEIVED ? hb_model_receives(m)[op[i].id].send
		       : op[i].kind == HB_OP_PROBED ? hb_model_probes(m)[op[i].id].send
						    : HB_NO;
	if (send == HB_NO) {
		hb_text_put(&r->out, "null,\"blocked_by\":null");
		return;
	}
	uint32_t source = hb_model_channels(m)[hb_model_sends(m)[send].channel].source;
	hb_text_format(&r->out, "%d,\"blocked_by\":", hb_model_processes(m)[source].rank);
	hb__put_at(r, hb_send_at(m, send));
}

/* ---- writing ---- */

static void put_frame(struct hb_request *r, const struct hb_shown *p)
{
	static const char *const reasons[] = {
		"asked", "breakpoint", "watchpoint", "stepped", "signal", "exited", "killed", "running", "lost"};
	hb_text_format(&r->out, ",\"broken\":\"%s\",\"frame\":{\"function\":", reasons[p->reason]);
	hb_text_json(&r->out, p->function);
	hb_text_put(&r->out, ",\"file\":");
	hb_text_json(&r->out, p->file);
	hb_text_format(&r->out, ",\"row\":%d}", p->row);
}

static void put_process(struct hb_request *r, int32_t rank, const struct hb_shown *p, bool ready)
{
	static const char *const lives[] = {"absent", "running", "held", "broken", "exited", "dead"};
	static const char *const whys[] = {"start", "after", "signal", "end", "differs"};
	static const char *const arrivals[] = {"arrived", "blocked", "underway"};
	hb_text_format(&r->out,
		"%s{\"rank\":%d,\"name\":\"%s\",\"life\":\"%s\",\"arrival\":\"%s\",\"lane\":%u,\"event\":%llu,\"inside\":%s",
		rank ? "," : "", rank, p->name, lives[p->life], arrivals[p->arrival], p->lane,
		(unsigned long long)p->event, p->inside ? "true" : "false");
	hb_text_format(&r->out, ",\"why\":%s%s%s", p->life == HB_LIFE_HELD ? "\"" : "",
		p->life == HB_LIFE_HELD ? whys[p->why] : "null", p->life == HB_LIFE_HELD ? "\"" : "");
	hb_text_put(&r->out, ",\"call\":");
	if (p->call[0])
		hb_text_json(&r->out, p->call);
	else
		hb_text_put(&r->out, "null");
	hb_text_format(&r->out, p->signal ? ",\"signal\":%d" : ",\"signal\":null", p->signal);
	hb_text_format(&r->out, ",\"attached\":%s,\"bye\":", p->attached ? "true" : "false");
	hb_text_json(&r->out, p->bye);
	hb_at at = ready ? place_of(r->server, rank, p) : (hb_at){HB_NO, 0};
	put_x(r, at, p->inside);
	hb_text_put(&r->out, ",\"blocked_on\":");
	if (at.line != HB_NO && p->inside)
		put_blocked_on(r, at);
	else
		hb_text_put(&r->out, "null,\"blocked_by\":null");
	if (p->life == HB_LIFE_BROKEN)
		put_frame(r, p);
	hb_text_put(&r->out, "}");
}

static void put_seconds(hb_text *out, const char *name, double seconds)
{
	if (seconds < 0)
		hb_text_format(out, ",\"%s\":null", name);
	else
		hb_text_format(out, ",\"%s\":%.3f", name, seconds);
}

void hb__answer_state(struct hb_request *r)
{
	hb_view_server *s = r->server;
	struct hb_state state;
	uint64_t change;
	int64_t since;
	hb_error failed;
	double progress;
	if (!hb__view_whole(r, "since", -1, -1, INT64_MAX, &since))
		return;
	if (!copy_state(s->live, since, &state, &change)) {
		hb__view_refuse(r, 500, "out of memory");
		return;
	}
	bool ready = hb__built(s, &progress, &failed);
	hb_text_format(&r->out, "{\"change\":%llu,\"running\":%s,\"started\":%s", (unsigned long long)change,
		state.running ? "true" : "false", state.seconds >= 0 || state.size ? "true" : "false");
	put_seconds(&r->out, "seconds", state.running ? state.seconds + hb_seconds() - state.at : state.seconds);
	put_seconds(&r->out, "reached", state.reached);
	hb_text_put(&r->out, ",\"target\":");
	if (state.target[0])
		hb_text_json(&r->out, state.target);
	else
		hb_text_put(&r->out, "null");
	hb_text_put(&r->out, ",\"processes\":[");
	if (ready)
		hb__view_lock(&s->lock);
	for (int32_t i = 0; i < state.size; i++)
		put_process(r, i, &state.process[i], ready);
	if (ready)
		hb__view_unlock(&s->lock);
	hb_text_put(&r->out, "]}");
	free(state.process);
}
