/* S2: which receives a replay must ask for what they got, so that everything repeats. hb_races with HB_RACES_REPLAY
 * names them; the program with these receives asking for the recorded sender alone must have one outcome, the run. Answers
 * of probes, of Test and of Waitany and its kin are always recorded, and asked for again. */
#include "rules/race.h"
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 1500, .runs = 2};

struct sums {
	long runs, large, wildcards, forced, always, other, stuck, free_runs;
};

static bool note(void *user, const hb_race *race)
{
	void **pair = user;
	const struct run *r = pair[0];
	int mine = receive_at(r->p, place_of(pair[1], r->p, race->post));
	if (mine != NONE && race->kind != HB_RACE_CHOICE)
		*(uint64_t *)pair[2] |= (uint64_t)1 << mine;
	return true;
}

/* Receives whose answer is recorded whether they race or not. */
static uint64_t always_kept(const struct run *r)
{
	uint64_t kept = 0;
	for (int i = 0; i < r->p->receives; i++) {
		const struct receive *q = &r->p->receive[i];
		struct place end = r->received[i];
		int kind = end.thread == NONE ? K_COUNT : r->p->thread[end.thread].call[end.call].kind;
		if (q->probe || q->matched || kind == K_TEST || kind == K_WAITANY || kind == K_WAITSOME)
			kept |= (uint64_t)1 << i;
	}
	return kept;
}

/* All outcomes of the program that asks the receives in `asked` for what they got in the run. Returns how many of the
 * receives can then get something else. */
static int others(const struct run *r, uint64_t asked, struct outcomes *ret)
{
	static struct program forced;
	struct must must = {.until = NONE};
	int n = 0;
	forced = *r->p;
	for (int i = 0; i < forced.receives; i++)
		if (asked >> i & 1 && r->end.got[i] != NONE) {
			forced.receive[i].source = (int8_t)forced.message[r->end.got[i]].source;
			forced.receive[i].tag = forced.message[r->end.got[i]].tag;
		}
	memset(must.got, MUST_FREE, sizeof must.got);
	for (int k = 0; k < 2; k++)
		memcpy(must.picked[k], r->picked, sizeof r->picked);
	explore(&forced, &(struct limits){.states = 100000, .must = &must}, ret);
	for (int i = 0; i < forced.receives; i++)
		n += r->end.got[i] != NONE && ret->got[i] != (uint64_t)1 << r->end.got[i];
	return n;
}

static void compare(const struct run *r, struct sums *sums)
{
	struct opened o;
	struct outcomes out;
	uint64_t named = 0, kept = always_kept(r);
	void *pair[] = {(void *)r, &o, &named};
	hb_race_sum sum;
	hb_error err;
	if (!record_and_open(r, &o) || hb_races(o.model, HB_RACES_REPLAY, note, pair, &sum, NULL, NULL, &err)) {
		sums->other++;
		differs(&suite, r, "no model or no races");
		model_close(&o);
		return;
	}
	model_close(&o);
	int free_ones = others(r, kept, &out);
	sums->free_runs += out.complete && (free_ones || out.stuck);
	int n = others(r, kept | named, &out);
	sums->runs++;
	sums->large += !out.complete;
	sums->other += out.complete && n;
	sums->stuck += out.complete && out.stuck;
	if (out.complete && (n || out.stuck))
		differs(&suite, r, "a replay that asks %llx for what they got can differ in %d receives%s",
			(unsigned long long)(kept | named), n, out.stuck ? " or hang" : "");
	for (int i = 0; i < r->p->receives; i++)
		if (r->p->receive[i].source == ANY && !r->p->receive[i].probe && r->end.got[i] != NONE) {
			sums->wildcards++;
			sums->forced += named >> i & 1;
			sums->always += kept >> i & 1 && !(named >> i & 1);
		}
}

static void many(const char *name, const struct wish *wish, long programs)
{
	static struct program p;
	static struct run r;
	struct sums s = {0};
	for (long i = 0; i < programs; i++)
		for (long k = 0; k < suite.runs && suite_program(&suite, wish, i, &p); k++) {
			run_random(&p, suite.seed * 1000 + (uint64_t)(i * suite.runs + k), &r);
			if (r.whole)
				compare(&r, &s);
		}
	printf("%s: %ld runs (%ld too large); of %ld wildcard receives %ld are asked for, %ld more are recorded anyway\n",
		name, s.runs, s.large, s.wildcards, s.forced, s.always);
	printf("  with nothing asked for %ld of these runs can come out otherwise, with these receives %ld, and %ld can hang\n",
		s.free_runs, s.other, s.stuck);
	check(s.free_runs > programs / 10 && s.forced < s.wildcards && s.other == 0 && s.stuck == 0,
		"%s: asking for what raced repeats the run", name);
}

int main(int argc, char **argv)
{
	suite_options(&suite, argc, argv);
	many("all calls", &(struct wish){.lanes = 1, .calls = 10, .probed = true, .simple = true}, suite.programs);
	many("windows of receives", &(struct wish){.lanes = 1, .calls = 8, .window = true, .simple = true},
		suite.programs / 2);
	check_clean();
	return check_end();
}
