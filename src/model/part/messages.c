/* Messages: every member tells those who read a receiver what was sent to it; once they have found the receives, they tell who sent it
 * what became of a message, where the pass of the clocks cannot take that for granted: of those that nobody received, and of synchronous
 * ones. */
#include "model/match/read.h"
#include "model/part/inside.h"

struct letter {
	uint32_t number, event, line, group, dest;
	int32_t tag;
	uint32_t site, flags;
	uint64_t bytes;
	hb_at completed; /* of a synchronous one */
};

/* ---- bundles: something for each member, and what comes from all ---- */

struct bundles {
	VEC(char) * of;
	uint32_t n;
};

static bool bundles_open(struct bundles *b, uint32_t n)
{
	b->n = n;
	b->of = calloc(n, sizeof *b->of);
	return b->of != NULL;
}

static bool bundle(struct bundles *b, uint32_t member, const void *data, size_t bytes)
{
	if (!VEC_GROW(&b->of[member], b->of[member].n + bytes))
		return false;
	memcpy(b->of[member].at + b->of[member].n, data, bytes);
	b->of[member].n += bytes;
	return true;
}

/* All that came, member after member; *ret_bytes altogether. NULL: no memory. */
static void *bundles_exchange(struct bundles *b, const hb_team *team, bool good, size_t *ret_bytes)
{
	size_t *bytes = calloc(2 * (size_t)b->n, sizeof *bytes), all = 0, at = 0;
	for (uint32_t i = 0; bytes && i < b->n; i++)
		all += bytes[i] = b->of[i].n;
	char *flat = malloc(all + 1);
	for (uint32_t i = 0; flat && i < b->n; at += b->of[i++].n)
		if (b->of[i].n)
			memcpy(flat + at, b->of[i].at, b->of[i].n);
	for (uint32_t i = 0; i < b->n; i++)
		free(b->of[i].at);
	free(b->of);
	void *came = bytes && flat ? team->exchange(team->user, flat, bytes, bytes + b->n) : NULL;
	*ret_bytes = 0;
	for (uint32_t i = 0; bytes && i < b->n; i++)
		*ret_bytes += bytes[b->n + i];
	free(flat);
	free(bytes);
	if (good)
		return came;
	free(came);
	return NULL;
}

/* ---- out ---- */

/* Where synchronous sends were completed, by own send. */
static hb_at *completions(const hb_model *m, const struct hb__part *p)
{
	hb_at *at = calloc(m->sends.n + 1, sizeof *at);
	for (uint32_t l = 0; at && l < m->lines.n; l++) {
		const struct hb__line *line = &m->line_more.at[l];
		for (size_t i = 0; hb__speaks(p, m->lines.at[l].process) && i < line->ops.n; i++)
			if (line->ops.at[i].kind == HB_OP_SENT)
				at[line->ops.at[i].id] = (hb_at){l, line->ops.at[i].event};
	}
	return at;
}

static bool write_letters(hb_model *m, const struct hb__part *p, struct bundles *b)
{
	hb_at *completed = completions(m, p);
	uint32_t number = p->places[p->spoken].sends;
	bool good = completed != NULL;
	for (uint32_t i = p->skipped_sends; good && i < m->sends.n; i++) {
		const hb_send *s = &m->sends.at[i];
		const hb_channel *c = &m->channels.at[s->channel];
		struct letter letter = {number++, s->event, s->line, c->group, c->dest, c->tag, m->send_sites.at[i],
			s->flags, hb_send_bytes(m, i), completed[i]};
		for (uint32_t k = 0; c->dest != HB_NO && good && k <= p->last[c->dest] - p->main[c->dest]; k++)
			good = bundle(b, p->main[c->dest] + k, &letter, sizeof letter);
	}
	free(completed);
	return good;
}

static bool take_letter(hb_model *m, struct hb__part *p, const struct letter *l)
{
	uint32_t channel = hb__channel(m, l->group, m->lines.at[l->line].process, l->dest, l->tag);
	hb_send s = {l->event, l->line & 0xffffff, (uint8_t)l->flags, channel, HB_NO, 0, (uint32_t)l->bytes};
	uint32_t id = (uint32_t)m->sends.n;
	if (s.flags & HB_BIG) {
		struct hb__cell *cell = hb__place(&m->big, (struct hb__key){id, 0});
		if (!cell || !VEC_PUSH(&m->big_bytes, l->bytes))
			return false;
		cell->value = (uint32_t)m->big_bytes.n - 1;
		s.bytes = UINT32_MAX;
	}
	p->send_number[id] = l->number;
	p->send_site[id] = l->site;
	if (l->completed.event && !VEC_PUSH(&m->line_more.at[l->completed.line].ops,
					  ((hb_op){l->completed.event, id & 0xfffffff, HB_OP_SENT})))
		return false;
	return !m->no_memory && VEC_PUSH(&m->sends, s);
}

/* What was read of the own lines is kept for the others; in its place stand the ends of synchronous sends alone, which the rule of races
 * asks for. */
