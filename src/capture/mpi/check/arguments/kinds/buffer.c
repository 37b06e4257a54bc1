/* Message buffers: null, MPI_IN_PLACE where it is not taken, and buffers that share memory. */
#include "capture/mpi/check/arguments/look.h"

/* A buffer with what describes it; the indices are of parameters, -1: none. */
struct data {
	int buf, count, counts, displs, type, types;
};

static void assign(struct data *d, int n, int i, unsigned kind)
{
	for (int k = 0; k < n; k++) {
		bool counted = d[k].count >= 0 || d[k].counts >= 0, typed = d[k].type >= 0 || d[k].types >= 0;
		if ((kind == HB_P_COUNT || kind == HB_P_ICOUNT || kind == HB_P_CNT) && !counted)
			d[k].count = i;
		else if (kind == HB_P_COUNTS && !counted)
			d[k].counts = i;
		else if (kind == HB_P_DISPLS && d[k].counts >= 0 && d[k].displs < 0)
			d[k].displs = i;
		else if (kind == HB_P_AINTS && d[k].counts >= 0 && d[k].displs < 0)
			d[k].displs = i;
		else if (kind == HB_P_DTYPE && !typed)
			d[k].type = i;
		else if (kind == HB_P_DTYPES && !typed)
			d[k].types = i;
	}
}

/* The buffers of a call, in the order of its parameters. What follows a buffer describes it and those before it that
 * nothing describes yet: sendbuf and recvbuf of a reduction share their count. */
static int buffers_of(const struct hb__look *l, struct data d[3])
{
	int n = 0;
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		unsigned kind = hb__kind(l, i);
		bool inout = hb__named(l, i, "inoutbuf") || hb__named(l, i, "outbuf");
		if (kind == HB_P_SBUF || kind == HB_P_RBUF || inout) {
			if (n < 3)
				d[n++] = (struct data){(int)i, -1, -1, -1, -1, -1};
		} else {
			assign(d, n, (int)i, kind);
		}
	}
	return n;
}

/* One piece of a buffer. */
struct piece {
	uintptr_t at;
	int64_t bytes; /* 0: none */
	bool exact;    /* all of it is used */
};

static int64_t extent_of(MPI_Datatype type, int64_t *ret_lb, int64_t *ret_true, int64_t *ret_true_lb)
{
	MPI_Count lb = 0, extent = 0;
	PMPI(Type_get_extent_x)(type, &lb, &extent);
	*ret_lb = lb;
	MPI_Count true_lb = 0, true_extent = 0;
	PMPI(Type_get_true_extent_x)(type, &true_lb, &true_extent);
	*ret_true = true_extent;
	*ret_true_lb = true_lb;
	return extent;
}

static int pieces(const struct hb__look *l, const struct data *d)
{
	return d->counts >= 0 ? hb__length(l, (unsigned)d->counts) : 1;
}

static MPI_Datatype type_at(const struct hb__look *l, const struct data *d, int k)
{
	if (d->type >= 0)
		return (MPI_Datatype)l->c->a[d->type];
	const MPI_Datatype *types = d->types >= 0 ? (const MPI_Datatype *)l->c->a[d->types] : NULL;
	return types ? types[k] : hb__known.type_null;
}

static int64_t count_at(const struct hb__look *l, const struct data *d, int k)
{
	if (d->counts >= 0 && hb__moves(l, HB_MOVES_REDUCE_SCATTER) && hb__kind(l, (unsigned)d->buf) == HB_P_RBUF &&
		k != l->comm->rank)
		return 0; /* only its own block comes back */
	if (d->counts >= 0)
		return l->c->a[d->counts] ? hb__element(l, (unsigned)d->counts, k) : 0;
	return d->count >= 0 ? hb__value(l, (unsigned)d->count) : 1;
}

/* How many times the count a buffer holds: the blocks of all processes lie one behind the other. */
static int64_t blocks(const struct hb__look *l, const struct data *d)
{
	if (l->fn->cls != HB_COLLECTIVE || d->counts >= 0 || !l->comm)
		return 1;
	bool send = hb__kind(l, (unsigned)d->buf) == HB_P_SBUF;
	int all = l->comm->inter ? l->comm->remote_size : l->comm->size;
	if (hb__among_neighbors(l)) {
		all = send ? l->comm->neighbors_out : l->comm->neighbors_in;
		return send && hb__moves(l, HB_MOVES_GATHER) ? 1 : all > 0 ? all : 0;
	}
	switch (l->fn->means->moves) {
	case HB_MOVES_EXCHANGE:
		return all;
	case HB_MOVES_GATHER:
		return send ? 1 : all;
	case HB_MOVES_SCATTER:
	case HB_MOVES_REDUCE_SCATTER:
		return send ? all : 1;
	default:
		return 1;
	}
}

