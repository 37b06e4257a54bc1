/* hbdb compare record and run */
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "../store/find.h"
#include "../terminal.h"
#include "verbs.h"

/* ---- record ---- */

/* Whether the run left traces: what follows cannot do without. */
static int check_traces(const char *recording, const char *then, bool values)
{
	hb_traced t;
	uint64_t told = 0;
	const char *name = hb__short(recording);
	int code = hb__begin_traced(name, recording, &t);
	code = code ? code : hb__more_traced(&t);
	if (!code && !hb_points_processes(t.points))
		code = hb__fail_with(HB_EXIT_USAGE,
			"%s has no traces: no process came to load the tracer; hbdb info tells of the run", name);
	if (!code) {
		hb_points_end(t.points);
		hb_step step;
		hb_error err = {0};
		uint64_t points = 0, sums = 0;
		int got;
		while ((got = hb_points_next(t.points, &step, &err)) > 0) {
			points += step.point.number != 0;
			sums += step.checks;
			told += step.accesses;
		}
		code = got < 0 ? hb__fail_log(recording, &err) : 0;
		if (!code)
			printf("%s: %llu %s, %llu %s of arrays%s%s\n", name, (unsigned long long)points,
				hb__plural(points, "point", "points"), (unsigned long long)sums,
				hb__plural(sums, "checksum", "checksums"), points ? "; " : "", points ? then : "");
		if (!code && !points)
			code = hb__fail_with(HB_EXIT_USAGE,
				"the program came by no point: mark its loops with hb_loop and the like (hbdb/compare.h), or run one with OpenMP");
	}
	if (!code && values && !told)
		hb__say("no reads and writes were seen between these points: build the program with 'hbdb cc' (hbdb-cc(1)) for that");
	if (!code && hb__cut_traced(&t, true))
		code = HB_EXIT_RECORDING;
	hb__close_traced(&t);
	return code;
}

int hb__compare_record(const hb_args *args)
{
	hb_trace_settings settings = {0};
	if (!args->rest || args->nwords != 1)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare record takes the command to run, as in 'hbdb compare record -o reference.hbdb -- mpirun -n 1 ./program'");
	int code = hb__wished_settings(args, NULL, &settings);
	if (!code) {
		hb_making making = {.output = hb__option_value(args, "output")};
		hb_made made;
		code = hb__make_traced(args, &settings, &making, &made);
		if (!code && !made.recording)
			code = made.end.status ? made.end.status : HB_EXIT_USAGE;
		if (!code) {
			char *word = hb__shell_word(hb__short(made.recording));
			char *then = hb__format("compare a run with it: hbdb compare run %s -- COMMAND", word);
			int traced = check_traces(made.recording, then,
				settings.level == HB_TRACE_MODIFY || settings.level == HB_TRACE_FULL);
			code = made.end.status ? made.end.status : traced;
			free(then);
			free(word);
		}
		free(made.recording);
	}
	hb_settings_free(&settings);
	return code;
}

/* ---- run ---- */

/* A comparison while the run goes on. */
struct live {
	hb_against against;
	bool begun, stop, waits; /* waits: not all of its processes have a trace yet */
	int code;                /* what went wrong; nothing more is compared then */
};

static void go(struct live *l, const char *recording)
{
	hb_against *c = &l->against;
	if (!l->begun) {
		l->begun = true;
		l->waits = true;
		l->code = hb__begin_traced(NULL, recording, &c->side[HB_OF_RUN]);
		c->side[HB_OF_RUN].name = hb__copy(hb__short(recording));
		l->code = l->code ? l->code : hb__against_begin(c);
	}
	if (!l->code && l->waits) {
		const hb_points *p = c->side[HB_OF_RUN].points;
		l->code = hb__more_traced(&c->side[HB_OF_RUN]);
		l->waits = !hb_points_processes(p) || hb_points_processes(p) < hb_points_world(p);
	}
	if (!l->code && !l->waits)
		l->code = hb__against_go(c);
}

static bool watch(void *user, const char *recording, bool launched)
{
	struct live *l = user;
	(void)launched;
	if (!l->code)
		go(l, recording);
	return l->stop && l->against.any;
}

/* The run has ended. */
static int finish(struct live *l, const hb_made *made)
{
	hb_against *c = &l->against;
	if (!l->code)
		go(l, made->recording);
	if (l->code)
		return l->code;
	if (!hb_points_processes(c->side[HB_OF_RUN].points))
		return hb__fail_with(HB_EXIT_USAGE,
			"%s has no traces: no process came to load the tracer; hbdb info tells of the run",
			c->side[HB_OF_RUN].name);
	hb_points_end(c->side[HB_OF_RUN].points);
	int code = hb__against_go(c);
	if (code)
		return code;
	if (made->end.ended)
		hb__say("the job was ended at the first difference");
	else if (made->end.status)
		hb__say("the command ended with status %d", made->end.status);
	hb__page();
	code = hb__against_print(c, stdout);
	/* of a run that failed nobody says that it is the same */
	return code == HB_EXIT_OK && made->end.status ? HB_EXIT_RECORDING : code;
}

static int run(const hb_args *args, const char *reference, struct live *l)
{
	hb_trace_settings settings;
	int code = hb__open_traced(args->word[1], reference, &l->against.side[HB_OF_REFERENCE]);
	if (code)
		return code;
	code = hb__wished_settings(args, reference, &settings);
	l->against.tolerance = (hb_reference_tolerance){settings.tolerance, settings.absolute};
	if (!code) {
		hb_making making = {
			.output = hb__option_value(args, "output"), .quiet = true, .watch = watch, .user = l};
		hb_made made;
		code = hb__make_traced(args, &settings, &making, &made);
		if (!code)
			code = made.recording ? finish(l, &made) : HB_EXIT_USAGE;
		free(made.recording);
	}
	hb_settings_free(&settings);
	return code;
}

int hb__compare_run(const hb_args *args)
{
	struct live l = {.against = {.json = hb__option_value(args, "json") != NULL,
				 .all = hb__option_value(args, "all") != NULL,
				 .loud = true},
		.stop = hb__option_value(args, "stop") != NULL};
	char *reference = NULL;
	if (!args->rest || args->nwords != 2)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare run takes the reference and the command to run, as in 'hbdb compare run reference.hbdb -- mpirun -n 4 ./program'");
	int code = hb__find_traced(args->word[1], &reference);
	code = code ? code : run(args, reference, &l);
	hb__against_end(&l.against);
	char *name = (char *)(uintptr_t)(l.begun ? l.against.side[HB_OF_RUN].name : NULL);
	hb__close_traced(&l.against.side[HB_OF_REFERENCE]);
	hb__close_traced(&l.against.side[HB_OF_RUN]);
	free(name);
	free(reference);
	return code;
}
