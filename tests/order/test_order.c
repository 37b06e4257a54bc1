/* Issue "Order and races", item 2: clocks, order, proofs, cuts and futures of random runs against the transitive
 * closure of a graph built by definition from what happened. */
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 400, .runs = 2};

struct sums {
	long runs, other_match, events, pairs, chains, links, cuts, futures, together, concurrent;
	long reaches, wrong_reach;
	long wrong_clock, wrong_lamport, wrong_order, wrong_chain, wrong_cut, wrong_future, wrong_seen;
};

struct compared {
	const struct run *r;
	const struct graph *g;
	struct opened *o;
	struct sums *sums;
	int seen[MAX_THREADS]; /* events visited */
	int told[MAX_THREADS]; /* the last point that the pass came to, 1 + its number; 0: none */
	uint32_t clock[MAX_THREADS][MAX_CALLS][MAX_THREADS];
};

/* ---- clocks ---- */

static bool on_stamp(void *user, const hb_stamp *s)
{
	struct compared *c = user;
	int line = (int)s->at.line, event = (int)s->at.event;
	if (line >= c->g->lines || event != ++c->seen[line] || event > c->g->events[line]) {
		c->sums->wrong_clock++;
		differs(&suite, c->r, "visit of %d:%d", line, event);
		return true;
	}
	int last = graph_last(c->g, line, event);
	bool good = true;
	for (int l = 0; l < c->g->lines; l++) {
		c->clock[line][event - 1][l] = s->clock[l];
		good = good && s->clock[l] == graph_clock(c->g, last, l);
		/* each after all that happened before it: strictly */
		for (int e = c->seen[l] + 1; e <= c->g->events[l]; e++)
			good = good && !(graph_exited(c->g, l, e) &&
					       graph_before(c->g, point(l, e, true), point(line, event, false)));
	}
	if (!good) {
		c->sums->wrong_clock++;
		differs(&suite, c->r, "clock of %d:%d: of line 0 %u, by definition %u, of line 1 %u, %u", line, event,
			s->clock[0], graph_clock(c->g, last, 0), c->g->lines > 1 ? s->clock[1] : 0,
			graph_clock(c->g, last, c->g->lines > 1));
	}
	if (s->lamport_enter != c->g->lamport[point(line, event, false)] || s->lamport != c->g->lamport[last]) {
		c->sums->wrong_lamport++;
		differs(&suite, c->r, "Lamport time of %d:%d %llu to %llu, by definition %u to %u", line, event,
			(unsigned long long)s->lamport_enter, (unsigned long long)s->lamport,
			c->g->lamport[point(line, event, false)], c->g->lamport[last]);
	}
	c->sums->events++;
	return true;
}

/* ---- how far the pass is ---- */

/* All that happened before the point was told before it; and the clock is that of the point. */
static bool on_reached(void *user, const hb_reach *r)
{
	struct compared *c = user;
	int line = (int)r->line, here = point(line, (int)r->event, r->exit);
	bool good = line < c->g->lines && here + 1 >= c->told[line] &&
		    (!r->exit || graph_exited(c->g, line, (int)r->event));
	for (int l = 0; good && l < c->g->lines; l++) {
		good = r->clock[l] == graph_clock(c->g, here, l);
		for (int e = 1; good && l != line && e <= c->g->events[l]; e++)
			for (int exit = 0; exit < 2 && (!exit || graph_exited(c->g, l, e)); exit++)
				good = good &&
				       (point(l, e, exit) < c->told[l] || !graph_before(c->g, point(l, e, exit), here));
	}
	c->sums->reaches++;
	c->sums->wrong_reach += !good;
	if (!good)
		differs(&suite, c->r, "the pass is at the %s of %d:%d", r->exit ? "exit" : "enter", line,
			(int)r->event);
	else
		c->told[line] = here + 1;
	return true;
}

