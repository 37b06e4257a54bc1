#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "launcher.h"

/* A key: its name, and either words or the least and the greatest number. */
static const struct {
	const char *name;
	const char *words[6];
	int64_t least, greatest;
} keys[KEYS] = {
	[KEY_MACHINE] = {"machine", {"", "pfvm", "dcvm"}, 0, 0},
	[KEY_TOPOLOGY] = {"topology", {"chain", "binary", "ternary", "tree", "star"}, 0, 0},
	[KEY_ARITY] = {"arity", {0}, 1, NODES_MOST},
	[KEY_NODES] = {"nodes", {0}, 1, NODES_MOST},
	[KEY_TASKS] = {"tasks", {0}, 0, INT64_MAX},
	[KEY_DEGREE] = {"degree", {0}, 1, DEGREE_MOST},
	[KEY_DEPTH] = {"depth", {0}, 0, 62},
	[KEY_CREDITS] = {"credits", {0}, 1, 65536},
	[KEY_HOST] = {"host", {"two", "one"}, 0, 0},
	[KEY_RECOVER] = {"recover", {"auto", "on", "off"}, 0, 0},
	[KEY_TASK_BYTES] = {"task-bytes", {0}, 0, INT_MAX / 2},
	[KEY_RESULT_BYTES] = {"result-bytes", {0}, 0, INT_MAX / 2},
	[KEY_INPUT] = {"input", {0}, 0, 0},
	[KEY_OUTPUT] = {"output", {0}, 0, 0},
	[KEY_MONITOR] = {"monitor", {0}, 0, 0},
	[KEY_REPORT] = {"report", {0}, 0, 0},
	[KEY_REPORT_JSON] = {"report-json", {0}, 0, 0},
};
enum { WORDS = sizeof keys[0].words / sizeof *keys[0].words };

struct reader {
	struct settings *s;
	char *error;
	size_t room;
};

static int complain(struct reader *r, const char *origin, const char *text, const char *more)
{
	snprintf(r->error, r->room, "%s: %s%s\n", origin, text, more);
	return -1;
}

static int known(const char *name, size_t length)
{
	for (int key = 0; key < KEYS; key++)
		if (strlen(keys[key].name) == length && !strncasecmp(keys[key].name, name, length))
			return key;
	return -1;
}

/* Sets a key that has words; the words are listed where it is none of them. */
static int set_word(struct reader *r, int key, const char *value, const char *origin)
{
	char list[200] = "";
	for (int i = 0; i < WORDS && keys[key].words[i]; i++) {
		if (*keys[key].words[i] && !strcasecmp(keys[key].words[i], value)) {
			r->s->number[key] = i;
			return 0;
		}
		size_t at = strlen(list);
		if (*keys[key].words[i])
			snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", keys[key].words[i]);
	}
	char text[320];
	snprintf(text, sizeof text, "there is no \"%.60s\"; known are: %s", value, list);
	return complain(r, origin, text, "");
}

static int set_number(struct reader *r, int key, const char *value, const char *origin)
{
	char *end;
	errno = 0;
	long long number = strtoll(value, &end, 10);
	if (end != value && !*end && !errno && number >= keys[key].least && number <= keys[key].greatest) {
		r->s->number[key] = number;
		return 0;
	}
	char text[240];
	snprintf(text, sizeof text, "%.60s is not a number from %lld to %lld", *value ? value : "nothing",
		(long long)keys[key].least, (long long)keys[key].greatest);
	return complain(r, origin, text, "");
}

/* A list of nodes: numbers, ranges, the words generator and receiver; or all, or none. */
static const char *list_entry(const char *at, int node, int *ret_is_it)
{
	static const char *const words[] = {"all", "none", "generator", "receiver"};
	char *end;
	for (int i = 0; i < 4; i++)
		if (!strncasecmp(at, words[i], strlen(words[i]))) {
			*ret_is_it = i == 0 || (i == 2 && node == -1) || (i == 3 && node == -2);
			return at + strlen(words[i]);
		}
	long first = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1, last = first;
	if (first < 0)
		return NULL;
	if (*end == '-') {
		last = isdigit((unsigned char)end[1]) ? strtol(end + 1, &end, 10) : -1;
		if (last < first)
			return NULL;
	}
	*ret_is_it = node >= first && node <= last;
	return end;
}

/* 1, 0, or -1: this is no list. */
static int in_list(const char *list, int node)
{
	int found = 0;
	for (const char *at = list;;) {
		at += strspn(at, " \t");
		int is_it;
		if (!(at = list_entry(at, node, &is_it)))
			return -1;
		found |= is_it;
		at += strspn(at, " \t");
		if (!*at)
			return found;
		if (*at++ != ',')
			return -1;
	}
}

