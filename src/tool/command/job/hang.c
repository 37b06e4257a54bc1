/* hbdb hang */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "../../nodes/nodes.h"
#include "../../options.h"
#include "../../run/next.h"
#include "../../store/find.h"
#include "../../store/manifest.h"
#include "../../watch/watch.h"

#define ENOUGH_S 1.0 /* of looks, to say that a job moves */

const hb_option hb__hang_options[] = {
	{"watch", 0, HB_OPTION_NUMBER, "SECONDS",
		"after SECONDS without progress the job is called hung, even without proof; default: 10"},
	{"stacks", 0, HB_OPTION_FLAG, NULL,
		"print the stack of each process with gdb, which stops the process for a moment"},
	{"from-elsewhere", 0, HB_OPTION_FLAG, NULL,
		"also of a recording that you did not make here; hbdb connects to the nodes that it names"},
	{0},
};

static bool ended(const char *recording)
{
	hb_manifest m;
	if (hb__manifest_read(recording, &m))
		return false;
	bool finished = m.finished && !m.open;
	hb__manifest_free(&m);
	return finished;
}

/* Looks until it is known. The first look sees everything move: it is compared with nothing. */
static hb_moving judge(hb_watch *w, const char *recording)
{
	const struct timespec tick = {0, 100000000};
	double begin = hb_seconds();
	hb__watch_look(w, recording);
	for (double first = w->lanes.moved;;) {
		nanosleep(&tick, NULL);
		hb_moving m = hb__watch_look(w, recording);
		double passed = hb_seconds() - begin;
		if (m == HB_HANGS || m == HB_NOBODY || (m == HB_COMPUTES && passed > ENOUGH_S))
			return m;
		if (w->lanes.moved > first && passed > ENOUGH_S)
			return HB_MOVES;
	}
}

static int answer(hb_watch *w, hb_moving m)
{
	hb_run run;
	if (m == HB_NOBODY) {
		hb__say("none of its processes runs on this machine any more");
		return HB_EXIT_OK;
	}
	if (m == HB_HANGS) {
		hb__put_verdict(w, stdout);
		return HB_EXIT_FINDING;
	}
	hb__live_run(w->lanes.recording, &run);
	if (m == HB_MOVES)
		printf("the job is making progress\n");
	else
		printf("no %s call has begun or ended for %.1f s, but some process is computing, so the job is not called hung\n",
			run.model && !hb__has_ranks(&run) ? "recorded" : "MPI", hb_seconds() - w->lanes.moved);
	if (run.model)
		hb__put_doing(&run, &w->lanes, stdout);
	hb__close_run(&run);
	return HB_EXIT_OK;
}

/* The logs of a job on several nodes, in a folder here; NULL: they stand in the recording. *ret_following, *ret_nodes: to be ended. */
static char *follow(const char *recording, bool elsewhere, hb_nodes *ret_nodes, hb_following **ret_following)
{
	const struct timespec tick = {0, 100000000};
	hb_logs logs = {0};
	char *folder = hb__nodes_mirror(recording, elsewhere, ret_nodes, ret_following);
	/* what has been written until now comes first */
	for (double begin = hb_seconds(); folder && !logs.n && hb_seconds() - begin < ENOUGH_S;) {
		nanosleep(&tick, NULL);
		hb__close_logs(&logs);
		hb__list_logs(folder, &logs);
	}
	hb__close_logs(&logs);
	return folder;
}

static void put_next(const hb_args *args, const char *const *commands)
{
	printf("\n");
	hb__put_next(stdout, NULL, args->operand, NULL, commands);
	printf("\n");
}

int hb__hang(const hb_args *args)
{
	static const char *const without[] = {"hang --stacks", "view", NULL}, *const with[] = {"view", NULL},
				 *const gone[] = {"check", NULL};
	char *recording = NULL, *mirror = NULL;
	hb_nodes nodes = {0};
	hb_following *following = NULL;
	hb_watch watch = {.patience = (double)hb__option_number(args, "watch", HB_WATCH_PATIENCE),
		.then = HB_ON_HANG_LEAVE,
		.name = args->operand};
	signal(SIGPIPE, SIG_IGN);
	int code = hb__find_running(args->operand, &recording);
	if (!code && ended(recording)) {
		hb__say("the job of %s has ended; 'hbdb check' reports errors in it", hb__short(recording));
		put_next(args, gone);
		free(recording);
		return HB_EXIT_OK;
	}
	if (!code) {
		mirror = follow(recording, hb__option_value(args, "from-elsewhere"), &nodes, &following);
		code = answer(&watch, judge(&watch, mirror ? mirror : recording));
		if (hb__option_value(args, "stacks") && watch.lanes.n)
			hb__put_stacks(&watch.lanes, stdout);
		put_next(args, !watch.lanes.n ? gone : hb__option_value(args, "stacks") ? with : without);
	}
	hb__watch_close(&watch);
	hb__nodes_unfollow(following, true);
	hb__nodes_close(&nodes);
	free(mirror);
	free(recording);
	return code;
}
