/* What a datatype consists of: asked of the library constructor by constructor, put together as the standard says, and
 * kept with the datatype. Repetitions are not walked through once a list is full; digests follow without them. */
#include <stdlib.h>
#include <string.h>

#include "capture/mpi/track/typeparts.h"

#define RUNS 4096u  /* of a type map; longer ones are not listed */
#define DEPTH 64    /* constructors inside of each other */
#define WORK 262144 /* pieces put together for one datatype */

void hb__shape_free(struct hb__shape *s)
{
	free(s->run);
	free(s->seq);
	*s = (struct hb__shape){0};
}

static bool grown(void **at, uint32_t n, uint32_t *room, size_t size)
{
	if (n < *room)
		return true;
	uint32_t more = *room ? 2 * *room : 8;
	void *p = realloc(*at, more * size);
	if (!p)
		return false;
	*at = p;
	*room = more;
	return true;
}

static void put_run(struct hb__shape *s, struct hb__typerun run)
{
	struct hb__typerun *last = s->n ? &s->run[s->n - 1] : NULL;
	if (last && last->basic == run.basic && (uint64_t)last->elements + run.elements <= UINT32_MAX &&
		last->offset + (int64_t)last->elements * hb__basic_extent(run.basic) == run.offset) {
		last->elements += run.elements;
		return;
	}
	if (s->n == RUNS || !grown((void **)&s->run, s->n, &s->room, sizeof *s->run))
		s->unlisted = true;
	else
		s->run[s->n++] = run;
}

static void put_seq(struct hb__shape *s, uint32_t basic, uint64_t elements)
{
	if (s->nseq && s->seq[s->nseq - 1].basic == basic)
		s->seq[s->nseq - 1].elements += elements;
	else if (s->nseq == HB__SIGNATURE_RUNS || !grown((void **)&s->seq, s->nseq, &s->seq_room, sizeof *s->seq))
		s->seq_full = true;
	else
		s->seq[s->nseq++] = (struct hb__signature_run){basic, elements};
}

static void add_runs(struct hb__shape *to, const struct hb__shape *from, int64_t at, int64_t count, int64_t stride)
{
	to->unlisted |= from->unlisted;
	if (from->n == 1 && !to->unlisted && from->run[0].elements <= UINT32_MAX / (uint64_t)count &&
		stride == (int64_t)from->run[0].elements * hb__basic_extent(from->run[0].basic)) {
		struct hb__typerun all = from->run[0];
		all.offset += at;
		all.elements *= (uint32_t)count;
		put_run(to, all);
		return;
	}
	for (int64_t k = 0; k < count && !to->unlisted; k++)
		for (uint32_t i = 0; i < from->n && !to->unlisted; i++) {
			struct hb__typerun run = from->run[i];
			run.offset += at + k * stride;
			put_run(to, run);
		}
}

void hb__shape_add(struct hb__shape *to, const struct hb__shape *from, int64_t at, int64_t count, int64_t stride)
{
	to->bad |= from->bad || ++to->work > WORK;
	if (to->bad || count <= 0 || !from->sum.elements)
		return;
	add_runs(to, from, at, count, stride);
	if (from->nseq == 1 && !from->seq_full && !to->seq_full)
		put_seq(to, from->seq[0].basic, from->seq[0].elements * (uint64_t)count);
	else
		for (int64_t k = 0; k < count && !to->seq_full; k++) {
			for (uint32_t i = 0; i < from->nseq && !to->seq_full; i++)
				put_seq(to, from->seq[i].basic, from->seq[i].elements);
			to->seq_full |= from->seq_full;
		}
	to->sum = hb_signature_then(to->sum, hb_signature_repeat(from->sum, (uint64_t)count));
}

/* ---- predefined datatypes ---- */

static int32_t basic_extents[HB__BASICS]; /* 0: not asked for yet */
static int32_t basic_sizes[HB__BASICS];   /* smaller where there are holes: pairs */

int64_t hb__basic_extent(uint32_t basic) { return basic < HB__BASICS ? basic_extents[basic] : 0; }
int64_t hb__basic_size(uint32_t basic) { return basic < HB__BASICS ? basic_sizes[basic] : 0; }

void hb__shape_basic(struct hb__shape *s, MPI_Datatype handle, uint32_t basic)
{
	if (basic >= HB__BASICS) {
		s->bad = true;
		return;
	}
	if (!basic_extents[basic]) {
		MPI_Count lb = 0, extent = 0, size = 0;
		PMPI(Type_get_extent_x)(handle, &lb, &extent);
		PMPI(Type_size_x)(handle, &size);
		basic_sizes[basic] = (int32_t)size;
		basic_extents[basic] = (int32_t)extent;
	}
	s->extent = basic_extents[basic];
	put_run(s, (struct hb__typerun){0, basic, 1});
	put_seq(s, basic, 1);
	s->sum = hb_signature_one(basic);
}

static void named(struct hb__shape *s, MPI_Datatype handle)
{
	const struct hb__type *t = hb__type_at((uintptr_t)handle);
	MPI_Count size = 0;
	if (t && t->number >= 0 && t->number < HB__BASICS)
		hb__shape_basic(s, handle, (uint32_t)t->number);
	else if (PMPI(Type_size_x)(handle, &size) != MPI_SUCCESS || size)
		s->bad = true; /* MPI_LB and MPI_UB have no size and say nothing but the extent */
}

/* ---- derived ones ---- */

