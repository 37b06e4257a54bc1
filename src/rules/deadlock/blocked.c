/* Deadlocks: the calls that wait for what never comes, each cycle and each orphan named. */
#include <stdio.h>

#include "rules/deadlock/wait.h"

#define POINTS 12
#define CYCLES 4

static const char *const MEND_SENDS =
	"Let one of them receive first, post the receives before the sends (MPI_Irecv), or use MPI_Sendrecv.";
static const char *const MEND_RECEIVES = "One of them has to send before it receives.";
static const char *const MEND_MIXED = "In the process that is waited for, one of these calls has to come earlier.";

/* What one verdict says. */
struct verdict {
	hb_point point[POINTS];
	uint32_t n;
	struct hb__text sentence, advice;
};

static void add_point(struct verdict *v, hb_point p, const char *role)
{
	if (v->n == POINTS)
		return;
	if (role)
		snprintf(p.role, sizeof p.role, "%.*s", (int)sizeof p.role - 1, role);
	v->point[v->n++] = p;
}

static hb_status report(struct hb__graph *g, hb_finding_id id, bool possible, struct verdict *v, hb_error *err)
{
	const char *advice = v->advice.n ? v->advice.at : NULL;
	return hb__finding(g->c, id, possible, advice, v->point, v->n, err, "%s", v->sentence.at);
}

/* ---- who else waits ---- */

static uint32_t *stuck_processes(const struct hb__graph *g, const bool *but, size_t *ret_n)
{
	const hb_model_info *info = hb_model_get_info(g->m);
	uint32_t *list = malloc(((size_t)info->processes + 1) * sizeof *list);
	*ret_n = 0;
	if (!list)
		return NULL;
	for (uint32_t p = 0; p < info->processes; p++) {
		const hb_process *at = &hb_model_processes(g->m)[p];
		bool stuck = false;
		for (uint32_t i = 0; i < at->nlines; i++)
			stuck |= hb__is_stuck(g, at->first_line + i);
		if (stuck && !but[p])
			list[(*ret_n)++] = p;
	}
	return list;
}

/* The others that wait, by the same call at the same place; a point for the first of each. */
static void say_others(struct hb__graph *g, struct verdict *v, const bool *named)
{
	size_t n, k = 0;
	uint32_t *list = stuck_processes(g, named, &n);
	if (list && n) {
		hb__phrase(&v->sentence, "; ");
		hb__phrase_ranks(&v->sentence, g, list, n);
		hb__phrase(&v->sentence, n == 1 ? " waits for them" : " wait for them");
	}
	for (size_t i = 0; i < n && list && v->n < POINTS; i++) {
		const struct hb__wait *w = &g->wait[hb_model_processes(g->m)[list[i]].first_line];
		bool told = false;
		for (k = 0; k < i && !told; k++) {
			const struct hb__wait *o = &g->wait[hb_model_processes(g->m)[list[k]].first_line];
			told = o->site == w->site && o->name && w->name && !strcmp(o->name, w->name);
		}
		if (told || !hb__is_stuck(g, w->line))
			continue;
		struct hb__text t = {.n = 0};
		hb__phrase_wait(&t, g, w);
		add_point(v, hb__point_of(g, w->line), t.at);
	}
	free(list);
}

static void say_near(const struct hb__graph *g, struct verdict *v, const struct hb__wait *w)
{
	hb_point p;
	struct hb__text t = {.n = 0};
	if (v->advice.n || !hb__near_miss(g, w, &p, &t))
		return;
	hb__phrase(&v->advice, "A near miss: %s.", t.at);
	add_point(v, p, NULL);
}

/* Threads of the processes that were named that sleep for the others. */
static void say_sleepers(struct hb__graph *g, struct verdict *v, const bool *named)
{
	enum { MOST = 3 };
	uint32_t told = 0;
	for (uint32_t l = 0; l < hb_model_get_info(g->m)->lines && told < MOST; l++) {
		const struct hb__wait *w = &g->wait[l];
		if (!w->asleep || !named[w->process] || !hb__is_stuck(g, l))
			continue;
		hb__phrase(&v->sentence, "; ");
		hb__phrase_who(&v->sentence, g, l);
		hb__phrase(&v->sentence, " ");
		hb__phrase_wait(&v->sentence, g, w);
		told++;
	}
}

/* ---- cycles ---- */

