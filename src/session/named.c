/* Processes by their names: who is expected, who comes, sets of them as they are written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/internal.h"

#define OTHERS_MOST \
	4096 /* processes that are no ranks of the world that was started; memory is used for those that come */

void hb__forget_process(struct hb__process *p)
{
	struct hb__process new = {.p.rank = p->p.rank, .fd = -1, .alive = -1};
	memcpy(new.p.name, p->p.name, sizeof new.p.name);
	*p = new;
}

struct hb__process *hb__add_process(hb_session *s, const char *name)
{
	if (s->size == s->most)
		return NULL;
	struct hb__process *p = &s->process[s->size];
	p->p.rank = s->size++;
	snprintf(p->p.name, sizeof p->p.name, "%s", name);
	hb__forget_process(p);
	return p;
}

/* Pointers to processes are handed out: the table is made once. */
bool hb__room_for(hb_session *s, int32_t ranks)
{
	if (!s->process) {
		s->most = ranks + OTHERS_MOST;
		s->process = calloc((size_t)s->most, sizeof *s->process);
	}
	if (!s->process || s->size + ranks > s->most)
		return false;
	s->first = s->size;
	s->ranks = ranks;
	for (int32_t i = 0; i < ranks; i++) {
		hb_process_name name;
		hb__add_process(s, hb_process_range(0, i, i, name));
	}
	return true;
}

int32_t hb_session_size(const hb_session *s) { return s->size; }

int32_t hb_session_ranks(const hb_session *s, int32_t *ret_first)
{
	*ret_first = s->first;
	return s->ranks;
}

int32_t hb_session_find(const hb_session *s, const char *name, size_t length)
{
	for (int32_t i = 0; i < s->size; i++)
		if (strlen(s->process[i].p.name) == length && !memcmp(s->process[i].p.name, name, length))
			return i;
	return -1;
}

/* ---- sets ---- */

/* Ranks, of which a set of their own is read. */
static const char *read_ranks(const hb_session *s, const char *text, hb_set *to, const char **ret_at)
{
	hb_set ranks;
	hb_set_init(&ranks, s->ranks);
	const char *wrong = hb_set_read(text, &ranks, ret_at);
	for (int32_t i = hb_set_next(&ranks, 0); i >= 0; i = hb_set_next(&ranks, i + 1))
		hb_set_add(to, s->first + i);
	hb_set_free(&ranks);
	return wrong;
}

static const char *read_item(const hb_session *s, const char *item, size_t n, hb_set *to, const char **ret_at)
{
	char text[64];
	const char *wrong, *at = text;
	bool rank = *item >= '0' && *item <= '9' && !memchr(item, '@', n);
	/* one that is alone is called by its rank, and is number 0 */
	int32_t number = rank && s->ranks ? -1 : hb_session_find(s, item, n);
	*ret_at = item;
	if (n == 1 && *item == '*')
		hb_set_all(to);
	else if (number >= 0)
		hb_set_add(to, number);
	if ((n == 1 && *item == '*') || number >= 0)
		return NULL;
	if (!n)
		return "a rank or the name of a process is missing";
	if (!rank)
		return "there is no such process";
	if (n >= sizeof text)
		return "there is no such rank";
	snprintf(text, sizeof text, "%.*s", (int)n, item);
	wrong = read_ranks(s, text, to, &at);
	*ret_at = item + (at - text);
	return wrong;
}

const char *hb_session_read_set(const hb_session *s, const char *text, hb_set *to, const char **ret_at)
{
	const char *wrong = NULL, *p = text, *at = text;
	for (int32_t i = 0; i < to->size; i++)
		hb_set_remove(to, i);
	for (bool more = true; more && !wrong;) {
		p += strspn(p, " \t");
		size_t n = strcspn(p, ","), length = n;
		while (length && (p[length - 1] == ' ' || p[length - 1] == '\t'))
			length--;
		wrong = read_item(s, p, length, to, &at);
		more = p[n] == ',';
		p += n + more;
	}
	if (ret_at)
		*ret_at = at;
	return wrong;
}

char *hb_session_write_set(const hb_session *s, const hb_set *set, char *buffer, size_t size)
{
	hb_set ranks;
	hb_set_init(&ranks, s->ranks);
	for (int32_t i = 0; i < s->ranks; i++)
		if (hb_set_has(set, s->first + i))
			hb_set_add(&ranks, i);
	hb_set_write(&ranks, buffer, size);
	bool cut = strstr(buffer, "...") != NULL;
	hb_set_free(&ranks);
	for (int32_t i = hb_set_next(set, 0); i >= 0 && i < s->size && !cut; i = hb_set_next(set, i + 1)) {
		if (i >= s->first && i < s->first + s->ranks)
			continue;
		size_t n = strlen(buffer), more = strlen(s->process[i].p.name) + (n > 0);
		bool end = hb_set_next(set, i + 1) < 0;
		cut = n + more + (end ? 0 : 4) >= size;
		snprintf(buffer + n, size - n, "%s%s", n ? "," : "", cut ? "..." : s->process[i].p.name);
	}
	return buffer;
}
