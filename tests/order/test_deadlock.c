/* Issue "Verdicts", item 1: the wait-for graph against the machine. A run that came to a stand is stuck; of a run broken off at
 * any moment no call is called stuck that returned later. */
#include "rules/deadlock/wait.h"
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 200, .runs = 3};

struct sums {
	long stands, proven, unknown, denied, false_ends, moments, waits, false_waits;
};

/* The run as it was at a moment: what was entered by then, and what had returned. */
static void broken_off(const struct run *r, uint64_t moment, struct run *ret)
{
	*ret = *r;
	ret->whole = false;
	for (int t = 0; t < r->p->threads; t++) {
		ret->entered[t] = ret->exited[t] = 0;
		for (int c = 0; c < r->entered[t]; c++) {
			struct happening *e = &ret->event[t][c];
			bool begun = e->enter <= moment && c == ret->exited[t];
			e->exited = begun && e->exited && e->exit <= moment;
			ret->entered[t] += begun;
			ret->exited[t] += e->exited;
		}
	}
}

/* Does a stuck line's call return in the whole run? */
static bool returned(const struct run *whole, const struct opened *o, uint32_t line)
{
	struct place at = place_of(o, whole->p, (hb_at){line, hb_model_lines(o->model)[line].events});
	return at.thread != NONE && whole->event[at.thread][at.call].exited;
}

static void at_moment(const struct run *whole, uint64_t moment, struct sums *sums)
{
	static struct run part;
	struct opened o;
	struct hb__graph *g;
	broken_off(whole, moment, &part);
	if (!record_and_open(&part, &o) || hb__graph_make(o.model, false, NULL, &g, NULL)) {
		check(false, "program %llu cannot be read", (unsigned long long)whole->p->seed);
		return;
	}
	sums->moments++;
	for (uint32_t l = 0; l < hb_model_get_info(o.model)->lines; l++) {
		if (!hb__is_stuck(g, l))
			continue;
		sums->waits++;
		if (!returned(whole, &o, l))
			continue;
		sums->false_waits++;
		differs(&suite, &part, "line %u is called stuck in %s, and it returned", l, g->wait[l].name);
	}
	hb__graph_free(g);
	model_close(&o);
}

static bool polls(const struct run *r)
{
	bool yes = false;
	for (int t = 0; t < r->p->threads; t++)
		yes |= r->exited[t] == r->entered[t] && r->exited[t] < r->p->thread[t].n;
	return yes;
}

/* Nothing can move: the machine is at its end. */
static bool stands(const struct run *r)
{
	bool moves = heads(r->p, &r->end) != 0;
	for (int t = 0; t < r->p->threads; t++)
		if (!finished(r->p, &r->end, t))
			moves |= r->end.phase[t] == BEFORE   ? may_enter(r->p, &r->end, t)
				 : r->end.phase[t] == INSIDE ? may_exit(r->p, &r->end, t)
							     : true;
	return !moves && !r->whole;
}

/* Somewhere the recording of the end leaves open what the machine knows. */
static void at_end(const struct run *r, struct sums *sums)
{
	struct opened o;
	hb_stuck stuck = HB_STUCK_NOT;
	if (!record_and_open(r, &o) || hb_deadlocked(o.model, &stuck, NULL)) {
		check(false, "program %llu cannot be read", (unsigned long long)r->p->seed);
		return;
	}
	if (r->whole) {
		sums->false_ends += stuck != HB_STUCK_NOT && stuck != HB_STUCK_UNKNOWN;
	} else if (stands(r)) {
		sums->stands++;
		sums->proven += stuck == HB_STUCK_SOME || stuck == HB_STUCK_ALL;
		sums->unknown += stuck == HB_STUCK_UNKNOWN;
		sums->denied += stuck == HB_STUCK_NOT && !polls(r);
		if (stuck == HB_STUCK_NOT && !polls(r) && suite.verbose)
			differs(&suite, r, "not seen to stand");
	}
	model_close(&o);
}

int main(int argc, char **argv)
{
	static struct program p;
	static struct run r;
	struct sums sums = {0};
	suite_options(&suite, argc, argv);
	for (long i = 0; i < suite.programs; i++) {
		struct wish wish = {.calls = 4 + (int)(i % 12), .lanes = i % 8 ? 1 : 0};
		if (!suite_program(&suite, &wish, i, &p))
			continue;
		for (long k = 0; k < suite.runs; k++) {
			uint64_t last = 0, random = suite.seed * 7919 + (uint64_t)(i * 31 + k) + 1;
			run_random(&p, (uint64_t)k + 1, &r);
			r.waits = true;
			at_end(&r, &sums);
			r.waits = false;
			for (int t = 0; t < p.threads; t++)
				for (int c = 0; c < r.exited[t]; c++)
					last = r.event[t][c].exit > last ? r.event[t][c].exit : last;
			for (int m = 0; m < 2 && last; m++)
				at_moment(&r, 1 + roll(&random) % last, &sums);
		}
	}
	printf("%ld runs came to a stand: %ld proven, %ld unknown, %ld denied; %ld moments, %ld waits called stuck\n",
		sums.stands, sums.proven, sums.unknown, sums.denied, sums.moments, sums.waits);
	check(sums.stands > suite.programs / 20, "enough runs come to a stand");
	check(sums.false_ends == 0, "no run that ended is called a deadlock (%ld)", sums.false_ends);
	check(sums.false_waits == 0, "no call that returned is called stuck (%ld of %ld)", sums.false_waits,
		sums.waits);
	check(sums.proven * 2 >= sums.stands, "most stands are proven (%ld of %ld)", sums.proven, sums.stands);
	check_clean();
	return check_end();
}