void hb__shape_of(struct hb__shape *s, MPI_Datatype handle, int depth)
{
	struct hb__typeparts p;
	MPI_Count lb = 0, extent = 0;
	if (depth > DEPTH || !hb__type_parts(handle, &p)) {
		s->bad = true;
		return;
	}
	if (p.named)
		named(s, handle);
	else
		hb__shape_combine(s, handle, &p, depth);
	hb__type_parts_free(&p);
	if (PMPI(Type_get_extent_x)(handle, &lb, &extent) != MPI_SUCCESS)
		s->bad = true;
	s->extent = extent;
}

/* ---- entries that share a byte ---- */

#define AGAIN_WORK 20000 /* comparisons of an element with those after it */

struct extent { /* bytes that a run covers */
	int64_t low, high;
};

static int by_low(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

/* Whether an element that lies so many bytes behind meets the first one; both in order, none of which overlaps itself. */
static bool meets(const struct extent *e, uint32_t n, int64_t behind)
{
	for (uint32_t i = 0, k = 0; i < n && k < n;) {
		int64_t low = e[k].low + behind, high = e[k].high + behind;
		if (e[i].low < high && low < e[i].high)
			return true;
		if (e[i].high <= low)
			i++;
		else
			k++;
	}
	return false;
}

static void find_again(struct hb__typemap *m, const struct extent *e)
{
	int64_t step = m->extent < 0 ? -m->extent : m->extent, span = m->true_extent;
	if (!step)
		m->again = m->n ? 1 : 0;
	for (int64_t k = 1; step && k * step < span && !m->again; k++) {
		if (k * (int64_t)m->n > AGAIN_WORK)
			return;
		m->again = meets(e, m->n, k * step) ? k : 0;
	}
}

static void find_twice(struct hb__typemap *m)
{
	struct extent *e = m->exact && m->n ? malloc(m->n * sizeof *e) : NULL;
	for (uint32_t i = 0; e && i < m->n; i++) {
		uint32_t basic = m->run[i].basic;
		e[i].low = m->run[i].offset; /* of a pair not more than it covers for sure */
		e[i].high = e[i].low + ((int64_t)m->run[i].elements - 1) * basic_extents[basic] + basic_sizes[basic];
	}
	if (e)
		qsort(e, m->n, sizeof *e, by_low);
	int64_t end = e ? e[0].high : 0;
	for (uint32_t i = 1; e && i < m->n && !m->twice; i++) {
		m->twice = e[i].low < end;
		m->twice_at = e[i].low;
		end = e[i].high;
	}
	if (e && !m->twice)
		find_again(m, e);
	free(e);
}

/* ---- kept with the datatype ---- */

/* Size and bounds are the library's own word, for MPI_Type_create_resized and padding make them differ from what the parts say. */
static struct hb__typemap *made(MPI_Datatype handle, const struct hb__shape *s)
{
	MPI_Count size = 0, lb = 0, extent = 0, true_lb = 0, true_extent = 0;
	bool listed = !s->unlisted && !s->bad;
	uint32_t n = listed ? s->n : 0, nseq = s->bad ? 0 : s->nseq;
	struct hb__typemap *m = malloc(sizeof *m + n * sizeof *m->run + nseq * sizeof *m->seq);
	if (!m)
		return NULL;
	PMPI(Type_size_x)(handle, &size);
	PMPI(Type_get_extent_x)(handle, &lb, &extent);
	PMPI(Type_get_true_extent_x)(handle, &true_lb, &true_extent);
	*m = (struct hb__typemap){.size = size,
		.lb = lb,
		.extent = extent,
		.true_lb = true_lb,
		.true_extent = true_extent,
		.signature = s->bad ? 0 : s->sum.digest,
		.elements = s->bad ? 0 : s->sum.elements,
		.known = !s->bad,
		.exact = listed,
		.n = n,
		.nseq = nseq};
	if (n)
		memcpy(m->run, s->run, n * sizeof *m->run);
	m->seq = (struct hb__signature_run *)(m->run + n);
	if (nseq)
		memcpy(m->seq, s->seq, nseq * sizeof *m->seq);
	find_twice(m);
	return m;
}

static const struct hb__typemap *map_of(struct hb__type *t, MPI_Datatype handle)
{
	if (!t->map) {
		struct hb__shape s = {0};
		hb__shape_of(&s, handle, 0);
		t->map = made(handle, &s);
		hb__shape_free(&s);
	}
	return t->map;
}

const struct hb__typemap *hb__typemap(MPI_Datatype handle)
{
	hb__track_lock();
	struct hb__type *t = hb__type_at((uintptr_t)handle);
	const struct hb__typemap *m = t ? map_of(t, handle) : NULL;
	hb__track_unlock();
	return m;
}

struct hb__typemap *hb__typemap_of_copy(MPI_Datatype handle)
{
	struct hb__type t = {.number = -1};
	hb__track_lock();
	map_of(&t, handle);
	hb__track_unlock();
	return t.map;
}

void hb__typemap_define(struct hb__type *t, MPI_Datatype handle)
{
	const struct hb__typemap *m = map_of(t, handle);
	if (!m || !m->known)
		return;
	for (uint32_t i = 0; i < m->nseq; i++)
		hb__type_tell(m->seq[i].basic);
	hb__define_signature(t->number, m->elements, m->signature, m->seq, m->nseq);
}

void hb__typemap_drop(struct hb__type *t)
{
	free(t->map);
	t->map = NULL;
}
