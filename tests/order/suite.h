/* What the test programs of this folder share: options, random programs and runs, the
 * model of a run, and a way to show what failed. */
#ifndef TESTS_ORDER_SUITE_H
#define TESTS_ORDER_SUITE_H

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "oracle/oracle.h"
#include "unit/check.h"

struct suite {
	uint64_t seed;
	long programs, runs; /* runs of each program */
	long shown;          /* failures printed in full */
	int calls, procs;    /* instead of what the test wants: to find a small program that fails */
	bool verbose;
};

static inline void suite_options(struct suite *s, int argc, char **argv)
{
	static const struct option options[] = {{"seed", 1, NULL, 's'}, {"programs", 1, NULL, 'n'},
		{"runs", 1, NULL, 'r'}, {"calls", 1, NULL, 'c'}, {"procs", 1, NULL, 'p'}, {"verbose", 0, NULL, 'v'},
		{0}};
	for (int c; (c = getopt_long(argc, argv, "s:n:r:c:p:v", options, NULL)) != -1;) {
		if (c == 's') {
			s->seed = strtoull(optarg, NULL, 0);
		} else if (c == 'n') {
			s->programs = strtol(optarg, NULL, 0);
		} else if (c == 'r') {
			s->runs = strtol(optarg, NULL, 0);
		} else if (c == 'c') {
			s->calls = atoi(optarg);
		} else if (c == 'p') {
			s->procs = atoi(optarg);
		} else if (c == 'v') {
			s->verbose = true;
		} else {
			fprintf(stderr, "usage: %s [--seed N] [--programs N] [--runs N] [--calls N] [--procs N]\n",
				argv[0]);
			exit(2);
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
}

/* The random program number i of the suite; false: it got too large. */
static inline bool suite_program(const struct suite *s, const struct wish *wish, long i, struct program *ret)
{
	struct wish w = *wish;
	w.calls = s->calls ? s->calls : w.calls;
	w.procs = s->procs ? s->procs : w.procs;
	return generate(ret, s->seed + (uint64_t)i, &w);
}

/* A difference: says it, and of the first few prints the program and the run. */
__attribute__((format(printf, 3, 4))) static inline void differs(
	struct suite *s, const struct run *r, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	if (s->shown++ < (s->verbose ? 100000 : 5)) {
		printf("difference: ");
		vprintf(format, ap);
		printf("\n");
		if (s->shown <= 2 || s->verbose) {
			print_program(stdout, r->p);
			print_run(stdout, r);
		}
	}
	va_end(ap);
}

/* ---- the model of a run ---- */

struct opened {
	hb_log *log[MAX_PROCS];
	hb_source source[MAX_PROCS];
	hb_model *model;
	hb_error err;
};

/* Opens the logs in the folder of this test; which can be read: a bit each. */
static inline bool model_open(const struct program *p, unsigned which, struct opened *ret)
{
	memset(ret, 0, sizeof *ret);
	for (int proc = 0; proc < p->procs; proc++) {
		char name[32];
		snprintf(name, sizeof name, "rank.%d.log", proc);
		ret->source[proc].rank = proc;
		if (which >> proc & 1 && hb_log_open(check_path(name), &ret->log[proc], &ret->err) == HB_OK)
			ret->source[proc].log = ret->log[proc];
	}
	return hb_model_build(ret->source, (size_t)p->procs, NULL, NULL, &ret->model, &ret->err) == HB_OK;
}

static inline void model_close(struct opened *o)
{
	hb_model_close(o->model);
	for (int i = 0; i < MAX_PROCS; i++)
		hb_log_close(o->log[i]);
}

static inline bool record_and_open(const struct run *r, struct opened *ret)
{
	check_path("x"); /* makes the folder */
	record(r, check_folder);
	return model_open(r->p, ~0u, ret);
}

/* ---- from the model's numbers to those of the program ---- */

/* The place of an event; thread NONE: no such. */
static inline struct place place_of(const struct opened *o, const struct program *p, hb_at at)
{
	struct place none = {NONE, NONE};
	if (at.line == HB_NO || at.line >= hb_model_get_info(o->model)->lines || at.event == 0)
		return none;
	const hb_line *line = &hb_model_lines(o->model)[at.line];
	int rank = hb_model_processes(o->model)[line->process].rank;
	return (struct place){(uint8_t)(rank * p->lanes + (int)line->lane), (uint8_t)(at.event - 1)};
}

static inline bool same_place(struct place a, struct place b)
{
	return a.thread == b.thread && (a.thread == NONE || a.call == b.call);
}

/* The message that a call of the program sends: NONE none. */
static inline int message_at(const struct program *p, struct place w)
{
	return w.thread == NONE || w.call >= p->thread[w.thread].n ? NONE : p->thread[w.thread].call[w.call].send;
}

/* A Start that never returned does not say what it starts: the log knows nothing of its message. */
static inline bool told(const struct run *r, int message)
{
	const struct message *m = &r->p->message[message];
	return r->p->thread[m->thread].call[m->call].kind != K_START || r->event[m->thread][m->call].exited;
}

static inline int receive_at(const struct program *p, struct place w)
{
	return w.thread == NONE || w.call >= p->thread[w.thread].n ? NONE : p->thread[w.thread].call[w.call].recv;
}

static inline int send_number(const struct opened *o, const struct program *p, uint32_t send)
{
	return send == HB_NO ? NONE : message_at(p, place_of(o, p, hb_send_at(o->model, send)));
}

#endif
