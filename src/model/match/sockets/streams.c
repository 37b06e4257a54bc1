/* One direction of a connection: the bytes [a, b) that each call put in or took out, counted in the order of the calls over all processes and threads. */
#include "model/match/sockets/sockets.h"

/* What one call moved. */
struct span {
	uint64_t from, to;
	uint64_t open_from, open_to; /* it may lie anywhere in here: calls of others overlapped it in time */
	uint32_t talk, bytes;
};
struct spans {
	struct span *at;
	size_t n;
	uint64_t all;
	bool several;  /* processes */
	bool lines;    /* ... or lines */
	bool uneven;   /* ... the logs of which end at different moments */
	int64_t fault; /* the most that one of their clocks may be wrong */
};

/* ---- counting ---- */

/* The last ends of calls so far: of one line, and of any other. */
struct running {
	uint32_t line;
	int64_t exit, other;
};

static bool overlaps(struct running *r, const struct hb__talk *t, int64_t slack)
{
	int64_t last = r->line == t->line ? r->other : r->exit;
	bool yes = r->line != HB_NO && last > INT64_MIN && (last == INT64_MAX || last + slack > t->enter);
	if (r->line == t->line) {
		r->exit = t->exit > r->exit ? t->exit : r->exit;
	} else if (t->exit >= r->exit || r->line == HB_NO) {
		r->other = r->exit;
		r->line = t->line;
		r->exit = t->exit;
	} else if (t->exit > r->other) {
		r->other = t->exit;
	}
	return yes;
}

/* Calls that overlap are one cluster, and so are those that overlap one of it. */
static void mark_clusters(const struct hb__sockets *s, struct spans *v)
{
	struct running running = {HB_NO, INT64_MIN, INT64_MIN};
	int64_t slack = v->several ? HB__SLACK + 2 * v->fault : 0;
	size_t first = 0;
	for (size_t i = 0; i <= v->n; i++) {
		if (i < v->n && overlaps(&running, hb__talk_of(s, v->at[i].talk), slack))
			continue;
		for (size_t k = first; k < i; k++) {
			v->at[k].open_from = v->at[first].from;
			v->at[k].open_to = v->at[i - 1].to;
		}
		first = i;
	}
}

static bool count(struct hb__sockets *s, struct hb__side side, uint8_t kind, struct spans *ret)
{
	*ret = (struct spans){.at = malloc((side.n + 1) * sizeof *ret->at)};
	if (!ret->at) {
		s->no_memory = true;
		return false;
	}
	bool told = false;
	for (size_t i = 0; i < side.n; i++) {
		const struct hb__piece *p = &side.at[i];
		if (p->kind != kind)
			continue;
		uint64_t amount = p->amount == HB__UNTOLD ? 0 : p->amount;
		ret->at[ret->n++] =
			(struct span){.from = ret->all, .to = ret->all + amount, .talk = p->talk, .bytes = p->bytes};
		ret->all += amount;
		int64_t fault = s->fault[hb__talker(s, p->talk)];
		ret->fault = fault > ret->fault ? fault : ret->fault;
		ret->several |= hb__talker(s, p->talk) != hb__talker(s, ret->at[0].talk);
		ret->lines |= hb__talk_of(s, p->talk)->line != hb__talk_of(s, ret->at[0].talk)->line;
		told |= hb__ends_unevenly(s->m, hb__talker(s, p->talk));
	}
	ret->uneven = told && ret->lines;
	mark_clusters(s, ret);
	return true;
}

/* ---- more was taken out than put in ---- */

/* A call that never returned has moved what is missing, when it is the only one that can have. */
static bool fill(const struct hb__sockets *s, struct spans *out, uint64_t all)
{
	struct span *last = out->n ? &out->at[out->n - 1] : NULL;
	if (!last || out->lines || hb__talk_of(s, last->talk)->exit != INT64_MAX)
		return false;
	last->to = last->open_to = all;
	last->bytes = all - last->from < UINT32_MAX ? (uint32_t)(all - last->from) : UINT32_MAX;
	out->all = all;
	return true;
}

