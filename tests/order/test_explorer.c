/* The oracle against itself: the search with its reductions finds what the plain search finds, and what random runs
 * do is among what it finds. */
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 300, .runs = 4};

/* A run's matches that the search says cannot be. */
static long impossible(const struct run *r, const struct outcomes *o)
{
	long n = 0;
	for (int i = 0; i < r->p->receives; i++)
		n += r->end.got[i] != NONE && !(o->got[i] >> r->end.got[i] & 1);
	for (int t = 0; t < r->p->threads; t++)
		for (int c = 0; c < r->exited[t]; c++)
			n += (r->picked[t][c] & ~o->picked[t][c]) != 0;
	return n;
}

static void against_runs(void)
{
	static struct program p;
	static struct run r;
	struct outcomes o;
	long programs = 0, large = 0, runs = 0, wrong = 0, choices = 0;
	uint64_t states = 0;
	for (long i = 0; i < suite.programs; i++) {
		if (!suite_program(&suite, &(struct wish){.lanes = 1, .calls = 10, .probed = true}, i, &p))
			continue;
		explore(&p, &(struct limits){.states = 100000}, &o);
		programs++;
		large += !o.complete;
		states += o.states;
		for (int k = 0; k < p.receives; k++)
			choices += __builtin_popcountll(o.got[k]) > 1;
		for (long k = 0; k < suite.runs && o.complete; k++, runs++) {
			run_random(&p, (uint64_t)(i * suite.runs + k), &r);
			long n = impossible(&r, &o);
			if (n)
				differs(&suite, &r, "a run does what the search does not know");
			wrong += n;
		}
	}
	printf("%ld programs (%ld too large), %llu states, %ld receives with a choice, %ld runs\n", programs, large,
		(unsigned long long)states, choices, runs);
	check(runs > suite.programs && choices > suite.programs / 4 && wrong == 0,
		"runs are among all runs: %ld are not", wrong);
}

static void against_plain(bool weak)
{
	static struct program p;
	static struct run r;
	struct outcomes plain, o;
	long compared = 0, wrong = 0, choices = 0;
	uint64_t states = 0, reduced = 0;
	for (long i = 0; i < suite.programs; i++) {
		static const struct wish wish = {.lanes = 1, .calls = 6, .probed = true};
		if (!suite_program(&suite, &wish, i, &p))
			continue;
		explore(&p, &(struct limits){.states = 20000, .naive = true, .weak = weak}, &plain);
		if (!plain.complete)
			continue;
		explore(&p, &(struct limits){.states = 30000, .weak = weak}, &o);
		compared++;
		states += plain.states;
		reduced += o.states;
		bool same = o.complete && !memcmp(plain.got, o.got, sizeof o.got) &&
			    !memcmp(plain.picked, o.picked, sizeof o.picked) && !plain.stuck == !o.stuck &&
			    !plain.ended == !o.ended;
		for (int k = 0; k < p.receives; k++)
			choices += __builtin_popcountll(o.got[k]) > 1;
		if (same)
			continue;
		wrong++;
		run_random(&p, 1, &r);
		differs(&suite, &r, "the searches differ (stuck %llu %llu, ended %llu %llu)",
			(unsigned long long)plain.stuck, (unsigned long long)o.stuck, (unsigned long long)plain.ended,
			(unsigned long long)o.ended);
		for (int k = 0; k < p.receives && suite.shown < 3; k++)
			if (plain.got[k] != o.got[k])
				printf("  R%d: %llx, reduced %llx\n", k, (unsigned long long)plain.got[k],
					(unsigned long long)o.got[k]);
	}
	printf("%ld programs, %llu states, reduced %llu, %ld receives with a choice\n", compared,
		(unsigned long long)states, (unsigned long long)reduced, choices);
	check(compared > suite.programs / 4 && choices > compared / 20 && wrong == 0,
		"the reductions lose nothing%s: %ld programs differ", weak ? ", tags overtaking" : "", wrong);
}

int main(int argc, char **argv)
{
	suite_options(&suite, argc, argv);
	against_plain(false);
	against_plain(true);
	against_runs();
	return check_end();
}
