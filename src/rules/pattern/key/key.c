/* The graph of a key: its events are gone through in an order that keeps happened-before, so that each stands behind what it needs. */
#include "rules/pattern/key/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

struct making {
	struct hb__judging *g;
	hb_key_graph *graph;
	const char *const *value;
	uint32_t n;
	size_t vertices_room, processes_room, arcs_room;
	bool no_memory, too_many;
};

static bool is_key(const struct making *m, const hb_pattern_value *key, const uint8_t *at, uint32_t n)
{
	char text[256];
	bool same = n == m->n;
	for (uint32_t i = 0; same && i < n; i++)
		same = !strcmp(hb_judged_value(m->g->judgement, &key[at ? at[i] : i], text, sizeof text), m->value[i]);
	return same;
}

static hb_key_vertex *add(struct making *m)
{
	hb_key_graph *k = m->graph;
	m->too_many = k->vertices >= HB_KEY_VERTICES;
	if (m->too_many || !HB_GROW(k->vertex, m->vertices_room, k->vertices + 1)) {
		m->no_memory |= !m->too_many;
		return NULL;
	}
	hb_key_vertex *v = &k->vertex[k->vertices++];
	*v = (hb_key_vertex){.at = {HB_NO, 0}, .before = SIZE_MAX, .sent = SIZE_MAX};
	return v;
}

static bool same_keys(const struct making *m, const hb_key_vertex *a, const hb_key_vertex *b)
{
	bool same = a->binding == b->binding;
	for (uint32_t i = 0; same && i < m->g->binding[a->binding].nkeys; i++)
		same = a->key[i].number == b->key[i].number && a->key[i].text == b->key[i].text;
	return same;
}

/* Whether vertex i sent what v received: the first such that no other one received. */
static bool sent_it(const struct making *m, size_t i, const hb_key_vertex *v)
{
	const hb_key_vertex *s = &m->graph->vertex[i];
	return s->half == HB_PATTERN_SENT && !s->taken && !s->expected && same_keys(m, s, v) &&
	       (s->peer < 0 || s->peer == v->process) && (v->peer < 0 || v->peer == s->process);
}

/* What a vertex, the last one, comes behind. */
static void link_last(struct making *m)
{
	hb_key_graph *k = m->graph;
	size_t last = k->vertices - 1;
	hb_key_vertex *v = &k->vertex[last];
	for (size_t i = last; i-- > 0 && v->before == SIZE_MAX;)
		if (k->vertex[i].process == v->process && !k->vertex[i].expected)
			v->before = i;
	bool received = m->g->binding[v->binding].message && v->half == HB_PATTERN_RECEIVED;
	for (size_t i = 0; i < last && received && v->sent == SIZE_MAX; i++)
		if (sent_it(m, i, v)) {
			v->sent = i;
			k->vertex[i].taken = true;
		}
	if (v->before != SIZE_MAX)
		v->column = k->vertex[v->before].column + 1;
	if (v->sent != SIZE_MAX && k->vertex[v->sent].column >= v->column)
		v->column = k->vertex[v->sent].column + 1;
	k->columns = v->column >= k->columns ? v->column + 1 : k->columns;
}

static bool take(void *user, const hb_pattern_event *e)
{
	struct making *m = user;
	uint32_t n, nkeys = m->g->binding[e->binding].nkeys;
	const uint8_t *at = hb_pattern_each(m->g->pattern, e->binding, &n);
	bool exit;
	if (!is_key(m, e->key, at, n))
		return true;
	hb_pattern_value *key = hb__judge_alloc(m->g, ((size_t)nkeys + 1) * sizeof *key);
	hb_key_vertex *v = key ? add(m) : NULL;
	if (!v)
		return false;
	if (nkeys)
		memcpy(key, e->key, nkeys * sizeof *key);
	v->binding = e->binding;
	v->half = e->half;
	v->process = e->process;
	v->peer = e->peer;
	v->key = key;
	v->at = hb_history_at(e->id, &exit);
	link_last(m);
	return true;
}

/* What should come next, and which event is wrong. */
static bool take_verdict(struct making *m)
{
	hb_key_graph *k = m->graph;
	for (size_t i = 0; i < m->g->kept; i++) {
		const hb_pattern_verdict *v = &m->g->keep[i].v;
		bool exit;
		if (!is_key(m, v->key, NULL, v->nkeys))
			continue;
		k->state = v->state;
		for (size_t e = 0; e < k->vertices && v->wrong != HB_PATTERN_NONE; e++) {
			hb_at at = hb_history_at(v->wrong, &exit);
			k->vertex[e].wrong |= k->vertex[e].at.line == at.line && k->vertex[e].at.event == at.event;
		}
		for (uint32_t x = 0; x < v->nnext; x++) {
			hb_key_vertex *next = add(m);
			if (!next)
				return false;
			next->binding = v->next[x].binding;
			next->half = v->next[x].half;
			next->process = v->next[x].process;
			next->peer = v->next[x].peer;
			next->key = v->next[x].key;
			next->expected = true;
			link_last(m);
		}
	}
	return true;
}

