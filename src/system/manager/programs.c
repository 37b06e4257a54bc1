/* Programs: begun, ended, begun again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "system/manager/inside.h"

#define LONGEST 60000000 /* microseconds between attempts, at most */
#define QUICK 10000000   /* one that ran for less failed at once */
#define PATIENCE 10.0    /* seconds from SIGTERM to SIGKILL */
#define SEALING 600.0    /* ... for one whose job has ended, and whose recording is being put in order */

static bool is_running(const cJSON *row)
{
	const char *state = hb__manager_text(row, "state");
	return !strcmp(state, "running") || !strcmp(state, "stopped") || !strcmp(state, "hangs");
}

/* Ever later, while it fails at once. */
static int64_t later(const cJSON *row)
{
	int64_t now = hb_complex_now(), wait = 1000000, failures = hb__manager_int(row, "failures");
	for (int64_t i = 1; i < failures && wait < LONGEST; i++)
		wait *= 2;
	return now + (wait < LONGEST ? wait : LONGEST);
}

static bool collect(void *user, cJSON *row)
{
	cJSON_AddItemToArray(user, row);
	return true;
}

/* ---- beginning ---- */

struct beginning {
	struct hb_manager *manager;
	int64_t program, node;
};

static void has_begun(struct hb_manager *m, int64_t program, int64_t node, const cJSON *process)
{
	int64_t number;
	hb_error err;
	cJSON *row = hb_complex_row(m->complex, "programs", program);
	if (row &&
		hb__manager_fine(m, hb_complex_process(m->complex, node, process, HB_ENDS_NOT, &number, &err), &err) &&
		hb__manager_fine(m,
			hb_complex_program_begun(m->complex, program, number, hb_wire_text(process, "recording"),
				hb_wire_text(process, "output"), &err),
			&err)) {
		struct hb__node *n = hb__node_of(m, node);
		if (n && hb_wire_text(process, "recording"))
			hb__node_watch(n, hb_wire_text(process, "recording"));
		/* it was told to end while it was being begun */
		if (hb__manager_int(row, "ending"))
			hb__manager_fine(m, hb__program_end(m, program, hb__manager_int(row, "wanted"), &err), &err);
	}
	cJSON_Delete(row);
}

static void begun(void *user, const cJSON *answer, const char *error, int status)
{
	struct beginning *b = user;
	struct hb_manager *m = b->manager;
	hb_error err;
	(void)status;
	cJSON *row = hb_complex_row(m->complex, "programs", b->program);
	const cJSON *process = cJSON_GetObjectItemCaseSensitive(answer, "process");
	if (row && !error && process)
		has_begun(m, b->program, b->node, process);
	else if (row && answer) {
		/* the agent says why; when the connection is lost nobody knows: what the agent has started tells */
		bool again = strcmp(hb__manager_text(row, "restart"), "never") != 0 && hb__manager_int(row, "wanted");
		if (!again)
			hb__manager_fine(m, hb_complex_program_wanted(m->complex, b->program, false, &err), &err);
		hb__manager_fine(m,
			hb_complex_program_failed(m->complex, b->program,
				error ? error : "the agent does not say what it began", again ? later(row) : 0, &err),
			&err);
	}
	cJSON_Delete(row);
	free(b);
}

/* One beginning of a program: what an agent has started for it says which one it was. Clocks of two machines tell nothing. */
static void name_beginning(const cJSON *row, char name[static 64])
{
	snprintf(name, 64, "%lld of %lld", (long long)hb__manager_int(row, "since"),
		(long long)hb__manager_int(row, "program"));
}