static void check_reached(struct compared *c)
{
	hb_error err;
	if (hb_clocks_run_with(c->o->model, &(hb_clock_options){.reached = on_reached, .user = c}, NULL, NULL, &err))
		c->sums->wrong_reach++;
	for (int l = 0; l < c->g->lines; l++)
		if (c->g->events[l] && c->told[l] != graph_last(c->g, l, c->g->events[l]) + 1) {
			c->sums->wrong_reach++;
			differs(&suite, c->r, "the pass did not come to the end of line %d", l);
		}
}

static bool before(const struct graph *g, hb_at a, hb_at b)
{
	return graph_before(g, point((int)a.line, (int)a.event, false), graph_last(g, (int)b.line, (int)b.event));
}

/* What follows from the definitions: no two events have one clock unless each had to begin before the other could end;
 * what ended before another began has the smaller Lamport time. */
static void check_clocks(struct compared *c)
{
	const struct graph *g = c->g;
	for (int l = 0; l < g->lines; l++) {
		if (c->seen[l] != g->events[l]) {
			c->sums->wrong_clock++;
			differs(&suite, c->r, "line %d: %d of %d events visited", l, c->seen[l], g->events[l]);
		}
		for (int k = 0; k < g->lines; k++)
			for (int e = 1; e <= g->events[l]; e++)
				for (int f = 1; f <= g->events[k]; f++) {
					hb_at a = {(uint32_t)l, (uint32_t)e}, b = {(uint32_t)k, (uint32_t)f};
					bool same = !memcmp(c->clock[l][e - 1], c->clock[k][f - 1],
						sizeof(uint32_t) * (size_t)g->lines);
					if (same && (l != k || e != f) && !(before(g, a, b) && before(g, b, a)))
						c->sums->wrong_clock++;
					bool strict = graph_exited(g, l, e) &&
						      graph_before(g, point(l, e, true), point(k, f, false));
					if (strict && g->lamport[point(l, e, true)] >= g->lamport[point(k, f, false)])
						c->sums->wrong_lamport++;
				}
	}
}

/* ---- what sends have seen ---- */

static void check_seen(struct compared *c)
{
	const hb_model_info *info = hb_model_get_info(c->o->model);
	for (uint32_t i = 0; i < info->sends; i++) {
		hb_at at = hb_send_at(c->o->model, i);
		const hb_channel *channel = &hb_model_channels(c->o->model)[hb_model_sends(c->o->model)[i].channel];
		const hb_process *to = channel->dest == HB_NO ? NULL : &hb_model_processes(c->o->model)[channel->dest];
		for (uint32_t l = to ? to->first_line : 0; to && l < to->first_line + to->nlines; l++) {
			uint32_t truth = graph_clock(c->g, point((int)at.line, (int)at.event, false), (int)l);
			if (hb_send_seen(c->o->model, i, l) == truth)
				continue;
			c->sums->wrong_seen++;
			differs(&suite, c->r, "send at %u:%u has seen %u of line %u, by definition %u", at.line,
				at.event, hb_send_seen(c->o->model, i, l), l, truth);
		}
	}
}

/* ---- order and proofs ---- */

static bool has_edge(const struct graph *g, int from, int to, enum edge_kind kind)
{
	for (int i = 0; i < g->nedges; i++)
		if (g->edge[i].from == from && g->edge[i].to == to && g->edge[i].kind == kind)
			return true;
	return false;
}

static bool good_place(const struct graph *g, hb_at at)
{
	return (int)at.line < g->lines && at.event && (int)at.event <= g->events[at.line];
}

