/* Arguments of what makes groups, communicators and topologies. */
#include "capture/mpi/check/arguments/look.h"

static int64_t number(const struct hb__look *l, const char *name)
{
	int i = hb__find_param(l, name);
	return i >= 0 ? hb__value(l, (unsigned)i) : 0;
}

static void wrong(struct hb__look *l, const char *name, int place, int64_t value, const char *text)
{
	int i = hb__find_param(l, name);
	if (i >= 0)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)i, place, value, "%s", text);
}

/* ---- groups ---- */

/* Ranks of the group before them: in range, and each once or with MPI_PROC_NULL among them. */
static void ranks(struct hb__look *l, int at, bool once)
{
	int n_at = at - 1;
	int n = (int)l->c->a[n_at], size = hb__group_size(l->c->a[0]);
	const int *rank = (const int *)l->c->a[at];
	if (n < 0) {
		hb__fault_number(l, HB_REMARK_ARG_COUNT, (unsigned)n_at, -1, n, "a number of ranks cannot be negative");
		return;
	}
	if (size < 0 || !rank)
		return;
	for (int k = 0; k < n; k++) {
		if (!once && rank[k] == MPI_PROC_NULL)
			continue;
		if (rank[k] < 0 || rank[k] >= size) {
			hb__fault_number(
				l, HB_REMARK_ARG_RANK, (unsigned)at, k, rank[k], "the group has %d processes", size);
			return;
		}
		for (int j = once && k < 256 ? k - 1 : -1; j >= 0; j--)
			if (rank[j] == rank[k]) {
				hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)at, k, rank[k],
					"%s[%d] is the same rank", hb__name(l, (unsigned)at), j);
				return;
			}
	}
}

static void ranges(struct hb__look *l, int at)
{
	int n_at = at - 1;
	int n = (int)l->c->a[n_at], size = hb__group_size(l->c->a[0]);
	const int(*range)[3] = (const int(*)[3])l->c->a[at];
	if (n < 0)
		hb__fault_number(
			l, HB_REMARK_ARG_COUNT, (unsigned)n_at, -1, n, "a number of ranges cannot be negative");
	for (int k = 0; range && k < n && !l->faulty; k++) {
		int first = range[k][0], last = range[k][1], stride = range[k][2];
		if (stride == 0)
			hb__fault_number(
				l, HB_REMARK_ARG_VALUE, (unsigned)at, k, 0, "the stride of a range cannot be 0");
		else if (size >= 0 && (first < 0 || first >= size))
			hb__fault_number(
				l, HB_REMARK_ARG_RANK, (unsigned)at, k, first, "the group has %d processes", size);
		else if (size >= 0 && (stride > 0) == (last >= first) && (last < 0 || last >= size) &&
			 (last - first) / stride * stride == last - first)
			hb__fault_number(
				l, HB_REMARK_ARG_RANK, (unsigned)at, k, last, "the group has %d processes", size);
	}
}

/* The group that a communicator is made for is one of processes of the old one. */
static void subgroup(struct hb__look *l, int at)
{
	int size = hb__group_size(l->c->a[at]);
	MPI_Group whole;
	if (size <= 0 || !l->comm || PMPI(Comm_group)((MPI_Comm)hb__arg(l->c, HB_R_COMM), &whole) != MPI_SUCCESS)
		return;
	for (int k = 0; k < size && !l->faulty; k++) {
		int there = MPI_UNDEFINED;
		PMPI(Group_translate_ranks)((MPI_Group)l->c->a[at], 1, &k, whole, &there);
		if (there == MPI_UNDEFINED)
			hb__fault(l, HB_REMARK_ARG_VALUE, (unsigned)at, -1, "group",
				"its process %d is not part of the communicator", k);
	}
	PMPI(Group_free)(&whole);
}

/* ---- topologies ---- */

/* A topology asked about has to be there. */
static int topology(const struct hb__look *l)
{
	int kind = MPI_UNDEFINED;
	if (l->comm && !l->comm->inter)
		PMPI(Topo_test)((MPI_Comm)hb__arg(l->c, HB_R_COMM), &kind);
	return kind;
}

static bool needs_topology(struct hb__look *l)
{
	static const struct {
		int library;
		const char *text;
	} kinds[] = {[HB_TOPOLOGY_SOME] = {MPI_UNDEFINED, ""},
		[HB_TOPOLOGY_CART] = {MPI_CART, "Cartesian "},
		[HB_TOPOLOGY_GRAPH] = {MPI_GRAPH, "graph "},
		[HB_TOPOLOGY_DIST_GRAPH] = {MPI_DIST_GRAPH, "distributed graph "}};
	unsigned needs = l->fn->means->topology;
	if (needs == HB_TOPOLOGY_NONE)
		return true;
	int has = topology(l);
	if (needs == HB_TOPOLOGY_SOME ? has != MPI_UNDEFINED : has == kinds[needs].library)
		return true;
	hb__fault(l, HB_REMARK_ARG_COMM, (unsigned)hb__role(l->c, HB_R_COMM), -1, "intact", "it has no %stopology",
		kinds[needs].text);
	return false;
}

