/* A recording of what another one holds now, while its processes go on: mostly a ring's. */
#include "kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../making/keep.h"
#include "../memory/recent.h"
#include "../store/find.h"
#include "../store/logs.h"
#include "../store/manifest.h"
#include "../tool.h"
#include "format/raw/keep.h"

/* NAME-kept-1.hbdb beside NAME.hbdb, or the first number that is free. */
static char *new_name(const char *recording)
{
	size_t n = strlen(recording), suffix = strlen(".hbdb");
	n -= n > suffix && !strcmp(recording + n - suffix, ".hbdb") ? suffix : 0;
	for (unsigned i = 1;; i++) {
		char *path = hb__format("%.*s-kept-%u.hbdb", (int)n, recording, i);
		if (access(path, F_OK))
			return path;
		free(path);
	}
}

/* How long the run has lasted, from its manifest. */
static double so_far(const hb_manifest *m)
{
	struct tm utc = {0};
	struct timespec now;
	const char *rest = m->started ? strptime(m->started, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;
	clock_gettime(CLOCK_REALTIME, &now);
	double began = rest ? (double)timegm(&utc) + strtod(*rest == '.' ? rest : "0", NULL) : 0;
	return rest ? (double)now.tv_sec + (double)now.tv_nsec / 1e9 - began : 0;
}

static int complete(const char *kept, uint64_t logs, hb_manifest *m)
{
	hb_sum sum;
	free(m->id);
	m->id = NULL;
	m->processes = logs;
	m->seconds = m->finished ? m->seconds : so_far(m);
	m->finished = true;
	m->open = false;
	if (hb__manifest_write(m, kept))
		return hb__fail_with(HB_EXIT_RECORDING, "%s/manifest.json: %s", hb__short(kept), strerror(errno));
	hb__recent_add(HB_RECENT_MADE, kept);
	hb__finish_logs(kept, true, &sum);
	hb__print_sum(kept, &sum);
	hb__sum_free(&sum);
	return 0;
}

int hb__keep_now(const char *name)
{
	char *recording = NULL, *kept = NULL;
	hb_manifest m = {0};
	hb_error err = {0};
	uint64_t logs = 0;
	int code = hb__find_running(name, &recording);
	if (!code && hb__manifest_read(recording, &m))
		code = HB_EXIT_RECORDING;
	if (!code) {
		kept = new_name(recording);
		if (hb_recording_keep(recording, kept, &logs, &err))
			code = hb__fail_with(HB_EXIT_RECORDING, "%s%s%s", err.message, err.sys ? ": " : "",
				err.sys ? strerror(err.sys) : "");
		else if (!logs)
			code = hb__fail_with(HB_EXIT_RECORDING,
				"%s: no process has had an event yet: there is nothing to keep", hb__short(recording));
		if (code && err.sys != EEXIST)
			hb__remove_folder(kept);
	}
	if (!code)
		code = complete(kept, logs, &m);
	hb__manifest_free(&m);
	free(recording);
	free(kept);
	return code;
}