/* Follows one link from `*at`, a point; false when the link does not hold or does not go on from there. */
static bool follow(const struct graph *g, const hb_link *link, int *at)
{
	static const enum edge_kind kinds[] = {[HB_LINK_MESSAGE] = EDGE_MESSAGE,
		[HB_LINK_PROBE] = EDGE_PROBE,
		[HB_LINK_SYNC] = EDGE_SYNC,
		[HB_LINK_COLLECTIVE] = EDGE_COLLECTIVE};
	if (link->kind > HB_LINK_START) /* requests are not handed over between the lanes here */
		return false;
	if (!good_place(g, link->from) || !good_place(g, link->to))
		return false;
	int enter = point((int)link->from.line, (int)link->from.event, false), to_line = (int)link->to.line;
	int to = point(to_line, (int)link->to.event, true);
	if (link->kind == HB_LINK_PROGRAM) {
		if (link->from.line != link->to.line || link->to.event < link->from.event || *at / 2 != enter / 2)
			return false;
		if (link->to.event > link->from.event)
			*at = point(to_line, (int)link->to.event, false);
		else if (graph_exited(g, to_line, (int)link->to.event))
			*at = to;
		return true;
	}
	if (link->kind == HB_LINK_START) {
		bool good = *at / 2 == enter / 2 && link->from.event == 1;
		*at = point(to_line, (int)link->to.event, false);
		return good && has_edge(g, enter + 1, *at, EDGE_START);
	}
	bool good = *at == enter && graph_exited(g, to_line, (int)link->to.event) &&
		    (has_edge(g, enter, to, kinds[link->kind]) ||
			    /* an Mprobe sees and takes: either name will do */
			    (link->kind == HB_LINK_MESSAGE && has_edge(g, enter, to, EDGE_PROBE)));
	*at = to;
	return good;
}

static void check_chain(struct compared *c, hb_at from, hb_at to, const hb_link *chain, size_t n)
{
	int at = point((int)from.line, (int)from.event, false);
	size_t i = 0;
	while (i < n && follow(c->g, &chain[i], &at))
		i++;
	c->sums->chains++;
	c->sums->links += (long)n;
	if (i == n && at / 2 == point((int)to.line, (int)to.event, false) / 2)
		return;
	c->sums->wrong_chain++;
	differs(&suite, c->r, "proof from %u:%u to %u:%u fails at link %zu of %zu: kind %d, %u:%u to %u:%u", from.line,
		from.event, to.line, to.event, i + 1, n, i < n ? (int)chain[i].kind : -1,
		i < n ? chain[i].from.line : 0, i < n ? chain[i].from.event : 0, i < n ? chain[i].to.line : 0,
		i < n ? chain[i].to.event : 0);
}

static void check_pair(struct compared *c, hb_at a, hb_at b)
{
	const struct graph *g = c->g;
	bool ab = before(g, a, b), ba = before(g, b, a), same = a.line == b.line && a.event == b.event;
	hb_relation truth = same ? HB_SAME : ab && ba ? HB_TOGETHER : ab ? HB_BEFORE : ba ? HB_AFTER : HB_CONCURRENT;
	hb_at first = truth == HB_AFTER ? b : a, second = truth == HB_AFTER ? a : b;
	bool strict = (truth == HB_BEFORE || truth == HB_AFTER) && graph_exited(g, (int)first.line, (int)first.event) &&
		      graph_before(g, point((int)first.line, (int)first.event, true),
			      point((int)second.line, (int)second.event, false));
	hb_relation relation = HB_SAME;
	bool is_strict = false;
	hb_link *chain = NULL;
	size_t links = 0;
	hb_error err;
	hb_status status = hb_order_of(c->o->model, a, b, &relation, &is_strict, &chain, &links, &err);
	c->sums->pairs++;
	c->sums->together += truth == HB_TOGETHER;
	c->sums->concurrent += truth == HB_CONCURRENT;
	if (status || relation != truth || (strict != is_strict && !same)) {
		c->sums->wrong_order++;
		differs(&suite, c->r, "%u:%u and %u:%u: relation %d%s, by definition %d%s", a.line, a.event, b.line,
			b.event, (int)relation, is_strict ? " strict" : "", (int)truth, strict ? " strict" : "");
	} else if (truth != HB_CONCURRENT && !same) {
		check_chain(c, first, second, chain, links);
	}
	free(chain);
}

/* ---- cuts and futures ---- */

