/* set, unset, alias, unalias, input, log, history, exit, help */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../show/inert.h"
#include "../../terminal.h"
#include "../debug.h"

#define PATIENCE_S 2.0
#define PATIENCE_SCRIPT_S 10.0 /* where nobody sits before it */

/* ---- settings ---- */

static const struct {
	const char *name, *meaning;
} settings[] = {
	{"echo", "on, off: show the lines of a script as they are run"},
	{"events", "how many lines events shows before and after"},
	{"frames", "how many frames where shows"},
	{"json", "on, off: answers as JSON, one object per line"},
	{"lines", "how many source lines list shows"},
	{"onerror", "stop, continue: what a script does when a command fails"},
	{"patience", "after how many seconds a wait says whom it waits for; 0: never"},
	{"timeout", "the longest time in seconds that cont, wait and goto wait; 0: no limit"},
};

static char *setting(const hb_settings *s, const char *name)
{
	if (!strcmp(name, "onerror"))
		return hb__copy(s->go_on ? "continue" : "stop");
	if (!strcmp(name, "echo") || !strcmp(name, "json"))
		return hb__copy((*name == 'e' ? s->echo : s->json) ? "on" : "off");
	if (!strcmp(name, "timeout") || !strcmp(name, "patience"))
		return hb__format("%g", *name == 't' ? s->timeout : s->patience);
	return hb__format("%ld", !strcmp(name, "events") ? s->events : !strcmp(name, "lines") ? s->lines : s->frames);
}

/* False: it does not take that value. */
static bool change(hb_settings *s, const char *name, const char *value)
{
	bool on = !strcmp(value, "on"), off = !strcmp(value, "off");
	long number = hb__d_number(value);
	if (!strcmp(name, "onerror")) {
		s->go_on = !strcmp(value, "continue");
		return s->go_on || !strcmp(value, "stop");
	}
	if (!strcmp(name, "echo") || !strcmp(name, "json")) {
		*(*name == 'e' ? &s->echo : &s->json) = on;
		return on || off;
	}
	if (!strcmp(name, "timeout") || !strcmp(name, "patience")) {
		char *end;
		double seconds = strtod(value, &end);
		if (*end || end == value || seconds < 0 || seconds > 1e9)
			return false;
		*(*name == 't' ? &s->timeout : &s->patience) = seconds;
		return true;
	}
	if (number < 1)
		return false;
	*(!strcmp(name, "events") ? &s->events : !strcmp(name, "lines") ? &s->lines : &s->frames) = number;
	return true;
}

void hb__d_default_settings(hb_settings *s, bool json)
{
	*s = (hb_settings){.json = json,
		.lines = 10,
		.frames = 50,
		.events = 5,
		.patience = hb__on_terminal(1) ? PATIENCE_S : PATIENCE_SCRIPT_S};
}

static const char *meaning(const char *name)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (!strcmp(settings[i].name, name))
			return settings[i].meaning;
	return NULL;
}

int hb__v_set(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	if (!name) {
		for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
			char *value = setting(&d->settings, settings[i].name);
			hb__d_print(d, "%-8s %-8s  %s\n", settings[i].name, value, settings[i].meaning);
			free(value);
		}
		return 0;
	}
	args = hb__d_trim(args);
	if (!strcmp(name, "var") || !strcmp(name, "variable")) /* of the program, as gdb has it */
		return hb__v_assign(d, args);
	if (!meaning(name))
		return hb__d_fail(d, HB_EXIT_USAGE,
			"there is no setting %s; set lists all settings, set var changes a variable of the program, gdb set %s "
			"changes a setting of gdb",
			name, name);
	hb_settings old = d->settings;
	if (!*args || !change(&d->settings, name, args)) {
		d->settings = old;
		return hb__d_fail(d, HB_EXIT_USAGE, "%s takes %s, but got '%s'", name, meaning(name), args);
	}
	return 0;
}

int hb__v_unset(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	hb_settings first;
	if (!name || !meaning(name))
		return hb__d_fail(d, HB_EXIT_USAGE, "unset takes the name of a setting; set lists all settings");
	hb__d_default_settings(&first, false);
	char *value = setting(&first, name);
	change(&d->settings, name, value);
	free(value);
	return 0;
}

/* ---- aliases ---- */

