/* A job under control without a terminal: goes to cuts as `hbdb debug` does, and tells how every thread stands beside where the
 * cut has it. Reads commands, one a line:
 *
 *   to EVENT    run to the cut of an event; "at EVENT waited restarted differs seconds", then for each line of the model
 *               "line RANK LANE STOP EVENT | LIFE WHY OVER INSIDE ARRIVAL"
 *   look EVENT  the lines once more, a second later
 *   end         everybody goes on to the end: "end STATUS differs seconds", then the lines as before, without a cut
 *
 * usage: walk RECORDING [SECONDS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/live/live.h"
#include "tool/run/events.h"
#include "tool/store/find.h"

static hb_run run;
static hb_live *live;
static double limit = 60;

#define STILL 20 /* looks, 50 ms apart at least */

static const char *why_of(const hb_thread *t)
{
	static const char *const words[] = {"start", "after", "signal", "end", "differs"};
	return t->held ? words[t->why] : "-";
}

static void print_lines(const uint32_t *event, const hb_stop *stop)
{
	static const char *const stops[] = {"nothing", "after", "inside", "end"};
	static const char *const lives[] = {"absent", "running", "held", "broken", "exited", "dead"};
	static const char *const arrivals[] = {"arrived", "blocked", "underway"};
	hb_session *session = hb__live_session(live);
	for (uint32_t i = 0; i < hb_model_get_info(run.model)->lines; i++) {
		const hb_line *l = &hb_model_lines(run.model)[i];
		int32_t rank = hb_model_processes(run.model)[l->process].rank;
		const hb_proc *p = hb_session_proc(session, rank);
		hb_thread none = {0};
		const hb_thread *t = p && l->lane < p->nthreads ? &p->threads[l->lane] : &none;
		printf("line %d %u %s %u | %s %s %llu %d %s\n", rank, l->lane, stop ? stops[stop[i]] : "-",
			event ? event[i] : 0, p ? lives[p->life] : "absent", why_of(t), (unsigned long long)t->event,
			t->inside, arrivals[hb_session_arrival(session, rank)]);
	}
	puts("done");
	fflush(stdout);
}

static void everybody(hb_set *ret)
{
	hb_set_init(ret, hb_session_size(hb__live_session(live)));
	hb_set_all(ret);
}

static int go_to(const char *name, bool go)
{
	uint32_t lines = hb_model_get_info(run.model)->lines, *event = calloc(lines, sizeof *event);
	hb_stop *stop = calloc(lines, sizeof *stop);
	bool again = false;
	hb_at at;
	hb_set all;
	int code = hb__read_event(&run, name, &at);
	if (!go) {
		for (int i = 0; i < 20; i++)
			hb__live_poll(live, 50);
	}
	code = code || !go ? code : hb__live_run_to(live, at, &again);
	if (!code) {
		everybody(&all);
		bool there = hb__live_wait(live, &all, limit);
		hb_stops(run.model, at, event, stop, NULL);
		printf("at %s %d %d %d %.4f\n", name, there, again, hb__live_differs(live), hb__live_reached(live));
		print_lines(event, stop);
		hb_set_free(&all);
	}
	free(event);
	free(stop);
	return code;
}

/* Everybody runs free; those that end in a stop by the record stay there. */
static void go_on(void)
{
	int32_t size = hb_session_size(hb__live_session(live));
	hb_target *targets = calloc((size_t)size + 1, sizeof *targets);
	hb_set all;
	for (int32_t i = 0; i < size; i++)
		targets[i] = (hb_target){.rank = i, .free = true};
	hb_session_stop_at(hb__live_session(live), targets, (size_t)size, NULL);
	free(targets);
	double begin = hb__live_seconds(live);
	hb__live_go_all(live);
	everybody(&all);
	bool there = false;
	/* the job is over, or nothing has moved for a while: programs that hang do so again */
	for (int still = 0; still < STILL && hb__live_running(live) && hb__live_seconds(live) - begin < limit;
		still++) {
		there = hb__live_wait(live, &all, 1);
		if (hb__live_poll(live, 50))
			still = 0;
	}
	printf("end %d %d %d %d %.4f\n", there, hb__live_running(live), hb__live_status(live), hb__live_differs(live),
		hb__live_seconds(live) - begin);
	print_lines(NULL, NULL);
	hb_set_free(&all);
}

static int obey(char *line)
{
	line[strcspn(line, "\n")] = 0;
	if (!strncmp(line, "to ", 3))
		return go_to(line + 3, true);
	if (!strncmp(line, "look ", 5))
		return go_to(line + 5, false);
	if (!strcmp(line, "end"))
		go_on();
	return 0;
}

int main(int argc, char **argv)
{
	char line[256];
	if (argc < 2)
		return 2;
	limit = argc > 2 ? atof(argv[2]) : limit;
	char *path = NULL;
	int code = hb__find_recording(argv[1], &path);
	code = code ? code : hb__open_run(path, &run);
	hb_live_options options = {.recording = path, .run = &run};
	code = code ? code : hb__live_open(&options, &live);
	while (!code && fgets(line, sizeof line, stdin))
		code = obey(line);
	hb__live_close(live);
	hb__close_run(&run);
	free(path);
	return code;
}
