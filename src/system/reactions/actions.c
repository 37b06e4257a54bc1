/* Actions, and what is put into their words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "system/reactions/inside.h"

/* What an event has, by the name that a word uses, and where it stands in a row of `events`. */
static const struct value {
	const char *name, *field, *inner; /* inner: in `data` */
} values[] = {
	{"text", "text", NULL},
	{"kind", "kind", NULL},
	{"event", "event", NULL},
	{"time", "time", NULL},
	{"node", "node_name", NULL},
	{"program", "program_name", NULL},
	{"process", "process_name", NULL},
	{"rank", "rank", NULL},
	{"pid", "pid", NULL},
	{"recording", "recording", NULL},
	{"signal", "data", "signal"},
	{"status", "data", "status"},
	{"value", "data", "value"},
	{"sensor", "data", "name"},
	{"finding", "data", "id"},
};

static const struct value *value_of(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (strlen(values[i].name) == n && !memcmp(values[i].name, p, n))
			return &values[i];
	return NULL;
}

/* {NAME} with small letters; any other brace is itself. */
static size_t braced(const char *p)
{
	size_t n = *p == '{' ? strspn(p + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
	return n && p[n + 1] == '}' ? n : 0;
}

static void check_values(hb__when_reader *r, const char *word, bool shell)
{
	for (const char *p = word; (p = strchr(p, '{')); p++) {
		size_t n = braced(p);
		if (n && shell && value_of(p + 1, n))
			hb__when_wrong(r,
				"nothing of an event is put into what a shell reads: the event stands on its standard input");
		else if (n && !shell && !value_of(p + 1, n))
			hb__when_wrong(r,
				"an event has no {%.*s}; it has text, kind, event, time, node, program, process, rank, pid, recording, "
				"signal, status, value, sensor, finding",
				(int)n, p + 1);
	}
}

static void append(char **to, const char *text, size_t n)
{
	size_t had = *to ? strlen(*to) : 0;
	char *more = realloc(*to, had + n + 1);
	if (!more)
		return;
	memcpy(more + had, text, n);
	more[had + n] = 0;
	*to = more;
}

char *hb_reactions_fill(const char *word, const cJSON *event)
{
	char *text = calloc(1, 1);
	for (const char *p = word; *p;) {
		size_t n = braced(p);
		const struct value *v = n ? value_of(p + 1, n) : NULL;
		if (!v) {
			append(&text, p++, 1);
			continue;
		}
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, v->field);
		if (v->inner)
			item = cJSON_GetObjectItemCaseSensitive(item, v->inner);
		char number[40] = "";
		if (cJSON_IsNumber(item))
			/* a time has 16 digits, and all of them are wanted */
			snprintf(number, sizeof number,
				item->valuedouble == floor(item->valuedouble) && fabs(item->valuedouble) < 1e16
					? "%.0f"
					: "%.15g",
				item->valuedouble);
		const char *its = cJSON_IsString(item) ? item->valuestring : number;
		append(&text, its, strlen(its));
		p += n + 2;
	}
	return text;
}

static void add_word(hb__when_reader *r, hb_action *a, char *word)
{
	if (!HB_GROW(a->words, a->room, a->nwords + 2)) {
		hb__when_wrong(r, "out of memory");
		free(word);
		return;
	}
	a->words[a->nwords++] = word;
	a->words[a->nwords] = NULL;
}

/* The words of a command reach to the end of its line, or to a comma. */
static void read_command(hb__when_reader *r, hb_action *a)
{
	while (!r->failed && r->word.text && !r->word.comma && !r->word.first) {
		check_values(r, r->word.text, false);
		add_word(r, a, strdup(r->word.text));
		hb__when_next(r);
	}
	if (!a->nwords)
		hb__when_wrong(r, "here should be a command");
	else if (strchr(a->words[0], '{') && braced(strchr(a->words[0], '{')))
		hb__when_wrong(r, "which program is run is not for an event to say");
}

static void read_text(hb__when_reader *r, hb_action *a, const char *what, bool needed, bool shell)
{
	if (r->word.text && r->word.quoted && !r->word.first) {
		check_values(r, r->word.text, shell);
		add_word(r, a, strdup(r->word.text));
		hb__when_next(r);
	} else if (needed || (r->word.text && !r->word.first && !r->word.comma && strcmp(r->word.text, "when") != 0))
		hb__when_wrong(r, "here should be %s in quotes", what);
}

