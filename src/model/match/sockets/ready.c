/* What was there when a call said that an end is ready: what its process takes from this end next. It happened before the call returned, as if
 * that had looked at the message; and what other answers of the same call name later could have been ready first (rules/race/ready.c).
 *
 * Nothing is said of an end that several processes take from, nor where another thread took something meanwhile: then somebody else may have got what was there. */
#include "model/match/sockets/sockets.h"

static int compare(uint32_t x, uint32_t y) { return x < y ? -1 : x > y; }

/* Of an end, then of a process, in the order of time. */
static int by_end(const void *a, const void *b, void *sockets)
{
	const struct hb__use *x = a, *y = b;
	if (x->end != y->end)
		return compare(x->end, y->end);
	if (x->process != y->process)
		return compare(x->process, y->process);
	int64_t p = hb__talk_of(sockets, x->talk)->enter, q = hb__talk_of(sockets, y->talk)->enter;
	if (p != q)
		return p < q ? -1 : 1;
	return x->talk != y->talk ? compare(x->talk, y->talk) : compare(x->kind, y->kind);
}

/* The first thing that came to the event, when that is sure and was there by then. */
static uint32_t came_to(const struct hb__sockets *s, uint32_t taken, uint32_t said)
{
	uint32_t first = s->to_first[taken], pair = first < s->to_first[taken + 1] ? s->to_pair[first] : HB_NO;
	if (pair == HB_NO || s->pairs.at[pair].ambiguous || s->pairs.at[pair].among)
		return HB_NO;
	uint32_t from = s->pairs.at[pair].from, p = hb__talker(s, from), q = hb__talker(s, said);
	bool late = hb__clock_of(s, p) == hb__clock_of(s, q) &&
		    hb__talk_of(s, from)->enter > hb__talk_of(s, said)->exit + hb__slack(s, p, q);
	return late ? HB_NO : pair;
}

/* The event of the line after which there was nothing yet: what it did with the end last. */
static uint32_t since(const struct hb__sockets *s, const struct hb__use *last, uint32_t end, uint32_t said)
{
	const struct hb__talk *t = hb__talk_of(s, said), *l = last ? hb__talk_of(s, last->talk) : NULL;
	bool inherited = !l && s->ends.at[end].connection != HB_NO;
	return l && l->line == t->line ? l->event : inherited ? 0 : t->event - 1;
}

/* Another thread took something while the one that was first to begin did: which of them was first is not known. */
static bool contested(const struct hb__sockets *s, const struct hb__use *use, size_t n, size_t first)
{
	int64_t exit = hb__talk_of(s, use[first].talk)->exit;
	bool yes = false;
	for (size_t i = first + 1; i < n && !yes && hb__talk_of(s, use[i].talk)->enter < exit; i++)
		yes = use[i].kind == HB__TOOK && use[i].talk != use[first].talk;
	return yes;
}

/* What one process did with one end. */
static void resolve(struct hb__sockets *s, const struct hb__use *use, size_t n, bool shared)
{
	const struct hb__use *last = NULL;
	int64_t busy = INT64_MIN; /* until when somebody took something */
	for (size_t i = 0, next = 0; i < n; i++) {
		const struct hb__talk *t = hb__talk_of(s, use[i].talk);
		if (use[i].kind == HB__TOOK && t->exit > busy)
			busy = t->exit;
		if (use[i].kind != HB__SAID) {
			last = use[i].kind == HB__SENT && last ? last : &use[i];
			continue;
		}
		for (next = next > i ? next : i + 1;
			next < n && use[next].kind != HB__TOOK && use[next].kind != HB__MADE;)
			next++;
		struct hb__ready *ready = &s->ready.at[use[i].ready];
		ready->since = since(s, last, use[i].end, use[i].talk);
		if (!shared && next < n && use[next].kind == HB__TOOK && busy <= t->enter &&
			hb__talk_of(s, use[next].talk)->enter >= t->exit && !contested(s, use, n, next))
			ready->pair = came_to(s, use[next].talk, use[i].talk);
	}
}

void hb__find_ready(struct hb__sockets *s)
{
	struct hb__use *use = s->uses.at;
	if (s->uses.n)
		qsort_r(use, s->uses.n, sizeof *use, by_end, s);
	for (size_t i = 0, end; i < s->uses.n; i = end) {
		bool shared = s->ends.at[use[i].end].takers;
		for (end = i; end < s->uses.n && use[end].end == use[i].end;)
			end++;
		for (size_t k = i, to; k < end; k = to) {
			for (to = k; to < end && use[to].process == use[k].process;)
				to++;
			resolve(s, use + k, to - k, shared);
		}
	}
	free(s->uses.at);
	memset(&s->uses, 0, sizeof s->uses);
}

void hb__on_ready(struct hb__reading *r, struct hb__sockets *s, uint32_t talk)
{
	while (s->next_ready < s->ready.n && s->ready.at[s->next_ready].talk < talk)
		s->next_ready++;
	for (; s->next_ready < s->ready.n && s->ready.at[s->next_ready].talk == talk; s->next_ready++) {
		struct hb__ready *ready = &s->ready.at[s->next_ready];
		const hb_row *row = r->event->row;
		hb_chosen chosen = {.at = {r->line, (uint32_t)row->number},
			.function = row->function,
			.site = row->site,
			.receive = HB_NO,
			.ready = true,
			.since = ready->since};
		if (!VEC_PUSH(&r->m->chosen, chosen)) {
			r->m->no_memory = true;
			return;
		}
		ready->chosen = (uint32_t)r->m->chosen.n - 1;
		if (ready->pair == HB_NO)
			continue;
		const struct hb__pair *p = &s->pairs.at[ready->pair];
		ready->probe =
			hb__add_probe(r, hb__group_number(r->m, &s->groups.at[p->group]), hb__talker(s, p->from));
	}
}

void hb__link_ready(struct hb__sockets *s)
{
	for (size_t i = 0; i < s->ready.n; i++) {
		const struct hb__ready *ready = &s->ready.at[i];
		const struct hb__pair *p = ready->pair == HB_NO ? NULL : &s->pairs.at[ready->pair];
		if (!p || ready->probe == HB_NO)
			continue;
		s->m->probes.at[ready->probe].send = p->send;
		s->m->chosen.at[ready->chosen].receive = p->receive;
	}
}
