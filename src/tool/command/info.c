/* hbdb info */
#include <signal.h>
#include <stdlib.h>

#include "../info/info.h"
#include "../options.h"
#include "../store/find.h"
#include "../terminal.h"

const hb_option hb__info_options[] = {
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object"},
	{0},
};

int hb__info(const hb_args *args)
{
	char *recording;
	hb_facts f = {0};
	signal(SIGPIPE, SIG_IGN);
	int code = hb__find_recording(args->operand, &recording);
	if (code)
		return code;
	f.recording = hb__short(recording);
	f.name = args->operand;
	f.has_manifest = !hb__manifest_read(recording, &f.manifest);
	code = hb__open_logs(recording, &f.logs);
	if (!code && (!f.has_manifest || !hb__logs_whole(&f.logs)))
		code = HB_EXIT_RECORDING;
	hb__info_gather(&f);
	f.contents = hb__gather_contents(&f.logs, &f.sum, &code);
	hb__page();
	if (hb__option_value(args, "json"))
		hb__info_json(&f);
	else
		hb__info_text(&f);
	hb__info_release(&f);
	free(recording);
	return code;
}
