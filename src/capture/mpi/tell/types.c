/* What a datatype tells of an array: subarrays, darrays and vectors of numbers. */
#include <string.h>

#include "capture/mpi/tell/tell.h"
#include "capture/mpi/track/track.h"
#include "capture/mpi/track/typeparts.h"

#define DEEP 8 /* names, resized types and the like around the one that counts */

static char kind_of(int basic)
{
	static const char *const names[] = {
#define HB_DATATYPE(name) #name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	};
	static const struct {
		const char *name;
		char kind;
	} kinds[] = {{"FLOAT", 'r'}, {"DOUBLE", 'r'}, {"REAL", 'r'}, {"REAL4", 'r'}, {"REAL8", 'r'},
		{"DOUBLE_PRECISION", 'r'}, {"COMPLEX", 'c'}, {"COMPLEX8", 'c'}, {"COMPLEX16", 'c'},
		{"DOUBLE_COMPLEX", 'c'}, {"C_FLOAT_COMPLEX", 'c'}, {"C_DOUBLE_COMPLEX", 'c'},
		{"CXX_FLOAT_COMPLEX", 'c'}, {"CXX_DOUBLE_COMPLEX", 'c'}, {"INT", 'i'}, {"LONG", 'i'}, {"CHAR", 'i'},
		{"UNSIGNED_CHAR", 'i'}, {"SIGNED_CHAR", 'i'}, {"UNSIGNED_LONG", 'i'}, {"UNSIGNED", 'i'},
		{"LONG_LONG_INT", 'i'}, {"UNSIGNED_LONG_LONG", 'i'}, {"INTEGER", 'i'}, {"INTEGER1", 'i'},
		{"INTEGER4", 'i'}, {"INTEGER8", 'i'}, {"LOGICAL", 'i'}, {"INT8_T", 'i'}, {"UINT8_T", 'i'},
		{"INT32_T", 'i'}, {"UINT32_T", 'i'}, {"INT64_T", 'i'}, {"UINT64_T", 'i'}};
	for (size_t k = 0;
		basic >= 0 && (size_t)basic < sizeof names / sizeof *names && k < sizeof kinds / sizeof *kinds; k++)
		if (!strcmp(names[basic], kinds[k].name))
			return kinds[k].kind;
	return 0;
}

/* Elements of types that hbdb compare knows. */
static bool element_of(MPI_Datatype type, struct hb__spread_element *ret)
{
	const struct hb__type *t = hb__type_look((uintptr_t)type);
	ret->kind = kind_of(t->number);
	ret->bytes = t->size > 0 && t->size <= 16 ? (unsigned)t->size : 0;
	unsigned n = ret->bytes;
	return (ret->kind == 'r' && (n == 4 || n == 8)) || (ret->kind == 'c' && (n == 8 || n == 16)) ||
	       (ret->kind == 'i' && (n == 1 || n == 4 || n == 8));
}

/* A dimension more, that varies fastest: `n` elements in each place. */
static bool widen(struct hb__told_type *t, int64_t n)
{
	if (n == 1)
		return true;
	if (t->rank >= HB__SPREAD_DIMENSIONS)
		return false;
	int64_t *part[] = {t->sizes, t->start, t->count, t->block, t->over, t->place};
	unsigned at = t->columns ? 0 : t->rank;
	for (unsigned k = 0; k < sizeof part / sizeof *part; k++) {
		memmove(part[k] + at + 1, part[k] + at, (t->rank - at) * sizeof *part[k]);
		part[k][at] = k == 0 || k == 2 ? n : 0;
	}
	t->rank++;
	return true;
}

static bool box(struct hb__told_type *t, const int *i, int64_t elements)
{
	unsigned n = (unsigned)i[0];
	if (i[0] < 1 || n > HB__SPREAD_DIMENSIONS)
		return false;
	t->how = HB__TOLD_BOX;
	t->rank = n;
	t->columns = i[1 + 3 * n] == MPI_ORDER_FORTRAN;
	for (unsigned d = 0; d < n; d++) {
		t->sizes[d] = i[1 + d];
		t->count[d] = i[1 + n + d];
		t->start[d] = i[1 + 2 * n + d];
	}
	return widen(t, elements);
}

/* One dimension of a darray, of which this process is number `at` of `places`. False: it makes no sense. */
static bool share(struct hb__told_type *t, unsigned d, int64_t size, int how, int64_t arg, int64_t places, int64_t at)
{
	bool none = how == MPI_DISTRIBUTE_NONE, cyclic = how == MPI_DISTRIBUTE_CYCLIC;
	if (none)
		places = 1, at = 0;
	if (places < 1 || size < 1)
		return false;
	int64_t block = none ? size : arg != MPI_DISTRIBUTE_DFLT_DARG ? arg : cyclic ? 1 : (size + places - 1) / places;
	if (block < 1)
		return false;
	t->sizes[d] = size;
	if (cyclic && places > 1) {
		t->block[d] = block;
		t->over[d] = places;
		t->place[d] = at;
		for (int64_t first = at * block; first < size; first += block * places)
			t->count[d] += first + block > size ? size - first : block;
		return true;
	}
	t->start[d] = at * block < size ? at * block : size;
	t->count[d] = cyclic || size - t->start[d] < block ? size - t->start[d] : block;
	return true;
}

static bool shares(struct hb__told_type *t, const int *i, int64_t elements)
{
	int among = i[0], left = i[1];
	unsigned n = (unsigned)i[2];
	const int *sizes = i + 3, *how = sizes + n, *arg = how + n, *places = arg + n;
	if (i[2] < 1 || n > HB__SPREAD_DIMENSIONS)
		return false;
	t->how = HB__TOLD_SHARE;
	t->rank = n;
	t->columns = places[n] == MPI_ORDER_FORTRAN;
	for (unsigned d = 0; d < n; d++) { /* the grid of processes is in C order, whatever the array's is */
		among = places[d] > 0 ? among / places[d] : 0;
		if (among < 1 || !share(t, d, sizes[d], how[d], arg[d], places[d], left / among))
			return false;
		left %= among;
	}
	return widen(t, elements);
}

/* `n` times what `of` is, one behind the other. */
static bool repeat(struct hb__told_type *t, const struct hb__told_type *of, int64_t n)
{
	*t = *of;
	if (n == 1)
		return true;
	if (of->how != HB__TOLD_PIECES || of->blocks != 1)
		return false;
	t->length *= n;
	t->stride = t->length;
	return true;
}

static bool strided(
	struct hb__told_type *t, const struct hb__told_type *of, int64_t blocks, int64_t length, int64_t stride)
{
	if (of->how != HB__TOLD_PIECES || of->blocks != 1 || blocks < 1 || length < 1 || stride < length * of->length)
		return false;
	*t = *of;
	t->blocks = blocks;
	t->length = length * of->length;
	t->stride = stride;
	if (blocks == 1 || t->stride == t->length) { /* no holes */
		t->length *= blocks;
		t->blocks = 1;
		t->stride = t->length;
	}
	return true;
}

static bool look(MPI_Datatype type, struct hb__told_type *ret, int deep);

static bool combined(const struct hb__typeparts *p, struct hb__told_type *ret, int deep)
{
	struct hb__told_type of;
	if (p->nt != 1 || deep >= DEEP || !look(p->type[0], &of, deep + 1))
		return false;
	const int *i = p->integer;
	bool whole = of.how == HB__TOLD_PIECES && of.blocks == 1;
	ret->element = of.element;
	switch (p->combiner) {
	case MPI_COMBINER_DUP:
	case MPI_COMBINER_RESIZED:
		*ret = of;
		return true;
	case MPI_COMBINER_CONTIGUOUS:
		return repeat(ret, &of, i[0]);
	case MPI_COMBINER_VECTOR:
		return strided(ret, &of, i[0], i[1], i[2] * of.length);
	case MPI_COMBINER_HVECTOR:
		return p->address[0] % of.element.bytes == 0 &&
		       strided(ret, &of, i[0], i[1], p->address[0] / of.element.bytes);
	case MPI_COMBINER_SUBARRAY:
		return whole && box(ret, i, of.length);
	case MPI_COMBINER_DARRAY:
		return whole && shares(ret, i, of.length);
	default:
		return false;
	}
}

static bool look(MPI_Datatype type, struct hb__told_type *ret, int deep)
{
	struct hb__typeparts parts;
	*ret = (struct hb__told_type){.how = HB__TOLD_PIECES, .blocks = 1, .length = 1, .stride = 1};
	if (!hb__type_parts(type, &parts))
		return false;
	bool good = parts.named ? element_of(type, &ret->element) : combined(&parts, ret, deep);
	hb__type_parts_free(&parts);
	return good;
}

void hb__told_type(MPI_Datatype type, struct hb__told_type *ret)
{
	if (!look(type, ret, 0))
		ret->how = HB__TOLD_NOTHING;
}
