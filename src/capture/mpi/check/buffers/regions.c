/* The memory that the arguments of a call name: buffers, counts, displacements and datatypes, put together. */
#include <string.h>

#include "capture/mpi/check/buffers/buffers.h"
#include "capture/mpi/family/family.h"
#include "capture/core/record/record.h"

static __thread void *pieces
	__attribute__((tls_model("initial-exec"))); /* struct hb__piece [HB__REGIONS][HB__PIECES] */

/* ---- pieces ---- */

static void add_piece(struct hb__region *r, uintptr_t low, uintptr_t high)
{
	if (low >= high || !r->known)
		return;
	if (r->n && r->piece[r->n - 1].high == low) {
		r->piece[r->n - 1].high = high;
	} else if (r->n == HB__PIECES || low < 4096) {
		r->known = false;
	} else {
		r->piece[r->n++] = (struct hb__piece){low, high};
	}
}

static bool dense(const struct hb__typemap *map)
{
	return map && map->size >= 0 && map->true_lb == 0 && map->lb == 0 && map->size == map->extent &&
	       map->true_extent == map->size;
}

/* Bytes of an element that lies in one piece, from the address given; -1: it does not. Calls come in runs with one datatype. */
static int64_t dense_size(MPI_Datatype type)
{
	static __thread struct {
		MPI_Datatype type;
		uint64_t epoch;
		int64_t size;
	} last __attribute__((tls_model("initial-exec")));
	if (likely(last.type == type && last.epoch == hb__epoch))
		return last.size;
	const struct hb__typemap *map = hb__typemap(type);
	last.type = type;
	last.epoch = hb__epoch;
	last.size = dense(map) ? map->size : -1;
	return last.size;
}

static void add_elements(struct hb__region *r, uintptr_t at, int64_t count, MPI_Datatype type)
{
	if (count <= 0 || !r->known)
		return;
	int64_t size = dense_size(type);
	if (likely(size >= 0)) {
		add_piece(r, at, at + (uintptr_t)(count * size));
		return;
	}
	const struct hb__typemap *map = hb__typemap(type);
	if (!map || map->size < 0) {
		r->known = false;
	} else if (!map->known || !map->exact || count > HB__PIECES) {
		r->known = false;
	} else {
		for (int64_t i = 0; i < count && r->known; i++)
			for (uint32_t k = 0; k < map->n; k++) {
				uintptr_t low = at + (uintptr_t)(i * map->extent + map->run[k].offset);
				add_piece(r, low,
					low + (uintptr_t)(hb__basic_extent(map->run[k].basic) * map->run[k].elements));
			}
	}
}

/* ---- arguments ---- */

struct side {
	int buf, count, displs, type;
	bool counts, types; /* arrays */
};

static int next_of(const struct hb__fn *fn, int from, unsigned one, unsigned several, bool *ret_several)
{
	for (int i = from; i < fn->nargs; i++)
		if (fn->param[i].kind == one || fn->param[i].kind == several) {
			*ret_several = fn->param[i].kind == several;
			return i;
		}
	return -1;
}

static struct side side_of(const struct hb__fn *fn, int buf)
{
	struct side s = {.buf = buf};
	bool unused;
	s.count = next_of(fn, buf + 1, HB_P_COUNT, HB_P_COUNTS, &s.counts);
	s.type = next_of(fn, buf + 1, HB_P_DTYPE, HB_P_DTYPES, &s.types);
	s.displs = s.count < 0 ? -1 : next_of(fn, s.count + 1, HB_P_DISPLS, HB_P_AINTS, &unused);
	if (s.displs > s.type)
		s.displs = -1;
	return s;
}

static int64_t element(const struct hb__call *c, int arg, int i, bool wide)
{
	const void *p = (const void *)c->a[arg];
	return !p ? 0 : wide ? (int64_t)((const MPI_Count *)p)[i] : ((const int *)p)[i];
}

static int64_t displacement(const struct hb__call *c, int arg, int i)
{
	const void *p = (const void *)c->a[arg];
	bool aints = c->fn->wide || c->fn->param[arg].kind == HB_P_AINTS;
	return !p ? 0 : aints ? (int64_t)((const MPI_Aint *)p)[i] : ((const int *)p)[i];
}

/* Arrays of counts: a block for each process, one behind the other where there are no displacements. */
static void add_blocks(struct hb__call *c, const struct side *s, int n, struct hb__region *r)
{
	int64_t before = 0;
	for (int i = 0; i < n && r->known; i++) {
		MPI_Datatype type = s->types ? ((const MPI_Datatype *)c->a[s->type])[i] : (MPI_Datatype)c->a[s->type];
		int64_t count = element(c, s->count, i, c->fn->wide);
		const struct hb__typemap *map = count > 0 ? hb__typemap(type) : NULL;
		if (count > 0 && !map)
			r->known = false;
		if (count > 0 && map) {
			int64_t at = s->displs < 0 ? before : displacement(c, s->displs, i);
			add_elements(r, c->a[s->buf] + (uintptr_t)(s->types ? at : at * map->extent), count, type);
		}
		before += count;
	}
}

static bool moves(const struct hb__fn *fn, enum hb_moves how) { return fn->means->moves == how; }
static bool among_neighbors(const struct hb__fn *fn) { return fn->means->topology != HB_TOPOLOGY_NONE; }

