/* hbdb ps */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../console/console.h"
#include "../../options.h"
#include "../../show/inert.h"
#include "../../terminal.h"

const hb_option hb__ps_options[] = {
	{"node", 'n', HB_OPTION_TEXT, "NAME", "only this node"},
	{"program", 'p', HB_OPTION_TEXT, "NAME", "only this program"},
	{"all", 'a', HB_OPTION_FLAG, NULL, "also processes that have ended"},
	{"threads", 't', HB_OPTION_FLAG, NULL, "also what each thread of a recorded process does now"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per process"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "of the manager"},
	{0},
};

static bool has_ended(const cJSON *row)
{
	return !strcmp(hb__field(row, "state"), "ended") || !strcmp(hb__field(row, "state"), "gone");
}

static double number_of(const cJSON *row, const char *field)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, field);
	return cJSON_IsNumber(item) ? item->valuedouble : -1;
}

static void print_how(const cJSON *row)
{
	const char *state = hb__field(row, "state"), *call = hb__field(row, "call"), *signal = hb__field(row, "signal"),
		   *status = hb__field(row, "status");
	printf("%s", state);
	if (!strcmp(state, "waiting") && *call)
		printf(" in %s", hb__tame(call));
	else if (!strcmp(state, "ended") && *signal && strcmp(signal, "0") != 0)
		printf(" by signal %s", signal);
	else if (!strcmp(state, "ended") && *status)
		printf(" with %s", status);
}

/* What agents tell of a thread, in words. */
static void print_thread(const cJSON *thread)
{
	const char *does = hb__field(thread, "does"), *call = hb__field(thread, "call"),
		   *after = hb__field(thread, "after"), *place = hb__field(thread, "place"),
		   *joins = hb__field(thread, "joins");
	const cJSON *seconds = cJSON_GetObjectItemCaseSensitive(thread, "seconds");
	printf("          thread %-8s %s", hb__field(thread, *hb__field(thread, "thread") ? "thread" : "lane"), does);
	if (*joins)
		printf(" until thread %s of its recording ends", joins);
	if (*call)
		printf(" %s", hb__tame(call));
	if (*after)
		printf(" after %s", hb__tame(after));
	if (*place)
		printf("  %s", hb__tame(place));
	if (cJSON_IsNumber(seconds))
		printf("  for %.1f s", seconds->valuedouble);
	putchar('\n');
}

static void print_process(const cJSON *row)
{
	const char *events = hb__field(row, "events"), *threads = hb__field(row, "threads"),
		   *holder = hb__field(row, "holder"), *file = hb__field(row, "file");
	const char *slash = strrchr(file, '/');
	printf("      #%-5s %-12s pid %-8s ", hb__field(row, "process"), hb__tame(hb__field(row, "name")),
		hb__field(row, "pid"));
	print_how(row);
	if (*events) {
		double e = number_of(row, "event_rate"), m = number_of(row, "message_rate");
		printf(", %s %s", events, hb__plural(strcmp(events, "1") ? 2 : 1, "event", "events"));
		if (e > 0)
			printf(" (%.3g/s", e);
		if (m > 0)
			printf("%s%.3g messages/s", e > 0 ? ", " : " (", m);
		printf("%s", e > 0 || m > 0 ? ")" : "");
	}
	if (*threads && strcmp(threads, "1") != 0 && strtod(threads, NULL) > 0)
		printf(", %s threads", threads);
	if (*file)
		printf(", %s", hb__tame(slash ? slash + 1 : file));
	if (*holder)
		printf(", held by %s", hb__tame(holder));
	putchar('\n');
	const cJSON *thread;
	cJSON_ArrayForEach(thread, cJSON_GetObjectItemCaseSensitive(row, "doing")) print_thread(thread);
}

/* Those of a node, by program: rows come in this order. */
static void print_node(const cJSON *node, const cJSON *processes, const cJSON *programs, bool all)
{
	const char *name = hb__field(node, "name"), *why = hb__field(node, "why");
	const cJSON *row, *g;
	char *last = NULL;
	printf("  node %s: %s%s%s%s\n", hb__tame(name), hb__field(node, "state"), *why ? " (" : "", hb__tame(why),
		*why ? ")" : "");
	cJSON_ArrayForEach(row, processes)
	{
		if (strcmp(hb__field(row, "node_name"), name) != 0 || (!all && has_ended(row)))
			continue;
		const char *program = hb__field(row, "program_name");
		if (!last || strcmp(last, program) != 0) {
			const cJSON *its = NULL;
			cJSON_ArrayForEach(g, programs) if (!strcmp(hb__field(g, "name"), program)) its = g;
			if (its)
				printf("    program %s: %s\n", hb__tame(program), hb__field(its, "state"));
			else
				printf("    of no program\n");
			free(last);
			last = hb__copy(program);
		}
		print_process(row);
	}
	free(last);
}

