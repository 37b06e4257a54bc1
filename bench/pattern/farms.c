/* What it costs to check the two farm machines: histories of any length, made as they are fed.
 *
 * usage: bench_pattern MODEL_FOLDER farm|divide EVENTS PROCESSES OPEN CUT
 *   OPEN tasks are under way at a time, their events in random turns; CUT percent of the tasks are cut off somewhere.
 * Prints events, tasks, nanoseconds of processor time per event (making the history not included) and the most memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "rules/pattern/pattern.h"

#define MOST 2048   /* events of a task */
#define BATCH 65536 /* events that are made before they are fed */
#define DEPTH 5

enum { TASK, RESULT, GENERATE, COMPUTE, RECEIVE, SPLIT, JOIN, NAMES };
static const char *const names[NAMES] = {"task", "result", "generate", "compute", "receive", "split", "join"};

struct event {
	uint8_t name, half;
	uint16_t process, peer; /* peer: the process itself of an action */
	uint32_t sub;           /* number of its text */
};
struct task {
	int64_t number;
	int n, at;
	struct event event[MOST];
};

static hb_pattern *pattern;
static uint32_t binding[NAMES], processes;
static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 11) % n);
}

static void add(struct task *t, int name, int half, uint32_t process, uint32_t peer, uint32_t sub)
{
	if (t->n < MOST)
		t->event[t->n++] = (struct event){(uint8_t)name, (uint8_t)half, (uint16_t)process, (uint16_t)peer, sub};
}

static void action(struct task *t, int name, uint32_t process, uint32_t sub)
{
	add(t, name, HB_PATTERN_BEGIN, process, process, sub);
	add(t, name, HB_PATTERN_END, process, process, sub);
}

static void message(struct task *t, int name, uint32_t from, uint32_t to, uint32_t sub)
{
	add(t, name, HB_PATTERN_SENT, from, to, sub);
	add(t, name, HB_PATTERN_RECEIVED, to, from, sub);
}

#define ROOT 2 /* the node that process 0 gives tasks to; process 1 receives results */

static uint32_t child(uint32_t p) { return p == ROOT ? ROOT + 1 : 2 * (p - ROOT - 1) + ROOT + 2 + below(2); }

static void farm_work(struct task *t, uint32_t p)
{
	uint32_t c = child(p);
	if (c >= processes || below(4) == 0) {
		action(t, COMPUTE, p, 0);
		return;
	}
	message(t, TASK, p, c, 0);
	farm_work(t, c);
	message(t, RESULT, c, p, 0);
}

static void divide_part(struct task *t, uint32_t p, const char *sub, size_t length, bool first)
{
	char part[DEPTH + 2];
	uint32_t c = child(p), text = hb_pattern_text(pattern, sub);
	if (!first && c < processes && below(2)) {
		message(t, TASK, p, c, text);
		divide_part(t, c, sub, length, true);
		message(t, RESULT, c, p, text);
	} else if (length == DEPTH || below(4) == 0) {
		action(t, COMPUTE, p, text);
	} else {
		action(t, SPLIT, p, text);
		uint32_t which = below(2);
		for (uint32_t i = 0; i < 2; i++) {
			snprintf(part, sizeof part, "%s%u", sub, which ^ i);
			divide_part(t, p, part, length + 1, false);
		}
		action(t, JOIN, p, text);
	}
}

static void new_task(struct task *t, int64_t number, bool divide, uint32_t cut)
{
	t->number = number;
	t->n = t->at = 0;
	action(t, GENERATE, 0, 0);
	message(t, TASK, 0, ROOT, 0);
	if (divide)
		divide_part(t, ROOT, "", 0, true);
	else
		farm_work(t, ROOT);
	message(t, RESULT, ROOT, 1, 0);
	action(t, RECEIVE, 1, 0);
	if (below(100) < cut)
		t->n = 1 + (int)below((uint32_t)t->n);
}

static void fail(const hb_error *err)
{
	fprintf(stderr, "%s\n", err->message);
	exit(1);
}

static double processor(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct batch {
	struct event event[BATCH];
	int64_t task[BATCH];
	int n;
};

static void feed(hb_pattern_check *check, const struct batch *b, uint64_t *id)
{
	hb_error err;
	for (int i = 0; i < b->n; i++) {
		const struct event *e = &b->event[i];
		hb_pattern_value key[2] = {{false, b->task[i]}, {true, e->sub}};
		hb_pattern_event x = {binding[e->name], (hb_pattern_half)e->half, e->process, e->peer, key, (*id)++};
		if (hb_pattern_feed(check, &x, &err))
			fail(&err);
	}
}

static hb_pattern_check *begin(const char *folder, const char *model)
{
	char file[4096];
	hb_error err;
	hb_pattern_world world = {.processes = processes};
	hb_pattern_check *check;
	uint32_t n;
	snprintf(file, sizeof file, "%s/%s.hbm", folder, model);
	if (hb_pattern_read(file, &world, &pattern, &err) || hb_pattern_begin(pattern, NULL, NULL, &check, &err))
		fail(&err);
	const hb_pattern_binding *b = hb_pattern_bindings(pattern, &n);
	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < NAMES; k++)
			if (!strcmp(b[i].name, names[k]))
				binding[k] = i;
	hb_pattern_text(pattern, "");
	return check;
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "usage: %s MODEL_FOLDER farm|divide EVENTS PROCESSES OPEN CUT\n", argv[0]);
		return 2;
	}
	uint64_t events = strtoull(argv[3], NULL, 10), id = 0;
	uint32_t open = (uint32_t)atoi(argv[5]), cut = (uint32_t)atoi(argv[6]);
	bool divide = !strcmp(argv[2], "divide");
	processes = (uint32_t)atoi(argv[4]);
	hb_pattern_check *check = begin(argv[1], argv[2]);
	struct task *task = calloc(open, sizeof *task);
	struct batch *batch = malloc(sizeof *batch);
	struct rusage before, after;
	int64_t tasks = 0;
	double time = 0;
	for (uint32_t i = 0; i < open; i++)
		new_task(&task[i], tasks++, divide, cut);
	getrusage(RUSAGE_SELF, &before);
	while (id < events) {
		for (batch->n = 0; batch->n < BATCH; batch->n++) {
			struct task *t = &task[below(open)];
			if (t->at == t->n)
				new_task(t, tasks++, divide, cut);
			batch->event[batch->n] = t->event[t->at++];
			batch->task[batch->n] = t->number;
		}
		double start = processor();
		feed(check, batch, &id);
		time += processor() - start;
	}
	hb_error err;
	hb_pattern_sum sum;
	double start = processor();
	if (hb_pattern_end(check, false, NULL, NULL, &sum, &err))
		fail(&err);
	time += processor() - start;
	getrusage(RUSAGE_SELF, &after);
	printf("%s, %u processes: %llu events, %lld tasks (%llu complete, %llu stopped, %llu wrong): %.0f ns an event, %.0f MB\n",
		argv[2], processes, (unsigned long long)id, (long long)tasks, (unsigned long long)sum.complete,
		(unsigned long long)sum.stopped, (unsigned long long)sum.wrong, time / (double)id,
		(double)(after.ru_maxrss - before.ru_maxrss) / 1024);
	hb_pattern_check_close(check);
	hb_pattern_close(pattern);
	free(task);
	free(batch);
	return 0;
}
