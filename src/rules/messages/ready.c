/* Ready sends: their receive must have been posted before they begin, and only what the processes told each other before
 * makes that sure. */
#include <stdlib.h>
#include <string.h>

#include "model/event.h"
#include "rules/messages/messages.h"

#define MOST 2000   /* that are looked at closely */
#define MARGIN 50e3 /* nanoseconds: clocks of processes of one host are compared no closer */

/* When an event was entered, by the clock of its host; false: not known. */
static bool entered(const struct hb__letters *l, hb_at at, double *ret_ns)
{
	const hb_line *line = &l->line[at.line];
	hb_log *log = l->process[line->process].log;
	hb_cursor *cursor;
	hb_row row;
	if (line->inside && at.event == line->events) {
		hb_lane_info lane;
		if (hb_log_lane(log, line->lane, &lane))
			return false;
		*ret_ns = (double)hb_log_get_info(log)->origin_mono +
			  hb_ticks_ns(hb_log_get_info(log), lane.inside_enter);
		return true;
	}
	if (hb_cursor_open(log, line->lane, at.event, &cursor, NULL))
		return false;
	bool good = hb_cursor_next(cursor, &row, NULL) == 1;
	if (good)
		*ret_ns = (double)hb_log_get_info(log)->origin_mono + hb_ticks_ns(hb_log_get_info(log), row.enter);
	hb_cursor_close(cursor);
	return good;
}

/* Whether the receive was posted after the ready send had begun, for sure. */
static bool surely_later(struct hb__letters *l, hb_at send, hb_at post, hb_status *ret_status)
{
	hb_log *a = l->process[l->line[send.line].process].log, *b = l->process[l->line[post.line].process].log;
	hb_relation relation = HB_CONCURRENT;
	bool strict = false;
	hb_link *chain = NULL;
	size_t links;
	double sent, posted;
	if (!strcmp(hb_log_get_info(a)->host, hb_log_get_info(b)->host) && entered(l, send, &sent) &&
		entered(l, post, &posted) && posted > sent + MARGIN)
		return true;
	hb_at before = {post.line, post.event - 1};
	if (!before.event)
		return false;
	*ret_status = hb_order_of(l->m, send, before, &relation, &strict, &chain, &links, l->err);
	if (!*ret_status)
		free(chain);
	return !*ret_status &&
	       relation == HB_BEFORE; /* the receive is posted after an event that ends after the send began */
}

static hb_status tell(struct hb__letters *l, uint32_t send, bool possible)
{
	const hb_channel *c = &l->channel[l->send[send].channel];
	uint32_t receive = l->send[send].receive;
	hb_point point[2] = {hb__letter_send_point(l, send, "needs its receive to be posted first"),
		hb__letter_post_point(l, receive, "posts the receive")};
	return hb__finding(l->c, HB_MESSAGE_READY, possible,
		"Post the receive first (MPI_Irecv) and then tell the sender so, with a message or a barrier; or use MPI_Send.",
		point, 2, l->err, "rank %s sends to rank %s with tag %d by %s, and %s", hb__letter_name(l, c->source),
		hb__letter_name(l, c->dest), c->tag, hb__letter_send_name(l, send),
		possible
			? "nothing ensures that the receive is posted first: in this run it may have been early enough by chance"
			: "its receive was posted only later");
}

hb_status hb__letters_ready(struct hb__letters *l)
{
	hb_status status = HB_OK;
	bool clocks = false;
	uint32_t looked = 0;
	for (uint32_t i = 0; !status && i < l->info->sends && looked < MOST; i++) {
		uint32_t receive = l->send[i].receive;
		if (receive == HB_NO || l->send[i].flags & HB_AMBIGUOUS || !hb__letter_is_ready(l, i))
			continue;
		if (!clocks)
			status = hb_model_clocks(l->m, NULL, NULL, l->err);
		clocks = true;
		looked++;
		const hb_receive *v = &l->receive[receive];
		hb_at send = hb_send_at(l->m, i), post = hb_receive_post(l->m, receive);
		bool before = send.line == post.line
				      ? send.event > post.event
				      : !status && hb_send_seen(l->m, i, v->line) >= hb_entered(l->m, post).event;
		if (status || before)
			continue;
		bool later = send.line == post.line || surely_later(l, send, post, &status);
		if (!status)
			status = tell(l, i, !later);
	}
	return status;
}
