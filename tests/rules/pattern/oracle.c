/* The checker against brute force: random models, random histories; whether a history fits, is the beginning of something that fits, or is
 * wrong and where, and what could come next, by enumerating the partial orders of the model and the ways to put the history into them.
 * Each is checked twice: with what is left of the model as expressions, and packed after each event.
 *
 * usage: oracle [PAIRS [SEED]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_model.h"
#include "rules/pattern/check/keys.h" /* hb__pack_always */

#define MOST 12  /* events of a history */
#define LOOPED 5 /* of one of a model with loops: these are taken once more than the history has events */
#define FRONTIER 256

struct story {
	int n;
	struct label at[MOST];
	uint64_t before[MOST];
	bool blind; /* the events do not say whom a message is to or from */
};

/* ---- making histories ---- */

static void random_extension(const struct order *o, struct story *s, int *place, uint64_t *seed)
{
	uint64_t done = 0;
	for (s->n = 0; s->n < o->n && s->n < MOST;) {
		int i = (int)random_below(seed, (uint32_t)o->n);
		if (done >> i & 1 || o->before[i] & ~done)
			continue;
		done |= (uint64_t)1 << i;
		place[i] = s->n;
		s->at[s->n++] = o->at[i];
	}
}

static bool same_label(const struct label *a, const struct label *b, bool blind)
{
	return a->name == b->name && a->end == b->end && a->process == b->process && a->key == b->key &&
	       (blind || a->peer == b->peer);
}

static void mutate(struct story *s, uint64_t *seed, int how, int processes)
{
	int i = s->n ? (int)random_below(seed, (uint32_t)s->n) : 0;
	if (!s->n || (how == 2 && s->n == MOST) || (how == 3 && i + 1 == s->n))
		return;
	struct label one = s->at[i];
	switch (how) {
	case 1:
		memmove(&s->at[i], &s->at[i + 1], (size_t)(--s->n - i) * sizeof one);
		break;
	case 2:
		memmove(&s->at[i + 1], &s->at[i], (size_t)(s->n++ - i) * sizeof one);
		break;
	case 3:
		s->at[i] = s->at[i + 1];
		s->at[i + 1] = one;
		break;
	case 4:
		if (random_below(seed, 2))
			s->at[i].key ^= 1;
		else
			s->at[i].process = (int8_t)random_below(seed, (uint32_t)processes);
		break;
	default:
		s->n = i;
	}
}

/* The receive k of a label behind its send k, when that came before it. */
static void order_messages(struct story *s)
{
	uint64_t taken = 0;
	for (int i = 0; i < s->n; i++)
		for (int k = 0; s->at[i].name <= M1 && s->at[i].end && k < i; k++) {
			const struct label *a = &s->at[k], *b = &s->at[i];
			if (a->end || taken >> k & 1 || a->name != b->name || a->key != b->key ||
				a->process != b->peer || a->peer != b->process)
				continue;
			taken |= (uint64_t)1 << k;
			s->before[i] |= (uint64_t)1 << k;
			break;
		}
}

static void order_story(struct story *s, uint64_t *seed, uint32_t more)
{
	struct order o = {.n = s->n};
	for (int i = 0; i < s->n; i++)
		for (int k = 0; k < i; k++)
			if (s->at[i].process == s->at[k].process || (more && random_below(seed, more) == 0))
				s->before[i] |= (uint64_t)1 << k;
	memcpy(o.before, s->before, sizeof s->before);
	order_close(&o);
	memcpy(s->before, o.before, sizeof s->before);
}

/* From one of the model's orders; kept as it is, less ordered, cut off or changed. */
static void random_story(struct story *s, const struct orders *all, const struct model *m, uint64_t *seed)
{
	const struct order *o = &all->at[random_below(seed, (uint32_t)all->n)];
	int place[MOST_EVENTS], how = (int)random_below(seed, 10);
	memset(s, 0, sizeof *s);
	memset(place, -1, sizeof place);
	s->blind = random_below(seed, 4) == 0;
	random_extension(o, s, place, seed);
	if (how < 6)
		mutate(s, seed, how, m->processes);
	else
		how = 0;
	if (random_below(seed, 6) == 0)
		mutate(s, seed, how = 1 + (int)random_below(seed, 5), m->processes);
	uint32_t kept =
		how ? 2
		    : random_below(seed,
			      3); /* 0: all of its order, 1: its messages, 2: messages in the order in which they came */
	for (int i = 0; i < o->n && kept < 2; i++)
		for (int k = 0; k < o->n; k++)
			if (place[i] >= 0 && place[k] >= 0 && o->before[i] >> k & 1 &&
				(kept == 0 || (k == i - 1 && o->at[i].end)))
				s->before[place[i]] |= (uint64_t)1 << place[k];
	if (strstr(m->text, "loop") && s->n > LOOPED) {
		s->n = LOOPED;
		for (int i = 0; i < s->n; i++)
			s->before[i] &= ((uint64_t)1 << s->n) - 1;
	}
	if (kept == 2)
		order_messages(s);
	order_story(s, seed, random_below(seed, 3) ? 0 : 5);
}

