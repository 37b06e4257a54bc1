/* Collectives in the pass of the clocks: who has entered adds to what the others learn when they leave. */
#include "model/clock/run.h"

static bool inter(const struct hb__clock_run *run, const hb_collective *c)
{
	return run->m->groups.at[c->group].remote_size != 0;
}

/* How many processes of each side are seen to enter. */
static void expect(struct hb__clock_run *run, uint32_t id, const hb_collective *c, struct hb__collective_state *st)
{
	const hb_group *g = &run->m->groups.at[c->group];
	st->expected[0] = c->enters;
	if (!inter(run, c))
		return;
	st->expected[0] = st->expected[1] = 0;
	for (uint32_t i = 0; i < g->size; i++)
		st->expected[0] += g->member[i] != HB_NO && hb_collective_enter(run->m, id, g->member[i]).line != HB_NO;
	for (uint32_t i = 0; i < g->remote_size; i++)
		st->expected[1] += g->remote[i] != HB_NO && hb_collective_enter(run->m, id, g->remote[i]).line != HB_NO;
}

static struct hb__collective_state *state(struct hb__clock_run *run, uint32_t id)
{
	if (run->state_of[id])
		return &run->states.at[run->state_of[id] - 1];
	const hb_collective *c = &run->m->collectives.at[id];
	uint32_t i = run->free_state;
	if (i != HB_NO) {
		run->free_state = run->states.at[i].next_free;
	} else {
		if (!VEC_PUSH(&run->states, (struct hb__collective_state){0})) {
			run->no_memory = true;
			return NULL;
		}
		i = (uint32_t)run->states.n - 1;
	}
	struct hb__collective_state *st = &run->states.at[i];
	*st = (struct hb__collective_state){.known = {HB_NO, HB_NO}, .sleepers = HB_NO, .root_version = HB_NO};
	expect(run, id, c, st);
	if (c->order == HB_ORDER_SCAN || c->order == HB_ORDER_EXSCAN) {
		size_t n = run->m->groups.at[c->group].size;
		st->scan_version = calloc(n + 1, sizeof *st->scan_version);
		st->scan_lamport = calloc(n + 1, sizeof *st->scan_lamport);
		run->no_memory = run->no_memory || !st->scan_version || !st->scan_lamport;
	}
	run->state_of[id] = i + 1;
	return st;
}

static void forget(struct hb__clock_run *run, uint32_t id, struct hb__collective_state *st)
{
	hb__version_drop(&run->versions, st->known[0]);
	hb__version_drop(&run->versions, st->known[1]);
	hb__version_drop(&run->versions, st->root_version);
	for (uint32_t i = 0; st->scan_version && i < run->m->groups.at[run->m->collectives.at[id].group].size; i++)
		hb__version_drop(&run->versions, st->scan_version[i] ? st->scan_version[i] - 1 : HB_NO);
	free(st->scan_version);
	free(st->scan_lamport);
	st->scan_version = NULL;
	st->scan_lamport = NULL;
	st->next_free = run->free_state;
	run->free_state = run->state_of[id] - 1;
	run->state_of[id] = 0;
}

void hb__collectives_close(struct hb__clock_run *run)
{
	for (size_t i = 0; i < run->states.n; i++) {
		free(run->states.at[i].scan_version);
		free(run->states.at[i].scan_lamport);
	}
	free(run->states.at);
}

static void add_up(struct hb__clock_run *run, uint32_t line, struct hb__collective_state *st, int side)
{
	struct hb__runner *r = &run->lines[line];
	if (st->known[side] == HB_NO) {
		st->known[side] = hb__version_new(&run->versions, r->clock);
		run->no_memory = run->no_memory || st->known[side] == HB_NO;
	} else {
		hb__clock_merge(hb__version(&run->versions, st->known[side]), r->clock, run->versions.width);
	}
	if (r->lamport_enter > st->lamport[side])
		st->lamport[side] = r->lamport_enter;
}

