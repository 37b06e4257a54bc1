/* Values that were read and written since the last point, element by element.
 *
 * An element that several threads of a process write between two points - the variable of a reduction, a counter - has other values on the way for
 * every number of threads, and is not compared there; what is read of it behind the point is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "rules/reference/inside.h"

/* What stood there before a write is not compared: it may be what nobody wrote. Who reads it is. */
static bool is_element(const hb_access *a) { return a->kind == HB_TRACE_READ || a->kind == HB_TRACE_AFTER; }

static uint64_t mixed(uint64_t h, uint64_t more)
{
	h = (h ^ more) * 0x9E3779B97F4A7C15u;
	return h ^ h >> 29;
}

/* The element of an array, by its global index; of an array of which each process has one of its own, by process too. Two have the same hash
 * with a probability of about 2^-64. */
static uint64_t cell_of(const hb_access *a, uint32_t array)
{
	int64_t index[HB_DIMENSIONS] = {0};
	bool owned;
	uint64_t h = mixed(array + 1, 0);
	if (!a->shape->tiled || (a->shape->flags & HB_TRACE_ARRAY_OWN))
		return mixed(mixed(h, a->element), a->process);
	hb_array_index(&a->shape->as, (int64_t)a->element, index, &owned);
	for (unsigned d = 0; d < a->shape->as.rank; d++)
		h = mixed(h, (uint64_t)index[d]);
	return h;
}

static uint64_t key_of(const hb_access *a, uint64_t cell)
{
	uint64_t h = mixed(mixed(cell, a->kind), a->n);
	for (unsigned i = 0; i < a->n; i++)
		h = mixed(h, (uint64_t)a->iteration[i]);
	return h;
}

/* Arrays of the run are looked up among those of the reference; the numbers are those of r->known. */
static bool number_of(hb_reference *r, const hb_array_shape *s, const hb_array_shape **ret_last, uint32_t *number)
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

/* ---- elements that several threads write ---- */

struct written {
	uint64_t cell; /* 0: free */
	uint32_t process, thread;
	uint64_t value; /* of the first read */
	bool writes;    /* else it was only read so far */
};
struct cells {
	struct written *at;
	size_t n, room; /* a power of 2 */
};

static struct written *find(const struct cells *c, uint64_t cell, uint32_t process)
{
	size_t i = (size_t)mixed(cell, process) & (c->room - 1);
	while (c->at[i].cell && (c->at[i].cell != cell || c->at[i].process != process))
		i = (i + 1) & (c->room - 1);
	return &c->at[i];
}

static bool grow(struct cells *c)
{
	struct cells more = {.room = c->room ? 2 * c->room : 4096};
	if (2 * (c->n + 1) <= c->room)
		return true;
	if (!(more.at = calloc(more.room, sizeof *more.at)))
		return false;
	for (size_t i = 0; i < c->room; i++)
		if (c->at[i].cell)
			*find(&more, c->at[i].cell, c->at[i].process) = c->at[i];
	more.n = c->n;
	free(c->at);
	*c = more;
	return true;
}

static uint64_t value_of(const hb_access *a)
{
	uint64_t value = 0;
	memcpy(&value, a->value, a->bytes < sizeof value ? a->bytes : sizeof value);
	return value;
}

static void mark(struct cells *shared, uint64_t cell)
{
	struct written *s = find(shared, cell, 0);
	shared->n += !s->cell;
	*s = (struct written){.cell = cell};
}

/* Adds to `shared`, which has no processes, what several threads of one write; and of which several threads read other values though no write is
 * told: compilers update the variable of a reduction by atomic operations that they do not tell of. */