static bool put_aside(hb_model *m, struct hb__part *p)
{
	p->ops = calloc(m->lines.n + 1, sizeof *p->ops);
	for (uint32_t l = 0; p->ops && l < m->lines.n; l++) {
		memcpy(&p->ops[l], &m->line_more.at[l].ops, sizeof p->ops[l]);
		memset(&m->line_more.at[l].ops, 0, sizeof m->line_more.at[l].ops);
	}
	memcpy(&p->own, &m->sends, sizeof p->own);
	memset(&m->sends, 0, sizeof m->sends);
	free(m->big.at);
	free(m->big_bytes.at);
	memset(&m->big, 0, sizeof m->big);
	memset(&m->big_bytes, 0, sizeof m->big_bytes);
	free(m->send_sites.at);
	memset(&m->send_sites, 0, sizeof m->send_sites);
	return p->ops != NULL;
}

bool hb__part_send_out(hb_model *m, struct hb__part *p)
{
	struct bundles b;
	if (!bundles_open(&b, p->team->size))
		return false;
	bool good = write_letters(m, p, &b);
	size_t bytes = 0;
	struct letter *came = bundles_exchange(&b, p->team, good, &bytes);
	size_t n = bytes / sizeof *came;
	p->send_number = malloc((n + 1) * sizeof *p->send_number);
	p->send_site = malloc((n + 1) * sizeof *p->send_site);
	good = came && p->send_number && p->send_site && put_aside(m, p) && VEC_GROW(&m->sends, n + 1);
	for (size_t i = 0; good && i < n; i++)
		good = take_letter(m, p, &came[i]);
	free(came);
	return good;
}

/* ---- back ---- */

/* Of several threads, or where nobody received the message, a probe itself has to be remembered: as in clocks.c. */
static void mark_probed(hb_model *m)
{
	for (uint32_t i = 0; i < m->probes.n; i++) {
		const hb_probe *v = &m->probes.at[i];
		if (v->send != HB_NO && (m->processes.at[m->lines.at[v->line].process].nlines > 1 ||
						m->sends.at[v->send].receive == HB_NO))
			m->sends.at[v->send].flags |= HB_CHOSEN;
	}
}

static int by_number(const void *a, const void *b)
{
	const struct hb__fate *x = a, *y = b;
	return x->send < y->send ? -1 : x->send > y->send;
}

bool hb__part_fates(hb_model *m, struct hb__part *p)
{
	struct bundles b;
	if (!bundles_open(&b, p->team->size))
		return false;
	mark_probed(m);
	bool good = true;
	for (uint32_t i = 0; good && i < m->sends.n; i++) {
		const hb_send *s = &m->sends.at[i];
		const hb_receive *v = s->receive == HB_NO ? NULL : &m->receives.at[s->receive];
		if (!hb__speaks(p, m->channels.at[s->channel].dest) || (v && !(s->flags & HB_SYNCHRONOUS)))
			continue;
		struct hb__fate f = {.send = p->send_number[i], .taken = v, .kept = v || s->flags & HB_CHOSEN};
		if (v) {
			f.receive = p->places[p->spoken].receives + s->receive - p->skipped_receives;
			f.line = v->line;
			f.post = v->post;
			f.elsewhere = v->flags & HB_ELSEWHERE;
		}
		good = bundle(&b, p->main[m->lines.at[s->line].process], &f, sizeof f);
	}
	size_t bytes = 0;
	p->fates.at = bundles_exchange(&b, p->team, good, &bytes);
	p->fates.n = p->fates.room = bytes / sizeof *p->fates.at;
	if (p->fates.n)
		qsort(p->fates.at, p->fates.n, sizeof *p->fates.at, by_number);
	return p->fates.at != NULL;
}

struct hb__fate *hb__fate_of(const struct hb__part *p, uint32_t send)
{
	size_t low = 0, high = p->fates.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (p->fates.at[mid].send < send)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->fates.n && p->fates.at[low].send == send ? &p->fates.at[low] : NULL;
}

bool hb__part_drop(hb_model *m, struct hb__part *p, const bool *receive)
{
	struct bundles b;
	if (!bundles_open(&b, p->team->size))
		return false;
	bool good = true;
	for (uint32_t i = 0; good && i < m->sends.n; i++) {
		const hb_send *s = &m->sends.at[i];
		if (s->receive != HB_NO && receive[s->receive] && s->flags & HB_SYNCHRONOUS &&
			hb__speaks(p, m->channels.at[s->channel].dest))
			good = bundle(
				&b, p->main[m->lines.at[s->line].process], &p->send_number[i], sizeof *p->send_number);
	}
	size_t bytes = 0;
	uint32_t *came = bundles_exchange(&b, p->team, good, &bytes);
	for (size_t i = 0; i < p->fates.n; i++)
		p->fates.at[i].dropped = false;
	for (size_t i = 0; came && i < bytes / sizeof *came; i++) {
		struct hb__fate *f = hb__fate_of(p, came[i]);
		if (f)
			f->dropped = true;
	}
	good = came != NULL;
	free(came);
	return good;
}
