/* The folder of a replay. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hbdb/data.h>

#include "../find.h"
#include "../logs.h"
#include "../manifest.h"
#include "folder.h"
#include "format/within/within.h"

static int make_folders(const char *parent, const char *name, hb_replay_folder *s)
{
	s->folder = hb__format("%s/%s-XXXXXX", parent, name);
	if (!mkdtemp(s->folder)) {
		free(s->folder);
		s->folder = NULL;
		return errno;
	}
	s->script = hb__format("%s/script", s->folder);
	return mkdir(s->script, 0700) ? errno : 0;
}

static void remove_folders(hb_replay_folder *s)
{
	if (s->folder)
		hb__remove_folder(s->folder);
	free(s->folder);
	free(s->script);
	s->folder = s->script = NULL;
}

static void count(const hb_logs *logs, const int32_t *numbers, hb_replay_folder *s)
{
	hb_process_name name;
	s->broke_off = hb__alloc((size_t)s->size + 1);
	s->last = hb__alloc(((size_t)s->size + 1) * sizeof *s->last);
	s->name = hb__alloc(((size_t)s->size + 1) * sizeof *s->name);
	s->log = hb__alloc(((size_t)s->size + 1) * sizeof *s->log);
	memset(s->last, 0xff, (size_t)s->size * sizeof *s->last);
	for (int32_t i = 0; i < s->ranks; i++)
		s->name[i] = hb__copy(hb_process_range(0, i, i, name));
	for (uint32_t w = 0; w < logs->worlds.n; w++)
		for (int32_t i = 0; s->first[w] >= s->made && i < (int32_t)logs->worlds.world[w].size; i++)
			s->name[s->first[w] + i] = hb__copy(hb_process_range(logs->worlds.world[w].number, i, i, name));
	for (int32_t i = s->ranks; s->only >= 0 && i < s->made; i++)
		s->name[i] = hb__copy("");
	for (size_t i = 0; i < logs->n; i++) {
		const hb_log_info *info = hb_log_get_info(logs->at[i].log);
		int32_t k = numbers[i];
		if (k < 0)
			continue;
		if (k >= s->ranks && k < s->made) {
			free(s->name[k]);
			s->name[k] = hb__copy(logs->worlds.name[i]);
		}
		s->log[k] = s->log[k] ? s->log[k] : hb__copy(logs->at[i].path);
		s->events += info->events;
		hb__add_log(logs->at[i].log, logs->worlds.name[i], &s->sum);
		hb_lane_info lane;
		s->broke_off[k] = info->state == HB_STATE_RUNNING || info->state == HB_STATE_ABORTED;
		bool first = !hb_log_lane(logs->at[i].log, 0, &lane);
		if (first && info->state == HB_STATE_RUNNING)
			s->last[k] = lane.events;
		if (first && k == s->only)
			s->only_events = lane.events < s->until ? lane.events : s->until;
	}
}

/* Worlds that no process made: jobs that were started apart. Logs of version 1 do not say which are. */
static size_t started_apart(const hb_logs *logs)
{
	const hb_worlds *w = &logs->worlds;
	size_t jobs = 0;
	for (uint32_t i = 0; w->world && i < w->n; i++)
		jobs += !w->world[i].spawned && !w->world[i].outside &&
			hb_log_get_info(logs->at[w->world[i].log].log)->version > 1;
	return jobs;
}

/* By which a process without MPI finds its record: src/capture/core/place/claim.c reads it. */
static hb_status write_places(const hb_logs *logs, const int32_t *numbers, const hb_replay_folder *s, hb_error *ret_err)
{
	char *path = hb__format("%s/places", s->script);
	FILE *f = s->made > s->ranks ? fopen(path, "we") : NULL;
	bool good = f && fprintf(f, "ranks %d\n", s->ranks) > 0;
	for (size_t i = 0; good && i < logs->n; i++) {
		const hb_ancestor *a;
		if (numbers[i] < s->ranks || numbers[i] >= s->made)
			continue;
		const hb_identity *id = hb_log_identity(logs->at[i].log);
		fprintf(f, "%d %s %s", numbers[i], s->name[numbers[i]], id && id->forked ? "fork " : "");
		for (uint32_t k = 0; (a = hb_log_ancestor(logs->at[i].log, k)); k++) {
			fprintf(f, "%u/%llu/", a->pid, (unsigned long long)a->started);
			for (const char *c = a->name; *c; c++)
				fprintf(f, "%02x", (unsigned char)*c);
			fputc(' ', f);
		}
		good = fputc('\n', f) >= 0;
	}
	good = (!f || !fclose(f)) && (good || s->made == s->ranks);
	if (!good)
		*ret_err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
	free(path);
	return good ? HB_OK : HB_E_SYSTEM;
}

