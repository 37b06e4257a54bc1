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

/* A process of the program that lives here: of an MPI job one leads to all others. What only started it, hbdb record say, has no log. */
static int64_t living_of(hb_reader *reader, int64_t program, const char *boot)
{
	static const char sql[] = "SELECT pid, began FROM process WHERE program = ?1 AND boot = ?2 AND "
				  "state NOT IN ('ended', 'gone') ORDER BY log IS NULL, rank IS NULL, rank, process";
	sqlite3_stmt *s = program ? hb_reader_query(reader, sql) : NULL;
	int64_t pid = 0;
	if (!s)
		return 0;
	sqlite3_bind_int64(s, 1, program);
	sqlite3_bind_text(s, 2, boot, -1, SQLITE_STATIC);
	while (!pid && sqlite3_step(s) == SQLITE_ROW)
		if (lives(sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1)))
			pid = sqlite3_column_int64(s, 0);
	sqlite3_reset(s);
	return pid;
}

static int find_goal(hb_reader *reader, const hb_told *t, hb_event_goal *ret)
{
	const char *boot = hb_boot_id();
	bool here = t->process_number && *boot && !strcmp(t->boot, boot);
	int64_t pid = here && lives(t->pid, t->began) ? t->pid : 0;
	if (!t->process_number)
		pid = living_of(reader, t->program_number, boot);
	struct stat st;
	if (pid) {
		ret->attach = hb__format("%lld", (long long)pid);
		return 0;
	}
	if (*t->recording && !stat(t->recording, &st)) {
		ret->recording = hb__copy(t->recording);
		ret->process = t->process_number ? hb__copy(t->process) : NULL;
		return 0;
	}
	if (t->process_number && !here && strcmp(t->state, "ended") != 0 && strcmp(t->state, "gone") != 0)
		return hb__fail_with(HB_EXIT_USAGE, "process %s runs on node %s (%s): there, hbdb debug --attach %lld",
			t->process, t->node, *t->host ? t->host : "its host is not known", (long long)t->pid);
	if (*t->recording)
		return hb__fail_with(HB_EXIT_USAGE,
			"the recording %s is not on this machine, and nothing of event %lld lives here", t->recording,
			(long long)t->event);
	if (t->process_number || t->program_number)
		return hb__fail_with(HB_EXIT_USAGE,
			"what event %lld is about does not live on this machine, and was not recorded: there is nothing to debug",
			(long long)t->event);
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
	free(goal->attach);
	free(goal->recording);
	free(goal->process);
	*goal = (hb_event_goal){0};
}
