/* The end of a run: its logs are sealed and added up. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../contents/files.h"
#include "../lasting/lasting.h"
#include "../racing/distil.h"
#include "base/clock.h"
#include "base/task.h"
#include "format/row.h"
#include "keep.h"

/* Sealing under way: shown on a terminal when it lasts. */
struct progress {
	double begin; /* hb_seconds */
	size_t done, all;
	bool shown;
};

static void show_progress(void *user, double share)
{
	struct progress *p = user;
	if (hb_seconds() - p->begin < 1 || !isatty(2))
		return;
	dprintf(2, "\rhbdb: compressing the recording %3.0f %%", 100 * ((double)p->done + share) / (double)p->all);
	p->shown = true;
}

/* Whether the sealed form reads back as what the raw one held. A process that was told to stop goes on until the unit that it writes is full: of
 * such a log the sealed form may hold more than it had when it was opened. */
static bool reads_back(const char *path, const hb_log_info *raw, hb_error *err)
{
	uint64_t events = 0;
	hb_log *log;
	if (hb_log_verify(path, &events, err) || hb_log_open(path, &log, err))
		return false;
	const hb_log_info *info = hb_log_get_info(log);
	bool more = raw->stopped == HB_LOG_TOLD;
	bool same = info->events == events && (events == raw->events || (more && events > raw->events)) &&
		    (info->lanes == raw->lanes || (more && info->lanes > raw->lanes)) &&
		    (info->notes == raw->notes || (more && info->notes > raw->notes)) &&
		    (raw->recovered || !info->recovered);
	hb_log_close(log);
	if (!same)
		*err = (hb_error){.status = HB_E_DAMAGED, .message = "the compressed log could not be read back"};
	return same;
}

/* The sealed form replaces the raw one only when it is complete and reads back: the run may not come again. */
static bool seal(const char *path, const hb_log_info *raw, hb_distillery *d, struct progress *progress, hb_sum *sum)
{
	hb_error err = {0};
	hb_log_info rows = *raw;
	char *next = hb__format("%s.sealed", path);
	hb_status status = d->racing ? hb__distil_log(d, path, next, show_progress, progress, &rows, &err)
				     : hb_log_seal(path, next, show_progress, progress, &err);
	bool ok = !status && reads_back(next, &rows, &err);
	if (ok && rename(next, path)) {
		err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
		ok = false;
	}
	if (!ok) {
		unlink(next);
		char *line = hb__format("%s stays uncompressed: %s", path, err.sys ? strerror(err.sys) : err.message);
		hb__push(&sum->trouble, line);
		free(line);
		sum->not_sealed++;
	}
	free(next);
	return ok;
}

/* Whether the process that writes a log is there still: a killed launcher leaves its processes for a
 * moment, a script may leave them for good. A zombie does not write. */
static bool still_writes(const hb_log_info *info)
{
	if (info->state != HB_STATE_RUNNING || info->stopped == HB_LOG_TOLD || !hb_host_is_here(info->host))
		return false;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return hb_task_lives((int32_t)info->pid);
}

/* Opens a log once its process has gone, at the latest after what is left of *patience (in ms). */
static hb_log *open_finished(const char *path, int *patience, bool *ret_running, hb_error *err)
{
	const struct timespec pause = {0, 20000000};
	for (;;) {
		hb_log *log = NULL;
		if (hb_log_open(path, &log, err))
			return NULL;
		*ret_running = still_writes(hb_log_get_info(log));
		if (!*ret_running || *patience <= 0)
			return log;
		hb_log_close(log);
		nanosleep(&pause, NULL);
		*patience -= 20;
	}
}

static void say_trouble(hb_sum *sum, char *line)
{
	hb__push(&sum->trouble, line);
	free(line);
}

/* Opens a log again, as it is now that it is reduced and sealed, or grew until then. */
static void add_sealed(const char *path, hb_sum *sum)
{
	hb_error err = {0};
	hb_log *log;
	if (hb_log_open(path, &log, &err)) {
		say_trouble(sum, hb__format("%s cannot be read: %s", path, err.message));
		sum->damaged++;
		return;
	}
	hb__add_log(log, NULL, sum);
	hb_log_close(log);
}

static void finish_log(
	const char *path, hb_distillery *d, bool with_seal, int *patience, struct progress *progress, hb_sum *sum)
{
	hb_error err = {0};
	bool running = false;
	struct stat st;
	hb_log *log = open_finished(path, patience, &running, &err);
	if (!log) {
		say_trouble(sum, hb__format("%s cannot be read: %s", path, err.sys ? strerror(err.sys) : err.message));
		sum->damaged++;
		return;
	}
	hb_log_info raw = *hb_log_get_info(log);
	bool sealed = raw.sealed, later = with_seal && !running && (d->racing || raw.stopped == HB_LOG_TOLD);
	if (!later)
		hb__add_log(log, NULL, sum);
	hb_log_close(log);
	if (running) {
		sum->killed--;
		sum->killed_without -= !raw.library;
	} else if (with_seal && !sealed)
		sealed = seal(path, &raw, d, progress, sum);
	if (later)
		add_sealed(path, sum);
	sum->bytes += sealed && !stat(path, &st) ? (uint64_t)st.st_size : raw.bytes;
	hb__finish_contents(path, with_seal, running, show_progress, progress, sum);
}

/* Logs of processes that died, killed by the launcher for example, before their header was written: there is nothing in them. */
static void drop_begun(const char *recording, hb_sum *sum)
{
	uint64_t dropped = 0;
	DIR *dir = opendir(recording);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		const char *pid = strrchr(e->d_name, '.');
		if (strncmp(e->d_name, HB_LOG_BEGUN, strlen(HB_LOG_BEGUN)) ||
			!kill((pid_t)strtol(pid + 1, NULL, 10), 0))
			continue;
		dropped += !unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (dropped)
		say_trouble(
			sum, hb__format("%llu %s killed before the first row of the log: nothing of %s was recorded",
				     (unsigned long long)dropped, hb__plural(dropped, "process was", "processes were"),
				     hb__plural(dropped, "it", "them")));
}

/* Who was met, and is not here: only all logs together tell. */
static void add_missing(const char *recording, hb_sum *sum)
{
	hb_logs logs;
	hb__list_logs(recording, &logs);
	for (size_t i = 0; i < logs.n; i++)
		if (hb_log_open(logs.at[i].path, &logs.at[i].log, NULL))
			logs.at[i].log = NULL; /* said already */
	hb__name_worlds(&logs);
	hb__add_missing(&logs.worlds, sum);
	hb__close_logs(&logs);
}

void hb__finish_logs(const char *recording, bool with_seal, hb_sum *ret)
{
	hb_logs logs;
	hb_distillery d;
	int patience = HB_DYING_MS;
	*ret = (hb_sum){0};
	hb__list_logs(recording, &logs);
	struct progress progress = {.begin = hb_seconds(), .all = logs.n};
	hb__distillery_open(&logs, &d);
	for (size_t i = 0; i < logs.n; i++, progress.done++)
		finish_log(logs.at[i].path, &d, with_seal, &patience, &progress, ret);
	if (progress.shown)
		dprintf(2, "\r%24s\r", "");
	if (d.whole)
		say_trouble(ret, hb__format("every wildcard receive is kept: %s", d.whole));
	if (!hb__distillery_close(&d, recording))
		say_trouble(ret, hb__format("%s: the list of messages that raced: %s", recording, strerror(errno)));
	drop_begun(recording, ret);
	if (ret->bridges)
		add_missing(recording, ret);
	hb__close_logs(&logs);
}
