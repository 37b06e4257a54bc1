/* Issue "Order and races", bad input: recordings with a process missing, cut anywhere, with bytes changed, or put
 * together from two runs. Whatever is asked of them ends without a crash (under ASan), what is missing is told, and what
 * is not marked as open is true all the same. */
#include <sys/stat.h>

#include "rules/race.h"
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 700, .runs = 1};

enum damage { MISSING, CUT, CHANGED, OTHER_RUN, OTHER_PROGRAM, DAMAGES };
static const char *const names[DAMAGES] = {
	"a process missing", "a log cut", "bytes changed", "a log of another run", "a log of another program"};

struct sums {
	long recordings, refused, matches, wrong, untold, races, certain, unreal, silent;
};

/* Everything that can be asked, for its own sake. */
static void ask_everything(const struct opened *o, uint64_t *random)
{
	hb_model *m = o->model;
	const hb_model_info *info = hb_model_get_info(m);
	hb_error err;
	uint32_t *event = calloc(info->lines + 1, sizeof *event);
	hb_stop *stop = calloc(info->lines + 1, sizeof *stop);
	for (uint32_t i = 0; i < info->troubles; i++)
		if (!hb_model_trouble(m, i) || !*hb_model_trouble(m, i))
			abort();
	for (int k = 0; k < 6 && info->lines; k++) {
		hb_at at[2];
		bool there = true;
		for (int i = 0; i < 2; i++) {
			at[i].line = (uint32_t)below(random, (int)info->lines);
			uint32_t events = hb_model_lines(m)[at[i].line].events;
			there = there && events;
			at[i].event = events ? 1 + (uint32_t)below(random, (int)events) : 0;
		}
		hb_relation relation;
		bool strict;
		hb_link *chain = NULL;
		size_t links;
		if (!there)
			continue;
		hb_cut(m, at[0], event, stop, &err);
		hb_future(m, at[0], event, &err);
		hb_order_of(m, at[0], at[1], &relation, &strict, &chain, &links, &err);
		free(chain);
	}
	free(event);
	free(stop);
}

/* ---- the damage ---- */

static void cut_file(const char *path, uint64_t *random)
{
	struct stat st;
	if (stat(path, &st) == 0 && truncate(path, below(random, (int)st.st_size + 1)))
		perror(path);
}

/* Few bytes, and those of rows more often than others: most of a raw log is empty. */
static void change_file(const char *path, uint64_t *random)
{
	FILE *f = fopen(path, "r+b");
	struct stat st;
	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		exit(2);
	}
	for (int n = 1 + below(random, 6); n > 0; n--) {
		long at = below(random, (int)(st.st_size / 32768)) * 32768L +
			  below(random, chance(random, 90) ? 800 : 32768);
		if (at >= 4096 && at < st.st_size) {
			fseek(f, at, SEEK_SET);
			fputc(below(random, 256), f);
		}
	}
	fclose(f);
}

/* Leaves the recording of the run, damaged, in the folder; returns which logs can be read. */
static unsigned damaged(const struct run *r, enum damage damage, const struct run *other, int proc, uint64_t *random)
{
	char name[32];
	snprintf(name, sizeof name, "rank.%d.log", proc);
	check_path("x");
	record(r, check_folder);
	if (damage == MISSING)
		return ~(1u << proc);
	if (damage == CUT)
		cut_file(check_path(name), random);
	else if (damage == CHANGED)
		change_file(check_path(name), random);
	else if (proc < other->p->procs)
		record_one(other, proc, check_folder);
	return ~0u;
}

/* ---- what is said of it ---- */

static void compare_matches(const struct run *r, const struct opened *o, enum damage damage, struct sums *sums)
{
	const hb_model_info *info = hb_model_get_info(o->model);
	for (uint32_t i = 0; i < info->receives; i++) {
		const hb_receive *m = &hb_model_receives(o->model)[i];
		int mine = receive_at(r->p, place_of(o, r->p, hb_receive_post(o->model, i)));
		if (mine == NONE || m->flags & HB_AMBIGUOUS || m->send == HB_NO)
			continue;
		int got = send_number(o, r->p, m->send), truth = r->end.got[mine];
		sums->matches++;
		if (got == truth || (truth == NONE && m->flags & HB_PENDING))
			continue;
		sums->wrong++;
		differs(&suite, r, "%s: R%d got m%d, the model says m%d", names[damage], mine, truth, got);
	}
}

/* What is missing for certain: NULL nothing. */
static const char *lacks_something(const struct opened *o, const struct program *p, enum damage damage)
{
	static char text[100];
	const hb_model_info *info = hb_model_get_info(o->model);
	if (damage == MISSING)
		return "a log";
	for (int i = 0; i < p->procs; i++)
		if (!o->log[i] || hb_log_get_info(o->log[i])->recovered)
			return "part of a log";
	for (uint32_t i = 0; i < info->receives; i++) {
		const hb_receive *v = &hb_model_receives(o->model)[i];
		hb_at done = hb_receive_done(o->model, i);
		snprintf(text, sizeof text, "the message of the receive that ended at %u:%u", done.line, done.event);
		if (done.event && v->send == HB_NO && !(v->flags & (HB_CANCELLED | HB_FAILED | HB_AMBIGUOUS)))
			return text;
	}
	return NULL;
}

