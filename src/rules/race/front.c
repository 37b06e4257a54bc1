#include "rules/race/front.h"

/* ---- tables of the whole model ---- */

/* What the senders knew, beside the model's list of sends by channel: read in order, not from all over the memory. */
static bool list_knew(struct hb__front *f)
{
	const hb_model_info *info = hb_model_get_info(f->m);
	const hb_send *sends = hb_model_sends(f->m);
	uint32_t n;
	f->knew = malloc(((size_t)info->sends + 1) * sizeof *f->knew);
	f->sends = info->channels ? hb_model_channel_sends(f->m, 0, &n) : NULL;
	for (uint32_t c = 0; c < info->channels && f->knew; c++) {
		const uint32_t *list = hb_model_channel_sends(f->m, c, &n);
		uint32_t *knew = f->knew + (list - f->sends);
		for (uint32_t i = 0; i < n; i++) {
			if (i + 16 < n)
				__builtin_prefetch(&sends[list[i + 16]]);
			knew[i] = f->known ? f->known[list[i]] : sends[list[i]].seen;
		}
	}
	return f->knew != NULL;
}

static int by_dest(const void *a, const void *b, void *user)
{
	const hb_channel *c = user;
	const hb_channel *x = &c[*(const uint32_t *)a], *y = &c[*(const uint32_t *)b];
	if (x->dest != y->dest)
		return x->dest < y->dest ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

static void order_channels(struct hb__front *f)
{
	const hb_model_info *info = hb_model_get_info(f->m);
	const hb_channel *channels = hb_model_channels(f->m);
	uint32_t p = 0;
	for (uint32_t c = 0; c < info->channels; c++)
		f->order[c] = c;
	qsort_r(f->order, info->channels, sizeof *f->order, by_dest, (void *)channels);
	for (uint32_t i = 0; i < info->channels; i++) {
		const hb_channel *c = &channels[f->order[i]];
		f->place[f->order[i]] = i;
		f->any_of[i] = HB_NO;
		while (p < info->processes && (c->dest == HB_NO || p <= c->dest))
			f->begin[p++] = i;
	}
	while (p <= info->processes)
		f->begin[p++] = info->channels;
	/* channels whose destination is not in this recording stand last and belong to no process */
	for (uint32_t i = info->channels; i-- > 0 && channels[f->order[i]].dest == HB_NO;)
		f->begin[info->processes] = i;
}

bool hb__front_open(hb_model *m, const uint32_t *known, struct hb__front *ret)
{
	struct hb__front *f = ret;
	const hb_model_info *info = hb_model_get_info(m);
	size_t channels = (size_t)info->channels + 1, specs = (size_t)info->specs + 1;
	*f = (struct hb__front){.m = m, .known = known};
	f->at = malloc(channels * sizeof *f->at);
	f->end = malloc(channels * sizeof *f->end);
	f->order = malloc(channels * sizeof *f->order);
	f->place = malloc(channels * sizeof *f->place);
	f->any_of = malloc(channels * sizeof *f->any_of);
	f->seen = malloc(channels * sizeof *f->seen);
	f->next = malloc(channels * sizeof *f->next);
	f->begin = malloc(((size_t)info->processes + 2) * sizeof *f->begin);
	f->low = malloc(specs * sizeof *f->low);
	f->high = malloc(specs * sizeof *f->high);
	if (!f->at || !f->end || !f->order || !f->place || !f->any_of || !f->seen || !f->next || !f->begin || !f->low ||
		!f->high || !list_knew(f))
		return false;
	memset(f->low, 0xff, specs * sizeof *f->low);
	order_channels(f);
	return true;
}

static void forget_any(struct hb__front *f)
{
	for (size_t i = 0; i < f->nany; i++) {
		free(f->any[i].source);
		free(f->any[i].seen);
		free(f->any[i].send);
		free(f->any[i].first);
		free(f->any[i].place);
	}
	free(f->any);
	f->any = NULL;
	f->nany = 0;
}

void hb__front_close(struct hb__front *f)
{
	forget_any(f);
	free(f->knew);
	free(f->at);
	free(f->end);
	free(f->order);
	free(f->begin);
	free(f->seen);
	free(f->next);
	free(f->place);
	free(f->any_of);
	free(f->low);
	free(f->high);
}

/* ---- one process ---- */

/* The next message of a place came in front. */
static void show(struct hb__front *f, uint32_t place)
{
	uint32_t at = f->at[place];
	bool none = at >= f->end[place];
	f->next[place] = none ? HB_NO : f->sends[at];
	f->seen[place] = none ? HB_NO : f->line == HB_NO ? 0 : f->knew[at];
}

void hb__front_process(struct hb__front *f, uint32_t process)
{
	const hb_process *p = &hb_model_processes(f->m)[process];
	forget_any(f);
	f->process = process;
	f->line = p->nlines == 1 ? p->first_line : HB_NO;
	for (uint32_t i = f->begin[process]; i < f->begin[process + 1]; i++) {
		uint32_t n;
		f->at[i] = (uint32_t)(hb_model_channel_sends(f->m, f->order[i], &n) - f->sends);
		f->end[i] = f->at[i] + n;
		show(f, i);
	}
}

static void any_update(struct hb__front *f, struct hb__any *a, uint32_t source)
{
	uint32_t best = HB_NO, seen = HB_NO;
	for (uint32_t k = a->first[source]; k < a->first[source + 1]; k++) {
		uint32_t place = a->place[k];
		if (f->next[place] < best) {
			best = f->next[place];
			seen = f->seen[place];
		}
	}
	a->send[source] = best;
	a->seen[source] = seen;
}

void hb__front_take(struct hb__front *f, uint32_t receive)
{
	uint32_t send = hb_model_receives(f->m)[receive].send;
	if (send == HB_NO)
		return;
	uint32_t c = hb_model_sends(f->m)[send].channel, place = f->place[c];
	f->at[place]++;
	show(f, place);
	if (f->any_of[place] == HB_NO)
		return;
	for (size_t i = 0; i < f->nany; i++)
		if (f->any[i].group == hb_model_channels(f->m)[c].group)
			any_update(f, &f->any[i], f->any_of[place]);
}

/* The places of a group, and of a tag of it. */
static void range(
	const struct hb__front *f, uint32_t group, bool any_tag, int32_t tag, uint32_t *ret_low, uint32_t *ret_high)
{
	const hb_channel *channels = hb_model_channels(f->m);
	for (int end = 0; end < 2; end++) {
		uint32_t low = f->begin[f->process], high = f->begin[f->process + 1];
		while (low < high) {
			uint32_t mid = low + (high - low) / 2;
			const hb_channel *c = &channels[f->order[mid]];
			bool before = c->group != group ? c->group < group
				      : any_tag         ? end == 1
				      : c->tag != tag   ? c->tag < tag
							: end == 1;
			if (before)
				low = mid + 1;
			else
				high = mid;
		}
		*(end ? ret_high : ret_low) = low;
	}
}

/* Channels low to high go to one receiver in one communicator: sorted by their sender here (a counting sort), so that a receive with
 * MPI_ANY_SOURCE asks one place per sender and not one per tag. */
static bool any_fill(struct hb__front *f, struct hb__any *a, uint32_t low, uint32_t high)
{
	const hb_channel *channels = hb_model_channels(f->m);
	size_t n = high - low + 1;
	a->source = malloc(n * sizeof *a->source);
	a->seen = malloc(n * sizeof *a->seen);
	a->send = malloc(n * sizeof *a->send);
	a->first = calloc(n + 2, sizeof *a->first);
	a->place = malloc(n * sizeof *a->place);
	uint32_t *number = malloc(((size_t)hb_model_get_info(f->m)->processes + 1) * sizeof *number);
	if (!a->source || !a->seen || !a->send || !a->first || !a->place || !number) {
		free(number);
		return false;
	}
	memset(number, 0xff, ((size_t)hb_model_get_info(f->m)->processes + 1) * sizeof *number);
	for (uint32_t i = low; i < high; i++) {
		uint32_t source = channels[f->order[i]].source;
		if (source == HB_NO)
			continue;
		if (number[source] == HB_NO) {
			number[source] = a->n;
			a->source[a->n++] = source;
		}
		f->any_of[i] = number[source];
		a->first[number[source] + 2]++;
	}
	for (uint32_t i = 2; i < a->n + 2; i++)
		a->first[i] += a->first[i - 1];
	for (uint32_t i = low; i < high; i++)
		if (f->any_of[i] != HB_NO)
			a->place[a->first[f->any_of[i] + 1]++] = i;
	free(number);
	for (uint32_t i = 0; i < a->n; i++)
		any_update(f, a, i);
	return true;
}

static uint32_t any_of_group(struct hb__front *f, uint32_t group)
{
	uint32_t low, high;
	for (size_t i = 0; i < f->nany; i++)
		if (f->any[i].group == group)
			return (uint32_t)i;
	struct hb__any *more = realloc(f->any, (f->nany + 1) * sizeof *more);
	if (!more) {
		f->no_memory = true;
		return HB_NO;
	}
	f->any = more;
	more[f->nany] = (struct hb__any){.group = group};
	range(f, group, true, 0, &low, &high);
	if (!any_fill(f, &more[f->nany], low, high)) {
		f->no_memory = true;
		return HB_NO;
	}
	return (uint32_t)f->nany++;
}

struct hb__row_of hb__front_row(struct hb__front *f, uint32_t spec)
{
	const hb_spec *s = &hb_model_specs(f->m)[spec];
	bool any_tag = s->tag == HB_ANY_TAG;
	if (f->low[spec] == HB_NO) {
		if (any_tag)
			f->low[spec] = any_of_group(f, s->group);
		else
			range(f, s->group, false, s->tag, &f->low[spec], &f->high[spec]);
	}
	if (f->no_memory || f->low[spec] == HB_NO)
		return (struct hb__row_of){0};
	if (!any_tag)
		return (struct hb__row_of){
			f->high[spec] - f->low[spec], f->seen + f->low[spec], NULL, NULL, f->low[spec]};
	const struct hb__any *a = &f->any[f->low[spec]];
	return (struct hb__row_of){a->n, a->seen, a->send, a->source, 0};
}

uint32_t hb__row_send(const struct hb__front *f, const struct hb__row_of *row, uint32_t i)
{
	return row->send ? row->send[i] : f->next[row->first_place + i];
}

uint32_t hb__row_source(const struct hb__front *f, const struct hb__row_of *row, uint32_t i)
{
	return row->source ? row->source[i] : hb_model_channels(f->m)[f->order[row->first_place + i]].source;
}

__attribute__((optimize("O3"))) uint32_t hb__count_at_most(const uint32_t *at, uint32_t n, uint32_t limit)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += at[i] <= limit;
	return count;
}
