/* hbdb verify */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../contents/files.h"
#include "../nodes/nodes.h"
#include "../options.h"
#include "../show/inert.h"
#include "../store/find.h"
#include "../store/logs.h"
#include "../store/manifest.h"
#include "format/row.h"
#include "format/within/within.h"

const hb_option hb__verify_options[] = {{0}};

struct checked {
	uint64_t events, came; /* came: bytes of contents */
	uint64_t before;       /* events that rings have given up */
};

/* 0, or the exit code. A log that ends early is not damaged: its process was killed, or a copy is cut. */
static int verify_log(const hb_manifest *m, const hb_log_file *file, struct checked *sum)
{
	const char *path = file->path;
	hb_error err = {0};
	hb_log *log = NULL;
	uint64_t n = 0;
	if (hb_log_open(path, &log, &err))
		return hb__fail_log(path, &err);
	hb_log_info info = *hb_log_get_info(log);
	sum->before += hb_log_before(log) ? hb_log_before(log)->events : 0;
	hb_log_close(log);
	if (hb_log_verify(path, &n, &err))
		return hb__fail_log(path, &err);
	sum->events += n;
	/* a process that was made later need not have its own */
	bool wanted = !file->pid && info.library && hb__contents_wanted(m, info.rank);
	int code = hb__verify_contents(path, &info, wanted, &sum->came);
	if (info.recovered)
		return hb__fail_with(HB_EXIT_RECORDING, "%s is cut off at its end (%s): %llu events can be read", path,
			info.trouble, (unsigned long long)n);
	if (info.stopped == HB_LOG_TOLD)
		hb__say("%s: its process lived on%s; the log is complete up to then", path,
			m->kept ? " when this was kept" : " and was told to stop");
	else if (info.stopped)
		return hb__fail_with(HB_EXIT_RECORDING, "%s is incomplete: recording stopped (%s), %llu %s missing",
			path, strerror((int)info.stopped), (unsigned long long)info.lost,
			hb__plural(info.lost, "event is", "events are"));
	else if (info.state == HB_STATE_RUNNING)
		hb__say("%s: its process %s; the log is complete up to there", path,
			info.library ? "ended inside MPI" : "was killed, or crashed");
	return code;
}

/* The files of nodes that hold its logs: 0, or the exit code. */
static int verify_nodes(const char *recording, const hb_manifest *m)
{
	int code = 0;
	char *word = hb__shell_word(hb__short(recording));
	for (size_t i = 0; i < m->nnodes; i++)
		if (m->node[i].missing)
			code = hb__fail_with(HB_EXIT_RECORDING,
				"what the node %s recorded is missing: hbdb record --fetch %s fetches it",
				m->node[i].name, word);
	free(word);
	DIR *dir = opendir(recording);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		hb_error err;
		if (!hb__is_node_file(e->d_name))
			continue;
		char *path = hb__format("%s/%s", recording, e->d_name);
		if (hb_within_verify(path, &err))
			code = hb__fail_log(path, &err);
		free(path);
	}
	if (dir)
		closedir(dir);
	return code;
}

/* What has no checksums of its own, or is another command's. */
static void say_unseen(const char *recording)
{
	char *files = hb__format("%s/files", recording), *traced = hb__format("%s/" HB_SETTINGS_FILE, recording);
	bool has_files = !access(files, F_OK), has_trace = !access(traced, F_OK);
	if (has_files || has_trace)
		hb__say("not looked at: %s%s%s", has_files ? "the files that its processes read" : "",
			has_files && has_trace ? ", " : "", has_trace ? "what was traced for hbdb compare" : "");
	free(files);
	free(traced);
}

int hb__verify(const hb_args *args)
{
	char *recording;
	hb_manifest manifest;
	hb_logs logs;
	struct checked sum = {0};
	int code = hb__find_recording(args->operand, &recording);
	if (code)
		return code;
	if (hb__manifest_read(recording, &manifest))
		code = HB_EXIT_RECORDING;
	int listed = hb__list_logs(recording, &logs);
	if (!listed && !logs.n)
		listed = hb__fail_empty(recording);
	code = listed ? listed : code;
	for (size_t i = 0; i < logs.n; i++) {
		int one = verify_log(&manifest, &logs.at[i], &sum);
		code = one ? one : code;
	}
	int nodes = verify_nodes(recording, &manifest);
	code = nodes ? nodes : code;
	if (manifest.finished && !manifest.open && manifest.processes != logs.n)
		code = hb__fail_with(HB_EXIT_RECORDING, "%s: the manifest lists %llu processes, but there are %zu logs",
			recording, (unsigned long long)manifest.processes, logs.n);
	char *without = logs.n ? hb__ranks_without_logs(&logs) : NULL;
	if (without) /* what the job was is known from those that are there */
		code = hb__fail_with(HB_EXIT_RECORDING, "%s is incomplete: %s %s %s no log", recording,
			strpbrk(without, ",-") ? "ranks" : "rank", without, strpbrk(without, ",-") ? "have" : "has");
	free(without);
	if (!code) {
		/* how many processes there were, and whether they had ended, stands in the manifest alone */
		bool known = manifest.finished && !manifest.open;
		printf("%s: %s, %zu %s, %llu events", hb__tame(hb__short(recording)),
			!known       ? "no damage in what is there, but hbdb did not see the end of the run"
			: sum.before ? "whole from where its rings begin"
				     : "whole",
			logs.n, hb__plural(logs.n, "log", "logs"), (unsigned long long)sum.events);
		if (sum.before)
			printf(", %llu earlier ones were given up", (unsigned long long)sum.before);
		if (manifest.level && !strcmp(manifest.level, "data"))
			printf(", %llu bytes of contents", (unsigned long long)sum.came);
		printf("\n");
		say_unseen(recording);
	}
	hb__close_logs(&logs);
	hb__manifest_free(&manifest);
	free(recording);
	return code;
}
