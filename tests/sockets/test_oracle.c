/* Programs that talk by chance (chance.h): no match that is not said to be ambiguous may be wrong, none may be missing. Usage: test_oracle [SEEDS [CALLS]] */
#include "synthetic/chance.h"

/* ---- held against the model ---- */

struct verdict {
	uint64_t right, wrong, missing, doubted;
	uint64_t ready, unready;  /* what was there first: rightly said, wrongly said */
	uint64_t outside, inside; /* calls that talked to somebody who is not recorded: said so, not said so */
};

static bool same(struct origin a, struct origin b)
{
	return a.process == b.process && a.lane == b.lane && a.event == b.event;
}

static struct origin origin(const struct world *w, hb_at at)
{
	const hb_line *line = &hb_model_lines(w->m)[at.line];
	return (struct origin){(int)line->process, (int)line->lane, at.event};
}

static int by_ends(const void *a, const void *b) { return memcmp(a, b, sizeof(struct truth)); }

static bool is_true(const struct sim *s, struct truth t)
{
	return s->n && bsearch(&t, s->truth, s->n, sizeof t, by_ends);
}

/* The k-th send of a channel was received by its k-th receive, and those behind by none. */
static bool in_order(const struct world *w)
{
	for (uint32_t c = 0, n; c < hb_model_get_info(w->m)->channels; c++) {
		const uint32_t *list = hb_model_channel_sends(w->m, c, &n);
		for (uint32_t i = 1; i < n; i++) {
			uint32_t before = hb_model_sends(w->m)[list[i - 1]].receive,
				 now = hb_model_sends(w->m)[list[i]].receive;
			if (now != HB_NO && (before == HB_NO || before > now))
				return false;
		}
		if (hb_model_channels(w->m)[c].sent != n)
			return false;
	}
	return true;
}

static void compare(struct sim *s, struct verdict *v)
{
	const struct world *w = &s->w;
	const hb_receive *receive = hb_model_receives(w->m);
	uint32_t n = hb_model_get_info(w->m)->receives, found = 0;
	struct truth *told = calloc(n + 1, sizeof *told);
	bool *doubted = calloc(n + 1, sizeof *doubted);
	qsort(s->truth, s->n, sizeof *s->truth, by_ends);
	for (uint32_t i = 0; i < n; i++) {
		if (receive[i].send == HB_NO)
			continue;
		told[found] = (struct truth){
			origin(w, hb_send_at(w->m, receive[i].send)), origin(w, hb_receive_done(w->m, i))};
		doubted[found] = receive[i].flags & HB_AMBIGUOUS;
		v->doubted += doubted[found];
		bool yes = is_true(s, told[found]);
		v->right += yes && !doubted[found];
		v->wrong += !yes && !doubted[found];
		found++;
	}
	for (size_t i = 0; i < s->n; i++) {
		bool there = false;
		for (uint32_t k = 0; k < found && !there; k++)
			there = same(told[k].to, s->truth[i].to) &&
				(doubted[k] || same(told[k].from, s->truth[i].from));
		v->missing += !there;
	}
	free(told);
	free(doubted);
}

/* What is said to have been there first when an end was ready. */
static void compare_ready(struct sim *s, struct verdict *v)
{
	const hb_chosen *chosen = hb_model_chosen(s->w.m);
	for (uint32_t i = 0; i < hb_model_get_info(s->w.m)->chosen; i++) {
		uint32_t send = chosen[i].receive == HB_NO ? HB_NO : hb_model_receives(s->w.m)[chosen[i].receive].send;
		if (send == HB_NO)
			continue;
		struct origin from = origin(&s->w, hb_send_at(s->w.m, send)), at = origin(&s->w, chosen[i].at);
		bool yes = false;
		for (size_t k = 0; k < s->heads && !yes; k++)
			yes = same(s->head[k].from, from) && same(s->head[k].to, at);
		v->ready += yes;
		v->unready += !yes;
	}
}

static void compare_outside(struct sim *s, struct verdict *v)
{
	for (size_t i = 0; i < s->crossings; i++) {
		const struct crossing *c = &s->crossing[i];
		uint32_t n;
		const hb_crossing *told =
			hb_model_crossings_at(s->w.m, world_at(&s->w, c->at.process, c->at.lane, c->at.event), &n);
		bool yes = n == 1 && told->in == c->in && told->n == 1 &&
			   !strcmp(hb_model_outside(s->w.m)[told->outside].name, c->name);
		v->outside += yes;
		v->inside += !yes;
	}
}

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 150, calls = argc > 2 ? (unsigned)atoi(argv[2]) : 600;
	struct verdict all = {0};
	uint64_t bad = 0, built = 0, ordered = 0, restarts = 0, passed = 0;
	struct sim *s = malloc(sizeof *s);
	for (unsigned seed = 1; seed <= seeds && s; seed++) {
		struct verdict v = {0};
		setup(s, seed);
		begin(s);
		for (unsigned i = 0; i < calls; i++)
			step(s);
		if (world_build(&s->w)) {
			built++;
			ordered += in_order(&s->w);
			compare(s, &v);
			compare_ready(s, &v);
			compare_outside(s, &v);
		}
		if (v.wrong || v.missing || v.unready || v.inside) {
			bad++;
			printf("  seed %u: %llu wrong, %llu missing, %llu not ready, %llu not outside\n", seed,
				(unsigned long long)v.wrong, (unsigned long long)v.missing,
				(unsigned long long)v.unready, (unsigned long long)v.inside);
			for (uint32_t i = 0; hb_model_trouble(s->w.m, i); i++)
				printf("    %s\n", hb_model_trouble(s->w.m, i));
		}
		all.right += v.right;
		all.wrong += v.wrong;
		all.missing += v.missing;
		all.doubted += v.doubted;
		all.ready += v.ready;
		all.unready += v.unready;
		all.outside += v.outside;
		all.inside += v.inside;
		restarts += s->restarts;
		passed += s->passed;
		world_end(&s->w);
		free(s->truth);
		free(s->head);
		free(s->crossing);
	}
	free(s);
	check(built == seeds, "%u random programs are read", seeds);
	check(ordered == seeds, "channels list what was sent in the order in which it was received");
	check(!all.wrong && !bad, "%llu matches are right, none that is not ambiguous is wrong (%llu)",
		(unsigned long long)all.right, (unsigned long long)all.wrong);
	check(!all.missing, "none is missing (%llu)", (unsigned long long)all.missing);
	check(all.doubted < all.right, "%llu are ambiguous", (unsigned long long)all.doubted);
	check(restarts > seeds / 2 && passed > seeds,
		"%llu processes take the ports of others, %llu descriptors are passed", (unsigned long long)restarts,
		(unsigned long long)passed);
	check(all.ready > seeds && !all.unready, "what was there when an end was ready: %llu right, %llu wrong",
		(unsigned long long)all.ready, (unsigned long long)all.unready);
	check(all.outside > seeds && !all.inside, "%llu calls talk to somebody outside, %llu are said to otherwise",
		(unsigned long long)all.outside, (unsigned long long)all.inside);
	check_clean();
	return check_end();
}