static bool share(const struct hb__keyed *k, size_t n, struct cells *shared)
{
	struct cells seen = {0};
	bool good = true, several = false;
	for (size_t i = 0; i < n && !several; i++)
		several = k[i].access->thread != 0;
	for (size_t i = 0; several && good && i < n; i++) {
		const hb_access *a = k[i].access;
		bool writes = a->kind != HB_TRACE_READ;
		if (a->kind == HB_TRACE_AFTER)
			continue;
		good = grow(&seen) && grow(shared);
		struct written *w = good ? find(&seen, k[i].cell, a->process) : NULL;
		if (!w)
			break;
		if (!w->cell) {
			*w = (struct written){k[i].cell, a->process, a->thread, value_of(a), writes};
			seen.n++;
		} else if (writes && !w->writes) {
			w->writes = true;
			w->thread = a->thread;
		} else if (w->thread != a->thread && (writes || (!w->writes && w->value != value_of(a)))) {
			mark(shared, k[i].cell);
		}
	}
	free(seen.at);
	return good;
}

/* ---- matching ---- */

static int order(const void *a, const void *b)
{
	const struct hb__keyed *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
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

/* The accesses of a run that can be compared. False: out of memory. */
static bool collect(hb_reference *r, unsigned side, size_t *ret_n)
{
	const hb_step *s = &r->step[side];
	const hb_array_shape *last = NULL;
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
		uint64_t cell = cell_of(a, number);
		r->keyed[side][n++] = (struct hb__keyed){key_of(a, cell), cell, number, a};
	}
	*ret_n = n;
	return true;
}

static size_t without_shared(hb_reference *r, unsigned side, size_t n, const struct cells *shared)
{
	struct hb__keyed *k = r->keyed[side];
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (!find(shared, k[i].cell, 0)->cell)
			k[kept++] = k[i];
		else if (side == HB_OF_RUN)
			r->sum.shared++;
	return kept;
}

/* Of each array of the reference the root mean square of its finite values, in known.rms. */
static void scales(hb_reference *r, size_t n)
{
	for (size_t i = 0; i < r->knowns; i++)
		r->known[i].squares = r->known[i].values = 0;
	for (size_t i = 0; i < n; i++) {
		const struct hb__keyed *k = &r->keyed[HB_OF_REFERENCE][i];
		double v = hb__number(k->access->shape->as.type, k->access->value);
		if (isfinite(v)) {
			r->known[k->array].squares += v * v;
			r->known[k->array].values++;
		}
	}
}

static double scale_of(const struct hb__known *k) { return k->values > 0 ? sqrt(k->squares / k->values) : 0; }

/* Whether x is earlier in its run than y: as far as each of its processes had come. */
static bool earlier(const hb_access *x, const hb_access *y)
{
	for (unsigned i = 0; i < x->n && i < y->n; i++)
		if (x->process != y->process && x->iteration[i] != y->iteration[i])
			return x->iteration[i] < y->iteration[i];
	return x < y;
}

/* The first difference of an array that had none before goes first. */
static void differs(
	hb_reference *r, const struct hb__keyed *a, const struct hb__keyed *b, double scale, hb_reference_difference *d)
{
	bool again = r->known[a->array].differed;
	d->differing++;
	if (d->value[0] && (again != d->again ? again : !earlier(a->access, d->value[0])))
		return;
	d->value[0] = a->access;
	d->value[1] = b->access;
	d->scale = scale;
	d->again = again;
	r->first_array = a->array;
}

/* A write that the other run has not: the earliest of each run. */
static void missing(const struct hb__keyed *k, unsigned side, hb_reference_difference *only)
{
	const hb_access *a = k->access;
	if (a->kind != HB_TRACE_AFTER)
		return;
	only[side].differing++;
	if (!only[side].value[side] || earlier(a, only[side].value[side]))
		only[side].value[side] = a;
}

