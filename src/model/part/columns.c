/* The pass over all lines, as clock/clocks.c, with the components of the lines of this member alone. All members do the same steps in
 * the same order: nothing in it depends on a component. */
#include "model/part/pass.h"

#define STRETCH 1024 /* acts of a line before the next has its turn */

/* ---- lines that can go on ---- */

void hb__pass_wake(struct hb__pass *s, uint32_t line)
{
	if (s->lines[line].queued)
		return;
	s->lines[line].queued = true;
	s->lines[line].next = HB_NO;
	if (s->first == HB_NO)
		s->first = line;
	else
		s->lines[s->last].next = line;
	s->last = line;
}

void hb__pass_wake_chain(struct hb__pass *s, uint32_t *chain)
{
	for (uint32_t l = *chain, next; l != HB_NO; l = next) {
		next = s->lines[l].chain;
		hb__pass_wake(s, l);
	}
	*chain = HB_NO;
}

enum { MESSAGE = 1, POSTING, EDGE }; /* of keys in s->waiting */

/* False: the line sleeps until somebody calls there(). One line at most waits for a thing; others come by again. */
static bool sleep_for(struct hb__pass *s, uint32_t line, uint64_t kind, uint32_t id)
{
	struct hb__cell *cell = hb__place(&s->waiting, (struct hb__key){kind, id});
	if (!cell)
		s->no_memory = true;
	else if (cell->value == HB_NO)
		cell->value = line;
	else if (cell->value != line)
		hb__pass_wake(s, line);
	return false;
}

static void there(struct hb__pass *s, uint64_t kind, uint32_t id)
{
	struct hb__key key = {kind, id};
	uint32_t line = s->waiting.used ? hb__look(&s->waiting, key) : HB_NO;
	if (line == HB_NO)
		return;
	hb__erase(&s->waiting, key);
	hb__pass_wake(s, line);
}

/* ---- clocks ---- */

static void set_own(struct hb__pass *s, uint32_t line, uint32_t of, uint32_t event)
{
	if (hb__here(s, of) && s->lines[line].clock[of - s->low] < event)
		s->lines[line].clock[of - s->low] = event;
}

void hb__pass_learn(struct hb__pass *s, uint32_t line, uint32_t version)
{
	struct hb__runner_of *r = &s->lines[line];
	hb__clock_merge(r->clock, hb__version(&s->versions, version), s->versions.width);
	set_own(s, line, line, r->event);
	hb__version_drop(&s->versions, r->version);
	r->version = HB_NO;
}

uint32_t hb__pass_version(struct hb__pass *s, uint32_t line)
{
	struct hb__runner_of *r = &s->lines[line];
	if (r->version == HB_NO)
		r->version = hb__version_new(&s->versions, r->clock);
	if (r->version == HB_NO) {
		s->no_memory = true;
		return HB_NO;
	}
	return hb__version_share(&s->versions, r->version);
}

/* ---- messages ---- */

static uint32_t *under_way(struct hb__pass *s, uint32_t process, uint32_t send)
{
	struct hb__under_way *u = &s->under_way[process];
	size_t i = send - u->base;
	return send >= u->base && i < u->at.n ? &u->at.at[i] : NULL;
}

static void put_under_way(struct hb__pass *s, uint32_t process, uint32_t send, uint32_t what)
{
	struct hb__under_way *u = &s->under_way[process];
	size_t i = send - u->base;
	if (!VEC_GROW(&u->at, i + 1)) {
		s->no_memory = true;
		return;
	}
	while (u->at.n <= i)
		u->at.at[u->at.n++] = HB__NOT_SENT;
	u->at.at[i] = what;
}

/* What is over at the front is forgotten. */
static void tidy(struct hb__under_way *u)
{
	while (u->head < u->at.n && u->at.at[u->head] == HB__NOT_KEPT)
		u->head++;
	if (u->head < 64 || u->head * 2 < u->at.n)
		return;
	memmove(u->at.at, u->at.at + u->head, (u->at.n - u->head) * sizeof *u->at.at);
	u->at.n -= u->head;
	u->base += (uint32_t)u->head;
	u->head = 0;
}

