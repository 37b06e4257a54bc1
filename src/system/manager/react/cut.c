/* Everybody in the past of an event is stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "system/manager/inside.h"

#define CONE_MOST (1u << 20)   /* bytes of what hbdb cone says */
#define STACK_MOST (16u << 10) /* bytes of stacks in an event */

struct past {
	struct hb_manager *manager;
	char *recording, *name, *whom, *why;
	int64_t process, program, node;
	bool leave, stacks;
};

static void free_past(struct past *p)
{
	free(p->recording);
	free(p->name);
	free(p->whom);
	free(p->why);
	free(p);
}

/* ---- one process ---- */

struct stopped {
	struct hb_manager *manager;
	int64_t process;
};

static void has_stopped(void *user, const cJSON *answer, const char *error, int status)
{
	struct stopped *s = user;
	(void)answer, (void)status;
	if (error)
		hb__manager_note(s->manager, "note", "warning", 0, 0, s->process, "it could not be stopped: %s", error);
	free(s);
}

struct stacks {
	struct hb_manager *manager;
	int64_t process;
	char *left;
};

/* Whoever takes it over finds it where it stands: gdb attaches to a process that is stopped, and leaves it so. */
static void tell_how(struct stacks *s)
{
	cJSON *row = hb_complex_row(s->manager->complex, "processes", s->process);
	hb__manager_note(s->manager, "note", "warning", 0, 0, s->process,
		"it stands, held for %s: 'gdb -p %lld' on node %s takes it over where it is; 'hbdb program release \"#%lld\"', then 'hbdb program go \"#%lld\"', let it go on",
		s->left, (long long)hb__manager_int(row, "pid"), hb__manager_text(row, "node_name"),
		(long long)s->process, (long long)s->process);
	cJSON_Delete(row);
}

static void have_stacks(void *user, int status, const char *output)
{
	struct stacks *s = user;
	if (status < 0)
		hb__manager_note(
			s->manager, "note", "warning", 0, 0, s->process, "gdb could not be attached: %.1500s", output);
	else
		hb__manager_note(s->manager, "note", "note", 0, 0, s->process, "stacks:%s",
			strstr(output, "\nThread ") ? strstr(output, "\nThread ") : output);
	if (s->left)
		tell_how(s);
	free(s->left);
	free(s);
}

void hb__manager_stacks(struct hb_manager *m, const cJSON *row, const char *left)
{
	char pid[32];
	struct stacks *s = calloc(1, sizeof *s);
	if (!s)
		return;
	*s = (struct stacks){m, hb__manager_int(row, "process"), left ? strdup(left) : NULL};
	snprintf(pid, sizeof pid, "%lld", (long long)hb__manager_int(row, "pid"));
	const char *argv[] = {"gdb", "-nx", "-q", "-batch", "-ex", "set pagination off", "-ex",
		"set print frame-arguments none", "-ex", "thread apply all -ascending backtrace 40", "-p", pid, NULL};
	hb__manager_run_on(hb__node_of(m, hb__manager_int(row, "node")), argv, STACK_MOST, have_stacks, s);
}

void hb__stop_one(struct hb_manager *m, const cJSON *row, const struct hb__stop_how *how)
{
	hb_error err;
	int64_t number = hb__manager_int(row, "process");
	const char *who = how->whom ? how->whom : m->user;
	if (hb_complex_may(m->complex, number, 0, who, &err)) {
		hb__manager_note(m, "refused", "warning", 0, 0, number, "it is not stopped: %s", err.message);
		return;
	}
	struct stopped *s = calloc(1, sizeof *s);
	if (!s)
		return;
	*s = (struct stopped){m, number};
	if (hb__process_ask(m, row, "stop", 0, has_stopped, s, &err)) {
		hb__manager_note(m, "note", "warning", 0, 0, number, "it could not be stopped: %s", err.message);
		free(s);
	} else if (how->leave)
		hb__manager_fine(m, hb_complex_hold(m->complex, number, 0, who, how->why, &err), &err);
	if (how->stacks)
		hb__manager_stacks(m, row, how->leave ? who : NULL);
}

/* ---- the past ---- */

static bool collect(void *user, cJSON *row)
{
	cJSON_AddItemToArray(user, row);
	return true;
}

static cJSON *processes_of(const struct past *p)
{
	cJSON *rows = cJSON_CreateArray(), *row, *next;
	hb_complex_rows(p->manager->complex, "processes", &(hb_complex_filter){0}, collect, rows, NULL);
	for (row = rows->child; row; row = next) {
		next = row->next;
		const char *state = hb__manager_text(row, "state");
		if (strcmp(hb__manager_text(row, "recording"), p->recording) || !strcmp(state, "ended") ||
			!strcmp(state, "gone"))
			cJSON_Delete(cJSON_DetachItemViaPointer(rows, row));
	}
	return rows;
}

