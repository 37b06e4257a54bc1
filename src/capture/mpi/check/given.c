/* What no event has and other processes have to fit: arguments of constructors that must be alike everywhere, and who
 * is whose neighbour on a communicator with a topology. */
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "capture/mpi/check/arguments/look.h"
#include "capture/mpi/check/handles/handles.h"

enum { DIMS_MOST = 64 };

/* In which no argument is told. */
static const struct hb_remark_given untold = {.dims = -1,
	.periods = -1,
	.remain_dims = -1,
	.index = -1,
	.edges = -1,
	.sources = -1,
	.destinations = -1,
	.group = -1,
	.extent = HB_REMARK_UNTOLD};

static void tell(struct hb__call *c, const struct hb_remark_given *given) { hb__remark_of(c, HB_REMARK_GIVEN, given); }

/* An array's digest, as those in events: what it held is in the log then. 0: it is empty. */
static int64_t array(const int *value, int n, bool truth)
{
	int64_t wide[HB__ARRAY_MAX];
	uint64_t h = (uint64_t)n * UINT64_C(0xd6e8feb86659fd93) + UINT64_C(0xa0761d6478bd642f);
	if (n <= 0)
		return 0;
	for (int i = 0; i < n; i++) {
		int64_t v = truth ? value[i] != 0 : value[i];
		h = (h ^ (uint64_t)v) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
		if (i < HB__ARRAY_MAX)
			wide[i] = v;
	}
	h = h >> 1 | UINT64_C(1) << 40; /* not one of those that stand in events: these have 32 bits */
	if (n <= HB__ARRAY_MAX)
		hb__define_array(h, wide, n);
	return (int64_t)h;
}

/* ---- arguments ---- */

static void say_grid(struct hb__call *c)
{
	int n = (int)c->a[1];
	const int *dims = (const int *)c->a[2], *periods = (const int *)c->a[3];
	struct hb_remark_given g = untold;
	if (n <= 0 || n > DIMS_MOST || !dims || !periods)
		return;
	g.dims = array(dims, n, false);
	g.periods = array(periods, n, true);
	tell(c, &g);
}

static void say_part_of_grid(struct hb__call *c)
{
	int n = 0, kind = MPI_UNDEFINED;
	const int *remain = (const int *)c->a[1];
	if (!remain || !hb__comm_find(c->a[0]) || PMPI(Topo_test)((MPI_Comm)c->a[0], &kind) != MPI_SUCCESS ||
		kind != MPI_CART || PMPI(Cartdim_get)((MPI_Comm)c->a[0], &n) != MPI_SUCCESS)
		return;
	struct hb_remark_given g = untold;
	g.remain_dims = array(remain, n, true);
	tell(c, &g);
}

static void say_graph(struct hb__call *c)
{
	int n = (int)c->a[1];
	struct hb__comm *comm = hb__comm_find(c->a[0]);
	const int *index = (const int *)c->a[2], *edges = (const int *)c->a[3];
	if (!comm || n <= 0 || n > comm->size || !index)
		return;
	for (int i = 0; i < n; i++) /* what else it is, another finding says */
		if (index[i] < (i ? index[i - 1] : 0))
			return;
	if (!edges && index[n - 1])
		return;
	struct hb_remark_given g = untold;
	g.index = array(index, n, false);
	g.edges = array(edges, index[n - 1], false);
	tell(c, &g);
}

static const char *weighted(uintptr_t weights)
{
	return weights && weights == (uintptr_t)hb__known.unweighted ? "MPI_UNWEIGHTED" : weights ? "given" : NULL;
}

static void say_neighbors(struct hb__call *c)
{
	int in = (int)c->a[1], out = (int)c->a[4];
	const int *sources = (const int *)c->a[2], *destinations = (const int *)c->a[5];
	if (in < 0 || out < 0 || (in && !sources) || (out && !destinations))
		return;
	struct hb_remark_given g = untold;
	g.sources = array(sources, in, false);
	g.destinations = array(destinations, out, false);
	g.weights = weighted(in ? c->a[3] : out ? c->a[6] : 0);
	tell(c, &g);
}

