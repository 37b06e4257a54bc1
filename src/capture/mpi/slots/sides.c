/* Where the contents of a collective lie: what this process gives, and what it gets. Worked out once per slot, by what the
 * standard calls significant here; memory that the call does not write, or that nobody sends, is not looked at. */
#include <string.h>

#include "capture/mpi/family/family.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"

struct arguments {
	int buf, count, displs, type; /* numbers of the arguments; -1: there is none */
	bool counts, types;           /* arrays */
};

static int next_of(const struct hb__fn *fn, int from, unsigned one, unsigned several, bool *ret_several)
{
	for (int i = from; from > 0 && i < fn->nargs; i++)
		if (fn->param[i].kind == one || fn->param[i].kind == several) {
			*ret_several = fn->param[i].kind == several;
			return i;
		}
	return -1;
}

static struct arguments arguments_of(const struct hb__fn *fn, enum hb_role buffer)
{
	struct arguments r = {.buf = fn->role[buffer] - 1};
	bool unused;
	r.count = next_of(fn, r.buf + 1, HB_P_COUNT, HB_P_COUNTS, &r.counts);
	r.type = next_of(fn, r.buf + 1, HB_P_DTYPE, HB_P_DTYPES, &r.types);
	r.displs = next_of(fn, r.count + 1, HB_P_DISPLS, HB_P_AINTS, &unused);
	if (r.displs > r.type)
		r.displs = -1;
	if (r.types && r.displs < 0) /* of neighbours: MPI_Aint as it stands */
		r.displs = r.count + 1;
	return r;
}

/* Of blocks with a datatype each. */
static bool any_holes(const struct hb__call *c, struct arguments r, int first, int blocks)
{
	const MPI_Datatype *type = (const MPI_Datatype *)c->a[r.type];
	const void *count = (const void *)c->a[r.count];
	for (int i = first; type && count && i < first + blocks; i++)
		if ((c->fn->wide ? ((const MPI_Count *)count)[i] : ((const int *)count)[i]) > 0 &&
			!hb__type_look((uintptr_t)type[i])->dense)
			return true;
	return false;
}

/* `blocks` times the count from block `first` on; of arrays so many elements from that one on. */
static void place(const struct hb__call *c, struct arguments r, int first, int blocks, struct hb__part *ret)
{
	const struct hb__type *t = r.type < 0 || r.types ? NULL : hb__type_look(c->a[r.type]);
	if (r.buf < 0 || r.count < 0 || r.type < 0 || blocks <= 0 || (t && t->size == 0))
		return;
	bool holes = t && (!t->dense || t->size < 0) && (r.counts || (int64_t)c->a[r.count] > 0);
	if (r.types)
		holes = any_holes(c, r, first, blocks);
	if (!holes && t && (!t->dense || t->size < 0))
		return;
	*ret = (struct hb__part){.buf = (uint8_t)r.buf,
		.unit = t ? t->size : 0,
		.holes = holes,
		.count = (uint8_t)(r.counts ? 0 : r.count),
		.type = (uint8_t)(r.types ? 0 : r.type),
		.first = first,
		.times = blocks};
	if (r.counts) {
		ret->counts = (uint8_t)r.count;
		ret->displs = (uint8_t)(r.displs < 0 ? 0 : r.displs);
		ret->types = (uint8_t)(r.types ? r.type : 0);
		ret->blocks = blocks;
		ret->there = !holes;
		return;
	}
	if (holes)
		return;
	int64_t one = (int64_t)c->a[r.count] * ret->unit;
	ret->bytes = one * blocks;
	ret->from = one * first;
	ret->there = one > 0;
}

/* The same in a Cartesian grid, where nobody reads or writes the block of a neighbour that is MPI_PROC_NULL. */
static void place_in_grid(
	const struct hb__call *c, struct arguments r, int blocks, const struct hb__comm *comm, struct hb__part *ret)
{
	place(c, r, 0, blocks, ret);
	if (blocks > 64) /* a grid of more dimensions than anybody has */
		*ret = (struct hb__part){.holes = ret->there, .buf = ret->buf};
	if (!ret->there && !ret->holes)
		return;
	ret->nobodys = comm->nobodys;
	if (!r.counts) {
		ret->blocks = blocks;
		ret->bytes /= blocks;
	}
}

static int root_at(const struct hb__fn *fn)
{
	for (int i = 0; i < fn->nargs; i++)
		if (fn->param[i].kind == HB_P_ROOT)
			return i;
	return -1;
}

