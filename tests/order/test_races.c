/* Issue "Order and races", item 3: the report of races against all outcomes of thousands of programs.
 *
 * A receive (or probe) of a run can differ when some run of the program gives it a message of another sender. All of
 * these must be reported with HB_RACES_ALL. By default only those are asked for that can differ while everything
 * that does not follow from them stays: none of these may be missing, and what is reported must be possible. */
#include "rules/race.h"
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 1500, .runs = 2};

struct sums {
	long programs, large, runs, open_runs, receives, differ, differ_first;
	long all, all_missed, all_false, dependent_wrong;
	long first, first_missed, first_false, first_never, alternatives_weak, after_probe, unsure, alternatives,
		alternatives_false, alternatives_never, alternatives_missed;
	long uncertain;
	long choices, choices_differ, choices_reported, choices_missed, choices_false;
};

static uint64_t other_senders(const struct program *p, uint64_t messages, int source)
{
	uint64_t left = 0;
	for (; messages; messages &= messages - 1)
		if (p->message[__builtin_ctzll(messages)].source != source)
			left |= messages & -messages;
	return left;
}

static unsigned senders(const struct program *p, uint64_t messages)
{
	unsigned set = 0;
	for (; messages; messages &= messages - 1)
		set |= 1u << p->message[__builtin_ctzll(messages)].source;
	return set;
}

/* All outcomes of the program at hand; those that only the standard's words allow are looked for when they are asked for. */
struct known {
	struct outcomes all, weak;
	bool has_weak;
};

static bool possible_by_words(const struct program *p, struct known *k, int receive, unsigned from)
{
	if (!k->has_weak)
		explore(p, &(struct limits){.states = 100000, .weak = true}, &k->weak);
	k->has_weak = true;
	return !k->weak.complete || senders(p, k->weak.got[receive]) & from;
}

/* What hb_races said of one run. */
struct report {
	bool named[MAX_ITEMS], dependent[MAX_ITEMS], uncertain[MAX_ITEMS];
	uint64_t alternatives[MAX_ITEMS];
	bool choice[MAX_THREADS][MAX_CALLS];
	const struct run *run;
	const struct opened *o;
	long strange;
};

static bool on_race(void *user, const hb_race *race)
{
	struct report *to = user;
	const struct program *p = to->run->p;
	struct place post = place_of(to->o, p, race->post), done = place_of(to->o, p, race->done);
	if (race->kind == HB_RACE_CHOICE) {
		if (done.thread != NONE)
			to->choice[done.thread][done.call] = true;
		return true;
	}
	int mine = receive_at(p, post);
	if (mine == NONE) {
		to->strange++;
		return true;
	}
	to->named[mine] = true;
	to->dependent[mine] = race->dependent;
	to->uncertain[mine] = race->uncertain;
	for (uint32_t i = 0; i < race->nalternatives; i++) {
		int m = send_number(to->o, p, race->alternative[i].send);
		if (m == NONE)
			to->strange++;
		else
			to->alternatives[mine] |= (uint64_t)1 << m;
	}
	return true;
}

static bool ask(struct opened *o, const struct run *r, unsigned flags, struct report *ret, struct sums *sums)
{
	hb_error err = {0};
	hb_race_sum sum;
	memset(ret, 0, sizeof *ret);
	ret->run = r;
	ret->o = o;
	if (hb_races(o->model, flags, on_race, ret, &sum, NULL, NULL, &err) || ret->strange) {
		differs(&suite, r, "hb_races: %s, %ld names unknown", err.message, ret->strange);
		sums->all_missed++;
		return false;
	}
	return true;
}

/* ---- comparing ---- */

static bool completed(const struct run *r, int receive)
{
	const struct receive *q = &r->p->receive[receive];
	if (q->source != ANY || r->end.got[receive] == NONE || !told(r, r->end.got[receive]))
		return false;
	return q->probe || q->matched ? r->event[q->thread][q->call].exited : r->received[receive].thread != NONE;
}

/* The call before saw the message that this receive got. By the standard's words the receive may still take
 * another one (MPI-4.0, 3.8.1, with MPI_ANY_SOURCE in both); in the machine it does not. */
static bool after_probe(const struct run *r, int receive)
{
	const struct receive *q = &r->p->receive[receive];
	const struct call *before = q->call ? &r->p->thread[q->thread].call[q->call - 1] : NULL;
	return before && (before->kind == K_PROBE || before->kind == K_IPROBE) && before->recv != NONE &&
	       r->end.got[before->recv] == r->end.got[receive];
}

