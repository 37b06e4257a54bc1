/* What the processes of a folder do at the moment of the question, by their logs: for a debugger whose job has processes on this node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../store/logs.h"
#include "agent.h"

/* What was found in the logs of a folder the last time, so that only what came since is searched. A connection asks of one folder at a time. */
struct found {
	const hb_wire *wire;
	char *folder;
	struct found_log {
		char *name;
		hb_growing growing;
	} * log;
	size_t n;
	struct found *next;
};
static struct found *all;

static void forget_logs(struct found *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->log[i].name);
		hb_growing_free(&f->log[i].growing);
	}
	free(f->log);
	free(f->folder);
	f->log = NULL;
	f->folder = NULL;
	f->n = 0;
}

void hb__lanes_gone(const hb_wire *wire)
{
	for (struct found **at = &all; *at;) {
		struct found *f = *at;
		if (f->wire != wire) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		forget_logs(f);
		free(f);
	}
}

static struct found *found_in(const hb_wire *wire, const char *folder)
{
	struct found *f = all;
	while (f && f->wire != wire)
		f = f->next;
	if (!f) {
		f = hb__alloc(sizeof *f);
		*f = (struct found){.wire = wire, .next = all};
		all = f;
	}
	if (f->folder && strcmp(f->folder, folder) != 0)
		forget_logs(f);
	f->folder = f->folder ? f->folder : hb__copy(folder);
	return f;
}

static hb_growing *log_of(struct found *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->log[i].name, name))
			return &f->log[i].growing;
	f->log = hb__resize(f->log, (f->n + 1) * sizeof *f->log);
	f->log[f->n] = (struct found_log){.name = hb__copy(name)};
	return &f->log[f->n++].growing;
}

/* The path of a log; NULL: that is no name of one. Free it. */
static char *path_of(const char *folder, const char *name)
{
	return name && hb__is_log_name(name) && !strchr(name, '/') ? hb__format("%s/%s", folder, name) : NULL;
}

/* A log that is not there, or not yet, has no lanes. */
static cJSON *lanes_of(struct found *f, const char *name)
{
	cJSON *one = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(one, "lanes");
	char *path = path_of(f->folder, name);
	hb_growing *g = path ? log_of(f, name) : NULL;
	size_t n = g && !hb_growing_look(g, path, NULL) ? g->nlanes : 0;
	for (size_t i = 0; i < n; i++) {
		const hb_counters *c = &g->lane[i];
		const double row[] = {c->lane, (double)c->events, (double)c->polls, (double)c->inside, (double)c->task};
		cJSON_AddItemToArray(rows, cJSON_CreateDoubleArray(row, sizeof row / sizeof *row));
	}
	free(path);
	return one;
}

void hb__ask_lanes(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb__the_folder(wire, id, ask);
	const cJSON *name;
	(void)agent;
	if (!folder)
		return;
	struct found *f = found_in(wire, folder);
	hb_wire_list fits = {.rows = cJSON_CreateArray()};
	cJSON_ArrayForEach(name, cJSON_GetObjectItemCaseSensitive(ask, "logs"))
	{
		if (!hb_wire_list_add(&fits, lanes_of(f, cJSON_IsString(name) ? name->valuestring : NULL)))
			break;
	}
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddItemToObject(answer, "logs", fits.rows);
	hb_wire_answer(wire, id, answer);
}

/* ---- what takes the whole log: by a child ---- */

/* The path of the log that an ask names; NULL: the ask has been refused. Free it. */
static char *the_log(hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb__the_folder(wire, id, ask), *log = hb_wire_text(ask, "log");
	char *path = folder ? path_of(folder, log) : NULL;
	if (folder && !path)
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "'%s' is no name of a log", log ? log : "");
	return path;
}

void hb__ask_inside(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	char text[256] = "", *path = the_log(wire, id, ask);
	int64_t lane = 0, event = 0, slot = 0;
	int said = path ? hb__work_for(agent, wire, id) : -1;
	if (said >= 0) {
		cJSON *answer = cJSON_CreateObject();
		hb_wire_number(ask, "lane", &lane);
		hb_wire_number(ask, "event", &event);
		hb_wire_number(ask, "slot", &slot);
		if (hb__call_of_log(path, (uint32_t)lane, (uint64_t)event, (uint32_t)slot, true, text, sizeof text))
			cJSON_AddStringToObject(answer, "text", text);
		hb__work_done(said, answer);
	}
	free(path);
}

void hb__ask_calls(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	char *path = the_log(wire, id, ask);
	int said = path ? hb__work_for(agent, wire, id) : -1;
	if (said >= 0) {
		size_t n;
		const hb_called *calls = hb__calls_of_log(path, &n);
		cJSON *answer = cJSON_CreateObject(), *rows = cJSON_AddArrayToObject(answer, "calls");
		for (size_t i = 0; i < n; i++) {
			cJSON *row = cJSON_CreateArray();
			cJSON_AddItemToArray(row, cJSON_CreateString(calls[i].name));
			cJSON_AddItemToArray(row, cJSON_CreateNumber((double)calls[i].calls));
			cJSON_AddItemToArray(rows, row);
		}
		hb__work_done(said, answer);
	}
	free(path);
}