static void say_cycle(struct hb__graph *g, struct verdict *v, const struct hb__step *step, uint32_t n, bool *named)
{
	enum { DETAILS = 4 };
	uint32_t *list = malloc(((size_t)n + 1) * sizeof *list), k = 0;
	bool sends = true, receives = true;
	for (uint32_t p = 0; list && p < hb_model_get_info(g->m)->processes; p++)
		for (uint32_t i = 0; i < n; i++)
			if (g->wait[step[i].line].process == p && !named[p]) {
				named[p] = true;
				list[k++] = p;
			}
	if (list)
		hb__phrase_ranks(&v->sentence, g, list, k);
	hb__phrase(&v->sentence, k == 1 ? " waits for itself" : " wait for each other");
	for (uint32_t i = 0; i < n; i++) {
		const struct hb__wait *w = &g->wait[step[i].line];
		const struct hb__need *need = step[i].need == HB_NO ? NULL : &g->need[step[i].need];
		struct hb__text t = {.n = 0};
		sends &= need && need->want == HB__WANT_RECEIVE;
		receives &= need && need->want == HB__WANT_MESSAGE;
		if (i < DETAILS) {
			hb__phrase(&v->sentence, i ? ", " : ": ");
			hb__phrase_who(&v->sentence, g, w->line);
			hb__phrase(&v->sentence, " ");
			hb__phrase_wait(&v->sentence, g, w);
		}
		hb__phrase_wait(&t, g, w);
		if (i < POINTS - 2 || n <= POINTS)
			add_point(v, hb__point_of(g, w->line), t.at);
	}
	if (n > DETAILS)
		hb__phrase(&v->sentence, ", and so on");
	for (uint32_t i = 0; i < n; i++)
		say_near(g, v, &g->wait[step[i].line]);
	hb__phrase(&v->advice, "%s%s", v->advice.n ? " " : "",
		sends      ? MEND_SENDS
		: receives ? MEND_RECEIVES
			   : MEND_MIXED);
	free(list);
}

static bool polls(const struct hb__graph *g, const struct hb__step *step, uint32_t n)
{
	bool yes = false;
	for (uint32_t i = 0; i < n; i++)
		yes |= g->wait[step[i].line].poll;
	return yes;
}

/* Those in the same collective, or waiting for the same ranks, are not another cycle. */
static void release(struct hb__graph *g, const struct hb__step *step, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		g->forced[step[i].line] = 1;
	hb__reduce(g, true);
}

static hb_status cycles(struct hb__graph *g, bool *named, uint32_t *ret_found, hb_error *err)
{
	uint32_t lines = hb_model_get_info(g->m)->lines, processes = hb_model_get_info(g->m)->processes;
	struct hb__step *step = malloc(((size_t)lines + 1) * sizeof *step);
	hb_status status = step ? HB_OK : HB_E_MEMORY;
	uint32_t n, found = 0;
	while (!status && found < CYCLES && (n = hb__cycle(g, step))) {
		struct verdict *v = calloc(1, sizeof *v);
		bool *here = calloc((size_t)processes + 1, sizeof *here);
		if (!v || !here) {
			status = HB_E_MEMORY;
		} else {
			say_cycle(g, v, step, n, here);
			for (uint32_t p = 0; p < processes; p++)
				named[p] |= here[p];
			say_sleepers(g, v, here);
			if (!found)
				say_others(g, v, named);
			status = report(g, polls(g, step, n) ? HB_HANG_POLL : HB_DEADLOCK_CYCLE, g->soft, v, err);
		}
		free(v);
		free(here);
		release(g, step, n);
		found++;
	}
	*ret_found += found;
	free(step);
	return status;
}

/* ---- orphans ---- */

struct orphan {
	uint32_t line, need;
};

/* The same call at the same place, for the same thing. */
static bool alike(const struct hb__graph *g, const struct orphan *a, const struct orphan *b)
{
	const struct hb__wait *x = &g->wait[a->line], *y = &g->wait[b->line];
	const struct hb__need *n = &g->need[a->need], *m = &g->need[b->need];
	bool peers = n->peer == m->peer || (n->peer == x->process && m->peer == y->process);
	return x->site == y->site && !strcmp(x->name, y->name) && n->want == m->want && n->tag == m->tag && peers &&
	       n->group == m->group && (n->want != HB__WANT_COLLECTIVE || n->id == m->id);
}