/* ---- by brute force ---- */

struct answer {
	int fitted; /* events, the longest beginning */
	bool complete;
	int n;
	struct label next[FRONTIER]; /* what could come behind them */
};

static void add_next(struct answer *a, const struct label *l)
{
	for (int i = 0; i < a->n; i++)
		if (same_label(&a->next[i], l, false))
			return;
	if (a->n < FRONTIER)
		a->next[a->n++] = *l;
}

/* The first `at` events are at the places `as` of the order; `used` are these. */
static void place_next(struct answer *a, const struct story *s, const struct order *o, int at, int *as, uint64_t used)
{
	if (at > a->fitted) {
		a->fitted = at;
		a->n = 0;
	}
	for (int i = 0; at == a->fitted && i < o->n; i++)
		if (!(used >> i & 1) && !(o->before[i] & ~used))
			add_next(a, &o->at[i]);
	if (at == s->n) {
		a->complete |= o->n == s->n;
		return;
	}
	for (int i = 0; i < o->n; i++) {
		if (used >> i & 1 || o->before[i] & ~used || !same_label(&o->at[i], &s->at[at], s->blind))
			continue;
		bool ordered = true;
		for (int k = 0; k < at && ordered; k++)
			ordered = !(o->before[i] >> as[k] & 1) || s->before[at] >> k & 1;
		if (!ordered)
			continue;
		as[at] = i;
		place_next(a, s, o, at + 1, as, used | (uint64_t)1 << i);
	}
}

static void brute_force(struct answer *a, const struct story *s, const struct orders *all)
{
	int as[MOST];
	*a = (struct answer){.fitted = -1};
	for (int i = 0; i < all->n; i++)
		place_next(a, s, &all->at[i], 0, as, 0);
}

/* ---- by the library ---- */

static bool before(void *user, uint64_t a, uint64_t b)
{
	const struct story *s = user;
	return a == b || s->before[b] >> a & 1;
}

static bool take(void *user, const hb_pattern_verdict *v)
{
	struct answer *a = user;
	a->complete = v->state == HB_PATTERN_COMPLETE;
	a->fitted = (int)v->events;
	if (v->state == HB_PATTERN_UNDECIDED)
		a->fitted = -2;
	if (v->state == HB_PATTERN_WRONG && v->wrong != v->events)
		a->fitted = -3;
	for (uint32_t i = 0; i < v->nnext; i++)
		add_next(a,
			&(struct label){(int8_t)v->next[i].binding, (int8_t)v->next[i].half, (int8_t)v->next[i].process,
				(int8_t)v->next[i].peer, (int8_t)v->next[i].key[0].number});
	return true;
}

static bool ask_library(struct answer *a, hb_pattern *p, struct story *s, bool packed, hb_error *err)
{
	hb_pattern_check *c;
	hb_pattern_sum sum;
	*a = (struct answer){0};
	if (hb_pattern_begin(p, before, s, &c, err))
		return false;
	bool good = true;
	if (packed)
		hb__pack_always(c);
	for (int i = 0; i < s->n && good; i++) {
		hb_pattern_value key = {false, s->at[i].key};
		hb_pattern_event e = {(uint32_t)s->at[i].name, (hb_pattern_half)s->at[i].end,
			(uint32_t)s->at[i].process, s->blind ? -1 : s->at[i].peer, &key, (uint64_t)i};
		good = hb_pattern_feed(c, &e, err) == HB_OK;
	}
	good = good && hb_pattern_end(c, true, take, a, &sum, err) == HB_OK;
	hb_pattern_check_close(c);
	return good;
}

/* ---- comparing ---- */

static void show_label(const struct label *l)
{
	static const char *const name[] = {"m0", "m1", "a0", "e0"};
	printf(" %d%c", l->process, l->name <= M1 ? (l->end ? '?' : '!') : l->name == E0 ? '.' : l->end ? ')' : '(');
	if (l->peer >= 0)
		printf("%d", l->peer);
	printf(" %s %d;", name[l->name], l->key);
}

