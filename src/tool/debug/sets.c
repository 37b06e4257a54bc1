/* Sets of processes as the user writes them: ranks, names of processes and of sets, what holds at this moment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug.h"

const char *const hb__d_dynamic[][2] = {
	{"all", "every process"},
	{"running", "neither stopped nor ended, including blocked processes"},
	{"stopped", "held or broken"},
	{"held", "waiting after an event"},
	{"broken", "stopped by a breakpoint, a step, a signal or halt"},
	{"blocked", "inside a call that waits for a stopped process"},
	{"exited", "ended normally"},
	{"dead", "ended in any other way"},
	{"absent", "has not come to MPI_Init, or without MPI to its first event"},
	{NULL, NULL},
};

void hb__d_init(hb_debug *d, hb_set *set) { hb_set_init(set, d->size); }

int hb__d_is(hb_debug *d, int32_t rank, const char *word)
{
	hb_session *session = d->live ? hb__live_session(d->live) : NULL;
	const hb_proc *p = session ? hb_session_proc(session, rank) : NULL;
	hb_life life = p ? p->life : HB_LIFE_ABSENT;
	if (!strcmp(word, "all"))
		return 1;
	if (!strcmp(word, "running"))
		return life == HB_LIFE_RUNNING;
	if (!strcmp(word, "stopped"))
		return life == HB_LIFE_HELD || life == HB_LIFE_BROKEN;
	if (!strcmp(word, "held"))
		return life == HB_LIFE_HELD;
	if (!strcmp(word, "broken"))
		return life == HB_LIFE_BROKEN;
	if (!strcmp(word, "blocked"))
		return life == HB_LIFE_RUNNING && hb_session_arrival(session, rank) == HB_BLOCKED;
	if (!strcmp(word, "exited"))
		return life == HB_LIFE_EXITED;
	if (!strcmp(word, "dead"))
		return life == HB_LIFE_DEAD;
	if (!strcmp(word, "absent"))
		return life == HB_LIFE_ABSENT;
	return -1;
}

static const hb_session *session_of(const hb_debug *d) { return d->live ? hb__live_session(d->live) : NULL; }

const char *hb__d_name(const hb_debug *d, int32_t rank)
{
	const hb_proc *p = session_of(d) ? hb_session_proc(session_of(d), rank) : NULL;
	return p ? p->name : "?";
}

char *hb__d_who(const hb_debug *d, int32_t rank)
{
	int32_t first = 0, ranks = session_of(d) ? hb_session_ranks(session_of(d), &first) : 0;
	if (d->one && *hb_rank_word(hb__d_name(d, rank)))
		return hb__format("\"process\":\"%s\",\"rank\":%s", hb__d_name(d, rank),
			strchr(hb__d_name(d, rank), '@') ? "null" : hb__d_name(d, rank));
	if (rank < first || rank >= first + ranks)
		return hb__format("\"process\":\"%s\",\"rank\":null", hb__d_name(d, rank));
	return hb__format("\"process\":\"%s\",\"rank\":%d", hb__d_name(d, rank), rank - first);
}

#define LISTED 8 /* processes that are no ranks, in a message */

char *hb__d_processes(const hb_debug *d)
{
	int32_t first = 0, ranks = session_of(d) ? hb_session_ranks(session_of(d), &first) : 0, told = 0;
	if (d->one)
		return hb__format("%s%s alone", hb_rank_word(hb__d_name(d, 0)), hb__d_name(d, 0));
	char *text = ranks > 1    ? hb__format("ranks 0 to %d", ranks - 1)
		     : ranks == 1 ? hb__copy("rank 0")
				  : hb__copy("");
	for (int32_t i = 0; i < d->size; i++) {
		if (i >= first && i < first + ranks)
			continue;
		char *more = hb__format("%s%s%s", text, *text ? ", " : "", told < LISTED ? hb__d_name(d, i) : "...");
		free(text);
		text = more;
		if (told++ == LISTED)
			break;
	}
	return text;
}

