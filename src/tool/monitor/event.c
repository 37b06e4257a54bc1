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

/* A process of the program that lives, those of this machine first: of an MPI job one leads to all others. What only started it, hbdb record say, has no log. */
static void find_living(hb_reader *reader, int64_t program, hb_event_goal *ret)
{
	static const char sql[] = "SELECT pid, began, p.boot, coalesce(host, ''), n.name FROM process p JOIN node n "
				  "USING (node) WHERE program = ?1 AND p.state NOT IN ('ended', 'gone') "
				  "ORDER BY log IS NULL, rank IS NULL, rank, process";
	sqlite3_stmt *s = program ? hb_reader_query(reader, sql) : NULL;
	if (!s)
		return;
	sqlite3_bind_int64(s, 1, program);
	for (bool found = false; !found && sqlite3_step(s) == SQLITE_ROW;) {
		int64_t pid = sqlite3_column_int64(s, 0);
		bool here = is_here((const char *)sqlite3_column_text(s, 2), (const char *)sqlite3_column_text(s, 3));
		found = here && lives(pid, sqlite3_column_int64(s, 1));
		if (found) {
			hb__event_goal_free(ret);
			ret->attach = hb__format("%lld", (long long)pid);
		} else if (!here && !ret->attach) {
			ret->attach = hb__format("%lld", (long long)pid);
			ret->node = hb__copy((const char *)sqlite3_column_text(s, 4));
		}
	}
	sqlite3_reset(s);
}

static void find_recording(const hb_told *t, hb_event_goal *ret)
{
	ret->recording = hb__copy(t->recording);
	ret->process = t->process_number ? hb__copy(t->process) : NULL;
}

static int find_goal(hb_reader *reader, const hb_told *t, hb_event_goal *ret)
{
	bool here = t->process_number && is_here(t->boot, t->host),
	     alive = t->process_number && strcmp(t->state, "ended") != 0 && strcmp(t->state, "gone") != 0,
	     elsewhere = *t->node && (t->process_number ? !here : *t->host && !is_here(hb_boot_id(), t->host));
	struct stat st;
	if (!t->process_number)
		find_living(reader, t->program_number, ret);
	else if (here ? lives(t->pid, t->began) : alive)
		ret->attach = hb__format("%lld", (long long)t->pid);
	if (ret->attach && t->process_number && !here)
		ret->node = hb__copy(t->node);
	if (ret->attach)
		return 0;
	if (*t->recording && (elsewhere || !stat(t->recording, &st))) {
		find_recording(t, ret);
		if (elsewhere && stat(t->recording, &st))
			ret->node = hb__copy(t->node);
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
	free(goal->node);
	free(goal->attach);
	free(goal->recording);
	free(goal->process);
	*goal = (hb_event_goal){0};
}
