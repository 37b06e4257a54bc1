/* hbdb compare control */
#include <stdlib.h>

#include "../../store/find.h"
#include "../verbs.h"
#include "control.h"

int hb__compare_control(const hb_args *args)
{
	hb_trace_settings settings;
	if (!args->rest || args->nwords != 1)
		return hb__fail_with(HB_EXIT_USAGE,
			"compare control takes the command to run, as in 'hbdb compare control -- mpirun -n 2 ./program', of a program that was built with hbdb cc or hbdb fc");
	hb_settings_default(&settings);
	settings.level = HB_TRACE_MINIMAL;
	settings.control = true;
	hb_making making = {.output = hb__option_value(args, "output"), .quiet = true};
	hb_made made;
	hb_controlled_run run = {0};
	int code = hb__make_traced(args, &settings, &making, &made);
	if (!code && !made.recording)
		code = made.end.status ? made.end.status : HB_EXIT_USAGE;
	code = code ? code : hb__read_controlled(made.recording, &run);
	if (!code) {
		if (made.end.status)
			hb__say("the command ended with status %d", made.end.status);
		code = hb__print_controlled(hb__short(made.recording), &run, hb__option_value(args, "json") != NULL);
		code = code == HB_EXIT_OK && made.end.status ? HB_EXIT_RECORDING : code;
	}
	hb__controlled_free(&run);
	hb_settings_free(&settings);
	free(made.recording);
	return code;
}