hb_status hb__program_begin(struct hb_manager *m, int64_t program, hb_error *err)
{
	cJSON *row = hb_complex_row(m->complex, "programs", program);
	struct hb__node *n = row ? hb__node_of(m, hb__manager_int(row, "node")) : NULL;
	hb_status status = HB_E_ARGUMENT;
	*err = (hb_error){.status = status};
	if (row && is_running(row))
		snprintf(err->message, sizeof err->message, "program %s runs already", hb__manager_text(row, "name"));
	else if (row && !strcmp(hb__manager_text(row, "state"), "begins"))
		snprintf(err->message, sizeof err->message, "program %s is being begun", hb__manager_text(row, "name"));
	else if (!n || !n->up)
		snprintf(err->message, sizeof err->message, "node %s is down: program %s cannot be begun there",
			n ? n->name : "", row ? hb__manager_text(row, "name") : "");
	else
		status = HB_OK;
	struct beginning *b = status ? NULL : calloc(1, sizeof *b);
	if (b) {
		static const char *const fields[] = {"name", "command", "cwd", "environment", "record"};
		cJSON *ask = cJSON_CreateObject();
		char beginning[64];
		*b = (struct beginning){m, program, n->number};
		/* it is known that it is asked for before it is asked for: should we die between, what the agent has started tells */
		status = hb_complex_program_begins(m->complex, program, err);
		cJSON_Delete(row);
		row = hb_complex_row(m->complex, "programs", program);
		for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
			const cJSON *field = cJSON_GetObjectItemCaseSensitive(row, fields[i]);
			if (field && !cJSON_IsNull(field))
				cJSON_AddItemToObject(ask, fields[i], cJSON_Duplicate(field, 1));
		}
		name_beginning(row, beginning);
		cJSON_AddStringToObject(ask, "beginning", beginning);
		if (!status)
			hb_wire_ask(n->wire, "start", ask, begun, b);
		else {
			cJSON_Delete(ask);
			free(b);
		}
	}
	cJSON_Delete(row);
	return status;
}

/* What this agent has started under the name of a program that was asked for, and about which no answer came. */
static const cJSON *find_started(const cJSON *started, const cJSON *row)
{
	const cJSON *one, *found = NULL;
	char name[64];
	name_beginning(row, name);
	cJSON_ArrayForEach(one, started)
	{
		const char *its = hb_wire_text(one, "beginning");
		/* an agent of an older hbdb does not say */
		bool like = !its && !strcmp(hb__manager_text(one, "name"), hb__manager_text(row, "name")) &&
			    (hb__manager_int(one, "since") + 1) * 1000000 >= hb__manager_int(row, "since") &&
			    cJSON_Compare(cJSON_GetObjectItemCaseSensitive(one, "command"),
				    cJSON_GetObjectItemCaseSensitive(row, "command"), true);
		if (like || (its && !strcmp(its, name)))
			found = one;
	}
	return found;
}

/* Answers come in order: when `ps` is answered, an ask to start that was sent before it has been, too, or is lost. */
void hb__programs_started(struct hb__node *n, const cJSON *started)
{
	struct hb_manager *m = n->manager;
	cJSON *rows = cJSON_CreateArray();
	const cJSON *row;
	hb_error err;
	hb_complex_rows(m->complex, "programs", &(hb_complex_filter){.node = n->name}, collect, rows, NULL);
	cJSON_ArrayForEach(row, rows)
	{
		if (strcmp(hb__manager_text(row, "state"), "begins"))
			continue;
		const cJSON *one = find_started(started, row);
		if (one)
			has_begun(m, hb__manager_int(row, "program"), n->number, one);
		else if (hb__manager_int(row, "since") + 5000000 < hb_complex_now() ||
			 hb__manager_int(row, "since") > hb_complex_now() + 1000000) /* the clock was set back */
			hb__manager_fine(m,
				hb_complex_program_failed(m->complex, hb__manager_int(row, "program"),
					"the connection was lost while it was begun", later(row), &err),
				&err);
	}
	cJSON_Delete(rows);
}

/* ---- ending ---- */

static void signal_main(struct hb_manager *m, const cJSON *row, int signal)
{
	cJSON *process = hb_complex_row(m->complex, "processes", hb__manager_int(row, "process"));
	hb_error err;
	if (process) {
		hb__process_ask(m, process, "signal", signal, NULL, NULL, &err);
		/* one that stands takes a signal only when it goes on */
		hb__process_ask(m, process, "signal", SIGCONT, NULL, NULL, &err);
	}
	cJSON_Delete(process);
}

/* All that was recorded of its last run has ended, and what records it has not: a signal would take away the time that it needs to put the recording in order. */
static bool is_sealing(struct hb_manager *m, const cJSON *row)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *process;
	size_t recorded = 0, live = 0;
	const char *recording = hb_wire_text(row, "recording"), *part = hb__manager_text(row, "part");
	if (recording && is_running(row))
		hb_complex_rows(m->complex, "processes", &(hb_complex_filter){.program = hb__manager_text(row, "name")},
			collect, rows, NULL);
	cJSON_ArrayForEach(process, rows)
	{
		const char *state = hb__manager_text(process, "state"), *its = hb__manager_text(process, "recording");
		if ((strcmp(its, recording) && strcmp(its, part)) || !hb_wire_text(process, "log"))
			continue;
		recorded++;
		live += strcmp(state, "ended") && strcmp(state, "gone");
	}
	cJSON_Delete(rows);
	return recorded && !live;
}

