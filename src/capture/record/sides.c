/* Where the contents of a collective lie: what this process gives, and what it gets. Worked out once per slot, by what the
 * standard calls significant here; memory that the call does not write, or that nobody sends, is not looked at. */
#include <string.h>

#include "capture/mpi/family.h"
#include "capture/record/record.h"
#include "capture/track/track.h"

struct arguments {
	int buf, count, displs, type; /* numbers of the arguments; -1: there is none */
	bool counts, types;           /* arrays */
};

static bool named(const struct hb__fn *fn, const char *part) { return strstr(fn->name, part) != NULL; }

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
	return r;
}

/* `blocks` times the count from block `first` on; of arrays so many elements from that one on. */
static void place(const struct hb__call *c, struct arguments r, int first, int blocks, struct hb__part *ret)
{
	const struct hb__type *t = r.type < 0 || r.types ? NULL : hb__type_look(c->a[r.type]);
	if (r.buf < 0 || r.count < 0 || r.type < 0 || blocks <= 0 || (t && (!t->dense || t->size <= 0)))
		return;
	*ret = (struct hb__part){.buf = (uint8_t)r.buf, .unit = t ? t->size : 0};
	if (r.counts) {
		ret->counts = (uint8_t)r.count;
		ret->displs = (uint8_t)(r.displs < 0 ? 0 : r.displs);
		ret->types = (uint8_t)(r.types ? r.type : 0);
		ret->first = first;
		ret->blocks = blocks;
		ret->there = true;
		return;
	}
	int64_t one = (int64_t)c->a[r.count] * ret->unit;
	ret->bytes = one * blocks;
	ret->from = one * first;
	ret->there = one > 0;
}

static int root_of(const struct hb__call *c)
{
	for (int i = 0; i < c->fn->nargs; i++)
		if (c->fn->param[i].kind == HB_P_ROOT)
			return (int)c->a[i];
	return -1;
}

static void neighbors(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *s)
{
	struct arguments in = arguments_of(c->fn, HB_R_SBUF), out = arguments_of(c->fn, HB_R_RBUF);
	int topology = MPI_UNDEFINED;
	PMPI(Topo_test)((MPI_Comm)hb__arg(c, HB_R_COMM), &topology);
	if (named(c->fn, "allgather"))
		place(c, in, 0, 1, &s->in);
	if (topology == MPI_CART) /* a neighbour may be MPI_PROC_NULL: nobody reads or writes its block */
		return;
	if (!s->in.there)
		place(c, in, 0, comm->neighbors_out, &s->in);
	place(c, out, 0, comm->neighbors_in, &s->out);
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
	bool scatters = named(fn, "educe_scatter"), nothing = named(fn, "xscan") && comm->rank == 0;
	place(c, in, 0, scatters ? comm->size : 1, &s->in);
	place(c, out, 0, scatters ? comm->size : 1, &s->in_place);
	if (scatters) {
		place(c, out, out.counts ? comm->rank : 0, 1, &s->out);
		s->out.from = 0;
	} else if (!nothing && (root < 0 || root == comm->rank)) {
		place(c, out, 0, 1, &s->out);
	}
}

void hb__sides(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *s)
{
	const struct hb__fn *fn = c->fn;
	if (comm->inter || fn->flags & HB_PERSISTENT)
		return;
	int root = root_of(c);
	struct arguments in = arguments_of(fn, HB_R_SBUF), out = arguments_of(fn, HB_R_RBUF);
	if (named(fn, "eighbor")) {
		neighbors(c, comm, s);
	} else if (named(fn, "cast")) {
		place(c, out, 0, 1, root == comm->rank ? &s->in : &s->out);
	} else if (named(fn, "educe") || named(fn, "scan") || named(fn, "Scan")) {
		reduces(c, comm, root, s);
	} else if (named(fn, "gather") || named(fn, "Gather")) {
		gathers(c, comm, root < 0 || root == comm->rank, s);
	} else if (named(fn, "catter")) {
		if (root == comm->rank)
			place(c, in, 0, comm->size, &s->in);
		place(c, out, 0, 1, &s->out);
	} else if (named(fn, "lltoall")) {
		place(c, in, 0, comm->size, &s->in);
		place(c, out, 0, comm->size, &s->in_place);
		place(c, out, 0, comm->size, &s->out);
	}
	if (fn->flags & HB_NONBLOCKING) /* it comes later */
		s->out.there = false;
	if (s->in.there || s->in_place.there || s->out.there)
		s->flags |= HB_SLOT_CHECK;
}
