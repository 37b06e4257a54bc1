/* Blocking messages whose contents lie behind their prefix and that come as they came before: programs send and receive the same way
 * over and over, so what can be known of the arguments is kept, and the call does no more than copy. */
#include <string.h>

#include "capture/mpi/carry/carry.h"
#include "capture/core/memory/memory.h"
#include "capture/core/record/record.h"
#include "capture/mpi/family/family.h"

/* What is known of calls with these arguments: as long as no handle dies. */
struct known {
	const struct hb__fn *fn;
	uint64_t epoch;
	uintptr_t comm, type, count, partner; /* partner: dest or source */
	int64_t bytes;
	int peer; /* a send: world rank that it goes to */
	struct hb__asked asked;
} __attribute__((aligned(64)));
#define KNOWN 32
static __thread void *table __attribute__((tls_model("initial-exec"))); /* [KNOWN] */

/* Every blocking send, and every blocking receive that does not send, has its arguments in this order. */
enum { BUF, COUNT, TYPE, PARTNER, TAG, COMM };

/* True when it may be kept: nothing in it is wrong, or else than usual. */
static __attribute__((noinline)) bool find_out(const struct hb__call *c, struct known *k)
{
	bool sends = c->fn->cls == HB_SEND;
	uint64_t epoch = hb__epoch;
	int partner = (int)c->a[PARTNER];
	const struct hb__comm *comm = hb__comm_find(c->a[COMM]);
	const struct hb__type *t = hb__type_look(c->a[TYPE]);
	int64_t count = (int64_t)c->a[COUNT];
	if (hb__role(c, HB_R_COMM) != COMM || hb__role(c, HB_R_LAST_TAG) != TAG || hb__has(c, HB_R_MESSAGE) ||
		hb__role(c, sends ? HB_R_DEST : HB_R_SOURCE) != PARTNER || hb__has(c, sends ? HB_R_SOURCE : HB_R_DEST))
		return false;
	if (!comm || !comm->carried || partner == MPI_PROC_NULL || t->number == HB_NONE || !t->committed || !t->dense ||
		count <= 0 || count > HB__BEHIND || t->size <= 0 || t->size * count > HB__BEHIND)
		return false;
	int n = comm->inter ? comm->remote_size : comm->size;
	if (sends && (partner < 0 || partner >= n))
		return false;
	*k = (struct known){.fn = c->fn,
		.epoch = epoch,
		.comm = c->a[COMM],
		.type = c->a[TYPE],
		.count = c->a[COUNT],
		.partner = c->a[PARTNER],
		.bytes = t->size * count,
		.asked = {.comm = comm->number}};
	if (sends)
		k->peer = comm->inter ? comm->remote[partner] : comm->member[partner];
	else
		k->asked.source = hb__neutral_rank(partner);
	return true;
}

/* NULL: the call goes the way of any other. */
static inline __attribute__((always_inline)) const struct known *known_of(const struct hb__call *c)
{
	const uintptr_t *a = c->a;
	struct known *k = likely(table != NULL) ? table : hb__thread_room(&table, KNOWN * sizeof *k);
	if (unlikely(!k))
		return NULL;
	k += (c->fn->id + (a[PARTNER] ^ a[COUNT])) % KNOWN;
	bool same = k->fn == c->fn && k->epoch == hb__epoch && k->comm == a[COMM] && k->type == a[TYPE] &&
		    k->count == a[COUNT] && k->partner == a[PARTNER];
	if (unlikely(!same) && !find_out(c, k))
		return NULL;
	return likely(a[BUF] && hb__readable((const void *)a[BUF], (size_t)k->bytes)) ? k : NULL;
}

/* The library's function, with the message in the place of the program's: every such function takes what is given here, in registers
 * but for the status. */
static inline __attribute__((always_inline)) int send(
	const struct hb__call *c, struct hb__prefix *message, int64_t bytes)
{
	typedef int function(void *, uintptr_t, MPI_Datatype, uintptr_t, uintptr_t, uintptr_t);
	const uintptr_t *a = c->a;
	return ((function *)c->next)(
		message, hb__prefix_bytes + (size_t)bytes, hb__known.byte, a[PARTNER], a[TAG], a[COMM]);
}

static inline __attribute__((always_inline)) int receive(
	const struct hb__call *c, struct hb__prefix *message, int64_t bytes, MPI_Status *st)
{
	typedef int function(void *, uintptr_t, MPI_Datatype, uintptr_t, uintptr_t, uintptr_t, MPI_Status *);
	const uintptr_t *a = c->a;
	return ((function *)c->next)(
		message, hb__prefix_bytes + (size_t)bytes, hb__known.byte, a[PARTNER], a[TAG], a[COMM], st);
}

int hb__short_send(struct hb__call *c)
{
	const struct known *k = known_of(c);
	uint8_t *mark = c->lane->scratch;
	struct hb__prefix *p = likely(k != NULL) ? hb__scratch(c->lane, hb__prefix_bytes + HB__BEHIND) : NULL;
	if (unlikely(!p))
		return hb__carry_message(c, NULL, NULL);
	hb__prefix_fill(c, p, k->peer);
	p->bytes = (uint64_t)k->bytes;
	memcpy((char *)p + hb__prefix_bytes, (const void *)c->a[BUF], (size_t)k->bytes);
	int code = send(c, p, k->bytes);
	hb__scratch_release(c->lane, mark);
	return code;
}

int hb__short_recv(struct hb__call *c, MPI_Status *st)
{
	const struct known *k = known_of(c);
	uint8_t *mark = c->lane->scratch;
	struct hb__prefix *p = likely(k != NULL) ? hb__scratch(c->lane, hb__prefix_bytes + HB__BEHIND) : NULL;
	if (unlikely(!p))
		return hb__carry_message(c, NULL, st);
	int tag = (int)c->a[TAG];
	struct hb__carry in; /* member by member: most of it is for others */
	in.prefix = p;
	in.buf = (void *)c->a[BUF];
	in.room = k->bytes;
	in.stage = NULL;
	in.shared = in.rival = in.rivals = false;
	in.asked = k->asked;
	in.asked.tag = hb__neutral_tag(tag);
	in.asked.wild = in.asked.source == HB_ANY_SOURCE || tag == MPI_ANY_TAG;
	in.asked.place = hb__race_place();
	p->magic = 0;
	int code = receive(c, p, k->bytes, st);
	hb__carry_received(c, &in, "recv", NULL, st, code);
	hb__scratch_release(c->lane, mark);
	return code;
}
