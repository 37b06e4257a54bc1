/* hbdb nodes */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../console/console.h"
#include "../../options.h"
#include "../../terminal.h"
#include "system/platforms/platform.h"

extern char **environ;

const hb_option hb__nodes_options[] = {
	{"platform", 'p', HB_OPTION_TEXT, "NAME",
		"with add: how its agent is reached: ssh (default), local, or a file of hbdb-platform(5)"},
	{"all", 0, HB_OPTION_FLAG, NULL, "with add: all nodes that the platform lists"},
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

/* What a command writes, by whom it was begun: NULL, and why. */
static FILE *begin_list(char *const *words, pid_t *ret_pid)
{
	int ends[2];
	posix_spawn_file_actions_t files;
	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[1], 1);
	int error = posix_spawnp(ret_pid, words[0], &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	FILE *f = error ? NULL : fdopen(ends[0], "r");
	if (!f)
		close(ends[0]);
	errno = error ? error : errno;
	return f;
}

/* Each line is the name of a node, and its address. */
static int add_lines(FILE *f, const char *how, hb_asker *console, size_t *ret_added)
{
	char *line = NULL;
	size_t room = 0;
	int code = 0;
	for (ssize_t n; !code && (n = getline(&line, &room, f)) >= 0;) {
		while (n && strchr(" \t\r\n", line[n - 1]))
			line[--n] = 0;
		if (!*line)
			continue;
		cJSON *ask = cJSON_CreateObject();
		cJSON_AddStringToObject(ask, "name", line);
		cJSON_AddStringToObject(ask, "platform", how);
		code = hb__asker_ask(console, "node", ask, NULL);
		*ret_added += !code;
	}
	free(line);
	return code;
}

static int add_all(const hb_args *args, hb_asker *console)
{
	char why[HB_PLATFORM_WHY] = "";
	const char *given = hb__option_value(args, "platform"), *how = given ? given : "ssh";
	hb_platform *p = hb_platform_load(how, why);
	char **words = p && p->list ? hb_platform_words(p->list, NULL, NULL, why) : NULL;
	size_t added = 0;
	pid_t pid = 0;
	int code = 0, status = 0;
	if (!words)
		code = hb__fail_with(HB_EXIT_USAGE,
			p && !p->list ? "%s: this platform does not say which nodes it has (list): name them" : "%s",
			p && !p->list ? p->file : why);
	FILE *f = code ? NULL : begin_list(words, &pid);
	if (!code && !f)
		code = hb__fail_with(
			HB_EXIT_USAGE, "cannot run %s, which lists the nodes: %s", words[0], strerror(errno));
	code = code ? code : add_lines(f, how, console, &added);
	if (f)
		fclose(f);
	if (pid && waitpid(pid, &status, 0) == pid && status && !code)
		code = hb__fail_with(HB_EXIT_USAGE, "%s, which lists the nodes, ended with %s %d", words[0],
			WIFEXITED(status) ? "status" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	if (!code)
		hb__say("%zu %s of platform %s", added, hb__plural(added, "node", "nodes"), how);
	hb_platform_words_free(words);
	hb_platform_free(p);
	return code;
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
	bool all = add && hb__option_value(args, "all");
	if (all && (args->nwords > 1 || args->rest || hb__option_value(args, "address")))
		return hb__fail_with(
			HB_EXIT_USAGE, "nodes add --all takes no name and no address: the platform lists them");
	if (hb__option_value(args, "all") && !add)
		return hb__fail_with(HB_EXIT_USAGE, "--all is for nodes add");
	named = named && !all;
	if (args->nwords > (named ? 2 : 1) || (args->rest && !run) || (named && args->nwords < 2))
		return hb__fail_with(HB_EXIT_USAGE,
			named ? "nodes %s takes the name of one node" : "nodes %s takes nothing else", verb);
	int code = hb__asker_open(hb__option_value(args, "socket"), &console);
	code = code            ? code
	       : all           ? add_all(args, console)
	       : run           ? hb__run_there(console, args->word[1], args->rest)
	       : add || remove ? change(args, console, remove)
			       : list(args, console);
	hb__asker_close(console);
	return code;
}