static struct piece piece_of(const struct hb__look *l, const struct data *d, int k)
{
	struct piece p = {l->c->a[d->buf], 0, false};
	MPI_Datatype type = type_at(l, d, k);
	const struct hb__type *t = hb__type_look((uintptr_t)type);
	int64_t count = count_at(l, d, k) * blocks(l, d), lb, true_bytes, true_lb;
	if (t->number == HB_NONE || t->size <= 0 || count <= 0)
		return p;
	int64_t extent = t->dense ? t->size : extent_of(type, &lb, &true_bytes, &true_lb);
	if (d->displs >= 0 && l->c->a[d->displs]) {
		bool bytes = d->types >= 0; /* Alltoallw: displacements in bytes */
		p.at += (uintptr_t)(hb__element(l, (unsigned)d->displs, k) * (bytes ? 1 : extent));
	}
	p.exact = t->dense;
	p.bytes = t->dense ? count * t->size : true_bytes + (count - 1) * extent;
	if (!t->dense)
		p.at += (uintptr_t)true_lb;
	if (p.bytes < 0)
		p.bytes = 0;
	return p;
}

/* ---- null ---- */

/* Of a datatype made of addresses the buffer is MPI_BOTTOM, which is NULL. */
static bool absolute(MPI_Datatype type)
{
	int64_t lb, bytes, true_lb;
	if (hb__type_look((uintptr_t)type)->dense)
		return false;
	extent_of(type, &lb, &bytes, &true_lb);
	return true_lb >= 4096 || true_lb <= -4096;
}

static bool goes_nowhere(const struct hb__look *l, const struct data *d)
{
	int peer = hb__kind(l, (unsigned)d->buf) == HB_P_SBUF || l->fn->cls == HB_RMA ? HB_R_DEST : HB_R_SOURCE;
	if (hb__role(l->c, HB_R_DEST) < 0 || hb__role(l->c, HB_R_SOURCE) < 0)
		peer = hb__role(l->c, HB_R_DEST) >= 0 ? HB_R_DEST : HB_R_SOURCE;
	return hb__role(l->c, peer) >= 0 && (int)hb__arg(l->c, peer) == MPI_PROC_NULL;
}

static void null_buffer(struct hb__look *l, const struct data *d)
{
	int op = hb__fetches(l->fn) ? hb__find_kind(l, HB_P_OP) : -1;
	if (op >= 0 && hb__kind(l, (unsigned)d->buf) == HB_P_SBUF && hb__op_look(l->c->a[op]) == HB__NO_OP)
		return;
	int n = pieces(l, d);
	for (int k = 0; k < n; k++) {
		MPI_Datatype type = type_at(l, d, k);
		int64_t count = count_at(l, d, k);
		const struct hb__type *t = hb__type_look((uintptr_t)type);
		if (count <= 0 || t->number == HB_NONE || t->size <= 0 || absolute(type) || goes_nowhere(l, d) ||
			!blocks(l, d))
			continue;
		if (d->counts >= 0)
			hb__fault(l, HB_REMARK_ARG_BUFFER, (unsigned)d->buf, -1, "NULL", "%s[%d] is %lld, of %s",
				hb__name(l, (unsigned)d->counts), k, (long long)count, hb__type_text(type));
		else if (d->count >= 0)
			hb__fault(l, HB_REMARK_ARG_BUFFER, (unsigned)d->buf, -1, "NULL", "%s is %lld, of %s",
				hb__name(l, (unsigned)d->count), (long long)count, hb__type_text(type));
		else
			hb__fault(l, HB_REMARK_ARG_BUFFER, (unsigned)d->buf, -1, "NULL", "one element of %s",
				hb__type_text(type));
		return;
	}
}