/* Says that there is no such process, and what there is. */
static int nobody(hb_debug *d, const char *name, size_t length)
{
	char *typed = hb__format("%.*s", (int)length, name), *there = hb__d_processes(d);
	hb_guess guess = {.word = typed};
	bool rank = *typed >= '0' && *typed <= '9' && !strchr(typed, '@');
	bool made = strchr(typed, '@');
	for (int32_t i = 0; i < d->size && !rank; i++)
		hb__guess(&guess, hb__d_name(d, i));
	int code = hb__d_fail(d, HB_EXIT_USAGE, "[%s]: there is no such %s; the job has %s%s%s", typed,
		rank ? "rank" : "process", *there ? there : "no process yet",
		made ? " (those that the program itself starts are not under control)" : "",
		rank ? "" : hb__guessed(&guess));
	free(typed);
	free(there);
	return code;
}

int32_t hb__d_find(hb_debug *d, const char *name, size_t length)
{
	int32_t found = session_of(d) ? hb_session_find(session_of(d), name, length) : -1;
	if (found < 0)
		nobody(d, name, length);
	return found;
}

/* One item between commas. 0 or HB_EXIT_USAGE. */
static int read_item(hb_debug *d, const char *item, hb_set *ret)
{
	const char *named = hb__d_get(&d->sets, item), *at = item;
	if (!named && hb__d_is(d, 0, item) >= 0) {
		for (int32_t i = 0; i < d->size; i++)
			if (hb__d_is(d, i, item) > 0)
				hb_set_add(ret, i);
		return 0;
	}
	const char *wrong =
		named && !*named ? NULL : hb_session_read_set(session_of(d), named ? named : item, ret, &at);
	if (!wrong)
		return 0;
	if (!strcmp(wrong, "there is no such rank"))
		return nobody(d, item, strlen(item));
	if (strcmp(wrong, "there is no such process"))
		return hb__d_fail(d, HB_EXIT_USAGE, "[%s]: %s%s%s", item, wrong, *at ? " at " : "", at);
	if (strpbrk(item, "@#.+"))
		return nobody(d, item, strlen(item));
	if (!hb__d_is_name(item))
		return hb__d_fail(d, HB_EXIT_USAGE, "[%s]: a rank or the name of a process is missing at %s", item, at);
	char *there = hb__d_processes(d);
	int code = hb__d_fail(d, HB_EXIT_USAGE,
		"there is no set [%s], and no process of that name; viewset lists all sets, and the job has %s", item,
		*there ? there : "no process yet");
	free(there);
	return code;
}

int hb__d_set(hb_debug *d, const char *text, hb_set *ret)
{
	char *copy = hb__copy(text), *p = hb__d_trim(copy), *item;
	size_t n = strlen(p);
	int code = 0;
	hb__d_init(d, ret);
	if (n > 1 && p[0] == '[' && p[n - 1] == ']') {
		p[n - 1] = 0;
		p++;
	}
	if (*p == '[')
		code = hb__d_fail(d, HB_EXIT_USAGE, "the set of processes %s has no closing ]", p);
	else if (!*hb__d_trim(p))
		code = hb__d_fail(d, HB_EXIT_USAGE, "[] is not a set of processes");
	while (!code && (item = strsep(&p, ","))) {
		hb_set one;
		item = hb__d_trim(item);
		bool away = *item == '-';
		hb__d_init(d, &one);
		code = read_item(d, hb__d_trim(item + away), &one);
		if (!code && away)
			hb_set_without(ret, &one);
		else if (!code)
			hb_set_join(ret, &one);
		hb_set_free(&one);
	}
	free(copy);
	return code;
}

char *hb__d_set_text(char **p)
{
	char *end = strchr(*p, ']'), *text = *p + 1;
	if (!end)
		return NULL;
	*end = 0;
	*p = end + 1;
	return hb__d_trim(text);
}

const char *hb__d_set_name(const hb_debug *d, const hb_set *set)
{
	static char buffers[4][512];
	static unsigned next;
	char *buffer = buffers[next++ % 4];
	char ranks[sizeof buffers[0] - 4];
	snprintf(buffer, sizeof buffers[0], "[%s]", hb_session_write_set(session_of(d), set, ranks, sizeof ranks));
	return buffer;
}

char *hb__d_set_text_of(const hb_debug *d, const hb_set *set)
{
	size_t room = ((size_t)hb_set_count(set) + 1) * (HB_PROCESS_NAME + 1);
	return hb_session_write_set(session_of(d), set, hb__alloc(room), room);
}
