/* Reactions: what is done when rules are due. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "system/manager/inside.h"

#define MODEL_S 5.0 /* how often a recording is held against a model */
#define ANSWER_MOST (256u << 10)

/* Done behind the round in which rules were due: an action may wait for nothing, and may change what rules look at. */
struct due {
	struct due *next;
	size_t rule;
	cJSON *event;
};
static struct due *first, **last = &first;

static void is_due(void *user, size_t index, const cJSON *event)
{
	struct due *d = calloc(1, sizeof *d);
	(void)user;
	if (!d)
		return;
	*d = (struct due){NULL, index, cJSON_Duplicate(event, 1)};
	*last = d;
	last = &d->next;
}

/* ---- actions ---- */

static void note(struct hb_manager *m, const hb_action *a, const cJSON *event, const char *why)
{
	char *text = a->nwords ? hb_reactions_fill(a->words[0], event) : strdup(hb__manager_text(event, "text"));
	hb__manager_note(m, "note", "note", hb__manager_int(event, "node"), hb__manager_int(event, "program"),
		hb__manager_int(event, "process"), "%s: %.1500s", why, text ? text : "");
	free(text);
}

static void command(struct hb_manager *m, const hb_action *a, const cJSON *event, const char *why)
{
	char sh[] = "sh", c[] = "-c", none[] = "", *shell[] = {sh, c, a->nwords ? a->words[0] : none, NULL};
	char **argv = a->kind == HB_ACTION_SHELL ? shell : calloc(a->nwords + 1, sizeof *argv);
	for (size_t i = 0; argv && a->kind != HB_ACTION_SHELL && i < a->nwords; i++)
		argv[i] = hb_reactions_fill(a->words[i], event);
	if (argv)
		hb__notify_command(m, argv, event, why);
	for (size_t i = 0; argv && a->kind != HB_ACTION_SHELL && i < a->nwords; i++)
		free(argv[i]);
	if (argv != shell)
		free(argv);
}

/* The program that an action names, or that of the event. 0: none, and that is said. */
static int64_t program_of(struct hb_manager *m, const hb_action *a, const cJSON *event, const char *why)
{
	int64_t program = 0;
	hb_error err;
	const char *name = a->nwords ? a->words[0] : hb__manager_text(event, "program_name");
	if (*name && !hb__manager_fine(m, hb_complex_program_find(m->complex, name, &program, &err), &err))
		program = 0;
	if (!program)
		hb__manager_note(m, "note", "warning", 0, 0, 0,
			"%s: there is no program that this could be done to%s%s", why, *name ? ": " : "", name);
	return program;
}

/* What is told late is of a run that is over: the program has been begun again since. */
static bool is_of_earlier_run(struct hb_manager *m, int64_t program, const cJSON *event)
{
	cJSON *row = hb_complex_row(m->complex, "programs", program), *process = NULL;
	if (hb__manager_int(event, "program") == program && hb__manager_int(event, "process"))
		process = hb_complex_row(m->complex, "processes", hb__manager_int(event, "process"));
	const char *its = hb_wire_text(process, "recording"), *recording = hb_wire_text(row, "recording");
	const char *part = hb_wire_text(row, "part");
	bool same = hb__manager_int(row, "process") == hb__manager_int(process, "process") ||
		    (its && recording && !strcmp(its, recording)) || (its && part && !strcmp(its, part));
	bool is = process && !same;
	cJSON_Delete(process);
	cJSON_Delete(row);
	return is;
}

/* A reaction moves nothing that somebody holds. */
static void move_program(struct hb_manager *m, const hb_action *a, const cJSON *event, const char *why)
{
	hb_error err = {0};
	int64_t program = program_of(m, a, event, why);
	hb_status status = program ? hb_complex_may(m->complex, 0, program, "a reaction", &err) : HB_OK;
	if (!program)
		return;
	if (a->kind != HB_ACTION_BEGIN && is_of_earlier_run(m, program, event)) {
		hb__manager_note(
			m, "note", "note", 0, program, 0, "%s: not done, the program was begun again since", why);
		return;
	}
	if (!status && a->kind == HB_ACTION_BEGIN) {
		status = hb__program_begin(m, program, &err);
		status = status ? status : hb_complex_program_wanted(m->complex, program, true, &err);
	} else if (!status)
		status = hb__program_end(m, program, a->kind == HB_ACTION_RESTART, &err);
	if (status)
		hb__manager_note(m, "refused", "warning", 0, program, 0, "%s: %s", why, err.message);
}

static bool collect(void *user, cJSON *row)
{
	cJSON_AddItemToArray(user, row);
	return true;
}

