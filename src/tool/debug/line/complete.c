/* What a word of a command can become. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

#define ENOUGH 60 /* of names that gdb knows */

static void offer(hb_strings *to, const char *word, const char *typed)
{
	if (strncmp(word, typed, strlen(typed)))
		return;
	for (size_t i = 0; i < to->n; i++)
		if (!strcmp(to->at[i], word))
			return;
	hb__push(to, word);
}

static void verbs(const hb_debug *d, const char *typed, hb_strings *to)
{
	for (const hb_verb *v = hb__verbs; v->name; v++)
		offer(to, v->name, typed);
	for (size_t i = 0; i < d->aliases.n; i++)
		offer(to, d->aliases.at[i].name, typed);
}

/* Names of sets, with what stands before them in the same brackets. */
static void sets(const hb_debug *d, const char *typed, hb_strings *to)
{
	const char *last = strrchr(typed, ','), *open = strchr(typed, '[');
	const char *name = last ? last + 1 : open ? open + 1 : typed;
	int before = (int)(name - typed);
	for (size_t i = 0; i < d->sets.n; i++) {
		char *word = hb__format("%.*s%s%s", before, typed, d->sets.at[i].name, open ? "]" : "");
		offer(to, word, typed);
		free(word);
	}
	hb_session *session = d->live ? hb__live_session(d->live) : NULL;
	for (int32_t i = 0; session && i < d->size; i++) {
		const char *process = hb_session_proc(session, i)->name;
		if (*process >= '0' && *process <= '9' && !strchr(process, '@')) /* ranks are ranges */
			continue;
		char *word = hb__format("%.*s%s%s", before, typed, process, open ? "]" : "");
		offer(to, word, typed);
		free(word);
	}
	for (int i = 0; hb__d_dynamic[i][0]; i++) {
		char *word = hb__format("%.*s%s%s", before, typed, hb__d_dynamic[i][0], open ? "]" : "");
		offer(to, word, typed);
		free(word);
	}
}

static void files(const char *typed, hb_strings *to)
{
	const char *slash = strrchr(typed, '/');
	char *folder = slash ? hb__format("%.*s", (int)(slash + 1 - typed), typed) : hb__copy(".");
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.')
			continue;
		char *word = hb__format("%s%s%s", slash ? folder : "", e->d_name, e->d_type == DT_DIR ? "/" : "");
		offer(to, word, typed);
		free(word);
	}
	if (dir)
		closedir(dir);
	free(folder);
}

/* Functions and variables: gdb is asked when it has a process already, and that stands. */
static void symbols(hb_debug *d, const char *verb, const char *typed, hb_strings *to)
{
	hb_session *session = d->live ? hb__live_session(d->live) : NULL;
	for (int32_t i = 0; session && i < d->size; i++) {
		const hb_proc *p = hb_session_proc(session, i);
		hb_gdb *gdb;
		char *output = NULL;
		if (!p || !p->attached || p->life != HB_LIFE_BROKEN || hb_session_gdb(session, i, &gdb, NULL))
			continue;
		char *command = hb__format("complete %s %s", verb, typed);
		if (!hb_gdb_command(gdb, i, 0, command, &output, NULL)) {
			char *rest = output;
			size_t n = strlen(verb) + 1;
			for (char *line; (line = strsep(&rest, "\n")) && to->n < ENOUGH;)
				if (strlen(line) > n && !strchr(line, '@')) /* versions of symbols are nobody's words */
					offer(to, line + n, typed);
		}
		free(command);
		free(output);
		return;
	}
}

static void options(const hb_verb *v, const char *typed, hb_strings *to)
{
	char *copy = hb__copy(v->operands), *rest = copy;
	for (char *word; (word = strsep(&rest, " []|"));)
		if (*word == '-')
			offer(to, word, typed);
	free(copy);
}

static void operands(hb_debug *d, const hb_verb *v, const char *typed, hb_strings *to)
{
	const char *o = v->operands;
	if (*typed == '-')
		options(v, typed, to);
	else if (*typed == '[' || strstr(o, "SET") || strstr(o, "PROCESS"))
		sets(d, typed, to);
	if (!strcmp(v->name, "help"))
		verbs(d, typed, to);
	if (!strcmp(v->name, "set") || !strcmp(v->name, "unset")) {
		static const char *const names[] = {
			"echo", "events", "frames", "json", "lines", "onerror", "patience", "timeout"};
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			offer(to, names[i], typed);
	}
	if (strstr(o, "FILE") && !strstr(o, "LINE"))
		files(typed, to);
	if (!strncmp(o, "EVENT|NAME", 10) || strstr(o, "at EVENT"))
		for (size_t i = 0; i < d->bookmarks.n; i++)
			offer(to, d->bookmarks.at[i].name, typed);
	if (!strcmp(v->name, "stop")) {
		offer(to, "at", typed);
		offer(to, "off", typed);
	}
	if (!strcmp(v->name, "next"))
		offer(to, "event", typed);
	if (*typed && (strstr(o, "EXPR") || strstr(o, "LOCATION") || strstr(o, "FUNCTION")))
		symbols(d, strstr(o, "EXPR") ? "print" : "break", typed, to);
}

void hb__d_complete(hb_debug *d, const char *line, size_t *ret_from, hb_strings *ret)
{
	const char *begin = strrchr(line, ';'), *word;
	begin = begin ? begin + 1 : line;
	begin += strspn(begin, " \t");
	word = strrchr(begin, ' ');
	word = word ? word + 1 : begin;
	const char *close = *begin == '[' ? strchr(begin, ']') : NULL;
	const char *verb = close ? close + 1 + strspn(close + 1, " \t") : begin;
	if (verb > word)
		word = verb;
	*ret_from = (size_t)(word - line);
	if (*begin == '[' && !close) {
		*ret_from = (size_t)(begin - line);
		sets(d, begin, ret);
		return;
	}
	if (word == verb) {
		verbs(d, word, ret);
		return;
	}
	char *name = hb__format("%.*s", (int)strcspn(verb, " \t/"), verb);
	for (const hb_pair *a = hb__own_aliases; a->name; a++)
		if (!strcmp(a->name, name)) {
			free(name);
			name = hb__format("%.*s", (int)strcspn(a->value, " "), a->value);
			break;
		}
	const hb_verb *v = hb__d_verb(name, true);
	if (v)
		operands(d, v, word, ret);
	free(name);
}