void hb__collective_entered(struct hb__clock_run *run, uint32_t line, uint32_t id)
{
	const hb_collective *c = &run->m->collectives.at[id];
	if (c->order == HB_ORDER_NONE || !c->exits)
		return;
	struct hb__collective_state *st = state(run, id);
	if (!st)
		return;
	struct hb__runner *r = &run->lines[line];
	uint32_t process = run->m->lines.at[line].process, place = 0;
	bool remote = false;
	if (inter(run, c) || st->scan_version)
		place = hb__place_in(run->m, &run->m->groups.at[c->group], process, &remote);
	st->entered[remote]++;
	/* Who waits needs the clocks that others had as they came in, and these go on meanwhile: so they are copied here. */
	if (c->order == HB_ORDER_OUT) {
		if (process == c->root) {
			st->root_entered = true;
			st->root_version = hb__version_new(&run->versions, r->clock);
			st->root_lamport = r->lamport_enter;
		}
	} else if (st->scan_version) {
		if (place != HB_NO && !remote) {
			st->scan_version[place] = hb__version_new(&run->versions, r->clock) + 1;
			st->scan_lamport[place] = r->lamport_enter;
		}
	} else {
		add_up(run, line, st, remote);
	}
	hb__wake_chain(run, &st->sleepers);
}

struct lower {
	struct hb__clock_run *run;
	uint32_t id;
	bool missing;
};

/* A process that entered by the log, but has not done so yet in this pass. */
static bool is_there(void *user, uint32_t process)
{
	struct lower *l = user;
	hb_at at = hb_collective_enter(l->run->m, l->id, process);
	if (at.line != HB_NO && l->run->lines[at.line].event < hb_entered(l->run->m, at).event)
		l->missing = true;
	return !l->missing;
}

static bool complete(struct hb__clock_run *run, const struct hb__collective_state *st, const hb_collective *c,
	uint32_t id, uint32_t process, bool remote)
{
	bool one = st->entered[0] >= st->expected[0], other = st->entered[1] >= st->expected[1];
	switch (c->order) {
	case HB_ORDER_OUT:
		return st->root_entered || c->root == HB_NO || c->root == process ||
		       hb_collective_enter(run->m, id, c->root).line == HB_NO;
	case HB_ORDER_IN:
		if (c->root != process)
			return true;
		break;
	case HB_ORDER_SCAN:
	case HB_ORDER_EXSCAN: {
		struct lower l = {run, id, false};
		hb__collective_needs(run->m, id, process, is_there, &l);
		return !l.missing;
	}
	default:
		break;
	}
	return !inter(run, c) ? one : c->both_sides ? one && other : remote ? one : other;
}

static void learn_time(struct hb__runner *r, uint64_t lamport)
{
	r->lamport = lamport > r->lamport ? lamport : r->lamport;
}

static void learn_side(struct hb__clock_run *run, uint32_t line, const struct hb__collective_state *st, int side)
{
	if (st->known[side] == HB_NO)
		return;
	hb__learn(run, line, st->known[side]);
	learn_time(&run->lines[line], st->lamport[side]);
}

static void learn(struct hb__clock_run *run, uint32_t line, const struct hb__collective_state *st,
	const hb_collective *c, uint32_t process, bool remote, uint32_t place)
{
	if (c->order == HB_ORDER_OUT) {
		if (c->root == process || st->root_version == HB_NO)
			return;
		hb__learn(run, line, st->root_version);
		learn_time(&run->lines[line], st->root_lamport);
		return;
	}
	if (c->order == HB_ORDER_IN && c->root != process)
		return;
	if (st->scan_version) {
		for (uint32_t i = 0; i < place && place != HB_NO; i++) {
			if (!st->scan_version[i])
				continue;
			hb__learn(run, line, st->scan_version[i] - 1);
			learn_time(&run->lines[line], st->scan_lamport[i]);
		}
		return;
	}
	if (!inter(run, c) || remote || c->both_sides)
		learn_side(run, line, st, 0);
	if (inter(run, c) && (!remote || c->both_sides))
		learn_side(run, line, st, 1);
}

bool hb__collective_left(struct hb__clock_run *run, uint32_t line, uint32_t id)
{
	const hb_collective *c = &run->m->collectives.at[id];
	if (c->order == HB_ORDER_NONE)
		return true;
	struct hb__collective_state *st = state(run, id);
	if (!st)
		return true;
	struct hb__runner *r = &run->lines[line];
	uint32_t process = run->m->lines.at[line].process, place = 0;
	bool remote = false;
	if (inter(run, c) || st->scan_version)
		place = hb__place_in(run->m, &run->m->groups.at[c->group], process, &remote);
	if (!r->force && !complete(run, st, c, id, process, remote)) {
		r->chain = st->sleepers;
		st->sleepers = line;
		return false;
	}
	learn(run, line, st, c, process, remote, place);
	if (++st->left == c->exits && st->entered[0] + st->entered[1] >= c->enters)
		forget(run, id, st);
	return true;
}
