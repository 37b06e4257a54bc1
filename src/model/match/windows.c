/* One-sided synchronisation: which window a call works on, whether a fence waits for the others, and what post, start, complete and
 * wait order. The k-th start of an origin for a target belongs to the k-th post of that target for the origin. */
#include "calls/neutral.h"
#include "model/match/read.h"

/* ---- windows of one process ---- */

void hb__window_made(struct hb__reading *r, uint32_t collective)
{
	int64_t number = r->event->window;
	bool told = number != HB_ABSENT;
	struct hb__own_window w = {
		.number = told ? number : -1, .comm = (uint32_t)r->event->comm, .made = told ? collective : HB_NO};
	if (!VEC_PUSH(&r->windows, w))
		r->m->no_memory = true;
}

struct hb__own_window *hb__own_window(struct hb__reading *r, const struct hb__function *f)
{
	if (f->win < 0 || (uint32_t)f->win >= r->event->row->nargs)
		return NULL;
	int64_t number = r->event->row->arg[f->win];
	struct hb__own_window *fresh = NULL;
	for (size_t i = r->windows.n; i-- > 0 && number >= 0;) {
		struct hb__own_window *w = &r->windows.at[i];
		if (w->number == number)
			return w;
		if (w->number < 0)
			fresh = w; /* numbered as they were first used: of several new ones the oldest is taken */
	}
	if (fresh)
		fresh->number = number;
	return fresh;
}

/* A fence that is known to end no epoch need not wait for the others (MPI 4.0, 12.5.1): one that says that none precedes, the
 * first one, and one after a fence that said that none succeeds. What old recordings do not say is taken for an ordinary fence. */
bool hb__fence_meets(struct hb__reading *r, struct hb__own_window *w)
{
	int64_t asserts = hb_event_argument(r->event, "assert");
	bool ends = w->open;
	if (asserts == HB_ABSENT)
		return true;
	w->open = !(asserts & HB_FENCE_NOSUCCEED);
	return ends && !(asserts & HB_FENCE_NOPRECEDE);
}

/* MPI_Win_free need not wait for the others when the window was made with the info key no_locks, which is not recorded. Who locks it,
 * knows that it was not (MPI 4.1, 12.2.5: "it is synchronizing unless the window was created with the no_locks info key set to true"). */
static void on_lock(struct hb__reading *r, const struct hb__function *f)
{
	struct hb__own_window *w = r->event->row->result ? NULL : hb__own_window(r, f);
	if (!w || w->locked || w->made == HB_NO)
		return;
	w->locked = true;
	if (!VEC_PUSH(&r->m->locked, w->made))
		r->m->no_memory = true;
}

void hb__window_freed(struct hb__reading *r, struct hb__own_window *w, uint32_t collective)
{
	if (w && collective != HB_NO && !VEC_PUSH(&r->m->freed, ((struct hb__freed){collective, w->made})))
		r->m->no_memory = true;
}

