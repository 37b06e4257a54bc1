/* From a line to its verbs: history, separators, aliases, prefix sets, abbreviations, scripts. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"

#define DEPTH_MAX 20 /* of scripts and aliases in each other */

const hb_verb hb__verbs[] = {
#define VERB(name, operands, function, summary, more) {#name, operands, function, summary, more},
#include "verbs.def"
#undef VERB
	{0},
};

/* The names that users of gdb have in their fingers. */
const hb_pair hb__own_aliases[] = {
	{(char *)"advance", (char *)"until"},
	{(char *)"b", (char *)"break"},
	{(char *)"backtrace", (char *)"where"},
	{(char *)"bt", (char *)"where"},
	{(char *)"c", (char *)"cont"},
	{(char *)"continue", (char *)"cont"},
	{(char *)"disas", (char *)"gdb disassemble"},
	{(char *)"disassemble", (char *)"gdb disassemble"},
	{(char *)"f", (char *)"focus"},
	{(char *)"finish", (char *)"step -finish"},
	{(char *)"h", (char *)"help"},
	{(char *)"i", (char *)"gdb info"},
	{(char *)"info", (char *)"gdb info"},
	{(char *)"l", (char *)"list"},
	{(char *)"locals", (char *)"print"},
	{(char *)"n", (char *)"next"},
	{(char *)"nexti", (char *)"stepi -over"},
	{(char *)"p", (char *)"print"},
	{(char *)"ptype", (char *)"gdb ptype"},
	{(char *)"q", (char *)"quit"},
	{(char *)"last-write", (char *)"written"},
	{(char *)"r", (char *)"run"},
	{(char *)"rc", (char *)"reverse-continue"},
	{(char *)"rn", (char *)"reverse-next"},
	{(char *)"rni", (char *)"reverse-nexti"},
	{(char *)"rs", (char *)"reverse-step"},
	{(char *)"rsi", (char *)"reverse-stepi"},
	{(char *)"s", (char *)"step"},
	{(char *)"si", (char *)"stepi"},
	{(char *)"tb", (char *)"tbreak"},
	{(char *)"whatis", (char *)"what"},
	{(char *)"x", (char *)"gdb x"},
	{NULL, NULL},
};

static int one(hb_debug *d, char *text);

const hb_verb *hb__d_verb(const char *word, bool quiet)
{
	const hb_verb *found = NULL;
	size_t n = strlen(word), many = 0;
	char list[512] = "";
	for (const hb_verb *v = hb__verbs; v->name; v++) {
		if (!strcmp(v->name, word))
			return v;
		if (strncmp(v->name, word, n))
			continue;
		many++;
		found = v;
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", many > 1 ? ", " : "", v->name);
	}
	if (many == 1)
		return found;
	if (!quiet && many)
		hb__say("'%s' is ambiguous: it may mean %s", word, list);
	else if (!quiet)
		hb__say("there is no command '%s'; help lists all commands, and gdb %s passes it to gdb", word, word);
	return NULL;
}

char *hb__d_next_command(char **p)
{
	char *begin = *p, quote = 0;
	int open = 0;
	if (!begin)
		return NULL;
	for (char *c = begin; *c; c++) {
		if (quote) {
			quote = *c == quote ? 0 : quote;
			continue;
		}
		if (*c == '"' || (*c == '\'' && (c == begin || !isalnum((unsigned char)c[-1]))))
			quote = *c;
		else if (*c == '(' || *c == '[' || *c == '{')
			open++;
		else if (*c == ')' || *c == ']' || *c == '}')
			open--;
		else if (*c == '#' && (c == begin || c[-1] == ' ' || c[-1] == '\t') && open <= 0) {
			*c = 0;
			break;
		} else if (*c == ';' && open <= 0) {
			*c = 0;
			*p = c + 1;
			return begin;
		}
	}
	*p = NULL;
	return begin;
}

/* All commands of a text, up to the first that fails, unless `set onerror continue` holds. */
static int all(hb_debug *d, const char *text)
{
	char *copy = hb__copy(text), *p = copy, *command;
	int code = 0;
	while (!d->quit && (command = hb__d_next_command(&p))) {
		int failed = one(d, hb__d_trim(command));
		code = code ? code : failed;
		if (failed && !d->settings.go_on)
			break;
	}
	free(copy);
	return code;
}

static const char *alias(const hb_debug *d, const char *name)
{
	const char *value = hb__d_get(&d->aliases, name);
	for (const hb_pair *a = hb__own_aliases; !value && a->name; a++)
		if (!strcmp(a->name, name))
			value = a->value;
	return value;
}

/* The name of a verb: letters, so that print/x and list 5 are told apart. */
static size_t verb_length(const char *text)
{
	size_t n = 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
		n++;
	return n;
}

static int run_alias(hb_debug *d, const char *value, const char *rest)
{
	if (d->depth >= DEPTH_MAX)
		return hb__d_fail(d, HB_EXIT_USAGE, "the aliases refer to each other in a circle: %s", value);
	char *text = hb__format("%s%s%s", value, *rest && *rest != '/' ? " " : "", rest);
	d->depth++;
	int code = all(d, text);
	d->depth--;
	free(text);
	return code;
}

