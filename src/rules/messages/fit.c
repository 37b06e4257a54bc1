/* Types and lengths of messages that met: what was sent must be the beginning of what there is room for. */
#include <stdio.h>
#include <string.h>

#include "rules/messages/messages.h"

#define KNOWN 4096 /* pairs of calls whose data were compared */

struct fitting {
	struct hb__letters *l;
	struct {
		uint32_t send, receive; /* calls, each + 1 */
		bool good;
	} known[KNOWN];
};

struct meeting {
	uint32_t send, receive;
	hb_data sent, room;
	struct hb__data_difference d;
	uint64_t bytes, space;
	bool possible;
	const char *from, *to;
	char sent_text[200], room_text[200];
	hb_point point[2];
};

static uint64_t size_of(const hb_data *d)
{
	const hb_datatype *t = d->type >= 0 && d->type < HB_NO ? hb_log_datatype(d->log, (uint32_t)d->type) : NULL;
	return t && d->count > 0 ? t->size * (uint64_t)d->count : 0;
}

static hb_status tell_type(struct hb__letters *l, const struct meeting *m)
{
	return hb__finding(l->c, HB_MESSAGE_TYPE, m->possible,
		"Make both calls describe the same basic datatypes in the same order.", m->point, 2, l->err,
		"rank %s sends %s with %s and rank %s receives it as %s with %s: element %llu is %s where it is sent and %s "
		"where it is received",
		m->from, m->sent_text, hb__letter_send_name(l, m->send), m->to, m->room_text,
		hb__letter_receive_name(l, m->receive), (unsigned long long)m->d.position + 1, m->d.name_a,
		m->d.name_b);
}

static hb_status tell_bytes(struct hb__letters *l, const struct meeting *m)
{
	return hb__finding(l->c, HB_MESSAGE_BYTES, m->possible,
		"MPI_BYTE only matches MPI_BYTE: use it on both sides, or the datatype of the elements on both.",
		m->point, 2, l->err,
		"rank %s sends %s with %s and rank %s receives it as %s with %s: MPI_BYTE data is not converted between machines with different data formats",
		m->from, m->sent_text, hb__letter_send_name(l, m->send), m->to, m->room_text,
		hb__letter_receive_name(l, m->receive));
}

static hb_status tell_truncated(struct hb__letters *l, const struct meeting *m)
{
	return hb__finding(l->c, HB_MESSAGE_TRUNCATED, m->possible,
		"The count of a receive is the longest message that it accepts: make it large enough, or ask MPI_Probe and MPI_Get_count for the length first.",
		m->point, 2, l->err,
		"the message that rank %s sends with %s, %s, is longer than what rank %s has room for in %s, %s: %llu "
		"bytes for a buffer of %llu",
		m->from, hb__letter_send_name(l, m->send), m->sent_text, m->to, hb__letter_receive_name(l, m->receive),
		m->room_text, (unsigned long long)m->bytes, (unsigned long long)m->space);
}

static void describe(struct hb__letters *l, struct meeting *m)
{
	char role[160];
	const hb_channel *c = &l->channel[l->send[m->send].channel];
	m->from = hb__letter_name(l, c->source);
	m->to = hb__letter_name(l, c->dest);
	hb__data_text(&m->sent, m->sent_text, sizeof m->sent_text);
	hb__data_text(&m->room, m->room_text, sizeof m->room_text);
	snprintf(role, sizeof role, "has room for %.120s", m->room_text);
	m->point[0] = hb__letter_post_point(l, m->receive, role);
	snprintf(role, sizeof role, "sends %.100s with tag %d", m->sent_text, c->tag);
	m->point[1] = hb__letter_send_point(l, m->send, role);
}

