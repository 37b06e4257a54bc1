/* The prefix itself: how it gets into a call and out again. */
#include <string.h>

#include "capture/mpi/carry/carry.h"
#include "capture/core/memory/memory.h"
#include "capture/mpi/family/family.h"
#include "capture/core/record/record.h"

bool hb__carrying;
size_t hb__prefix_bytes;

void hb__carry_begin_process(void)
{
	/* A spawned world knows the other worlds' ranks as little as they know its own. */
	hb__carrying = hb__config.mode == HB__RECORD && (hb__config.serial || hb__config.racing) && !hb__spawned;
	hb__prefix_bytes = offsetof(struct hb__prefix, known) + (hb__config.racing ? 4 * (size_t)hb__size : 0);
	if (hb__carrying && hb__config.racing)
		hb__race_begin_process();
	if (!hb__carrying)
		return;
	hb__stage_begin_process();
	hb__carry_register();
}

void hb__prefix_fill(struct hb__call *c, struct hb__prefix *p, int peer)
{
	p->magic = HB__PREFIX_MAGIC;
	p->rank = hb__rank;
	p->lane = c->lane->number;
	p->event = c->lane->control->events + 1; /* a send runs nobody's callback: its row comes next */
	p->sent = hb__race_send(peer);
	p->epoch = hb__threaded ? 0 : c->lane->epoch; /* threads may call them in another order */
	if (!hb__config.racing)
		return;
	if (c->lane->known)
		memcpy(p->known, c->lane->known, 4 * (size_t)hb__size);
	else
		memset(p->known, 0, 4 * (size_t)hb__size);
	p->known[hb__rank] = p->sent;
}

/* ---- the arguments of a call ---- */

struct where {
	int buf, count, type;
};

/* True when the library is sure to refuse the call: then it refuses what the program gave. */
static bool hopeless(struct hb__call *c, struct where w)
{
	int64_t count = (int64_t)c->a[w.count];
	MPI_Datatype type = (MPI_Datatype)c->a[w.type];
	if (count < 0 || type == hb__known.type_null)
		return true;
	const struct hb__type *t = hb__type_look((uintptr_t)type);
	if (t->number == HB_NONE)
		return false;
	return !t->committed || (!c->a[w.buf] && count > 0 && t->size > 0 && t->number < 1024);
}

/* Memory that only the library can read is not put into one datatype with ours: it would have to take it for one or the other. */
static bool staged(const struct hb__call *c, const void *buf)
{
	if (unlikely(!(c->fn->flags & HB_PERSISTENT) && buf && !hb__readable(buf, 1)))
		return true;
	return hb__known.sendrecv_untold && c->fn->flags & HB_NONBLOCKING && hb__has(c, HB_R_DEST) &&
	       hb__has(c, HB_R_SOURCE);
}

static void message_is(struct hb__call *c, struct where w, const void *buf, size_t count, MPI_Datatype type)
{
	c->a[w.buf] = (uintptr_t)buf;
	c->a[w.count] = count;
	c->a[w.type] = (uintptr_t)type;
}

/* Prefix and contents in one piece: the cheapest way for small messages. A receive that is pending must not
 * take it, for the program may free the request and know by other means that its data came. */
static bool behind(
	struct hb__call *c, const struct hb__carry *m, const void *buf, bool dense, int64_t bytes, bool sends)
{
	bool later = c->fn->flags & HB_PERSISTENT || (!sends && c->fn->flags & HB_NONBLOCKING);
	bool replaced = hb__has(c, HB_R_DEST) && !hb__has(c, HB_R_SBUF);
	return m && dense && buf && bytes <= HB__BEHIND && !later && !replaced && hb__readable(buf, (size_t)bytes);
}