/* One alternative: first and ever are the senders that the receive could have got messages of. */
static void judge(const struct run *r, struct known *known, const struct report *said, int i, int m, unsigned first,
	unsigned ever, struct sums *sums)
{
	unsigned from = 1u << r->p->message[m].source;
	const char *what = NULL;
	sums->alternatives++;
	if (first & from)
		return;
	if (ever & from) {
		bool bound = after_probe(r, i);
		sums->after_probe += bound;
		sums->alternatives_false += !bound;
		what = bound ? NULL : "but only if earlier choices differ";
	} else if (said->uncertain[i]) {
		sums->unsure++;
	} else if (possible_by_words(r->p, known, i, from)) {
		sums->alternatives_weak++;
		what = "but only if tags overtake";
	} else {
		sums->alternatives_never++;
		differs(&suite, r, "R%d got m%d; m%d is reported, no run gives it one of that sender", i, r->end.got[i],
			m);
	}
	if (what && suite.verbose)
		differs(&suite, r, "R%d got m%d; m%d is reported, %s", i, r->end.got[i], m, what);
}

static void compare_first(const struct run *r, const struct graph *g, struct known *known, const struct report *said,
	int i, struct sums *sums)
{
	const struct program *p = r->p;
	int source = p->message[r->end.got[i]].source;
	struct outcomes first;
	explore_first(g, i, 50000, false, &first);
	if (!first.complete)
		return;
	uint64_t truth = other_senders(p, first.got[i], source), ever = other_senders(p, known->all.got[i], source);
	uint64_t named = said->alternatives[i];
	sums->differ_first += truth != 0;
	sums->first += said->named[i];
	for (uint64_t left = named; left; left &= left - 1)
		judge(r, known, said, i, __builtin_ctzll(left), senders(p, truth), senders(p, ever), sums);
	sums->alternatives_missed += __builtin_popcount(senders(p, truth) & ~senders(p, named));
	sums->first_never += said->named[i] && !ever && !said->uncertain[i];
	sums->first_false += said->named[i] && ever && !truth && !after_probe(r, i);
	if (truth && !said->named[i]) {
		sums->first_missed++;
		differs(&suite, r, "R%d got m%d, could have got m%d, and is not reported", i, r->end.got[i],
			__builtin_ctzll(truth));
	}
}

/* What can be known from a run that ended early: the outcomes of the calls that it has. A Start that never returned
 * does not say what it starts. */
static void explore_recorded(const struct run *r, struct outcomes *ret)
{
	static struct program part;
	part = *r->p;
	for (int t = 0; t < part.threads; t++) {
		struct thread *own = &part.thread[t];
		bool start = r->entered[t] > r->exited[t] && own->call[r->exited[t]].kind == K_START;
		own->n = (uint8_t)(start ? r->exited[t] : r->entered[t]);
	}
	explore(&part, &(struct limits){.states = 100000}, ret);
}

static void compare_all(
	const struct run *r, const struct outcomes *all, const struct report *said, int i, struct sums *sums)
{
	uint64_t ever = other_senders(r->p, all->got[i], r->p->message[r->end.got[i]].source);
	sums->receives++;
	sums->differ += ever != 0;
	sums->all += said->named[i];
	sums->uncertain += said->uncertain[i];
	sums->all_false += said->named[i] && !ever;
	if (ever && !said->named[i]) {
		sums->all_missed++;
		differs(&suite, r, "R%d got m%d, can get m%d, and is not reported with all", i, r->end.got[i],
			__builtin_ctzll(ever));
	}
}

/* What Mprobe took is received; that its Imrecv could end before another request is not looked at. */
static bool is_receive(const struct program *p, uint8_t request)
{
	return request != NONE && p->request[request].kind == REQUEST_RECV &&
	       !p->receive[p->request[request].item].matched;
}

/* Waitany that ended a receive: could it have ended another one? */
static void compare_choices(
	const struct run *r, const struct outcomes *all, const struct report *said, struct sums *sums)
{
	for (int t = 0; t < r->p->threads; t++)
		for (int k = 0; k < r->exited[t]; k++) {
			const struct call *c = &r->p->thread[t].call[k];
			if (c->kind != K_WAITANY || !r->picked[t][k])
				continue;
			unsigned receives = 0;
			for (int v = 0; v < c->nvars; v++)
				receives |= (unsigned)is_receive(r->p, c->refers[v]) << v;
			if (!(r->picked[t][k] & receives))
				continue;
			/* which requests were there is not recorded: those that a Waitany of the same place ends later */
			for (int v = 0; v < c->nvars; v++) {
				if (!(receives >> v & 1))
					continue;
				struct place end = r->received[r->p->request[c->refers[v]].item];
				int kind = end.thread == NONE ? -1 : r->p->thread[end.thread].call[end.call].kind;
				if (kind != K_WAITANY || end.call <= k)
					receives &= ~(1u << v);
			}
			bool can = all->picked[t][k] & receives & ~r->picked[t][k];
			sums->choices++;
			sums->choices_differ += can;
			sums->choices_reported += said->choice[t][k];
			sums->choices_false += said->choice[t][k] && !(all->picked[t][k] & ~r->picked[t][k]);
			if (can && !said->choice[t][k]) {
				sums->choices_missed++;
				differs(&suite, r, "Waitany at %d:%d can answer otherwise", t, k + 1);
			}
		}
}

