/* Arguments of what makes groups, communicators and topologies. */
#include "capture/check/arguments/look.h"

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

/* Ranks of a group: in range, and for incl and excl each once. */
static void ranks(struct hb__look *l, bool once)
{
	int n_at = hb__find_param(l, "n"), at = hb__find_param(l, once ? "ranks" : "ranks1");
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

static void ranges(struct hb__look *l)
{
	int n_at = hb__find_param(l, "n"), at = hb__find_param(l, "ranges");
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

/* The group of MPI_Comm_create is one of processes of the communicator. */
static void subgroup(struct hb__look *l)
{
	int at = hb__find_param(l, "group"), size = at >= 0 ? hb__group_size(l->c->a[at]) : -1;
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
	const char *name = l->fn->name + 4;
	int kind = !strncmp(name, "Cart_", 5) || !strncmp(name, "Cartdim", 7) ? MPI_CART
		   : !strncmp(name, "Graph", 5)                               ? MPI_GRAPH
		   : !strncmp(name, "Dist_graph_n", 12)                       ? MPI_DIST_GRAPH
									      : MPI_UNDEFINED;
	bool neighbors = l->fn->cls == HB_COLLECTIVE && strstr(name, "eighbor");
	if (strstr(name, "_create") || strstr(name, "_map") || !l->comm || (kind == MPI_UNDEFINED && !neighbors))
		return true;
	if (neighbors ? topology(l) != MPI_UNDEFINED : topology(l) == kind)
		return true;
	hb__fault(l, HB_REMARK_ARG_COMM, (unsigned)hb__role(l->c, HB_R_COMM), -1, "intact", "it has no %stopology",
		kind == MPI_CART         ? "Cartesian "
		: kind == MPI_GRAPH      ? "graph "
		: kind == MPI_DIST_GRAPH ? "distributed graph "
					 : "");
	return false;
}

static void cart_create(struct hb__look *l)
{
	int64_t n = number(l, "ndims"), product = 1;
	const int *dims = (const int *)l->c->a[hb__find_param(l, "dims")];
	if (n < 0)
		wrong(l, "ndims", -1, n, "a number of dimensions cannot be negative");
	for (int64_t k = 0; k < n && dims && !l->faulty; k++) {
		if (dims[k] <= 0)
			wrong(l, "dims", (int)k, dims[k], "a dimension has at least one process");
		product *= dims[k];
	}
	if (!l->faulty && dims && l->comm && product > l->comm->size)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "dims"), -1, product,
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

static void graph_create(struct hb__look *l)
{
	int64_t nodes = number(l, "nnodes");
	const int *index = (const int *)l->c->a[hb__find_param(l, "index")],
		  *edges = (const int *)l->c->a[hb__find_param(l, "edges")];
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

static void neighbors(struct hb__look *l, const char *count, const char *list)
{
	int64_t n = number(l, count);
	int at = hb__find_param(l, list);
	const int *rank = (const int *)l->c->a[at];
	if (n < 0)
		wrong(l, count, -1, n, "a number of neighbours cannot be negative");
	for (int64_t k = 0; k < n && rank && l->comm && !l->faulty; k++)
		if (rank[k] < 0 || rank[k] >= l->comm->size)
			hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)at, (int)k, rank[k],
				"the communicator has ranks 0 to %d", l->comm->size - 1);
}

static void dist_graph(struct hb__look *l)
{
	const int *degrees = (const int *)l->c->a[hb__find_param(l, "degrees")],
		  *to = (const int *)l->c->a[hb__find_param(l, "destinations")];
	int64_t n = number(l, "n"), at = 0;
	neighbors(l, "n", "sources");
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
	if (l->fn->id == HB_FN_MPI_Cart_shift) {
		int64_t d = number(l, "direction");
		if (d < 0 || d >= n)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "direction"), -1, d,
				"the grid has %d dimensions, numbered from 0", n);
	} else if (l->fn->id == HB_FN_MPI_Cart_coords) {
		int64_t rank = number(l, "rank"), room = number(l, "maxdims");
		if (rank < 0 || rank >= l->comm->size)
			hb__fault_number(l, HB_REMARK_ARG_RANK, (unsigned)hb__find_param(l, "rank"), -1, rank,
				"the communicator has ranks 0 to %d", l->comm->size - 1);
		else if (room < n)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "maxdims"), -1, room,
				"the grid has %d dimensions", n);
	} else if (l->fn->id == HB_FN_MPI_Cart_rank && n > 0) {
		const int *at = (const int *)l->c->a[hb__find_param(l, "coords")];
		if (!at || PMPI(Cart_get)(comm, n, dims, periods, coords) != MPI_SUCCESS)
			return;
		for (int k = 0; k < n && !l->faulty; k++)
			if (!periods[k] && (at[k] < 0 || at[k] >= dims[k]))
				hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)hb__find_param(l, "coords"), k,
					at[k], "this dimension has %d processes and is not periodic", dims[k]);
	}
}

