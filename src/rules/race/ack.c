/* A synchronous send completes when its receive was matched. What its process does then is a consequence of this
 * match, though not of the end of the receive: a message sent because of it could not have been received instead. */
#include "base/grow.h"
#include "rules/race/parts.h"

struct pair {
	uint32_t got, other;
};

struct hb__acks {
	hb_model *m;
	struct pair *pairs; /* collected */
	size_t n, room;
	hb_ask *asks; /* answered; by send, then by line */
	size_t nasks;
	hb_at *completed; /* by synchronous send: place in `sends` */
	uint32_t *sends;
	size_t nsync;
	bool answered, no_memory;
};

static size_t sync_of(const struct hb__acks *a, uint32_t send)
{
	size_t low = 0, high = a->nsync;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (a->sends[mid] < send)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool find_completions(struct hb__acks *a)
{
	const hb_model_info *info = hb_model_get_info(a->m);
	const hb_send *sends = hb_model_sends(a->m);
	for (uint32_t i = 0; i < info->sends; i++)
		a->nsync += (sends[i].flags & HB_SYNCHRONOUS) != 0;
	a->sends = malloc((a->nsync + 1) * sizeof *a->sends);
	a->completed = calloc(a->nsync + 1, sizeof *a->completed);
	if (!a->sends || !a->completed)
		return false;
	size_t n = 0;
	for (uint32_t i = 0; i < info->sends && n < a->nsync; i++)
		if (sends[i].flags & HB_SYNCHRONOUS)
			a->sends[n++] = i;
	for (uint32_t l = 0; l < info->lines && a->nsync; l++) {
		uint64_t nops;
		const hb_op *ops = hb_model_ops(a->m, l, &nops);
		for (uint64_t i = 0; i < nops; i++)
			if (ops[i].kind == HB_OP_SENT)
				a->completed[sync_of(a, ops[i].id)] = (hb_at){l, ops[i].event};
	}
	return true;
}

struct hb__acks *hb__acks_new(hb_model *m)
{
	struct hb__acks *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->m = m;
	if (find_completions(a))
		return a;
	hb__acks_free(a);
	return NULL;
}

void hb__acks_free(struct hb__acks *a)
{
	if (!a)
		return;
	free(a->pairs);
	free(a->asks);
	free(a->completed);
	free(a->sends);
	free(a);
}

bool hb__acks_needed(const struct hb__acks *a) { return a->nsync != 0; }

static int by_send(const void *a, const void *b)
{
	const hb_ask *x = a, *y = b;
	if (x->send != y->send)
		return x->send < y->send ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

bool hb__acked(struct hb__acks *a, uint32_t got, uint32_t other)
{
	hb_at end = a->completed[sync_of(a, got)];
	if (!end.event)
		return false;
	if (a->answered) {
		hb_ask key = {.send = other, .line = end.line};
		const hb_ask *ask = bsearch(&key, a->asks, a->nasks, sizeof key, by_send);
		return ask && ask->ret_seen > end.event;
	}
	if (!HB_GROW(a->pairs, a->room, a->n + 1)) {
		a->no_memory = true;
		return false;
	}
	a->pairs[a->n++] = (struct pair){got, other};
	return false;
}

bool hb__acks_answer(struct hb__acks *a, hb_error *err)
{
	a->asks = malloc((a->n + 1) * sizeof *a->asks);
	if (!a->asks || a->no_memory)
		return false;
	for (size_t i = 0; i < a->n; i++)
		a->asks[i] = (hb_ask){a->pairs[i].other, a->completed[sync_of(a, a->pairs[i].got)].line, 0};
	qsort(a->asks, a->n, sizeof *a->asks, by_send);
	for (size_t i = 0; i < a->n; i++)
		if (!i || by_send(&a->asks[i], &a->asks[a->nasks - 1]))
			a->asks[a->nasks++] = a->asks[i];
	a->answered = true;
	return !hb_model_any(a->m, a->n) ||
	       !hb_clocks_run_with(a->m, &(hb_clock_options){.asks = a->asks, .nasks = a->nasks}, NULL, NULL, err);
}
