/* Answers that came too late: a process asks another one, waits for a time, and asks it again, or is never heard of again; only then comes what
 * it had waited for. What answers is what was sent by the one who was asked and knew of the question, and of nothing that the asker did after its time
 * was over. Who goes on waiting after that has only looked at a clock. */
#include <stdio.h>
#include <stdlib.h>

#include "rules/messages/messages.h"

struct late {
	struct hb__letters *l;
	const hb_at *timeout;
	uint32_t n;
};

/* The message that an event of a line sends to a process; HB_NO: none. */
static uint32_t sent_to(const struct hb__letters *l, uint32_t line, uint32_t event, uint32_t process)
{
	uint64_t n, low = 0;
	const hb_op *op = hb_model_ops(l->m, line, &n);
	for (uint64_t high = n; low < high;) {
		uint64_t middle = low + (high - low) / 2;
		if (op[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && op[low].event == event; low++)
		if (op[low].kind == HB_OP_SEND && l->channel[l->send[op[low].id].channel].dest == process)
			return op[low].id;
	return HB_NO;
}

/* The next message to the process behind an event, up to another one. */
static uint32_t asked_again(const struct hb__letters *l, hb_at after, uint32_t until, uint32_t process)
{
	uint64_t n;
	const hb_op *op = hb_model_ops(l->m, after.line, &n);
	for (uint64_t i = 0; i < n && op[i].event < until; i++)
		if (op[i].event > after.event && op[i].kind == HB_OP_SEND &&
			l->channel[l->send[op[i].id].channel].dest == process)
			return op[i].id;
	return HB_NO;
}

/* The first time-out of a line behind an event; n: none. */
static uint32_t timeout_behind(const struct late *t, uint32_t line, uint32_t event)
{
	uint32_t low = 0, high = t->n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const hb_at *at = &t->timeout[middle];
		if (at->line < line || (at->line == line && at->event <= event))
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n && t->timeout[low].line == line ? low : t->n;
}

static void name(const struct hb__letters *l, uint32_t process, char ret[80])
{
	const char *of = hb__letter_name(l, process);
	snprintf(ret, 80, "%s%s", hb_rank_word(of), of);
}

static hb_status tell(struct late *t, hb_at timeout, uint32_t question, uint32_t answer, uint32_t again)
{
	struct hb__letters *l = t->l;
	const hb_channel *c = &l->channel[l->send[answer].channel];
	uint32_t got = l->send[answer].receive, n = 0;
	char who[80], whom[80];
	hb_point point[5] = {{.process = c->dest, .at = timeout}};
	name(l, c->dest, who);
	name(l, c->source, whom);
	snprintf(point[n++].role, sizeof point->role, "its time is over before the answer has come");
	point[n++] = hb__letter_send_point(l, question, "asks");
	point[n++] = hb__letter_send_point(l, answer, "answers");
	if (again != HB_NO)
		point[n++] = hb__letter_send_point(l, again, "asks again");
	if (got != HB_NO)
		point[n++] = hb__letter_post_point(l, got, "gets the answer to what was asked before");
	hb_finding f = {.id = HB_ANSWER_LATE,
		.possible = l->send[answer].flags & HB_AMBIGUOUS || l->info->open,
		.advice =
			got == HB_NO
				? "Wait longer, or expect that an answer comes when nobody waits for it any more."
				: "Wait longer, or put into each answer which question it is for, and drop those that come too late.",
		.npoints = n,
		.point = point};
	char sentence[400];
	snprintf(sentence, sizeof sentence,
		got == HB_NO
			? "%s asks %s and stops waiting when its time is over; the answer of %s came later, and nobody received it"
			: "%s asks %s, stops waiting when its time is over and asks again; what it gets then of %s is the late answer to the first question",
		who, whom, whom);
	f.sentence = sentence;
	l->late[answer] = true;
	return hb__report_finding(l->c, &f, l->err);
}

static hb_status look(struct late *t, uint32_t answer, uint32_t line)
{
	struct hb__letters *l = t->l;
	const hb_channel *c = &l->channel[l->send[answer].channel];
	uint32_t knew = hb_send_seen(l->m, answer, line), got = l->send[answer].receive;
	uint32_t first = knew ? timeout_behind(t, line, knew) : t->n;
	hb_at done = got == HB_NO ? (hb_at){HB_NO, 0} : hb_receive_done(l->m, got);
	uint32_t until = done.line == line && done.event ? done.event : l->line[line].events + 1;
	if (first == t->n || t->timeout[first].event >= until || (got != HB_NO && done.line != line))
		return HB_OK;
	uint32_t question = sent_to(l, line, knew, c->source);
	uint32_t again = asked_again(l, t->timeout[first], until, c->source);
	if (question == HB_NO || (got != HB_NO && again == HB_NO))
		return HB_OK;
	return tell(t, t->timeout[first], question, answer, again);
}

/* Must come before those who tell what nobody received. */
hb_status hb__letters_late(struct hb__letters *l)
{
	struct late t = {.l = l, .timeout = hb_model_timeouts(l->m), .n = l->info->timeouts};
	hb_status status = HB_OK;
	l->late = calloc((size_t)l->info->sends + 1, sizeof *l->late);
	if (!l->late) {
		if (l->err)
			*l->err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		return HB_E_MEMORY;
	}
	if (t.n)
		status = hb_model_clocks(l->m, NULL, NULL, l->err);
	for (uint32_t i = 0; t.n && !status && i < l->info->sends; i++) {
		const hb_channel *c = &l->channel[l->send[i].channel];
		if (c->dest >= l->info->processes || c->source == c->dest)
			continue;
		const hb_process *p = &l->process[c->dest];
		for (uint32_t line = p->first_line; !status && line < p->first_line + p->nlines; line++)
			status = look(&t, i, line);
	}
	return status;
}