/* ---- communicators ---- */

static void intercomm_create(struct hb__look *l)
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
	unsigned peer = (unsigned)hb__find_param(l, "peer_comm");
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
	const char *name = l->fn->name + 4;
	bool wants_inter = !strcmp(name, "Comm_remote_size") || !strcmp(name, "Comm_remote_group") ||
			   !strcmp(name, "Intercomm_merge");
	bool wants_intra = !strncmp(name, "Scan", 4) || strstr(name, "xscan") || !strncmp(name, "Iscan", 5) ||
			   !strncmp(name, "Cart_", 5) || !strncmp(name, "Graph_create", 12) ||
			   !strncmp(name, "Dist_graph_create", 17) || !strncmp(name, "Win_", 4) ||
			   !strcmp(name, "File_open") || !strcmp(name, "Intercomm_create");
	if (wants_inter && !inter)
		hb__fault(l, HB_REMARK_ARG_COMM, i, -1, "intracommunicator", "it has to be an intercommunicator");
	if (wants_intra && inter)
		hb__fault(l, HB_REMARK_ARG_COMM, i, -1, "intercommunicator", "it has to be an intracommunicator");
	return !l->faulty;
}

void hb__look_group(struct hb__look *l)
{
	if (l->lost || l->faulty || (l->comm && (!right_side(l) || !needs_topology(l))))
		return;
	switch (l->fn->id) {
	case HB_FN_MPI_Group_incl:
	case HB_FN_MPI_Group_excl:
		ranks(l, true);
		break;
	case HB_FN_MPI_Group_translate_ranks:
		ranks(l, false);
		break;
	case HB_FN_MPI_Group_range_incl:
	case HB_FN_MPI_Group_range_excl:
		ranges(l);
		break;
	case HB_FN_MPI_Comm_create:
	case HB_FN_MPI_Comm_create_group:
		subgroup(l);
		break;
	case HB_FN_MPI_Cart_create:
		cart_create(l);
		break;
	case HB_FN_MPI_Dims_create:
		dims_create(l);
		break;
	case HB_FN_MPI_Graph_create:
		graph_create(l);
		break;
	case HB_FN_MPI_Dist_graph_create_adjacent:
		neighbors(l, "indegree", "sources");
		neighbors(l, "outdegree", "destinations");
		break;
	case HB_FN_MPI_Dist_graph_create:
		dist_graph(l);
		break;
	case HB_FN_MPI_Cart_shift:
	case HB_FN_MPI_Cart_coords:
	case HB_FN_MPI_Cart_rank:
		in_grid(l);
		break;
	case HB_FN_MPI_Intercomm_create:
		intercomm_create(l);
		break;
	case HB_FN_MPI_Comm_split:
		if (number(l, "color") < 0 && number(l, "color") != MPI_UNDEFINED)
			wrong(l, "color", -1, number(l, "color"), "it has to be 0 or more, or MPI_UNDEFINED");
		break;
	default:
		break;
	}
}
