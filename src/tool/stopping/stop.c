/* The end of a recording whose processes live on. */
#include <stdlib.h>
#include <unistd.h>

#include "../lasting/lasting.h"
#include "../making/keep.h"
#include "../nodes/nodes.h"
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

/* What is done with the recording now. apart: connections to its nodes, which were told; none: its processes write here. over: the job has ended there. */
static int end(const char *recording, hb_manifest *m, hb_nodes *apart, bool over)
{
	bool busy = false;
	size_t lost = 0;
	int held = hb__hold_folder(recording, &busy), code = 0;
	for (size_t i = 0; i < apart->n; i++)
		lost += apart->at[i].lost != NULL;
	hb__tell_to_stop(recording);
	if (busy && over)
		hb__say("%s: its job is over, and the hbdb that makes it completes it", hb__short(recording));
	else if (busy)
		hb__say("%s: its processes go on, and nothing more of them is recorded%s; the hbdb that makes it completes it when the command ends",
			hb__short(recording), lost ? ", but on these nodes" : "");
	else if (apart->n)
		code = hb__complete_apart(recording, m, apart);
	else
		code = complete(recording, m);
	if (held >= 0)
		close(held);
	return code ? code : lost ? HB_EXIT_RECORDING : 0;
}

int hb__stop_recording(const char *name, bool elsewhere)
{
	char *recording;
	hb_manifest m = {0};
	hb_nodes apart = {0};
	bool over = false;
	int code = hb__find_running(name, &recording);
	if (!code && hb__manifest_read(recording, &m))
		code = HB_EXIT_RECORDING;
	if (!code && m.finished && !m.open)
		code = nothing_to_stop(recording);
	if (!code && hb__writes_apart(&m))
		code = hb__stop_apart(recording, &m, elsewhere, &apart, &over);
	if (!code)
		code = end(recording, &m, &apart, over);
	hb__nodes_close(&apart);
	hb__manifest_free(&m);
	free(recording);
	return code;
}