int settings_monitors(const struct settings *s, int node) { return in_list(settings_text(s, KEY_MONITOR), node); }

static int set_text(struct reader *r, int key, const char *value, const char *origin)
{
	if (!*value || strlen(value) >= PATH_ROOM)
		return complain(r, origin, *value ? "too long" : "a value is missing", "");
	if (key == KEY_MONITOR && in_list(value, 0) < 0)
		return complain(r, origin, "all, none, or a list such as 0,2-5,generator,receiver; not ", value);
	snprintf(r->s->text[key - KEY_NUMBERS], PATH_ROOM, "%s", value);
	return 0;
}

static int set(struct reader *r, int key, const char *value, const char *origin)
{
	snprintf(r->s->origin[key], sizeof r->s->origin[key], "%s", origin);
	return key >= KEY_NUMBERS ? set_text(r, key, value, origin)
	       : *keys[key].words ? set_word(r, key, value, origin)
				  : set_number(r, key, value, origin);
}

static char *trimmed(char *text)
{
	text += strspn(text, " \t\r");
	size_t n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		text[--n] = 0;
	return text;
}

static int read_line(struct reader *r, char *line, const char *file, int number)
{
	char origin[160];
	snprintf(origin, sizeof origin, "%.100s:%d", file, number);
	line[strcspn(line, "#")] = 0;
	line = trimmed(line);
	if (!*line)
		return 0;
	char *equals = strchr(line, '=');
	if (!equals)
		return complain(r, origin, "this is not KEY = VALUE: ", line);
	*equals = 0;
	char *name = trimmed(line), *value = trimmed(equals + 1);
	int key = known(name, strlen(name));
	if (key < 0)
		return complain(r, origin, "there is no key ", name);
	size_t at = strlen(origin);
	snprintf(origin + at, sizeof origin - at, ": %s", keys[key].name);
	if (*r->s->origin[key]) /* the file is read first, so it was this file */
		return complain(r, origin, "this key stands twice, before at ", r->s->origin[key]);
	return set(r, key, value, origin);
}

static int read_file(struct reader *r, const char *file)
{
	FILE *f = fopen(file, "r");
	if (!f)
		return complain(r, file, strerror(errno), "");
	char line[2048];
	int failed = 0;
	for (int number = 1; !failed && fgets(line, sizeof line, f); number++)
		failed = !strchr(line, '\n') && !feof(f) ? complain(r, file, "a line is too long", "")
							 : read_line(r, line, file, number);
	if (!failed && ferror(f))
		failed = complain(r, file, "cannot be read", "");
	fclose(f);
	return failed;
}

static int read_environment(struct reader *r)
{
	for (int key = 0; key < KEYS; key++) {
		char name[64], origin[128];
		int n = snprintf(name, sizeof name, "HB_FARM_%s", keys[key].name);
		for (int i = 8; i < n; i++)
			name[i] = name[i] == '-' ? '_' : (char)toupper((unsigned char)name[i]);
		const char *value = getenv(name);
		snprintf(origin, sizeof origin, "environment: %s", name);
		if (value && *value && set(r, key, value, origin))
			return -1;
	}
	return 0;
}

/* An option --farm-NAME=VALUE or --farm-NAME VALUE: its name's length, its value, and how many arguments it takes; 0: none. */
static int option(char **argv, int left, size_t *ret_length, const char **ret_value)
{
	const char *name = argv[0];
	if (strncmp(name, "--farm-", 7))
		return 0;
	*ret_length = strcspn(name + 7, "=");
	*ret_value = name[7 + *ret_length] ? name + 8 + *ret_length : left > 1 ? argv[1] : "";
	return name[7 + *ret_length] || left < 2 ? 1 : 2;
}

static int read_option(struct reader *r, const char *name, size_t length, const char *value)
{
	char origin[128];
	snprintf(origin, sizeof origin, "command line: --farm-%.*s", (int)(length < 60 ? length : 60), name);
	int key = known(name, length);
	if (key < 0 && !(length == 4 && !strncmp(name, "spec", 4)))
		return complain(r, origin, "there is no such option", "");
	return key < 0 ? 0 : set(r, key, value, origin);
}

int settings_read(struct settings *ret_settings, int *argc, char **argv, int take, char *ret_error, size_t room)
{
	struct reader r = {ret_settings, ret_error, room};
	memset(ret_settings, 0, sizeof *ret_settings);
	for (int i = 0; i < KEY_NUMBERS; i++)
		ret_settings->number[i] = -1;
	const char *file = getenv("HB_FARM_SPEC"), *value;
	size_t length;
	for (int i = 1, n; i < *argc; i += n ? n : 1)
		if ((n = option(argv + i, *argc - i, &length, &value)) && length == 4 &&
			!strncmp(argv[i] + 7, "spec", 4))
			file = value;
	if ((file && *file && read_file(&r, file)) || read_environment(&r))
		return -1;
	int kept = 1;
	for (int i = 1, n; i < *argc; i += n ? n : 1) {
		n = option(argv + i, *argc - i, &length, &value);
		if (n && read_option(&r, argv[i] + 7, length, value))
			return -1;
		if (!n && take)
			argv[kept++] = argv[i];
	}
	if (take && *argc) {
		*argc = kept;
		argv[kept] = NULL;
	}
	return 0;
}

