/* What the analysis of a recording costs: opens all its logs and times each phase on the way. Prints JSON.
 * A phase that needs an earlier one runs it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "model/model.h"
#include "rules/race.h"
#include "sim.h"

struct logs_read {
	hb_log **log;
	hb_source *source;
	uint32_t n;
	uint64_t events;
};

struct times {
	double cpu, user, wall; /* user: of cpu, without what the kernel did, such as clearing fresh pages */
};

/* The time of the processor counts: what else the machine does is not in it. */
static struct times now(void)
{
	struct timespec t, c;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_MONOTONIC, &t);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c);
	return (struct times){(double)c.tv_sec + (double)c.tv_nsec * 1e-9,
		(double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6,
		(double)t.tv_sec + (double)t.tv_nsec * 1e-9};
}

/* KiB of /proc/self/status: memory of our own, without the logs that are mapped; and the most there was of all. */
static long status_kib(const char *name)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, name, strlen(name)))
			kib = atol(line + strlen(name));
	if (f)
		fclose(f);
	return kib;
}

static void tell(const char *phase, struct times begin, uint64_t events)
{
	struct times end = now();
	printf("\"%s\": {\"cpu\": %.6f, \"user\": %.6f, \"wall\": %.6f, \"events_per_s\": %.0f, \"own_kib\": %ld, \"peak_kib\": %ld},\n ",
		phase, end.cpu - begin.cpu, end.user - begin.user, end.wall - begin.wall,
		(double)events / (end.cpu - begin.cpu), status_kib("RssAnon:"), status_kib("VmHWM:"));
	fflush(stdout);
}

static int fail(const char *what, const hb_error *err)
{
	fprintf(stderr, "measure: %s: %s\n", what, err->message);
	return 1;
}

static int open_logs(const char *folder, struct logs_read *ret)
{
	hb_error err = {0};
	for (uint32_t cap = 0;; ret->n++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/rank.%" PRIu32 ".log", folder, ret->n);
		if (access(path, R_OK))
			return ret->n ? 0 : fail(folder, &(hb_error){.message = "no rank.0.log"});
		if (ret->n == cap) {
			cap = cap ? 2 * cap : 64;
			ret->log = realloc(ret->log, cap * sizeof *ret->log);
			ret->source = realloc(ret->source, cap * sizeof *ret->source);
		}
		if (!ret->log || !ret->source || hb_log_open(path, &ret->log[ret->n], &err))
			return fail(path, &err);
		ret->source[ret->n] = (hb_source){.log = ret->log[ret->n], .rank = (int32_t)ret->n};
		ret->events += hb_log_get_info(ret->log[ret->n])->events;
	}
}

/* ---- reading alone, for comparison ---- */

static int read_rows(const struct logs_read *logs)
{
	hb_error err = {0};
	for (uint32_t i = 0; i < logs->n; i++) {
		hb_cursor *cursor;
		hb_row row;
		if (hb_cursor_open(logs->log[i], 0, 1, &cursor, &err))
			return fail("rows", &err);
		while (hb_cursor_next(cursor, &row, &err) == 1)
			;
		hb_cursor_close(cursor);
	}
	return 0;
}

static int read_events(const struct logs_read *logs)
{
	hb_error err = {0};
	for (uint32_t i = 0; i < logs->n; i++) {
		hb_events *events;
		hb_event event;
		if (hb_events_open(logs->log[i], 0, &events, &err))
			return fail("events", &err);
		while (hb_events_next(events, &event, &err) == 1)
			;
		hb_events_close(events);
	}
	return 0;
}

/* ---- the model ---- */