struct told {
	const struct run *r;
	const struct opened *o;
	const struct outcomes *all;
	struct sums *sums;
	enum damage damage;
	uint64_t whole; /* receives that have a race in the recording without damage: test_races judges them */
};

static bool note_race(void *user, const hb_race *race)
{
	struct told *t = user;
	int mine = receive_at(t->r->p, place_of(t->o, t->r->p, race->post));
	t->whole |= mine == NONE ? 0 : (uint64_t)1 << mine;
	return true;
}

static uint64_t races_of(const struct run *r)
{
	struct opened o;
	struct told told = {.r = r, .o = &o};
	hb_race_sum sum;
	hb_error err;
	if (record_and_open(r, &o))
		hb_races(o.model, 0, note_race, &told, &sum, NULL, NULL, &err);
	model_close(&o);
	return told.whole;
}

static bool on_race(void *user, const hb_race *race)
{
	struct told *t = user;
	const struct program *p = t->r->p;
	int mine = receive_at(p, place_of(t->o, p, race->post));
	t->sums->races++;
	if (race->uncertain || race->kind == HB_RACE_CHOICE)
		return true;
	t->sums->certain++;
	unsigned senders = 0;
	for (uint64_t left = mine == NONE ? 0 : t->all->got[mine]; left; left &= left - 1)
		senders |= 1u << p->message[__builtin_ctzll(left)].source;
	if (mine != NONE && (senders & (senders - 1) || t->whole >> mine & 1))
		return true;
	t->sums->unreal++;
	t->sums->silent += !hb_model_get_info(t->o->model)->troubles;
	if (t->damage <= CUT || (t->damage == OTHER_RUN && !hb_model_get_info(t->o->model)->troubles))
		differs(&suite, t->r, "%s: the race of R%d is called certain and there is none", names[t->damage],
			mine);
	return true;
}

static void try_one(const struct run *r, enum damage damage, const struct run *other, const struct outcomes *all,
	uint64_t *random, struct sums *sums)
{
	struct opened o;
	hb_error err;
	uint64_t whole = races_of(r);
	unsigned which = damaged(r, damage, other, below(random, r->p->procs), random);
	sums->recordings++;
	if (!model_open(r->p, which, &o)) {
		sums->refused++;
	} else {
		const hb_model_info *info = hb_model_get_info(o.model);
		struct told told = {r, &o, all, sums, damage, whole};
		hb_race_sum sum;
		hb_clocks_run(o.model, NULL, NULL, NULL, NULL, &err);
		const char *lacks = lacks_something(&o, r->p, damage);
		if (lacks && !info->troubles) {
			sums->untold++;
			differs(&suite, r, "%s: something is missing and not told: %s", names[damage], lacks);
		}
		if (damage <= CUT)
			compare_matches(r, &o, damage, sums);
		hb_races(o.model, 0, on_race, &told, &sum, NULL, NULL, &err);
		hb_races(o.model, HB_RACES_ALL, NULL, NULL, &sum, NULL, NULL, &err);
		ask_everything(&o, random);
	}
	model_close(&o);
}

int main(int argc, char **argv)
{
	static struct program p, q;
	static struct run r, other, foreign;
	struct outcomes all;
	struct sums sums[DAMAGES] = {{0}};
	const struct wish wish = {.lanes = 1, .calls = 10};
	suite_options(&suite, argc, argv);
	for (long i = 0; i < suite.programs; i++) {
		uint64_t random = suite.seed * 99 + (uint64_t)i * 777777777 + 12345;
		if (!suite_program(&suite, &wish, i, &p) || !suite_program(&suite, &wish, i + 100000, &q))
			continue;
		explore(&p, &(struct limits){.states = 100000}, &all);
		run_random(&p, (uint64_t)i, &r);
		run_random(&p, (uint64_t)i + 500000, &other);
		run_random(&q, (uint64_t)i, &foreign);
		for (int d = 0; d < DAMAGES && all.complete; d++)
			try_one(&r, (enum damage)d, d == OTHER_PROGRAM ? &foreign : &other, &all, &random, &sums[d]);
	}
	for (int d = 0; d < DAMAGES; d++) {
		const struct sums *s = &sums[d];
		printf("%s: %ld recordings, %ld refused; %ld matches, %ld races, %ld of them certain, %ld of these none, %ld without a word\n",
			names[d], s->recordings, s->refused, s->matches, s->races, s->certain, s->unreal, s->silent);
		check(s->recordings > suite.programs / 2 && s->refused * 2 < s->recordings, "%s: answers are given",
			names[d]);
		check(s->untold == 0, "%s: what is missing is told, but for %ld recordings", names[d], s->untold);
		if (d <= CUT) {
			check(s->matches > suite.programs && s->wrong == 0, "%s: %ld wrong matches", names[d],
				s->wrong);
			check(s->unreal == 0, "%s: %ld races that are none and not marked uncertain", names[d],
				s->unreal);
		}
	}
	check_clean();
	return check_end();
}