/* The type for prefix and contents in their places. */
static bool type_for(struct hb__call *c, struct hb__carry *m, const void *buf, int64_t count, MPI_Datatype type,
	bool dense, int64_t bytes, bool sends)
{
	int length = (int)hb__prefix_bytes;
	if (!dense || bytes > INT32_MAX)
		return hb__type_of_two(m->prefix, length, buf, count, type, &m->type);
	/* bytes: parts of an element are less trouble to the library */
	bool keeps = !sends && (c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT)) == HB_NONBLOCKING;
	if (!keeps)
		return hb__type_of_two(m->prefix, length, buf, bytes, hb__known.byte, &m->type);
	if (m->kept != hb__known.type_null && m->kept_buf == buf && m->kept_bytes == bytes)
		return true;
	if (m->kept != hb__known.type_null)
		PMPI(Type_free)(&m->kept);
	m->kept_buf = buf;
	m->kept_bytes = bytes;
	return hb__type_of_two(m->prefix, length, buf, bytes, hb__known.byte, &m->kept);
}

static bool put_before(struct hb__call *c, struct where w, struct hb__carry *m, bool sends)
{
	const struct hb__type *t = hb__type_look(c->a[w.type]);
	bool dense = t->dense;
	const void *buf = (const void *)c->a[w.buf];
	MPI_Datatype type = (MPI_Datatype)c->a[w.type];
	MPI_Count size = t->size;
	if (size < 0 && PMPI(Type_size_x)(type, &size) != MPI_SUCCESS)
		size = 1;
	int64_t count = (int64_t)c->a[w.count], bytes = size * count;
	m->prefix->bytes = sends ? (uint64_t)bytes : 0;
	if (bytes == 0) {
		message_is(c, w, m->prefix, hb__prefix_bytes, hb__known.byte);
		return true;
	}
	if (staged(c, buf) && !hb__stage(m, buf, count, type, bytes, sends))
		return false;
	if (m->stage || behind(c, m, buf, dense, bytes, sends)) {
		if (!m->stage && sends)
			memcpy((char *)m->prefix + hb__prefix_bytes, buf, (size_t)bytes);
		if (!m->stage && !sends)
			m->buf = (void *)(uintptr_t)buf, m->room = bytes;
		message_is(c, w, m->prefix, hb__prefix_bytes + (size_t)bytes, hb__known.byte);
		return true;
	}
	if (!type_for(c, m, buf, count, type, dense, bytes, sends))
		return false;
	message_is(c, w, MPI_BOTTOM, 1, m->type != hb__known.type_null ? m->type : m->kept);
	return true;
}

static struct hb__carry *message_new(struct hb__call *c, struct hb__carried *k, bool receive)
{
	if (c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT)) {
		int64_t size = receive ? hb__type_look(hb__arg(c, HB_R_LAST_TYPE))->size : 0;
		return hb__carry_new(receive, receive ? (const void *)hb__arg(c, HB_R_RBUF) : NULL,
			receive ? size * (int64_t)hb__arg(c, HB_R_LAST_COUNT) : 0);
	}
	struct hb__carry *m = &k->own[receive];
	*m = (struct hb__carry){.prefix = hb__scratch(c->lane, hb__prefix_bytes + HB__BEHIND),
		.type = hb__known.type_null,
		.kept = hb__known.type_null,
		.room = -1};
	return m->prefix ? m : NULL;
}

static void describe_out(struct hb__call *c, struct hb__carry *out, const struct hb__comm *comm)
{
	int dest = (int)hb__arg(c, HB_R_DEST), n = comm->inter ? comm->remote_size : comm->size;
	out->peer = dest < 0 || dest >= n ? -1 : comm->inter ? comm->remote[dest] : comm->member[dest];
	if (!(c->fn->flags & HB_PERSISTENT))
		hb__prefix_fill(c, out->prefix, out->peer);
}

static void describe_in(
	struct hb__call *c, struct hb__carry *in, const struct hb__comm *comm, const struct hb__request *probe)
{
	in->prefix->magic = 0;
	if (probe) {
		in->asked = (struct hb__asked){.comm = probe->comm, .place = probe->place};
		return;
	}
	int source = (int)hb__arg(c, HB_R_SOURCE), tag = (int)hb__arg(c, HB_R_LAST_TAG);
	in->asked = (struct hb__asked){
		.comm = comm->number,
		.source = hb__neutral_rank(source),
		.tag = hb__neutral_tag(tag),
		.wild = source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG,
		.place = c->fn->flags & HB_PERSISTENT ? 0 : hb__race_place(),
	};
}

