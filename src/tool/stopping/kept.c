/* A recording of what another one holds now, while its processes go on: mostly a ring's. */
#include "kept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../clocks/align.h"
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
	if (m->nnodes)
		hb__clocks_align(kept);
	ret_sum->goes_on = m->kept;
	return HB_OK;
}

/* Copies what the recording itself has into a new one. */
static hb_status copy(const char *recording, const char *output, char **ret_to, uint64_t *ret_logs, hb_error *err)
{
	*ret_to = NULL;
	do { /* somebody else may keep it at the same time, and take the name */
		free(*ret_to);
		*ret_to = output ? hb__copy(output) : new_name(recording);
		*err = (hb_error){0};
		hb_recording_keep(recording, *ret_to, ret_logs, err);
	} while (!output && err->sys == EEXIST);
	return err->status;
}

static uint64_t logs_of(const char *recording)
{
	hb_logs logs;
	hb__list_logs(recording, &logs);
	uint64_t n = logs.n;
	hb__close_logs(&logs);
	return n;
}

static hb_status keep(
	const char *recording, const char *output, bool elsewhere, hb_manifest *m, hb_kept *ret, hb_error *err)
{
	uint64_t logs = 0;
	hb_strings lines = {0};
	char *to;
	copy(recording, output, &to, &logs, err);
	if (!err->status && m->nnodes) {
		hb__keep_apart(recording, to, elsewhere, m, &ret->missing, &lines, err);
		logs = err->status ? 0 : logs_of(to);
	}
	if (!err->status && !logs) {
		err->status = HB_E_DAMAGED;
		snprintf(err->message, sizeof err->message,
			ret->missing ? "%.60s: nothing was kept: %.180s"
				     : "%.150s: no process has had an event yet: there is nothing to keep",
			recording, ret->missing);
	}
	err->status = err->status ? err->status : complete(to, logs, m, &ret->sum, err);
	for (size_t i = 0; i < lines.n; i++)
		hb__push(&ret->sum.trouble, lines.at[i]);
	hb__strings_free(&lines);
	if (err->status && err->sys != EEXIST)
		hb__remove_folder(to);
	if (err->status)
		free(to);
	else
		ret->recording = to;
	return err->status;
}

hb_status hb__keep(const char *recording, const char *output, bool elsewhere, hb_kept *ret, hb_error *err)
{
	hb_manifest m = {0};
	*ret = (hb_kept){0};
	*err = (hb_error){0};
	if (hb__manifest_read(recording, &m)) {
		err->status = HB_E_DAMAGED;
		snprintf(err->message, sizeof err->message, "%.200s has no manifest that can be read", recording);
	} else {
		keep(recording, output, elsewhere, &m, ret, err);
	}
	hb__manifest_free(&m);
	return err->status;
}

void hb__kept_free(hb_kept *kept)
{
	hb__sum_free(&kept->sum);
	free(kept->recording);
	free(kept->missing);
	*kept = (hb_kept){0};
}

int hb__keep_now(const char *name, bool elsewhere)
{
	char *recording = NULL;
	hb_error err;
	hb_kept kept = {0};
	int code = hb__find_running(name, &recording);
	if (!code && hb__keep(recording, NULL, elsewhere, &kept, &err))
		code = hb__fail_with(err.status == HB_E_ARGUMENT ? HB_EXIT_USAGE : HB_EXIT_RECORDING, "%s%s%s",
			err.message, err.sys ? ": " : "", err.sys ? strerror(err.sys) : "");
	if (!code) {
		hb__print_sum(kept.recording, &kept.sum);
		code = kept.missing ? HB_EXIT_RECORDING : 0;
	}
	hb__kept_free(&kept);
	free(recording);
	return code;
}
