/* Messages that are shorter than their receive: allowed, and all that an off-by-one in a halo shows. Said where it tells something:
 * every message that came to the line was shorter by as much, the receive named its sender and tag, and the process never asked
 * MPI for a length. Characters and bytes are left out: there the longest message that may come is what one gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/messages/messages.h"

#define KNOWN 4096 /* pairs of calls whose data were compared */

struct line { /* receives of a call site of a process */
	uint32_t process, site;
	bool used, silent;
	uint64_t times;
	int64_t sent, room; /* counts; of the same type */
	uint32_t send, receive;
};

struct shorts {
	struct hb__letters *l;
	bool *asks; /* by process: it asks for lengths */
	struct line *line;
	size_t lines; /* a power of two */
	struct {
		uint32_t send, receive; /* calls, each + 1 */
		bool tells;
	} known[KNOWN];
};

static bool asks(const struct hb__letters *l, uint32_t process)
{
	const hb_log *log = l->process[process].log;
	return !log || hb_log_calls(log, HB_DOES_COUNT) || hb_log_calls(log, HB_DOES_PROBE) ||
	       hb_log_calls(log, HB_DOES_MATCHED_PROBE);
}

static struct line *line_of(struct shorts *s, const hb_spec *spec)
{
	uint64_t h = ((uint64_t)spec->process * 0xbf58476d1ce4e5b9u ^ spec->site) * 0x9e3779b97f4a7c15u;
	size_t i = (size_t)(h >> 32) & (s->lines - 1); /* sites are the same ones in all processes */
	while (s->line[i].used && (s->line[i].process != spec->process || s->line[i].site != spec->site))
		i = (i + 1) & (s->lines - 1);
	return &s->line[i];
}

/* Of bytes, and of types of one byte, the receive gives the most that may come. */
static bool of_bytes(const hb_data *d)
{
	const hb_datatype *t = hb_log_datatype(d->log, (uint32_t)d->type);
	return !t || !t->size || (uint64_t)d->count >= (1ull << 60) / t->size || t->size == 1;
}

static bool tells(struct shorts *s, uint32_t send, uint32_t receive, const hb_data *sent, const hb_data *room)
{
	uint32_t a = s->l->send_call[send] + 1, b = s->l->receive_call[receive] + 1;
	size_t k = ((uint64_t)a * 0x9e3779b97f4a7c15u ^ (uint64_t)b * 0xbf58476d1ce4e5b9u) >> 40 & (KNOWN - 1);
	if (s->known[k].send != a || s->known[k].receive != b) {
		struct hb__data_difference d;
		bool shorter = sent->count > 0 && room->type >= 0 && room->type < HB_NO && sent->type >= 0 &&
			       sent->type < HB_NO && !of_bytes(room) && !of_bytes(sent) &&
			       hb__data_difference(sent, room, &d) == HB_DATA_SHORTER && !d.bytes;
		s->known[k].send = a;
		s->known[k].receive = b;
		s->known[k].tells = shorter;
	}
	return s->known[k].tells;
}

static void compare_receive(struct shorts *s, uint32_t receive)
{
	const hb_receive *v = &s->l->receive[receive];
	const hb_spec *spec = &s->l->spec[v->spec];
	struct line *x = line_of(s, spec);
	hb_data sent, room;
	if (!x->used)
		*x = (struct line){.process = spec->process, .site = spec->site, .used = true, .receive = receive};
	if (x->silent || v->flags & HB_CANCELLED)
		return;
	bool tell = spec->site && v->send != HB_NO && !spec->any_source && spec->tag != HB_ANY_TAG &&
		    !s->asks[spec->process] && !(v->flags & (HB_AMBIGUOUS | HB_FAILED)) &&
		    hb__letter_sent(s->l, v->send, &sent) && hb__letter_room(s->l, receive, &room) &&
		    tells(s, v->send, receive, &sent, &room) &&
		    (!x->times || (sent.count == x->sent && room.count == x->room));
	x->silent = !tell;
	if (!tell)
		return;
	if (!x->times) {
		x->receive = receive;
		x->send = v->send;
		x->sent = sent.count;
		x->room = room.count;
	}
	x->times++;
}

static hb_status tell(struct hb__letters *l, const struct line *x)
{
	const hb_channel *c = &l->channel[l->send[x->send].channel];
	char sent_text[200], room_text[200], role[160];
	hb_data sent = {0}, room = {0};
	hb__letter_sent(l, x->send, &sent);
	hb__letter_room(l, x->receive, &room);
	hb__data_text(&sent, sent_text, sizeof sent_text);
	hb__data_text(&room, room_text, sizeof room_text);
	snprintf(role, sizeof role, "has room for %.120s", room_text);
	hb_point point[2] = {hb__letter_post_point(l, x->receive, role)};
	snprintf(role, sizeof role, "sends %.100s with tag %d", sent_text, c->tag);
	point[1] = hb__letter_send_point(l, x->send, role);
	char sentence[700];
	snprintf(sentence, sizeof sentence,
		"rank %s receives %s with %s where there is room for %s: what is behind them in the buffer stays as it was",
		hb__letter_name(l, c->dest), sent_text, hb__letter_receive_name(l, x->receive), room_text);
	hb_finding f = {.id = HB_MESSAGE_SHORT,
		.times = x->times,
		.sentence = sentence,
		.advice =
			"Where both sides were to name as many, look at the two counts: one too few in a halo shows as nothing else. Where "
			"the length may vary, ask MPI_Get_count for it.",
		.npoints = 2,
		.point = point};
	return hb__report_finding(l->c, &f, l->err);
}

hb_status hb__letters_short(struct hb__letters *l)
{
	struct shorts *s = calloc(1, sizeof *s);
	hb_status status = HB_OK;
	if (s) {
		s->l = l;
		for (s->lines = 64; s->lines < 2 * (size_t)l->info->specs;)
			s->lines *= 2;
		s->line = calloc(s->lines, sizeof *s->line);
		s->asks = calloc((size_t)l->info->processes + 1, sizeof *s->asks);
	}
	if (!s || !s->line || !s->asks) {
		status = HB_E_MEMORY;
		if (l->err)
			*l->err = (hb_error){.status = status, .message = "out of memory"};
	}
	for (uint32_t p = 0; !status && p < l->info->processes; p++)
		s->asks[p] = asks(l, p);
	for (uint32_t i = 0; !status && i < l->info->receives; i++)
		compare_receive(s, i);
	for (uint32_t i = 0; !status && i < l->info->receives;
		i++) { /* in the order of the first receive of each line */
		struct line *x = line_of(s, &l->spec[l->receive[i].spec]);
		if (x->silent || !x->times)
			continue;
		status = tell(l, x);
		x->silent = true;
	}
	free(s ? s->line : NULL);
	free(s ? s->asks : NULL);
	free(s);
	return status;
}