int hb__v_alias(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	args = hb__d_trim(args);
	if (!name) {
		for (const hb_pair *a = hb__own_aliases; a->name; a++)
			if (!hb__d_get(&d->aliases, a->name))
				hb__d_print(d, "%-12s %s\n", a->name, a->value);
		for (size_t i = 0; i < d->aliases.n; i++)
			hb__d_print(d, "%-12s %s\n", d->aliases.at[i].name, d->aliases.at[i].value);
		return 0;
	}
	if (!*args) {
		const char *value = hb__d_get(&d->aliases, name);
		for (const hb_pair *a = hb__own_aliases; !value && a->name; a++)
			value = strcmp(a->name, name) ? NULL : a->value;
		if (!value)
			return hb__d_fail(d, HB_EXIT_FINDING, "there is no alias %s", name);
		hb__d_print(d, "%-12s %s\n", name, value);
		return 0;
	}
	if (!hb__d_is_name(name))
		return hb__d_fail(d, HB_EXIT_USAGE, "'%s' cannot be the name of a command", name);
	if (*args == '"' && args[1] && args[strlen(args) - 1] == '"') {
		args[strlen(args) - 1] = 0;
		args++;
	}
	hb__d_put(&d->aliases, name, args);
	return 0;
}

int hb__v_unalias(hb_debug *d, char *args)
{
	char *name = hb__d_word(&args);
	if (name && !strcmp(name, "*"))
		hb__d_pairs_free(&d->aliases);
	else if (!name || !hb__d_drop(&d->aliases, name))
		return hb__d_fail(d, HB_EXIT_USAGE, "you have not defined an alias %s", name ? name : "without a name");
	return 0;
}

/* ---- files ---- */

int hb__v_input(hb_debug *d, char *args)
{
	char *path = hb__d_word(&args);
	return path ? hb__d_script(d, path)
		    : hb__d_fail(d, HB_EXIT_USAGE, "input takes the name of a file with commands");
}

int hb__v_log(hb_debug *d, char *args)
{
	char *path = hb__d_word(&args);
	if (!path) {
		hb__d_note(d, d->log ? "commands and answers are being logged; log off ends this"
				     : "nothing is being logged");
		return 0;
	}
	if (d->log)
		fclose(d->log);
	d->log = NULL;
	if (!strcmp(path, "off"))
		return 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	d->log = fd >= 0 ? hb__fenced(fd) : NULL;
	return d->log ? 0 : hb__d_fail(d, HB_EXIT_FINDING, "%s: %s", path, strerror(errno));
}

int hb__v_history(hb_debug *d, char *args)
{
	long n = *args ? hb__d_number(args) : 1000000000;
	if (n < 1)
		return hb__d_fail(d, HB_EXIT_USAGE, "history takes a number of lines, but got '%s'", args);
	size_t first = d->history.n > (size_t)n ? d->history.n - (size_t)n : 0;
	for (size_t i = first; i < d->history.n; i++)
		hb__d_print(d, "%5zu  %s\n", i + 1, d->history.at[i]);
	return 0;
}

int hb__v_exit(hb_debug *d, char *args)
{
	long status = *args ? strtol(args, NULL, 10) : 0;
	if (*args && (strspn(args, "0123456789") != strlen(args) || status > 255))
		return hb__d_fail(d, HB_EXIT_USAGE, "exit takes a status from 0 to 255, but got '%s'", args);
	d->code = (int)status;
	d->quit = true;
	return 0;
}

/* ---- help ---- */

static void explain(hb_debug *d, const hb_verb *v)
{
	hb__d_print(d, "%s %s\n  %s\n", v->name, v->operands, v->summary);
	for (const char *line = v->more; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		hb__d_print(d, "  %.*s\n", (int)strcspn(line, "\n"), line);
}

int hb__v_help(hb_debug *d, char *args)
{
	char *word = hb__d_word(&args);
	if (!word) {
		for (const hb_verb *v = hb__verbs; v->name; v++)
			hb__d_print(d, "%-9s %s\n", v->name, v->summary);
		hb__d_print(d,
			"\nA command acts on the processes of the focus, or on those of a set written before it: [0:3,5] where.\n"
			"Unambiguous abbreviations work; a semicolon separates commands; help COMMAND says more.\n");
		return 0;
	}
	for (const hb_pair *a = hb__own_aliases; a->name; a++)
		if (!strcmp(a->name, word)) {
			hb__d_print(d, "%s is short for %s\n", word, a->value);
			word = a->value;
			break;
		}
	char *first = hb__format("%.*s", (int)strcspn(word, " "), word);
	const hb_verb *v = hb__d_verb(first, false);
	free(first);
	if (v)
		explain(d, v);
	return v ? 0 : HB_EXIT_USAGE;
}