static bool partitioned(const struct hb__fn *fn) { return fn->means->does == HB_DOES_PARTITIONED; }

static void drop(struct hb__carry *m)
{
	if (m && m->type != hb__known.type_null)
		PMPI(Type_free)(&m->type);
}

/* Which halves of the call have a prefix. */
static void halves(struct hb__call *c, const struct hb__request *probe, const struct hb__comm *comm, bool *ret_sends,
	bool *ret_receives)
{
	*ret_sends = *ret_receives = false;
	if (hb__has(c, HB_R_MESSAGE)) {
		*ret_receives = probe && probe->carried;
	} else if (comm && comm->carried && !partitioned(c->fn)) {
		*ret_sends = hb__has(c, HB_R_DEST) && (int)hb__arg(c, HB_R_DEST) != MPI_PROC_NULL;
		*ret_receives = hb__has(c, HB_R_SOURCE) && (int)hb__arg(c, HB_R_SOURCE) != MPI_PROC_NULL;
	}
}

/* One buffer for both halves: the library packs the prefix that goes out before the one that comes lands in its place. */
static bool put_shared(struct hb__call *c, struct hb__carried *k, struct where w)
{
	bool done = put_before(c, w, k->out ? k->out : k->in, k->out);
	if (k->out && k->in) {
		k->in->prefix = k->out->prefix;
		k->in->shared = true;
		k->in->stage = k->out->stage;
		k->out->stage = NULL;
	}
	return done;
}

static bool put_all(struct hb__call *c, struct hb__carried *k)
{
	struct where first = {hb__role(c, HB_R_SBUF), hb__role(c, HB_R_COUNT), hb__role(c, HB_R_TYPE)};
	struct where last = {hb__role(c, HB_R_RBUF), hb__role(c, HB_R_LAST_COUNT), hb__role(c, HB_R_LAST_TYPE)};
	if (hb__has(c, HB_R_DEST) && !hb__has(c, HB_R_SBUF))
		return put_shared(c, k, last);
	return (!k->out || put_before(c, first, k->out, true)) && (!k->in || put_before(c, last, k->in, false));
}

static bool refused(struct hb__call *c)
{
	struct where first = {hb__role(c, HB_R_SBUF), hb__role(c, HB_R_COUNT), hb__role(c, HB_R_TYPE)};
	struct where last = {hb__role(c, HB_R_RBUF), hb__role(c, HB_R_LAST_COUNT), hb__role(c, HB_R_LAST_TYPE)};
	return (hb__has(c, HB_R_SBUF) && hopeless(c, first)) || (hb__has(c, HB_R_RBUF) && hopeless(c, last));
}

void hb__carry_begin(struct hb__call *c, const struct hb__request *probe, struct hb__carried *k)
{
	bool sends, receives;
	const struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	k->out = k->in = NULL;
	k->mark = c->lane->scratch;
	memcpy(k->saved, c->a, c->fn->nargs * sizeof *c->a);
	halves(c, probe, comm, &sends, &receives);
	if ((!sends && !receives) || refused(c))
		return;
	k->out = sends ? message_new(c, k, false) : NULL;
	k->in = receives ? message_new(c, k, true) : NULL;
	if (k->out)
		describe_out(c, k->out, comm);
	if (k->in) /* before a shared prefix: the other half fills it */
		describe_in(c, k->in, comm, probe);
	if ((sends && !k->out) || (receives && !k->in) || !put_all(c, k))
		hb__say("out of memory for the information that a message has to carry; the receiver will not understand it");
}

void hb__carry_invoked(struct hb__call *c, struct hb__carried *k)
{
	memcpy(c->a, k->saved, c->fn->nargs * sizeof *c->a);
}

