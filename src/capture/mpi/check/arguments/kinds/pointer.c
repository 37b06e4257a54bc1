/* Null pointers where the library is to put a result, or finds an array. */
#include "capture/mpi/check/arguments/look.h"

/* Numbers that come back one at a time; arrays may be null where they are empty. */
static bool single(const struct hb__look *l, unsigned i)
{
	static const char *const names[] = {"rank", "size", "result", "newrank", "rank_source", "rank_dest", "ndims",
		"nneighbors", "nnodes", "nedges", "indegree", "outdegree", "weighted", "errorclass", "errorcode",
		"count", "num_integers", "num_addresses", "num_datatypes", "combiner", "position", "commute", "nkeys",
		"resultlen", "version", "subversion", "provided", "status", "amode", "disp_unit", "valuelen", "lb",
		"extent", "true_lb", "true_extent", "address", "offset", "disp", "displacement"};
	for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
		if (hb__named(l, i, names[k]))
			return true;
	return false;
}

static bool array_is_empty(const struct hb__look *l, unsigned i)
{
	return hb__has(l->c, HB_R_NREQ) && (int)hb__arg(l->c, HB_R_NREQ) <= 0 && hb__kind(l, i) != HB_P_FLAG;
}

static int64_t number(const struct hb__look *l, const char *name)
{
	int i = hb__find_param(l, name);
	return i >= 0 ? hb__value(l, (unsigned)i) : 0;
}

/* Arrays by the parameter that says how long they are. A communicator says it of others (HB_P_PERDIM). */
static const struct {
	const char *array, *length;
} arrays[] = {{"ranks", "n"}, {"ranges", "n"}, {"ranks1", "n"}, {"ranks2", "n"}, {"dims", "ndims"}, {"dims", "maxdims"},
	{"periods", "ndims"}, {"periods", "maxdims"}, {"coords", "maxdims"}, {"index", "nnodes"}, {"sources", "n"},
	{"degrees", "n"}, {"sources", "indegree"}, {"destinations", "outdegree"}, {"sourceweights", "indegree"},
	{"destweights", "outdegree"}, {"array_of_blocklengths", "count"}, {"array_of_displacements", "count"},
	{"array_of_types", "count"}, {"array_of_sizes", "ndims"}, {"array_of_subsizes", "ndims"},
	{"array_of_starts", "ndims"}};

static bool has_dimensions(const struct hb__look *l)
{
	int what = MPI_UNDEFINED, dims = 0;
	MPI_Comm comm = (MPI_Comm)l->c->a[0];
	return l->comm && PMPI(Topo_test)(comm, &what) == MPI_SUCCESS && what == MPI_CART &&
	       PMPI(Cartdim_get)(comm, &dims) == MPI_SUCCESS && dims > 0;
}

static bool array_needed(const struct hb__look *l, unsigned i)
{
	if (l->fn->cls == HB_COLLECTIVE)
		return l->comm && hb__significant(l->c, i, l->comm) && hb__length(l, i) > 0;
	if (hb__kind(l, i) == HB_P_PERDIM)
		return has_dimensions(l);
	for (unsigned k = 0; k < sizeof arrays / sizeof *arrays; k++)
		if (hb__named(l, i, arrays[k].array) && number(l, arrays[k].length) > 0)
			return true;
	return false;
}

/* Whether NULL is wrong here. Arrays may be NULL when they are empty or not significant at this process; MPI_STATUS_IGNORE is NULL in
 * one library and an address in the other; names of process sets may be left out. */
static bool needed(const struct hb__look *l, unsigned i)
{
	switch (hb__kind(l, i)) {
	case HB_P_NEWTYPE:
	case HB_P_LENT:
	case HB_P_TYPEPTR:
	case HB_P_NEWKEYVAL:
	case HB_P_KEYVALPTR:
	case HB_P_PPTR:
	case HB_P_NEWCOMM:
	case HB_P_COMMPTR:
	case HB_P_OPPTR:
	case HB_P_WINPTR:
	case HB_P_FILEPTR:
	case HB_P_INFOPTR:
	case HB_P_GROUPPTR:
	case HB_P_ERRHPTR:
	case HB_P_NEWREQ:
	case HB_P_REQUEST:
	case HB_P_FLAG:
	case HB_P_INDEX:
	case HB_P_OUTCOUNT:
	case HB_P_NEWMSG:
	case HB_P_MESSAGE:
	case HB_P_STATUSIN:
		return true;
	case HB_P_REQS:
	case HB_P_INDICES:
		return !array_is_empty(l, i);
	case HB_P_STATUS:
		return MPI_STATUS_IGNORE != NULL;
	case HB_P_STATUSES:
		return MPI_STATUSES_IGNORE != NULL && !array_is_empty(l, i);
	case HB_P_INTPTR:
	case HB_P_AINTPTR:
	case HB_P_CNTPTR:
	case HB_P_OFFSETPTR:
		return single(l, i) || array_needed(l, i);
	case HB_P_STR:
		return (!hb__named(l, i, "value") || number(l, "valuelen") > 0) && !hb__named(l, i, "pset_name");
	case HB_P_CSTR:
		return hb__named(l, i, "filename") || hb__named(l, i, "datarep") || hb__named(l, i, "key") ||
		       hb__named(l, i, "value") || hb__named(l, i, "comm_name") || hb__named(l, i, "type_name") ||
		       hb__named(l, i, "win_name");
	default:
		return hb__is_array(hb__kind(l, i)) && array_needed(l, i);
	}
}

static const char *what_of(unsigned kind)
{
	switch (kind) {
	case HB_P_REQS:
		return "there are requests to look at";
	case HB_P_REQUEST:
	case HB_P_MESSAGE:
	case HB_P_TYPEPTR:
	case HB_P_COMMPTR:
		return "it has to point to a handle";
	case HB_P_CSTR:
		return "it has to be a string";
	case HB_P_STATUSIN:
		return "it has to be the status of a completed operation";
	case HB_P_STATUS:
	case HB_P_STATUSES:
		return "who wants no status gives MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE, which is not NULL in this library";
	default:
		return hb__is_array(kind) ? "there has to be an array" : "a result has to go there";
	}
}

void hb__look_pointers(struct hb__look *l)
{
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		uintptr_t v = l->c->a[i];
		if (!v && needed(l, i))
			hb__fault(l, HB_REMARK_ARG_POINTER, i, -1, "NULL", "%s", what_of(hb__kind(l, i)));
		else if (hb__kind(l, i) == HB_P_STATUSIN && v == (uintptr_t)MPI_STATUS_IGNORE)
			hb__fault(l, HB_REMARK_ARG_POINTER, i, -1, "MPI_STATUS_IGNORE", "%s", what_of(HB_P_STATUSIN));
	}
}
