/* The arguments of a call in neutral values: worked out once per slot. */
#include "capture/mpi/family/family.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"

/* Wrappers widen every integer with its sign. */
static int64_t number_at(const struct hb__call *c, unsigned arg) { return (int64_t)c->a[arg]; }

/* What is in an array of counts or types: its digest tells no rule anything. */
static void tell_array(struct hb__call *c, unsigned i, uint64_t digest)
{
	uintptr_t p = c->a[c->fn->recorded[i].arg];
	struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	int n = comm && p ? hb__array_length(comm, c->fn, i) : 0;
	if (n <= 0 || n > HB__ARRAY_MAX || !digest)
		return;
	uint8_t *mark = c->lane->scratch;
	int64_t *value = hb__scratch(c->lane, (size_t)n * sizeof *value);
	if (!value)
		return;
	for (int k = 0; k < n; k++)
		value[k] = c->fn->recorded[i].kind == HB_RECORDED_DIGEST_TYPES
				   ? hb__type_find((uintptr_t)((const MPI_Datatype *)p)[k])->number
			   : c->fn->wide ? (int64_t)((const MPI_Count *)p)[k]
					 : ((const int *)p)[k];
	hb__define_array(digest, value, n);
	hb__scratch_release(c->lane, mark);
}

static int64_t fence_asserts(int assert)
{
	return (assert &MPI_MODE_NOSTORE ? HB_FENCE_NOSTORE : 0) | (assert &MPI_MODE_NOPUT ? HB_FENCE_NOPUT : 0) |
	       (assert &MPI_MODE_NOPRECEDE ? HB_FENCE_NOPRECEDE : 0) |
	       (assert &MPI_MODE_NOSUCCEED ? HB_FENCE_NOSUCCEED : 0);
}

static int64_t neutral(struct hb__call *c, struct hb__slot *s, unsigned i)
{
	uintptr_t v = c->a[c->fn->recorded[i].arg];
	switch (c->fn->recorded[i].kind) {
	case HB_RECORDED_RANK:
		return hb__neutral_rank((int)v);
	case HB_RECORDED_TAG:
		return hb__neutral_tag((int)v);
	case HB_RECORDED_COLOR:
		return (int)v == MPI_UNDEFINED ? HB_UNDEFINED : (int)v;
	case HB_RECORDED_COMM: {
		struct hb__comm *comm = hb__comm_find(s->key[i]);
		return comm ? comm->number : HB_NONE;
	}
	case HB_RECORDED_DATATYPE:
		return hb__type_find(v)->number;
	case HB_RECORDED_OP:
		return hb__op_number(v);
	case HB_RECORDED_WIN:
		return hb__win_number(s->key[i]);
	case HB_RECORDED_FILE:
		return hb__file_number(v);
	case HB_RECORDED_DIGEST:
	case HB_RECORDED_DIGEST_TYPES:
		if (hb__config.remarks && hb__has(c, HB_R_COMM))
			tell_array(c, i, s->key[i]);
		return (int64_t)s->key[i];
	case HB_RECORDED_DIGEST_GROUP:
		hb__group_tell(v, s->key[i]);
		return (int64_t)s->key[i];
	case HB_RECORDED_FENCE:
		return fence_asserts((int)v);
	default:
		return number_at(c, c->fn->recorded[i].arg);
	}
}

/* The size of what is sent, or of the room for what is received. */
static void measure(struct hb__call *c, struct hb__slot *s)
{
	bool receives = c->fn->cls == HB_RECV;
	int count = hb__role(c, receives ? HB_R_LAST_COUNT : HB_R_COUNT);
	int type = hb__role(c, receives ? HB_R_LAST_TYPE : HB_R_TYPE);
	if (count < 0 || type < 0)
		return;
	const struct hb__type *t = hb__type_find(c->a[type]);
	if (t->size < 0 || number_at(c, (unsigned)count) < 0)
		return;
	s->bytes = t->size * number_at(c, (unsigned)count);
	s->dense = t->dense;
}

/* A check of the contents is possible where they lie in one piece that the call will read anyway. */
static void checkable(struct hb__call *c, struct hb__slot *s)
{
	if (!hb__has(c, HB_R_DEST) || c->fn->flags & HB_PERSISTENT)
		return;
	int buf = hb__has(c, HB_R_SBUF) ? hb__role(c, HB_R_SBUF) : hb__role(c, HB_R_RBUF);
	struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	if (buf < 0 || !comm || c->fn->cls > HB_RECV)
		return;
	int dest = (int)hb__arg(c, HB_R_DEST), size = comm->inter ? comm->remote_size : comm->size;
	const struct hb__type *t = hb__type_find(hb__arg(c, HB_R_TYPE));
	int64_t count = number_at(c, (unsigned)hb__role(c, HB_R_COUNT));
	if (dest < 0 || dest >= size || !t->dense || count <= 0)
		return;
	s->check_bytes = t->size * count;
	s->check_arg = (uint8_t)buf;
	s->flags |= HB_SLOT_CHECK;
}

/* The neutral value of the last argument with this kind that is recorded, HB_UNDEFINED: it has none. */
static int64_t last_of(const struct hb__slot *s, enum hb_role role)
{
	for (unsigned i = s->nargs; i-- > 0;)
		if (s->fn->recorded[i].arg + 1 == s->fn->role[role])
			return s->arg[i];
	return HB_UNDEFINED;
}

void hb__slot_answers(struct hb__slot *s)
{
	int64_t source = last_of(s, HB_R_SOURCE), tag = last_of(s, HB_R_LAST_TAG);
	if (s->fn->cls == HB_PROBE)
		s->answers = HB__TELLS_MESSAGE;
	else if (s->fn->cls == HB_RECV && source != HB_PROC_NULL)
		s->answers = source == HB_ANY_SOURCE || tag == HB_ANY_TAG ? HB__TELLS_MESSAGE : HB__TELLS_OTHER_SIZE;
	else
		s->answers = HB__TELLS_NOTHING;
}

/* One piece of the buffer that a wrapper takes for this side: the only one, or the first or the second. */
static bool simple_side(const struct hb__fn *fn, const struct hb__part *part, bool in)
{
	enum hb_role role = in && fn->role[HB_R_SBUF] ? HB_R_SBUF : HB_R_RBUF;
	return !part->there || (!part->blocks && part->buf + 1 == fn->role[role]);
}

/* Calls with the same arguments at the same place may go without their handler (wrap/quick.h). */
static bool quick(const struct hb__slot *s)
{
	const struct hb__fn *fn = s->fn;
	return s->plain &&
	       (fn->cls != HB_COLLECTIVE || (simple_side(fn, &s->in, true) && simple_side(fn, &s->out, false)));
}

void hb__slot_fill(struct hb__call *c, struct hb__slot *s)
{
	struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	for (unsigned i = 0; i < s->nargs; i++)
		s->arg[i] = hb__significant(c, c->fn->recorded[i].arg, comm) ? neutral(c, s, i) : HB_UNDEFINED;
	measure(c, s);
	hb__slot_answers(s);
	if (hb__config.order)
		return;
	if (hb__config.contents && c->fn->cls == HB_COLLECTIVE && comm)
		hb__sides(c, comm, s);
	else if (hb__config.contents)
		checkable(c, s);
	s->quick = quick(s) ? c->fn : NULL;
}