/* What the sender knew of the lines of whom it sends to: hb_send.seen. */
static void note_seen(struct hb__pass *s, uint32_t line, uint32_t process)
{
	hb_model *m = s->m;
	uint32_t id = s->first_send[line];
	const hb_process *to = &m->processes.at[process];
	const uint32_t *clock = s->lines[line].clock + (to->first_line - s->low);
	s->first_send[line] = s->next_send[id];
	if (s->seen)
		s->seen[id] = to->nlines == 1 ? clock[0] : 0;
	if (!s->set_seen)
		return;
	hb_send *send = &m->sends.at[id];
	if (to->nlines <= 1) {
		send->seen = to->nlines ? clock[0] : 0;
	} else if (HB_GROW(m->seen_more, m->seen_room, m->seen_used + to->nlines)) {
		send->seen = (uint32_t)m->seen_used;
		memcpy(m->seen_more + m->seen_used, clock, to->nlines * sizeof *clock);
		m->seen_used += to->nlines;
	} else {
		s->no_memory = true;
	}
}

static void answer(struct hb__pass *s, uint32_t line, uint32_t send)
{
	size_t low = 0, high = s->nasks;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (s->asks[mid].send < send)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < s->nasks && s->asks[low].send == send; low++)
		s->answers[low] = s->lines[line].clock[s->asks[low].line - s->low];
}

static void on_send(struct hb__pass *s, uint32_t line, const struct hb__act *a)
{
	uint32_t process = s->m->lines.at[line].process, what = HB__NOT_KEPT;
	if (a->line != HB_NO && a->line >= s->p->first && a->line < s->p->end)
		note_seen(s, line, a->line);
	if (s->nasks)
		answer(s, line, a->id);
	if (a->flags & HB__ACT_KEPT)
		what = hb__pass_version(s, line) + 1;
	put_under_way(s, process, a->id, what);
	there(s, MESSAGE, a->id);
}

static bool on_received(struct hb__pass *s, uint32_t line, const struct hb__act *a)
{
	uint32_t process = s->m->lines.at[a->line].process;
	uint32_t *at = under_way(s, process, a->id);
	if (!at || *at == HB__NOT_SENT)
		return a->id < s->under_way[process].base || sleep_for(s, line, MESSAGE, a->id);
	if (*at == HB__NOT_KEPT)
		return true;
	struct hb__runner_of *r = &s->lines[line];
	if (!hb__here(s, a->line) || r->clock[a->line - s->low] < a->at) {
		hb__pass_learn(s, line, *at - 1);
		set_own(s, line, a->line, a->at);
	}
	if (a->flags & HB__ACT_LAST) {
		hb__version_drop(&s->versions, *at - 1);
		*at = HB__NOT_KEPT;
		tidy(&s->under_way[process]);
	}
	return true;
}

/* ---- postings and edges ---- */

static void tell(struct hb__pass *s, struct hb__table *table, uint64_t kind, uint32_t line, uint32_t id)
{
	struct hb__cell *cell = hb__place(table, (struct hb__key){id, 0});
	if (!cell) {
		s->no_memory = true;
		return;
	}
	if (cell->value == HB_NO)
		cell->value = hb__pass_version(s, line);
	there(s, kind, id);
}

static bool told(
	struct hb__pass *s, struct hb__table *table, uint64_t kind, uint32_t line, const struct hb__act *a, bool last)
{
	uint32_t version = hb__look(table, (struct hb__key){a->id, 0});
	if (version == HB_NO)
		return sleep_for(s, line, kind, a->id);
	/* an edge may begin at an exit, of which knowing the enter says nothing */
	if (kind == EDGE || !hb__here(s, a->line) || s->lines[line].clock[a->line - s->low] < a->at) {
		hb__pass_learn(s, line, version);
		set_own(s, line, a->line, a->at);
	}
	if (last) {
		hb__version_drop(&s->versions, version);
		hb__erase(table, (struct hb__key){a->id, 0});
	}
	return true;
}

/* ---- lines ---- */

static bool step(struct hb__pass *s, uint32_t line, const struct hb__act *a)
{
	switch ((hb__act_kind)a->kind) {
	case HB__ACT_SEND:
		on_send(s, line, a);
		return true;
	case HB__ACT_POST:
		tell(s, &s->posted, POSTING, line, a->id);
		return true;
	case HB__ACT_AWAIT:
		return told(s, &s->posted, POSTING, line, a, a->flags & HB__ACT_LAST);
	case HB__ACT_RECEIVED:
		return on_received(s, line, a);
	case HB__ACT_ENTER:
		hb__gathering_entered(s, line, a->id);
		return true;
	case HB__ACT_LEAVE:
		return hb__gathering_left(s, line, a->id);
	case HB__ACT_TELL:
		tell(s, &s->edges, EDGE, line, a->id);
		return true;
	case HB__ACT_TOLD:
		return told(s, &s->edges, EDGE, line, a, true);
	case HB__ACT_END:
		return true;
	}
	return true;
}

static uint32_t first_line(const struct hb__pass *s, uint32_t line)
{
	return s->m->processes.at[s->m->lines.at[line].process].first_line;
}

