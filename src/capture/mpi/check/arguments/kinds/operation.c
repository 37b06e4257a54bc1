/* Operations that are not defined for a datatype: the tables of MPI 4.0, 6.9.2 and 6.9.4. */
#include "capture/mpi/check/arguments/look.h"

enum { /* groups of predefined datatypes */
	C_INTEGER = 1,
	FORTRAN_INTEGER = 2,
	FLOATING = 4,
	LOGICAL = 8,
	COMPLEX = 16,
	BYTE = 32,
	MULTI = 64, /* MPI_AINT, MPI_OFFSET, MPI_COUNT */
	PAIR = 128,
	TEXT = 256, /* MPI_CHAR and its kin: no operation at all */
	PACKED = 512,
};

static const struct {
	const char *name;
	unsigned group;
} groups[] = {{"INT", C_INTEGER}, {"LONG", C_INTEGER}, {"SHORT", C_INTEGER}, {"UNSIGNED_SHORT", C_INTEGER},
	{"UNSIGNED", C_INTEGER}, {"UNSIGNED_LONG", C_INTEGER}, {"LONG_LONG_INT", C_INTEGER},
	{"UNSIGNED_LONG_LONG", C_INTEGER}, {"SIGNED_CHAR", C_INTEGER}, {"UNSIGNED_CHAR", C_INTEGER},
	{"INT8_T", C_INTEGER}, {"INT16_T", C_INTEGER}, {"INT32_T", C_INTEGER}, {"INT64_T", C_INTEGER},
	{"UINT8_T", C_INTEGER}, {"UINT16_T", C_INTEGER}, {"UINT32_T", C_INTEGER}, {"UINT64_T", C_INTEGER},
	{"INTEGER", FORTRAN_INTEGER}, {"INTEGER1", FORTRAN_INTEGER}, {"INTEGER2", FORTRAN_INTEGER},
	{"INTEGER4", FORTRAN_INTEGER}, {"INTEGER8", FORTRAN_INTEGER}, {"FLOAT", FLOATING}, {"DOUBLE", FLOATING},
	{"LONG_DOUBLE", FLOATING}, {"REAL", FLOATING}, {"REAL4", FLOATING}, {"REAL8", FLOATING}, {"REAL16", FLOATING},
	{"DOUBLE_PRECISION", FLOATING}, {"LOGICAL", LOGICAL}, {"C_BOOL", LOGICAL}, {"CXX_BOOL", LOGICAL},
	{"COMPLEX", COMPLEX}, {"COMPLEX8", COMPLEX}, {"COMPLEX16", COMPLEX}, {"COMPLEX32", COMPLEX},
	{"DOUBLE_COMPLEX", COMPLEX}, {"C_FLOAT_COMPLEX", COMPLEX}, {"C_DOUBLE_COMPLEX", COMPLEX},
	{"C_LONG_DOUBLE_COMPLEX", COMPLEX}, {"CXX_FLOAT_COMPLEX", COMPLEX}, {"CXX_DOUBLE_COMPLEX", COMPLEX},
	{"CXX_LONG_DOUBLE_COMPLEX", COMPLEX}, {"BYTE", BYTE}, {"AINT", MULTI}, {"OFFSET", MULTI}, {"COUNT", MULTI},
	{"FLOAT_INT", PAIR}, {"DOUBLE_INT", PAIR}, {"LONG_DOUBLE_INT", PAIR}, {"LONG_INT", PAIR}, {"SHORT_INT", PAIR},
	{"2INT", PAIR}, {"2REAL", PAIR}, {"2DOUBLE_PRECISION", PAIR}, {"2INTEGER", PAIR}, {"CHAR", TEXT},
	{"WCHAR", TEXT}, {"CHARACTER", TEXT}, {"PACKED", PACKED}};

static const char *const operations[] = {
#define HB_OPERATION(op) "MPI_" #op,
#include "calls/operations.def"
#undef HB_OPERATION
};

/* MPI_LAND and its kin are not defined for MPI_AINT, but nobody minds. */
static unsigned allowed_for(const char *op, const char **ret_text)
{
	const char *name = op + 4;
	if (!strcmp(name, "MAX") || !strcmp(name, "MIN")) {
		*ret_text = "integers and floating point numbers";
		return C_INTEGER | FORTRAN_INTEGER | FLOATING | MULTI;
	}
	if (!strcmp(name, "SUM") || !strcmp(name, "PROD")) {
		*ret_text = "integers, floating point and complex numbers";
		return C_INTEGER | FORTRAN_INTEGER | FLOATING | COMPLEX | MULTI;
	}
	if (name[0] == 'L') {
		*ret_text = "C integers and logical values";
		return C_INTEGER | LOGICAL | MULTI;
	}
	if (name[0] == 'B') {
		*ret_text = "integers and MPI_BYTE";
		return C_INTEGER | FORTRAN_INTEGER | BYTE | MULTI;
	}
	*ret_text = "pairs like MPI_2INT or MPI_DOUBLE_INT";
	return PAIR; /* MAXLOC, MINLOC */
}

static unsigned group_of(MPI_Datatype type)
{
	const char *name = hb__type_text(type) + 4;
	for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strcmp(groups[i].name, name))
			return groups[i].group;
	return 0;
}

/* A datatype that a constructor made, not one that is predefined under another handle. */
static bool derived(MPI_Datatype type)
{
	const struct hb__type *t = hb__type_look((uintptr_t)type);
	int integers, addresses, types, combiner;
	if (t->number == HB_NONE ||
		PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS)
		return false;
	return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_F90_REAL &&
	       combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

static void of_type(struct hb__look *l, unsigned i, const char *name, MPI_Datatype type, bool accumulates)
{
	const char *text;
	unsigned allowed = allowed_for(name, &text), group = group_of(type);
	if (group && !(group & allowed))
		hb__fault(l, HB_REMARK_ARG_OP, i, -1, name, "it is not defined for %s: it takes %s",
			hb__type_text(type), text);
	else if (!group && !accumulates && derived(type))
		hb__fault(l, HB_REMARK_ARG_OP, i, -1, name,
			"a predefined operation is not defined for a derived datatype");
}

void hb__look_operation(struct hb__look *l)
{
	int op = -1;
	for (unsigned i = 0; i < l->fn->nargs; i++)
		if (hb__kind(l, i) == HB_P_OP)
			op = (int)i;
	bool asked = hb__role(l->c, HB_R_TYPE) < 0; /* nothing is combined */
	if (l->faulty || op < 0 || asked || !hb__significant(l->c, (unsigned)op, l->comm))
		return;
	bool accumulates = l->fn->cls == HB_RMA, fetches = hb__fetches(l->fn);
	int number = hb__op_look(l->c->a[op]);
	if (number < 0) {
		if (accumulates)
			hb__fault(l, HB_REMARK_ARG_OP, (unsigned)op, -1, "user-defined",
				"one-sided calls take predefined operations only");
		return;
	}
	const char *name = operations[number];
	bool moves = !strcmp(name, "MPI_REPLACE") || !strcmp(name, "MPI_NO_OP");
	if (moves && !accumulates)
		hb__fault(l, HB_REMARK_ARG_OP, (unsigned)op, -1, name, "it is for one-sided calls only");
	else if (accumulates && !strcmp(name, "MPI_NO_OP") && !fetches)
		hb__fault(l, HB_REMARK_ARG_OP, (unsigned)op, -1, name,
			"it is for MPI_Get_accumulate and MPI_Fetch_and_op only");
	if (!moves)
		of_type(l, (unsigned)op, name, (MPI_Datatype)hb__arg(l->c, HB_R_TYPE), accumulates);
}
