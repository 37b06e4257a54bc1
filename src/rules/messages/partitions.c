/* Partitioned messages. Their ends are matched when they are made: of those with the same communicator, source, destination and tag
 * the first with the first. How many partitions there are may differ; what they hold together may not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/messages/messages.h"

bool hb__letter_part(struct hb__letters *l, uint32_t line, uint32_t event, const hb_event *e)
{
	uint32_t process = l->line[line].process;
	bool peers_are_member, sends = e->means->cls == HB_SEND;
	uint32_t group = hb_model_group(l->m, process, e->comm, &peers_are_member);
	int64_t peer = sends ? e->peer : e->from != HB_ABSENT ? e->from : e->peer;
	if (group == HB_NO || peer < 0 || e->row->result)
		return true;
	const hb_group *g = &hb_model_groups(l->m)[group];
	bool near = peers_are_member || !g->remote_size;
	if (peer >= (near ? g->size : g->remote_size))
		return true;
	if (!HB_GROW(l->part, l->parts_room, l->parts + 1))
		return false;
	int64_t partitions = hb_event_argument(e, "partitions"), count = hb_event_argument(e, "count");
	l->part[l->parts++] = (struct hb__letter_part){.sends = sends,
		.at = {line, event},
		.process = process,
		.group = group,
		.peer = near ? g->member[peer] : g->remote[peer],
		.tag = hb_event_argument(e, "tag"),
		.partitions = partitions,
		.data = {l->process[process].log, partitions * count, hb_event_argument(e, "datatype")}};
	return true;
}

/* The receive that the send belongs to; NULL: it was not made. */
static const struct hb__letter_part *other_end(const struct hb__letters *l, const struct hb__letter_part *send)
{
	uint32_t before = 0;
	for (const struct hb__letter_part *p = l->part; p < send; p++)
		before += p->sends && p->process == send->process && p->peer == send->peer && p->group == send->group &&
			  p->tag == send->tag;
	for (const struct hb__letter_part *p = l->part; p < l->part + l->parts; p++)
		if (!p->sends && p->process == send->peer && p->peer == send->process && p->group == send->group &&
			p->tag == send->tag && !before--)
			return p;
	return NULL;
}

/* With threads nobody knows which was made first. */
static bool in_order(const struct hb__letters *l)
{
	for (size_t i = 1; i < l->parts; i++)
		if (l->part[i].process == l->part[i - 1].process && l->part[i].at.line != l->part[i - 1].at.line)
			return false;
	return true;
}

static hb_point point_of(const struct hb__letter_part *p, const char *text)
{
	hb_point point = {.process = p->process, .at = p->at};
	snprintf(point.role, sizeof point.role, "%s %lld partitions, together %.100s", p->sends ? "sends" : "receives",
		(long long)p->partitions, text);
	return point;
}

static hb_status compare(struct hb__letters *l, const struct hb__letter_part *send, const struct hb__letter_part *room)
{
	struct hb__data_difference d;
	hb_data_relation relation = hb__data_difference(&send->data, &room->data, &d);
	char sent_text[200], room_text[200];
	if (relation == HB_DATA_SAME || (relation == HB_DATA_UNKNOWN && !(d.bytes && !d.packed)))
		return HB_OK;
	hb__data_text(&send->data, sent_text, sizeof sent_text);
	hb__data_text(&room->data, room_text, sizeof room_text);
	hb_point point[2] = {point_of(room, room_text), point_of(send, sent_text)};
	const char *from = hb__letter_name(l, send->process), *to = hb__letter_name(l, room->process);
	if (relation == HB_DATA_DIFFERENT)
		return hb__finding(l->c, HB_MESSAGE_TYPE, false,
			"Make both calls describe the same basic datatypes in the same order.", point, 2, l->err,
			"rank %s sends %s in partitions and rank %s receives it as %s: element %llu is %s where it is "
			"sent and %s where it is received",
			from, sent_text, to, room_text, (unsigned long long)d.position + 1, d.name_a, d.name_b);
	if (relation == HB_DATA_LONGER)
		return hb__finding(l->c, HB_MESSAGE_TRUNCATED, false,
			"Make the number of partitions times the count the same on both sides.", point, 2, l->err,
			"the partitions that rank %s sends, together %s, are longer than what rank %s has room for, "
			"together %s",
			from, sent_text, to, room_text);
	return HB_OK;
}

hb_status hb__letters_parts(struct hb__letters *l)
{
	hb_status status = HB_OK;
	if (!in_order(l))
		return HB_OK;
	for (size_t i = 0; !status && i < l->parts; i++) {
		const struct hb__letter_part *room = l->part[i].sends ? other_end(l, &l->part[i]) : NULL;
		if (room)
			status = compare(l, &l->part[i], room);
	}
	return status;
}