const char *settings_topology(const struct settings *s) { return keys[KEY_TOPOLOGY].words[s->number[KEY_TOPOLOGY]]; }

static int wrong(struct reader *r, int key, const char *text)
{
	char origin[200];
	const char *who = r->s->origin[key];
	snprintf(origin, sizeof origin, "%s%s", *who ? who : "not said, so by default: ", *who ? "" : keys[key].name);
	return complain(r, origin, text, "");
}

static void by_default(struct settings *s, int key, int64_t number)
{
	if (s->number[key] < 0)
		s->number[key] = number;
}

static void defaults(struct settings *s, int processes, int splits)
{
	by_default(s, KEY_MACHINE, splits ? MACHINE_DCVM : MACHINE_PFVM);
	by_default(s, KEY_TOPOLOGY, TOPOLOGY_BINARY);
	by_default(s, KEY_HOST, HOST_TWO);
	if (s->number[KEY_RECOVER] <= RECOVER_AUTO)
		s->number[KEY_RECOVER] = launcher_spares() ? RECOVER_ON : RECOVER_OFF;
	by_default(s, KEY_DEGREE, s->number[KEY_MACHINE] == MACHINE_DCVM ? 2 : 1);
	by_default(s, KEY_DEPTH, s->number[KEY_MACHINE] == MACHINE_DCVM ? 5 : 0);
	by_default(s, KEY_ARITY, s->number[KEY_TOPOLOGY] == TOPOLOGY_TERNARY ? 3 : 2);
	by_default(s, KEY_NODES, processes - (s->number[KEY_HOST] == HOST_TWO ? 2 : 0));
	if (!*settings_text(s, KEY_MONITOR))
		snprintf(s->text[KEY_MONITOR - KEY_NUMBERS], PATH_ROOM, "all");
	if (!*settings_text(s, KEY_REPORT))
		snprintf(s->text[KEY_REPORT - KEY_NUMBERS], PATH_ROOM, "%s",
			*settings_text(s, KEY_REPORT_JSON) ? "none" : "-");
}

/* The digits of a subtask are one number of 64 bits. */
static int too_deep(int64_t degree, int64_t depth)
{
	uint64_t all = 1;
	for (int64_t i = 0; i < depth; i++) {
		if (all > (uint64_t)INT64_MAX / (uint64_t)degree)
			return 1;
		all *= (uint64_t)degree;
	}
	return 0;
}

int settings_complete(struct settings *s, int processes, int splits, char *ret_error, size_t room)
{
	struct reader r = {s, ret_error, room};
	char text[300];
	defaults(s, processes, splits);
	int64_t *n = s->number, hosts = n[KEY_HOST] == HOST_TWO ? 2 : 0;
	if (n[KEY_MACHINE] == MACHINE_DCVM && !splits)
		return wrong(&r, KEY_MACHINE, "dcvm needs the functions split and join, which the program has not");
	if (n[KEY_MACHINE] == MACHINE_PFVM && n[KEY_DEGREE] > 1)
		return wrong(&r, KEY_DEGREE, "a processor farm (pfvm) has degree 1");
	if (n[KEY_MACHINE] == MACHINE_PFVM)
		n[KEY_DEPTH] = 0;
	if (*s->origin[KEY_ARITY] && n[KEY_TOPOLOGY] != TOPOLOGY_TREE)
		return wrong(&r, KEY_ARITY, "only `topology = tree` has one");
	if (too_deep(n[KEY_DEGREE], n[KEY_DEPTH]))
		return wrong(&r, KEY_DEPTH, "degree to the power of depth must be below 2^63");
	if (n[KEY_NODES] < 1 || n[KEY_NODES] + hosts > processes) {
		int64_t wanted = n[KEY_NODES] < 1 ? 1 : n[KEY_NODES];
		snprintf(text, sizeof text, "%lld node%s %sneed%s %lld processes, there %s %d", (long long)wanted,
			wanted == 1 ? "" : "s", hosts ? "with generator and receiver (host = two) " : "",
			wanted == 1 ? "s" : "", (long long)(wanted + hosts), processes == 1 ? "is" : "are", processes);
		return wrong(&r, KEY_NODES, text);
	}
	return 0;
}
