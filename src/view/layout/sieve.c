/* What a filter lets pass: a bit for each event and each message. Made when a filter is first asked for, kept until
 * another one is. */
#include <stdlib.h>
#include <string.h>

#include "view/layout/parts.h"

static void drop(hb_layout *l, struct hb__sieve *s)
{
	for (uint32_t i = 0; i < l->info->lines; i++) {
		if (s->event) {
			free(s->event[i].word);
			free(s->event[i].before);
		}
		if (s->message) {
			free(s->message[i].word);
			free(s->message[i].before);
		}
	}
	free(s->event);
	free(s->message);
	free(s->function);
	free(s->group);
	*s = (struct hb__sieve){0};
}

void hb__sieve_free(hb_layout *l)
{
	if (l->info)
		drop(l, &l->sieve);
}

static bool same_list(const bool *a, const bool *b, uint32_t n)
{
	return (!a && !b) || (a && b && !memcmp(a, b, n * sizeof *a));
}

static bool same(const hb_layout *l, const struct hb__sieve *s, const hb_layout_filter *f)
{
	return s->used && s->has_tag == f->has_tag && (!f->has_tag || s->tag == f->tag) &&
	       same_list(s->function, f->function, l->names) && same_list(s->group, f->group, l->info->groups);
}

static bool copy(bool **to, const bool *from, uint32_t n)
{
	if (!from)
		return true;
	*to = calloc((size_t)n + 1, sizeof **to);
	if (*to)
		memcpy(*to, from, n * sizeof **to);
	return *to != NULL;
}

static bool make(struct hb__bits *b, uint32_t n)
{
	b->word = calloc((size_t)n / 64 + 1, sizeof *b->word);
	b->before = calloc((size_t)n / 64 + 1, sizeof *b->before);
	return b->word && b->before;
}

static void count(struct hb__bits *b, uint32_t n)
{
	uint32_t sum = 0;
	for (size_t i = 0; i <= n / 64; i++) {
		b->before[i] = sum;
		sum += (uint32_t)__builtin_popcountll(b->word[i]);
	}
}

/* Messages are looked up in any order: a bit of each fits into a near cache, the messages themselves do not. */
struct making {
	hb_layout *l;
	struct hb__sieve *s;
	uint64_t *belongs; /* by send: of the wanted group and tag; NULL: all */
	uint64_t *called;  /* by send: the call at one end is a wanted function; NULL: all */
};

static bool marked(const uint64_t *bits, uint32_t i) { return !bits || bits[i / 64] >> i % 64 & 1; }
static void mark(uint64_t *bits, uint32_t i) { bits[i / 64] |= (uint64_t)1 << i % 64; }

/* ---- groups and tags ---- */

static bool in_group(const struct hb__sieve *s, uint32_t group) { return !s->group || s->group[group]; }

static bool choose_belonging(struct making *m)
{
	const hb_channel *c = hb_model_channels(m->l->model);
	const hb_send *send = hb_model_sends(m->l->model);
	if (!m->s->has_tag && !m->s->group)
		return true;
	m->belongs = calloc((size_t)m->l->info->sends / 64 + 1, sizeof *m->belongs);
	uint8_t *channel = calloc((size_t)m->l->info->channels + 1, 1);
	for (uint32_t i = 0; channel && i < m->l->info->channels; i++)
		channel[i] = (!m->s->has_tag || c[i].tag == m->s->tag) && in_group(m->s, c[i].group);
	for (uint32_t i = 0; channel && m->belongs && i < m->l->info->sends; i++)
		m->belongs[i / 64] |= (uint64_t)channel[send[i].channel] << i % 64;
	bool good = channel && m->belongs;
	free(channel);
	return good;
}

/* A receive or probe: as the message says, or as it was asked for when it got none. */
static bool asked(const struct making *m, uint32_t send, uint32_t spec)
{
	if (send != HB_NO)
		return marked(m->belongs, send);
	const hb_spec *s = &hb_model_specs(m->l->model)[spec];
	return (!m->s->has_tag || s->tag == m->s->tag) && in_group(m->s, s->group);
}

