/* Bytes that a number of datatypes covers, in a few runs. */
#include "capture/mpi/check/windows/windows.h"

#include "capture/mpi/family/family.h"

static int64_t basic_size(uint32_t basic)
{
	uintptr_t handle;
	return hb__predefined_type(basic, &handle) ? hb__type_look(handle)->size : -1;
}

/* Behind the last run when it follows it, or as a further one. */
static bool append(struct hb__flat *f, int64_t offset, int64_t length)
{
	struct hb__run *last = f->n ? &f->run[f->n - 1] : NULL;
	if (!length)
		return true;
	if (last && last->count == 1 && last->offset + last->length == offset) {
		last->length += length;
		return true;
	}
	if (last && last->length == length) {
		int64_t stride = offset - last->offset;
		if (last->count == 1 && stride > length) {
			last->stride = stride;
			last->count = 2;
			return true;
		}
		if (last->count > 1 && offset == last->offset + last->count * last->stride) {
			last->count++;
			return true;
		}
	}
	if (f->n == HB__RUNS)
		return false;
	f->run[f->n++] = (struct hb__run){offset, length, 1, 0};
	return true;
}

static void bounds(struct hb__flat *f, int64_t count, int64_t lb, int64_t extent, int64_t true_lb, int64_t true_extent)
{
	(void)lb;
	int64_t last = (count - 1) * extent, from = true_lb + (last < 0 ? last : 0);
	int64_t to = true_lb + true_extent + (last > 0 ? last : 0);
	f->exact = false;
	f->n = 1;
	f->run[0] = (struct hb__run){from, to - from, 1, 0};
}

static void by_map(const struct hb__typemap *m, int64_t count, struct hb__flat *ret)
{
	ret->bytes = m->size * count;
	ret->signature = m->signature;
	bool fits = m->exact && m->known;
	for (uint32_t i = 0; i < m->n && m->exact; i++) {
		int32_t basic = (int32_t)m->run[i].basic;
		ret->basic = !i || ret->basic == basic ? basic : -1;
	}
	if (fits && m->n == 1) { /* the usual vector of pieces, without going through all of them */
		int64_t length = basic_size(m->run[0].basic) * m->run[0].elements;
		bool dense = length == m->extent || count == 1;
		ret->n = 1;
		ret->run[0] = dense ? (struct hb__run){m->run[0].offset, length * count, 1, 0}
				    : (struct hb__run){m->run[0].offset, length, count, m->extent};
		fits = length > 0 && (dense || m->extent > length);
	} else {
		for (int64_t k = 0; k < count && fits; k++)
			for (uint32_t i = 0; i < m->n && fits; i++)
				fits = k < 4096 && append(ret, k * m->extent + m->run[i].offset,
							   basic_size(m->run[i].basic) * m->run[i].elements);
	}
	if (!fits)
		bounds(ret, count, m->lb, m->extent, m->true_lb, m->true_extent);
}

/* Where `count` elements lie, from exact to rough: predefined, by the datatype's map, dense, or no more than the bounds. */
void hb__flatten(uintptr_t type, int64_t count, struct hb__flat *ret)
{
	const struct hb__type *t = hb__type_look(type);
	*ret = (struct hb__flat){.exact = true, .basic = -1};
	if (count <= 0 || t->number == HB_NONE || t->size < 0)
		return;
	ret->bytes = t->size * count;
	if (t->number < 1024) {
		ret->basic = t->number;
		ret->n = 1;
		ret->run[0] = (struct hb__run){0, t->size * count, 1, 0};
		MPI_Count lb = 0, extent = 0;
		if (!t->dense && PMPI(Type_get_extent_x)((MPI_Datatype)type, &lb, &extent) == MPI_SUCCESS && count > 1)
			ret->run[0] = (struct hb__run){0, t->size, count, extent};
		return;
	}
	const struct hb__typemap *m = hb__typemap((MPI_Datatype)type);
	if (m) {
		by_map(m, count, ret);
		return;
	}
	if (t->dense) {
		ret->n = 1;
		ret->run[0] = (struct hb__run){0, t->size * count, 1, 0};
		return;
	}
	MPI_Count lb = 0, extent = 0, true_lb = 0, true_extent = 0;
	if (PMPI(Type_get_extent_x)((MPI_Datatype)type, &lb, &extent) == MPI_SUCCESS &&
		PMPI(Type_get_true_extent_x)((MPI_Datatype)type, &true_lb, &true_extent) == MPI_SUCCESS)
		bounds(ret, count, lb, extent, true_lb, true_extent);
}
