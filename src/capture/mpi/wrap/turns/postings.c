/* Which of several threads posts a message first, at MPI_THREAD_MULTIPLE. Two sends of one channel and two receives that take the same
 * messages are matched in the order in which they were posted, and a probe sees what no receive before it has taken. Calls of two threads
 * at one time may come to the library in either order, and no answer tells in which. So who records posts under a lock of the channel, and
 * says under it which thread had it before (hb__ordering); a replay waits for that thread to have posted.
 *
 * No lock is held while a call waits for others, for these may be threads that want it: a call that waits is done in two, one that posts, or
 * asks, and one that waits for what was posted. The library is asked so in a replay, too: else who waits for this posting would wait for
 * the end of the call.
 *
 * A channel of sends is a communicator, a receiver and a tag. Receives of a communicator are one channel: what one with a wildcard is going
 * to take nobody knows. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>

#include "capture/core/control/control.h"
#include "capture/core/layer.h"
#include "capture/core/record/record.h"
#include "capture/mpi/carry/carry.h"
#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

enum {
#define HB_DATATYPE(name) TYPE_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
};

static hb__handler *rest[HB_FN_COUNT];  /* the handler of the function beside its order */
static hb__function parts[HB_FN_COUNT]; /* what is called in the place of a function that waits */
static uint16_t begins[HB_FN_COUNT];    /* of such a function: the one that only posts, or asks */
/* Functions that calls with two halves are made of, with counts of int and of MPI_Count, and the one that waits. */
static uint16_t sends_one[2], receives_one[2], waits_for_one;

#define LOCKS 64
static pthread_mutex_t locks[LOCKS];

/* A call on its way. */
struct posting {
	struct hb__call *call;
	struct hb_actor *actor;
	const hb__function *library; /* hb__next of the entry that was called */
	hb__function next;           /* what the call was to call */
	uint64_t held;               /* recording: a bit per lock */
	bool posted;
};
static __thread struct posting *current __attribute__((tls_model("initial-exec")));

static bool replays(void) { return hb__config.mode == HB__REPLAY; }

/* ---- channels ---- */

