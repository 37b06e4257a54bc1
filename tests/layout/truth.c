#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/clock/clock.h"
#include "truth.h"

/* ---- times ---- */

static bool on_stamp(void *user, const hb_stamp *s)
{
	struct fact *f = fact_of(user, s->at);
	f->enter[HB_AXIS_LOGICAL] = (double)s->lamport_enter;
	f->exit[HB_AXIS_LOGICAL] = (double)s->lamport;
	return true;
}

static uint8_t kind_of(const hb_function *f)
{
	switch (f ? f->cls : 0) {
	case 1:
		return HB_BOX_SEND;
	case 2:
		return HB_BOX_RECEIVE;
	case 3:
		return HB_BOX_COMPLETE;
	case 4:
		return HB_BOX_PROBE;
	case 5:
		return HB_BOX_COLLECTIVE;
	default:
		return HB_BOX_LOCAL;
	}
}

static void read_line(struct truth *t, uint32_t line, double shift)
{
	const hb_line *l = &hb_model_lines(t->model)[line];
	hb_log *log = hb_model_processes(t->model)[l->process].log;
	double tick_ns = hb_log_get_info(log)->tick_ns;
	uint64_t last = 0;
	hb_events *events;
	hb_event ev;
	hb_error err;
	if (hb_events_open(log, l->lane, &events, &err))
		abort();
	for (uint32_t i = 0; i < l->events; i++) {
		bool inside = hb_events_next(events, &ev, &err) != 1;
		if (inside && !hb_events_inside(events, &ev))
			abort();
		uint64_t enter = ev.row->enter > last ? ev.row->enter : last;
		last = inside ? enter : ev.row->exit > enter ? ev.row->exit : enter;
		struct fact *f = &t->fact[line][i];
		f->enter[HB_AXIS_PHYSICAL] = shift + (double)enter * tick_ns;
		f->exit[HB_AXIS_PHYSICAL] = shift + (double)last * tick_ns;
		f->function = ev.function->name;
		f->kind = kind_of(ev.function);
		f->failed = !inside && ev.row->result;
		f->inside = inside;
	}
	hb_events_close(events);
}

/* ---- waiting ---- */

struct needing {
	struct truth *t;
	struct fact *f;
	uint32_t collective;
};

static void needs(struct needing *n, hb_at at)
{
	if (at.line == HB_NO || !at.event)
		return;
	for (int axis = 0; axis < 2; axis++)
		if (fact_of(n->t, at)->enter[axis] > n->f->until[axis])
			n->f->until[axis] = fact_of(n->t, at)->enter[axis];
}

static bool needs_process(void *user, uint32_t process)
{
	struct needing *n = user;
	needs(n, hb_collective_enter(n->t->model, n->collective, process));
	return true;
}

static void on_op(struct truth *t, uint32_t line, const hb_op *o)
{
	hb_model *m = t->model;
	struct needing n = {t, fact_of(t, (hb_at){line, o->event}), o->id};
	uint32_t other = HB_NO;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_RECEIVED:
		if (hb_model_receives(m)[o->id].line != line)
			needs(&n, hb_receive_post(m, o->id));
		other = hb_model_receives(m)[o->id].send;
		break;
	case HB_OP_PROBED:
		other = hb_model_probes(m)[o->id].send;
		break;
	case HB_OP_SENT:
		if (hb_model_sends(m)[o->id].receive != HB_NO)
			needs(&n, hb_receive_post(m, hb_model_sends(m)[o->id].receive));
		break;
	case HB_OP_LEAVE:
		hb__collective_needs(m, o->id, hb_model_lines(m)[line].process, needs_process, &n);
		break;
	case HB_OP_TOLD:
		needs(&n, hb_model_edges(m)[o->id].from);
		break;
	case HB_OP_ENTER:
		if (n.f->kind == HB_BOX_LOCAL)
			n.f->kind = HB_BOX_COLLECTIVE;
		break;
	default:
		break;
	}
	if (other != HB_NO)
		needs(&n, hb_send_at(m, other));
}

static bool on_race(void *user, const hb_race *race)
{
	struct truth *t = user;
	fact_of(t, race->done)->races = true;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		if (t->alternatives == t->room) {
			t->room = t->room * 2 + 64;
			t->alternative = realloc(t->alternative, t->room * sizeof *t->alternative);
			if (!t->alternative)
				abort();
		}
		t->alternative[t->alternatives++] = (struct alternative){race->done, race->alternative[i].send};
	}
	return true;
}

