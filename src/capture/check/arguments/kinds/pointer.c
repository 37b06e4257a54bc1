/* Null pointers where the library is to put a result. */
#include "capture/check/arguments/look.h"

/* Numbers that come back one at a time; arrays may be null where they are empty. */
static bool single(const struct hb__look *l, unsigned i)
{
	static const char *const names[] = {"rank", "size", "result", "newrank", "rank_source", "rank_dest", "ndims",
		"nneighbors", "nnodes", "nedges", "indegree", "outdegree", "weighted", "comm_keyval", "type_keyval",
		"win_keyval", "keyval", "errorclass", "errorcode", "count", "num_integers", "num_addresses",
		"num_datatypes", "combiner", "position", "commute", "nkeys", "resultlen", "version", "subversion",
		"provided", "status", "amode", "disp_unit", "valuelen", "lb", "extent", "true_lb", "true_extent",
		"address", "offset", "disp", "displacement"};
	for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
		if (hb__named(l, i, names[k]))
			return true;
	return false;
}

static bool array_is_empty(const struct hb__look *l, unsigned i)
{
	return hb__has(l->c, HB_R_NREQ) && (int)hb__arg(l->c, HB_R_NREQ) <= 0 && hb__kind(l, i) != HB_P_FLAG;
}

static bool needed(const struct hb__look *l, unsigned i)
{
	switch (hb__kind(l, i)) {
	case HB_P_NEWTYPE:
	case HB_P_TYPEPTR:
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
		return single(l, i);
	case HB_P_CSTR:
		return hb__named(l, i, "filename") || hb__named(l, i, "key") || hb__named(l, i, "value") ||
		       hb__named(l, i, "comm_name") || hb__named(l, i, "type_name") || hb__named(l, i, "win_name");
	case HB_P_PTR:
		return hb__named(l, i, "attribute_val") && hb__function_has(l, "get");
	default:
		return false;
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
		return "a result has to go there";
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