/* 0, or a status with *ret_err; *ret_at is the log it happened with. */
static hb_status unseal(
	const hb_logs *logs, const int32_t *numbers, hb_replay_folder *s, size_t *ret_at, hb_error *ret_err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; i < logs->n && !status; i++) {
		if (numbers[i] < 0)
			continue;
		char *to = hb__format("%s/rank.%d.log", s->script, numbers[i]);
		*ret_at = i;
		status = hb_log_unseal(logs->at[i].path, to, s->until, ret_err);
		free(to);
	}
	/* a server that root starts may become another user, who writes and reads there, too */
	if (!status && !geteuid() && s->made > s->ranks)
		status = chmod(s->folder, 01733) || chmod(s->script, 0711) ? HB_E_SYSTEM : HB_OK;
	status = status ? status : write_places(logs, numbers, s, ret_err);
	status = status ? status : hb__write_taken(logs, numbers, s, ret_err);
	status = status ? status : hb__write_shared(logs, numbers, s, ret_err);
	return status ? status : hb__write_bridges(logs, numbers, s, ret_err);
}

/* The contents of the process that is replayed alone are unpacked while its log is. What goes wrong is said by unpack_contents, which then
 * tries again. */
struct ahead {
	pthread_t thread;
	bool runs;
	char *from, *to;
};

static void *unpack_ahead(void *user)
{
	const struct ahead *a = user;
	hb_error err;
	hb_data_unseal(a->from, a->to, &err);
	return NULL;
}

static void begin_ahead(const hb_replay_folder *s, struct ahead *a)
{
	*a = (struct ahead){.from = s->only >= 0 && s->log[s->only] ? hb_data_path(s->log[s->only]) : NULL};
	if (!a->from)
		return;
	a->to = hb__format("%s/rank.%d.data", s->script, s->only);
	a->runs = hb_within_exists(a->from) && !pthread_create(&a->thread, NULL, unpack_ahead, a);
}

static void end_ahead(struct ahead *a)
{
	if (a->runs)
		pthread_join(a->thread, NULL);
	free(a->from);
	free(a->to);
}

static bool elsewhere_helps(int error)
{
	return error == EACCES || error == EROFS || error == EPERM || error == ENOSPC || error == EDQUOT;
}

static int fill(const char *recording, const hb_logs *logs, const int32_t *numbers, hb_replay_folder *s)
{
	const char *slash = strrchr(recording, '/'), *temporary = getenv("TMPDIR");
	char *beside = hb__format("%.*s", slash > recording ? (int)(slash - recording) : 1, recording);
	const char *const parents[] = {beside, temporary && *temporary == '/' ? temporary : "/tmp"};
	int code = 0;
	for (int i = 0; i < 2; i++) {
		hb_error err = {0};
		size_t at = 0;
		int error = make_folders(parents[i], i ? "hbdb-replay" : ".hbdb-replay", s);
		hb_status status = HB_E_SYSTEM;
		if (!error) {
			struct ahead ahead;
			begin_ahead(s, &ahead);
			status = unseal(logs, numbers, s, &at, &err);
			end_ahead(&ahead);
		}
		error = error ? error : err.sys;
		if (!status)
			break;
		remove_folders(s);
		if (status == HB_E_SYSTEM && elsewhere_helps(error) && !i)
			continue;
		code = status == HB_E_SYSTEM
			       ? hb__fail_with(HB_EXIT_USAGE,
					 "cannot unpack the logs in %s: %s (set TMPDIR to use another place)",
					 parents[i], strerror(error))
			       : hb__fail_log(logs->at[at].path, &err);
		break;
	}
	free(beside);
	return code;
}

/* Contents were kept, of some processes. */
static bool kept_of_others(const char *recording)
{
	hb_logs logs;
	bool kept = false;
	if (hb__list_logs(recording, &logs))
		return false;
	for (size_t i = 0; !kept && i < logs.n; i++) {
		char *path = hb_data_path(logs.at[i].path);
		kept = path && hb_within_exists(path);
		free(path);
	}
	hb__close_logs(&logs);
	return kept;
}

/* Digests alone: nothing can be given back. */
static bool has_contents(const char *path)
{
	hb_data *data;
	if (!hb_within_exists(path) || hb_data_open_beginning(path, 1, &data, NULL))
		return hb_within_exists(path); /* what is wrong with it is told by who reads it */
	bool came = hb_data_get_info(data)->came > 0;
	hb_data_close(data);
	return came;
}

static int unpack_contents(const char *recording, const hb_replay_folder *s, int32_t number)
{
	hb_error err = {0};
	const char *name = number >= 0 && number < s->size && s->name ? s->name[number] : NULL;
	if (!name || !s->log[number])
		return hb__fail_with(HB_EXIT_USAGE, "the recording has no process %d that can be replayed", number);
	char *from = hb_data_path(s->log[number]), *to = hb__format("%s/rank.%d.data", s->script, number);
	int code = 0;
	if (!from)
		code = hb__fail_with(HB_EXIT_USAGE, "out of memory");
	else if (!has_contents(from))
		code = hb__fail_with(HB_EXIT_USAGE,
			!hb_within_exists(from) && kept_of_others(recording)
				? "the recording has what came into other processes, but not into %s%s: record with a --data-ranks that has it, or without --data-ranks"
				: "the recording does not have what came into %s%s: record with --level data to replay it alone",
			hb_rank_word(name), name);
	else if (access(to, F_OK) && hb_data_unseal(from, to, &err))
		code = err.status == HB_E_SYSTEM && elsewhere_helps(err.sys)
			       ? hb__fail_with(HB_EXIT_USAGE,
					 "cannot unpack %s into %s: %s (set TMPDIR to use another place)", from,
					 s->script, strerror(err.sys))
			       : hb__fail_log(from, &err);
	free(from);
	free(to);
	return code;
}