/* How many blocks of the count lie in the buffer. */
static int blocks(const struct hb__fn *fn, const struct hb__comm *comm, bool sends)
{
	int n = comm->inter ? comm->remote_size : comm->size;
	if (among_neighbors(fn))
		return !sends ? comm->neighbors_in : moves(fn, HB_MOVES_EXCHANGE) ? comm->neighbors_out : 1;
	switch (fn->means->moves) {
	case HB_MOVES_EXCHANGE:
		return n;
	case HB_MOVES_REDUCE_SCATTER:
		return sends ? comm->size : 1;
	case HB_MOVES_GATHER:
		return sends ? 1 : n;
	case HB_MOVES_SCATTER:
		return sends ? n : 1;
	default:
		return 1;
	}
}

/* Whether this side counts at this process; a broadcast's buffer is read at the root and written elsewhere. */
static bool counts_here(struct hb__call *c, const struct hb__comm *comm, bool *sends)
{
	int at = -1;
	for (int i = 0; i < c->fn->nargs; i++)
		if (c->fn->param[i].kind == HB_P_ROOT)
			at = i;
	if (at < 0)
		return true;
	int root = (int)c->a[at];
	if (comm->inter && root == MPI_PROC_NULL)
		return false;
	bool here = comm->inter ? root == MPI_ROOT : root == comm->rank;
	if (moves(c->fn, HB_MOVES_CAST)) {
		*sends = here;
		return true;
	}
	bool to_root = !moves(c->fn, HB_MOVES_SCATTER),
	     rooted = *sends != to_root; /* the side that only the root has */
	return comm->inter ? here == rooted : here || !rooted;
}

static void collective(
	struct hb__call *c, const struct hb__comm *comm, const struct side *s, bool sends, struct hb__region *r)
{
	if (!s->counts) {
		int64_t n = blocks(c->fn, comm, sends);
		add_elements(r, c->a[s->buf], n * (int64_t)c->a[s->count], (MPI_Datatype)c->a[s->type]);
	} else if (moves(c->fn, HB_MOVES_REDUCE_SCATTER) && !sends) {
		add_elements(
			r, c->a[s->buf], element(c, s->count, comm->rank, c->fn->wide), (MPI_Datatype)c->a[s->type]);
	} else {
		int n = among_neighbors(c->fn) ? (sends ? comm->neighbors_out : comm->neighbors_in)
			: moves(c->fn, HB_MOVES_REDUCE_SCATTER) || !comm->inter ? comm->size
										: comm->remote_size;
		add_blocks(c, s, n, r);
	}
}

static bool null_peer(const struct hb__call *c, bool sends)
{
	enum hb_role peer = sends ? HB_R_DEST : HB_R_SOURCE;
	return hb__has(c, peer) && (int)hb__arg(c, peer) == MPI_PROC_NULL;
}

static bool asked(const struct hb__fn *fn)
{
	/* The first half of an access in two halves neither says how it went nor has a request. */
	bool split = fn->cls == HB_IO && !fn->role[HB_R_STATUS] && !fn->role[HB_R_NEWREQ];
	bool partitioned = fn->means->does == HB_DOES_PARTITIONED;
	return fn->cls == HB_SEND || fn->cls == HB_RECV || fn->cls == HB_COLLECTIVE || fn->cls == HB_IO
		       ? !split && !partitioned
		       : false;
}

/* Where a call has what it sends from and receives into; looked for once. */
struct plan {
	bool known;
	uint8_t n;
	struct side side[HB__REGIONS];
};

static const struct plan *plan_of(const struct hb__fn *fn)
{
	static struct plan plans[HB_FN_COUNT];
	struct plan *p = &plans[fn->id];
	if (likely(__atomic_load_n(&p->known, __ATOMIC_ACQUIRE)))
		return p;
	struct plan now = {.n = 0};
	for (int i = 0; asked(fn) && i < fn->nargs && now.n < HB__REGIONS; i++) {
		unsigned kind = fn->param[i].kind;
		struct side s = side_of(fn, i);
		if ((kind == HB_P_SBUF || kind == HB_P_RBUF) && s.count >= 0 && s.type >= 0)
			now.side[now.n++] = s;
	}
	memcpy(p->side, now.side, sizeof p->side);
	p->n = now.n;
	__atomic_store_n(&p->known, true, __ATOMIC_RELEASE);
	return p;
}

unsigned hb__regions(struct hb__call *c, struct hb__region *ret)
{
	const struct hb__fn *fn = c->fn;
	const struct plan *plan = plan_of(fn);
	unsigned n = 0;
	if (!plan->n)
		return 0;
	struct hb__comm *comm = fn->cls == HB_COLLECTIVE ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	if (fn->cls == HB_COLLECTIVE && !comm)
		return 0;
	struct hb__piece(*room)[HB__PIECES] = hb__thread_room(&pieces, HB__REGIONS * sizeof *room);
	if (!room)
		return 0;
	for (unsigned i = 0; i < plan->n; i++) {
		const struct side *s = &plan->side[i];
		bool sends = fn->param[s->buf].kind == HB_P_SBUF;
		if ((const void *)c->a[s->buf] == MPI_IN_PLACE || null_peer(c, sends) ||
			(comm && !counts_here(c, comm, &sends)))
			continue;
		struct hb__region *r = &ret[n];
		*r = (struct hb__region){
			.arg = fn->param[s->buf].name, .writes = !sends, .known = true, .piece = room[n]};
		if (comm)
			collective(c, comm, s, sends, r);
		else
			add_elements(r, c->a[s->buf], (int64_t)c->a[s->count], (MPI_Datatype)c->a[s->type]);
		n += r->known && r->n;
	}
	return n;
}