/* ---- a vertex for each process ---- */

static size_t process_of(struct making *m, uint32_t process)
{
	hb_key_graph *k = m->graph;
	for (size_t i = 0; i < k->processes; i++)
		if (k->process[i].process == process)
			return i;
	if (!HB_GROW(k->process, m->processes_room, k->processes + 1)) {
		m->no_memory = true;
		return SIZE_MAX;
	}
	k->process[k->processes] = (hb_key_process){.process = process, .first = SIZE_MAX};
	return k->processes++;
}

static int by_process(const void *a, const void *b)
{
	const hb_key_process *x = a, *y = b;
	return x->process < y->process ? -1 : x->process > y->process;
}

static void add_arc(struct making *m, size_t from, size_t to, uint32_t binding)
{
	hb_key_graph *k = m->graph;
	for (size_t i = 0; i < k->arcs; i++)
		if (k->arc[i].from == from && k->arc[i].to == to && k->arc[i].binding == binding) {
			k->arc[i].messages++;
			return;
		}
	if (!HB_GROW(k->arc, m->arcs_room, k->arcs + 1))
		m->no_memory = true;
	else
		k->arc[k->arcs++] = (hb_key_arc){from, to, binding, 1};
}

static void coalesce(struct making *m)
{
	hb_key_graph *k = m->graph;
	for (size_t i = 0; i < k->vertices && !m->no_memory; i++)
		process_of(m, k->vertex[i].process);
	if (m->no_memory || !k->processes)
		return;
	qsort(k->process, k->processes, sizeof *k->process, by_process);
	for (size_t i = 0; i < k->vertices && !m->no_memory; i++) {
		const hb_key_vertex *v = &k->vertex[i];
		size_t here = process_of(m, v->process);
		hb_key_process *p = &k->process[here];
		p->stopped |= v->expected;
		p->events += !v->expected;
		p->last = v->expected ? p->last : i;
		if (p->first == SIZE_MAX) { /* it stands behind who sent it the first message */
			p->first = i;
			p->column = v->sent == SIZE_MAX
					    ? 0
					    : k->process[process_of(m, k->vertex[v->sent].process)].column + 1;
			k->process_columns = p->column >= k->process_columns ? p->column + 1 : k->process_columns;
		}
		if (v->sent != SIZE_MAX && !v->expected)
			add_arc(m, process_of(m, k->vertex[v->sent].process), here, v->binding);
	}
}

static hb_status no_such_key(const struct making *m, hb_error *err)
{
	char key[128] = "";
	for (uint32_t i = 0; i < m->n; i++) {
		size_t n = strlen(key);
		snprintf(key + n, sizeof key - n, "%s%.40s", i ? "," : "", m->value[i]);
	}
	if (err) {
		*err = (hb_error){.status = HB_E_ARGUMENT};
		if (m->too_many)
			snprintf(err->message, sizeof err->message,
				"key %s has more than %d events: a graph of it could not be read", key,
				HB_KEY_VERTICES);
		else
			snprintf(err->message, sizeof err->message,
				"no event of the run has the key %s: give all values of an `each` of the model, with commas between them",
				key);
	}
	return HB_E_ARGUMENT;
}

hb_status hb_key_graph_make(
	hb_judgement *judgement, const char *const *value, uint32_t n, hb_key_graph **ret_graph, hb_error *err)
{
	struct making m = {.g = judgement->own, .graph = calloc(1, sizeof *m.graph), .value = value, .n = n};
	*ret_graph = NULL;
	if (!m.graph)
		return hb__judge_no_memory(err);
	m.graph->state = HB_PATTERN_COMPLETE;
	hb_status status = hb_history_run(m.g->history, take, &m, NULL, NULL, err);
	if (!status && !m.too_many && !m.no_memory && take_verdict(&m))
		coalesce(&m);
	if (m.no_memory || m.g->no_memory)
		status = hb__judge_no_memory(err);
	else if (!status && (m.too_many || !m.graph->vertices))
		status = no_such_key(&m, err);
	if (status)
		hb_key_graph_free(m.graph);
	else
		*ret_graph = m.graph;
	return status;
}

void hb_key_graph_free(hb_key_graph *k)
{
	if (!k)
		return;
	free(k->vertex);
	free(k->process);
	free(k->arc);
	free(k);
}