static void say_why(struct hb__graph *g, struct hb__text *t, const struct orphan *o)
{
	const struct hb__need *need = &g->need[o->need];
	const struct hb__node *n = &g->node[need->node];
	uint32_t process = need->peer, self = g->wait[o->line].process;
	if (need->want == HB__WANT_THREAD)
		hb__phrase(t, ", but all its threads sleep");
	else if (process == self)
		hb__phrase(t, ", but is in that very call");
	for (uint32_t i = 0; i < n->n && process == HB_NO; i++) {
		uint32_t p = g->edge[n->first + i].input;
		if (need->want == HB__WANT_COLLECTIVE && g->process[p] == HB__OVER)
			process = p;
	}
	if (process == HB_NO) {
		hb__phrase(t, need->want == HB__WANT_PEER ? ", but nobody else who has it is left"
							  : ", but all others have ended");
	} else if (process != self) {
		hb__phrase(t, ", but %s%s ", hb_rank_word(hb__named(g, process)), hb__named(g, process));
		hb__phrase_state(t, g, process);
	}
}

static hb_status say_orphan(struct hb__graph *g, const struct orphan *all, size_t n, size_t first, bool *told,
	bool others, bool *named, hb_error *err)
{
	struct verdict *v = calloc(1, sizeof *v);
	uint32_t *list = calloc(n + 1, sizeof *list);
	hb_status status = HB_E_MEMORY;
	size_t k = 0;
	if (v && list) {
		const struct hb__wait *w = &g->wait[all[first].line];
		for (size_t i = first; i < n; i++)
			if (!told[i] && alike(g, &all[first], &all[i])) {
				told[i] = true;
				if (!k || list[k - 1] != g->wait[all[i].line].process)
					list[k++] = g->wait[all[i].line].process;
			}
		if (k == 1)
			hb__phrase_who(&v->sentence, g, w->line);
		else
			hb__phrase_ranks(&v->sentence, g, list, k);
		hb__phrase(&v->sentence, " %s %s%s%s%s for ",
			k == 1 ? (w->poll ? "polls" : "waits") : (w->poll ? "poll" : "wait"),
			w->asleep ? hb_process_outside(hb__named(g, w->process))
			: w->poll ? "with "
				  : "in ",
			w->asleep ? " (" : "", w->name, w->asleep ? ")" : "");
		hb__phrase_need(&v->sentence, g, w, &g->need[all[first].need]);
		say_why(g, &v->sentence, &all[first]);
		struct hb__text t = {.n = 0};
		hb__phrase_wait(&t, g, w);
		add_point(v, hb__point_of(g, w->line), t.at);
		say_near(g, v, w);
		if (others)
			say_others(g, v, named);
		status = report(g, w->poll ? HB_HANG_POLL : HB_DEADLOCK_ORPHAN, g->soft, v, err);
	}
	free(v);
	free(list);
	return status;
}

static hb_status orphans(struct hb__graph *g, bool *named, uint32_t *ret_found, hb_error *err)
{
	enum { MOST = 6 };
	uint32_t lines = hb_model_get_info(g->m)->lines, told = 0;
	struct orphan *all = malloc(((size_t)lines + 1) * sizeof *all);
	bool *done = calloc((size_t)lines + 1, sizeof *done);
	hb_status status = all && done ? HB_OK : HB_E_MEMORY;
	size_t n = 0;
	for (uint32_t l = 0; l < lines && !status; l++) {
		all[n].line = l;
		if (hb__is_orphan(g, l, &all[n].need)) {
			named[g->wait[l].process] = true;
			n++;
		}
	}
	for (size_t i = 0; i < n && !status; i++)
		if (!done[i] && told++ < MOST)
			status = say_orphan(g, all, n, i, done, told == 1, named, err);
	for (size_t i = 0; i < n && !status; i++)
		g->forced[all[i].line] = 1;
	if (n)
		hb__reduce(g, true);
	*ret_found += told;
	free(all);
	free(done);
	return status;
}

/* ---- what each one does, when nothing is proven ---- */

/* Where each of its threads stands. */
static void say_threads(struct hb__graph *g, struct hb__text *t, const hb_process *p)
{
	enum { MOST = 4 };
	for (uint32_t i = 0; i < p->nlines && i < MOST; i++) {
		const struct hb__wait *w = &g->wait[p->first_line + i];
		hb__phrase(t, "%sthread %u ", i ? ", " : "", i);
		if (w->name && w->n && !w->done)
			hb__phrase_wait(t, g, w);
		else
			hb__phrase(t,
				w->name   ? "is in %s"
				: w->over ? "has ended"
					  : "is %s",
				w->name ? w->name : hb_process_outside(p->name));
	}
	if (p->nlines > MOST)
		hb__phrase(t, ", %u more threads", p->nlines - MOST);
}