/* Where line l stops for the cut of the point `at`, by definition. */
static hb_stop stop_of(const struct graph *g, int at, int l, uint32_t *ret_event)
{
	uint32_t n = *ret_event = graph_clock(g, at, l);
	if (n == 0)
		return HB_STOP_NOTHING;
	if (!graph_exited(g, l, (int)n))
		return HB_STOP_INSIDE;
	for (int i = 0; i < g->nedges; i++)
		if (g->edge[i].to == point(l, (int)n, true) && !graph_before(g, g->edge[i].from, at))
			return HB_STOP_INSIDE;
	return (int)n == g->events[l] ? HB_STOP_END : HB_STOP_AFTER;
}

static void check_cut(struct compared *c, hb_at at)
{
	uint32_t event[MAX_THREADS] = {0};
	hb_stop stop[MAX_THREADS] = {0};
	hb_error err = {0};
	int last = graph_last(c->g, (int)at.line, (int)at.event);
	c->sums->cuts++;
	hb_status status = hb_cut(c->o->model, at, event, stop, &err);
	if (status)
		differs(&suite, c->r, "cut of %u:%u: %s", at.line, at.event, err.message);
	for (int l = 0; l < c->g->lines; l++) {
		uint32_t truth;
		hb_stop how = stop_of(c->g, last, l, &truth);
		if (!status && event[l] == truth && stop[l] == how)
			continue;
		c->sums->wrong_cut++;
		differs(&suite, c->r, "cut of %u:%u, line %d: event %u stop %d, by definition %u stop %d", at.line,
			at.event, l, event[l], (int)stop[l], truth, (int)how);
	}
}

static void check_future(struct compared *c, hb_at at)
{
	uint32_t first[MAX_THREADS] = {0};
	hb_error err = {0};
	c->sums->futures++;
	hb_status status = hb_future(c->o->model, at, first, &err);
	if (status)
		differs(&suite, c->r, "future of %u:%u: %s", at.line, at.event, err.message);
	for (int l = 0; l < c->g->lines; l++) {
		uint32_t truth = 0;
		for (int e = c->g->events[l]; e >= 1; e--)
			if (graph_exited(c->g, l, e) &&
				graph_before(c->g, point((int)at.line, (int)at.event, false), point(l, e, true)))
				truth = (uint32_t)e;
		if (!status && (first[l] == truth || (l == (int)at.line && first[l] == at.event)))
			continue;
		c->sums->wrong_future++;
		differs(&suite, c->r, "future of %u:%u, line %d: %u, by definition %u", at.line, at.event, l, first[l],
			truth);
	}
}

/* ---- */

/* The order follows from the matching: where that is open or wrong (test_matching says so) there is nothing to compare. */
static bool same_matching(const struct run *r, const struct opened *o)
{
	const hb_model_info *info = hb_model_get_info(o->model);
	bool same = true;
	/* the log does not say which communicator a call would have made, nor what a Start started */
	for (int t = 0; t < r->p->threads; t++)
		if (r->entered[t] > r->exited[t]) {
			int kind = r->p->thread[t].call[r->exited[t]].kind;
			same = same && kind != K_INTER && kind != K_START;
		}
	for (uint32_t i = 0; i < info->receives; i++) {
		int mine = receive_at(r->p, place_of(o, r->p, hb_receive_post(o->model, i)));
		if (mine != NONE && hb_receive_done(o->model, i).event)
			same = same && send_number(o, r->p, hb_model_receives(o->model)[i].send) == r->end.got[mine];
		/* a synchronous message that a receive without a known end took: the sender knows more than the log */
		if (mine != NONE && !hb_receive_done(o->model, i).event && r->end.got[mine] != NONE)
			same = same && !r->p->message[r->end.got[mine]].sync;
	}
	for (uint32_t i = 0; i < info->probes; i++) {
		const hb_probe *m = &hb_model_probes(o->model)[i];
		int mine = receive_at(r->p, place_of(o, r->p, (hb_at){m->line, m->event}));
		same = same && (mine == NONE || send_number(o, r->p, m->send) == r->end.got[mine]);
	}
	return same;
}

