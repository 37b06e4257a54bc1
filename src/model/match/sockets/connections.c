/* Connections of one name, which follow each other: what both sides did is divided among them by connect and accept. */
#include <stdio.h>

#include "model/match/sockets/sockets.h"

const char *hb__connection_name(const struct hb__sockets *s, uint32_t connection, char ret[HB__NAME_ROOM])
{
	static const char *const words[HB__END_KINDS] = {[HB__END_TCP] = "tcp ", [HB__END_UNIX] = "unix "};
	const struct hb__connection *c = &s->connections.at[connection];
	const char *text[2];
	for (int i = 0; i < 2; i++) {
		uint32_t address = c->address[c->first ^ i];
		text[i] = address == HB_NO ? "?" : s->addresses.at[address].text;
	}
	if (words[c->kind])
		snprintf(ret, HB__NAME_ROOM, "%s%s - %s", words[c->kind], text[0], text[1]);
	else
		snprintf(ret, HB__NAME_ROOM, "%s", text[0]);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct hb__piece *x = a, *y = b;
	if (x->connection != y->connection)
		return x->connection < y->connection ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->talk < y->talk ? -1 : x->talk > y->talk;
}

/* ---- one side of a name, divided ---- */

struct divided {
	struct hb__side all;
	size_t *begin; /* of the connections: begin[0] of what came before the first one that is known to begin, and so on */
	size_t n;      /* that are known to begin */
};

/* A second connect of an end that is not made yet begins nothing. */
static bool begins(const struct hb__side *all, size_t i)
{
	if (!HB__BEGINS(all->at[i].kind))
		return false;
	while (all->at[i].kind == HB__CONNECTS && i-- > 0 && all->at[i].kind != HB__CLOSED)
		if (all->at[i].kind == HB__CONNECTS)
			return all->at[i].amount != 0;
	return true;
}

static bool divide(struct hb__side all, struct divided *ret)
{
	*ret = (struct divided){.all = all, .begin = malloc((all.n + 2) * sizeof *ret->begin)};
	if (!ret->begin)
		return false;
	ret->begin[0] = 0;
	for (size_t i = 0; i < all.n; i++)
		if (begins(&all, i))
			ret->begin[++ret->n] = i;
	return true;
}

static struct hb__side part(const struct divided *d, size_t k)
{
	size_t end = k == d->n ? d->all.n : d->begin[k + 1];
	return (struct hb__side){d->all.at + d->begin[k], end - d->begin[k]};
}

static uint32_t clock_of(const struct hb__sockets *s, const struct hb__side *side)
{
	return hb__clock_of(s, hb__talker(s, side->at->talk));
}

/* ---- one connection ---- */

static const struct hb__piece *beginning(struct hb__side side)
{
	for (size_t i = 0; i < side.n; i++)
		if (HB__BEGINS(side.at[i].kind))
			return &side.at[i];
	return NULL;
}

/* The listen that came last before the connection was made. */
static uint32_t listened(const struct hb__sockets *s, uint32_t end, uint32_t talk)
{
	const struct hb__socket_end *e = &s->ends.at[end];
	uint32_t last = e->listen;
	for (size_t i = 0; e->listens > 1 && i < s->listens.n; i++)
		if (s->listen_ends.at[i] == end &&
			hb__talk_of(s, s->listens.at[i])->enter <= hb__talk_of(s, talk)->exit + HB__SLACK &&
			hb__talk_of(s, s->listens.at[i])->enter > hb__talk_of(s, last)->enter)
			last = s->listens.at[i];
	return last;
}

/* A connect is a message to the one that listens. */
static void made(struct hb__sockets *s, const struct hb__piece *connect, const struct hb__piece *accept)
{
	uint32_t end = (uint32_t)accept->amount;
	uint32_t pair = hb__pair_of(s, connect->talk, accept->talk, 0, hb__group_of_end(s, end));
	if (s->no_memory)
		return;
	s->pairs.at[pair].wild = true;
	uint32_t listen = listened(s, end, connect->talk);
	if (connect->amount && listen != HB_NO)
		hb__socket_edge(s, HB_EDGE_LISTENED, listen, connect->talk);
}

