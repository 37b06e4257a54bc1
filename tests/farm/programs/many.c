/* many TASKS LARGEST [MODE]: a farm whose receiver knows what must come. Task i has a size of its own up to LARGEST; what is computed of it
 * depends on every byte; each result is looked at, and each task must come once. Divide and conquer cuts the bytes.
 *
 * MODE: give (bytes are handed over, and must be released once), many-results, many-parts, no-parts, empty, globals, silent
 * (hb_farm_monitor off), die RANK (the process of this rank is killed at its third task), poison ROOT (the first task from the fifth on that
 * is computed elsewhere than by rank ROOT kills every process that computes it), die-early RANK (generator, receiver or node is killed in
 * its first function). The last three take a millisecond for a task. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <hbdb/farm.h>

static long tasks, largest, victim = -1;
static const char *mode = "";
static long released, global;

struct result {
	uint64_t sum, bytes;
};

static size_t size_of(long task) { return sizeof task + (size_t)((task * 7919) % (largest + 1)); }

static unsigned char byte_of(long task, size_t i) { return (unsigned char)(task * 31 + (long)i * 17); }

static void release(void *bytes)
{
	free(bytes);
	released++;
}

static int is(const char *name) { return !strcmp(mode, name); }

static long rank(void)
{
	const char *text = getenv("OMPI_COMM_WORLD_RANK");
	return strtol(text ? text : getenv("PMI_RANK"), NULL, 10);
}

static void die_early(void)
{
	if (is("die-early") && rank() == victim)
		raise(SIGKILL);
}

static void init_master(int argc, char **argv)
{
	(void)argv;
	if (argc < 3)
		abort(); /* the farm's own options are taken out, the program's are left */
}

static void data_generator(void)
{
	global = 7;
	if (is("silent"))
		hb_farm_monitor(0);
	die_early();
	for (long task = 0; task < tasks; task++) {
		unsigned char *bytes = malloc(size_of(task));
		memcpy(bytes, &task, sizeof task);
		for (size_t i = sizeof task; i < size_of(task); i++)
			bytes[i] = byte_of(task, i);
		if (is("give"))
			hb_farm_give_task(bytes, size_of(task), release);
		else
			hb_farm_do_task(bytes, size_of(task));
		if (!is("give"))
			free(bytes);
	}
	if (is("give") && released != tasks)
		printf("released: %ld\n", released);
}

static struct result result_of(const unsigned char *bytes, size_t size)
{
	struct result r = {0, size};
	for (size_t i = 0; i < size; i++)
		r.sum += bytes[i];
	return r;
}

/* Which task is poisoned stands in a file, so that all know it. */
static void perhaps_die(long task)
{
	static int computed;
	nanosleep(&(struct timespec){0, 1000000}, NULL);
	die_early();
	if (is("die") && rank() == victim && ++computed == 3)
		raise(SIGKILL);
	if (!is("poison") || task < 5 || rank() == victim)
		return;
	FILE *f = fopen("poison", "wx");
	if (f) {
		fprintf(f, "%ld", task);
		fclose(f);
	}
	long poisoned = -1;
	f = fopen("poison", "r");
	if (f && fscanf(f, "%ld", &poisoned) == 1 && poisoned == task)
		raise(SIGKILL);
	if (f)
		fclose(f);
}

static void compute(const void *task, size_t size, hb_farm_out *out)
{
	struct result r = result_of(task, size);
	long number;
	if ((uintptr_t)task % 16)
		printf("a task is not aligned\n");
	memcpy(&number, task, sizeof number < size ? sizeof number : size);
	if (is("die") || is("poison") || is("die-early"))
		perhaps_die(number);
	if (is("empty"))
		return;
	if (is("give")) {
		struct result *copy = malloc(sizeof r);
		*copy = r;
		hb_farm_give(out, copy, sizeof r, free);
		return;
	}
	struct result *room = hb_farm_room(out, sizeof r);
	if (room)
		*room = r;
	if (is("many-results"))
		hb_farm_put(out, &r, sizeof r);
}

static void split(const void *task, size_t size, int degree, hb_farm_out *out)
{
	const unsigned char *bytes = task;
	size_t from = 0;
	if (is("no-parts"))
		return;
	for (int i = 0; i < degree; i++) {
		size_t to = i + 1 == degree ? size : size * (size_t)(i + 1) / (size_t)degree;
		hb_farm_put(out, bytes + from, to - from);
		from = to;
	}
	if (is("many-parts"))
		hb_farm_put(out, bytes, 1);
}

static void join(const hb_farm_bytes *result, int n, hb_farm_out *out)
{
	struct result r = {0, 0};
	for (int i = 0; i < n; i++) {
		const struct result *part = result[i].data;
		if (!result[i].size)
			continue;
		r.sum += part->sum;
		r.bytes += part->bytes;
	}
	if (is("empty"))
		return;
	hb_farm_put(out, &r, sizeof r);
}

/* The results have no numbers: what must come is counted by sums and sizes of all. */
static void result_receiver(void)
{
	hb_farm_bytes bytes;
	uint64_t sum = 0, size = 0, must = 0, must_size = 0;
	long come = 0, empty = 0;
	die_early();
	if (is("globals"))
		printf("global: %ld\n", global);
	while (hb_farm_get_result(&bytes)) {
		struct result r = {0, 0};
		come++;
		empty += !bytes.size;
		memcpy(&r, bytes.data, bytes.size);
		sum += r.sum * (r.bytes + 1);
		size += r.bytes;
	}
	for (long task = 0; task < tasks; task++) {
		uint64_t one = 0;
		for (size_t i = 0; i < size_of(task); i++)
			one += i < sizeof task ? ((unsigned char *)&task)[i] : byte_of(task, i);
		must += one * (size_of(task) + 1);
		must_size += size_of(task);
	}
	printf("%ld of %ld results, %ld empty, %s\n", come, tasks, empty,
		sum == must && size == must_size ? "right" : "wrong");
}

int main(int argc, char **argv)
{
	hb_farm_program program = {init_master, data_generator, result_receiver, compute, split, join};
	tasks = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	largest = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	mode = argc > 3 && *argv[3] != '-' ? argv[3] : "";
	victim = argc > 4 ? strtol(argv[4], NULL, 10) : -1;
	if (hb_farm_run(&program, &argc, &argv) < 0) {
		fputs(hb_farm_error(), stderr);
		return 1;
	}
	return 0;
}