/* All of one key: those of the first thread of the reference against those of each thread of the run. */
static void group(hb_reference *r, const struct hb__keyed *a, size_t as, const struct hb__keyed *b, size_t bs,
	hb_reference_difference *d, hb_reference_difference *only)
{
	size_t first = 1;
	double scale = scale_of(&r->known[a->array]);
	while (first < as && same_thread(a, &a[first]))
		first++;
	size_t most = 0;
	for (size_t i = 0, k = 0; i < bs; i++, k++) {
		if (i && !same_thread(&b[i - 1], &b[i]))
			k = 0;
		if (k >= first) {
			r->sum.unmatched++;
			missing(&b[i], HB_OF_RUN, only);
			continue;
		}
		most = k + 1 > most ? k + 1 : most;
		const hb_access *x = a[k].access, *y = b[i].access;
		r->sum.values++;
		if (x->shape->as.type != y->shape->as.type ||
			hb__values_differ(r, x->shape->as.type, x->value, y->value, scale))
			differs(r, &a[k], &b[i], scale, d);
	}
	for (; most < first; most++) {
		r->sum.unmatched++;
		missing(&a[most], HB_OF_REFERENCE, only);
	}
}

static void merge(hb_reference *r, size_t as, size_t bs, hb_reference_difference *d, hb_reference_difference *only)
{
	const struct hb__keyed *a = r->keyed[0], *b = r->keyed[1];
	for (size_t i = 0, k = 0; i < as || k < bs;) {
		if (i == as || k == bs || a[i].key != b[k].key) {
			bool of_a = k == bs || (i < as && a[i].key < b[k].key);
			r->sum.unmatched++;
			missing(of_a ? &a[i] : &b[k], of_a ? HB_OF_REFERENCE : HB_OF_RUN, only);
			i += of_a;
			k += !of_a;
			continue;
		}
		size_t ie = i + 1, ke = k + 1;
		while (ie < as && a[ie].key == a[i].key)
			ie++;
		while (ke < bs && b[ke].key == b[k].key)
			ke++;
		group(r, a + i, ie - i, b + k, ke - k, d, only);
		i = ie;
		k = ke;
	}
}

/* Both runs' accesses, in order. False: out of memory. */
static bool ready(hb_reference *r, size_t ret_n[2])
{
	struct cells shared = {0};
	bool good = collect(r, HB_OF_REFERENCE, &ret_n[0]) && collect(r, HB_OF_RUN, &ret_n[1]);
	for (unsigned side = 0; good && side < 2; side++)
		good = share(r->keyed[side], ret_n[side], &shared);
	for (unsigned side = 0; good && side < 2; side++) {
		if (shared.n)
			ret_n[side] = without_shared(r, side, ret_n[side], &shared);
		qsort(r->keyed[side], ret_n[side], sizeof *r->keyed[side], order);
	}
	free(shared.at);
	return good;
}

/* It may be no mistake - an element of which several processes have a copy is written by each of them in its own way - and so is no difference. */
static void tell_only(hb_reference *r, hb_reference_difference *only)
{
	for (unsigned side = 0; side < 2; side++) {
		hb_reference_difference *d = &only[side];
		const hb_access *a = d->value[side];
		if (!a || r->told_only[side])
			continue;
		r->told_only[side] = true;
		d->side = side;
		d->shape[side] = a->shape;
		d->process[side] = a->process;
		d->number[side] = hb__number(a->shape->as.type, a->value);
		hb__reference_tell(r, d);
	}
}

bool hb__reference_values(hb_reference *r)
{
	size_t n[2];
	if (!r->step[0].accesses || !r->step[1].accesses)
		return true;
	if (!ready(r, n))
		return false;
	if (!n[0] || !n[1])
		return true;
	hb_reference_difference d = hb__difference(r, HB_REFERENCE_VALUE);
	scales(r, n[0]);
	hb_reference_difference only[2] = {hb__difference(r, HB_REFERENCE_ONLY), hb__difference(r, HB_REFERENCE_ONLY)};
	merge(r, n[0], n[1], &d, only);
	if (!d.differing) {
		tell_only(r, only);
		return true;
	}
	const hb_access *x = d.value[0], *y = d.value[1];
	d.shape[0] = x->shape;
	d.shape[1] = y->shape;
	d.process[0] = x->process;
	d.process[1] = y->process;
	d.number[0] = hb__number(x->shape->as.type, x->value);
	d.number[1] = hb__number(y->shape->as.type, y->value);
	d.correct = r->sum.last;
	r->known[r->first_array].differed = true;
	hb__reference_tell(r, &d);
	return true;
}