static void grid(struct hb__look *l, int at)
{
	int64_t n = number(l, "ndims"), product = 1;
	const int *dims = (const int *)l->c->a[at];
	if (n < 0)
		wrong(l, "ndims", -1, n, "a number of dimensions cannot be negative");
	for (int64_t k = 0; k < n && dims && !l->faulty; k++) {
		if (dims[k] <= 0)
			wrong(l, "dims", (int)k, dims[k], "a dimension has at least one process");
		product *= dims[k];
	}
	if (!l->faulty && dims && l->comm && product > l->comm->size)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)at, -1, product,
			"the grid needs %lld processes and the communicator has %d", (long long)product, l->comm->size);
}

static void dims_create(struct hb__look *l)
{
	int64_t n = number(l, "ndims"), nodes = number(l, "nnodes"), product = 1;
	const int *dims = (const int *)l->c->a[hb__find_param(l, "dims")];
	if (n < 0 || (n == 0 && nodes > 1))
		wrong(l, "ndims", -1, n, "there is at least one dimension");
	if (nodes <= 0)
		wrong(l, "nnodes", -1, nodes, "there is at least one process");
	for (int64_t k = 0; k < n && dims && !l->faulty; k++) {
		if (dims[k] < 0)
			wrong(l, "dims", (int)k, dims[k], "it has to be 0 (to be chosen) or a number of processes");
		product *= dims[k] > 0 ? dims[k] : 1;
	}
	if (!l->faulty && dims && product && nodes % product)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "nnodes"), -1, nodes,
			"the dimensions given need a multiple of %lld", (long long)product);
}

static void graph(struct hb__look *l, int at)
{
	int64_t nodes = number(l, "nnodes");
	const int *index = (const int *)l->c->a[at], *edges = (const int *)l->c->a[hb__find_param(l, "edges")];
	if (nodes < 0)
		wrong(l, "nnodes", -1, nodes, "a number of nodes cannot be negative");
	else if (l->comm && nodes > l->comm->size)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "nnodes"), -1, nodes,
			"the communicator has %d processes", l->comm->size);
	for (int64_t k = 0; k < nodes && index && !l->faulty; k++)
		if (index[k] < (k ? index[k - 1] : 0))
			wrong(l, "index", (int)k, index[k], "the numbers of edges add up: it cannot become smaller");
	int n = nodes > 0 && index && !l->faulty ? index[nodes - 1] : 0;
	for (int k = 0; k < n && edges && !l->faulty; k++)
		if (edges[k] < 0 || edges[k] >= nodes)
			wrong(l, "edges", k, edges[k], "it has to be a node, from 0 up to nnodes - 1");
}

/* The last parameter of a kind before another one; there is one. */
static unsigned last_of(const struct hb__look *l, unsigned before, unsigned kind)
{
	while (before > 0 && hb__kind(l, before) != kind)
		before--;
	return before;
}

static void neighbors(struct hb__look *l, unsigned count, unsigned at)
{
	int64_t n = hb__value(l, count);
	const int *rank = (const int *)l->c->a[at];
	if (n < 0)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, count, -1, n, "a number of neighbours cannot be negative");
	for (int64_t k = 0; k < n && rank && l->comm && !l->faulty; k++)
		if (rank[k] < 0 || rank[k] >= l->comm->size)
			hb__fault_number(l, HB_REMARK_ARG_RANK, at, (int)k, rank[k],
				"the communicator has ranks 0 to %d", l->comm->size - 1);
}

/* MPI_Dist_graph_create: one list of destinations, of so many of each source. */
static void degrees(struct hb__look *l)
{
	const int *degrees = (const int *)l->c->a[hb__find_param(l, "degrees")],
		  *to = (const int *)l->c->a[hb__find_param(l, "destinations")];
	int64_t n = number(l, "n"), at = 0;
	for (int64_t k = 0; k < n && degrees && to && l->comm && !l->faulty; k++) {
		if (degrees[k] < 0)
			wrong(l, "degrees", (int)k, degrees[k], "a number of neighbours cannot be negative");
		for (int j = 0; j < degrees[k] && !l->faulty; j++, at++)
			if (to[at] < 0 || to[at] >= l->comm->size)
				hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)hb__find_param(l, "destinations"),
					(int)at, to[at], "the communicator has ranks 0 to %d", l->comm->size - 1);
	}
}

