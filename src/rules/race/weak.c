/* What could be otherwise in other runs of the same program, when receives before turned out otherwise, too. A
 * receive is unstable when it could get another message: because it races, or because a receive posted before it
 * on the same process does and what the two take from overlaps. Messages into unstable receives order nothing for sure, so
 * more can race; this is repeated until nothing is added. The result is an upper bound: nothing that can
 * differ is left out as long as the processes make the same calls, and some things in it cannot. */
#include "base/grow.h"
#include "rules/race/parts.h"

#define ROUNDS 12 /* after so many all wildcard receives count as unstable */

struct displaced { /* a channel whose messages may be left to later receives */
	uint32_t channel, send;
};

struct hb__weak {
	hb_model *m;
	struct hb__front front;
	bool *unstable, *unstable_probe; /* by receive, by probe */
	uint32_t *seen;                  /* by send, in the weak order */
	/* of the process at hand */
	struct displaced *displaced;
	size_t n, room;
	bool *is_displaced;       /* by channel */
	uint64_t *stamp, stamped; /* by process: the last race of which one of its messages was found */
	size_t channels;          /* of the process */
	bool no_memory;
};

static void displace(struct hb__weak *w, uint32_t send)
{
	uint32_t channel = hb_model_sends(w->m)[send].channel;
	if (w->is_displaced[channel])
		return;
	if (!HB_GROW(w->displaced, w->room, w->n + 1)) {
		w->no_memory = true;
		return;
	}
	w->is_displaced[channel] = true;
	w->displaced[w->n++] = (struct displaced){channel, send};
}

static bool takes(const hb_model *m, const hb_spec *s, uint32_t channel)
{
	const hb_channel *c = &hb_model_channels(m)[channel];
	return s->group == c->group && (s->tag == HB_ANY_TAG || s->tag == c->tag) &&
	       (s->any_source || s->source == c->source);
}

static uint32_t source_of(const hb_model *m, uint32_t send)
{
	return hb_model_channels(m)[hb_model_sends(m)[send].channel].source;
}

/* The last event up to which the receive may still be without its message: one that a choosing call completed
 * may be completed by a later call of it. */
static uint32_t latest(const struct hb__weak *w, uint32_t receive)
{
	const hb_receive *v = &hb_model_receives(w->m)[receive];
	bool chosen = v->flags & (HB_CHOSEN | HB_ELSEWHERE);
	uint32_t done = chosen ? HB_NO - 1 : v->done;
	return done == v->post ? done : hb__matched_by(w->m, receive, done, true);
}

/* Messages of other senders that a wildcard with this spec could get; calls visit with each sender's first. */
static void others(struct hb__weak *w, uint32_t spec, uint32_t got, uint32_t limit,
	void (*visit)(void *user, uint32_t send), void *user)
{
	uint32_t own = source_of(w->m, got);
	const hb_spec *s = &hb_model_specs(w->m)[spec];
	struct hb__row_of row = hb__front_row(&w->front, spec);
	for (uint32_t i = 0; i < row.n; i++)
		if (row.seen[i] <= limit && hb__row_source(&w->front, &row, i) != own)
			visit(user, hb__row_send(&w->front, &row, i));
	for (size_t i = 0; i < w->n; i++)
		if (hb_model_channels(w->m)[w->displaced[i].channel].source != own &&
			takes(w->m, s, w->displaced[i].channel))
			visit(user, w->displaced[i].send);
}

struct collect {
	struct hb__weak *w;
	bool any;
	uint32_t sends[64];
	size_t n;
};

static void collect(void *user, uint32_t send)
{
	struct collect *c = user;
	c->any = true;
	if (send == HB_NO)
		return;
	if (c->n == sizeof c->sends / sizeof *c->sends) {
		for (size_t i = 0; i < c->n; i++)
			displace(c->w, c->sends[i]);
		c->n = 0;
	}
	c->sends[c->n++] = send;
}

/* A wildcard receive whose end is not known may have taken any message in front, in this run or in others. */
static void open_end(struct hb__weak *w, uint32_t spec)
{
	struct hb__row_of row = hb__front_row(&w->front, spec);
	for (uint32_t i = 0; i < row.n; i++) {
		uint32_t send = hb__row_send(&w->front, &row, i);
		if (send != HB_NO)
			displace(w, send);
	}
}

/* Takes a receive into account for those after it: sets whether it is unstable. */
void hb__weak_receive(struct hb__weak *w, uint32_t id)
{
	const hb_receive *v = &hb_model_receives(w->m)[id];
	const hb_spec *s = &hb_model_specs(w->m)[v->spec];
	if (v->send == HB_NO) {
		if (v->flags & (HB_PENDING | HB_CANCELLED) && s->any_source)
			open_end(w, v->spec);
		return;
	}
	bool touched = false;
	for (size_t i = 0; i < w->n && !touched; i++)
		touched = takes(w->m, s, w->displaced[i].channel);
	if (w->n == w->channels) { /* all are open to others already */
		w->unstable[id] = w->unstable[id] || touched;
		return;
	}
	if (s->any_source) {
		struct collect c = {.w = w};
		others(w, v->spec, v->send, latest(w, id), collect, &c);
		for (size_t i = 0; i < c.n; i++)
			displace(w, c.sends[i]);
		touched = touched || c.any;
	}
	if (!touched && !(v->flags & HB_CANCEL_ASKED))
		return;
	w->unstable[id] = true;
	displace(w, v->send);
}

static void any(void *user, uint32_t send)
{
	(void)send;
	*(bool *)user = true;
}

