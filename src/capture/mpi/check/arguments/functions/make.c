/* Arguments of the constructors of datatypes, beside counts. */
#include "capture/mpi/check/arguments/look.h"

static void wrong(struct hb__look *l, const char *name, int place, int64_t value, const char *text)
{
	int i = hb__find_param(l, name);
	if (i >= 0)
		hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)i, place, value, "%s", text);
}

static int64_t number(const struct hb__look *l, const char *name)
{
	int i = hb__find_param(l, name);
	return i >= 0 ? hb__value(l, (unsigned)i) : 0;
}

static void order(struct hb__look *l)
{
	int64_t v = hb__value(l, (unsigned)hb__find_kind(l, HB_P_ORDER));
	if (v != MPI_ORDER_C && v != MPI_ORDER_FORTRAN)
		wrong(l, "order", -1, v, "it has to be MPI_ORDER_C or MPI_ORDER_FORTRAN");
}

static void subarray(struct hb__look *l)
{
	int sizes = hb__find_param(l, "array_of_sizes"), subs = hb__find_param(l, "array_of_subsizes"),
	    starts = hb__find_param(l, "array_of_starts");
	int64_t n = number(l, "ndims");
	if (n <= 0)
		wrong(l, "ndims", -1, n, "an array has at least one dimension");
	order(l);
	const uintptr_t *a = l->c->a;
	for (int64_t k = 0; k < n && a[sizes] && a[subs] && a[starts] && !l->faulty; k++) {
		int64_t size = hb__element(l, (unsigned)sizes, k), sub = hb__element(l, (unsigned)subs, k),
			start = hb__element(l, (unsigned)starts, k);
		if (size < 1)
			wrong(l, "array_of_sizes", (int)k, size, "a dimension has at least one element");
		else if (sub < 1 || sub > size)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)subs, (int)k, sub,
				"the array has %lld elements in this dimension", (long long)size);
		else if (start < 0 || start > size - sub)
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)starts, (int)k, start,
				"%lld elements from there on are not inside the %lld of this dimension", (long long)sub,
				(long long)size);
	}
}

static void darray(struct hb__look *l)
{
	int64_t n = number(l, "ndims"), size = number(l, "size"), rank = number(l, "rank"), product = 1;
	int psizes = hb__find_param(l, "array_of_psizes"), gsizes = hb__find_param(l, "array_of_gsizes");
	if (n <= 0)
		wrong(l, "ndims", -1, n, "an array has at least one dimension");
	if (size <= 0)
		wrong(l, "size", -1, size, "there is at least one process");
	else if (rank < 0 || rank >= size)
		wrong(l, "rank", -1, rank, "it has to be from 0 up to size - 1");
	order(l);
	for (int64_t k = 0; k < n && l->c->a[psizes] && l->c->a[gsizes] && !l->faulty; k++) {
		product *= hb__element(l, (unsigned)psizes, k);
		if (hb__element(l, (unsigned)gsizes, k) < 1)
			wrong(l, "array_of_gsizes", (int)k, hb__element(l, (unsigned)gsizes, k),
				"a dimension has at least one element");
	}
	if (!l->faulty && product != size)
		wrong(l, "size", -1, size, "it has to be the product of array_of_psizes");
}

static void contents(struct hb__look *l)
{
	static const char *const names[] = {"max_integers", "max_addresses", "max_datatypes"};
	MPI_Datatype type = (MPI_Datatype)hb__arg(l->c, HB_R_TYPE);
	int needs[3], combiner;
	if (hb__type_look((uintptr_t)type)->number == HB_NONE ||
		PMPI(Type_get_envelope)(type, &needs[0], &needs[1], &needs[2], &combiner) != MPI_SUCCESS)
		return;
	if (combiner == MPI_COMBINER_NAMED) {
		hb__fault(l, HB_REMARK_ARG_TYPE, (unsigned)hb__role(l->c, HB_R_TYPE), -1, hb__type_text(type),
			"a predefined datatype has no contents");
		return;
	}
	for (int k = 0; k < 3; k++) {
		int i = hb__find_param(l, names[k]);
		if (i >= 0 && hb__value(l, (unsigned)i) < needs[k])
			hb__fault_number(l, HB_REMARK_ARG_VALUE, (unsigned)i, -1, hb__value(l, (unsigned)i),
				"MPI_Type_get_envelope says %d", needs[k]);
	}
}

void hb__look_constructor(struct hb__look *l)
{
	if (l->faulty)
		return;
	if (hb__find_kind(l, HB_P_ORDER) >= 0)
		hb__find_param(l, "array_of_starts") >= 0 ? subarray(l) : darray(l);
	else if (hb__find_kind(l, HB_P_NEWTYPES) >= 0 && hb__find_param(l, "max_large_counts") < 0)
		contents(l); /* of large counts MPI_Type_get_envelope does not tell */
}
