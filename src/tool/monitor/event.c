/* Whom an event is about, and how the debugger gets there: a process that lives is attached to, of one that has ended its recording shows the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/task.h"
#include "event.h"
#include "staying.h"
#include "system/monitor/reader.h"

/* The number may have been given out again. */
static bool lives(int64_t pid, int64_t began)
{
	hb_task task;
	return pid > 0 && pid <= INT32_MAX && hb_task_read((int32_t)pid, 0, &task) && task.began == (uint64_t)began &&
	       task.state != 'Z' && task.state != 'X';
}

/* Machines that share a kernel, as containers do, have one boot, and numbers of processes of their own. host: "" where nobody knows. */
static bool is_here(const char *boot, const char *host)
{
	char ours[256] = "";
	gethostname(ours, sizeof ours - 1);
	return *boot && !strcmp(boot, hb_boot_id()) && (!*host || !strcmp(host, ours));
}

#define OF_PROCESS \
	"SELECT p.pid, p.began, p.boot, n.name, coalesce(n.host, n.name), coalesce(p.rank, -1) FROM process p JOIN node n USING (node) "
#define LIVES "p.state NOT IN ('ended', 'gone') "

static hb_event_process read_process(sqlite3_stmt *s)
{
	const char *boot = (const char *)sqlite3_column_text(s, 2), *host = (const char *)sqlite3_column_text(s, 4);
	return (hb_event_process){.pid = sqlite3_column_int64(s, 0),
		.began = sqlite3_column_int64(s, 1),
		.boot = hb__copy(boot),
		.node = hb__copy((const char *)sqlite3_column_text(s, 3)),
		.host = hb__copy(host),
		.here = is_here(boot, host)};
}

static void free_process(hb_event_process *p)
{
	free(p->boot);
	free(p->node);
	free(p->host);
}

/* A process of the program that lives, those of this machine first: of an MPI job one leads to all others. What only started it, hbdb record say, has no log. */
static bool find_living(hb_reader *reader, int64_t program, hb_event_process *ret)
{
	static const char sql[] = OF_PROCESS "WHERE p.program = ?1 AND " LIVES
					     "ORDER BY p.log IS NULL, p.rank IS NULL, p.rank, p.process";
	sqlite3_stmt *s = program ? hb_reader_query(reader, sql) : NULL;
	bool found = false;
	if (!s)
		return false;
	sqlite3_bind_int64(s, 1, program);
	while (!(found && ret->here) && sqlite3_step(s) == SQLITE_ROW) {
		hb_event_process p = read_process(s);
		if (p.here ? lives(p.pid, p.began) : !found) {
			if (found)
				free_process(ret);
			*ret = p;
			found = true;
		} else {
			free_process(&p);
		}
	}
	sqlite3_reset(s);
	return found;
}

/* The ranks of the program's first world, where all of them live and some do on other nodes. */
static void find_job(hb_reader *reader, int64_t program, const char *recording, hb_event_goal *ret)
{
	static const char sql[] = OF_PROCESS
		"WHERE p.program = ?1 AND (p.recording = ?2 OR p.recording = (SELECT part FROM program WHERE program = ?1 AND recording = ?2)) AND p.rank IS NOT NULL AND coalesce(p.world, 0) = 0 AND p.log IS NOT NULL AND " LIVES
		"ORDER BY p.rank, p.process";
	sqlite3_stmt *s = program && *recording ? hb_reader_query(reader, sql) : NULL;
	bool whole = true, elsewhere = false;
	if (!s)
		return;
	sqlite3_bind_int64(s, 1, program);
	sqlite3_bind_text(s, 2, recording, -1, SQLITE_STATIC);
	while (sqlite3_step(s) == SQLITE_ROW) {
		ret->processes = hb__resize(ret->processes, (ret->n + 1) * sizeof *ret->processes);
		whole = whole && sqlite3_column_int64(s, 5) == (int64_t)ret->n;
		ret->processes[ret->n] = read_process(s);
		elsewhere |= !ret->processes[ret->n++].here;
	}
	sqlite3_reset(s);
	if (!whole || !elsewhere)
		hb__event_goal_free(ret);
}

