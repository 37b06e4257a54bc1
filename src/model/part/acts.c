/* The operations of all lines, in pieces: whom a line belongs to writes the next piece of it, with what only he knows of the messages, and
 * all get it. As everybody runs the same pass, everybody wants the same piece at the same time. */
#include "model/part/inside.h"

#define ROOM (1u << 20) /* acts that are held, of all lines together, about */

struct queue {
	struct hb__act *at;
	uint32_t n, next;
	size_t op;  /* own lines: the next operation */
	bool ended; /* its last one is here */
};

struct hb__acts {
	const hb_model *m;
	const struct hb__part *p;
	struct queue *lines;
	uint32_t piece;
	VEC(struct hb__act) letter; /* pieces that are sent, or came, one after the other */
	bool *wanted;               /* by line: whether it has one of these */
	const bool *drop_receive, *drop_probe;
};

struct hb__acts *hb__acts_open(const hb_model *m, const bool *drop_receive, const bool *drop_probe)
{
	struct hb__acts *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->m = m;
	a->p = m->part;
	a->drop_receive = drop_receive;
	a->drop_probe = drop_probe;
	a->piece = ROOM / ((uint32_t)m->lines.n + 1);
	a->piece = a->piece < 16 ? 16 : a->piece > 16384 ? 16384 : a->piece;
	a->lines = calloc(m->lines.n + 1, sizeof *a->lines);
	a->wanted = calloc(m->lines.n + 1, sizeof *a->wanted);
	if (a->lines && a->wanted)
		return a;
	hb__acts_close(a);
	return NULL;
}

void hb__acts_close(struct hb__acts *a)
{
	if (!a)
		return;
	for (size_t i = 0; a->lines && i < a->m->lines.n; i++)
		free(a->lines[i].at);
	free(a->lines);
	free(a->letter.at);
	free(a->wanted);
	free(a);
}

/* ---- an operation becomes an act, or several ---- */

static uint32_t sent_out(const struct hb__acts *a, const hb_op *o, struct hb__act *to)
{
	const struct hb__part *p = a->p;
	uint32_t dest = a->m->channels.at[p->own.at[o->id].channel].dest, send = hb__whole_send(p, o->id);
	const struct hb__fate *fate = dest == HB_NO ? NULL : hb__fate_of(p, send);
	bool kept = dest != HB_NO && (!fate || fate->kept);
	*to = (struct hb__act){o->event, HB__ACT_SEND, kept ? HB__ACT_KEPT : 0, send, dest, 0};
	return 1;
}

/* A synchronous send is over when its receive was posted. */
static uint32_t completed(const struct hb__acts *a, const hb_op *o, struct hb__act *to)
{
	const struct hb__fate *fate = hb__fate_of(a->p, hb__whole_send(a->p, o->id));
	if (!fate || !fate->taken || (a->drop_receive && fate->dropped))
		return 0;
	uint16_t flags = fate->elsewhere ? 0 : HB__ACT_LAST;
	*to = (struct hb__act){o->event, HB__ACT_AWAIT, flags, fate->receive, fate->line, fate->post};
	return 1;
}

/* Who waits for the posting: a synchronous sender, another thread that completes it. */
static uint32_t posted(const struct hb__acts *a, const hb_op *o, struct hb__act *to)
{
	const hb_receive *v = &a->m->receives.at[o->id];
	bool asked = v->flags & HB_ELSEWHERE || (v->send != HB_NO && a->m->sends.at[v->send].flags & HB_SYNCHRONOUS);
	if (asked)
		*to = (struct hb__act){o->event, HB__ACT_POST, 0, hb__whole_receive(a->p, o->id), HB_NO, 0};
	return asked;
}

static uint32_t came(const struct hb__acts *a, const hb_op *o, uint32_t send, bool last, struct hb__act *to)
{
	const hb_send *s = &a->m->sends.at[send];
	uint16_t flags = last && !(s->flags & HB_CHOSEN) ? HB__ACT_LAST : 0;
	*to = (struct hb__act){o->event, HB__ACT_RECEIVED, flags, a->p->send_number[send], s->line, s->event};
	return 1;
}

static uint32_t received(const struct hb__acts *a, uint32_t line, const hb_op *o, struct hb__act *to)
{
	const hb_receive *v = &a->m->receives.at[o->id];
	uint32_t n = 0;
	if (v->post == o->event && v->line == line)
		n += posted(a, o, to);
	if (v->line != line)
		to[n++] =
			(struct hb__act){o->event, HB__ACT_AWAIT, 0, hb__whole_receive(a->p, o->id), v->line, v->post};
	if (v->send != HB_NO && !(a->drop_receive && a->drop_receive[o->id]))
		n += came(a, o, v->send, true, to + n);
	return n;
}

