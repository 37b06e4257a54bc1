/* An application that does nothing but take time and memory, as a file tells, and goes wrong where the file says so:
 *
 *   mpirun -n 10 ./simulate tasks.txt 100 --farm-topology=binary --farm-degree=2 --farm-depth=5
 *
 * A line of the file describes a task, or a subtask by its digits: what it does in each of the five functions.
 *
 *   # task     generate   compute    receive    split      join
 *   0          10 64 0    500 16 0   10 0 0     20 64 0    20 16 0
 *   49         10 64 0    500 16 4   10 0 0     20 64 0    20 16 0
 *   49.0110    10 64 0    500 16 0   10 0 0     20 64 0    20 16 0
 *   50         10 64 0    500 16 0   10 0 0     20 64 0    20 16 0
 *
 * Three numbers each: time in microseconds; space in bytes (of the task that is generated, of the result that is computed or joined, of each
 * part that is split, of memory that receive writes to); bug. A task without a line is as the one before it, a subtask without a line
 * as its task. Bugs:
 *   0 none
 *   1 lost: the task is not generated, the last part not put, the result has no bytes, the receiver returns
 *   2 twice: the task is generated twice; a part or result more is put than may be
 *   3 the function never returns
 *   4 a fatal fault: the process dies of SIGSEGV
 *   5 wrong: the result says too little
 * With tasks as they should be, the last line is "N of N tasks are right". */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <hbdb/farm.h>

enum { GENERATE, COMPUTE, RECEIVE, SPLIT, JOIN, FUNCTIONS, DIGITS = 64 };
enum { BUG_LOST = 1, BUG_TWICE, BUG_HANGS, BUG_FATAL, BUG_WRONG };

struct behaviour {
	long microseconds, bytes, bug;
};
struct line {
	long task;
	char sub[DIGITS];
	struct behaviour does[FUNCTIONS];
};
/* What a task and a result begin with; the rest is padding. */
struct message {
	int64_t task;
	uint64_t width; /* of a whole task: WHOLE; parts share it, and results are summed up */
	char sub[DIGITS];
};
#define WHOLE ((uint64_t)1 << 40)

static struct line *lines;
static long lines_count, tasks;

static int failed(const char *file, int number, const char *text)
{
	fprintf(stderr, "%s:%d: %s\n", file, number, text);
	return -1;
}

static int read_line(const char *text, struct line *line)
{
	char name[DIGITS + 32], *end;
	int at, n;
	if (sscanf(text, "%95s%n", name, &at) != 1)
		return -1;
	line->task = strtol(name, &end, 10);
	if (end == name || (*end && *end != '.') || strlen(end) > sizeof line->sub)
		return -1;
	snprintf(line->sub, sizeof line->sub, "%s", *end ? end + 1 : "");
	for (int f = 0; f < FUNCTIONS; f++) {
		struct behaviour *b = &line->does[f];
		if (sscanf(text + at, "%ld %ld %ld%n", &b->microseconds, &b->bytes, &b->bug, &n) != 3)
			return -1;
		at += n;
	}
	return text[at + (int)strspn(text + at, " \t\r\n")] ? -1 : 0;
}

static int read_lines(const char *file)
{
	FILE *f = fopen(file, "r");
	char text[512];
	if (!f)
		return failed(file, 0, "cannot be opened");
	for (int number = 1; fgets(text, sizeof text, f); number++) {
		text[strcspn(text, "#")] = 0;
		if (!text[strspn(text, " \t\r\n")])
			continue;
		struct line *more = realloc(lines, (size_t)(lines_count + 1) * sizeof *lines);
		if (!more || read_line(text, &(lines = more)[lines_count])) {
			fclose(f);
			return failed(file, number, "not TASK[.SUBTASK] and five times TIME SPACE BUG");
		}
		lines_count++;
	}
	fclose(f);
	return lines_count ? 0 : failed(file, 0, "has no task");
}

/* The line of the subtask, else the last of a whole task that is not after this one. */
static const struct behaviour *behaviour(int64_t task, const char *sub, int function)
{
	const struct line *found = NULL;
	for (long i = 0; i < lines_count; i++) {
		if (lines[i].task == task && *sub && !strcmp(lines[i].sub, sub))
			return &lines[i].does[function];
		if (!*lines[i].sub && lines[i].task <= task && (!found || lines[i].task >= found->task))
			found = &lines[i];
	}
	return &(found ? found : lines)->does[function];
}

