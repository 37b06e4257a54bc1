/* hbdb events */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../console/console.h"
#include "../../options.h"
#include "../../terminal.h"

const hb_option hb__events_options[] = {
	{"follow", 'f', HB_OPTION_FLAG, NULL, "go on, and print what happens, until Ctrl-C"},
	{"since", 0, HB_OPTION_TEXT, "NUMBER|TIME",
		"events behind this number, or of the last TIME, as 90s, 5min, 2h or 3d; default: the last 50"},
	{"node", 0, HB_OPTION_TEXT, "NAME", "only those of this node"},
	{"program", 0, HB_OPTION_TEXT, "NAME", "only those of this program"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per event"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "of the manager"},
	{0},
};

struct filter {
	bool json;
	const char *node, *program;
	bool follow;
	double least; /* when what is shown first happened, in microseconds since 1970; 0: at any time */
};

static void print(struct filter *f, const cJSON *event)
{
	/* a manager that is followed tells what came before, too; behind the first one nothing is left out, whatever becomes of clocks */
	if (cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(event, "time")) < f->least)
		return;
	if (f->follow)
		f->least = 0;
	if ((f->node && strcmp(f->node, hb__field(event, "node_name")) != 0) ||
		(f->program && strcmp(f->program, hb__field(event, "program_name")) != 0))
		return;
	if (f->json) {
		char *text = hb_wire_line(event);
		printf("%s\n", text ? text : "{}");
		cJSON_free(text);
	} else
		hb__print_event(event);
	fflush(stdout);
}

static void took(void *user, const char *name, const cJSON *news)
{
	if (!strcmp(name, "event"))
		print(user, news);
}

/* A number of an event, or how long ago in microseconds. */
static int read_since(const char *text, int64_t *ret_number, int64_t *ret_ago)
{
	static const struct {
		const char *unit;
		double us;
	} units[] = {{"", 0}, {"s", 1e6}, {"min", 6e7}, {"h", 3.6e9}, {"d", 8.64e10}};
	char *end = NULL;
	size_t digits = text ? strspn(text, "0123456789") : 0, all = text ? strspn(text, "0123456789.") : 0;
	double value = digits ? strtod(text, &end) : -1;
	bool plain = end == text + all; /* neither hexadecimal nor with an exponent */
	for (size_t i = all > digits; plain && i < sizeof units / sizeof *units && value < 9e15; i++)
		if (digits && !strcmp(end, units[i].unit)) {
			*(i ? ret_ago : ret_number) = i ? (int64_t)(value * units[i].us) : (int64_t)value;
			return 0;
		}
	return text ? hb__fail_with(HB_EXIT_USAGE,
			      "events --since takes the number of an event or a time as 90s, 5min, 2h or 3d, not '%s'",
			      text)
		    : 0;
}

static cJSON *question(const struct filter *f, bool follow, int64_t since, int64_t most)
{
	cJSON *ask = cJSON_CreateObject();
	if (f->node)
		cJSON_AddStringToObject(ask, "node", f->node);
	if (f->program)
		cJSON_AddStringToObject(ask, "program", f->program);
	if (since >= 0)
		cJSON_AddNumberToObject(ask, "since", since ? (double)since : -1); /* 0 is no number of an event: all */
	if (most)
		cJSON_AddNumberToObject(ask, "most", (double)most);
	if (follow)
		cJSON_AddBoolToObject(ask, "follow", true);
	return ask;
}

static int show(const hb_args *args, hb_asker *console, struct filter *f)
{
	int64_t since = -1, ago = -1;
	bool follow = hb__option_value(args, "follow"), more = true;
	int code = read_since(hb__option_value(args, "since"), &since, &ago);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	f->follow = follow;
	f->least = ago < 0 ? 0 : (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3 - (double)ago;
	hb__asker_news(console, took, f);
	if (follow)
		hb__asker_signals();
	/* an answer has room for so many: the rest is asked for behind the last one */
	for (int64_t from = ago >= 0 ? 0 : since; more && !code;) {
		cJSON *answer;
		code = hb__asker_ask(console, "events", question(f, follow, from, from < 0 ? 50 : 0), &answer);
		if (code)
			break;
		const cJSON *row, *rows = cJSON_GetObjectItemCaseSensitive(answer, "rows");
		cJSON_ArrayForEach(row, rows)
		{
			from = (int64_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(row, "event"));
			print(f, row);
		}
		more = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "more")) && !follow;
		cJSON_Delete(answer);
	}
	return code || !follow ? code : hb__asker_wait(console);
}

int hb__events(const hb_args *args)
{
	struct filter f = {.json = hb__option_value(args, "json"),
		.node = hb__option_value(args, "node"),
		.program = hb__option_value(args, "program")};
	hb_asker *console;
	int code = hb__asker_open(hb__option_value(args, "socket"), &console);
	if (!code && !hb__option_value(args, "follow"))
		hb__page();
	code = code ? code : show(args, console, &f);
	hb__asker_close(console);
	return code;
}