/* Its members, by their rank in the world. */
static void say_group(struct hb__call *c)
{
	MPI_Group group = (MPI_Group)c->a[1], world;
	int n = group == hb__known.group_empty ? 0 : hb__group_size((uintptr_t)group);
	int *rank = n > 0 ? calloc((size_t)n * 2, sizeof *rank) : NULL;
	struct hb_remark_given g = untold;
	g.group = 0;
	if (!n)
		tell(c, &g);
	if (!rank || PMPI(Comm_group)(hb__known.comm_world, &world) != MPI_SUCCESS) {
		free(rank);
		return;
	}
	for (int i = 0; i < n; i++)
		rank[n + i] = i;
	if (PMPI(Group_translate_ranks)(group, n, rank + n, world, rank) == MPI_SUCCESS) {
		g.group = array(rank, n, false);
		tell(c, &g);
	}
	PMPI(Group_free)(&world);
	free(rank);
}

static void say_amode(int amode, char *ret, size_t size)
{
	static const struct {
		int bit;
		const char *name;
	} bits[] = {{MPI_MODE_RDONLY, "RDONLY"}, {MPI_MODE_RDWR, "RDWR"}, {MPI_MODE_WRONLY, "WRONLY"},
		{MPI_MODE_CREATE, "CREATE"}, {MPI_MODE_EXCL, "EXCL"}, {MPI_MODE_DELETE_ON_CLOSE, "DELETE_ON_CLOSE"},
		{MPI_MODE_UNIQUE_OPEN, "UNIQUE_OPEN"}, {MPI_MODE_SEQUENTIAL, "SEQUENTIAL"},
		{MPI_MODE_APPEND, "APPEND"}};
	size_t n = 0;
	*ret = 0;
	for (size_t i = 0; i < sizeof bits / sizeof *bits && n < size; i++)
		if (amode & bits[i].bit)
			n += (size_t)snprintf(ret + n, size - n, "%sMPI_MODE_%s", n ? "|" : "", bits[i].name);
	if (!n)
		snprintf(ret, size, "%d", amode);
}

/* The file as it is named from /, without what stands before a colon (ufs:name); "" when that is not known. */
static void say_file(const char *name, char ret[PATH_MAX])
{
	char folder[PATH_MAX], last[PATH_MAX], whole[PATH_MAX];
	*ret = 0;
	if (!name || strlen(name) >= sizeof folder - 1)
		return;
	const char *colon = strchr(name, ':');
	name = colon && colon > name + 1 ? colon + 1 : name;
	if (realpath(name, ret)) /* a link may have another name there */
		return;
	*ret = 0;
	snprintf(folder, sizeof folder, "%s", name);
	snprintf(last, sizeof last, "%s", name);
	if (realpath(dirname(folder), whole))
		snprintf(ret, PATH_MAX, "%.*s/%.*s", PATH_MAX / 2, strcmp(whole, "/") != 0 ? whole : "", PATH_MAX / 3,
			basename(last));
}

static void say_open(struct hb__call *c)
{
	char amode[160], file[PATH_MAX];
	say_amode((int)c->a[2], amode, sizeof amode);
	say_file((const char *)c->a[1], file);
	struct hb_remark_given g = untold;
	g.amode = amode;
	g.text = strlen(file) <= 300 ? file : NULL;
	tell(c, &g);
}

static void say_view(struct hb__call *c)
{
	const struct hb__typemap *map = hb__typemap((MPI_Datatype)c->a[2]);
	const char *rep = (const char *)c->a[4];
	char text[100];
	struct hb_remark_given g = untold;
	if (map)
		g.extent = map->extent;
	if (rep) {
		snprintf(text, sizeof text, "%s", rep);
		g.text = text;
	}
	tell(c, &g);
}

static void say_in_place(struct hb__call *c)
{
	bool in_place = (const void *)hb__arg(c, HB_R_SBUF) == MPI_IN_PLACE;
	struct hb_remark_given g = untold;
	g.sendbuf = in_place ? "MPI_IN_PLACE" : "given";
	tell(c, &g);
}