static uint32_t write_act(const struct hb__acts *a, uint32_t line, const hb_op *o, struct hb__act *to)
{
	const struct hb__part *p = a->p;
	switch ((hb_op_kind)o->kind) {
	case HB_OP_SEND:
		return sent_out(a, o, to);
	case HB_OP_SENT:
		return completed(a, o, to);
	case HB_OP_POST:
		return posted(a, o, to);
	case HB_OP_RECEIVED:
		return received(a, line, o, to);
	case HB_OP_PROBED:
		if (a->m->probes.at[o->id].send == HB_NO || (a->drop_probe && a->drop_probe[o->id]))
			return 0;
		return came(a, o, a->m->probes.at[o->id].send, false, to);
	case HB_OP_ENTER:
	case HB_OP_LEAVE:
		*to = (struct hb__act){o->event, o->kind == HB_OP_ENTER ? HB__ACT_ENTER : HB__ACT_LEAVE, 0,
			p->collective[o->id], HB_NO, 0};
		return 1;
	case HB_OP_TELL:
	case HB_OP_PASS:
		*to = (struct hb__act){o->event, HB__ACT_TELL, 0, p->edges_before + o->id, HB_NO, 0};
		return 1;
	case HB_OP_TOLD: {
		hb_at from = a->m->edges.at[o->id].from;
		*to = (struct hb__act){o->event, HB__ACT_TOLD, 0, p->edges_before + o->id, from.line, from.event};
		return 1;
	}
	}
	return 0;
}

/* The next piece of an own line is put behind the letter; its first element says how many there are. */
static bool write_piece(struct hb__acts *a, uint32_t line)
{
	struct queue *q = &a->lines[line];
	size_t head = a->letter.n;
	if (!VEC_GROW(&a->letter, head + a->piece + 4))
		return false;
	struct hb__act *room = a->letter.at + head;
	uint32_t n = 0;
	while (n < a->piece && q->op < a->p->ops[line].n)
		n += write_act(a, line, &a->p->ops[line].at[q->op++], room + 1 + n);
	if (n < a->piece)
		room[1 + n++] = (struct hb__act){a->m->lines.at[line].events, HB__ACT_END, 0, 0, HB_NO, 0};
	room[0] = (struct hb__act){.id = n};
	a->letter.n += 1 + n;
	return true;
}

/* Puts a piece that came behind what is left of the line's. */
static bool take_piece(struct queue *q, const struct hb__act *piece)
{
	uint32_t left = q->n - q->next, n = piece->id;
	struct hb__act *at = malloc(((size_t)left + n + 1) * sizeof *at);
	if (!at)
		return false;
	if (left)
		memcpy(at, q->at + q->next, left * sizeof *at);
	memcpy(at + left, piece + 1, n * sizeof *at);
	free(q->at);
	*q = (struct queue){at, left + n, 0, q->op, q->ended || (n && piece[n].kind == HB__ACT_END)};
	return true;
}

/* Who has the line sends the next pieces of all its lines that are nearly used up: lines go on alike, and a message for each would cost
 * a wait for each. All members know from the same queues which these are. */
static bool fetch(struct hb__acts *a, uint32_t line)
{
	const hb_team *team = a->p->team;
	uint32_t from = a->p->main[a->m->lines.at[line].process];
	bool good = true;
	a->letter.n = 0;
	for (uint32_t l = 0; l < a->m->lines.n; l++) {
		const struct queue *q = &a->lines[l];
		a->wanted[l] =
			a->p->main[a->m->lines.at[l].process] == from && !q->ended && q->n - q->next <= a->piece / 4;
		if (a->wanted[l] && from == team->rank)
			good = good && write_piece(a, l);
	}
	if (!good)
		return false;
	uint64_t n = a->letter.n;
	team->broadcast(team->user, from, &n, sizeof n);
	if (!VEC_GROW(&a->letter, n + 1))
		return false;
	team->broadcast(team->user, from, a->letter.at, n * sizeof *a->letter.at);
	const struct hb__act *piece = a->letter.at;
	for (uint32_t l = 0; good && l < a->m->lines.n; l++)
		if (a->wanted[l]) {
			good = take_piece(&a->lines[l], piece);
			piece += 1 + piece->id;
		}
	return good;
}

const struct hb__act *hb__act(struct hb__acts *a, uint32_t line)
{
	struct queue *q = &a->lines[line];
	return q->next < q->n || fetch(a, line) ? &q->at[q->next] : NULL;
}

void hb__act_done(struct hb__acts *a, uint32_t line) { a->lines[line].next++; }
