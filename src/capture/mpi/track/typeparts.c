/* The constructors of datatypes: what the library says of them, and which pieces they lay where (MPI 4.0, 5.1). */
#include <stdlib.h>
#include <string.h>

#include "capture/mpi/track/typeparts.h"
#include "capture/mpi/family/family.h"

/* ---- asking ---- */

/* Those that are handed out as they are: not to be freed. */
static bool born(int combiner)
{
	return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
	       combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

bool hb__type_parts(MPI_Datatype handle, struct hb__typeparts *ret)
{
	*ret = (struct hb__typeparts){0};
	if (hb__type_has_large_counts(handle) ||
		PMPI(Type_get_envelope)(handle, &ret->ni, &ret->na, &ret->nt, &ret->combiner) != MPI_SUCCESS)
		return false;
	if (ret->combiner == MPI_COMBINER_NAMED) {
		ret->named = true;
		ret->ni = ret->na = ret->nt = 0;
		return true;
	}
	ret->integer = calloc((size_t)ret->ni + 1, sizeof *ret->integer);
	ret->address = calloc((size_t)ret->na + 1, sizeof *ret->address);
	ret->type = calloc((size_t)ret->nt + 1, sizeof *ret->type);
	if (!ret->integer || !ret->address || !ret->type ||
		PMPI(Type_get_contents)(handle, ret->ni, ret->na, ret->nt, ret->integer, ret->address, ret->type) !=
			MPI_SUCCESS) {
		ret->nt = 0;
		hb__type_parts_free(ret);
		return false;
	}
	return true;
}

void hb__type_parts_free(struct hb__typeparts *p)
{
	for (int i = 0; i < p->nt; i++) {
		int ni, na, nt, combiner = MPI_COMBINER_NAMED;
		if (hb__type_has_large_counts(p->type[i]))
			combiner = MPI_COMBINER_DUP; /* whatever: it is derived */
		else
			PMPI(Type_get_envelope)(p->type[i], &ni, &na, &nt, &combiner);
		if (!born(combiner))
			PMPI(Type_free)(&p->type[i]);
	}
	free(p->integer);
	free(p->address);
	free(p->type);
	*p = (struct hb__typeparts){0};
}

/* ---- putting together ---- */

/* `blocks` blocks of `length` elements, every `stride` bytes. */
static void strided(struct hb__shape *s, const struct hb__shape *t, int64_t blocks, int64_t length, int64_t stride)
{
	struct hb__shape block = {0};
	hb__shape_add(&block, t, 0, length, t->extent);
	hb__shape_add(s, &block, 0, blocks, stride);
	hb__shape_free(&block);
}

/* Blocks of one datatype, each with its displacement. length NULL: all have the same. */
static void indexed(struct hb__shape *s, const struct hb__shape *t, int n, const int *length, int same,
	const int *elements, const MPI_Aint *bytes)
{
	for (int i = 0; i < n && !s->bad; i++)
		hb__shape_add(s, t, bytes ? bytes[i] : elements[i] * t->extent, length ? length[i] : same, t->extent);
}

static void structure(struct hb__shape *s, const struct hb__typeparts *p, int depth)
{
	int n = p->integer[0];
	for (int i = 0; i < n && i < p->nt && !s->bad; i++) {
		struct hb__shape t = {0};
		hb__shape_of(&t, p->type[i], depth + 1);
		hb__shape_add(s, &t, p->address[i], p->integer[1 + i], t.extent);
		hb__shape_free(&t);
	}
}

/* From the dimension that varies fastest on, what is there is repeated along the next. */
static void subarray(struct hb__shape *s, const struct hb__shape *t, const int *i)
{
	int dims = i[0];
	const int *sizes = i + 1, *sub = sizes + dims, *start = sub + dims;
	bool c_order = start[dims] == MPI_ORDER_C;
	struct hb__shape part = {0};
	hb__shape_add(&part, t, 0, 1, 0);
	int64_t step = t->extent;
	for (int k = 0; k < dims; k++) {
		int d = c_order ? dims - 1 - k : k;
		struct hb__shape next = {0};
		hb__shape_add(&next, &part, start[d] * step, sub[d], step);
		hb__shape_free(&part);
		part = next;
		step *= sizes[d];
	}
	hb__shape_add(s, &part, 0, 1, 0);
	hb__shape_free(&part);
}

/* One dimension of a distributed array: the blocks that belong to place `at` of `places`. */
static void distributed(struct hb__shape *to, const struct hb__shape *part, int size, int how, int arg, int places,
	int at, int64_t step)
{
	int64_t block = how == MPI_DISTRIBUTE_NONE                  ? size
			: arg != MPI_DISTRIBUTE_DFLT_DARG           ? arg
			: how == MPI_DISTRIBUTE_BLOCK && places > 0 ? (size + places - 1) / places
								    : 1;
	if (how == MPI_DISTRIBUTE_NONE)
		places = 1, at = 0;
	if (block <= 0 || places <= 0) {
		to->bad = true;
		return;
	}
	for (int64_t first = at * block; first < size && !to->bad; first += block * places)
		hb__shape_add(to, part, first * step, first + block > size ? size - first : block, step);
}

static void darray(struct hb__shape *s, const struct hb__shape *t, const int *i)
{
	int ranks = i[0], rank = i[1], dims = i[2];
	const int *sizes = i + 3, *how = sizes + dims, *arg = how + dims, *places = arg + dims;
	bool c_order = places[dims] == MPI_ORDER_C;
	int at[64], left = rank, among = ranks;
	if (dims < 1 || dims > 64) {
		s->bad = true;
		return;
	}
	for (int d = 0; d < dims; d++) { /* the grid of processes is in C order, whatever the array's is */
		among = places[d] > 0 ? among / places[d] : 0;
		at[d] = among > 0 ? left / among : 0;
		left = among > 0 ? left % among : 0;
	}
	struct hb__shape part = {0};
	hb__shape_add(&part, t, 0, 1, 0);
	int64_t step = t->extent;
	for (int k = 0; k < dims; k++) {
		int d = c_order ? dims - 1 - k : k;
		struct hb__shape next = {0};
		distributed(&next, &part, sizes[d], how[d], arg[d], places[d], at[d], step);
		next.bad |= part.bad;
		hb__shape_free(&part);
		part = next;
		step *= sizes[d];
	}
	hb__shape_add(s, &part, 0, 1, 0);
	hb__shape_free(&part);
}

/* Types by precision and range count as the ones of their size. */
static void by_precision(struct hb__shape *s, MPI_Datatype handle, int combiner)
{
	static const struct {
		int combiner, size;
		const char *name;
	} kinds[] = {{MPI_COMBINER_F90_REAL, 4, "REAL4"}, {MPI_COMBINER_F90_REAL, 8, "REAL8"},
		{MPI_COMBINER_F90_REAL, 16, "REAL16"}, {MPI_COMBINER_F90_COMPLEX, 8, "COMPLEX8"},
		{MPI_COMBINER_F90_COMPLEX, 16, "COMPLEX16"}, {MPI_COMBINER_F90_COMPLEX, 32, "COMPLEX32"},
		{MPI_COMBINER_F90_INTEGER, 1, "INTEGER1"}, {MPI_COMBINER_F90_INTEGER, 2, "INTEGER2"},
		{MPI_COMBINER_F90_INTEGER, 4, "INTEGER4"}, {MPI_COMBINER_F90_INTEGER, 8, "INTEGER8"}};
	static const char *const names[] = {
#define HB_DATATYPE(name) #name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	};
	MPI_Count size = 0;
	PMPI(Type_size_x)(handle, &size);
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
			if (kinds[k].combiner == combiner && kinds[k].size == size &&
				!strcmp(kinds[k].name, names[i])) {
				hb__shape_basic(s, handle, i);
				return;
			}
	s->bad = true;
}

static void of_one_type(struct hb__shape *s, const struct hb__shape *t, const struct hb__typeparts *p)
{
	const int *i = p->integer;
	const MPI_Aint *a = p->address;
	switch (p->combiner) {
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		hb__shape_add(s, t, 0, 1, 0);
		break;
	case MPI_COMBINER_CONTIGUOUS:
		hb__shape_add(s, t, 0, i[0], t->extent);
		break;
	case MPI_COMBINER_VECTOR:
		strided(s, t, i[0], i[1], i[2] * t->extent);
		break;
	case MPI_COMBINER_HVECTOR:
		strided(s, t, i[0], i[1], a[0]);
		break;
	case MPI_COMBINER_INDEXED:
		indexed(s, t, i[0], i + 1, 0, i + 1 + i[0], NULL);
		break;
	case MPI_COMBINER_HINDEXED:
		indexed(s, t, i[0], i + 1, 0, NULL, a);
		break;
	case MPI_COMBINER_INDEXED_BLOCK:
		indexed(s, t, i[0], NULL, i[1], i + 2, NULL);
		break;
	case MPI_COMBINER_HINDEXED_BLOCK:
		indexed(s, t, i[0], NULL, i[1], NULL, a);
		break;
	case MPI_COMBINER_SUBARRAY:
		subarray(s, t, i);
		break;
	case MPI_COMBINER_DARRAY:
		darray(s, t, i);
		break;
	default: /* the forms of MPI-1 for Fortran, which mpi.h of today does not name, do not come from a C library */
		s->bad = true;
	}
}

void hb__shape_combine(struct hb__shape *s, MPI_Datatype handle, const struct hb__typeparts *p, int depth)
{
	if (p->combiner == MPI_COMBINER_F90_REAL || p->combiner == MPI_COMBINER_F90_COMPLEX ||
		p->combiner == MPI_COMBINER_F90_INTEGER) {
		by_precision(s, handle, p->combiner);
		return;
	}
	if (p->combiner == MPI_COMBINER_STRUCT) {
		structure(s, p, depth);
		return;
	}
	struct hb__shape t = {0};
	if (p->nt == 1)
		hb__shape_of(&t, p->type[0], depth + 1);
	t.bad |= p->nt != 1;
	of_one_type(s, &t, p);
	s->bad |= t.bad;
	hb__shape_free(&t);
}
