/* Events that were fed, looked up again by their points. */
#include "rules/pattern/history/internal.h"

/* The first operation of a line that stands at an event or behind it. */
static uint64_t first_op(const hb_op *op, uint64_t n, uint32_t event)
{
	uint64_t from = 0;
	while (from < n) {
		uint64_t middle = from + (n - from) / 2;
		if (op[middle].event < event)
			from = middle + 1;
		else
			n = middle;
	}
	return from;
}

static bool find_messages(hb_history *h, uint64_t id, hb_history_visit *visit, void *user)
{
	bool exit, go = true;
	hb_at at = hb_history_at(id, &exit);
	uint64_t n;
	const hb_op *op = hb_model_ops(h->model, at.line, &n);
	for (uint64_t i = first_op(op, n, at.event); go && i < n && op[i].event == at.event; i++) {
		if (op[i].kind != (exit ? HB_OP_RECEIVED : HB_OP_SEND))
			continue;
		uint32_t send = exit ? h->receive[op[i].id].send : op[i].id;
		if (send != HB_NO)
			go = hb__message_half(h, at, send, exit ? HB_PATTERN_RECEIVED : HB_PATTERN_SENT, visit, user);
	}
	return go;
}

void hb_history_find(hb_history *h, const uint64_t *id, size_t n, hb_history_visit *visit, void *user)
{
	uint32_t line = HB_NO;
	bool exit, go = true;
	for (size_t i = 0; go && i < n; i++) {
		hb_at at = hb_history_at(id[i], &exit);
		struct hb__history_line *l = &h->lines[at.line];
		if (line != at.line) { /* each line is gone through once */
			line = at.line;
			l->at = 0;
			l->next.event = 0;
			hb__next_told(h, line);
		}
		while (l->next.binding != HB_NO && hb__history_id((hb_at){line, l->next.event}, l->next.exit) < id[i])
			hb__next_told(h, line);
		while (go && l->next.binding != HB_NO &&
			hb__history_id((hb_at){line, l->next.event}, l->next.exit) == id[i]) {
			go = hb__visit_told(h, line, visit, user);
			hb__next_told(h, line);
		}
		go = go && find_messages(h, id[i], visit, user);
	}
}