static bool op_wanted(const struct making *m, const hb_op *o)
{
	const hb_model *model = m->l->model;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_SEND:
	case HB_OP_SENT:
		return marked(m->belongs, o->id);
	case HB_OP_POST:
	case HB_OP_RECEIVED: {
		const hb_receive *v = &hb_model_receives(model)[o->id];
		return asked(m, v->send, v->spec);
	}
	case HB_OP_PROBED: {
		const hb_probe *p = &hb_model_probes(model)[o->id];
		return asked(m, p->send, p->spec);
	}
	case HB_OP_ENTER:
	case HB_OP_LEAVE:
		return !m->s->has_tag && in_group(m->s, hb_model_collectives(model)[o->id].group);
	case HB_OP_TELL:
	case HB_OP_TOLD:
	case HB_OP_PASS:
		break;
	}
	return false;
}

/* ---- lines ---- */

static void sift_events(struct making *m, uint32_t line)
{
	const struct hb__track *t = &m->l->track[line];
	struct hb__bits *b = &m->s->event[line];
	const bool *function = m->s->function;
	if (m->s->has_tag || m->s->group) {
		uint64_t n;
		const hb_op *op = hb_model_ops(m->l->model, line, &n);
		for (uint64_t i = 0; i < n; i++)
			if ((!function || function[hb__function_of(t, op[i].event - 1)]) && op_wanted(m, &op[i]))
				mark(b->word, op[i].event - 1);
	} else {
		for (uint32_t i = 0; i < t->n; i++)
			b->word[i / 64] |= (uint64_t)function[hb__function_of(t, i)] << i % 64;
	}
	count(b, t->n);
}

/* Messages that a wanted function sends or receives on this line. */
static void choose_called(struct making *m, uint32_t line)
{
	const struct hb__track *t = &m->l->track[line];
	uint64_t n;
	const hb_op *op = hb_model_ops(m->l->model, line, &n);
	for (uint64_t i = 0; i < n; i++) {
		if ((op[i].kind != HB_OP_RECEIVED && op[i].kind != HB_OP_SEND) ||
			!m->s->function[hb__function_of(t, op[i].event - 1)])
			continue;
		uint32_t send = op[i].kind == HB_OP_SEND ? op[i].id : hb_model_receives(m->l->model)[op[i].id].send;
		if (send != HB_NO)
			mark(m->called, send);
	}
}

static void sift_messages(struct making *m, uint32_t line)
{
	const struct hb__line_sends *sent = &m->l->track[line].sent;
	struct hb__bits *b = &m->s->message[line];
	for (uint32_t k = 0; k < sent->n; k++) {
		uint32_t id = hb__sent_id(sent, k);
		b->word[k / 64] |= (uint64_t)(marked(m->belongs, id) && marked(m->called, id)) << k % 64;
	}
	count(b, sent->n);
}

static bool build(struct making *m)
{
	uint32_t lines = m->l->info->lines;
	m->s->event = calloc((size_t)lines + 1, sizeof *m->s->event);
	m->s->message = calloc((size_t)lines + 1, sizeof *m->s->message);
	m->called = m->s->function ? calloc((size_t)m->l->info->sends / 64 + 1, sizeof *m->called) : NULL;
	if (!m->s->event || !m->s->message || (m->s->function && !m->called) || !choose_belonging(m))
		return false;
	for (uint32_t i = 0; i < lines; i++) {
		if (!make(&m->s->event[i], m->l->track[i].n) || !make(&m->s->message[i], m->l->track[i].sent.n))
			return false;
		sift_events(m, i);
		if (m->called)
			choose_called(m, i);
	}
	for (uint32_t i = 0; i < lines; i++)
		sift_messages(m, i);
	return true;
}

const struct hb__sieve *hb__sieve_of(hb_layout *l, const hb_layout_filter *f, bool *ret_failed)
{
	struct hb__sieve *s = &l->sieve;
	*ret_failed = false;
	if (!f || (!f->function && !f->group && !f->has_tag))
		return NULL;
	if (same(l, s, f))
		return s;
	drop(l, s);
	s->has_tag = f->has_tag;
	s->tag = f->tag;
	struct making m = {.l = l, .s = s};
	*ret_failed =
		!copy(&s->function, f->function, l->names) || !copy(&s->group, f->group, l->info->groups) || !build(&m);
	free(m.belongs);
	free(m.called);
	if (*ret_failed)
		drop(l, s);
	s->used = !*ret_failed;
	return s;
}
