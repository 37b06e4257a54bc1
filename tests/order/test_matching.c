/* Issue "Order and races", item 1: the model's matching of random runs is what happened in them. */
#include "suite.h"

static struct suite suite = {.seed = 1, .programs = 1000, .runs = 3};

struct sums {
	long runs, whole, receives, probes, matched, ambiguous, unknown, wrong, failed;
};

/* One receive: what the model says of it against what it got. */
static void compare_receive(const struct run *r, const struct opened *o, uint32_t number, struct sums *sums)
{
	const hb_receive *m = &hb_model_receives(o->model)[number];
	struct place post = place_of(o, r->p, hb_receive_post(o->model, number));
	int mine = receive_at(r->p, post);
	if (mine == NONE || r->p->receive[mine].probe) {
		const struct call *c = &r->p->thread[post.thread].call[post.call];
		if (c->peer == PROC_NULL || c->kind == K_START || (c->kind == K_SENDRECV && c->source == PROC_NULL))
			return; /* from nobody: whether it is listed is the model's business */
		sums->wrong++;
		differs(&suite, r, "the model has a receive at %d:%d", post.thread, post.call + 1);
		return;
	}
	int got = send_number(o, r->p, m->send), truth = r->end.got[mine];
	struct place done = place_of(o, r->p, hb_receive_done(o->model, number));
	sums->receives++;
	if (m->flags & HB_AMBIGUOUS || (truth != NONE && !told(r, truth))) {
		sums->ambiguous++;
		return;
	}
	bool ended = r->received[mine].thread != NONE ||
		     (r->p->receive[mine].matched && r->event[post.thread][post.call].exited);
	if (!ended) {
		sums->unknown += got == NONE;
		if (got != NONE && got != truth && (truth != NONE || !(m->flags & HB_PENDING))) {
			sums->wrong++;
			differs(&suite, r, "R%d never ended, got m%d, the model says m%d", mine, truth, got);
		}
		return;
	}
	sums->matched++;
	bool taken = r->p->receive[mine].matched && same_place(done, post); /* an Mprobe knows its message itself */
	if (got != truth || !(taken || r->received[mine].thread == NONE || same_place(done, r->received[mine]))) {
		sums->wrong++;
		differs(&suite, r, "R%d got m%d, the model says m%d, completed %d:%d", mine, truth, got, done.thread,
			done.call + 1);
	}
}

static void compare_probe(const struct run *r, const struct opened *o, uint32_t number, struct sums *sums)
{
	const hb_probe *m = &hb_model_probes(o->model)[number];
	struct place at = place_of(o, r->p, (hb_at){m->line, m->event});
	int mine = receive_at(r->p, at), got = send_number(o, r->p, m->send);
	if (mine == NONE)
		return;
	sums->probes++;
	if (m->flags & HB_AMBIGUOUS || !r->event[at.thread][at.call].exited || !told(r, r->end.got[mine])) {
		sums->ambiguous++;
	} else if (got != r->end.got[mine]) {
		sums->wrong++;
		differs(&suite, r, "probe R%d saw m%d, the model says m%d", mine, r->end.got[mine], got);
	}
}

/* A Start that never returned does not say what it starts, and an Mprobe that waits is a receive or nothing. */
static bool untold(const struct run *r, int thread, int call)
{
	int kind = r->p->thread[thread].call[call].kind;
	return (kind == K_START || kind == K_MPROBE) && !r->event[thread][call].exited;
}

/* Every receive and every message that was begun is there, once. */
static void compare_presence(const struct run *r, const struct opened *o, struct sums *sums)
{
	int posted[MAX_ITEMS] = {0}, sent[MAX_ITEMS] = {0};
	const hb_model_info *info = hb_model_get_info(o->model);
	for (uint32_t i = 0; i < info->receives; i++) {
		int mine = receive_at(r->p, place_of(o, r->p, hb_receive_post(o->model, i)));
		if (mine != NONE)
			posted[mine]++;
	}
	for (uint32_t i = 0; i < info->sends; i++) {
		int mine = message_at(r->p, place_of(o, r->p, hb_send_at(o->model, i)));
		if (mine != NONE)
			sent[mine]++;
	}
	for (int i = 0; i < r->p->receives; i++) {
		const struct receive *q = &r->p->receive[i];
		int expected = q->call < r->entered[q->thread] && !q->probe;
		if (posted[i] != expected && !untold(r, q->thread, q->call)) {
			sums->wrong++;
			differs(&suite, r, "the model has R%d %d times", i, posted[i]);
		}
	}
	for (int i = 0; i < r->p->messages; i++) {
		const struct message *m = &r->p->message[i];
		if (sent[i] != (m->call < r->entered[m->thread]) && !untold(r, m->thread, m->call)) {
			sums->wrong++;
			differs(&suite, r, "the model has m%d %d times", i, sent[i]);
		}
	}
}

static void compare(const struct run *r, struct sums *sums)
{
	struct opened o;
	sums->runs++;
	sums->whole += r->whole;
	if (!record_and_open(r, &o)) {
		sums->failed++;
		differs(&suite, r, "no model: %s", o.err.message);
	} else {
		const hb_model_info *info = hb_model_get_info(o.model);
		for (uint32_t i = 0; i < info->receives; i++)
			compare_receive(r, &o, i, sums);
		for (uint32_t i = 0; i < info->probes; i++)
			compare_probe(r, &o, i, sums);
		compare_presence(r, &o, sums);
	}
	model_close(&o);
}

static struct sums many(const char *name, const struct wish *wish, long programs, bool only_whole)
{
	static struct program p;
	static struct run r;
	struct sums sums = {0};
	for (long i = 0; i < programs; i++)
		for (long k = 0; k < suite.runs && suite_program(&suite, wish, i, &p); k++) {
			run_random(&p, suite.seed * 1000 + (uint64_t)(i * suite.runs + k), &r);
			if (r.whole || !only_whole)
				compare(&r, &sums);
		}
	printf("%s: %ld runs (%ld to the end), %ld receives, %ld probes; %ld matches compared, %ld ambiguous, %ld open\n",
		name, sums.runs, sums.whole, sums.receives, sums.probes, sums.matched, sums.ambiguous, sums.unknown);
	check(sums.runs > programs / 4 && !sums.failed, "%s: every run has a model", name);
	check(sums.matched > programs && sums.wrong == 0, "%s: %ld wrong", name, sums.wrong);
	return sums;
}

int main(int argc, char **argv)
{
	suite_options(&suite, argc, argv);
	long n = suite.programs;
	struct sums sums = many("one lane", &(struct wish){.lanes = 1, .calls = 12, .probed = true}, n, false);
	check(sums.ambiguous * 20 < sums.receives, "one lane: of %ld matches %ld ambiguous", sums.receives,
		sums.ambiguous);
	sums = many(
		"one lane, all requests completed", &(struct wish){.lanes = 1, .calls = 12, .simple = true}, n, true);
	check(sums.ambiguous == 0 && sums.unknown == 0, "one lane, all completed: nothing is ambiguous");
	sums = many("two lanes, own communicators",
		&(struct wish){.lanes = 2, .calls = 8, .own_comms = true, .simple = true, .procs = 3}, n / 2, true);
	check(sums.ambiguous == 0, "two lanes, own communicators: nothing is ambiguous");
	sums = many(
		"two lanes, shared communicators", &(struct wish){.lanes = 2, .calls = 6, .procs = 3}, n / 2, false);
	check(sums.ambiguous > 0, "two lanes, shared communicators: %ld of %ld ambiguous", sums.ambiguous,
		sums.receives);
	check_clean();
	return check_end();
}
