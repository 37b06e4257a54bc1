/* Values that were read and written since the last point, element by element. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/reference/inside.h"

/* What stood there before a write is not compared: it may be what nobody wrote. Who reads it is. */
static bool is_element(const hb_access *a) { return a->kind == HB_TRACE_READ || a->kind == HB_TRACE_AFTER; }

/* A hash of the global index: two indices of one array have the same one with a probability of about 2^-64. */
static uint64_t index_of(const hb_access *a)
{
	int64_t index[HB_DIMENSIONS] = {0};
	bool owned;
	if (!a->shape->tiled || (a->shape->flags & HB_TRACE_ARRAY_OWN))
		return a->element * 0x9E3779B97F4A7C15u ^ a->process; /* each process has one of its own */
	hb_array_index(&a->shape->as, (int64_t)a->element, index, &owned);
	uint64_t h = 0;
	for (unsigned d = 0; d < a->shape->as.rank; d++) {
		h = (h ^ (uint64_t)index[d]) * 0x9E3779B97F4A7C15u;
		h ^= h >> 29;
	}
	return h;
}

/* Arrays of the run are looked up among those of the reference; the numbers are those of r->known. */
static bool number_of(hb_reference *r, const hb_shape *s, const hb_shape **ret_last, uint32_t *number)
{
	if (s == *ret_last)
		return true;
	*ret_last = s;
	for (size_t i = 0; i < r->knowns; i++)
		if (hb__alike(&r->known[i].shape->id, &s->id) && r->known[i].process == HB_NO - 1) {
			*number = (uint32_t)i;
			return true;
		}
	/* in a row of their own: there the line does not matter */
	if (!HB_GROW(r->known, r->knowns_room, r->knowns + 1))
		return false;
	r->known[r->knowns] = (struct hb__known){.shape = s, .process = HB_NO - 1};
	*number = (uint32_t)r->knowns++;
	return true;
}

/* By what is matched; then by process, thread and order. */
static int order(const struct hb__keyed *a, const struct hb__keyed *b)
{
	const hb_access *x = a->access, *y = b->access;
	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	for (unsigned i = 0; i < x->n; i++)
		if (x->iteration[i] != y->iteration[i])
			return x->iteration[i] < y->iteration[i] ? -1 : 1;
	return 0;
}

static int whole_order(const void *a, const void *b)
{
	const struct hb__keyed *x = a, *y = b;
	int by_key = order(x, y);
	if (by_key)
		return by_key;
	if (x->access->process != y->access->process)
		return x->access->process < y->access->process ? -1 : 1;
	if (x->access->thread != y->access->thread)
		return x->access->thread < y->access->thread ? -1 : 1;
	return x->access < y->access ? -1 : x->access > y->access;
}

static bool same_thread(const struct hb__keyed *a, const struct hb__keyed *b)
{
	return a->access->process == b->access->process && a->access->thread == b->access->thread;
}

/* The accesses of a run, in whole_order. False: out of memory. */
static bool sorted(hb_reference *r, unsigned side, size_t *ret_n)
{
	const hb_step *s = &r->step[side];
	const hb_shape *last = NULL;
	uint32_t number = 0;
	size_t n = 0;
	bool as_many = hb_points_processes(r->points[HB_OF_REFERENCE]) == hb_points_processes(r->points[HB_OF_RUN]);
	if (!HB_GROW(r->keyed[side], r->keyeds_room[side], s->accesses + 1))
		return false;
	for (size_t i = 0; i < s->accesses; i++) {
		const hb_access *a = &s->access[i];
		if (!is_element(a) || (!as_many && a->shape->flags & HB_TRACE_ARRAY_OWN))
			continue;
		if (!number_of(r, a->shape, &last, &number))
			return false;
		r->keyed[side][n++] = (struct hb__keyed){number, index_of(a), a};
	}
	qsort(r->keyed[side], n, sizeof *r->keyed[side], whole_order);
	*ret_n = n;
	return true;
}

/* Of an array of the reference: the root mean square of its finite values, of elements [i, end). */
static double scale_of(const struct hb__keyed *k, size_t i, size_t n)
{
	double sum = 0;
	uint64_t count = 0;
	for (size_t j = i; j < n && k[j].array == k[i].array; j++) {
		double v = hb__number(k[j].access->shape->as.type, k[j].access->value);
		if (isfinite(v)) {
			sum += v * v;
			count++;
		}
	}
	return count ? sqrt(sum / (double)count) : 0;
}

/* Whether x is earlier in its run than y: as far as each of its processes had come. */
static bool earlier(const hb_access *x, const hb_access *y)
{
	for (unsigned i = 0; i < x->n && i < y->n; i++)
		if (x->process != y->process && x->iteration[i] != y->iteration[i])
			return x->iteration[i] < y->iteration[i];
	return x < y;
}

/* All of one key: those of the first thread of the reference against those of each thread of the run. */
static void group(hb_reference *r, const struct hb__keyed *a, size_t as, const struct hb__keyed *b, size_t bs,
	double scale, hb_reference_difference *d)
{
	size_t first = 1;
	while (first < as && same_thread(a, &a[first]))
		first++;
	for (size_t i = 0, k = 0; i < bs; i++, k++) {
		if (i && !same_thread(&b[i - 1], &b[i]))
			k = 0;
		if (k >= first) {
			r->sum.unmatched++;
			continue;
		}
		const hb_access *x = a[k].access, *y = b[i].access;
		r->sum.values++;
		if (x->shape->as.type == y->shape->as.type &&
			!hb__values_differ(r, x->shape->as.type, x->value, y->value, scale))
			continue;
		d->differing++;
		if (!d->value[0] || earlier(x, d->value[0])) {
			d->value[0] = x;
			d->value[1] = y;
			d->scale = scale;
		}
	}
}

static void merge(hb_reference *r, size_t as, size_t bs, hb_reference_difference *d)
{
	const struct hb__keyed *a = r->keyed[0], *b = r->keyed[1];
	uint32_t array = HB_NO;
	double scale = 0;
	for (size_t i = 0, k = 0; i < as || k < bs;) {
		int c = i == as ? 1 : k == bs ? -1 : order(&a[i], &b[k]);
		if (c) {
			r->sum.unmatched++;
			i += c < 0;
			k += c > 0;
			continue;
		}
		if (a[i].array != array) {
			array = a[i].array;
			size_t from = i;
			while (from && a[from - 1].array == array)
				from--;
			scale = scale_of(a, from, as);
		}
		size_t ie = i + 1, ke = k + 1;
		while (ie < as && !order(&a[i], &a[ie]))
			ie++;
		while (ke < bs && !order(&b[k], &b[ke]))
			ke++;
		group(r, a + i, ie - i, b + k, ke - k, scale, d);
		i = ie;
		k = ke;
	}
}

bool hb__reference_values(hb_reference *r)
{
	size_t as, bs;
	if (!r->step[0].accesses || !r->step[1].accesses)
		return true;
	if (!sorted(r, HB_OF_REFERENCE, &as) || !sorted(r, HB_OF_RUN, &bs))
		return false;
	if (!as || !bs)
		return true;
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_VALUE);
	merge(r, as, bs, &d);
	if (!d.differing)
		return true;
	const hb_access *x = d.value[0], *y = d.value[1];
	d.shape[0] = x->shape;
	d.shape[1] = y->shape;
	d.process[0] = x->process;
	d.process[1] = y->process;
	d.number[0] = hb__number(x->shape->as.type, x->value);
	d.number[1] = hb__number(y->shape->as.type, y->value);
	d.correct = r->sum.last;
	hb__reference_tell(r, &d);
	return true;
}