/* Those by which it came about: the processes of whose forks it is. False: they are not known. */
static bool choose_makers(const hb_logs *logs, size_t at, int32_t *numbers, hb_replay_folder *s)
{
	const hb_identity *id = hb_log_identity(logs->at[at].log);
	for (; id && id->forked; id = hb_log_identity(logs->at[at].log)) {
		at = hb__forked_from(logs, at);
		/* numbers that are chosen are below -1 meanwhile */
		if (at == logs->n || numbers[at] < s->ranks || numbers[at] >= s->made)
			return false;
		s->begins = numbers[at];
		numbers[at] = -2 - numbers[at];
	}
	return true;
}

/* Only the named process is to be replayed. */
static int choose(const hb_logs *logs, const char *alone, int32_t *numbers, hb_replay_folder *s)
{
	size_t at = logs->n;
	for (size_t i = 0; i < logs->n; i++)
		at = strcmp(logs->worlds.name[i], alone) ? at : i;
	bool known = at < logs->n;
	if (known && numbers[at] >= 0 && numbers[at] < s->made) {
		s->only = s->begins = numbers[at];
		numbers[at] = -2 - numbers[at];
		if (!choose_makers(logs, at, numbers, s))
			s->only = -1;
	}
	for (size_t i = 0; i < logs->n; i++)
		numbers[i] = numbers[i] < -1 ? -2 - numbers[i] : -1;
	if (s->only >= 0)
		return 0;
	if (known)
		return hb__fail_with(HB_EXIT_USAGE,
			"process %s cannot be replayed alone: the program itself started it, or fork made it", alone);
	int code = hb__check_run_ranks("replay --alone", alone, logs);
	return code ? code
		    : hb__fail_with(HB_EXIT_USAGE, "--alone %s: it is one process that is replayed alone", alone);
}

int hb__open_replay_folder(const char *recording, const char *alone, uint64_t until, hb_replay_folder *ret)
{
	hb_logs logs;
	*ret = (hb_replay_folder){.only = -1, .begins = -1, .until = alone ? until : UINT64_MAX};
	int code = hb__open_logs(recording, &logs);
	size_t jobs = code ? 0 : started_apart(&logs);
	if (!code && (!logs.worlds.world || !logs.worlds.name))
		code = hb__fail_with(HB_EXIT_USAGE, "%s: there is no memory to tell its processes apart", recording);
	if (jobs > 1)
		code = hb__fail_with(HB_EXIT_USAGE,
			"the recording has %zu jobs that its command started apart, and a replay can follow only one: record each by itself to replay it",
			jobs);
	if (!code) {
		int32_t *numbers = hb__replay_numbers(&logs, ret);
		code = alone ? choose(&logs, alone, numbers, ret) : 0;
		count(&logs, numbers, ret);
		code = code ? code : fill(recording, &logs, numbers, ret);
		for (int32_t i = 0; !code && alone && i < ret->made; i++)
			code = ret->log[i] || i == ret->only ? unpack_contents(recording, ret, i) : 0;
		free(numbers);
	}
	hb__close_logs(&logs);
	char *settings = hb__format("%s/%s", recording, HB_SETTINGS_FILE);
	ret->traced = access(settings, R_OK) ? NULL : realpath(settings, NULL);
	free(settings);
	if (!code)
		hb__folder_guard_set(ret->folder, &ret->guard);
	return code;
}

int hb__unpack_inputs(const char *recording, hb_replay_folder *s)
{
	int code = 0;
	char *files = hb__format("%s/files", recording);
	for (int32_t i = 0; !code && i < s->size; i++) {
		char *from = s->log[i] ? hb_data_path(s->log[i]) : NULL;
		if (from && i != s->only && hb_within_exists(from))
			code = unpack_contents(recording, s, i);
		free(from);
	}
	if (access(files, F_OK) == 0)
		s->files = realpath(files, NULL);
	free(files);
	return code;
}

void hb__close_replay_folder(hb_replay_folder *s)
{
	hb__folder_guard_dismiss(&s->guard);
	remove_folders(s);
	for (int32_t i = 0; s->name && i < s->size; i++) {
		free(s->name[i]);
		free(s->log[i]);
	}
	free(s->name);
	free(s->first);
	free(s->log);
	free(s->broke_off);
	free(s->last);
	free(s->files);
	free(s->traced);
	hb__sum_free(&s->sum);
	*s = (hb_replay_folder){0};
}