static void count_outside(struct hb__sockets *s, uint32_t connection, struct hb__side side)
{
	const struct hb__connection *c = &s->connections.at[connection];
	uint32_t peer = c->address[side.at->side ^ 1], outside = HB_NO, last = HB_NO;
	const char *word = c->kind == HB__END_TCP ? "tcp " : c->kind == HB__END_UNIX ? "unix " : "";
	for (size_t i = 0; i < side.n; i++) {
		const struct hb__piece *p = &side.at[i];
		uint32_t process = hb__talker(s, p->talk);
		if (p->kind != HB__OUT && p->kind != HB__IN)
			continue;
		if (process != last)
			outside = hb__outside(s, last = process, word, peer);
		hb__crosses(s, outside, p->talk, p->bytes, p->kind == HB__IN);
	}
}

/* From when on all is known that a process did: a ring gave up what its threads did before. In nanoseconds, as times of talks. */
static int64_t known_from(const struct hb__sockets *s, uint32_t process)
{
	const hb_log *log = s->m->processes.at[process].log;
	hb_lane_info lane;
	int64_t from = INT64_MIN;
	for (uint32_t i = 0; hb_log_before(log) && i < s->m->processes.at[process].nlines; i++) {
		if (hb_log_lane(log, i, &lane) || !lane.before)
			continue;
		const hb_log_info *info = hb_log_get_info(log);
		int64_t last = (int64_t)((double)info->origin_mono + hb_ticks_ns(info, lane.tick_before));
		from = last > from ? last : from;
	}
	return from;
}

/* Something that was done on this side may have been given up. */
static bool begins_before(const struct hb__sockets *s, struct hb__side side)
{
	const struct hb__piece *first = beginning(side);
	for (size_t i = 0, last = SIZE_MAX; i < side.n; i++) {
		uint32_t process = hb__talker(s, side.at[i].talk);
		if (process == last)
			continue;
		last = process;
		int64_t from = known_from(s, process);
		if (from != INT64_MIN && (!first || first->time <= from))
			return true;
	}
	return false;
}

/* A process of MPI may have accepted or connected it, and sent and received through it, inside of MPI_Init, of which nothing is recorded: where
 * its bytes begin to count is not known, also when as many seem to have come as were sent. */
static bool begins_in_init(const struct hb__sockets *s, struct hb__side side)
{
	bool yes = false;
	for (size_t i = 0; i < side.n && !yes && !beginning(side); i++)
		yes = hb_log_get_info(s->m->processes.at[hb__talker(s, side.at[i].talk)].log)->library != 0;
	return yes;
}

static void tell_init(struct hb__sockets *s, uint32_t connection)
{
	char name[HB__NAME_ROOM];
	s->m->info.open = true;
	if (s->many++ < 10)
		hb__model_trouble(s->m,
			"%s was made inside of MPI_Init at one side, of which nothing is recorded: what else went through it there, and so which bytes are whose, is "
			"not known, so that the order that results from what was sent over it is not found",
			hb__connection_name(s, connection, name));
}

static void match(struct hb__sockets *s, uint32_t connection, struct hb__side a, struct hb__side b)
{
	const struct hb__connection *c = &s->connections.at[connection];
	const struct hb__piece *x = beginning(a), *y = beginning(b);
	bool pipe = c->kind == HB__END_PIPE || c->kind == HB__END_FIFO;
	if (!a.n || !b.n) {
		if (a.n || b.n)
			count_outside(s, connection, a.n ? a : b);
		return;
	}
	if (s->m->rings && (begins_before(s, a) || begins_before(s, b))) {
		s->m->streams_before++;
		return;
	}
	if (x && y && x->kind == HB__CONNECTS && y->kind == HB__ACCEPTED)
		made(s, x, y);
	if (x && y && y->kind == HB__CONNECTS && x->kind == HB__ACCEPTED)
		made(s, y, x);
	bool known = pipe || (!begins_in_init(s, a) && !begins_in_init(s, b));
	if (known)
		hb__match_direction(s, connection, a, b);
	else
		tell_init(s, connection);
	hb__match_ends(s, a, b);
	if (pipe)
		return;
	if (known)
		hb__match_direction(s, connection, b, a);
	hb__match_ends(s, b, a);
}

