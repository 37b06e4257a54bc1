/* What the exits of a line need, for the PAST of an event of a divided model (clock/cone.c). All members walk through the same PAST, each
 * line from its first event on; whom a line belongs to tells the others what its exits need, in pieces, and more than was asked for: of all his
 * lines, and the more the further the walk has come. Nobody keeps what was looked at. */
#include "model/clock/clock.h"
#include "model/part/inside.h"

#define ROOM (1u << 20) /* needs that are read ahead, of all lines together, about */
#define FIRST 64u       /* of a line at first */
#define CACHED 256u     /* collectives of which it is known where all have entered */

struct ahead {
	VEC(struct hb__need) needs;
	size_t taken;
	uint32_t have; /* events whose needs have come */
	size_t op;     /* own lines: the next operation */
	uint32_t piece;
	bool wanted;
};

struct entered {
	uint32_t collective; /* HB_NO: none */
	hb_at *at;           /* by process */
};

struct hb__needs {
	const hb_model *m;
	const struct hb__part *p;
	struct ahead *lines;
	VEC(struct hb__need) letter;
	uint32_t *own; /* by collective of the whole: the own number, HB_NO: none */
	struct entered *entered;
	uint32_t most; /* the longest piece */
};

struct hb__needs *hb__needs_open(const hb_model *m)
{
	struct hb__needs *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->m = m;
	s->p = m->part;
	s->most = ROOM / ((uint32_t)m->lines.n + 1);
	s->most = s->most < FIRST ? FIRST : s->most;
	s->lines = calloc(m->lines.n + 1, sizeof *s->lines);
	s->own = malloc(((size_t)s->p->nmeetings + 1) * sizeof *s->own);
	s->entered = calloc(CACHED, sizeof *s->entered);
	if (!s->lines || !s->own || !s->entered) {
		hb__needs_close(s);
		return NULL;
	}
	for (size_t l = 0; l < m->lines.n; l++)
		s->lines[l].piece = FIRST;
	memset(s->own, 0xff, ((size_t)s->p->nmeetings + 1) * sizeof *s->own);
	for (uint32_t i = 0; i < m->collectives.n; i++)
		s->own[s->p->collective[i]] = i;
	for (size_t i = 0; i < CACHED; i++)
		s->entered[i].collective = HB_NO;
	return s;
}

void hb__needs_close(struct hb__needs *s)
{
	if (!s)
		return;
	for (size_t l = 0; s->lines && l < s->m->lines.n; l++)
		free(s->lines[l].needs.at);
	for (size_t i = 0; s->entered && i < CACHED; i++)
		free(s->entered[i].at);
	free(s->lines);
	free(s->letter.at);
	free(s->own);
	free(s->entered);
	free(s);
}

/* ---- an operation becomes what it needs ---- */

static uint32_t came(const struct hb__needs *s, uint32_t event, hb_link_kind kind, uint32_t send, struct hb__need *to)
{
	const hb_send *from = &s->m->sends.at[send];
	*to = (struct hb__need){event, (uint32_t)kind, send, {from->line, from->event}};
	return 1;
}

/* Two of one event stand in the order in which they are read backwards. */
static uint32_t write_need(const struct hb__needs *s, uint32_t line, const hb_op *o, struct hb__need *to)
{
	const hb_model *m = s->m;
	const hb_receive *v = o->kind == HB_OP_RECEIVED ? &m->receives.at[o->id] : NULL;
	const struct hb__fate *fate;
	uint32_t n = 0;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_RECEIVED:
		if (v->send != HB_NO)
			n += came(s, o->event, HB_LINK_MESSAGE, v->send, to);
		if (v->line != line)
			to[n++] = (struct hb__need){
				o->event, HB_LINK_REQUEST, hb__whole_receive(s->p, o->id), {v->line, v->post}};
		return n;
	case HB_OP_PROBED:
		return m->probes.at[o->id].send == HB_NO
			       ? 0
			       : came(s, o->event, HB_LINK_PROBE, m->probes.at[o->id].send, to);
	case HB_OP_SENT:
		fate = hb__fate_of(s->p, hb__whole_send(s->p, o->id));
		if (!fate || !fate->taken)
			return 0;
		*to = (struct hb__need){o->event, HB_LINK_SYNC, fate->receive, {fate->line, fate->post}};
		return 1;
	case HB_OP_LEAVE:
		*to = (struct hb__need){o->event, HB_LINK_COLLECTIVE, s->p->collective[o->id], {HB_NO, 0}};
		return 1;
	case HB_OP_TOLD:
		*to = (struct hb__need){o->event,
			hb_edge_from_exit(m->edges.at[o->id].kind) ? HB_LINK_EXIT : HB_LINK_EDGE, o->id,
			m->edges.at[o->id].from};
		return 1;
	default:
		return 0;
	}
}