static int by_window(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* What frees a window that somebody locked waits for all of its processes. */
static void order_freed(hb_model *m)
{
	if (m->locked.n)
		qsort(m->locked.at, m->locked.n, sizeof *m->locked.at, by_window);
	for (size_t i = 0; i < m->freed.n; i++) {
		const struct hb__freed *f = &m->freed.at[i];
		if (m->locked.n && bsearch(&f->window, m->locked.at, m->locked.n, sizeof f->window, by_window))
			m->collectives.at[f->collective].order = HB_ORDER_ALL;
	}
}

/* ---- epochs of one process ---- */

static hb_at here(const struct hb__reading *r) { return (hb_at){r->line, (uint32_t)r->event->row->number}; }

static void begin(struct hb__reading *r, struct hb__own_window *w, bool start)
{
	hb_model *m = r->m;
	int64_t partners = hb_event_argument(r->event, "group");
	uint32_t n = 0;
	if (partners != HB_ABSENT && partners)
		hb_log_array(m->processes.at[r->process].log, (uint64_t)partners, &n);
	w->lost[start] |= partners && !n;
	m->epochs_lost += w->lost[start];
	struct hb__epoch e = {.process = r->process,
		.window = w->made,
		.begin = here(r),
		.end = {HB_NO, 0},
		.start = start,
		.known = !w->lost[start],
		.partners = (uint64_t)partners};
	if (!VEC_PUSH(&m->epochs, e))
		m->no_memory = true;
	else
		*(start ? &w->started : &w->posted) = (uint32_t)m->epochs.n;
}

static void end(struct hb__reading *r, struct hb__own_window *w, bool start)
{
	hb_model *m = r->m;
	uint32_t *open = start ? &w->started : &w->posted;
	struct hb__epoch *e = *open ? &m->epochs.at[*open - 1] : NULL;
	*open = 0;
	if (!e || (!start && r->inside)) /* a complete that never returned has told that there is no further access */
		return;
	e->end = here(r);
	e->fetched = (uint32_t)m->fetched.n;
	for (uint32_t i = 0; start && i < r->event->row->nresults; i++) {
		int64_t rank = r->event->row->results[i];
		uint32_t process = hb__process_called(m, r->process, rank);
		if (process != HB_NO && !VEC_PUSH(&m->fetched, process))
			m->no_memory = true;
	}
	e->n = (uint32_t)m->fetched.n - e->fetched;
}

static void on_epoch(struct hb__reading *r, const struct hb__function *f)
{
	struct hb__own_window *w = r->event->row->result ? NULL : hb__own_window(r, f);
	uint8_t does = f->means->does;
	bool start = does == HB_DOES_WINDOW_START || does == HB_DOES_WINDOW_COMPLETE;
	bool begins = does == HB_DOES_WINDOW_START || does == HB_DOES_WINDOW_POST;
	if (!w || w->made == HB_NO) {
		r->m->epochs_lost += begins && !r->event->row->result;
		return;
	}
	if (begins)
		begin(r, w, start);
	else
		end(r, w, start);
}

void hb__on_window(struct hb__reading *r, const struct hb__function *f)
{
	bool locks = f->means->does == HB_DOES_WINDOW_LOCK || f->means->does == HB_DOES_WINDOW_LOCK_ALL;
	(locks ? on_lock : on_epoch)(r, f);
}

/* ---- all processes ---- */

struct pair { /* an epoch and one partner */
	uint32_t window, target, origin;
	bool start;
	uint32_t epoch;
};

struct pairs {
	VEC(struct pair) all;
};

static bool add_pairs(hb_model *m, struct pairs *p, uint32_t epoch)
{
	const struct hb__epoch *e = &m->epochs.at[epoch];
	uint32_t n = 0;
	const int64_t *rank =
		e->known && e->partners ? hb_log_array(m->processes.at[e->process].log, e->partners, &n) : NULL;
	for (uint32_t i = 0; rank && i < n; i++) {
		uint32_t other = hb__process_called(m, e->process, rank[i]);
		struct pair pair = {
			e->window, e->start ? other : e->process, e->start ? e->process : other, e->start, epoch};
		if (other != HB_NO && !VEC_PUSH(&p->all, pair))
			return false;
	}
	return true;
}

static int compare(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int by_partners(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int c = compare(x->window, y->window);
	c = c ? c : compare(x->target, y->target);
	c = c ? c : compare(x->origin, y->origin);
	c = c ? c : x->start - y->start;
	return c ? c : compare(x->epoch, y->epoch); /* those of one process are in its order */
}

static bool alike(const struct pair *a, const struct pair *b)
{
	return a->window == b->window && a->target == b->target && a->origin == b->origin;
}

static void edge(hb_model *m, hb_edge_kind kind, hb_at from, hb_at to)
{
	if (from.line == HB_NO || to.line == HB_NO || from.line == to.line)
		return;
	if (m->edges.n >> 28 || !VEC_PUSH(&m->edges, ((hb_edge){from, to, kind})))
		m->no_memory = true;
}

static bool exits(const hb_model *m, hb_at at)
{
	const hb_line *l = at.line == HB_NO ? NULL : &m->lines.at[at.line];
	return l && (!l->inside || at.event < l->events);
}

static void matched(hb_model *m, const struct hb__epoch *post, const struct hb__epoch *start)
{
	bool fetched = false;
	for (uint32_t i = 0; i < start->n && !fetched; i++)
		fetched = m->fetched.at[start->fetched + i] == post->process;
	if (!VEC_PUSH(&m->exposed, ((struct hb__exposed){start->begin, post->begin, post->process})))
		m->no_memory = true;
	edge(m, HB_EDGE_COMPLETED, start->end, post->end);
	if (fetched && exits(m, start->end))
		edge(m, HB_EDGE_FETCHED, post->begin, start->end);
}

static int by_start(const void *a, const void *b)
{
	const struct hb__exposed *x = a, *y = b;
	int c = compare(x->start.line, y->start.line);
	c = c ? c : compare(x->start.event, y->start.event);
	return c ? c : compare(x->process, y->process);
}

hb_at hb_window_post(const hb_model *m, hb_at start, uint32_t process)
{
	struct hb__exposed asked = {.start = start, .process = process};
	const struct hb__exposed *found =
		m->exposed.n ? bsearch(&asked, m->exposed.at, m->exposed.n, sizeof asked, by_start) : NULL;
	return found ? found->post : (hb_at){HB_NO, 0};
}

/* ---- edges become operations ---- */

struct end {
	uint32_t line;
	hb_op op;
};

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	int c = compare(x->line, y->line);
	c = c ? c : compare(x->op.event, y->op.event);
	c = c ? c : compare(x->op.kind, y->op.kind);
	return c ? c : compare(x->op.id, y->op.id);
}

/* What begins at an enter stands before the other operations of its event, what ends at its exit behind them, and then what begins there. */
static bool insert(struct hb__line *l, const struct end *own, size_t n)
{
	size_t old = l->ops.n, i = n, at = old + n;
	if (!VEC_GROW(&l->ops, at))
		return false;
	l->ops.n = at;
	for (size_t k = old; k-- > 0;) { /* from behind, in place */
		const hb_op o = l->ops.at[k];
		while (i > 0 && (own[i - 1].op.event > o.event ||
					(own[i - 1].op.event == o.event && own[i - 1].op.kind >= HB_OP_TOLD)))
			l->ops.at[--at] = own[--i].op;
		l->ops.at[--at] = o;
	}
	while (i > 0)
		l->ops.at[--at] = own[--i].op;
	return true;
}

static bool insert_all(hb_model *m)
{
	size_t n = 0;
	struct end *end = calloc(2 * m->edges.n + 1, sizeof *end);
	bool good = end != NULL;
	for (uint32_t i = 0; good && i < m->edges.n; i++) {
		const hb_edge *e = &m->edges.at[i];
		end[n++] = (struct end){
			e->from.line, {e->from.event, i, hb_edge_from_exit(e->kind) ? HB_OP_PASS : HB_OP_TELL}};
		if (!hb_edge_to_enter(e->kind))
			end[n++] = (struct end){e->to.line, {e->to.event, i, HB_OP_TOLD}};
	}
	if (good && n)
		qsort(end, n, sizeof *end, by_place);
	for (size_t i = 0, k; good && i < n; i += k) {
		for (k = 1; i + k < n && end[i + k].line == end[i].line;)
			k++;
		good = insert(&m->line_more.at[end[i].line], end + i, k);
	}
	free(end);
	return good;
}

bool hb__link_windows(hb_model *m)
{
	struct pairs p = {{0}};
	bool good = true;
	order_freed(m);
	m->info.open |= m->epochs_lost != 0;
	if (m->epochs_lost)
		hb__model_trouble(m,
			"the recording does not say between which processes %u epochs of windows (MPI_Win_post, MPI_Win_start) were: the order that results from them is not found",
			m->epochs_lost);
	for (uint32_t i = 0; good && i < m->epochs.n; i++)
		good = add_pairs(m, &p, i);
	if (good && p.all.n)
		qsort(p.all.at, p.all.n, sizeof *p.all.at, by_partners);
	for (size_t i = 0; good && i < p.all.n;) {
		size_t posts = 0, n = 0;
		while (i + n < p.all.n && alike(&p.all.at[i], &p.all.at[i + n]))
			posts += !p.all.at[i + n++].start;
		for (size_t k = 0; k < posts && posts + k < n; k++)
			matched(m, &m->epochs.at[p.all.at[i + k].epoch], &m->epochs.at[p.all.at[i + posts + k].epoch]);
		i += n;
	}
	free(p.all.at);
	if (m->exposed.n)
		qsort(m->exposed.at, m->exposed.n, sizeof *m->exposed.at, by_start);
	return good && !m->no_memory && insert_all(m);
}
