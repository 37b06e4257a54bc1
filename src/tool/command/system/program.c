/* hbdb program */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "../../console/console.h"
#include "../../options.h"
#include "../../terminal.h"

const hb_option hb__program_options[] = {
	{"node", 'n', HB_OPTION_TEXT, "NAME", "with add: the node where its command is begun"},
	{"record", 0, HB_OPTION_FLAG, NULL, "with add: record each run of it"},
	{"record-with", 0, HB_OPTION_TEXT, "\"OPTIONS\"",
		"with add: record each run of it with these options of hbdb record, blanks between them"},
	{"restart", 0, HB_OPTION_CHOICE, "never|failed|always",
		"with add: when it is begun again by itself; default: never"},
	{"cwd", 0, HB_OPTION_TEXT, "FOLDER", "with add: the folder there in which it is begun"},
	{"signal", 's', HB_OPTION_NUMBER, "NUMBER", "with signal: which one"},
	{"why", 'w', HB_OPTION_TEXT, "TEXT", "with hold: what others are told who would move it"},
	{"force", 0, HB_OPTION_FLAG, NULL, "with release: also what somebody else holds; for the user of the manager"},
	{"output", 'o', HB_OPTION_TEXT, "NAME.hbdb", "with keep: where what its ring holds is kept, on each node"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per program"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "of the manager"},
	{0},
};

static const char *name(const cJSON *row) { return hb__field(row, "name"); }
static const char *state(const cJSON *row) { return hb__field(row, "state"); }
static const char *node(const cJSON *row) { return hb__field(row, "node_name"); }
static const char *restart(const cJSON *row) { return hb__field(row, "restart"); }
static const char *runs(const cJSON *row) { return hb__field(row, "runs"); }
static const char *holder(const cJSON *row) { return hb__field(row, "holder"); }
static const char *since(const cJSON *row)
{
	return hb__ago(cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(row, "since")));
}
static const char *command(const cJSON *row)
{
	static char text[200];
	size_t n = 0;
	const cJSON *word;
	text[0] = 0;
	cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(row, "command")) if (n < sizeof text) n +=
		(size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "",
			cJSON_GetStringValue(word) ? word->valuestring : "");
	return text;
}

static int list(const hb_args *args, hb_asker *console)
{
	static const hb_table_column columns[] = {{"PROGRAM", name}, {"STATE", state}, {"SINCE", since}, {"NODE", node},
		{"RUNS", runs}, {"RESTART", restart}, {"HELD BY", holder}, {"COMMAND", command}, {0}};
	return hb__list_rows(args, console, "programs", columns,
		"there are no programs yet; hbdb program add NAME --node NODE -- COMMAND adds one");
}

static void add_words(cJSON *ask, const char *field, const char *list)
{
	cJSON *array = cJSON_AddArrayToObject(ask, field);
	char *copy = hb__copy(list), *rest = copy;
	for (char *word; *list && (word = strsep(&rest, " "));)
		if (*word)
			cJSON_AddItemToArray(array, cJSON_CreateString(word));
	free(copy);
}

static int add(const hb_args *args, hb_asker *console)
{
	const char *where = hb__option_value(args, "node"), *with = hb__option_value(args, "record-with");
	if (!args->rest || !where)
		return hb__fail_with(HB_EXIT_USAGE, "program add takes a name, --node NODE, and behind -- the command");
	cJSON *ask = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(ask, "command");
	cJSON_AddStringToObject(ask, "name", args->word[1]);
	cJSON_AddStringToObject(ask, "node", where);
	for (char **word = args->rest; *word; word++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*word));
	static const char *const texts[] = {"restart", "cwd"};
	for (size_t i = 0; i < 2; i++)
		if (hb__option_value(args, texts[i]))
			cJSON_AddStringToObject(ask, texts[i], hb__option_value(args, texts[i]));
	if (with || hb__option_value(args, "record"))
		add_words(ask, "record", with ? with : "");
	return hb__asker_ask(console, "program", ask, NULL);
}

/* A verb is an ask of the manager's: to a program, or to one of its processes, too. */
static const struct verb {
	const char *name;
	bool program, process;
} verbs[] = {
	{"begin", true, false},
	{"end", true, false},
	{"restart", true, false},
	{"keep", true, false},
	{"stop", false, true},
	{"go", false, true},
	{"signal", false, true},
	{"hold", true, true},
	{"release", true, true},
};

