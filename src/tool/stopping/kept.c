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
#include "../show/inert.h"
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

/* What the manifest says of it. */
static hb_status complete(const char *kept, uint64_t logs, hb_manifest *m, hb_sum *ret_sum, hb_error *err)
{
	free(m->id);
	m->id = NULL;
	m->processes = logs;
	m->seconds = m->finished ? m->seconds : so_far(m);
	m->kept = m->kept || !m->finished || m->open;
	m->finished = true;
	m->open = false;
	if (hb__manifest_write(m, kept)) {
		*err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
		snprintf(err->message, sizeof err->message, "%.200s/manifest.json cannot be written", kept);
		return err->status;
	}
	hb__recent_add(HB_RECENT_MADE, kept);
	hb__finish_logs(kept, true, ret_sum);
	ret_sum->goes_on = m->kept;
	return HB_OK;
}

hb_status hb__keep(const char *recording, const char *output, char **ret_kept, hb_sum *ret_sum, hb_error *err)
{
	hb_manifest m = {0};
	uint64_t logs = 0;
	char *kept = NULL;
	*ret_kept = NULL;
	*ret_sum = (hb_sum){0};
	*err = (hb_error){0};
	if (hb__manifest_read(recording, &m)) {
		err->status = HB_E_DAMAGED;
		snprintf(err->message, sizeof err->message, "%.200s has no manifest that can be read", recording);
	} else {
		do { /* somebody else may keep it at the same time, and take the name */
			free(kept);
			kept = output ? hb__copy(output) : new_name(recording);
			*err = (hb_error){0};
			hb_recording_keep(recording, kept, &logs, err);
		} while (!output && err->sys == EEXIST);
		if (!err->status && !logs) {
			err->status = HB_E_DAMAGED;
			snprintf(err->message, sizeof err->message,
				"%.150s: no process has had an event yet: there is nothing to keep", recording);
		}
		err->status = err->status ? err->status : complete(kept, logs, &m, ret_sum, err);
		if (err->status && err->sys != EEXIST)
			hb__remove_folder(kept);
	}
	hb__manifest_free(&m);
	if (err->status)
		free(kept);
	else
		*ret_kept = kept;
	return err->status;
}

int hb__refuse_away(const char *recording, const char *what)
{
	bool goes_on;
	char *away = hb__away(recording, &goes_on), *word = hb__shell_word(hb__short(recording));
	int code = away && goes_on ? HB_EXIT_USAGE : 0;
	if (code)
		hb__fail_with(code,
			"record --%s does not reach the nodes on which the processes of %s write (%s): their logs come when the job is over. If its hbdb was killed: hbdb record --fetch %s",
			what, hb__short(recording), away, word);
	free(word);
	free(away);
	return code;
}

int hb__keep_now(const char *name)
{
	char *recording = NULL, *kept = NULL;
	hb_error err;
	hb_sum sum = {0};
	int code = hb__find_running(name, &recording);
	code = code ? code : hb__refuse_away(recording, "keep");
	if (!code && hb__keep(recording, NULL, &kept, &sum, &err))
		code = hb__fail_with(HB_EXIT_RECORDING, "%s%s%s", err.message, err.sys ? ": " : "",
			err.sys ? strerror(err.sys) : "");
	if (!code)
		hb__print_sum(kept, &sum);
	hb__sum_free(&sum);
	free(recording);
	free(kept);
	return code;
}