static hb_status meet(struct fitting *f, uint32_t send, uint32_t receive)
{
	struct hb__letters *l = f->l;
	uint32_t a = l->send_call[send] + 1, b = l->receive_call[receive] + 1;
	size_t k = ((uint64_t)a * 0x9e3779b97f4a7c15u ^ (uint64_t)b * 0xbf58476d1ce4e5b9u) >> 40 & (KNOWN - 1);
	if (!a || !b || (f->known[k].send == a && f->known[k].receive == b && f->known[k].good))
		return HB_OK;
	struct meeting m = {.send = send, .receive = receive};
	if (!hb__letter_sent(l, send, &m.sent) || !hb__letter_room(l, receive, &m.room))
		return HB_OK;
	hb_data_relation relation = hb__data_difference(&m.sent, &m.room, &m.d);
	m.bytes = size_of(&m.sent);
	m.space = size_of(&m.room);
	bool longer = m.bytes > m.space && (m.space || m.room.count == 0), bytes = m.d.bytes && !m.d.packed;
	bool bad = relation == HB_DATA_DIFFERENT || longer || bytes;
	f->known[k].send = a;
	f->known[k].receive = b;
	f->known[k].good = !bad;
	if (!bad)
		return HB_OK;
	m.possible = (l->send[send].flags | l->receive[receive].flags) & HB_AMBIGUOUS;
	describe(l, &m);
	hb_status status = HB_OK;
	if (relation == HB_DATA_DIFFERENT)
		status = tell_type(l, &m);
	else if (bytes)
		status = tell_bytes(l, &m);
	return status || !longer ? status : tell_truncated(l, &m);
}

/* A receive that the library never came back from may have been where it ended the process: with any source the message
 * is not told. When all that can have been it are too long, it was. */
static hb_status died_inside(struct fitting *f, uint32_t receive)
{
	struct hb__letters *l = f->l;
	const hb_receive *v = &l->receive[receive];
	const hb_spec *s = &l->spec[v->spec];
	hb_data sent, room;
	uint32_t fits = 0, too_long = 0, last = HB_NO;
	if (!hb__letter_room(l, receive, &room))
		return HB_OK;
	for (uint32_t i = 0; i < l->info->sends && !fits; i++) {
		const hb_send *m = &l->send[i];
		if (m->receive != HB_NO || m->flags & HB_CANCELLED || !hb__letter_matches(s, &l->channel[m->channel]))
			continue;
		bool longer = hb__letter_sent(l, i, &sent) && size_of(&sent) > size_of(&room);
		fits += !longer;
		too_long += longer;
		last = longer && last == HB_NO ? i : last;
	}
	return fits || !too_long ? HB_OK : meet(f, last, receive);
}

static bool ended_inside(const struct hb__letters *l, const hb_receive *v)
{
	const hb_spec *s = &l->spec[v->spec];
	const hb_process *p = &l->process[s->process];
	return v->flags & HB_PENDING && v->send == HB_NO && !(v->flags & HB_CANCEL_ASKED) && l->line[v->line].inside &&
	       (p->ending == HB_ENDING_NONE || p->ending == HB_ENDING_ABORTED || p->ending == HB_ENDING_LEFT);
}

/* A receive that said that something longer came, and not from whom. */
static hb_status nameless(struct hb__letters *l)
{
	hb_status status = HB_OK;
	for (size_t i = 0; !status && i < l->n_nameless; i++) {
		const struct hb__letter_call *k = &l->call[l->nameless_call[i]];
		hb_point p = {.process = l->line[l->nameless[i].line].process, .at = l->nameless[i]};
		char text[200];
		hb__data_text(&k->room, text, sizeof text);
		snprintf(p.role, sizeof p.role, "has room for %.120s", text);
		status = hb__finding(l->c, HB_MESSAGE_TRUNCATED, false,
			"The count of a receive is the longest message that it accepts: make it large enough.", &p, 1,
			l->err, "a message that arrived at rank %s is longer than %s has room for, %s",
			hb__letter_name(l, p.process), k->function->name, text);
	}
	return status;
}

hb_status hb__letters_fit(struct hb__letters *l)
{
	struct fitting f = {.l = l};
	hb_status status = nameless(l);
	for (uint32_t i = 0; !status && i < l->info->receives; i++) {
		const hb_receive *v = &l->receive[i];
		if (v->send != HB_NO && !(v->flags & HB_CANCELLED))
			status = meet(&f, v->send, i);
		else if (ended_inside(l, v))
			status = died_inside(&f, i);
	}
	return status;
}