static void neighbors(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *s)
{
	struct arguments in = arguments_of(c->fn, HB_R_SBUF), out = arguments_of(c->fn, HB_R_RBUF);
	bool one = c->fn->means->moves == HB_MOVES_GATHER;
	if (one)
		place(c, in, 0, 1, &s->in);
	if (comm->topology == MPI_CART) {
		if (!one)
			place_in_grid(c, in, comm->neighbors_out, comm, &s->in);
		place_in_grid(c, out, comm->neighbors_in, comm, &s->out);
		return;
	}
	if (!one)
		place(c, in, 0, comm->neighbors_out, &s->in);
	place(c, out, 0, comm->neighbors_in, &s->out);
}

/* Between two groups: what one gives the other gets. At the other processes of the root's group nothing counts. */
static void between(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *s)
{
	const struct hb__fn *fn = c->fn;
	struct arguments in = arguments_of(fn, HB_R_SBUF), out = arguments_of(fn, HB_R_RBUF);
	int at = root_at(fn), others = comm->remote_size;
	bool rooted = at >= 0, root = rooted && (int)c->a[at] == MPI_ROOT;
	if (rooted && (int)c->a[at] == MPI_PROC_NULL)
		return;
	bool each = fn->means->moves == HB_MOVES_EXCHANGE, many = each || fn->means->moves == HB_MOVES_GATHER;
	switch (fn->means->moves) {
	case HB_MOVES_CAST:
		place(c, out, 0, 1, root ? &s->in : &s->out);
		break;
	case HB_MOVES_REDUCE_SCATTER:
		place(c, in, 0, comm->size, &s->in);
		place(c, out, out.counts ? comm->rank : 0, 1, &s->out);
		s->out.from = 0;
		break;
	case HB_MOVES_SCATTER:
		place(c, root ? in : out, 0, root ? others : 1, root ? &s->in : &s->out);
		break;
	default:
		if (!root)
			place(c, in, 0, each ? others : 1, &s->in);
		if (!rooted || root)
			place(c, out, 0, many ? others : 1, &s->out);
	}
}

static void gathers(const struct hb__call *c, const struct hb__comm *comm, bool gets, struct hb__slot *s)
{
	struct arguments in = arguments_of(c->fn, HB_R_SBUF), out = arguments_of(c->fn, HB_R_RBUF);
	place(c, in, 0, 1, &s->in);
	if (!gets)
		return;
	place(c, out, comm->rank, 1, &s->in_place);
	place(c, out, 0, comm->size, &s->out);
}

static void reduces(const struct hb__call *c, const struct hb__comm *comm, int root, struct hb__slot *s)
{
	const struct hb__fn *fn = c->fn;
	struct arguments in = arguments_of(fn, HB_R_SBUF), out = arguments_of(fn, HB_R_RBUF);
	bool scatters = fn->means->moves == HB_MOVES_REDUCE_SCATTER;
	bool nothing = fn->means->order == HB_ORDER_EXSCAN && comm->rank == 0;
	place(c, in, 0, scatters ? comm->size : 1, &s->in);
	place(c, out, 0, scatters ? comm->size : 1, &s->in_place);
	if (scatters) {
		place(c, out, out.counts ? comm->rank : 0, 1, &s->out);
		s->out.from = 0;
	} else if (!nothing && (root < 0 || root == comm->rank)) {
		place(c, out, 0, 1, &s->out);
	}
}

static void within(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *s)
{
	const struct hb__fn *fn = c->fn;
	int at = root_at(fn), root = at < 0 ? -1 : (int)c->a[at];
	struct arguments in = arguments_of(fn, HB_R_SBUF), out = arguments_of(fn, HB_R_RBUF);
	switch (fn->means->moves) {
	case HB_MOVES_CAST:
		place(c, out, 0, 1, root == comm->rank ? &s->in : &s->out);
		break;
	case HB_MOVES_REDUCE:
	case HB_MOVES_REDUCE_SCATTER:
		reduces(c, comm, root, s);
		break;
	case HB_MOVES_GATHER:
		gathers(c, comm, root < 0 || root == comm->rank, s);
		break;
	case HB_MOVES_SCATTER:
		if (root == comm->rank)
			place(c, in, 0, comm->size, &s->in);
		place(c, out, 0, 1, &s->out);
		break;
	case HB_MOVES_EXCHANGE:
		place(c, in, 0, comm->size, &s->in);
		place(c, out, 0, comm->size, &s->in_place);
		place(c, out, 0, comm->size, &s->out);
		break;
	default:
		break;
	}
}

void hb__sides(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *s)
{
	unsigned flags = c->fn->flags;
	if (c->fn->means->topology != HB_TOPOLOGY_NONE)
		neighbors(c, comm, s);
	else if (comm->inter)
		between(c, comm, s);
	else
		within(c, comm, s);
	/* What a persistent one gives, and what comes out of one that does not block, is looked at when it is over. */
	bool now = !(flags & HB_PERSISTENT), got = !(flags & HB_NONBLOCKING) && s->out.there;
	if (now && (s->in.there || s->in_place.there || got))
		s->flags |= HB_SLOT_CHECK;
}
