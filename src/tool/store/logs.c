/* The logs of a recording. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../options.h"
#include "../show/inert.h"
#include "calls/meaning.h"
#include "clocks/clocks.h"
#include "find.h"
#include "format/remark/remark.h"
#include "format/row.h"
#include "format/within/within.h"
#include "logs.h"
#include "manifest.h"
#include "model/distil.h"

static int by_rank(const void *a, const void *b)
{
	const hb_log_file *x = a, *y = b;
	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->pid != y->pid ? x->pid < y->pid ? -1 : 1 : strcmp(x->path, y->path);
}

/* rank.N.log or rank.N.PID.log */
static bool read_name(const char *name, int32_t *ret_rank, uint32_t *ret_pid)
{
	char *end;
	if (strncmp(name, "rank.", 5) || name[5] < '0' || name[5] > '9')
		return false;
	unsigned long rank = strtoul(name + 5, &end, 10), pid = 0;
	if (end[0] == '.' && end[1] >= '0' && end[1] <= '9')
		pid = strtoul(end + 1, &end, 10);
	*ret_rank = (int32_t)rank;
	*ret_pid = (uint32_t)pid;
	return !strcmp(end, ".log") && rank < HB_RANKS_MAX && pid <= INT32_MAX;
}

bool hb__is_log_name(const char *name)
{
	int32_t rank;
	uint32_t pid;
	return read_name(name, &rank, &pid);
}

bool hb__is_node_file(const char *name)
{
	size_t n = strlen(name), ending = strlen(HB_WITHIN_SUFFIX);
	return n > ending && !strcmp(name + n - ending, HB_WITHIN_SUFFIX);
}

static void add_named(const char *folder, const char *name, hb_logs *ret)
{
	hb_log_file file = {0};
	if (!read_name(name, &file.rank, &file.pid))
		return;
	file.world = file.pid;
	file.path = hb__format("%s/%s", folder, name);
	ret->at = hb__resize(ret->at, (ret->n + 1) * sizeof *ret->at);
	ret->at[ret->n++] = file;
}

/* Those that the file of a node holds. */
static int add_within(const char *path, hb_logs *ret)
{
	hb_within_list list;
	hb_error err;
	if (hb_within_list_open(path, &list, &err))
		return err.status == HB_E_FOREIGN ? hb__fail_with(HB_EXIT_RECORDING, "%s", err.message)
						  : hb__fail_log(path, &err);
	if (list.cut)
		hb__say("%s is damaged: %s", hb__short(path), list.trouble);
	for (size_t i = 0; i < list.n; i++)
		add_named(path, list.at[i].name, ret);
	hb_within_list_close(&list);
	return 0;
}

int hb__list_logs(const char *recording, hb_logs *ret)
{
	int code = 0;
	*ret = (hb_logs){0};
	DIR *dir = opendir(recording);
	if (!dir)
		return hb__fail_with(HB_EXIT_RECORDING, "%s: %s", recording, strerror(errno));
	for (struct dirent *e; (e = readdir(dir));) {
		add_named(recording, e->d_name, ret);
		if (!hb__is_node_file(e->d_name))
			continue;
		char *path = hb__format("%s/%s", recording, e->d_name);
		int one = add_within(path, ret);
		code = one ? one : code;
		free(path);
	}
	closedir(dir);
	if (ret->n)
		qsort(ret->at, ret->n, sizeof *ret->at, by_rank);
	return code;
}

static bool find_worlds(hb_logs *logs)
{
	hb_log_named *named = hb__alloc((logs->n + 1) * sizeof *named);
	for (size_t i = 0; i < logs->n; i++)
		named[i] = (hb_log_named){logs->at[i].log, logs->at[i].rank, logs->at[i].pid};
	hb_worlds_free(&logs->worlds, logs->n);
	bool found = hb_worlds_find(named, logs->n, &logs->worlds);
	free(named);
	for (size_t i = 0; found && i < logs->n; i++)
		if (logs->at[i].log)
			logs->at[i].world = logs->worlds.world[logs->worlds.of[i]].number;
	return found;
}

void hb__name_worlds(hb_logs *logs)
{
	if (!find_worlds(logs) || !logs->n)
		return;
	qsort(logs->at, logs->n, sizeof *logs->at, by_rank);
	find_worlds(logs); /* once more, for the places in the order that they have now */
}