/* Behind the letter: how many there are and up to which event that is all, then these. */
static bool write_piece(struct hb__needs *s, uint32_t line, uint32_t to)
{
	struct ahead *a = &s->lines[line];
	size_t head = s->letter.n++;
	uint32_t n = 0, have = 0;
	for (; a->op < s->p->ops[line].n; a->op++) {
		const hb_op *o = &s->p->ops[line].at[a->op];
		if (n >= a->piece && o->event > to && o->event > have)
			break;
		have = o->event;
		if (!VEC_GROW(&s->letter, s->letter.n + 3))
			return false;
		uint32_t more = write_need(s, line, o, s->letter.at + s->letter.n);
		s->letter.n += more;
		n += more;
	}
	if (a->op == s->p->ops[line].n)
		have = s->m->lines.at[line].events;
	if (!VEC_GROW(&s->letter, s->letter.n + 1))
		return false;
	s->letter.at[head] = (struct hb__need){.event = have, .id = n};
	return true;
}

static bool take_piece(struct hb__needs *s, struct ahead *a, const struct hb__need *piece)
{
	size_t left = a->needs.n - a->taken, n = piece->id;
	if (left)
		memmove(a->needs.at, a->needs.at + a->taken, left * sizeof *a->needs.at);
	a->taken = 0;
	a->needs.n = left;
	if (!VEC_GROW(&a->needs, left + n + 1))
		return false;
	memcpy(a->needs.at + left, piece + 1, n * sizeof *piece);
	a->needs.n += n;
	a->have = piece->event;
	a->piece = 2 * a->piece < s->most ? 2 * a->piece : s->most;
	return true;
}

/* All members know from the same queues which lines have more to come. */
static bool fetch(struct hb__needs *s, uint32_t line, uint32_t to)
{
	const hb_model *m = s->m;
	const hb_team *team = s->p->team;
	uint32_t from = s->p->main[m->lines.at[line].process];
	bool good = true;
	s->letter.n = 0;
	for (uint32_t l = 0; l < m->lines.n; l++) {
		struct ahead *a = &s->lines[l];
		bool low = a->have < m->lines.at[l].events && a->needs.n - a->taken <= a->piece / 8;
		a->wanted = s->p->main[m->lines.at[l].process] == from && (l == line || low);
		if (a->wanted && from == team->rank)
			good = good && VEC_GROW(&s->letter, s->letter.n + 1) && write_piece(s, l, l == line ? to : 0);
	}
	if (!good)
		return false;
	uint64_t n = s->letter.n;
	team->broadcast(team->user, from, &n, sizeof n);
	if (!VEC_GROW(&s->letter, n + 1))
		return false;
	team->broadcast(team->user, from, s->letter.at, n * sizeof *s->letter.at);
	const struct hb__need *piece = s->letter.at;
	for (uint32_t l = 0; good && l < m->lines.n; l++)
		if (s->lines[l].wanted) {
			good = take_piece(s, &s->lines[l], piece);
			piece += 1 + piece->id;
		}
	return good;
}

const struct hb__need *hb__needs_up_to(struct hb__needs *s, uint32_t line, uint32_t to, size_t *ret_n)
{
	struct ahead *a = &s->lines[line];
	if (a->have < to && !fetch(s, line, to))
		return NULL;
	size_t from = a->taken;
	while (a->taken < a->needs.n && a->needs.at[a->taken].event <= to)
		a->taken++;
	*ret_n = a->taken - from;
	static const struct hb__need none;
	return a->needs.at ? a->needs.at + from : &none;
}

/* ---- collectives ---- */

struct enter {
	uint32_t process;
	hb_at at;
};

static bool gather_enters(struct hb__needs *s, uint32_t collective, struct entered *ret)
{
	const hb_model *m = s->m;
	const hb_team *team = s->p->team;
	VEC(struct enter) own = {0};
	bool good = true;
	for (uint32_t i = s->p->spoken; good && s->own[collective] != HB_NO && i < s->p->end; i++) {
		hb_at at = hb_collective_enter(m, s->own[collective], i);
		if (at.line != HB_NO)
			good = VEC_PUSH(&own, ((struct enter){i, at}));
	}
	size_t *bytes = calloc(team->size, sizeof *bytes), n = 0;
	struct enter *all = good && bytes ? team->gather(team->user, own.at, own.n * sizeof *own.at, bytes) : NULL;
	if (!ret->at)
		ret->at = malloc((m->processes.n + 1) * sizeof *ret->at);
	good = all && ret->at;
	for (size_t i = 0; good && i < m->processes.n; i++)
		ret->at[i] = (hb_at){HB_NO, 0};
	for (uint32_t i = 0; good && i < team->size; i++)
		n += bytes[i] / sizeof *all;
	for (size_t i = 0; i < n; i++)
		ret->at[all[i].process] = all[i].at;
	ret->collective = good ? collective : HB_NO;
	free(own.at);
	free(all);
	free(bytes);
	return good;
}