/* ---- all of a name ---- */

/* The connection of side b that is k of side a; HB_NO: none. On one clock a connect comes before its accept, and after the accept of the one
 * before it; else, and where they follow each other faster than clocks tell, the k-th is the k-th. */
static size_t other_of(const struct hb__sockets *s, const struct divided *a, size_t k, const struct divided *b)
{
	if (!k)
		return 0;
	if (clock_of(s, &a->all) != clock_of(s, &b->all))
		return a->n == b->n && !s->m->rings ? k : HB_NO;
	const struct hb__piece *own = &a->all.at[a->begin[k]];
	bool next = own->kind == HB__CONNECTS;
	for (size_t i = next ? 1 : b->n; i >= 1 && i <= b->n; i += next ? 1 : (size_t)-1) {
		const struct hb__piece *o = &b->all.at[b->begin[i]];
		bool fits = next ? o->time + HB__SLACK >= own->time : o->time <= own->time + HB__SLACK;
		bool unsure = next ? o->time < own->time : o->time > own->time;
		if (own->kind == HB__PAIRED ? o->talk == own->talk : fits)
			return !unsure ? i : s->m->rings ? HB_NO : a->n == b->n ? k : i;
	}
	return HB_NO;
}

static void unsure(struct hb__sockets *s, uint32_t connection)
{
	char name[HB__NAME_ROOM];
	s->m->info.open = true;
	if (s->many++ < 10)
		hb__model_trouble(s->m,
			"%s was connected several times, and the recording does not say which beginning at the one side belongs to which at the other: "
			"what went through it is not matched",
			hb__connection_name(s, connection, name));
}

static void match_several(struct hb__sockets *s, uint32_t connection, struct hb__side one, struct hb__side two)
{
	struct divided a = {0}, b = {0};
	bool lost = false;
	if (divide(one, &a) && divide(two, &b)) {
		for (size_t k = 0; k <= a.n; k++) {
			size_t other = other_of(s, &a, k, &b);
			/* both have to mean each other: a connect that nobody accepted has no other side */
			bool good = other != HB_NO && other_of(s, &b, other, &a) == k;
			lost = lost || (!good && !(a.n == b.n));
			if (good)
				match(s, connection, part(&a, k), part(&b, other));
		}
		lost = lost && (!a.n || !b.n || clock_of(s, &one) != clock_of(s, &two));
	} else {
		s->no_memory = true;
	}
	if (lost)
		unsure(s, connection);
	free(a.begin);
	free(b.begin);
}

static size_t beginnings(struct hb__side side)
{
	size_t n = 0;
	for (size_t i = 0; i < side.n; i++)
		n += begins(&side, i);
	return n;
}

void hb__match_streams(struct hb__sockets *s)
{
	struct hb__piece *all = s->pieces.at;
	if (s->pieces.n)
		qsort(all, s->pieces.n, sizeof *all, by_place);
	for (size_t i = 0, end; i < s->pieces.n && !s->no_memory; i = end) {
		uint32_t connection = all[i].connection;
		size_t middle = i;
		for (end = i; end < s->pieces.n && all[end].connection == connection; end++) {
			middle += all[end].side == 0;
			if (all[end].kind == HB__ACCEPTED)
				s->connections.at[connection].first = all[end].side;
		}
		struct hb__side a = {all + i, middle - i}, b = {all + middle, end - middle};
		if (a.n && b.n && (beginnings(a) > 1 || beginnings(b) > 1))
			match_several(s, connection, a, b);
		else
			match(s, connection, a, b);
	}
	if (s->contradicted)
		hb__model_trouble(s->m,
			"the clocks of processes contradict each other by up to %lld us: what several of them put into a stream, or took out of it, is ambiguous in %u "
			"directions of streams",
			(long long)(s->contradiction / 1000 + 1), s->contradicted);
	if (s->many > 10)
		hb__model_trouble(s->m, "... and so of %u other connections", s->many - 10);
}