static void stop_all(struct hb_manager *m, const hb_action *a, const cJSON *event, const struct hb__stop_how *how)
{
	cJSON *rows = cJSON_CreateArray();
	const cJSON *row;
	bool one = a->kind == HB_ACTION_STOP || a->kind == HB_ACTION_DEBUGGER;
	const char *program = hb_wire_text(event, "program_name");
	if (one)
		hb_complex_rows(m->complex, "processes",
			&(hb_complex_filter){
				.one = hb__manager_int(event, "process") ? hb__manager_int(event, "process") : -1},
			collect, rows, NULL);
	else if (program)
		hb_complex_rows(m->complex, "processes", &(hb_complex_filter){.program = program}, collect, rows, NULL);
	size_t n = 0;
	cJSON_ArrayForEach(row, rows)
	{
		if (!strcmp(hb__manager_text(row, "state"), "ended") || !strcmp(hb__manager_text(row, "state"), "gone"))
			continue;
		n++;
		if (a->kind != HB_ACTION_DEBUGGER || how->leave)
			hb__stop_one(m, row, how);
		else
			hb__manager_stacks(m, row, NULL);
	}
	if (!n)
		hb__manager_note(m, "note", "warning", 0, hb__manager_int(event, "program"),
			hb__manager_int(event, "process"),
			"%s: there is no process any more that this could be done to", how->why);
	cJSON_Delete(rows);
}

static void keep(struct hb_manager *m, const cJSON *event, const char *why)
{
	hb_action none = {0};
	int64_t program = program_of(m, &none, event, why);
	cJSON *row = program ? hb_complex_row(m->complex, "programs", program) : NULL;
	if (row)
		hb__manager_keep(m, row, 0, 0, NULL);
	cJSON_Delete(row);
}

static void act(struct hb_manager *m, const hb_reaction *r, size_t i, const cJSON *event, const char *why)
{
	const hb_action *a = &r->actions[i];
	/* `stop ..., attach debugger`: to those that are stopped, when it is known who they are */
	const hb_action *next =
		i + 1 < r->nactions && r->actions[i + 1].kind == HB_ACTION_DEBUGGER ? &r->actions[i + 1] : NULL;
	bool behind = i && r->actions[i - 1].kind >= HB_ACTION_STOP && r->actions[i - 1].kind <= HB_ACTION_STOP_PAST;
	const struct hb__stop_how how = {.leave = a->leave || (next && next->leave),
		.whom = a->whom || !next ? a->whom : next->whom,
		.why = why,
		.stacks = next || a->kind == HB_ACTION_DEBUGGER};
	switch (a->kind) {
	case HB_ACTION_NOTE:
		note(m, a, event, why);
		break;
	case HB_ACTION_COMMAND:
	case HB_ACTION_SHELL:
		command(m, a, event, why);
		break;
	case HB_ACTION_DATAGRAM:
		hb__notify_datagram(m, a->words[0], event);
		break;
	case HB_ACTION_JOURNAL:
		hb__notify_journal(m, event);
		break;
	case HB_ACTION_KEEP:
		keep(m, event, why);
		break;
	case HB_ACTION_STOP_PAST:
		hb__stop_past(m, event, &how);
		break;
	case HB_ACTION_STOP:
	case HB_ACTION_STOP_ALL:
		stop_all(m, a, event, &how);
		break;
	case HB_ACTION_DEBUGGER:
		if (!behind)
			stop_all(m, a, event, &how);
		break;
	case HB_ACTION_BEGIN:
	case HB_ACTION_END:
	case HB_ACTION_RESTART:
		move_program(m, a, event, why);
		break;
	}
}

static void do_all(struct hb_manager *m)
{
	while (first) {
		struct due *d = first;
		const hb_reaction *r = hb_reactions_at(m->options.reactions, d->rule);
		char why[200];
		hb_error err;
		first = d->next;
		last = first ? last : &first;
		const char *slash = strrchr(m->options.reactions_file, '/');
		snprintf(why, sizeof why, "reaction %.100s:%d", slash ? slash + 1 : m->options.reactions_file, r->line);
		hb__manager_fine(
			m, hb_complex_reaction_fired(m->complex, m->rule[d->rule], hb_complex_now(), &err), &err);
		hb__manager_note(m, "reaction", "note", hb__manager_int(d->event, "node"),
			hb__manager_int(d->event, "program"), hb__manager_int(d->event, "process"),
			"%s: when %.400s do %.400s", why, r->condition, r->action);
		for (size_t i = 0; i < r->nactions; i++)
			act(m, r, i, d->event, why);
		cJSON_Delete(d->event);
		free(d);
	}
}

/* ---- a manager that begins anew ---- */

static void name_mark(const struct hb_manager *m, size_t rule, char name[static 40])
{
	snprintf(name, 40, "holds %lld", (long long)m->rule[rule]);
}

static bool remember(void *user, cJSON *row)
{
	struct hb_manager *m = user;
	bool before = hb__manager_int(row, "event") <= m->reacted;
	if (before)
		hb_reactions_event(m->options.reactions, m->complex, row, NULL, NULL);
	cJSON_Delete(row);
	return before;
}