static void compare(const struct run *r, struct known *known, struct sums *sums)
{
	static struct graph g;
	static struct outcomes recorded;
	const struct outcomes *all = &known->all;
	struct opened o;
	struct report first, every;
	sums->runs++;
	if (!record_and_open(r, &o)) {
		differs(&suite, r, "no model: %s", o.err.message);
		sums->all_missed++;
	} else if (ask(&o, r, 0, &first, sums) && ask(&o, r, HB_RACES_ALL, &every, sums)) {
		graph_build(r, &g);
		if (!r->whole) {
			explore_recorded(r, &recorded);
			all = &recorded;
		}
		sums->open_runs += !r->whole;
		for (int i = 0; i < r->p->receives; i++) {
			if (!completed(r, i))
				continue;
			compare_all(r, all, &every, i, sums);
			if (r->whole)
				compare_first(r, &g, known, &first, i, sums);
		}
		compare_choices(r, all, &every, sums);
	}
	model_close(&o);
}

static void print_table(const char *name, const struct sums *s)
{
	printf("%s\n"
	       "  programs %ld (%ld too large for all outcomes, left out), runs %ld (%ld not to the end)\n"
	       "  receives and probes with any source that got a message: %ld\n"
	       "  %-34s %10s %10s %10s %10s\n"
	       "  %-34s %10ld %10ld %10ld %10ld\n"
	       "  %-34s %10ld %10ld %10ld %10ld  (and %ld possible only with other earlier choices)\n"
	       "  %-34s %10s %10ld %10ld %10ld  (and %ld possible only with other earlier choices)\n"
	       "  %-34s %10ld %10ld %10ld %10ld\n"
	       "  of the alternatives, possible by the words of the standard and in no library: %ld (tags overtake), %ld (another\n"
	       "  message than the probe before saw); %ld are not possible and marked uncertain\n"
	       "  marked uncertain: %ld\n",
		name, s->programs, s->large, s->runs, s->open_runs, s->receives, "", "can", "reported", "missed",
		"false", "all: the sender can differ", s->differ, s->all, s->all_missed, s->all_false,
		"default: the sender can differ", s->differ_first, s->first, s->first_missed, s->first_never,
		s->first_false, "default: alternatives", "", s->alternatives, s->alternatives_missed,
		s->alternatives_never, s->alternatives_false, "Waitany: the receive can differ", s->choices_differ,
		s->choices_reported, s->choices_missed, s->choices_false, s->alternatives_weak, s->after_probe,
		s->unsure, s->uncertain);
}

/* Where a receive asks for whom a probe told it, other calls are made when the probe sees something else: what follows
 * from that is out of reach of an analysis of one run, and only counted. */
static void many(const char *name, const struct wish *wish, long programs, bool only_whole)
{
	static struct program p;
	static struct run r;
	static struct known known;
	struct sums s = {0};
	for (long i = 0; i < programs; i++) {
		if (!suite_program(&suite, wish, i, &p))
			continue;
		explore(&p, &(struct limits){.states = 100000}, &known.all);
		known.has_weak = false;
		s.programs++;
		s.large += !known.all.complete;
		for (long k = 0; k < suite.runs && known.all.complete; k++) {
			run_random(&p, suite.seed * 1000 + (uint64_t)(i * suite.runs + k), &r);
			if (r.whole || !only_whole)
				compare(&r, &known, &s);
		}
	}
	print_table(name, &s);
	check(s.differ > programs / 10 && (s.all_missed == 0 || wish->probed),
		"%s: every receive that can differ is reported with all%s", name,
		wish->probed ? ", but where calls differ" : "");
	check(s.differ_first > programs / 10 && s.first_missed == 0, "%s: every first race is reported", name);
	check(s.alternatives > programs / 10 && s.alternatives_never * 500 <= s.alternatives,
		"%s: an alternative is possible, but for %ld of %ld (at most two in a thousand)", name,
		s.alternatives_never, s.alternatives);
	check(s.choices_missed == 0, "%s: every choice of a Waitany that can differ is reported", name);
}

int main(int argc, char **argv)
{
	suite_options(&suite, argc, argv);
	many("all requests completed, runs to the end", &(struct wish){.lanes = 1, .calls = 10, .simple = true},
		suite.programs, true);
	many("windows of receives, runs to the end",
		&(struct wish){.lanes = 1, .calls = 8, .window = true, .simple = true}, suite.programs / 2, true);
	many("receives from whom a probe told, runs to the end",
		&(struct wish){.lanes = 1, .calls = 10, .probed = true, .simple = true}, suite.programs / 2, true);
	many("all calls, runs broken off and deadlocks among them", &(struct wish){.lanes = 1, .calls = 10},
		suite.programs, false);
	check_clean();
	return check_end();
}
