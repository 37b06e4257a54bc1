/* The end of a recording whose processes live on. */
#include <stdlib.h>
#include <unistd.h>

#include "../lasting/lasting.h"
#include "../making/keep.h"
#include "../store/find.h"
#include "kept.h"
#include "stop.h"

/* It was sealed already, by the hbdb that made it or by us. */
static int nothing_to_stop(const char *recording)
{
	return hb__fail_with(HB_EXIT_USAGE,
		"%s: its processes have ended, and it is complete: there is nothing to stop", hb__short(recording));
}

static int complete(const char *recording, hb_manifest *m)
{
	hb_sum sum;
	hb__unshare_folder(recording);
	hb__finish_logs(recording, true, &sum);
	m->processes = sum.processes;
	m->open = false;
	hb__write_manifest(m, recording);
	if (sum.processes)
		hb__print_sum(recording, &sum);
	else
		hb__say("%s: no process had an event", hb__short(recording));
	int code = sum.processes ? 0 : HB_EXIT_RECORDING;
	hb__sum_free(&sum);
	return code;
}

int hb__stop_recording(const char *name)
{
	char *recording;
	hb_manifest m = {0};
	int code = hb__find_running(name, &recording);
	if (!code && hb__manifest_read(recording, &m))
		code = HB_EXIT_RECORDING;
	code = code ? code : hb__refuse_away(recording, "stop");
	if (!code && m.finished && !m.open)
		code = nothing_to_stop(recording);
	bool busy = false;
	int held = code ? -1 : hb__hold_folder(recording, &busy);
	if (!code)
		hb__tell_to_stop(recording);
	if (!code && busy)
		hb__say("%s: its processes go on, and nothing more of them is recorded; the hbdb that makes it completes it when the command ends",
			hb__short(recording));
	else if (!code)
		code = complete(recording, &m);
	if (held >= 0)
		close(held);
	hb__manifest_free(&m);
	free(recording);
	return code;
}