/* A line of hbdb cone --json is about a lane: it counts when something of it is in the past. */
static bool in_past(const char *output, const cJSON *row)
{
	bool found = false;
	char *copy = strdup(output), *rest = copy;
	for (char *line; copy && !found && (line = strsep(&rest, "\n"));) {
		cJSON *o = *line == '{' ? cJSON_Parse(line) : NULL;
		const cJSON *rank = cJSON_GetObjectItemCaseSensitive(o, "rank");
		char number[32] = "";
		if (cJSON_IsNumber(rank))
			snprintf(number, sizeof number, "%.0f", rank->valuedouble);
		const char *its = cJSON_IsString(rank) ? rank->valuestring : number;
		const char *process = hb_wire_text(o, "process");
		bool same = !strcmp(hb__manager_text(row, "name"), process ? process : its);
		found = same && strcmp(hb__manager_text(o, "stop"), "nothing") != 0;
		cJSON_Delete(o);
	}
	free(copy);
	return found;
}

static void stop_those(struct past *p, const char *output)
{
	struct hb_manager *m = p->manager;
	cJSON *rows = processes_of(p);
	const cJSON *row;
	size_t n = 0, all = 0;
	char names[400] = "";
	cJSON_ArrayForEach(row, rows)
	{
		all++;
		/* the launcher and hbdb itself have no events: they are not of the program */
		if (!hb_wire_text(row, "log") || (output && !in_past(output, row)))
			continue;
		size_t used = strlen(names);
		snprintf(names + used, sizeof names - used, "%s%s", n++ ? ", " : "", hb__manager_text(row, "name"));
		hb__stop_one(m, row, &(struct hb__stop_how){p->leave, p->whom, p->why, p->stacks});
	}
	hb__manager_note(m, "reaction", "warning", 0, 0, p->process, "%s of %s: %zu %s%s%s",
		output ? "stopped in the past" : "stopped, as the past is not known", p->name, n,
		n == 1 ? "process" : "processes", n ? ": " : "", names);
	cJSON_Delete(rows);
}

static void have_cone(void *user, int status, const char *output)
{
	struct past *p = user;
	/* 3: something is missing from the recording, as always while it is made */
	bool known = (status == 0 || status == 3) && strchr(output, '{');
	if (!known)
		hb__manager_note(p->manager, "note", "warning", 0, 0, p->process,
			"the past of %s cannot be told (status %d); all are stopped: %.400s", p->name, status, output);
	stop_those(p, known ? output : NULL);
	free_past(p);
}

static void have_last(void *user, int status, const char *output)
{
	struct past *p = user;
	struct hb_manager *m = p->manager;
	char event[120];
	cJSON *o = cJSON_Parse(output);
	int64_t last = hb__manager_int(o, "last");
	cJSON_Delete(o);
	if (!last) {
		hb__manager_note(m, "note", "warning", 0, 0, p->process,
			"no event of %s is known (status %d): all are stopped", p->name, status);
		stop_those(p, NULL);
		free_past(p);
		return;
	}
	/* where processes of several nodes write into folders of these, the recording that names the nodes knows the past: hbdb cone asks them */
	cJSON *program = hb_complex_row(m->complex, "programs", p->program);
	bool nodes = !strcmp(hb__manager_text(program, "part"), p->recording);
	snprintf(event, sizeof event, "%s:%lld", p->name, (long long)last);
	const char *recording = nodes ? hb__manager_text(program, "recording") : p->recording;
	const char *argv[] = {m->options.program, "cone", "--json", event, recording, NULL};
	hb__manager_run_on(
		hb__node_of(m, nodes ? hb__manager_int(program, "node") : p->node), argv, CONE_MOST, have_cone, p);
	cJSON_Delete(program);
}

void hb__stop_past(struct hb_manager *m, const cJSON *event, const struct hb__stop_how *how)
{
	struct past *p = calloc(1, sizeof *p);
	cJSON *row = hb_complex_row(m->complex, "processes", hb__manager_int(event, "process"));
	if (!p || !row || !hb_wire_text(row, "recording")) {
		hb__manager_note(m, "note", "warning", 0, hb__manager_int(event, "program"),
			hb__manager_int(event, "process"),
			"nobody is stopped: what happened is of no recorded process");
		free(p);
		cJSON_Delete(row);
		return;
	}
	*p = (struct past){.manager = m,
		.recording = strdup(hb__manager_text(row, "recording")),
		.name = strdup(hb__manager_text(row, "name")),
		.whom = how->whom ? strdup(how->whom) : NULL,
		.why = strdup(how->why),
		.process = hb__manager_int(row, "process"),
		.program = hb__manager_int(row, "program"),
		.node = hb__manager_int(row, "node"),
		.leave = how->leave,
		.stacks = how->stacks};
	char query[120];
	snprintf(query, sizeof query, "SELECT max(event) AS last FROM events WHERE pid = %lld AND lane = 0",
		(long long)hb__manager_int(row, "pid"));
	const char *argv[] = {m->options.program, "sql", "--json", p->recording, query, NULL};
	hb__manager_run_on(hb__node_of(m, p->node), argv, CONE_MOST, have_last, p);
	cJSON_Delete(row);
}