const hb_at *hb__needs_enters(struct hb__needs *s, uint32_t collective)
{
	struct entered *e = &s->entered[collective % CACHED];
	return e->collective == collective || gather_enters(s, collective, e) ? e->at : NULL;
}

/* ---- what the links of a chain are about ---- */

static void of_message(const hb_model *m, uint32_t send, hb_link_fact *ret)
{
	const hb_channel *c = &m->channels.at[m->sends.at[send].channel];
	ret->group = c->group;
	ret->tag = c->tag;
	ret->bytes = hb_send_bytes(m, send);
	ret->ambiguous = m->sends.at[send].flags & HB_AMBIGUOUS;
}

static void of_collective(const hb_model *m, uint32_t id, hb_link_fact *ret)
{
	if (m->part) { /* one in which calls differ is refused */
		const struct hb__meeting *c = &m->part->meetings[id];
		*ret = (hb_link_fact){
			.group = c->group, .number = c->number, .process = c->process, .function = c->function};
		return;
	}
	const hb_collective *c = &m->collectives.at[id];
	*ret = (hb_link_fact){.group = c->group,
		.number = c->number,
		.process = c->process,
		.function = c->function,
		.differs = c->differs};
}

/* False: another member knows it. */
static bool fact_of(const hb_model *m, const hb_link *l, hb_link_fact *ret)
{
	const struct hb__part *p = m->part;
	uint32_t from = m->lines.at[l->from.line].process, to = m->lines.at[l->to.line].process;
	switch (l->kind) {
	case HB_LINK_MESSAGE:
	case HB_LINK_PROBE:
		if (p && !hb__speaks(p, to))
			return false;
		of_message(m, l->id, ret);
		return true;
	case HB_LINK_SYNC:
		if (p && !hb__speaks(p, from))
			return false;
		/* of a divided model the id is that of the receive: who has it has the message */
		of_message(m, p ? m->receives.at[hb__own_receive(p, l->id)].send : l->id, ret);
		return true;
	case HB_LINK_COLLECTIVE:
		of_collective(m, l->id, ret);
		return true;
	case HB_LINK_EDGE:
	case HB_LINK_EXIT:
		if (p && !hb__speaks(p, to))
			return false;
		ret->edge = m->edges.at[l->id].kind;
		return true;
	case HB_LINK_PROGRAM:
	case HB_LINK_REQUEST:
	case HB_LINK_START:
		return true;
	}
	return true;
}

struct numbered {
	size_t nth;
	hb_link_fact fact;
};

hb_status hb_link_facts(hb_model *m, const hb_link *chain, size_t n, hb_link_fact *ret, hb_error *err)
{
	VEC(struct numbered) own = {0};
	bool good = true;
	for (size_t i = 0; i < n; i++) {
		ret[i] = (hb_link_fact){0};
		if (fact_of(m, &chain[i], &ret[i]) && m->part)
			good = good && VEC_PUSH(&own, ((struct numbered){i, ret[i]}));
	}
	if (!m->part)
		return HB_OK;
	const hb_team *team = m->part->team;
	size_t *bytes = calloc(team->size, sizeof *bytes), all = 0;
	struct numbered *every = good && bytes ? team->gather(team->user, own.at, own.n * sizeof *own.at, bytes) : NULL;
	for (uint32_t i = 0; every && i < team->size; i++)
		all += bytes[i] / sizeof *every;
	for (size_t i = 0; i < all; i++)
		ret[every[i].nth] = every[i].fact;
	good = every != NULL;
	free(every);
	free(own.at);
	free(bytes);
	return good ? HB_OK : hb__no_memory(err);
}

bool hb__part_first(const hb_model *m) { return !m->part || !m->part->team->rank; }

bool hb__part_share(const hb_model *m, hb_link **at, size_t *room, size_t *n)
{
	const hb_team *team = m->part->team;
	uint64_t all = *n;
	team->broadcast(team->user, 0, &all, sizeof all);
	if (!HB_GROW(*at, *room, all + 1))
		return false;
	*n = all;
	team->broadcast(team->user, 0, *at, all * sizeof **at);
	return true;
}

hb_collective hb__part_collective(const hb_model *m, uint32_t id)
{
	const struct hb__meeting *c = &m->part->meetings[id];
	return (hb_collective){
		.group = c->group, .order = (hb_order)c->order, .root = c->root, .both_sides = c->both_sides};
}