hb_status hb__program_end(struct hb_manager *m, int64_t program, bool again, hb_error *err)
{
	cJSON *row = hb_complex_row(m->complex, "programs", program);
	bool runs = row && is_running(row);
	struct hb__node *n = row ? hb__node_of(m, hb__manager_int(row, "node")) : NULL;
	hb_status status = HB_OK;
	if (runs && (!n || !n->up)) {
		*err = (hb_error){.status = HB_E_ARGUMENT};
		snprintf(err->message, sizeof err->message, "node %s is down: program %s cannot be ended there",
			n ? n->name : "", hb__manager_text(row, "name"));
		status = HB_E_ARGUMENT;
	}
	status = status ? status : hb_complex_program_wanted(m->complex, program, again, err);
	if (!status && again)
		status = hb_complex_program_retry(m->complex, program, hb_complex_now(), err);
	bool begins = row && !strcmp(hb__manager_text(row, "state"), "begins");
	if (!status && (runs || begins)) /* when it has begun it is ended */
		status = hb_complex_program_ends(m->complex, program, err);
	if (!status && runs && !is_sealing(m, row))
		signal_main(m, row, SIGTERM);
	cJSON_Delete(row);
	return status;
}

static void kill_rest(struct hb_manager *m, const cJSON *row)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *process;
	hb_error err;
	hb_complex_rows(m->complex, "processes", &(hb_complex_filter){.program = hb__manager_text(row, "name")},
		collect, rows, NULL);
	cJSON_ArrayForEach(process, rows) if (strcmp(hb__manager_text(process, "state"), "ended") &&
					      strcmp(hb__manager_text(process, "state"), "gone"))
		/* with what the command has begun, and nobody else knows of */
		hb__process_ask(m, process, "signal",
			hb__manager_int(process, "process") == hb__manager_int(row, "process") ? -SIGKILL : SIGKILL,
			NULL, NULL, &err);
	cJSON_Delete(rows);
}

/* ---- the policy ---- */

/* It has ended, and is wanted. */
static void consider(struct hb_manager *m, const cJSON *row)
{
	const char *restart = hb__manager_text(row, "restart");
	int64_t program = hb__manager_int(row, "program"), retry = hb__manager_int(row, "retry"),
		now = hb_complex_now();
	hb_error err;
	bool again = !strcmp(restart, "always") ||
		     (!strcmp(restart, "failed") && !strcmp(hb__manager_text(row, "state"), "failed"));
	/* none is set further ahead: the clock was set back */
	if (retry && (retry <= now || retry > now + 2 * LONGEST)) {
		struct hb__node *n = hb__node_of(m, hb__manager_int(row, "node"));
		if (n && n->up) /* else as soon as it is */
			hb__manager_fine(m, hb__program_begin(m, program, &err), &err);
	} else if (!retry && again)
		hb__manager_fine(m, hb_complex_program_retry(m->complex, program, later(row), &err), &err);
	else if (!retry)
		hb__manager_fine(m, hb_complex_program_wanted(m->complex, program, false, &err), &err);
}

void hb__programs_tick(struct hb_manager *m)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *row;
	hb_error err;
	hb_complex_rows(m->complex, "programs", &(hb_complex_filter){0}, collect, rows, NULL);
	cJSON_ArrayForEach(row, rows)
	{
		int64_t ending = hb__manager_int(row, "ending");
		if (is_running(row)) {
			double passed = (double)(hb_complex_now() - ending) / 1e6;
			if (ending && passed < -1) /* the clock was set back: from now on */
				hb__manager_fine(m,
					hb_complex_program_ends(m->complex, hb__manager_int(row, "program"), &err),
					&err);
			if (ending && passed > PATIENCE && (passed > SEALING || !is_sealing(m, row))) {
				kill_rest(m, row);
				hb__manager_fine(m,
					hb_complex_program_ends(m->complex, hb__manager_int(row, "program"), &err),
					&err);
			}
		} else if (hb__manager_int(row, "wanted") && strcmp(hb__manager_text(row, "state"), "begins"))
			consider(m, row);
	}
	cJSON_Delete(rows);
}