static void in_grid(struct hb__look *l)
{
	int dims[32], periods[32], coords[32], n = 0;
	MPI_Comm comm = (MPI_Comm)hb__arg(l->c, HB_R_COMM);
	if (!l->comm || PMPI(Cartdim_get)(comm, &n) != MPI_SUCCESS || n > 32)
		return;
	int direction = hb__find_param(l, "direction"), rank_at = hb__find_param(l, "rank"),
	    given = hb__find_kind(l, HB_P_PERDIM);
	if (direction >= 0) {
		int64_t d = hb__value(l, (unsigned)direction);
		if (d < 0 || d >= n)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)direction, -1, d,
				"the grid has %d dimensions, numbered from 0", n);
	} else if (rank_at >= 0 && hb__kind(l, (unsigned)rank_at) == HB_P_INT) {
		int64_t rank = hb__value(l, (unsigned)rank_at), room = number(l, "maxdims");
		if (rank < 0 || rank >= l->comm->size)
			hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)rank_at, -1, rank,
				"the communicator has ranks 0 to %d", l->comm->size - 1);
		else if (room < n)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "maxdims"), -1, room,
				"the grid has %d dimensions", n);
	} else if (given >= 0 && hb__named(l, (unsigned)given, "coords") && n > 0) {
		const int *at = (const int *)l->c->a[given];
		if (!at || PMPI(Cart_get)(comm, n, dims, periods, coords) != MPI_SUCCESS)
			return;
		for (int k = 0; k < n && !l->faulty; k++)
			if (!periods[k] && (at[k] < 0 || at[k] >= dims[k]))
				hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)given, k, at[k],
					"this dimension has %d processes and is not periodic", dims[k]);
	}
}

/* ---- communicators ---- */

/* Of two communicators, the second of which counts at the leader of the first. */
static void leaders(struct hb__look *l, unsigned peer)
{
	int leader = (int)number(l, "local_leader"), size;
	if (!l->comm)
		return;
	if (leader < 0 || leader >= l->comm->size) {
		hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)hb__find_param(l, "local_leader"), -1, leader,
			"local_comm has ranks 0 to %d", l->comm->size - 1);
		return;
	}
	if (l->comm->rank != leader)
		return; /* what follows counts at the leader alone */
	hb__look_handle(l, peer, -1, HB_HANDLE_COMM, l->c->a[peer]);
	const struct hb__comm *other = hb__comm_find(l->c->a[peer]);
	size = other ? other->inter ? other->remote_size : other->size : 0;
	leader = (int)number(l, "remote_leader");
	if (size && (leader < 0 || leader >= size))
		hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)hb__find_param(l, "remote_leader"), -1, leader,
			"peer_comm has ranks 0 to %d", size - 1);
}

static bool right_side(struct hb__look *l)
{
	unsigned i = (unsigned)hb__role(l->c, HB_R_COMM);
	bool inter = l->comm->inter;
	unsigned takes = l->fn->means->takes;
	if (takes == HB_TAKES_INTER && !inter)
		hb__fault(l, HB_REMARK_ARG_COMM, i, -1, "intracommunicator", "it has to be an intercommunicator");
	if (takes == HB_TAKES_INTRA && inter)
		hb__fault(l, HB_REMARK_ARG_COMM, i, -1, "intercommunicator", "it has to be an intracommunicator");
	return !l->faulty;
}

/* By what a parameter is. */
static void one(struct hb__look *l, unsigned i)
{
	switch (hb__kind(l, i)) {
	case HB_P_MEMBERS:
		ranks(l, (int)i, true);
		break;
	case HB_P_RANKS:
		ranks(l, (int)i, false);
		break;
	case HB_P_RANGES:
		ranges(l, (int)i);
		break;
	case HB_P_GROUP:
		if (l->fn->cls == HB_COMM)
			subgroup(l, (int)i);
		break;
	case HB_P_GRID:
		grid(l, (int)i);
		break;
	case HB_P_NODES:
		graph(l, (int)i);
		break;
	case HB_P_NEIGHBORS:
		neighbors(l, last_of(l, i, HB_P_SIZE), i);
		if (hb__find_param(l, "degrees") >= 0)
			degrees(l);
		break;
	case HB_P_PEER:
		leaders(l, i);
		break;
	case HB_P_COLOR:
		if (hb__value(l, i) < 0 && hb__value(l, i) != MPI_UNDEFINED)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, i, -1, hb__value(l, i),
				"it has to be 0 or more, or MPI_UNDEFINED");
		break;
	default:
		break;
	}
}

void hb__look_group(struct hb__look *l)
{
	if (l->lost || l->faulty || (l->comm && (!right_side(l) || !needs_topology(l))))
		return;
	for (unsigned i = 0; i < l->fn->nargs; i++)
		one(l, i);
	if (l->fn->means->topology == HB_TOPOLOGY_CART)
		in_grid(l);
	if (l->fn->id == HB_FN_MPI_Dims_create)
		dims_create(l);
}
