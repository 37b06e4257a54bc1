/* hbdb races */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options.h"
#include "../run/races.h"
#include "../show/progress.h"
#include "../store/find.h"
#include "../terminal.h"

/* ---- the command ---- */

static int look(struct hb_races *r)
{
	hb_error err = {0};
	hb_race_sum sum;
	hb_bar bar;
	hb__bar_begin(&bar, "looking for races");
	hb_status status = hb_races(r->run.model, r->flags, hb__keep_race, r, &sum, hb__bar_step, &bar, &err);
	hb__bar_end(&bar);
	if (status)
		return hb__fail_log(r->run.path, &err);
	hb__say_troubles(&r->run);
	if (r->line && !r->line_found)
		return hb__no_such_line(r);
	hb__page();
	if (r->out) {
		hb__flush(r->out);
		if (r->out->broken && r->out->error != EPIPE)
			return hb__fail_with(HB_EXIT_RECORDING, "cannot write the output: %s", strerror(r->out->error));
	} else
		hb__put_races(r, &sum);
	return r->found ? HB_EXIT_FINDING : 0;
}

int hb__races(const hb_args *args)
{
	struct hb_races r = hb__races_asked(args);
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	int code = r.ranks ? hb__check_ranks(args->command->name, r.ranks) : 0;
	code = code ? code : hb__find_recording(args->operand, &recording);
	if (code) {
		free(recording);
		return code;
	}
	code = hb__open_run(recording, &r.run);
	if (r.run.model && r.ranks && hb__check_run_ranks("races --rank", r.ranks, &r.run.logs))
		code = HB_EXIT_USAGE;
	else if (r.run.model) {
		r.whole = !code && hb__is_whole(&r.run);
		if (hb__option_value(args, "json")) {
			r.out = hb__alloc(sizeof *r.out);
			r.out->fd = 1;
		}
		hb__begin_races(&r);
		int found = look(&r);
		/* what is missing decides: neither "none" nor "these" is the whole answer */
		code = found > HB_EXIT_FINDING || !code ? found : code;
		hb__end_races(&r);
		free(r.out);
	}
	hb__close_run(&r.run);
	free(recording);
	return code;
}
