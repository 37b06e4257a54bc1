/* What an agent has of processes, in as many answers as it takes. What is told stands in an order that no process that comes or ends changes: where the next part
 * begins is a place in this order, and the agent keeps nothing between two parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent.h"

static const char processes[] = "processes", started[] = "started";

size_t hb__list_from(const cJSON *ask, const hb_watched *all, size_t n)
{
	const char *after = hb_wire_text(ask, "after");
	unsigned long pid;
	int used = 0;
	size_t i = 0;
	if (!after || sscanf(after, "processes %lu %n", &pid, &used) != 1 || !used)
		return 0;
	while (i < n &&
		(all[i].now->pid < pid || (all[i].now->pid == pid && strcmp(all[i].now->path, after + used) <= 0)))
		i++;
	return i;
}

void hb__list_more(cJSON *answer, const hb_watched *last)
{
	char *next = hb__format("%s %u %s", processes, last->now->pid, last->now->path);
	cJSON_AddBoolToObject(answer, "more", true);
	cJSON_AddStringToObject(answer, "next", next);
	free(next);
}

/* ---- programs that were started ---- */

/* Its place in the order: when it began, and which process it is. */
static char *place_of(const cJSON *one)
{
	int64_t pid = 0, began = 0;
	const char *boot = hb_wire_text(one, "boot");
	hb_wire_number(one, "pid", &pid);
	hb_wire_number(one, "began", &began);
	return hb__format("%s %020lld %020lld %s", started, (long long)pid, (long long)began, boot ? boot : "");
}

struct placed {
	char *place;
	cJSON *one;
};

static int by_place(const void *a, const void *b)
{
	return strcmp(((const struct placed *)a)->place, ((const struct placed *)b)->place);
}

/* Without those that ended before `since`: who asks every second knows them. */
static bool is_asked_for(const cJSON *ask, const cJSON *one)
{
	int64_t since, ended;
	return !hb_wire_number(ask, "since", &since) || !hb_wire_number(one, "ended", &ended) || ended >= since;
}

/* bytes: of the answer that are taken. */
static void add_started(hb_agent *agent, const cJSON *ask, cJSON *answer, size_t bytes)
{
	cJSON *list = hb_agent_started(agent);
	size_t n = (size_t)cJSON_GetArraySize(list), told = 0;
	const char *after = hb_wire_text(ask, "after");
	struct placed *all = hb__alloc((n + 1) * sizeof *all);
	hb_wire_list fits = {.rows = cJSON_CreateArray(), .bytes = bytes};
	for (size_t i = 0; i < n; i++) {
		cJSON *one = cJSON_DetachItemFromArray(list, 0);
		all[i] = (struct placed){place_of(one), one};
	}
	qsort(all, n, sizeof *all, by_place);
	const char *last = after;
	for (size_t i = 0; i < n; i++) {
		bool before = after && !strncmp(after, started, strlen(started)) && strcmp(all[i].place, after) <= 0;
		if (before || !is_asked_for(ask, all[i].one)) {
			cJSON_Delete(all[i].one);
		} else if (hb_wire_list_add(&fits, all[i].one)) {
			told++;
			last = all[i].place;
		}
	}
	if (fits.full) {
		cJSON_AddBoolToObject(answer, "more", true);
		cJSON_AddStringToObject(answer, "next", told ? last : started);
	}
	cJSON_AddItemToObject(answer, started, fits.rows);
	for (size_t i = 0; i < n; i++)
		free(all[i].place);
	free(all);
	cJSON_Delete(list);
}

/* ---- the ask ---- */

void hb__ask_ps(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb_wire_text(ask, "folder"), *after = hb_wire_text(ask, "after");
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddNumberToObject(answer, "time", (double)time(NULL));
	hb_wire_list fits = {.rows = cJSON_CreateArray()};
	hb_watched *all;
	size_t n;
	hb__watched_all(((hb_tool_agent *)hb_agent_user(agent))->watching, folder, &all, &n);
	size_t from = hb__list_from(ask, all, n), at = from;
	bool behind = after && !strncmp(after, started, strlen(started));
	while (at < n && !behind && hb_wire_list_add(&fits, hb__watched_describe(&all[at])))
		at++;
	cJSON_AddItemToObject(answer, processes, fits.rows);
	if (fits.full)
		hb__list_more(answer, &all[at - 1]);
	else if (!folder)
		add_started(agent, ask, answer, fits.bytes);
	free(all);
	hb_wire_answer(wire, id, answer);
}