static void in_place(struct hb__look *l, const struct data *d)
{
	unsigned i = (unsigned)d->buf;
	if (hb__in_place_allowed(l, i))
		return;
	const char *why = l->fn->cls != HB_COLLECTIVE   ? "only collectives take it"
			  : l->comm && l->comm->inter   ? "it is not for intercommunicators"
			  : hb__among_neighbors(l)      ? "collectives of neighbours do not take it"
			  : hb__moves(l, HB_MOVES_CAST) ? "a broadcast has only one buffer"
			  : l->root >= 0 && (int)l->c->a[l->root] != l->comm->rank
				  ? "only the root may give it"
				  : "it is for the other buffer of this call";
	hb__fault(l, HB_REMARK_ARG_BUFFER, i, -1, "MPI_IN_PLACE", "%s", why);
}

/* ---- sharing memory ---- */

#define PIECES 64 /* more are not compared one by one */

static bool meet(const struct piece *a, const struct piece *b)
{
	return a->bytes && b->bytes && a->at < b->at + (uintptr_t)b->bytes && b->at < a->at + (uintptr_t)a->bytes;
}

/* Sure only where both are used without holes, or begin with the same element. */
static bool share(const struct piece *a, const struct piece *b)
{
	return meet(a, b) && ((a->exact && b->exact) || a->at == b->at);
}

static bool takes_part(const struct hb__look *l, const struct data *d)
{
	const void *buf = (const void *)l->c->a[d->buf];
	return buf && buf != MPI_IN_PLACE && (d->type >= 0 || d->types >= 0) &&
	       hb__significant(l->c, (unsigned)d->buf, l->comm) && !goes_nowhere(l, d);
}

static void between(struct hb__look *l, const struct data *a, const struct data *b)
{
	int n = pieces(l, a), m = pieces(l, b);
	if (n > PIECES || m > PIECES)
		return;
	for (int i = 0; i < n; i++) {
		struct piece p = piece_of(l, a, i);
		for (int k = 0; k < m; k++) {
			struct piece q = piece_of(l, b, k);
			if (!share(&p, &q))
				continue;
			char value[24];
			snprintf(value, sizeof value, "0x%llx", (unsigned long long)l->c->a[b->buf]);
			hb__fault(l, HB_REMARK_ARG_ALIAS, (unsigned)b->buf, -1, value,
				"%lld bytes of it are part of %s, too",
				(long long)((p.at + (uintptr_t)p.bytes < q.at + (uintptr_t)q.bytes
							    ? p.at + (uintptr_t)p.bytes
							    : q.at + (uintptr_t)q.bytes) -
					    (p.at > q.at ? p.at : q.at)),
				hb__name(l, (unsigned)a->buf));
			return;
		}
	}
}

/* Blocks that a collective receives must not be written twice. */
static void within(struct hb__look *l, const struct data *d)
{
	int n = pieces(l, d);
	if (d->counts < 0 || d->displs < 0 || n > PIECES || hb__kind(l, (unsigned)d->buf) != HB_P_RBUF)
		return;
	for (int i = 0; i < n; i++) {
		struct piece p = piece_of(l, d, i);
		for (int k = 0; k < i; k++) {
			struct piece q = piece_of(l, d, k);
			if (!share(&p, &q))
				continue;
			hb__fault_number(l, HB_REMARK_ARG_ALIAS, (unsigned)d->displs, i,
				hb__element(l, (unsigned)d->displs, i),
				"the block from process %d then overlaps the one from process %d", i, k);
			return;
		}
	}
}

void hb__look_buffers(struct hb__look *l)
{
	struct data d[3];
	bool packs = l->fn->means->does == HB_DOES_PACK;
	if (l->faulty || l->lost || (l->fn->cls == HB_LOCAL && !packs && l->fn->means->does != HB_DOES_COMBINE))
		return;
	int n = buffers_of(l, d);
	if (packs)
		n = n > 1 ? 1 : n;
	for (int k = 0; k < n; k++) {
		const void *buf = (const void *)l->c->a[d[k].buf];
		if (!hb__significant(l->c, (unsigned)d[k].buf, l->comm))
			continue;
		if (buf == MPI_IN_PLACE)
			in_place(l, &d[k]);
		else if (!buf)
			null_buffer(l, &d[k]);
	}
	if (l->faulty)
		return;
	bool reads_both = l->fn->means->does == HB_DOES_COMPARE_AND_SWAP;
	for (int k = 0; k < n; k++)
		for (int j = 0; j < k; j++)
			if (!(reads_both && k == 1) && takes_part(l, &d[k]) && takes_part(l, &d[j]))
				between(l, &d[j], &d[k]);
	for (int k = 0; k < n; k++)
		if (takes_part(l, &d[k]))
			within(l, &d[k]);
}