static void advance(struct hb__pass *s, uint32_t line, uint32_t to)
{
	struct hb__runner_of *r = &s->lines[line];
	r->event = to;
	set_own(s, line, line, to);
	if (r->starters != HB_NO)
		hb__pass_wake_chain(s, &r->starters); /* who is not to begin yet sleeps again */
}

/* Lines of further threads begin after MPI_Init of the first. */
static bool begun(struct hb__pass *s, uint32_t line)
{
	struct hb__runner_of *r = &s->lines[line];
	uint32_t first = first_line(s, line), init = s->m->line_more.at[line].init;
	if (r->begun || first == line || !init)
		return r->begun = true;
	struct hb__runner_of *f = &s->lines[first];
	if (f->event <= init && !f->ended) {
		r->chain = f->starters;
		f->starters = line;
		return false;
	}
	set_own(s, line, first, init);
	return r->begun = true;
}

static void run_line(struct hb__pass *s, uint32_t line)
{
	struct hb__runner_of *r = &s->lines[line];
	if (!begun(s, line))
		return;
	for (uint32_t left = STRETCH; !s->no_memory; s->moved++) {
		if (!left--) {
			hb__pass_wake(s, line);
			return;
		}
		const struct hb__act *a = hb__act(s->acts, line);
		if (!a) {
			s->no_memory = true;
			return;
		}
		if (a->event > r->event)
			advance(s, line, a->event);
		if (!step(s, line, a))
			return;
		if (a->kind == HB__ACT_END)
			break;
		hb__act_done(s->acts, line);
	}
	r->ended = true;
	s->ended++;
	hb__pass_wake_chain(s, &r->starters);
	hb__version_drop(&s->versions, r->version);
	r->version = HB_NO;
}

/* False: all sleep, or come by in vain. */
static bool run_all(struct hb__pass *s)
{
	uint64_t idle = 0, n = s->m->lines.n;
	for (uint32_t l = 0; l < n; l++)
		hb__pass_wake(s, l);
	while (!s->no_memory && s->ended < n) {
		uint32_t line = s->first, moved = s->moved;
		if (line == HB_NO || idle > 4 * n)
			return false;
		s->first = s->lines[line].next;
		s->lines[line].queued = false;
		if (!s->lines[line].ended)
			run_line(s, line);
		idle = s->moved == moved ? idle + 1 : 0;
	}
	return true;
}

/* ---- begin and end ---- */

/* The sends of each line to own processes, in their order. */
static bool chain_sends(struct hb__pass *s)
{
	const hb_model *m = s->m;
	s->next_send = malloc((m->sends.n + 1) * sizeof *s->next_send);
	s->first_send = malloc((m->lines.n + 1) * sizeof *s->first_send);
	if (!s->next_send || !s->first_send)
		return false;
	memset(s->first_send, 0xff, (m->lines.n + 1) * sizeof *s->first_send);
	for (uint32_t i = (uint32_t)m->sends.n; i-- > 0;) {
		uint32_t line = m->sends.at[i].line;
		s->next_send[i] = s->first_send[line];
		s->first_send[line] = i;
	}
	return true;
}

static bool begin(struct hb__pass *s)
{
	hb_model *m = s->m;
	size_t lines = m->lines.n;
	const hb_process *first = &m->processes.at[s->p->first];
	s->low = s->high = 0;
	if (s->p->first < s->p->end) {
		s->low = first->first_line;
		s->high = s->p->end < m->processes.n ? m->processes.at[s->p->end].first_line : (uint32_t)lines;
	}
	hb__versions_open(&s->versions, s->high - s->low + 1);
	s->acts = hb__acts_open(m, s->drop_receive, s->drop_probe);
	s->lines = calloc(lines + 1, sizeof *s->lines);
	s->clocks = calloc((lines + 1) * s->versions.width + 1, sizeof *s->clocks);
	s->under_way = calloc(m->processes.n + 1, sizeof *s->under_way);
	s->gatherings = calloc((size_t)s->p->nmeetings + 1, sizeof *s->gatherings);
	s->answers = calloc(s->nasks + 1, sizeof *s->answers);
	s->first = HB_NO;
	if (!s->acts || !s->lines || !s->clocks || !s->under_way || !s->gatherings || !s->answers || !chain_sends(s))
		return false;
	for (size_t i = 0; i < m->processes.n; i++)
		s->under_way[i].base = s->p->places[i].sends;
	for (size_t l = 0; l < lines; l++)
		s->lines[l] = (struct hb__runner_of){
			.clock = s->clocks + l * s->versions.width, .version = HB_NO, .starters = HB_NO, .next = HB_NO};
	if (s->set_seen)
		m->seen_used = 0;
	return true;
}