/* Whether what is there can be matched all the same: of one line whose log breaks off nothing is missing before its end. */
static bool too_few(struct hb__sockets *s, uint32_t connection, const struct spans *out, uint64_t all)
{
	char name[HB__NAME_ROOM];
	const hb_model *m = s->m;
	s->m->info.open = true;
	if (out->n && !out->lines && m->processes.at[hb__talker(s, out->at[0].talk)].cut)
		return true;
	if (out->uneven && s->many++ < 10)
		hb__model_trouble(s->m,
			"over %s more was received than threads are recorded to have sent when their log was cut off: what went through it is not matched",
			hb__connection_name(s, connection, name));
	else if (!out->uneven && s->many++ < 10)
		hb__model_trouble(s->m,
			"over %s %llu bytes were received, and recorded processes sent %llu: others sent, too, and which bytes were theirs is not known, so that the "
			"order that results from what was sent over it is not found",
			hb__connection_name(s, connection, name), (unsigned long long)all,
			(unsigned long long)out->all);
	return false;
}

/* ---- who got what of whom ---- */

static bool within(const struct span *whole, const struct span *part)
{
	return whole->from <= part->open_from && part->open_to <= whole->to;
}

static bool single(const struct span *x) { return x->open_from == x->from && x->open_to == x->to; }

/* A call that got what was put in later, as their clocks have it: they contradict each other, and what they say of the order of calls of
 * several lines is worth nothing. How far, in nanoseconds; 0: they do not. */
static int64_t contradiction(const struct hb__sockets *s, const struct spans *out, const struct spans *in)
{
	int64_t most = 0;
	for (size_t k = 0, i = 0; k < in->n && (out->lines || in->lines); k++) {
		const struct hb__talk *got = hb__talk_of(s, in->at[k].talk);
		while (i < out->n && out->at[i].to < in->at[k].to)
			i++;
		const struct hb__talk *put = i < out->n ? hb__talk_of(s, out->at[i].talk) : NULL;
		uint32_t clock = hb__clock_of(s, hb__talker(s, in->at[k].talk));
		if (put && hb__clock_of(s, hb__talker(s, out->at[i].talk)) == clock && put->enter - got->exit > most)
			most = put->enter - got->exit;
	}
	return most;
}

static void pair_up(
	struct hb__sockets *s, uint32_t connection, const struct spans *out, const struct spans *in, bool doubt)
{
	uint32_t group = hb__group_of_connection(s, connection);
	size_t i = 0;
	for (size_t k = 0; k < in->n && !s->no_memory; k++) {
		const struct span *got = &in->at[k];
		while (i < out->n && out->at[i].to <= got->from)
			i++;
		for (size_t j = i; j < out->n && out->at[j].from < got->to; j++) {
			const struct span *put = &out->at[j];
			uint64_t from = put->from > got->from ? put->from : got->from;
			uint64_t to = put->to < got->to ? put->to : got->to;
			if (from >= to)
				continue;
			bool whole = to - from == put->to - put->from; /* of packets always */
			uint64_t bytes = whole ? put->bytes : to - from;
			uint32_t id = hb__pair_of(
				s, put->talk, got->talk, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, group);
			if (s->no_memory)
				return;
			s->pairs.at[id].wild = out->several;
			s->pairs.at[id].among = !single(put);
			s->pairs.at[id].ambiguous =
				doubt || (!single(put) && !within(got, put)) || (!single(got) && !within(put, got));
		}
	}
}

/* What was put in and not taken out was sent all the same. */
static void left_over(
	struct hb__sockets *s, uint32_t connection, const struct spans *out, uint64_t taken, uint32_t dest)
{
	for (size_t i = out->n; i-- > 0 && out->at[i].from >= taken && out->at[i].to > taken && !s->no_memory;) {
		uint32_t id = hb__pair_of(
			s, out->at[i].talk, HB_NO, out->at[i].bytes, hb__group_of_connection(s, connection));
		if (!s->no_memory)
			s->pairs.at[id].dest = dest;
	}
}

void hb__match_direction(struct hb__sockets *s, uint32_t connection, struct hb__side out, struct hb__side in)
{
	struct spans put = {0}, got = {0};
	if (count(s, out, HB__OUT, &put) && count(s, in, HB__IN, &got)) {
		bool fifo = s->connections.at[connection].kind == HB__END_FIFO;
		bool uneven = put.uneven || got.uneven; /* what came later may be there, and what came before not */
		int64_t wrong = uneven ? 0 : contradiction(s, &put, &got);
		s->contradicted += wrong > 0;
		s->contradiction = wrong > s->contradiction ? wrong : s->contradiction;
		bool good = got.all <= put.all || fill(s, &put, got.all) || too_few(s, connection, &put, got.all);
		/* a fifo forgets what is in it when all have closed it */
		if (good && got.n)
			pair_up(s, connection, &put, &got, uneven || wrong > 0 || (fifo && got.all != put.all));
		if (good)
			left_over(s, connection, &put, got.all, hb__talker(s, in.at[0].talk));
	}
	free(put.at);
	free(got.at);
}

