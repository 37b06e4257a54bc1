/* Arguments that no event has: the recorder's remarks of them, and whether they are alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/collectives/parts.h"

enum kind { WORD, ARRAY, TEXT };

/* An argument of the column `given` of the call table: how it stands in the remark, and its name in messages. */
struct row {
	char key[40], name[40];
	enum kind kind;
};

/* The next one of a list; false: that was the last. */
static bool next_row(const char **at, struct row *ret)
{
	const char *p = *at;
	if (!p || !*p)
		return false;
	size_t n = strcspn(p, ",");
	int key = (int)strcspn(p, ",=[");
	snprintf(ret->key, sizeof ret->key, "%.*s", key, p);
	ret->kind = p[key] == '[' ? ARRAY : !strcmp(ret->key, "text") ? TEXT : WORD;
	if (p[key] == '=')
		snprintf(ret->name, sizeof ret->name, "%.*s", (int)n - key - 1, p + key + 1);
	else
		memcpy(ret->name, ret->key, sizeof ret->name);
	*at = p + n + (p[n] == ',');
	return true;
}

/* ---- the remarks ---- */

static int by_place(const void *x, const void *y)
{
	const hb_remark *a = *(const hb_remark *const *)x, *b = *(const hb_remark *const *)y;
	if (a->at.line != b->at.line)
		return a->at.line < b->at.line ? -1 : 1;
	return a->at.event < b->at.event ? -1 : a->at.event > b->at.event;
}

static int by_comm(const void *x, const void *y)
{
	const struct hb__topology *a = x, *b = y;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->comm < b->comm ? -1 : a->comm > b->comm;
}

static void add_topology(struct hb__collective_calls *p, const hb_remark *r, const hb_model *m)
{
	struct hb__topology *t = &p->topology[p->topologies++];
	*t = (struct hb__topology){.process = r->process, .comm = r->topology->comm};
	t->graph = r->topology->kind == HB_NEIGHBORS_GRAPH;
	for (int i = 0; i < 2; i++) {
		int64_t digest = i ? r->topology->destinations : r->topology->sources;
		t->list[i].rank =
			digest ? hb_log_array(hb_model_processes(m)[r->process].log, (uint64_t)digest, &t->list[i].n)
			       : NULL;
		t->known[i] = !digest || t->list[i].rank;
	}
}

static bool names_object(const hb_remark *r)
{
	return r->at.line != HB_NO && (r->word == HB_REMARK_FILESYNC || r->word == HB_REMARK_WINDOW ||
					      (r->word == HB_REMARK_WINSYNC && r->winsync->kind == HB_SYNC_FREE));
}

bool hb__given_gather(struct hb__collective_calls *p, const hb_case *c)
{
	size_t n = c->remarks ? c->remarks->n : 0, given = 0, topologies = 0, named = 0;
	for (size_t i = 0; i < n; i++) {
		given += c->remarks->at[i].word == HB_REMARK_GIVEN;
		topologies += c->remarks->at[i].word == HB_REMARK_TOPOLOGY;
		named += names_object(&c->remarks->at[i]);
	}
	p->named = malloc((named + 1) * sizeof *p->named);
	p->given = malloc((given + 1) * sizeof *p->given);
	p->topology = malloc((topologies + 1) * sizeof *p->topology);
	if (!p->given || !p->topology || !p->named)
		return false;
	for (size_t i = 0; i < n; i++) {
		const hb_remark *r = &c->remarks->at[i];
		if (r->word == HB_REMARK_GIVEN && r->at.line != HB_NO)
			p->given[p->givens++] = r;
		else if (r->word == HB_REMARK_TOPOLOGY)
			add_topology(p, r, c->model);
		else if (names_object(r))
			p->named[p->nameds++] = r;
	}
	qsort(p->named, p->nameds, sizeof *p->named, by_place);
	qsort(p->given, p->givens, sizeof *p->given, by_place);
	qsort(p->topology, p->topologies, sizeof *p->topology, by_comm);
	return true;
}

const hb_remark *hb__given(const struct hb__collective_calls *p, hb_at at)
{
	hb_remark key = {.at = at};
	const hb_remark *k = &key, **found = bsearch(&k, p->given, p->givens, sizeof k, by_place);
	return found ? *found : NULL;
}

