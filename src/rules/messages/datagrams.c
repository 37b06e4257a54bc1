/* What a network did with datagrams, where a recording shows it: one that came twice, and one of which the sender was told that nobody is there. */
#include <stdio.h>

#include "rules/messages/messages.h"

#define MOST 400 /* that are looked at; those that follow are mostly from the same lines */

static bool same_call(const hb_send *a, const hb_send *b)
{
	return a->line == b->line && a->event == b->event && a->channel == b->channel;
}

/* Where it came first: of the call's only other one to this place. HB_NO: the call sent several. */
static uint32_t came_first(const struct hb__letters *l, uint32_t send)
{
	uint32_t first = HB_NO;
	const hb_send *s = l->send;
	for (uint32_t i = send; i-- > 0 && s[i].line == s[send].line && s[i].event == s[send].event;) {
		if (!same_call(&s[i], &s[send]) || s[i].flags & HB_TWICE)
			continue;
		if (first != HB_NO)
			return HB_NO;
		first = s[i].receive;
	}
	return first;
}

static hb_status tell_twice(struct hb__letters *l, uint32_t send)
{
	const hb_channel *c = &l->channel[l->send[send].channel];
	const char *from = hb__letter_name(l, c->source), *to = hb__letter_name(l, c->dest);
	uint32_t first = came_first(l, send), n = 0;
	hb_point point[3];
	point[n++] = hb__letter_send_point(l, send, "sends it");
	if (first != HB_NO)
		point[n++] = hb__letter_post_point(l, first, "receives it");
	point[n++] = hb__letter_post_point(l, l->send[send].receive, "receives it once more");
	return hb__finding(l->c, HB_MESSAGE_TWICE, l->send[send].flags & HB_AMBIGUOUS || l->info->open,
		"Networks double datagrams: put a number into each, and drop one that has come already.", point, n,
		l->err, "%s%s sends a datagram of %llu bytes, and %s%s receives it twice at %s", hb_rank_word(from),
		from, (unsigned long long)hb_send_bytes(l->m, send), hb_rank_word(to), to,
		hb_model_group_name(l->m, c->group));
}

static hb_status tell_refused(struct hb__letters *l, const hb_refused *r)
{
	uint32_t process = l->line[r->sent.line].process;
	const char *from = hb__letter_name(l, process);
	hb_point point[2] = {{.process = process, .at = r->sent, .role = "sends it"},
		{.process = l->line[r->told.line].process, .at = r->told, .role = "is told that nobody is there"}};
	return hb__finding(l->c, HB_MESSAGE_REFUSED, false,
		"Begin who is to receive it first, or send it again until an answer comes.", point, 2, l->err,
		"%s%s sends a datagram over %s, and nobody is at this address", hb_rank_word(from), from, r->end);
}

hb_status hb__letters_datagrams(struct hb__letters *l)
{
	hb_status status = HB_OK;
	uint32_t told = 0;
	const hb_refused *refused = hb_model_refused(l->m);
	for (uint32_t i = 0; !status && i < l->info->sends && told < MOST; i++) {
		if (!(l->send[i].flags & HB_TWICE) || l->send[i].receive == HB_NO)
			continue;
		told++;
		status = tell_twice(l, i);
	}
	for (uint32_t i = 0; !status && i < l->info->refused && i < MOST; i++)
		status = tell_refused(l, &refused[i]);
	return status;
}