static void on_probe(struct hb__weak *w, uint32_t id)
{
	const hb_probe *p = &hb_model_probes(w->m)[id];
	const hb_spec *s = &hb_model_specs(w->m)[p->spec];
	bool touched = false;
	if (p->send == HB_NO)
		return;
	for (size_t i = 0; i < w->n && !touched; i++)
		touched = takes(w->m, s, w->displaced[i].channel);
	if (s->any_source && !touched)
		others(w, p->spec, p->send, p->event, any, &touched);
	if (touched)
		w->unstable_probe[id] = true;
}

void hb__weak_process(struct hb__weak *w, uint32_t process)
{
	for (size_t i = 0; i < w->n; i++)
		w->is_displaced[w->displaced[i].channel] = false;
	w->n = 0;
	hb__front_process(&w->front, process);
	w->channels = w->front.begin[process + 1] - w->front.begin[process];
}

void hb__weak_take(struct hb__weak *w, uint32_t receive) { hb__front_take(&w->front, receive); }

void hb__weak_again(struct hb__weak *w)
{
	hb__front_close(&w->front);
	if (!hb__front_open(w->m, w->seen, &w->front))
		w->no_memory = true;
}

/* One round over all processes with the clocks as they are now; true when something became unstable. */
static bool round_of(struct hb__weak *w)
{
	const hb_model_info *info = hb_model_get_info(w->m);
	const hb_line *lines = hb_model_lines(w->m);
	uint64_t before = 0, after = 0;
	uint32_t process = HB_NO, probe = 0;
	for (uint32_t i = 0; i < info->receives; i++)
		before += w->unstable[i];
	for (uint32_t i = 0; i < info->probes; i++)
		before += w->unstable_probe[i];
	hb__weak_again(w);
	for (uint32_t i = 0; i <= info->receives && !w->no_memory; i++) {
		for (; probe < info->probes && hb_probe_after(w->m, probe) <= i; probe++) {
			uint32_t p = lines[hb_model_probes(w->m)[probe].line].process;
			if (p != process)
				hb__weak_process(w, process = p);
			on_probe(w, probe);
		}
		if (i == info->receives)
			break;
		uint32_t p = lines[hb_model_receives(w->m)[i].line].process;
		if (p != process)
			hb__weak_process(w, process = p);
		hb__weak_take(w, i);
		hb__weak_receive(w, i);
	}
	for (uint32_t i = 0; i < info->receives; i++)
		after += w->unstable[i];
	for (uint32_t i = 0; i < info->probes; i++)
		after += w->unstable_probe[i];
	return hb_model_any(w->m, after != before);
}

static bool rounds(struct hb__weak *w, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(w->m);
	const hb_receive *receives = hb_model_receives(w->m);
	hb_clock_options options = {.drop_receive = w->unstable, .drop_probe = w->unstable_probe, .seen = w->seen};
	for (uint32_t i = 0; i < info->receives; i++)
		w->unstable[i] = receives[i].flags & (HB_CHOSEN | HB_AMBIGUOUS);
	for (int n = 0; n <= ROUNDS; n++) {
		for (uint32_t i = 0; n == ROUNDS && i < info->receives; i++)
			w->unstable[i] = true;
		if (hb_clocks_run_with(w->m, &options, NULL, NULL, err) || w->no_memory)
			return false;
		if (!round_of(w))
			return !w->no_memory;
	}
	return !w->no_memory;
}

struct hb__weak *hb__weak_new(hb_model *m, hb_error *err)
{
	const hb_model_info *info = hb_model_get_info(m);
	struct hb__weak *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->m = m;
	w->unstable = calloc((size_t)info->receives + 1, sizeof *w->unstable);
	w->unstable_probe = calloc((size_t)info->probes + 1, sizeof *w->unstable_probe);
	w->seen = calloc((size_t)info->sends + 1, sizeof *w->seen);
	w->is_displaced = calloc((size_t)info->channels + 1, sizeof *w->is_displaced);
	w->stamp = calloc((size_t)info->processes + 1, sizeof *w->stamp);
	if (w->stamp && w->unstable && w->unstable_probe && w->seen && w->is_displaced && rounds(w, err))
		return w;
	hb__weak_free(w);
	return NULL;
}

void hb__weak_free(struct hb__weak *w)
{
	if (!w)
		return;
	hb__front_close(&w->front);
	free(w->unstable);
	free(w->unstable_probe);
	free(w->seen);
	free(w->displaced);
	free(w->is_displaced);
	free(w->stamp);
	free(w);
}

static bool is_new(struct hb__weak *w, uint32_t send)
{
	uint32_t source = source_of(w->m, send);
	uint64_t *stamp = &w->stamp[source == HB_NO ? hb_model_get_info(w->m)->processes : source];
	bool is = *stamp != w->stamped;
	*stamp = w->stamped;
	return is;
}

static void add(void *user, uint32_t send)
{
	struct hb__racing *r = user;
	if (send != HB_NO && is_new(r->weak, send))
		hb__found(r, send, true);
}

void hb__weak_alternatives(struct hb__racing *r, const hb_race *race)
{
	if (!r->visit && r->nfound)
		return; /* only the number of races is asked for */
	uint32_t limit = race->kind == HB_RACE_RECEIVE ? latest(r->weak, race->id) : race->done.event;
	r->weak->stamped++;
	for (uint32_t i = 0; i < r->nfound; i++)
		is_new(r->weak, r->found[i].send);
	others(r->weak, race->spec, race->got, limit, add, r);
}