/* Takes the time, and does what the bug does if that is the end. */
static long act(const struct behaviour *b)
{
	struct timespec t = {b->microseconds / 1000000, b->microseconds % 1000000 * 1000};
	if (b->microseconds)
		nanosleep(&t, NULL);
	if (b->bug == BUG_FATAL) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile int *)0 = 0;
	}
	while (b->bug == BUG_HANGS)
		pause();
	return b->bug;
}

static size_t size_of(const struct behaviour *b)
{
	return b->bytes > (long)sizeof(struct message) ? (size_t)b->bytes : sizeof(struct message);
}

static void data_generator(void)
{
	for (long task = 0; task < tasks; task++) {
		const struct behaviour *b = behaviour(task, "", GENERATE);
		struct message *m = calloc(1, size_of(b));
		long bug = act(b), times = bug == BUG_LOST ? 0 : bug == BUG_TWICE ? 2 : 1;
		for (m->task = task, m->width = WHOLE; times; times--)
			hb_farm_do_task(m, size_of(b));
		free(m);
	}
}

static void put(hb_farm_out *out, const struct behaviour *b, int64_t task, uint64_t width, long bug)
{
	struct message *m = bug == BUG_LOST ? NULL : hb_farm_room(out, size_of(b));
	if (m) {
		memset(m, 0, size_of(b));
		m->task = task;
		m->width = width - (bug == BUG_WRONG);
	}
	if (bug == BUG_TWICE)
		hb_farm_room(out, size_of(b));
}

static void split(const void *task, size_t size, int degree, hb_farm_out *out)
{
	const struct message *whole = task;
	const struct behaviour *b = behaviour(whole->task, whole->sub, SPLIT);
	long bug = act(b);
	uint64_t share = whole->width / (uint64_t)degree;
	(void)size;
	for (int i = 0; i < degree - (bug == BUG_LOST) + (bug == BUG_TWICE); i++) {
		struct message *part = hb_farm_room(out, size_of(b));
		if (!part)
			return;
		memset(part, 0, size_of(b));
		*part = *whole;
		part->width = i ? share : whole->width - share * (uint64_t)(degree - 1);
		part->sub[strlen(part->sub)] = "0123456789abcdefghijklmnopqrstuvwxyz"[i];
	}
}

static void compute(const void *task, size_t size, hb_farm_out *out)
{
	const struct message *m = task;
	const struct behaviour *b = behaviour(m->task, m->sub, COMPUTE);
	(void)size;
	put(out, b, m->task, m->width, act(b));
}

static void join(const hb_farm_bytes *result, int n, hb_farm_out *out)
{
	uint64_t width = 0;
	int64_t task = 0;
	for (int i = 0; i < n; i++) {
		const struct message *m = result[i].data;
		width += result[i].size ? m->width : 0;
		task = result[i].size ? m->task : task;
	}
	const struct behaviour *b = behaviour(task, "", JOIN);
	put(out, b, task, width, act(b));
}

static void result_receiver(void)
{
	hb_farm_bytes result;
	long right = 0;
	while (hb_farm_get_result(&result)) {
		const struct message *m = result.data;
		if (result.size < sizeof *m)
			continue;
		const struct behaviour *b = behaviour(m->task, "", RECEIVE);
		right += m->width == WHOLE;
		char *memory = calloc(1, (size_t)b->bytes + 1);
		long bug = act(b);
		free(memory);
		if (bug == BUG_LOST)
			break;
	}
	printf("%ld of %ld tasks are right\n", right, tasks);
}

int main(int argc, char **argv)
{
	hb_farm_program program = {.data_generator = data_generator,
		.split = split,
		.compute = compute,
		.join = join,
		.result_receiver = result_receiver};
	if (argc < 3 || *argv[1] == '-') {
		fprintf(stderr, "usage: simulate FILE TASKS [--farm-...]\n");
		return 2;
	}
	tasks = strtol(argv[2], NULL, 10);
	if (read_lines(argv[1])) /* in every process: nodes look into it, too */
		return 1;
	if (hb_farm_run(&program, &argc, &argv) < 0) {
		fputs(hb_farm_error(), stderr);
		return 1;
	}
	return 0;
}