/* and leave it [for NAME] */
static void read_leave(hb__when_reader *r, hb_action *a)
{
	if (!hb__when_takes_word(r, "and"))
		return;
	hb__when_need(r, "leave");
	r->wanted[0] = 0;
	/* the debugger is attached to whom the action before it stopped: one, or several */
	if (a->kind != HB_ACTION_DEBUGGER || !hb__when_takes_word(r, "them"))
		hb__when_need(r, a->kind == HB_ACTION_STOP || a->kind == HB_ACTION_DEBUGGER ? "it" : "them");
	a->leave = true;
	if (hb__when_takes_word(r, "for"))
		a->whom = hb__when_name(r, "for whom");
}

static void read_stop(hb__when_reader *r, hb_action *a)
{
	a->kind = HB_ACTION_STOP;
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "everybody")) {
		r->wanted[0] = 0;
		if (hb__when_takes_word(r, "in")) {
			hb__when_need(r, "its");
			hb__when_need(r, "past");
			a->kind = HB_ACTION_STOP_PAST;
		} else
			a->kind = HB_ACTION_STOP_ALL;
	} else if (!hb__when_takes_word(r, "it"))
		hb__when_none(r);
	read_leave(r, a);
}

static void read_notify(hb__when_reader *r, hb_action *a)
{
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "command")) {
		a->kind = HB_ACTION_COMMAND;
		read_command(r, a);
	} else if (hb__when_takes_word(r, "journal"))
		a->kind = HB_ACTION_JOURNAL;
	else if (hb__when_takes_word(r, "datagram")) {
		a->kind = HB_ACTION_DATAGRAM;
		char *where = hb__when_name(r, "unix:PATH or udp:HOST:PORT");
		if (!r->failed && !hb__when_is_place(where))
			hb__when_wrong_before(
				r, "a datagram goes to unix:/PATH or udp:HOST:PORT, not to '%.60s'", where);
		add_word(r, a, where);
	} else
		hb__when_none(r);
}

static void read_program(hb__when_reader *r, hb_action *a, hb_action_kind kind)
{
	a->kind = kind;
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "program"))
		add_word(r, a, hb__when_named(r, "program"));
	else if (kind == HB_ACTION_BEGIN || !hb__when_takes_word(r, "it"))
		hb__when_none(r);
}

void hb__when_read_action(hb__when_reader *r, hb__when_rule *rule)
{
	if (!HB_GROW(rule->action, rule->action_room, rule->naction + 1)) {
		hb__when_wrong(r, "out of memory");
		return;
	}
	hb_action *a = &rule->action[rule->naction++];
	*a = (hb_action){.line = r->word.line};
	r->wanted[0] = 0;
	if (hb__when_takes_word(r, "note"))
		read_text(r, a, "a text", false, false);
	else if (hb__when_takes_word(r, "notify"))
		read_notify(r, a);
	else if (hb__when_takes_word(r, "run")) {
		a->kind = HB_ACTION_COMMAND;
		if (hb__when_takes_word(r, "shell")) {
			a->kind = HB_ACTION_SHELL;
			read_text(r, a, "what the shell is to do", true, true);
		} else
			read_command(r, a);
	} else if (hb__when_takes_word(r, "keep"))
		a->kind = HB_ACTION_KEEP;
	else if (hb__when_takes_word(r, "stop"))
		read_stop(r, a);
	else if (hb__when_takes_word(r, "attach")) {
		hb__when_need(r, "debugger");
		a->kind = HB_ACTION_DEBUGGER;
		read_leave(r, a);
	} else if (hb__when_takes_word(r, "begin"))
		read_program(r, a, HB_ACTION_BEGIN);
	else if (hb__when_takes_word(r, "end"))
		read_program(r, a, HB_ACTION_END);
	else if (hb__when_takes_word(r, "restart"))
		read_program(r, a, HB_ACTION_RESTART);
	else
		hb__when_none(r);
	hb__when_check_action(r, rule, a);
}