static bool any_event(const struct graph *g, uint64_t *random, hb_at *ret)
{
	for (int tries = 0; tries < 20; tries++) {
		int line = below(random, g->lines);
		if (!g->events[line])
			continue;
		*ret = (hb_at){(uint32_t)line, (uint32_t)(1 + below(random, g->events[line]))};
		return true;
	}
	return false;
}

static void compare(const struct run *r, struct sums *sums, bool all_pairs, uint64_t seed)
{
	static struct graph g;
	struct opened o;
	struct compared *c = calloc(1, sizeof *c);
	uint64_t random = seed * 77777777777 + 5;
	hb_at a, b;
	hb_error err;
	graph_build(r, &g);
	*c = (struct compared){.r = r, .g = &g, .o = &o, .sums = sums};
	bool opens = record_and_open(r, &o), same = opens && same_matching(r, &o);
	sums->runs++;
	sums->other_match += opens && !same;
	if (!opens || (same && hb_clocks_run(o.model, on_stamp, c, NULL, NULL, &err))) {
		sums->wrong_clock++;
		differs(&suite, r, "no model or no clocks");
	} else if (same) {
		check_clocks(c);
		check_seen(c);
		check_reached(c);
		for (int k = 0; !all_pairs && k < 60 && any_event(&g, &random, &a) && any_event(&g, &random, &b); k++)
			check_pair(c, a, b);
		for (int l = 0; l < g.lines; l++)
			for (int e = 1; e <= g.events[l]; e++) {
				a = (hb_at){(uint32_t)l, (uint32_t)e};
				check_cut(c, a);
				check_future(c, a);
				for (int k = 0; all_pairs && k < g.lines; k++)
					for (int f = 1; f <= g.events[k]; f++)
						check_pair(c, a, (hb_at){(uint32_t)k, (uint32_t)f});
			}
	}
	model_close(&o);
	free(c);
}

static void many(const char *name, const struct wish *wish, long programs)
{
	static struct program p;
	static struct run r;
	struct sums s = {0};
	for (long i = 0; i < programs; i++)
		for (long k = 0; k < suite.runs && suite_program(&suite, wish, i, &p); k++) {
			run_random(&p, suite.seed * 1000 + (uint64_t)(i * suite.runs + k), &r);
			if (wish->lanes == 1 || r.whole)
				compare(&r, &s, i % 5 == 0, (uint64_t)i);
		}
	printf("%s: %ld runs (%ld with an open match left out), %ld events, %ld pairs (%ld together, %ld concurrent), %ld proofs of %ld links, %ld cuts\n",
		name, s.runs, s.other_match, s.events, s.pairs, s.together, s.concurrent, s.chains, s.links, s.cuts);
	check(s.events > programs * 10 && !s.wrong_clock, "%s: vector clocks, %ld wrong", name, s.wrong_clock);
	check(s.events > programs * 10 && !s.wrong_lamport, "%s: Lamport times, %ld wrong", name, s.wrong_lamport);
	check(s.events > programs * 10 && !s.wrong_seen, "%s: what sends have seen, %ld wrong", name, s.wrong_seen);
	check(s.reaches > programs * 10 && !s.wrong_reach, "%s: the order in which the pass comes along, %ld wrong",
		name, s.wrong_reach);
	check(s.pairs > programs && !s.wrong_order, "%s: relations, %ld wrong", name, s.wrong_order);
	check(s.chains > programs && !s.wrong_chain, "%s: proofs, %ld wrong", name, s.wrong_chain);
	check(s.cuts > programs && !s.wrong_cut, "%s: cuts, %ld wrong", name, s.wrong_cut);
	check(s.futures > programs && !s.wrong_future, "%s: futures, %ld wrong", name, s.wrong_future);
}

int main(int argc, char **argv)
{
	suite_options(&suite, argc, argv);
	many("one lane", &(struct wish){.lanes = 1, .calls = 12, .probed = true}, suite.programs);
	many("two lanes", &(struct wish){.lanes = 2, .calls = 8, .own_comms = true, .simple = true, .procs = 3},
		suite.programs / 2);
	check_clean();
	return check_end();
}