static void say_doing(struct hb__graph *g, struct hb__text *t, uint32_t process)
{
	const hb_process *p = &hb_model_processes(g->m)[process];
	const struct hb__wait *w = p->nlines ? &g->wait[p->first_line] : NULL;
	bool runs = p->ending == HB_ENDING_NONE && g->process[process] != HB__OVER;
	if (runs && p->nlines > 1 && p->log)
		say_threads(g, t, p);
	else if (w && w->name && w->n && !w->done && p->ending == HB_ENDING_NONE && g->process[process] != HB__OVER)
		hb__phrase_wait(t, g, w);
	else
		hb__phrase_state(t, g, process);
}

/* Those of the processes from p on that do the same as p. */
static size_t same_as(struct hb__graph *g, uint32_t p, const char *text, bool *told, uint32_t *list)
{
	size_t k = 0;
	for (uint32_t q = p; q < hb_model_get_info(g->m)->processes; q++) {
		struct hb__text other = {.n = 0};
		if (told[q])
			continue;
		say_doing(g, &other, q);
		if (strcmp(text, other.at) != 0)
			continue;
		told[q] = true;
		list[k++] = q;
	}
	return k;
}

static hb_status listing(struct hb__graph *g, hb_error *err)
{
	uint32_t n = hb_model_get_info(g->m)->processes, *list = calloc((size_t)n + 1, sizeof *list), rest = 0;
	bool *told = calloc((size_t)n + 1, sizeof *told);
	struct verdict *v = calloc(1, sizeof *v);
	hb_status status = list && told && v ? HB_OK : HB_E_MEMORY;
	for (uint32_t p = 0; p < n && !status; p++) {
		struct hb__text mine = {.n = 0};
		if (told[p] || v->n == POINTS) {
			rest += !told[p];
			continue;
		}
		say_doing(g, &mine, p);
		size_t k = same_as(g, p, mine.at, told, list);
		hb__phrase(&v->sentence, "%s", v->n ? "; " : "no process makes progress any more: ");
		hb__phrase_ranks(&v->sentence, g, list, k);
		hb__phrase(&v->sentence, " %s%s", k > 1 ? "each " : "", mine.at);
		if (hb_model_processes(g->m)[p].nlines)
			add_point(v, hb__point_of(g, hb_model_processes(g->m)[p].first_line), mine.at);
	}
	if (!status) {
		if (rest)
			hb__phrase(&v->sentence, "; %u more", rest);
		hb__phrase(&v->advice,
			"It is not proven that these calls wait for each other. A process that is outside of them computes or is in a loop: look at it with hbdb debug.");
		status = report(g, HB_HANG, true, v, err);
	}
	free(list);
	free(told);
	free(v);
	return status;
}

/* ---- the rule ---- */

static bool somebody_inside(const hb_case *c)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	bool inside = false;
	for (uint32_t l = 0; l < info->lines; l++)
		inside |= hb_model_lines(c->model)[l].inside;
	return inside || c->hanging;
}

static hb_status verdicts(struct hb__graph *g, hb_error *err)
{
	uint32_t found = 0;
	bool *named = calloc((size_t)hb_model_get_info(g->m)->processes + 1, sizeof *named);
	hb_status status = named ? HB_OK : HB_E_MEMORY;
	for (int soft = 0; soft <= g->hanging && !found && !status; soft++) {
		g->soft = soft;
		hb__reduce(g, true);
		status = orphans(g, named, &found, err);
		status = status ? status : cycles(g, named, &found, err);
	}
	if (!status && !found && g->hanging)
		status = listing(g, err);
	free(named);
	return status;
}

hb_status hb_rule_deadlock(hb_case *c, hb_error *err)
{
	struct hb__graph *g;
	if (c->complete || !somebody_inside(c))
		return HB_OK;
	hb_status status = hb__graph_make(c->model, c->hanging, c, &g, err);
	if (status)
		return status;
	status = verdicts(g, err);
	if (status == HB_E_MEMORY && err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	hb__graph_free(g);
	return status;
}