/* By node, then program. */
static int by_place(const void *a, const void *b)
{
	static const char *const fields[] = {"node", "program", "process"};
	for (size_t i = 0; i < 3; i++) {
		double x = number_of(*(cJSON *const *)a, fields[i]), y = number_of(*(cJSON *const *)b, fields[i]);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static void sort(cJSON *rows)
{
	size_t n = (size_t)cJSON_GetArraySize(rows);
	cJSON **all = hb__alloc((n + 1) * sizeof(cJSON *));
	for (size_t i = 0; i < n; i++)
		all[i] = cJSON_DetachItemFromArray(rows, 0);
	qsort(all, n, sizeof(cJSON *), by_place);
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(rows, all[i]);
	free(all);
}

static bool is_nowhere(const cJSON *program)
{
	const char *state = hb__field(program, "state");
	return strcmp(state, "running") != 0 && strcmp(state, "stopped") != 0 && strcmp(state, "hangs") != 0;
}

static int print(const hb_args *args, const cJSON *nodes, const cJSON *programs, const cJSON *processes)
{
	bool all = hb__option_value(args, "all");
	const char *only = hb__option_value(args, "node"), *program = hb__option_value(args, "program");
	const cJSON *row;
	hb__page();
	if (hb__option_value(args, "json")) {
		cJSON_ArrayForEach(row, processes)
		{
			char *text = all || !has_ended(row) ? hb_wire_line(row) : NULL;
			if (text)
				printf("%s\n", text);
			cJSON_free(text);
		}
		return 0;
	}
	size_t up = 0, running = 0, n = 0;
	cJSON_ArrayForEach(row, nodes) up += !strcmp(hb__field(row, "state"), "up");
	cJSON_ArrayForEach(row, programs) running += !strcmp(hb__field(row, "state"), "running");
	cJSON_ArrayForEach(row, processes) n += !has_ended(row);
	printf("complex: %zu of %d nodes up, %zu of %d programs running, %zu %s\n", up, cJSON_GetArraySize(nodes),
		running, cJSON_GetArraySize(programs), n, hb__plural(n, "process", "processes"));
	cJSON_ArrayForEach(row, nodes) if (!only || !strcmp(only, hb__field(row, "name")))
		print_node(row, processes, programs, all);
	/* those that run nowhere are seen, too */
	cJSON_ArrayForEach(
		row, programs) if (!only && is_nowhere(row) && (!program || !strcmp(program, hb__field(row, "name"))))
		printf("  program %s: %s\n", hb__tame(hb__field(row, "name")), hb__field(row, "state"));
	return 0;
}

/* Threads of all processes of the recording that `of` is of go into the rows of these processes. */
static int add_doing(hb_asker *console, const cJSON *of, cJSON *processes)
{
	cJSON *ask = cJSON_CreateObject(), *list, *row, *told;
	cJSON_AddNumberToObject(ask, "process", number_of(of, "process"));
	int code = hb__asker_list(console, "state", ask, "processes", &list);
	/* by their pids, as rows may be many: a process that has ended since has none */
	cJSON_ArrayForEach(row, processes)
	{
		if (code || number_of(row, "node") != number_of(of, "node") || has_ended(row) ||
			strcmp(hb__field(row, "recording"), hb__field(of, "recording")) != 0)
			continue;
		for (told = list->child; told && number_of(told, "pid") != number_of(row, "pid");)
			told = told->next;
		if (!told || number_of(told, "began") != number_of(row, "began"))
			continue;
		cJSON_AddItemToObject(row, "doing", cJSON_DetachItemFromObjectCaseSensitive(told, "threads"));
		cJSON_Delete(cJSON_DetachItemViaPointer(list, told));
	}
	cJSON_Delete(list);
	return code;
}

/* Each recording is asked for once. That one of them cannot be asked is said, and the others are shown. */
static void add_threads(hb_asker *console, cJSON *processes)
{
	cJSON *row, *asked = cJSON_CreateObject();
	cJSON_ArrayForEach(row, processes)
	{
		char *key = hb__format("%s %s", hb__field(row, "node"), hb__field(row, "recording"));
		if (!has_ended(row) && *hb__field(row, "rank") && *hb__field(row, "recording") &&
			!cJSON_HasObjectItem(asked, key)) {
			cJSON_AddBoolToObject(asked, key, true);
			add_doing(console, row, processes);
		}
		free(key);
	}
	cJSON_Delete(asked);
}

int hb__ps(const hb_args *args)
{
	hb_asker *console;
	cJSON *nodes = NULL, *programs = NULL, *processes = NULL, *ask = cJSON_CreateObject();
	int code = hb__asker_open(hb__option_value(args, "socket"), &console);
	static const char *const filters[] = {"node", "program"};
	for (size_t i = 0; i < 2; i++)
		if (hb__option_value(args, filters[i]))
			cJSON_AddStringToObject(ask, filters[i], hb__option_value(args, filters[i]));
	code = code ? code : hb__asker_rows(console, "nodes", NULL, &nodes);
	code = code ? code : hb__asker_rows(console, "programs", NULL, &programs);
	if (code)
		cJSON_Delete(ask);
	code = code ? code : hb__asker_rows(console, "processes", ask, &processes);
	if (!code)
		sort(processes);
	if (!code && hb__option_value(args, "threads"))
		add_threads(console, processes);
	code = code ? code : print(args, nodes, programs, processes);
	cJSON_Delete(nodes);
	cJSON_Delete(programs);
	cJSON_Delete(processes);
	hb__asker_close(console);
	return code;
}
