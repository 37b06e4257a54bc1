/* hbdb races */
#include <signal.h>
#include <stdlib.h>

#include "../options.h"
#include "../run/races.h"
#include "../store/find.h"

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
	if (r.run.model)
		code = hb__races_answer(&r, args, code);
	hb__close_run(&r.run);
	free(recording);
	return code;
}
