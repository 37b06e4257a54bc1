/* A line of each run, in step: event by event up to the first call that differs. */
#include <string.h>

#include "calls/calls.h"
#include "internal.h"

#define STEP 100000u /* pairs between two calls of progress */

/* What comes a different number of times in every run. */
static bool is_passed(const hb_event *ev)
{
	return ev->shape == HB_SHAPE_CLOCK || ev->shape == HB_SHAPE_ORDER || ev->means->cls == HB_THREAD;
}

static int next(struct hb__side *s, hb_error *err)
{
	int more;
	s->there = s->inside = false;
	while ((more = hb_events_next(s->events, &s->ev, err)) > 0) {
		if (!is_passed(&s->ev)) {
			s->there = true;
			return 1;
		}
		s->passed++;
		s->clocks += s->ev.shape == HB_SHAPE_CLOCK;
	}
	if (!more)
		s->there = s->inside = hb_events_inside(s->events, &s->ev) > 0 && !is_passed(&s->ev);
	return more;
}

static uint64_t number_of(const struct hb__side *s)
{
	const hb_line *line = &hb_model_lines(s->run->model)[s->line];
	return !s->there || s->inside ? line->events + !s->there : s->ev.row->number;
}

static const hb_process *process_of(const struct hb__side *s) { return &hb_model_processes(s->run->model)[s->process]; }

void hb__differ(struct hb__walk *w, hb_difference d, bool at_exit)
{
	struct hb__candidate *k = &w->c->candidate[w->pair->a];
	if (k->there)
		return;
	k->there = true;
	k->d = d;
	k->d.at_exit = at_exit;
	k->d.clocks = w->side[0].clocks;
	k->d.a = (hb_at){w->pair->a, w->side[0].there ? (uint32_t)number_of(&w->side[0]) : 0};
	k->d.b = (hb_at){w->pair->b, w->side[1].there ? (uint32_t)number_of(&w->side[1]) : 0};
}

static hb_status open_side(struct hb__side *s, const hb_compare_run *run, uint32_t line, bool whole, hb_error *err)
{
	const hb_line *l = &hb_model_lines(run->model)[line];
	*s = (struct hb__side){.run = run, .line = line, .process = l->process};
	s->log = hb_model_processes(run->model)[l->process].log;
	s->contents = run->contents[l->process];
	s->kept = run->kept[l->process];
	hb_status status = hb_events_open(s->log, l->lane, &s->events, err);
	if (!status && s->contents && whole)
		status = hb_digests_open(s->contents, l->lane, &s->digests, err);
	return status;
}

/* The lines go separate ways from here. False. */
static bool parted(struct hb__walk *w)
{
	hb_difference *d = &w->c->candidate[w->pair->a].d;
	uint64_t event = number_of(&w->side[0]);
	w->c->sum->parted++;
	if (d->kind == HB_DIFFERENCE_CHOICE && d->a.event && d->a.event < event && w->side[0].there)
		d->until = (hb_at){w->pair->a, (uint32_t)event};
	return false;
}

/* The other run goes on: unless the log of this one was cut, its process ended earlier or waits for ever. */
static void ended(struct hb__walk *w)
{
	const struct hb__side *s = w->side;
	hb_difference d = {.kind = HB_DIFFERENCE_END, .collective = HB_NO};
	bool over[2] = {!s[0].there || s[0].inside, !s[1].there || s[1].inside}, cut = false;
	for (int i = 0; i < 2; i++) {
		d.never[i] = s[i].inside;
		if (over[i] && process_of(&s[i])->cut) {
			w->c->sum->cut[i]++;
			cut = true;
		}
	}
	bool alike = s[0].there == s[1].there && s[0].inside == s[1].inside &&
		     process_of(&s[0])->ending == process_of(&s[1])->ending;
	if (cut || alike)
		return;
	hb__differ(w, d, d.never[0] || d.never[1]);
	parted(w);
}

/* One pair of events. False: the line ends here. */
static bool compare_pair(struct hb__walk *w, hb_status *status)
{
	uint64_t before[2] = {number_of(&w->side[0]) - 1, number_of(&w->side[1]) - 1};
	bool same = hb__same_accesses(w, before, status);
	if (*status)
		return false;
	if (!same || !hb__same_call(w))
		return parted(w);
	w->c->sum->events++;
	w->c->sum->polls += !w->side[0].inside && w->side[0].ev.row->polls != w->side[1].ev.row->polls;
	if (w->side[0].inside || w->side[1].inside) {
		ended(w);
		return false;
	}
	*status = hb__diff_given(w);
	if (*status)
		return false;
	w->other_message = false;
	if (!hb__same_answers(w))
		return parted(w);
	if (!w->other_message)
		*status = hb__diff_got(w);
	return !*status;
}

static hb_status walk(struct hb__walk *w)
{
	hb_status status = HB_OK;
	const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
	hb_error *err = w->c->err;
	for (;;) {
		int a = next(&w->side[0], err), b = next(&w->side[1], err);
		if (a < 0 || b < 0)
			return (hb_status)(a < 0 ? a : b);
		if (!w->side[0].there || !w->side[1].there) {
			if (w->side[0].there || w->side[1].there || hb__same_accesses(w, all, &status))
				ended(w);
			else if (!status)
				parted(w);
			return status;
		}
		if (!compare_pair(w, &status))
			return status;
		if (++w->c->done % STEP == 0 && w->c->progress) {
			double n = (double)hb_model_get_info(w->c->run[0]->model)->events;
			w->c->progress(w->c->progress_user, (double)w->c->done / (n > 0 ? n : 1));
		}
	}
}

hb_status hb__walk_line(struct hb__comparison *c, struct hb__pair *pair)
{
	struct hb__walk w = {.c = c, .pair = pair};
	const uint32_t line[2] = {pair->a, pair->b};
	hb_status status = HB_OK;
	bool whole = c->run[0]->whole && c->run[1]->whole;
	for (int i = 0; i < 2 && !status; i++) {
		status = open_side(&w.side[i], c->run[i], line[i], whole, c->err);
		w.op[i] = hb_model_ops(c->run[i]->model, line[i], &w.nop[i]);
	}
	if (!status)
		status = walk(&w);
	for (int i = 0; i < 2; i++) {
		c->sum->passed += w.side[i].passed;
		hb_events_close(w.side[i].events);
		hb_digests_close(w.side[i].digests);
	}
	return status;
}
