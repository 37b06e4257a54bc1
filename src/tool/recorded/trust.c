/* Showing the command of a recording, and asking. */
#include "trust.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "../store/made.h"
#include "../show/inert.h"
#include "../store/find.h"
#include "../terminal.h"

#define LINE_MOST 3000 /* bytes of a command that hb__say prints in one piece */

/* ---- foreign ---- */

/* A file of the recording, or itself, that belongs to somebody else; NULL: none. To be freed. */
static char *file_of_another(const char *recording)
{
	struct stat st;
	char *found = NULL;
	if (!stat(recording, &st) && st.st_uid != geteuid())
		return hb__copy(hb__short(recording));
	DIR *dir = opendir(recording);
	for (struct dirent *e; dir && !found && (e = readdir(dir));)
		if (strcmp(e->d_name, "..") != 0 && !fstatat(dirfd(dir), e->d_name, &st, 0) && st.st_uid != geteuid())
			found = hb__format("%s/%s", hb__short(recording), e->d_name);
	if (dir)
		closedir(dir);
	return found;
}

char *hb__trust_not(const char *recording, const hb_manifest *m)
{
	char *file = file_of_another(recording), *why = file ? NULL : hb__made_not(m), *text = NULL;
	struct stat st;
	if (file)
		text = hb__format(
			"%s may come from somebody else: %s belongs to another user", hb__short(recording), file);
	else if (why)
		text = hb__format("%s may come from somebody else: %s", hb__short(recording), why);
	else if (!m->folder || stat(m->folder, &st) || !S_ISDIR(st.st_mode) || access(m->folder, X_OK))
		text = hb__format(
			"the folder in which %s was recorded is not there any more, %s: its command would run in this one",
			hb__short(recording), m->folder ? m->folder : "?");
	free(file);
	free(why);
	return text;
}

int hb__trust_nodes(const char *recording, const hb_manifest *m, bool given)
{
	char *file = file_of_another(recording), *why = file ? NULL : hb__made_not(m), *names = hb__copy("");
	bool mine = !file && !why;
	for (size_t i = 0; i < m->nnodes && !mine; i++) {
		char *more = hb__format("%s%s%s", names, i ? ", " : "", m->node[i].name);
		free(names);
		names = more;
	}
	char *shown = hb__inert(names);
	int code = 0;
	if (!mine && !given)
		code = hb__fail_with(HB_EXIT_USAGE,
			"%s may come from somebody else: %s%s. It names %s, and hbdb would connect there as you: --from-elsewhere does so",
			hb__short(recording), file ? file : why, file ? " belongs to another user" : "", shown);
	free(shown);
	free(names);
	free(file);
	free(why);
	return code;
}

/* ---- showing ---- */

/* All of it: what is cut off could be what matters. */
static char *command_text(const hb_manifest *m)
{
	hb_strings words = {0};
	size_t n = 1, at = 0;
	for (size_t i = 0; i < m->command.n; i++) {
		char *word = hb__shell_word(m->command.at[i]);
		hb__push(&words, word);
		n += strlen(word) + 1;
		free(word);
	}
	char *text = hb__alloc(n);
	for (size_t i = 0; i < words.n; i++) {
		size_t length = strlen(words.at[i]);
		memcpy(text + at, words.at[i], length);
		text[at + length] = ' ';
		at += length + 1;
	}
	text[at ? at - 1 : 0] = 0;
	hb__strings_free(&words);
	return text;
}

static void show(const hb_manifest *m)
{
	char *command = command_text(m), *folder = hb__shell_word(m->folder ? m->folder : "");
	fprintf(stderr, "  %s\n  in the folder %s\n", command, folder);
	for (size_t i = 0; i < m->environment.n; i++) {
		char *name = hb__copy(m->environment.at[i]), *value = strchr(name, '=');
		if (value)
			*value++ = 0;
		const char *now = getenv(name);
		if (value && hb__manifest_sets(m->environment.at[i]) && (!now || strcmp(now, value) != 0)) {
			char *word = hb__shell_word(value), *first = hb__shell_word(name);
			fprintf(stderr, "  with %s=%s in the environment\n", first, word);
			free(first);
			free(word);
		}
		free(name);
	}
	free(folder);
	free(command);
}

static void show_as_root(const hb_manifest *m)
{
	char *command = command_text(m);
	if (strlen(command) < LINE_MOST)
		hb__say("running as root: %s", command);
	else {
		hb__say("running as root:");
		fprintf(stderr, "  %s\n", command);
	}
	free(command);
}

/* ---- asking ---- */

/* A line from the terminal, no byte more: what follows is for others. What was typed before the question is no answer to it. */
static bool answer(void)
{
	char text[8] = "", c = 0;
	size_t n = 0;
	tcflush(0, TCIFLUSH);
	fprintf(stderr, "hbdb: run it? [y/N] ");
	for (ssize_t got; (got = read(0, &c, 1)) != 0 && c != '\n';) {
		if (got < 0 && errno == EINTR)
			break; /* Ctrl-C */
		if (got < 0)
			break;
		if (n < sizeof text - 1)
			text[n++] = c;
	}
	if (c != '\n')
		fprintf(stderr, "\n");
	return c == '\n' && (!strcasecmp(text, "y") || !strcasecmp(text, "yes"));
}

int hb__trust(const char *recording, const hb_manifest *m, hb_trust how)
{
	char *why = m->command.n ? hb__trust_not(recording, m) : NULL;
	int code = 0;
	if (!why) {
		if (!geteuid() && m->command.n)
			show_as_root(m);
		return 0;
	}
	bool ask = how == HB_TRUST_ASK && hb__on_terminal(0) && hb__on_terminal(2);
	hb__say("%s", why);
	hb__say("%s", how == HB_TRUST_GIVEN ? "its command is run, as --trust was given:" : "its command is:");
	show(m);
	if (ask && !answer())
		code = hb__fail_with(HB_EXIT_USAGE, "nothing was run");
	else if (!ask && how != HB_TRUST_GIVEN)
		code = hb__fail_with(HB_EXIT_USAGE,
			"nothing was run: look at the command, then say --trust to run it, or give a command of your own behind --");
	free(why);
	return code;
}