static void end(struct hb__pass *s)
{
	hb__acts_close(s->acts);
	hb__versions_close(&s->versions);
	hb__gatherings_close(s);
	for (size_t i = 0; s->under_way && i < s->m->processes.n; i++)
		free(s->under_way[i].at.at);
	free(s->under_way);
	free(s->lines);
	free(s->clocks);
	free(s->waiting.at);
	free(s->posted.at);
	free(s->edges.at);
	free(s->next_send);
	free(s->first_send);
}

/* Runs the pass; answers are those of the questions, which are about own lines. */
static hb_status run(hb_model *m, const struct hb__pass *wanted, uint32_t **ret_answers, hb_error *err)
{
	struct hb__pass s = *wanted;
	s.m = m;
	s.p = m->part;
	bool whole = begin(&s) && run_all(&s);
	s.no_memory = s.no_memory || (!whole && !s.acts);
	end(&s);
	*ret_answers = s.answers;
	if (s.no_memory)
		return hb__no_memory(err);
	if (!whole && err)
		*err = (hb_error){.status = HB_E_ARGUMENT,
			.message = "the logs contradict each other in the order of events, and which of them is "
				   "wrong is not decided by several processes"};
	return whole ? HB_OK : HB_E_ARGUMENT;
}

/* ---- questions go to whom the component belongs to ---- */

struct question {
	uint32_t send, line, from, nth; /* send: of the whole; whose question it is */
};

static int by_send(const void *a, const void *b)
{
	const hb_ask *x = a, *y = b;
	return x->send != y->send ? (x->send < y->send ? -1 : 1) : x->line < y->line ? -1 : x->line > y->line;
}

/* All questions are told to everybody, which keeps those about own lines; and likewise the answers. */
static hb_status ask(hb_model *m, hb_ask *asks, size_t n, hb_error *err)
{
	const struct hb__part *p = m->part;
	size_t *bytes = calloc(p->team->size, sizeof *bytes), all = 0, mine = 0, nth = 0;
	hb_ask *own = malloc((n + 1) * sizeof *own);
	for (size_t i = 0; own && i < n; i++)
		own[i] = (hb_ask){p->send_number[asks[i].send], asks[i].line, 0};
	hb_ask *every = own && bytes ? p->team->gather(p->team->user, own, n * sizeof *own, bytes) : NULL;
	for (uint32_t i = 0; every && i < p->team->size; i++)
		all += bytes[i] / sizeof *every;
	hb_ask *here = every ? malloc((all + 1) * sizeof *here) : NULL;
	for (size_t i = 0; here && i < all; i++)
		if (hb__speaks(p, m->lines.at[every[i].line].process))
			here[mine++] = every[i];
	uint32_t *answers = NULL;
	if (here)
		qsort(here, mine, sizeof *here, by_send);
	hb_status status =
		here ? run(m, &(struct hb__pass){.asks = here, .nasks = mine}, &answers, err) : hb__no_memory(err);
	for (size_t i = 0; !status && i < mine; i++)
		here[i].ret_seen = answers[i];
	hb_ask *told = status ? NULL : p->team->gather(p->team->user, here, mine * sizeof *here, bytes);
	if (!status && !told)
		status = hb__no_memory(err);
	for (uint32_t i = 0; told && i < p->team->size; nth += bytes[i++] / sizeof *told)
		for (size_t k = 0; k < n; k++) {
			const hb_ask *found =
				bsearch(&own[k], told + nth, bytes[i] / sizeof *told, sizeof *told, by_send);
			if (found)
				asks[k].ret_seen = found->ret_seen;
		}
	free(told);
	free(answers);
	free(here);
	free(every);
	free(own);
	free(bytes);
	return status;
}

hb_status hb__part_clocks(hb_model *m, const hb_clock_options *options, hb_error *err)
{
	uint32_t *answers;
	if (options->asks)
		return ask(m, options->asks, options->nasks, err);
	struct hb__pass wanted = {
		.seen = options->seen, .drop_receive = options->drop_receive, .drop_probe = options->drop_probe};
	bool plain = !wanted.seen && !wanted.drop_receive && !wanted.drop_probe;
	wanted.set_seen = !wanted.seen;
	if (wanted.drop_receive && !hb__part_drop(m, m->part, wanted.drop_receive))
		return hb__no_memory(err);
	hb_status status = run(m, &wanted, &answers, err);
	free(answers);
	m->clocks_done = m->clocks_done || (plain && !status);
	return status;
}
