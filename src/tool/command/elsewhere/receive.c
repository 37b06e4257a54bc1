/* hbdb receive */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../making/keep.h"
#include "../../memory/recent.h"
#include "../../options.h"
#include "../../sending/sending.h"
#include "../../store/find.h"

const hb_option hb__receive_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write; default: received-1, received-2, ..."},
	{"keep-raw", 0, HB_OPTION_FLAG, NULL, "keep the logs as they came; do not compress them"},
	{0},
};

static int keep(const char *recording, bool raw, bool whole)
{
	hb_sum sum;
	hb__finish_logs(recording, !raw, &sum);
	int code = sum.processes ? 0 : hb__fail_with(HB_EXIT_RECORDING, "no event had come");
	if (sum.processes) {
		hb__recent_add(HB_RECENT_MADE, recording);
		hb__print_sum(recording, &sum);
	} else
		hb__remove_folder(recording);
	hb__sum_free(&sum);
	if (!code && !whole)
		code = hb__fail_with(HB_EXIT_RECORDING,
			"the stream ended before the run was over: %s holds what had come until then",
			hb__short(recording));
	return code;
}

int hb__receive(const hb_args *args)
{
	char *recording = NULL;
	bool whole;
	if (isatty(0))
		return hb__fail_with(HB_EXIT_USAGE,
			"receive reads what hbdb record sends, as in hbdb record --send 'ssh HOST hbdb receive' -- mpirun -n 4 ./program");
	if (!hb__stream_begins(stdin))
		return hb__fail_with(HB_EXIT_RECORDING, "what comes in is not from hbdb record --send");
	int code = hb__new_recording(hb__option_value(args, "output"), "received", &recording);
	if (code)
		return code;
	code = hb__receive_stream(stdin, recording, &whole);
	int kept = keep(recording, hb__option_value(args, "keep-raw") != NULL, whole || code);
	free(recording);
	return code ? code : kept;
}