/* Whom to attach to. False: nobody lives. */
static bool find_attached(hb_reader *reader, const hb_told *t, hb_event_goal *ret)
{
	hb_event_process one;
	bool alive = strcmp(t->state, "ended") != 0 && strcmp(t->state, "gone") != 0;
	if (t->process_number) {
		one = (hb_event_process){.pid = t->pid,
			.began = t->began,
			.boot = hb__copy(t->boot),
			.node = hb__copy(t->node),
			.host = hb__copy(*t->host ? t->host : t->node),
			.here = is_here(t->boot, t->host)};
		if (!(one.here ? lives(one.pid, one.began) : alive)) {
			free_process(&one);
			return false;
		}
	} else if (!find_living(reader, t->program_number, &one)) {
		return false;
	}
	if (!t->process_number || t->rank >= 0)
		find_job(reader, t->program_number, t->recording, ret);
	if (!ret->processes && !one.here) {
		ret->processes = hb__alloc(sizeof one);
		ret->processes[ret->n++] = one;
		return true;
	}
	if (!ret->processes)
		ret->attach = hb__format("%lld", (long long)one.pid);
	free_process(&one);
	return true;
}

static void find_recording(const hb_told *t, hb_event_goal *ret)
{
	ret->recording = hb__copy(t->recording);
	ret->process = t->process_number ? hb__copy(t->process) : NULL;
}

static int find_goal(hb_reader *reader, const hb_told *t, hb_event_goal *ret)
{
	bool elsewhere = *t->node && *t->host && !is_here(t->process_number ? t->boot : hb_boot_id(), t->host);
	/* of a process whose node has only a part */
	bool away = elsewhere || strcmp(t->home, t->node) != 0;
	struct stat st;
	if (find_attached(reader, t, ret))
		return 0;
	if (*t->recording && (away || !stat(t->recording, &st))) {
		find_recording(t, ret);
		if (away && stat(t->recording, &st))
			ret->node = hb__copy(t->home);
		return 0;
	}
	if (*t->recording)
		return hb__fail_with(HB_EXIT_USAGE,
			"the recording %s is not on this machine, and nothing of event %lld lives here", t->recording,
			(long long)t->event);
	if (t->process_number || t->program_number)
		return hb__fail_with(HB_EXIT_USAGE,
			"what event %lld is about does not live on %s, and was not recorded: there is nothing to debug",
			(long long)t->event, elsewhere ? t->node : "this machine");
	return hb__fail_with(HB_EXIT_USAGE, "event %lld is about no process and no program: there is nothing to debug",
		(long long)t->event);
}

int hb__event_goal(const char *number, const char *database, hb_event_goal *ret)
{
	char *end;
	long long event = strtoll(number, &end, 10);
	hb_told told;
	*ret = (hb_event_goal){0};
	if (*end || end == number || event < 1)
		return hb__fail_with(
			HB_EXIT_USAGE, "--event takes the number of an event of the complex, but got '%s'", number);
	char *path = hb__where_database(database);
	hb_reader *reader = path ? hb_reader_new(path) : NULL;
	int code = !reader ? HB_EXIT_USAGE : 0;
	if (!code && !hb_reader_look(reader))
		code = hb__fail_with(HB_EXIT_RECORDING, "%s", hb_reader_why(reader));
	int there = code ? 0 : hb_reader_event(reader, event, false, &told);
	if (there > 0) {
		hb__say("event %lld: %s", event, told.text);
		code = find_goal(reader, &told, ret);
		hb_told_free(&told);
	} else if (!code)
		code = there ? hb__fail_with(HB_EXIT_RECORDING, "%s", hb_reader_why(reader))
			     : hb__fail_with(HB_EXIT_USAGE, "%s has no event %lld", path, event);
	hb_reader_free(reader);
	free(path);
	return code;
}

void hb__event_goal_free(hb_event_goal *goal)
{
	for (size_t i = 0; i < goal->n; i++)
		free_process(&goal->processes[i]);
	free(goal->processes);
	free(goal->node);
	free(goal->attach);
	free(goal->recording);
	free(goal->process);
	*goal = (hb_event_goal){0};
}
