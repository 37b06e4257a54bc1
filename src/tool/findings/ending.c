/* How the processes of a run ended that did not come to an end of their own: by the logs, by who died first, by the launcher's status. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../store/find.h"
#include "base/task.h"
#include "format/row.h"
#include "findings.h"

/* MPICH's launcher ends with the status that the kernel gave of the process; others with 128 + the signal. */
static int ending_signal(const hb_manifest *m)
{
	int status = m->finished ? m->exit_status : 0;
	bool raw = m->mpi && !strcmp(m->mpi, "mpich") && m->command.n && status < 128;
	int sig = status > 128 ? status - 128 : raw ? status : 0;
	return sig > 0 && sig < 32 ? sig : 0;
}

static bool by_signal(int sig)
{
	static const int fatal[] = {
		SIGKILL, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU};
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		if (sig == fatal[i])
			return true;
	return false;
}

/* "by signal 9 (Killed)"; "": not known. To be freed. It is the launcher's status: several: that may be of another process that died at the same time. */
static char *how(const hb_manifest *m, bool several)
{
	int sig = ending_signal(m);
	const char *says = several ? " as the launcher says" : "";
	if (!by_signal(sig))
		return hb__format(m->finished && !m->kept ? " (exit status %d)" : "", m->exit_status);
	if (m->exit_status < 128)
		return hb__format(", by signal %d (%s) or with exit status %d%s", sig, strsignal(sig), sig, says);
	return hb__format(", by signal %d (%s)%s", sig, strsignal(sig), says);
}

bool hb__still_runs(const hb_log_info *info)
{
	/* of another machine nothing else can be told */
	return !hb_host_is_here(info->host) || hb_task_lives((int32_t)info->pid);
}

const char *hb__state_text(const hb_manifest *m, const hb_log_info *info)
{
	static const char *const states[] = {"ended inside MPI", "finalized", "left without MPI_Finalize", "MPI_Abort"};
	if (info->stopped == HB_LOG_TOLD)
		return m->kept ? "went on" : "told to stop";
	if (!info->library && !info->stopped)
		return info->state ? "ended" : !info->sealed && hb__still_runs(info) ? "runs" : "killed or crashed";
	return info->stopped ? "recording stopped" : info->state < 4 ? states[info->state] : "unknown";
}

static size_t broken_off(const hb_logs *logs, bool over, hb_ranked **ret_rank)
{
	size_t n = 0;
	*ret_rank = hb__alloc((logs->n + 1) * sizeof **ret_rank);
	for (size_t i = 0; i < logs->n; i++) {
		const hb_log_info *info = logs->at[i].log ? hb_log_get_info(logs->at[i].log) : NULL;
		if (info && info->state == HB_STATE_RUNNING && info->stopped != HB_LOG_TOLD &&
			(over || !hb__still_runs(info)))
			(*ret_rank)[n++] = (hb_ranked){
				logs->at[i].world, logs->at[i].rank, logs->worlds.name ? logs->worlds.name[i] : NULL};
	}
	return n;
}

/* What became of the first, where it is one of those whose logs just stop, or called MPI_Abort or left. */
static const char *fate(const hb_logs *logs, const char *name)
{
	for (size_t i = 0; i < logs->n && logs->worlds.name; i++)
		if (logs->at[i].log && !strcmp(logs->worlds.name[i], name))
			switch (hb_log_get_info(logs->at[i].log)->state) {
			case HB_STATE_RUNNING:
				return "died first";
			case HB_STATE_LEFT:
				return "left without MPI_Finalize";
			case HB_STATE_ABORTED:
				return "called MPI_Abort";
			}
	return NULL;
}

char *hb__ending_text(const hb_manifest *m, const hb_logs *logs, bool over)
{
	hb_ranked *rank;
	const char *first = m->finished ? m->died_first : NULL;
	size_t n = broken_off(logs, over, &rank), rest = 0;
	const char *became = first ? fate(logs, first) : NULL;
	char *text = NULL, *way = NULL;
	bool one = n == 1;
	if (n && became) {
		for (size_t i = 0; i < n; i++)
			if (!rank[i].name || strcmp(rank[i].name, first))
				rank[rest++] = rank[i];
		char *others = hb__called_text(rank, rest);
		bool died = !strcmp(became, "died first");
		way = how(m, rest > 0);
		text = hb__format("%s%s %s%s%s%s%s%s", hb_rank_word(first), first, died && !rest ? "died" : became,
			died ? way : "", rest ? "; " : "", rest ? others : "",
			!rest                  ? ""
			: *hb_rank_word(first) ? " ended after that, as the launcher ends the others then"
					       : " ended after that",
			died ? "; what is wrong may not be in the recording" : "");
		free(others);
	} else if (n) {
		char *all = hb__called_text(rank, n);
		text = hb__format(
			"%s did not end by %s: killed by a signal%s%s; what is wrong may not be in the recording", all,
			one ? "itself" : "themselves",
			one || !*hb_rank_word(rank->name) ? "" : ", or by the launcher when another process ended",
			one ? "" : "; which of them died first is not known");
		free(all);
	}
	free(way);
	free(rank);
	return text;
}

void hb__findings_died(hb_findings *f)
{
	const hb_run *run = f->run;
	hb_manifest m = {0};
	char *path = hb__format("%s/manifest.json", run->path);
	hb_ranked *rank;
	if (!access(path, F_OK) && hb__manifest_read(run->path, &m))
		m = (hb_manifest){0};
	free(path);
	size_t n = broken_off(&run->logs, run->ended, &rank);
	free(f->died);
	free(f->ending);
	f->died = n ? hb__names_text(rank, n) : NULL;
	f->ending = hb__ending_text(&m, &run->logs, run->ended);
	free(rank);
	hb__manifest_free(&m);
}

char *hb__findings_unseen(const hb_findings *f)
{
	char *missing = hb__missing_text(f->run), *text = NULL;
	if (missing)
		text = hb__format("%s: not looked at, for it is not there: %s", hb__short(f->run->path), missing);
	free(missing);
	if (f->remarked || !hb__has_ranks(f->run)) /* they are checks of MPI */
		return text;
	char *all = hb__format(
		"%s%s%s was recorded without --check, so arguments, handles, buffers and windows were not checked; "
		"'hbdb check -- COMMAND' checks them, too",
		text ? text : "", text ? "; " : "", hb__short(f->run->path));
	free(text);
	return all;
}