/* A command without its set. */
static int run_verb(hb_debug *d, char *text)
{
	size_t n = verb_length(text);
	if (!n)
		return hb__d_fail(d, HB_EXIT_USAGE, "'%s' is not a command; help lists all commands", text);
	char *word = hb__format("%.*s", (int)n, text);
	const char *value = alias(d, word);
	int code;
	if (value && strncmp(value, word, n + 1)) {
		code = run_alias(d, value, hb__d_trim(text + n));
		free(word);
		return code;
	}
	const hb_verb *verb = hb__d_verb(word, false);
	free(word);
	if (!verb)
		return HB_EXIT_USAGE;
	char *args = hb__copy(hb__d_trim(text + n));
	code = verb->run(d, args);
	free(args);
	fflush(stdout);
	if (d->log)
		fflush(d->log);
	return code;
}

/* One command with the set that stands before it, or the focus. */
static int one(hb_debug *d, char *text)
{
	hb_set old = d->set, set;
	bool prefix = *text == '[';
	int code;
	if (!*text)
		return 0;
	/* within an alias the set of the command that it stands for holds */
	if (!prefix && d->depth && old.bits)
		return run_verb(d, text);
	if (prefix) {
		char *words = hb__d_set_text(&text);
		if (!words)
			return hb__d_fail(d, HB_EXIT_USAGE, "the set of processes has no closing ]");
		code = hb__d_set(d, words, &set);
		text = hb__d_trim(text);
		if (!code && !*text)
			code = hb__d_fail(d, HB_EXIT_USAGE,
				"there is no command behind the set; focus [%s] chooses the set for all commands",
				words);
		if (!code && d->size && !hb_set_count(&set)) {
			hb__d_note(d, "no process is in [%s]", words);
			hb_set_free(&set);
			return 0;
		}
	} else
		code = hb__d_set(d, d->focus, &set);
	if (!code) {
		d->set = set;
		code = run_verb(d, text);
		set = d->set; /* its size may have become known */
		d->set = old;
	}
	hb_set_free(&set);
	return code;
}

/* ---- history ---- */

/* !!, !N, !TEXT at the beginning: the line to run instead; NULL after having said that there is none. */
static char *recalled(hb_debug *d, const char *line)
{
	const char *what = line + 1, *found = NULL;
	size_t n = strcspn(what, " \t");
	if (*what == '!') {
		n = 1;
		found = d->history.n ? d->history.at[d->history.n - 1] : NULL;
	} else if (isdigit((unsigned char)*what)) {
		char *end;
		unsigned long number = strtoul(what, &end, 10);
		n = (size_t)(end - what);
		found = number && number <= d->history.n ? d->history.at[number - 1] : NULL;
	} else
		for (size_t i = d->history.n; n && !found && i-- > 0;)
			if (!strncmp(d->history.at[i], what, n))
				found = d->history.at[i];
	if (found)
		return hb__format("%s%s", found, what + n);
	hb__d_fail(d, HB_EXIT_USAGE, "no command in the history matches %.*s", (int)n + 1, line);
	return NULL;
}

int hb__d_line(hb_debug *d, const char *line)
{
	char *copy = hb__copy(line), *text = hb__d_trim(copy);
	int code = 0;
	if (*text == '!') {
		char *other = recalled(d, text);
		free(copy);
		if (!(copy = text = other))
			return HB_EXIT_USAGE;
		if (!d->settings.json)
			hb__d_print(d, "%s\n", text);
	}
	if (*text && *text != '#') {
		hb__push(&d->history, text);
		if (d->log)
			fprintf(d->log, "> %s\n", text);
		code = all(d, text);
	}
	free(copy);
	fflush(stdout);
	return code;
}

/* ---- scripts ---- */

int hb__d_script(hb_debug *d, const char *path)
{
	bool in = !strcmp(path, "-");
	FILE *f = in ? stdin : fopen(path, "re");
	char *line = NULL;
	size_t room = 0, number = 0;
	int code = 0;
	if (!f)
		return hb__d_fail(d, HB_EXIT_USAGE, "%s: %s", path, strerror(errno));
	if (d->depth >= DEPTH_MAX) {
		fclose(f);
		return hb__d_fail(d, HB_EXIT_USAGE, "%s: the scripts call each other in a circle", path);
	}
	d->depth++;
	hb_set old = d->set;
	d->set = (hb_set){0}; /* commands of a script are for the focus */
	while (!d->quit && getline(&line, &room, f) >= 0) {
		number++;
		line[strcspn(line, "\n")] = 0;
		if (d->settings.echo)
			hb__d_note(d, "> %s", line);
		int failed = hb__d_line(d, line);
		code = code ? code : failed;
		if (!failed || d->settings.go_on)
			continue;
		if (!d->quit)
			hb__d_fail(d, failed,
				"%s:%zu: '%s' failed, which ends the script (with 'set onerror continue' it goes on)",
				in ? "stdin" : path, number, hb__d_trim(line));
		break;
	}
	d->set = old;
	d->depth--;
	free(line);
	if (!in)
		fclose(f);
	return code;
}
