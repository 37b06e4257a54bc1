/* Sets of processes as the user writes them: ranks, names, what holds at this moment. */
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
	{"absent", "has not called MPI_Init yet"},
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

/* One item between commas. 0 or HB_EXIT_USAGE. */
static int read_item(hb_debug *d, const char *item, hb_set *ret)
{
	const char *named = hb__d_get(&d->sets, item), *at = item;
	if (!hb__d_is_name(item) || named) {
		const char *wrong = named && !*named ? NULL : hb_set_read(named ? named : item, ret, &at);
		if (!wrong)
			return 0;
		if (!strcmp(wrong, "there is no such rank"))
			return hb__d_fail(d, HB_EXIT_USAGE, "[%s]: there is no such rank; the job has %d %s", item,
				d->size, hb__plural((uint64_t)d->size, "process", "processes"));
		return hb__d_fail(d, HB_EXIT_USAGE, "[%s]: %s%s%s", item, wrong, *at ? " at " : "", at);
	}
	if (hb__d_is(d, 0, item) < 0)
		return hb__d_fail(d, HB_EXIT_USAGE, "there is no set [%s]; viewset lists all sets", item);
	for (int32_t i = 0; i < d->size; i++)
		if (hb__d_is(d, i, item) > 0)
			hb_set_add(ret, i);
	return 0;
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

const char *hb__d_set_name(const hb_set *set)
{
	static char buffers[4][512];
	static unsigned next;
	char *buffer = buffers[next++ % 4];
	char ranks[sizeof buffers[0] - 4];
	snprintf(buffer, sizeof buffers[0], "[%s]", hb_set_write(set, ranks, sizeof ranks));
	return buffer;
}