void hb__carry_end(struct hb__call *c, struct hb__carried *k, const struct hb__request *probe, MPI_Status *st, int code)
{
	drop(k->out);
	drop(k->in);
	if (k->in)
		hb__carry_received(c, k->in, probe ? "mrecv" : "recv", probe, st, code);
	else if (hb__config.racing && c->choice && code == MPI_SUCCESS) /* a wildcard where nothing is carried */
		hb__race_untold(c);
	for (int i = 0; i < 2; i++)
		if ((i ? k->in : k->out) == &k->own[i] && k->own[i].stage)
			hb__stage_end(&k->own[i]);
	hb__scratch_release(c->lane, k->mark);
}

void hb__carry_posted(struct hb__call *c, struct hb__carried *k, struct hb__request *r, int code)
{
	bool persistent = c->fn->flags & HB_PERSISTENT;
	for (int i = 0; i < 2; i++) {
		struct hb__carry *m = i ? k->in : k->out;
		if (m && !persistent) { /* the library keeps what it needs of it */
			drop(m);
			m->type = hb__known.type_null;
		}
		if (m && code != MPI_SUCCESS)
			hb__carry_give_back(m, i);
	}
	if (!r)
		return;
	r->out = k->out;
	r->in = k->in;
	if (r->in && !persistent)
		hb__race_pending(r->in);
}

/* ---- what arrived ---- */

static void note(struct hb__call *c, const struct hb__carry *in, const char *kind, const struct hb__request *r)
{
	char text[128], posting[48] = "-", from[64] = "?";
	if (r)
		snprintf(posting, sizeof posting, "%u.%llu", r->lane, (unsigned long long)r->posting);
	if (hb__prefix_came(in))
		snprintf(from, sizeof from, "%d.%u:%llu", in->prefix->rank, in->prefix->lane,
			(unsigned long long)in->prefix->event);
	snprintf(text, sizeof text, "serial %s %s %s", kind, posting, from);
	hb__row_lane_note(c->lane, text);
}

static void learn(struct hb__lane *lane, const struct hb__prefix *p)
{
	lane->epoch = lane->epoch > p->epoch ? lane->epoch : p->epoch;
	if (!lane->known && !(lane->known = hb__pages(4 * (size_t)hb__size)))
		return;
	for (int i = 0; i < hb__size; i++)
		lane->known[i] = lane->known[i] > p->known[i] ? lane->known[i] : p->known[i];
}

static bool had_message(MPI_Status *st, int error)
{
	if (error == MPI_SUCCESS)
		return !hb__status_cancelled(st);
	return hb__error_class(error) == 15; /* truncated */
}

static void put_right(MPI_Status *st)
{
	int64_t bytes = hb__status_bytes(st) - (int64_t)hb__prefix_bytes;
	if (bytes >= 0) /* MPICH's Isendrecv tells nothing at all */
		hb__status_set_bytes(st, bytes);
}

void hb__carry_received(struct hb__call *c, struct hb__carry *in, const char *kind, const struct hb__request *posting,
	MPI_Status *st, int error)
{
	if (!had_message(st, error))
		return;
	put_right(st);
	if (in->stage)
		hb__stage_deliver(in);
	if (in->room >= 0 && hb__prefix_came(in)) {
		int64_t bytes = hb__status_bytes(st);
		memcpy(in->buf, (char *)in->prefix + hb__prefix_bytes, (size_t)(bytes < in->room ? bytes : in->room));
	}
	if (in->shared && error != MPI_SUCCESS) /* it may be the one that went out */
		in->prefix->magic = 0;
	if (hb__config.serial)
		note(c, in, kind, posting);
	if (!hb__config.racing)
		return;
	hb__race_received(c, in, hb__neutral_rank(st->MPI_SOURCE), hb__neutral_tag(st->MPI_TAG));
	if (hb__prefix_came(in))
		learn(c->lane, in->prefix);
}

void hb__carry_look(const struct hb__request *r, MPI_Status *st, int error)
{
	if (r && r->active && r->in && had_message(st, error))
		put_right(st);
}

void hb__carry_probed(struct hb__call *c, MPI_Status *st)
{
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	if (comm && comm->carried && st->MPI_SOURCE != MPI_PROC_NULL)
		put_right(st);
}
