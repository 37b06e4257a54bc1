/* hbdb nodes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../console/console.h"
#include "../../options.h"
#include "../../terminal.h"

const hb_option hb__nodes_options[] = {
	{"platform", 'p', HB_OPTION_TEXT, "NAME",
		"with add: how its agent is reached: ssh (default), local, or a file of hbdb-platform(5)"},
	{"address", 'a', HB_OPTION_TEXT, "ADDRESS", "with add: what ssh calls it; default: its name"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per node"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "of the manager"},
	{0},
};

static const char *name(const cJSON *row) { return hb__field(row, "name"); }
static const char *state(const cJSON *row) { return hb__field(row, "state"); }
static const char *platform(const cJSON *row) { return hb__field(row, "platform"); }
static const char *machine(const cJSON *row) { return hb__field(row, "machine"); }
static const char *load(const cJSON *row)
{
	static char text[24];
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, "load");
	snprintf(text, sizeof text, "%.2f", cJSON_IsNumber(item) ? item->valuedouble : 0);
	return cJSON_IsNumber(item) ? text : "";
}
static const char *processes(const cJSON *row) { return hb__field(row, "processes"); }
static const char *why(const cJSON *row) { return hb__field(row, "why"); }
static const char *since(const cJSON *row)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, "since");
	return cJSON_IsNumber(item) ? hb__ago(item->valuedouble) : "";
}

static int list(const hb_args *args, hb_asker *console)
{
	static const hb_table_column columns[] = {{"NODE", name}, {"STATE", state}, {"SINCE", since},
		{"PLATFORM", platform}, {"MACHINE", machine}, {"PROCESSES", processes}, {"LOAD", load}, {"", why}, {0}};
	return hb__list_rows(args, console, "nodes", columns, "there are no nodes yet; hbdb nodes add NAME adds one");
}

static int change(const hb_args *args, hb_asker *console, bool remove)
{
	cJSON *ask = cJSON_CreateObject();
	const char *how = hb__option_value(args, "platform"), *address = hb__option_value(args, "address");
	cJSON_AddStringToObject(ask, "name", args->word[1]);
	if (remove)
		cJSON_AddBoolToObject(ask, "remove", true);
	if (how)
		cJSON_AddStringToObject(ask, "platform", how);
	if (address)
		cJSON_AddStringToObject(ask, "address", address);
	return hb__asker_ask(console, "node", ask, NULL);
}

int hb__nodes(const hb_args *args)
{
	hb_asker *console;
	const char *verb = args->nwords ? args->word[0] : "list";
	bool add = !strcmp(verb, "add"), remove = !strcmp(verb, "remove"), run = !strcmp(verb, "run"),
	     named = add || remove || run;
	if (!named && strcmp(verb, "list") != 0)
		return hb__fail_with(HB_EXIT_USAGE, "nodes takes list, add, remove or run, not '%s'", verb);
	if (run && (args->nwords != 2 || !args->rest))
		return hb__fail_with(HB_EXIT_USAGE,
			"nodes run takes the name of one node, and a command: hbdb nodes run NAME -- COMMAND");
	if (args->nwords > (named ? 2 : 1) || (args->rest && !run) || (named && args->nwords < 2))
		return hb__fail_with(HB_EXIT_USAGE,
			named ? "nodes %s takes the name of one node" : "nodes %s takes nothing else", verb);
	int code = hb__asker_open(hb__option_value(args, "socket"), &console);
	code = code            ? code
	       : run           ? hb__run_there(console, args->word[1], args->rest)
	       : add || remove ? change(args, console, remove)
			       : list(args, console);
	hb__asker_close(console);
	return code;
}
