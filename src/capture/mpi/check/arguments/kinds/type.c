/* Datatypes that a call works with: committed where data is moved. */
#include "capture/mpi/check/arguments/look.h"

const char *hb__type_text(MPI_Datatype handle)
{
	static const char *const names[] = {
#define HB_DATATYPE(name) "MPI_" #name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	};
	int number = hb__type_look((uintptr_t)handle)->number;
	return number >= 0 && number < (int)(sizeof names / sizeof *names) ? names[number] : "a derived datatype";
}

/* Functions that only ask about a datatype, or build on it, take any. */
static bool moves_data(const struct hb__look *l)
{
	switch (l->fn->cls) {
	case HB_SEND:
	case HB_RECV:
	case HB_COLLECTIVE:
	case HB_RMA:
		return true;
	case HB_IO:
		return true;
	default:
		return l->fn->means->does == HB_DOES_PACK || l->fn->means->does == HB_DOES_UNPACK ||
		       l->fn->means->does == HB_DOES_COMBINE;
	}
}

static void committed(struct hb__look *l, unsigned i, int place, MPI_Datatype handle)
{
	const struct hb__type *t = hb__type_look((uintptr_t)handle);
	if (t->number == HB_NONE || t->committed)
		return;
	l->type = hb__type_find((uintptr_t)handle)->number; /* the call uses it in a moment */
	hb__fault(l, HB_REMARK_ARG_UNCOMMITTED, i, place, "derived", "MPI_Type_commit was not called on it");
	l->type = 0;
}

void hb__look_types(struct hb__look *l)
{
	if (l->lost || !moves_data(l))
		return;
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		unsigned kind = hb__kind(l, i);
		if ((kind != HB_P_DTYPE && kind != HB_P_DTYPES) || !hb__significant(l->c, i, l->comm) || !l->c->a[i])
			continue;
		if (kind == HB_P_DTYPE) {
			committed(l, i, -1, (MPI_Datatype)l->c->a[i]);
			continue;
		}
		const MPI_Datatype *types = (const MPI_Datatype *)l->c->a[i];
		int n = hb__length(l, i);
		for (int k = 0; k < n; k++)
			if (l->c->a[i - 2] && hb__element(l, i - 2, k))
				committed(l, i, k, types[k]);
	}
}