int hb__open_logs(const char *recording, hb_logs *ret)
{
	int code = hb__list_logs(recording, ret);
	for (size_t i = 0; i < ret->n; i++) {
		hb_error err = {0};
		if (hb_log_open(ret->at[i].path, &ret->at[i].log, &err)) {
			ret->at[i].log = NULL;
			code = hb__fail_log(ret->at[i].path, &err);
		} else if (hb_log_get_info(ret->at[i].log)->recovered)
			hb__say("%s ends early: %s", hb__short(ret->at[i].path),
				hb_log_get_info(ret->at[i].log)->trouble);
	}
	hb__clocks_apply(recording, ret);
	hb__name_worlds(ret);
	if (!code && !ret->n)
		code = hb__fail_empty(recording);
	return code;
}

char *hb__away(const char *recording, hb_away *ret_how)
{
	bool unkept = false;
	char *path = hb__format("%s/manifest.json", recording), *list = NULL;
	hb_manifest m = {0};
	bool there = !access(path, R_OK) && !hb__manifest_read(recording, &m);
	for (size_t i = 0; there && i < m.nnodes; i++)
		if (m.node[i].missing) {
			char *longer = hb__format("%s%s%s", list ? list : "", list ? ", " : "", m.node[i].name);
			free(list);
			list = longer;
			unkept |= m.node[i].unkept;
		}
	*ret_how = !m.finished ? HB_AWAY_GOES_ON : unkept ? HB_AWAY_UNKEPT : HB_AWAY_LOST;
	hb__manifest_free(&m);
	free(path);
	return list;
}

int hb__fail_empty(const char *recording)
{
	hb_away how;
	char *away = hb__away(recording, &how), *word = hb__shell_word(hb__short(recording));
	int code = HB_EXIT_RECORDING;
	if (!away)
		hb__fail_with(code, "%s has no rank.N.log: nothing was recorded", recording);
	else if (how == HB_AWAY_GOES_ON)
		hb__fail_with(code,
			"%s: its processes write on their nodes (%s), and their logs come when the job is over; until then hbdb hang %s looks into them, and hbdb record --keep %s copies what they hold. If its hbdb was killed: hbdb record --fetch %s",
			hb__short(recording), away, word, word, word);
	else
		hb__fail_with(code, "%s: what was recorded on %s is missing: hbdb record --fetch %s fetches it",
			hb__short(recording), away, word);
	free(word);
	free(away);
	return code;
}

bool hb__logs_whole(const hb_logs *logs)
{
	for (size_t i = 0; i < logs->n; i++)
		if (!logs->at[i].log || hb_log_get_info(logs->at[i].log)->recovered)
			return false;
	return true;
}

void hb__close_logs(hb_logs *logs)
{
	for (size_t i = 0; i < logs->n; i++) {
		if (logs->at[i].log)
			hb_log_close(logs->at[i].log);
		free(logs->at[i].path);
	}
	hb_worlds_free(&logs->worlds, logs->n);
	free(logs->at);
	*logs = (hb_logs){0};
}

static void add_note(const char *text, const char *name, hb_sum *sum)
{
	for (size_t i = 0; i < sum->nnotes; i++)
		if (!strcmp(sum->notes[i].text, text)) {
			sum->notes[i].processes++;
			return;
		}
	sum->notes = hb__resize(sum->notes, (sum->nnotes + 1) * sizeof *sum->notes);
	struct hb_noted *note = &sum->notes[sum->nnotes++];
	*note = (struct hb_noted){.text = hb__copy(text), .processes = 1};
	snprintf(note->process, sizeof note->process, "%s", name);
}

bool hb__orders_threads(const hb_log *log)
{
	uint32_t functions = hb_log_get_info(log)->functions;
	for (uint32_t i = 0; i < functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		if (f && f->name && f->cls == HB_THREAD)
			return true;
	}
	return false;
}

/* Of several threads; NULL: by all that is known of them. */
static const char *uncovered_threads(const hb_log *log, const hb_log_info *info)
{
	bool ordered = info->postings || hb__orders_threads(log);
	if (info->lanes < 2 || (ordered && (info->thread_level < 3 || !info->library || info->postings)))
		return NULL;
	return ordered ? "several threads may call MPI: a replay enforces the order in each thread and that of locks and the like, but not which thread posts a message first"
		       : "several threads have events: a replay enforces the order in each thread, but not the order between threads";
}