/* ---- the end of a stream ---- */

static bool before(const struct hb__sockets *s, uint32_t a, uint32_t b)
{
	uint32_t p = hb__talker(s, a), q = hb__talker(s, b);
	if (hb__clock_of(s, p) != hb__clock_of(s, q))
		return true;
	return hb__talk_of(s, a)->enter <= hb__talk_of(s, b)->exit + (p == q ? 0 : HB__SLACK);
}

/* All of a process had been over by then. */
static bool ended_before(const struct hb__sockets *s, uint32_t process, uint32_t seen)
{
	const hb_process *p = &s->m->processes.at[process];
	bool yes = hb__clock_of(s, process) == hb__clock_of(s, hb__talker(s, seen));
	for (uint32_t l = p->first_line; l < p->first_line + p->nlines && yes; l++)
		yes = s->last[l].event && s->last[l].exit <= hb__talk_of(s, seen)->exit + HB__SLACK;
	return yes;
}

/* A process that had the end closed it, or ended. */
static void closed_by(struct hb__sockets *s, uint32_t process, struct hb__side out, uint32_t seen)
{
	const hb_process *p = &s->m->processes.at[process];
	uint32_t close = HB_NO;
	for (size_t i = 0; i < out.n; i++)
		if (out.at[i].kind == HB__CLOSED && hb__talker(s, out.at[i].talk) == process &&
			before(s, out.at[i].talk, seen))
			close = out.at[i].talk;
	if (close != HB_NO)
		hb__socket_edge(s, HB_EDGE_CLOSED, close, seen);
	if (close != HB_NO || process == hb__talker(s, seen) || !ended_before(s, process, seen))
		return;
	for (uint32_t l = p->first_line; l < p->first_line + p->nlines; l++) {
		const struct hb__talk *t = hb__talk_of(s, seen);
		hb_edge e = {{l, s->last[l].event}, {t->line, t->event}, HB_EDGE_LEFT};
		if (s->m->edges.n >> 28 || !VEC_PUSH(&s->m->edges, e))
			s->no_memory = true;
	}
}

/* Processes that did something at a side, each once. A pipe has one name for both: who put something in had this side of it. */
static bool users(struct hb__sockets *s, struct hb__side side, uint32_t **ret, size_t *ret_n)
{
	size_t room = 0;
	uint8_t of = side.n ? s->connections.at[side.at->connection].kind : 0;
	bool pipe = of == HB__END_PIPE || of == HB__END_FIFO;
	for (size_t i = 0; i < side.n; i++) {
		uint32_t process = hb__talker(s, side.at[i].talk);
		bool known = pipe ? side.at[i].kind != HB__OUT : side.at[i].kind == HB__PAIRED;
		for (size_t k = *ret_n; k-- > 0 && !known;)
			known = (*ret)[k] == process;
		if (!known && !HB_GROW(*ret, room, *ret_n + 1))
			return false;
		if (!known)
			(*ret)[(*ret_n)++] = process;
	}
	return true;
}

static void seen(struct hb__sockets *s, struct hb__side out, uint32_t talk)
{
	uint32_t *user = NULL;
	size_t n = 0;
	for (size_t i = 0; i < out.n; i++)
		if (out.at[i].kind == HB__SHUT && before(s, out.at[i].talk, talk)) {
			hb__socket_edge(s, HB_EDGE_CLOSED, out.at[i].talk, talk);
			return;
		}
	if (!users(s, out, &user, &n))
		s->no_memory = true;
	for (size_t i = 0; i < n && !s->no_memory; i++)
		closed_by(s, user[i], out, talk);
	free(user);
}

/* Only the first time that a line was told. */
void hb__match_ends(struct hb__sockets *s, struct hb__side out, struct hb__side in)
{
	VEC(uint32_t) told = {0};
	for (size_t i = 0; i < in.n && !s->no_memory; i++) {
		uint32_t line = hb__talk_of(s, in.at[i].talk)->line;
		bool known = in.at[i].kind != HB__END_SEEN;
		for (size_t k = 0; k < told.n && !known; k++)
			known = told.at[k] == line;
		if (known)
			continue;
		if (!VEC_PUSH(&told, line))
			s->no_memory = true;
		else
			seen(s, out, in.at[i].talk);
	}
	free(told.at);
}