static uint64_t mixed(uint64_t h, uint64_t more)
{
	h = (h ^ more) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t channel_sent(const struct hb__call *c)
{
	uint64_t h = mixed(1, (uint64_t)hb__arg(c, HB_R_COMM));
	return mixed(mixed(h, (uint32_t)hb__arg(c, HB_R_DEST)), (uint32_t)hb__arg(c, HB_R_TAG)) | 1;
}

static uint64_t channel_received(const struct hb__call *c) { return mixed(2, (uint64_t)hb__arg(c, HB_R_COMM)) | 1; }

static uint64_t channel_started(MPI_Request handle)
{
	const struct hb__request *r = handle == hb__known.request_null ? NULL : hb__request_find((uintptr_t)handle);
	return r && r->more ? r->channel : 0;
}

typedef void visitor(struct posting *p, uint64_t channel);

/* All that a call posts on. */
static void each_channel(struct posting *p, visitor *visit)
{
	const struct hb__call *c = p->call;
	if (c->fn->flags & HB_START) {
		bool many = hb__has(c, HB_R_REQS);
		const MPI_Request *reqs = (const MPI_Request *)hb__arg(c, many ? HB_R_REQS : HB_R_REQUEST);
		int n = many ? (int)hb__arg(c, HB_R_NREQ) : 1;
		for (int i = 0; reqs && i < n; i++) {
			uint64_t channel = channel_started(reqs[i]);
			if (channel)
				visit(p, channel);
		}
		return;
	}
	if (hb__has(c, HB_R_DEST) && (int)hb__arg(c, HB_R_DEST) != MPI_PROC_NULL)
		visit(p, channel_sent(c));
	if (hb__has(c, HB_R_SOURCE) && (int)hb__arg(c, HB_R_SOURCE) != MPI_PROC_NULL)
		visit(p, channel_received(c));
}

/* ---- the order ---- */

static void needs_lock(struct posting *p, uint64_t channel) { p->held |= UINT64_C(1) << (channel >> 58); }
static void posts(struct posting *p, uint64_t channel) { hb__ordering->posts(p->actor, channel); }
static void posts_again(struct posting *p, uint64_t channel)
{
	(void)channel;
	hb__ordering->posts_again(p->actor);
}

/* All of them in one order, so that nobody waits for somebody who waits for him. */
static void hold(struct posting *p)
{
	each_channel(p, needs_lock);
	for (unsigned i = 0; i < LOCKS; i++)
		if (p->held >> i & 1)
			pthread_mutex_lock(&locks[i]);
}

static void release(struct posting *p)
{
	for (unsigned i = 0; i < LOCKS; i++)
		if (p->held >> i & 1)
			pthread_mutex_unlock(&locks[i]);
	p->held = 0;
}

/* Its turn has come. A stop may be wanted before the call, behind the event that tells what it came after. */
static void take_again(struct posting *p)
{
	each_channel(p, posts_again);
	if (unlikely(hb__controlled))
		hb__control_look(p->call->lane, true);
}

static void is_posted(struct posting *p)
{
	if (p->posted)
		return;
	p->posted = true;
	if (replays())
		hb__ordering->posted_again(p->actor);
	else
		release(p);
}

/* ---- calls that wait, in two ---- */

static inline hb__function library(const struct posting *p, unsigned function) { return p->library[function]; }

static int wait(struct posting *p, MPI_Request *req, MPI_Status *st)
{
	typedef int function(MPI_Request *, MPI_Status *);
	return ((function *)library(p, waits_for_one))(req, st);
}

typedef int send_function(const void *, uintptr_t, MPI_Datatype, uintptr_t, uintptr_t, MPI_Comm, MPI_Request *);
typedef int receive_function(void *, uintptr_t, MPI_Datatype, uintptr_t, uintptr_t, MPI_Comm, MPI_Request *);

static int send(const void *buf, uintptr_t count, MPI_Datatype type, uintptr_t dest, uintptr_t tag, MPI_Comm comm)
{
	struct posting *p = current;
	MPI_Request req;
	int code = ((send_function *)library(p, begins[p->call->fn->id]))(buf, count, type, dest, tag, comm, &req);
	is_posted(p);
	return code == MPI_SUCCESS ? wait(p, &req, MPI_STATUS_IGNORE) : code;
}

static int receive(
	void *buf, uintptr_t count, MPI_Datatype type, uintptr_t source, uintptr_t tag, MPI_Comm comm, MPI_Status *st)
{
	struct posting *p = current;
	MPI_Request req;
	int code = ((receive_function *)library(p, begins[p->call->fn->id]))(buf, count, type, source, tag, comm, &req);
	is_posted(p);
	return code == MPI_SUCCESS ? wait(p, &req, st) : code;
}

/* Both are posted, or the receive has failed to be: neither half waits for the other. */
static int both(struct posting *p, int sent, MPI_Request *out, MPI_Request *in, MPI_Status *st)
{
	is_posted(p);
	if (sent != MPI_SUCCESS) { /* nothing is to be received, then */
		PMPI(Cancel)(in);
		wait(p, in, MPI_STATUS_IGNORE);
		return sent;
	}
	int got = wait(p, in, st);
	sent = wait(p, out, MPI_STATUS_IGNORE);
	return got != MPI_SUCCESS ? got : sent;
}

static int exchange(const void *out, uintptr_t out_count, MPI_Datatype out_type, uintptr_t dest, uintptr_t out_tag,
	void *in, uintptr_t in_count, MPI_Datatype in_type, uintptr_t source, uintptr_t in_tag, MPI_Comm comm,
	MPI_Status *st)
{
	struct posting *p = current;
	bool wide = p->call->fn->wide;
	MPI_Request sends, receives;
	int code = ((receive_function *)library(p, receives_one[wide]))(
		in, in_count, in_type, source, in_tag, comm, &receives);
	if (code != MPI_SUCCESS)
		return code;
	code = ((send_function *)library(p, sends_one[wide]))(out, out_count, out_type, dest, out_tag, comm, &sends);
	return both(p, code, &sends, &receives, st);
}

/* What lies at absolute addresses (MPI_BOTTOM), too, which not every library packs: then from a place beside it. */
static bool pack(const void *buf, int n, MPI_Datatype type, void *to, int size, int *ret_bytes, MPI_Comm comm)
{
	*ret_bytes = 0;
	if (buf)
		return PMPI(Pack)(buf, n, type, to, size, ret_bytes, comm) == MPI_SUCCESS;
	MPI_Aint back = -(MPI_Aint)to;
	MPI_Datatype moved;
	if (PMPI(Type_create_hindexed)(1, &n, &back, type, &moved) != MPI_SUCCESS)
		return false;
	bool done = PMPI(Type_commit)(&moved) == MPI_SUCCESS &&
		    PMPI(Pack)(to, 1, moved, to, size, ret_bytes, comm) == MPI_SUCCESS;
	PMPI(Type_free)(&moved);
	return done;
}

/* What is sent is packed first, for what comes lies in its place. Longer than can be packed: the library does it, and others go on
 * before; then it is not known who was first. */
static int replace(void *buf, uintptr_t count, MPI_Datatype type, uintptr_t dest, uintptr_t out_tag, uintptr_t source,
	uintptr_t in_tag, MPI_Comm comm, MPI_Status *st)
{
	struct posting *p = current;
	bool wide = p->call->fn->wide;
	int64_t n = wide ? (int64_t)count : (int)count;
	int size = 0, at = 0;
	uintptr_t packed = 0;
	uint8_t *mark = p->call->lane->scratch;
	hb__predefined_type(TYPE_PACKED, &packed);
	const struct hb__type *known = hb__type_look((uintptr_t)type);
	/* what is wrong only the library's own call is to find, once; the type of a message with a prefix is ours */
	bool right = n >= 0 && n <= INT_MAX && hb__comm_find((uintptr_t)comm) &&
		     (hb__carrying || (known->number != HB_NONE && known->committed));
	bool can = right && PMPI(Pack_size)((int)n, type, comm, &size) == MPI_SUCCESS;
	void *out = can ? hb__scratch(p->call->lane, (size_t)size + 1) : NULL;
	if (!out || !pack(buf, (int)n, type, out, size, &at, comm)) {
		is_posted(p);
		return p->call->fn->invoke(p->next, p->call->a);
	}
	MPI_Request sends, receives;
	int code =
		((receive_function *)library(p, receives_one[wide]))(buf, count, type, source, in_tag, comm, &receives);
	if (code == MPI_SUCCESS) {
		code = ((send_function *)library(p, sends_one[0]))(
			out, (uintptr_t)at, (MPI_Datatype)packed, dest, out_tag, comm, &sends);
		code = both(p, code, &sends, &receives, st);
	}
	hb__scratch_release(p->call->lane, mark);
	return code;
}

/* ---- probes ---- */

typedef int iprobe_function(uintptr_t, uintptr_t, MPI_Comm, int *, MPI_Status *);
typedef int improbe_function(uintptr_t, uintptr_t, MPI_Comm, int *, MPI_Message *, MPI_Status *);

/* What is there is asked under the lock. It takes a place in the order when it found something. message: NULL: it is left there. */
static int look(hb__function asks, uintptr_t source, uintptr_t tag, MPI_Comm comm, int *flag, MPI_Message *message,
	MPI_Status *st)
{
	struct posting *p = current;
	hold(p);
	int code = message ? ((improbe_function *)asks)(source, tag, comm, flag, message, st)
			   : ((iprobe_function *)asks)(source, tag, comm, flag, st);
	if (code != MPI_SUCCESS || *flag)
		each_channel(p, posts);
	release(p);
	return code;
}

static int iprobe(uintptr_t source, uintptr_t tag, MPI_Comm comm, int *flag, MPI_Status *st)
{
	return look(current->next, source, tag, comm, flag, NULL, st);
}

static int improbe(uintptr_t source, uintptr_t tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *st)
{
	return look(current->next, source, tag, comm, flag, message, st);
}

static int wait_for_message(uintptr_t source, uintptr_t tag, MPI_Comm comm, MPI_Message *message, MPI_Status *st)
{
	hb__function asks = library(current, begins[current->call->fn->id]);
	int flag = 0, code;
	while ((code = look(asks, source, tag, comm, &flag, message, st)) == MPI_SUCCESS && !flag)
		sched_yield();
	return code;
}

static int probe(uintptr_t source, uintptr_t tag, MPI_Comm comm, MPI_Status *st)
{
	return wait_for_message(source, tag, comm, NULL, st);
}

static int mprobe(uintptr_t source, uintptr_t tag, MPI_Comm comm, MPI_Message *message, MPI_Status *st)
{
	return wait_for_message(source, tag, comm, message, st);
}

/* ---- handlers ---- */

/* True: the order of this thread with others is kept. */
static bool begin(struct posting *p, struct hb__call *c)
{
	*p = (struct posting){.call = c, .actor = hb__ordering->comes(c->lane, c->pc), .next = c->next};
	bool program = c->next == hb__next[HB_ENTRY_MPI][c->fn->id];
	p->library = hb__next[program ? HB_ENTRY_MPI : HB_ENTRY_PMPI];
	return p->actor != NULL;
}

static int go(struct posting *p, bool in_two)
{
	struct hb__call *c = p->call;
	struct posting *outer = current;
	current = p;
	if (in_two && parts[c->fn->id])
		c->next = parts[c->fn->id];
	int code = rest[c->fn->id](c);
	current = outer;
	is_posted(p);
	return code;
}

static int on_post(struct hb__call *c)
{
	struct posting p;
	if (likely(!begin(&p, c)))
		return rest[c->fn->id](c);
	if (replays()) {
		take_again(&p);
	} else {
		hold(&p);
		each_channel(&p, posts);
	}
	return go(&p, !hb__alone);
}

/* Makes a request that posts when it is started. */
static int on_init(struct hb__call *c)
{
	int code = rest[c->fn->id](c);
	const MPI_Request *req = (const MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	struct hb__request *r = code == MPI_SUCCESS ? hb__request_find((uintptr_t)*req) : NULL;
	int partner = (int)hb__arg(c, hb__has(c, HB_R_DEST) ? HB_R_DEST : HB_R_SOURCE);
	if (r && r->persistent && partner != MPI_PROC_NULL)
		r->channel = hb__has(c, HB_R_DEST) ? channel_sent(c) : channel_received(c);
	return code;
}

/* Replay: whether the poll is going to say yes. */
static bool finds(struct posting *p)
{
	struct hb__call *c = p->call;
	if (!(c->fn->flags & HB_POLL))
		return true;
	if (!hb__follow_polled(c->lane->follow))
		return false;
	if (hb__ordering->is_ahead(p->actor))
		return true;
	c->slot = hb__slot_find(c);
	return hb__follow_fits(c);
}

static int on_probe(struct hb__call *c)
{
	struct posting p;
	if (likely(!begin(&p, c)) || (int)hb__arg(c, HB_R_SOURCE) == MPI_PROC_NULL)
		return rest[c->fn->id](c);
	if (!replays())
		return go(&p, true);
	if (finds(&p))
		take_again(&p);
	return go(&p, false);
}

/* ---- which functions ---- */

static hb__function in_two(const struct hb__fn *fn)
{
	const hb__function sends = (hb__function)send, receives = (hb__function)receive;
	if (fn->flags & (HB_NONBLOCKING | HB_PERSISTENT | HB_START))
		return NULL;
	if (fn->cls == HB_PROBE) {
		bool takes = fn->role[HB_R_NEWMSG];
		if (fn->flags & HB_POLL)
			return takes ? (hb__function)improbe : (hb__function)iprobe;
		return takes ? (hb__function)mprobe : (hb__function)probe;
	}
	if (fn->cls == HB_SEND) /* what is buffered is posted when the call returns */
		return fn->means->mode == HB_MODE_BUFFERED ? NULL : sends;
	if (!fn->role[HB_R_DEST])
		return receives;
	return fn->role[HB_R_SBUF] ? (hb__function)exchange : (hb__function)replace;
}

static hb__handler *handler_of(const struct hb__fn *fn)
{
	bool message = fn->cls == HB_SEND || (fn->cls == HB_RECV && !(fn->flags & HB_MATCHED));
	if (fn->cls == HB_PROBE)
		return on_probe;
	if (fn->flags & HB_START)
		return on_post;
	/* partitioned messages are matched in the order in which their requests are made */
	if (message && fn->flags & HB_PERSISTENT && fn->means->does != HB_DOES_PARTITIONED)
		return on_init;
	return message ? on_post : NULL;
}

static void find_beginning(unsigned id)
{
	const struct hb__fn *fn = hb__fns[id];
	for (unsigned i = 0; i < HB_FN_COUNT; i++) {
		const struct hb__fn *other = hb__fns[i];
		if (other && other->flags & (HB_NONBLOCKING | HB_POLL) && other->cls == fn->cls &&
			other->wide == fn->wide && other->means->base == fn->means->plain)
			begins[id] = (uint16_t)i;
	}
}

static void find_halves(unsigned id)
{
	const struct hb__fn *fn = hb__fns[id];
	bool nonblocking = fn->flags & HB_NONBLOCKING;
	if (fn->cls == HB_SEND && nonblocking && fn->means->mode == HB_MODE_STANDARD)
		sends_one[fn->wide] = (uint16_t)id;
	if (fn->cls == HB_RECV && nonblocking && fn->role[HB_R_SOURCE] && !fn->role[HB_R_DEST])
		receives_one[fn->wide] = (uint16_t)id;
	if (fn->means->does == HB_DOES_COMPLETE && fn->means->shape == HB_SHAPE_STATUS && !(fn->flags & HB_POLL))
		waits_for_one = (uint16_t)id;
}

void hb__postings_start(void)
{
	bool wanted = hb__ordering && !hb__config.remarks && (!replays() || hb__script_postings());
	if (!hb__threaded || !wanted)
		return;
	for (unsigned i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (unsigned i = 0; i < HB_FN_COUNT; i++) {
		hb__handler *handler = hb__fns[i] ? handler_of(hb__fns[i]) : NULL;
		if (hb__fns[i])
			find_halves(i);
		if (!handler)
			continue;
		find_beginning(i);
		parts[i] = in_two(hb__fns[i]);
		rest[i] = hb__handlers[i];
		hb__handlers[i] = handler;
	}
	hb__postings_ordered = true;
	hb__lanes_posting();
	hb__log_postings();
}