/* What a replay does not enforce, told by what the program called. */
static void add_uncovered(hb_log *log, const hb_log_info *info, const char *name, hb_sum *sum)
{
	static const char *const notes[] = {
		[HB_TURN_LOCK] =
			"one-sided communication: a replay does not enforce the order in which locks are granted",
		[HB_TURN_ATOMIC] = "one-sided communication: a replay does not enforce the order of atomic operations",
		[HB_TURN_POINTER] = "files: a replay does not enforce the order of accesses through a shared pointer",
	};
	bool told[sizeof notes / sizeof *notes] = {[HB_TURN_NONE] = true, [HB_TURN_UNLOCK] = true};
	const char *threads = uncovered_threads(log, info);
	if (threads)
		add_note(threads, name, sum);
	for (uint32_t i = 0; i < info->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		uint8_t turn = f && f->name && f->calls ? hb_meaning_of(f->name, f->cls)->turn : HB_TURN_NONE;
		if (!told[turn] && !info->turns)
			add_note(notes[turn], name, sum);
		told[turn] = true;
	}
}

void hb__add_log(hb_log *log, const char *name, hb_sum *sum)
{
	const hb_log_info *info = hb_log_get_info(log);
	hb_process_name rank;
	/* which one of its program only all logs together tell */
	if (!name && !info->library && hb_log_identity(log))
		hb_program_name(info->program, rank);
	else if (!name)
		hb_process_range(0, info->rank, info->rank, rank);
	name = name ? name : rank;
	sum->processes++;
	sum->events += info->events;
	sum->lost += info->lost;
	const hb_identity *id = hb_log_identity(log);
	bool spawned = id && id->spawned;
	sum->bridges = sum->bridges || hb_log_bridge(log, 0);
	bool of_a_world = !spawned && (!id || info->library); /* a process without MPI is of none */
	sum->size = info->size > sum->size && of_a_world ? info->size : sum->size;
	bool told = info->stopped == HB_LOG_TOLD, died = info->state == HB_STATE_RUNNING && !told;
	sum->killed += died;
	sum->killed_without += died && !info->library;
	sum->told += told;
	sum->left += info->state == HB_STATE_LEFT;
	sum->aborted += info->state == HB_STATE_ABORTED;
	if (info->stopped && !told) {
		sum->stopped++;
		sum->stopped_errno = (int)info->stopped;
	}
	if (info->recovered) {
		char *line = hb__format("%s%s: %s", hb_rank_word(name), name, info->trouble);
		hb__push(&sum->trouble, line);
		free(line);
		sum->damaged++;
	}
	hb_distilled kept;
	if (info->level == HB_LEVEL_RACING && !hb_distilled_count(log, &kept, NULL)) {
		sum->racing = true;
		sum->kept += kept.kept;
		sum->skipped += kept.skipped;
	}
	add_uncovered(log, info, name, sum);
	/* the same note twice in a process counts once */
	for (uint32_t i = 0; i < info->notes; i++) {
		const hb_note *note = hb_log_note(log, i);
		/* one per message, for the tests of the matching; remarks, which are for hbdb check, and names */
		bool again = !strncmp(note->text, "serial ", 7) ||
			     !strncmp(note->text, HB_REMARK_BEGIN, strlen(HB_REMARK_BEGIN)) ||
			     !strncmp(note->text, HB_NAME_BEGIN, strlen(HB_NAME_BEGIN));
		for (uint32_t k = 0; k < i && !again; k++)
			again = !strcmp(hb_log_note(log, k)->text, note->text);
		if (!again)
			add_note(note->text, name, sum);
	}
}

void hb__add_missing(const hb_worlds *worlds, hb_sum *sum)
{
	char text[HB_WORLDS_TEXT];
	for (uint32_t i = 0; worlds->world && hb_worlds_missing(worlds, i, text); i++)
		hb__push(&sum->trouble, text);
}

void hb__sum_free(hb_sum *sum)
{
	for (size_t i = 0; i < sum->nnotes; i++)
		free(sum->notes[i].text);
	free(sum->notes);
	hb__strings_free(&sum->trouble);
	*sum = (hb_sum){0};
}

static void print_state(uint64_t n, const char *what)
{
	if (n)
		hb__say("%llu %s %s", (unsigned long long)n, hb__plural(n, "process", "processes"), what);
}