int64_t hb__named_object(const struct hb__collective_calls *p, hb_at at, bool file)
{
	hb_remark key = {.at = at};
	const hb_remark *k = &key, **found = bsearch(&k, p->named, p->nameds, sizeof k, by_place);
	const hb_remark *r = found ? *found : NULL;
	if (!r || file != (r->word == HB_REMARK_FILESYNC))
		return -1;
	return file ? r->filesync->file : r->word == HB_REMARK_WINDOW ? r->window->win : r->winsync->win;
}

const struct hb__topology *hb__topology_of(const struct hb__collective_calls *p, uint32_t process, int64_t comm)
{
	struct hb__topology key = {.process = process, .comm = comm};
	return bsearch(&key, p->topology, p->topologies, sizeof key, by_comm);
}

bool hb__given_list(const struct hb__assembly *a, uint32_t part, const char *key, struct hb__list *ret)
{
	const hb_remark *r = hb__given(a->parts, a->part[part].at);
	int64_t digest = r ? hb_remark_number(r, key, -1) : -1;
	*ret = (struct hb__list){0};
	if (digest > 0)
		ret->rank = hb_log_array(hb__log_of(a, part), (uint64_t)digest, &ret->n);
	return !digest || ret->rank;
}

/* ---- comparing ---- */

void hb__list_text(const struct hb__list *list, char *ret, size_t size)
{
	size_t used = 0;
	*ret = 0;
	for (uint32_t i = 0; i < list->n && i < 16 && used + 24 < size; i++)
		used += (size_t)snprintf(ret + used, size - used, i ? ", %lld" : "%lld", (long long)list->rank[i]);
	if (list->n > 16 && used + 8 < size)
		snprintf(ret + used, size - used, ", ...");
}

/* Long arrays that begin alike differ by their digest. */
static bool say(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size)
{
	const struct row *row = user;
	const hb_remark *r = hb__given(a->parts, a->part[part].at);
	const char *name = row->name;
	char value[120] = "";
	struct hb__list list;
	if (!r)
		return false;
	hb_remark_show(r, row->key, value, sizeof value);
	if (!*value)
		return false;
	if (row->kind == ARRAY && hb__given_list(a, part, row->key, &list)) {
		char digest[24] = "";
		if (list.n > 16)
			snprintf(digest, sizeof digest, " ~%.20s", value);
		hb__list_text(&list, value, sizeof value);
		snprintf(ret, size, "%s = {%s}%s", name, value, digest);
	} else {
		snprintf(ret, size, row->kind == TEXT ? "%s = \"%s\"" : "%s = %s", name, value);
	}
	return true;
}

/* Files of processes on several machines, and those behind links, may be the same under several names. */
static bool comparable(const struct hb__assembly *a, const struct row *row)
{
	if (hb__call_shape_of(a, 0)->means->does != HB_DOES_FILE_OPEN || row->kind != TEXT)
		return true;
	for (uint32_t i = 1; i < a->n; i++)
		if (strcmp(hb_log_get_info(hb__log_of(a, i))->host, hb_log_get_info(hb__log_of(a, 0))->host) != 0)
			return false;
	return true;
}

static bool alike(const struct hb__assembly *a, const struct row *row)
{
	char first[160] = "", other[160];
	for (uint32_t i = 0; i < a->n; i++) {
		if (!say(a, i, row, other, sizeof other))
			continue;
		if (!*first)
			memcpy(first, other, sizeof first);
		if (strcmp(first, other) != 0)
			return false;
	}
	return true;
}

hb_status hb__compare_given(const struct hb__assembly *a, bool *ret_same)
{
	const struct hb__call_shape *s = hb__call_shape_of(a, 0);
	struct row row;
	*ret_same = true;
	for (const char *at = s->means->given; next_row(&at, &row);) {
		if (!comparable(a, &row) || alike(a, &row))
			continue;
		char before[80];
		*ret_same = false;
		snprintf(before, sizeof before, "%.60s: ", s->function->name);
		return hb__tell_camps(a, &(struct hb__camps){HB_COLLECTIVE_VALUE, before, "has", "have",
						 "Give the same value on all processes.", say, &row});
	}
	return HB_OK;
}