void hb__manager_react_anew(struct hb_manager *m)
{
	char name[40];
	for (size_t i = 0; m->options.reactions && i < hb_reactions_count(m->options.reactions); i++) {
		name_mark(m, i, name);
		hb_reactions_held(m->options.reactions, i, hb_complex_mark(m->complex, name) > 0);
	}
	if (m->options.reactions && m->reacted && hb_reactions_look_back(m->options.reactions))
		hb_complex_rows(m->complex, "events", &(hb_complex_filter){.since = -1}, remember, m, NULL);
}

/* When what was due is done: a manager that dies before does it again. */
static void note_states(struct hb_manager *m)
{
	char name[40];
	hb_error err;
	for (size_t i = 0; i < hb_reactions_count(m->options.reactions); i++) {
		name_mark(m, i, name);
		if (hb_reactions_holds(m->options.reactions, i) != (hb_complex_mark(m->complex, name) > 0))
			hb__manager_fine(m,
				hb_complex_set_mark(
					m->complex, name, hb_reactions_holds(m->options.reactions, i), &err),
				&err);
	}
}

/* ---- what has happened ---- */

static bool ask_about(void *user, cJSON *row)
{
	struct hb_manager *m = user;
	m->reacted = hb__manager_int(row, "event");
	/* what reactions and consoles do is no reason for another one: nothing goes in circles */
	if (m->options.reactions)
		hb_reactions_event(m->options.reactions, m->complex, row, is_due, m);
	cJSON_Delete(row);
	return true;
}

void hb__manager_react(struct hb_manager *m)
{
	hb_error err;
	if (hb_complex_last_event(m->complex) <= m->reacted)
		return;
	hb_complex_rows(
		m->complex, "events", &(hb_complex_filter){.since = m->reacted ? m->reacted : -1}, ask_about, m, NULL);
	if (!hb__manager_fine(m, hb_complex_begin(m->complex, &err), &err))
		return;
	do_all(m);
	hb__manager_fine(m, hb_complex_set_mark(m->complex, "reacted", m->reacted, &err), &err);
	hb__manager_fine(m, hb_complex_end(m->complex, true, &err), &err);
}

/* ---- models ---- */

struct model {
	struct hb_manager *manager;
	int64_t node;
	char *file, *recording;
};

static void checked(void *user, int status, const char *output)
{
	struct model *c = user;
	hb_error err;
	char *copy = status >= 0 ? strdup(output) : NULL, *rest = copy;
	if (status < 0 || status > 1)
		hb__manager_say(c->manager, "%s cannot be held against %s: %.200s", c->recording, c->file, output);
	/* a line for each finding */
	for (char *line; copy && (line = strsep(&rest, "\n"));) {
		cJSON *one = *line == '{' ? cJSON_Parse(line) : NULL;
		const char *id = hb__manager_text(one, "finding");
		if (!strncmp(id, "HB-MODEL-", 9)) {
			cJSON *news = cJSON_CreateObject();
			cJSON_AddStringToObject(news, "news", "finding");
			cJSON_AddStringToObject(news, "id", id);
			cJSON_AddStringToObject(news, "text", hb__manager_text(one, "sentence"));
			cJSON_AddStringToObject(news, "folder", c->recording);
			cJSON_AddStringToObject(news, "model", c->file);
			hb__manager_fine(c->manager, hb_complex_news(c->manager->complex, c->node, news, &err), &err);
			cJSON_Delete(news);
		}
		cJSON_Delete(one);
	}
	free(copy);
	free(c->file);
	free(c->recording);
	free(c);
}

/* A program that runs, or has ended a moment ago. */
static void check_model(struct hb_manager *m, const char *file, const char *name)
{
	int64_t program;
	struct model *c = NULL;
	cJSON *row = hb_complex_program_find(m->complex, name, &program, NULL)
			     ? NULL
			     : hb_complex_row(m->complex, "programs", program);
	bool runs =
		!strcmp(hb__manager_text(row, "state"), "running") || !strcmp(hb__manager_text(row, "state"), "hangs");
	bool late = hb__manager_int(row, "since") + (int64_t)(2 * MODEL_S * 1e6) > hb_complex_now();
	struct hb__node *n = row ? hb__node_of(m, hb__manager_int(row, "node")) : NULL;
	if (n && n->up && (runs || late) && hb_wire_text(row, "recording") && (c = calloc(1, sizeof *c))) {
		*c = (struct model){m, n->number, strdup(file), strdup(hb__manager_text(row, "recording"))};
		const char *argv[] = {m->options.program, "check", "--json", "--model", c->file, c->recording, NULL};
		hb__manager_run_on(n, argv, ANSWER_MOST, checked, c);
	}
	cJSON_Delete(row);
}

void hb__manager_react_tick(struct hb_manager *m, double now)
{
	static double ticked;
	const char *file, *program;
	if (!m->options.reactions || now < ticked + 1)
		return;
	ticked = now;
	hb_reactions_tick(m->options.reactions, m->complex, hb_complex_now(), is_due, m);
	do_all(m);
	note_states(m);
	if (now < m->modelled + MODEL_S)
		return;
	m->modelled = now;
	for (size_t i = 0; hb_reactions_model(m->options.reactions, i, &file, &program); i++)
		check_model(m, file, program);
}