void hb__print_notes(const hb_sum *sum)
{
	for (size_t i = 0; i < sum->nnotes; i++) {
		const struct hb_noted *n = &sum->notes[i];
		if (n->processes == 1)
			hb__say("%s%s: %s", hb_rank_word(n->process), n->process, n->text);
		else
			hb__say("%llu processes: %s", (unsigned long long)n->processes, n->text);
	}
}

void hb__print_sum(const char *recording, const hb_sum *sum)
{
	hb__say("%s: %llu %s, %llu %s, %llu bytes", hb__short(recording), (unsigned long long)sum->processes,
		hb__plural(sum->processes, "process", "processes"), (unsigned long long)sum->events,
		hb__plural(sum->events, "event", "events"), (unsigned long long)sum->bytes);
	if (sum->racing)
		hb__say("%llu of %llu wildcard receives are kept", (unsigned long long)sum->kept,
			(unsigned long long)(sum->kept + sum->skipped));
	if (sum->contents && !sum->came) /* of what came in the command would be the first */
		hb__say("digests of the contents of %llu %s are kept in %llu bytes", (unsigned long long)sum->contents,
			hb__plural(sum->contents, "process", "processes"), (unsigned long long)sum->contents_bytes);
	else if (sum->contents)
		hb__say("contents of %llu %s: %llu bytes came in, and are kept in %llu bytes",
			(unsigned long long)sum->contents, hb__plural(sum->contents, "process", "processes"),
			(unsigned long long)sum->came, (unsigned long long)sum->contents_bytes);
	if (sum->size && sum->processes < (uint64_t)sum->size)
		hb__say("only %llu of %d processes were recorded", (unsigned long long)sum->processes, sum->size);
	print_state(sum->killed_without, "ended without a word (killed or crashed): recorded up to that point");
	print_state(sum->killed - sum->killed_without,
		"ended inside MPI (killed, crashed or left by _exit): recorded up to that point");
	print_state(sum->left, "left without MPI_Finalize");
	print_state(sum->aborted, "called MPI_Abort");
	print_state(sum->told, sum->goes_on ? "recorded up to now: the run goes on"
					    : "lived on and were told to stop: recorded up to then");
	if (sum->stopped)
		hb__say("%llu %s stopped recording: %s; %llu events are missing", (unsigned long long)sum->stopped,
			hb__plural(sum->stopped, "process", "processes"), strerror(sum->stopped_errno),
			(unsigned long long)sum->lost);
	for (size_t i = 0; i < sum->trouble.n; i++)
		hb__say("%s", sum->trouble.at[i]);
	hb__print_notes(sum);
}

/* "0-3,7", "0-1,worker,worker#2": what has logs, as far as it fits. */
static char *ranks_of(const hb_logs *logs)
{
	char *text = hb__copy("");
	for (size_t i = 0, last; i < logs->n && strlen(text) < 100; i = last + 1) {
		const char *name = logs->worlds.name ? logs->worlds.name[i] : "0";
		last = i;
		while (*hb_rank_word(name) && last + 1 < logs->n &&
			logs->at[last + 1].rank <= logs->at[last].rank + 1 &&
			(!logs->worlds.name || *hb_rank_word(logs->worlds.name[last + 1])))
			last++;
		int32_t from = logs->at[i].rank, to = logs->at[last].rank;
		char *more = !*hb_rank_word(name) ? hb__format("%s%s%s", text, *text ? "," : "", name)
			     : to > from          ? hb__format("%s%s%d-%d", text, *text ? "," : "", from, to)
						  : hb__format("%s%s%d", text, *text ? "," : "", from);
		free(text);
		text = more;
	}
	return text;
}

int hb__check_run_ranks(const char *command, const char *list, const hb_logs *logs)
{
	for (const char *p = list; p && *p; p += strspn(p, ",")) {
		bool found = false;
		char *one = hb__format("%.*s", (int)strcspn(p, ","), p);
		for (size_t i = 0; i < logs->n; i++)
			found = found ||
				hb__has_process(one, logs->at[i].rank, logs->worlds.name ? logs->worlds.name[i] : "0");
		if (!found) {
			char *known = ranks_of(logs);
			int code = hb__fail_with(HB_EXIT_USAGE,
				isdigit((unsigned char)*one) && isdigit((unsigned char)*known)
					? "%s %s: the recording has no rank %s; its ranks are %s"
					: "%s %s: the recording has no process %s; its processes are %s",
				command, list, one, known);
			free(known);
			free(one);
			return code;
		}
		p += strlen(one);
		free(one);
	}
	return 0;
}
