/* The prompt: editing with libedit, its history, keeping the job in view while nobody types. */
#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "../../terminal.h"
#include "../debug.h"

#define HISTORY_MOST 1000
#define LOOK_MS 50 /* between two looks at the job */

struct hb_console {
	EditLine *el;
	History *history;
	char *path; /* NULL: nowhere to keep it */
	char prompt[256];
	char pending[8]; /* bytes of a character that is not whole yet */
	size_t npending;
	bool cancelled, empty; /* by Ctrl-C; nothing had been typed */
};

/* ---- the file of the history ---- */

/* $XDG_STATE_HOME/hbdb/debug-history; NULL when its folder cannot be had. */
static char *history_path(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *folder = state && *state == '/' ? hb__copy(state) : home ? hb__format("%s/.local/state", home) : NULL;
	if (!folder)
		return NULL;
	for (char *p = folder + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(folder, 0700);
		*p = '/';
	}
	mkdir(folder, 0700);
	char *own = hb__format("%s/hbdb", folder), *path = hb__format("%s/debug-history", own);
	bool good = !mkdir(own, 0700) || errno == EEXIST;
	free(folder);
	free(own);
	if (good)
		return path;
	free(path);
	return NULL;
}

/* ---- keys ---- */

static hb_debug *debug_of(EditLine *el)
{
	void *d = NULL;
	el_get(el, EL_CLIENTDATA, &d);
	return d;
}

static char *prompt(EditLine *el) { return debug_of(el)->console->prompt; }

/* A character from the bytes of the terminal: 1, 0 when it is not whole yet. */
static int decode(struct hb_console *c, char byte, wchar_t *ret)
{
	mbstate_t state = {0};
	c->pending[c->npending++] = byte;
	size_t n = mbrtowc(ret, c->pending, c->npending, &state);
	if (n == (size_t)-2 && c->npending < sizeof c->pending - 1)
		return 0;
	if (n == (size_t)-1 || n == (size_t)-2)
		*ret = (unsigned char)byte;
	c->npending = 0;
	return 1;
}

/* Reads a key for libedit; the job is looked at meanwhile. */
static int get_key(EditLine *el, wchar_t *ret)
{
	hb_debug *d = debug_of(el);
	struct pollfd p = {0, POLLIN, 0};
	char byte;
	for (;;) {
		int sig = hb__d_signal();
		if (sig) {
			const LineInfo *info = el_line(el);
			d->console->cancelled = sig == SIGINT;
			d->console->empty = info->lastchar == info->buffer;
			return -1;
		}
		int n = poll(&p, 1, LOOK_MS);
		if (n < 0)
			continue;
		if (n > 0 && (p.revents & (POLLIN | POLLHUP | POLLERR))) {
			if (read(0, &byte, 1) != 1)
				return 0;
			if (decode(d->console, byte, ret))
				return 1;
			continue;
		}
		hb__d_poll(d, 0);
		if (hb__d_news(d))
			el_set(el, EL_REFRESH);
	}
}

/* Inserts what all candidates have in common; shows them when that is nothing more. */
static unsigned char complete(EditLine *el, int key)
{
	(void)key;
	hb_debug *d = debug_of(el);
	const LineInfo *info = el_line(el);
	char *line = hb__format("%.*s", (int)(info->cursor - info->buffer), info->buffer);
	hb_strings found = {0};
	size_t from = 0, same;
	unsigned char answer = CC_REFRESH;
	hb__d_complete(d, line, &from, &found);
	size_t typed = strlen(line) - from;
	if (!found.n)
		answer = CC_ERROR;
	else {
		same = strlen(found.at[0]);
		for (size_t i = 1; i < found.n; i++)
			for (size_t k = 0; k < same; k++)
				if (found.at[i][k] != found.at[0][k])
					same = k;
		char *more = same > typed ? hb__format("%.*s%s", (int)(same - typed), found.at[0] + typed,
						    found.n == 1 ? " " : "")
					  : hb__copy(found.n == 1 ? " " : "");
		if (*more)
			el_insertstr(el, more);
		else {
			putchar('\n');
			for (size_t i = 0; i < found.n; i++)
				printf("%s%s", found.at[i], (i + 1) % 6 && i + 1 < found.n ? "  " : "\n");
			fflush(stdout);
			answer = CC_REDISPLAY;
		}
		free(more);
	}
	hb__strings_free(&found);
	free(line);
	return answer;
}

/* ---- the console ---- */

hb_console *hb__console_open(hb_debug *d)
{
	struct hb_console *c = hb__alloc(sizeof *c);
	HistEvent event;
	setlocale(LC_CTYPE, "");
	c->el = el_init("hbdb", stdin, hb__bare_stdout(), stderr);
	c->history = history_init();
	if (!c->el || !c->history) {
		if (c->el)
			el_end(c->el);
		if (c->history)
			history_end(c->history);
		free(c);
		return NULL;
	}
	history(c->history, &event, H_SETSIZE, HISTORY_MOST);
	history(c->history, &event, H_SETUNIQUE, 1);
	if ((c->path = history_path()))
		history(c->history, &event, H_LOAD, c->path);
	el_set(c->el, EL_CLIENTDATA, d);
	el_set(c->el, EL_PROMPT, prompt);
	el_set(c->el, EL_EDITOR, "emacs");
	el_set(c->el, EL_SIGNAL, 0);
	el_set(c->el, EL_HIST, history, c->history);
	el_set(c->el, EL_GETCFN, get_key);
	el_set(c->el, EL_ADDFN, "hbdb-complete", "complete a word", complete);
	el_set(c->el, EL_BIND, "^I", "hbdb-complete", NULL);
	el_set(c->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(c->el, EL_BIND, "^D", "ed-end-of-file", NULL);
	el_source(c->el, NULL);
	return c;
}

char *hb__console_line(hb_debug *d, bool *ret_end)
{
	struct hb_console *c = d->console;
	HistEvent event;
	int n = 0;
	*ret_end = false;
	hb__d_news(d);
	c->cancelled = false;
	snprintf(c->prompt, sizeof c->prompt, "hbdb [%s]> ", d->focus);
	d->editing = true;
	const char *line = el_gets(c->el, &n);
	d->editing = false;
	if (!line || n <= 0) {
		puts(c->cancelled ? "^C" : "");
		fflush(stdout);
		*ret_end = !c->cancelled;
		if (c->cancelled && c->empty)
			hb__d_stop_all(d);
		return NULL;
	}
	char *copy = hb__format("%.*s", (int)strcspn(line, "\n"), line);
	if (strspn(copy, " \t") < strlen(copy))
		history(c->history, &event, H_ENTER, copy);
	return copy;
}

void hb__console_close(hb_debug *d)
{
	struct hb_console *c = d->console;
	HistEvent event;
	if (!c)
		return;
	if (c->path)
		history(c->history, &event, H_SAVE, c->path);
	history_end(c->history);
	el_end(c->el);
	free(c->path);
	free(c);
	d->console = NULL;
}