static void show(const struct answer *a, const char *who)
{
	printf("# %s: %d fitted, %s; next:", who, a->fitted, a->complete ? "complete" : "not complete");
	for (int i = 0; i < a->n; i++)
		show_label(&a->next[i]);
	printf("\n");
}

static bool agree(const struct answer *a, const struct answer *b, const struct story *s)
{
	if (a->fitted != b->fitted || a->complete != b->complete)
		return false;
	if (a->complete && a->fitted == s->n) /* then the library does not say what could come */
		return true;
	for (int i = 0; i < a->n; i++) {
		bool there = false;
		for (int k = 0; k < b->n && !there; k++)
			there = same_label(&a->next[i], &b->next[k], false);
		if (!there)
			return false;
	}
	return a->n == b->n;
}

static uint64_t pairs, complete, stopped, wrong, skipped, failed, impossible, endless;

static void compare(struct model *m, hb_pattern *p, const struct orders *all, struct story *s)
{
	struct answer truth, answer;
	hb_error err = {0};
	brute_force(&truth, s, all);
	bool asked = ask_library(&answer, p, s, false, &err), good = asked && agree(&truth, &answer, s);
	if (asked && answer.fitted == -2) {
		skipped++;
		return;
	}
	pairs++;
	complete += truth.complete && truth.fitted == s->n;
	stopped += !truth.complete && truth.fitted == s->n;
	wrong += truth.fitted < s->n;
	if (good) { /* the same with every state packed as soon as it is made */
		asked = ask_library(&answer, p, s, true, &err);
		good = asked && agree(&truth, &answer, s);
	}
	if (good)
		return;
	if (failed++ >= 3)
		return;
	printf("FAIL a history of %d events%s\n%s\n#", s->n, s->blind ? ", blind" : "", m->text);
	for (int i = 0; i < s->n; i++) {
		printf(" %d", i);
		show_label(&s->at[i]);
		for (int k = 0; k < i; k++)
			if (s->before[i] >> k & 1)
				printf("%s%d", "<", k);
	}
	printf("\n");
	show(&truth, "enumerated");
	if (asked)
		show(&answer, "library");
	else
		printf("# library: %s\n", err.message);
}

/* A model without any order is one that no run can fit. */
static void no_way(const struct model *m, hb_pattern *p)
{
	struct story s = {0};
	struct answer a;
	hb_error err = {0};
	impossible++;
	if (!ask_library(&a, p, &s, false, &err) && strstr(err.message, "no run can fit"))
		return;
	failed++;
	printf("FAIL a model that no run can fit is taken\n%s\n# %s\n", m->text, err.message);
}

static void one_model(uint64_t *seed)
{
	struct model m;
	struct orders few, all;
	hb_error err = {0};
	hb_pattern *p = NULL;
	model_random(&m, seed);
	hb_pattern_world world = {.processes = (uint32_t)m.processes};
	model_orders(&m, 2, &few);
	model_orders(&m, strstr(m.text, "loop") ? LOOPED + 1 : 1, &all);
	if (few.too_many || all.too_many) {
		skipped++;
	} else if (hb_pattern_parse("random.hbm", m.text, &world, &p, &err) &&
		   strstr(err.message, "never comes to an end")) {
		endless++; /* a definition without a way that does not lead to itself: right */
	} else if (!p) {
		printf("FAIL %s\n%s\n", err.message, m.text);
		failed++;
	} else if (!few.n) {
		no_way(&m, p);
	} else {
		struct story s;
		for (int i = 0; i < 6; i++) {
			random_story(&s, &few, &m, seed);
			compare(&m, p, &all, &s);
		}
	}
	hb_pattern_close(p);
	free(few.at);
	free(all.at);
	model_free(&m);
}

int main(int argc, char **argv)
{
	uint64_t wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000;
	uint64_t seed = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 0x9e3779b97f4a7c15u | 1;
	while (pairs < wanted && failed < 10)
		one_model(&seed);
	printf("# %llu pairs: %llu complete, %llu stopped, %llu wrong; %llu models that no run can fit, %llu that never end; %llu skipped: too large\n",
		(unsigned long long)pairs, (unsigned long long)complete, (unsigned long long)stopped,
		(unsigned long long)wrong, (unsigned long long)impossible, (unsigned long long)endless,
		(unsigned long long)skipped);
	printf("%llu passed, %llu failed\n", (unsigned long long)(pairs - (failed < pairs ? failed : pairs)),
		(unsigned long long)failed);
	return failed != 0;
}