bool truth_open(struct truth *t, hb_model *model, const int64_t *shift_ns)
{
	hb_error err;
	hb_race_sum sum;
	*t = (struct truth){.model = model, .info = hb_model_get_info(model)};
	t->fact = calloc(t->info->lines + 1u, sizeof *t->fact);
	for (uint32_t i = 0; i < t->info->lines; i++) {
		const hb_line *l = &hb_model_lines(model)[i];
		t->fact[i] = calloc(l->events + 1u, sizeof **t->fact);
		read_line(t, i, (double)shift_ns[l->process]);
	}
	if (hb_clocks_run(model, on_stamp, t, NULL, NULL, &err) ||
		hb_races(model, 0, on_race, t, &sum, NULL, NULL, &err))
		return false;
	for (uint32_t i = 0; i < t->info->lines; i++) {
		uint64_t n;
		const hb_op *op = hb_model_ops(model, i, &n);
		for (uint64_t k = n; k-- > 0;) {
			fact_of(t, (hb_at){i, op[k].event})->first_op = k;
			on_op(t, i, &op[k]);
		}
	}
	return true;
}

void truth_close(struct truth *t)
{
	for (uint32_t i = 0; i < t->info->lines; i++)
		free(t->fact[i]);
	free(t->fact);
	free(t->alternative);
}

/* ---- filters ---- */

static bool function_wanted(const char *name, const hb_layout_filter *f, const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return !f->function || f->function[i];
	return false;
}

static bool belongs(const hb_layout_filter *f, uint32_t group, bool tagged, int32_t tag)
{
	return (!f->group || f->group[group]) && (!f->has_tag || (tagged && f->tag == tag));
}

static bool message_belongs(const struct truth *t, const hb_layout_filter *f, uint32_t send)
{
	const hb_channel *c = &hb_model_channels(t->model)[hb_model_sends(t->model)[send].channel];
	return belongs(f, c->group, true, c->tag);
}

static bool op_belongs(const struct truth *t, const hb_op *o, const hb_layout_filter *f)
{
	const hb_model *m = t->model;
	uint32_t send = o->id, spec = HB_NO;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_ENTER:
	case HB_OP_LEAVE:
		return belongs(f, hb_model_collectives(m)[o->id].group, false, 0);
	case HB_OP_POST:
	case HB_OP_RECEIVED:
		send = hb_model_receives(m)[o->id].send;
		spec = hb_model_receives(m)[o->id].spec;
		break;
	case HB_OP_PROBED:
		send = hb_model_probes(m)[o->id].send;
		spec = hb_model_probes(m)[o->id].spec;
		break;
	case HB_OP_TELL:
	case HB_OP_TOLD:
		return false;
	default:
		break;
	}
	if (send != HB_NO)
		return message_belongs(t, f, send);
	const hb_spec *s = &hb_model_specs(m)[spec];
	return belongs(f, s->group, true, s->tag);
}

bool truth_event_wanted(
	const struct truth *t, hb_at at, const hb_layout_filter *f, const char *const *names, uint32_t n)
{
	uint64_t nops;
	const hb_op *op = hb_model_ops(t->model, at.line, &nops);
	if (!f)
		return true;
	if (!function_wanted(fact_of(t, at)->function, f, names, n))
		return false;
	if (!f->group && !f->has_tag)
		return true;
	for (uint64_t i = fact_of(t, at)->first_op; i < nops && op[i].event <= at.event; i++)
		if (op[i].event == at.event && op_belongs(t, &op[i], f))
			return true;
	return false;
}

bool truth_message(const struct truth *t, uint32_t send, hb_at *ret_from, hb_at *ret_to)
{
	const hb_send *s = &hb_model_sends(t->model)[send];
	const hb_channel *c = &hb_model_channels(t->model)[s->channel];
	*ret_from = hb_send_at(t->model, send);
	*ret_to = (hb_at){HB_NO, 0};
	if (c->dest != HB_NO && hb_model_processes(t->model)[c->dest].nlines)
		ret_to->line = hb_model_processes(t->model)[c->dest].first_line;
	if (s->receive != HB_NO) {
		hb_at done = hb_receive_done(t->model, s->receive);
		*ret_to = done.event ? done : (hb_at){hb_receive_post(t->model, s->receive).line, 0};
	}
	return !(s->flags & HB_CANCELLED);
}

bool truth_message_wanted(
	const struct truth *t, uint32_t send, const hb_layout_filter *f, const char *const *names, uint32_t n)
{
	hb_at from, to;
	truth_message(t, send, &from, &to);
	return !f || (message_belongs(t, f, send) &&
			     (function_wanted(fact_of(t, from)->function, f, names, n) ||
				     (to.event && function_wanted(fact_of(t, to)->function, f, names, n))));
}
