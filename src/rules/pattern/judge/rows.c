/* The table: where each key stands. */
#include <stdio.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

static bool same_keys(const hb_judged_row *a, uint32_t n, const hb_pattern_value *key)
{
	bool same = a->nkeys == n;
	for (uint32_t i = 0; same && i < n; i++)
		same = a->key[i].number == key[i].number && a->key[i].text == key[i].text;
	return same;
}

/* Whether a word is among those joined by "/". */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; (p = strstr(p, word)) != NULL; p += n)
		if ((p == words || p[-1] == '/') && (!p[n] || p[n] == '/'))
			return true;
	return false;
}

static const char *of_words(struct hb__judging *g, const hb_pattern_verdict *v)
{
	char text[512] = "", value[256];
	for (uint32_t i = 0; i < v->nkeys; i++) {
		size_t n = strlen(text);
		snprintf(text + n, sizeof text - n, "%s%s", i ? "," : "",
			hb_judged_value(g->judgement, &v->key[i], value, sizeof value));
	}
	return hb__judge_text(g, text);
}

static hb_status add(
	struct hb__judging *g, const hb_pattern_verdict *v, const hb_pattern_next *x, size_t from, hb_error *err)
{
	hb_judgement *j = g->judgement;
	const hb_pattern_binding *b = &g->binding[x->binding];
	const char *in = hb__place_words(g, x);
	for (size_t i = from; i < j->rows; i++) {
		hb_judged_row *r = &j->row[i];
		char text[400];
		if (r->process != x->process || !same_keys(r, b->nkeys, x->key))
			continue;
		if (has_word(r->in, in))
			return HB_OK;
		snprintf(text, sizeof text, "%s/%s", r->in, in);
		r->in = hb__judge_text(g, text);
		return r->in ? HB_OK : hb__judge_no_memory(err);
	}
	const char *of = of_words(g, v);
	if (!of || !HB_GROW(j->row, g->rows_room, j->rows + 1))
		return hb__judge_no_memory(err);
	j->row[j->rows++] = (hb_judged_row){.state = v->state,
		.of = of,
		.nkeys = b->nkeys,
		.key_name = b->key_name,
		.key = x->key,
		.process = x->process,
		.in = in};
	return HB_OK;
}

hb_status hb__judge_rows(struct hb__judging *g, hb_error *err)
{
	hb_status status = HB_OK;
	for (size_t i = 0; i < g->kept && !status; i++) {
		const hb_pattern_verdict *v = &g->keep[i].v;
		size_t from = g->judgement->rows;
		if (v->state != HB_PATTERN_STOPPED)
			continue;
		for (uint32_t k = 0; k < v->nnext && !status; k++)
			status = add(g, v, &v->next[k], from, err);
	}
	return status;
}