/* As the generator adds it up: which send, which posting. */
static uint64_t digest(const hb_model *model)
{
	const hb_model_info *info = hb_model_get_info(model);
	const hb_send *send = hb_model_sends(model);
	const hb_line *line = hb_model_lines(model);
	const hb_process *process = hb_model_processes(model);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < info->sends; i++) {
		if (send[i].receive == HB_NO)
			continue;
		hb_at to = hb_receive_post(model, send[i].receive), from = hb_send_at(model, i);
		sum += pair_digest((uint32_t)process[line[from.line].process].rank, from.event,
			(uint32_t)process[line[to.line].process].rank, to.event);
	}
	return sum;
}

static void tell_model(const hb_model *model)
{
	const hb_model_info *i = hb_model_get_info(model);
	printf("\"model\": {\"events\": %" PRIu64 ", \"sends\": %" PRIu32 ", \"receives\": %" PRIu32
	       ", \"probes\": %" PRIu32 ", \"collectives\": %" PRIu32 ", \"channels\": %" PRIu32 ", \"specs\": %" PRIu32
	       ", \"groups\": %" PRIu32 ", \"matched\": %" PRIu32 ", \"ambiguous\": %" PRIu32 ", \"troubles\": %" PRIu32
	       ", \"digest\": \"%016" PRIx64 "\"},\n ",
		i->events, i->sends, i->receives, i->probes, i->collectives, i->channels, i->specs, i->groups,
		i->matched, i->ambiguous, i->troubles, digest(model));
	for (uint32_t t = 0; t < i->troubles && t < 10; t++)
		fprintf(stderr, "measure: %s\n", hb_model_trouble(model, t));
}

static int analyse(const struct logs_read *logs, int phases)
{
	hb_error err = {0};
	hb_model *model;
	struct times begin = now();
	if (hb_model_build(logs->source, logs->n, NULL, NULL, &model, &err))
		return fail("match", &err);
	tell("match", begin, logs->events);
	tell_model(model);
	if (phases > 1) {
		begin = now();
		if (hb_clocks_run(model, NULL, NULL, NULL, NULL, &err))
			return fail("clocks", &err);
		tell("clocks", begin, logs->events);
	}
	if (phases > 2) {
		hb_race_sum sum = {0};
		begin = now();
		if (hb_races(model, 0, NULL, NULL, &sum, NULL, NULL, &err))
			return fail("races", &err);
		tell("races", begin, logs->events);
		printf("\"sum\": {\"wildcards\": %" PRIu64 ", \"racing\": %" PRIu64 ", \"choices\": %" PRIu64
		       ", \"racing_choices\": %" PRIu64 ", \"alternatives\": %" PRIu64 "},\n ",
			sum.wildcards, sum.racing, sum.choices, sum.racing_choices, sum.alternatives);
	}
	hb_model_close(model);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"match", "clocks", "races"};
	int phases = 3, reading = 0;
	struct logs_read logs = {0};
	for (int c; (c = getopt(argc, argv, "rp:")) != -1;)
		if (c == 'r')
			reading = 1;
		else
			for (int i = c == 'p' ? 0 : 3; i < 3; i++)
				if (!strcmp(names[i], optarg))
					phases = i + 1;
	if (optind != argc - 1) {
		fprintf(stderr, "usage: measure [-r] [-p match|clocks|races] NAME.hbdb\n"
				"  -r: reads rows and events alone, too; -p: the last phase\n");
		return 2;
	}
	struct times begin = now();
	if (open_logs(argv[optind], &logs))
		return 1;
	printf("{");
	tell("open", begin, logs.events);
	begin = now();
	if (reading && read_rows(&logs))
		return 1;
	if (reading)
		tell("rows", begin, logs.events);
	begin = now();
	if (reading && read_events(&logs))
		return 1;
	if (reading)
		tell("events", begin, logs.events);
	if (analyse(&logs, phases))
		return 1;
	printf("\"ranks\": %" PRIu32 ", \"read\": %" PRIu64 "}\n", logs.n, logs.events);
	for (uint32_t i = 0; i < logs.n; i++)
		hb_log_close(logs.log[i]);
	free(logs.log);
	free(logs.source);
	return 0;
}