static void say_number(struct hb__call *c, enum hb_tells given)
{
	int value = (int)c->a[given == HB_TELLS_FILE_SEEK ? 2 : 1];
	struct hb_remark_given g = untold;
	char number[16];
	snprintf(number, sizeof number, "%d", value);
	if (given == HB_TELLS_FILE_SEEK)
		g.whence = value == MPI_SEEK_SET   ? "MPI_SEEK_SET"
			   : value == MPI_SEEK_CUR ? "MPI_SEEK_CUR"
						   : "MPI_SEEK_END";
	else if (given == HB_TELLS_SPLIT_TYPE && value == MPI_COMM_TYPE_SHARED)
		g.split_type = "MPI_COMM_TYPE_SHARED";
	else if (given == HB_TELLS_SPLIT_TYPE && value != MPI_UNDEFINED)
		g.split_type = number;
	else
		return;
	tell(c, &g);
}

static void say(struct hb__call *c, enum hb_tells given)
{
	struct hb_remark_given g = untold;
	switch (given) {
	case HB_TELLS_IN_PLACE:
		say_in_place(c);
		break;
	case HB_TELLS_CART:
		say_grid(c);
		break;
	case HB_TELLS_CART_SUB:
		say_part_of_grid(c);
		break;
	case HB_TELLS_GRAPH:
		say_graph(c);
		break;
	case HB_TELLS_DIST_GRAPH:
		g.weights = weighted(c->a[5]);
		if (g.weights && (int)c->a[1] > 0)
			tell(c, &g);
		break;
	case HB_TELLS_ADJACENT:
		say_neighbors(c);
		break;
	case HB_TELLS_GROUP:
		say_group(c);
		break;
	case HB_TELLS_FILE_OPEN:
		say_open(c);
		break;
	case HB_TELLS_FENCE:
		g.no_precede = (int)c->a[0] & MPI_MODE_NOPRECEDE ? "given" : "no";
		g.no_succeed = (int)c->a[0] & MPI_MODE_NOSUCCEED ? "given" : "no";
		tell(c, &g);
		break;
	case HB_TELLS_FILE_VIEW:
		say_view(c);
		break;
	default:
		say_number(c, given);
	}
}

void hb__check_given(struct hb__call *c)
{
	/* in a loop the first ones tell enough */
	if (unlikely(c->fn->means->tells) && hb__remark_wanted(HB_REMARK_GIVEN, hb__check_site(c)))
		say(c, (enum hb_tells)c->fn->means->tells);
}

/* ---- neighbours ---- */

static bool grid(MPI_Comm handle, int n, int *in, int *out)
{
	for (int i = 0; i < n / 2; i++) {
		int from, to;
		if (PMPI(Cart_shift)(handle, i, 1, &from, &to) != MPI_SUCCESS)
			return false;
		in[2 * i] = out[2 * i] = from;
		in[2 * i + 1] = out[2 * i + 1] = to;
	}
	return true;
}

/* Ranks in the communicator, in the order of the buffers; those that are not there as HB_PROC_NULL. */
void hb__check_topology(MPI_Comm handle, const struct hb__comm *comm)
{
	static int in[HB__ARRAY_MAX], out[HB__ARRAY_MAX], weights[2][HB__ARRAY_MAX]; /* under the lock of track/ */
	int kind = MPI_UNDEFINED, n = comm->neighbors_in, m = comm->neighbors_out;
	bool known = false;
	if (n < 0 || m < 0 || n > HB__ARRAY_MAX || m > HB__ARRAY_MAX || PMPI(Topo_test)(handle, &kind) != MPI_SUCCESS)
		return;
	if (kind == MPI_CART) {
		known = grid(handle, n, in, out);
	} else if (kind == MPI_GRAPH) {
		known = PMPI(Graph_neighbors)(handle, comm->rank, n, in) == MPI_SUCCESS;
		memcpy(out, in, sizeof *in * (size_t)n);
	} else if (kind == MPI_DIST_GRAPH) {
		known = PMPI(Dist_graph_neighbors)(handle, n, in, weights[0], m, out, weights[1]) == MPI_SUCCESS;
	}
	if (!known)
		return;
	for (int i = 0; i < n; i++)
		in[i] = hb__neutral_rank(in[i]);
	for (int i = 0; i < m; i++)
		out[i] = hb__neutral_rank(out[i]);
	hb__remark_process(TOPOLOGY, NULL, .comm = comm->number,
		.kind = kind == MPI_CART    ? HB_NEIGHBORS_CART
			: kind == MPI_GRAPH ? HB_NEIGHBORS_GRAPH
					    : HB_NEIGHBORS_DIST_GRAPH,
		.sources = array(in, n, false), .destinations = array(out, m, false));
}