static int do_verb(const hb_args *args, hb_asker *console, const struct verb *v)
{
	static const char *const texts[] = {"why", "output"};
	cJSON *ask = cJSON_CreateObject();
	int code = hb__named_in(console, args->word[1], !v->process, ask);
	if (!code && !v->program && !cJSON_HasObjectItem(ask, "process"))
		code = hb__fail_with(
			HB_EXIT_USAGE, "program %s takes a process, as %s:3 or \"#12\"", v->name, args->word[1]);
	for (size_t i = 0; i < 2; i++)
		if (hb__option_value(args, texts[i]))
			cJSON_AddStringToObject(ask, texts[i], hb__option_value(args, texts[i]));
	if (!code && !strcmp(v->name, "signal") &&
		(hb__option_number(args, "signal", 0) < 1 || hb__option_number(args, "signal", 0) > (uint64_t)SIGRTMAX))
		code = hb__fail_with(HB_EXIT_USAGE,
			"program signal needs --signal NUMBER, 1 to %d: 10 is SIGUSR1, 15 SIGTERM", SIGRTMAX);
	if (hb__option_value(args, "signal"))
		cJSON_AddNumberToObject(ask, "signal", (double)hb__option_number(args, "signal", 0));
	if (hb__option_value(args, "force"))
		cJSON_AddBoolToObject(ask, "force", true);
	if (code) {
		cJSON_Delete(ask);
		return code;
	}
	return hb__asker_ask(console, v->name, ask, NULL);
}

static int remove_program(const hb_args *args, hb_asker *console)
{
	cJSON *ask = cJSON_CreateObject();
	cJSON_AddStringToObject(ask, "name", args->word[1]);
	cJSON_AddBoolToObject(ask, "remove", true);
	return hb__asker_ask(console, "program", ask, NULL);
}

/* What it wrote in its last run stands in a file on its node. */
static int print_output(const hb_args *args, hb_asker *console)
{
	cJSON *rows, *filter = cJSON_CreateObject();
	cJSON_AddStringToObject(filter, "program", args->word[1]);
	int code = hb__asker_rows(console, "programs", filter, &rows);
	if (code)
		return code;
	const char *output = hb_wire_text(rows->child, "output");
	char sh[] = "sh", c[] = "-c", script[] = "exec cat -- \"$1\" 2>&1", *file = hb__copy(output ? output : ""),
	     *argv[] = {sh, c, script, sh, file, NULL};
	code = output ? hb__run_there(console, hb__field(rows->child, "node_name"), argv)
		      : hb__fail_with(HB_EXIT_USAGE, "program %s was not begun yet", args->word[1]);
	free(file);
	cJSON_Delete(rows);
	return code;
}

static const struct verb *verb_of(const char *word)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(verbs[i].name, word))
			return &verbs[i];
	return NULL;
}

int hb__program(const hb_args *args)
{
	hb_asker *console;
	const char *verb = args->nwords ? args->word[0] : "list";
	const struct verb *known = verb_of(verb);
	bool lists = !strcmp(verb, "list"), adds = !strcmp(verb, "add"), removes = !strcmp(verb, "remove"),
	     prints = !strcmp(verb, "output");
	hb_guess g = {.word = verb};
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		hb__guess(&g, verbs[i].name);
	hb__guess(&g, "output");
	if (!lists && !adds && !removes && !prints && !known)
		return hb__fail_with(HB_EXIT_USAGE, "program takes one of %s; '%s' is none%s", args->command->operands,
			verb, hb__guessed(&g));
	if (args->nwords != (lists ? (args->nwords ? 1 : 0) : 2) || (args->rest && !adds))
		return hb__fail_with(HB_EXIT_USAGE,
			lists ? "program %s takes nothing else"
			: known && known->process && args->nwords == 1
				? "program %s takes the name of one program or process; a number as \"#12\", in quotes: for a shell # begins a comment"
				: "program %s takes the name of one program",
			verb);
	int code = hb__asker_open(hb__option_value(args, "socket"), &console);
	if (!code)
		code = lists     ? list(args, console)
		       : adds    ? add(args, console)
		       : removes ? remove_program(args, console)
		       : prints  ? print_output(args, console)
				 : do_verb(args, console, known);
	hb__asker_close(console);
	return code;
}
