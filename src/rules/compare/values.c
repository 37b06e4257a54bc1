/* Two contents, value by value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define AT_ONCE 1024u

/* Bytes of one real number of a value. */
static uint64_t real_bytes(const hb_log *log, const hb_value *v)
{
	const hb_datatype *type = v->datatype == HB_NO ? NULL : hb_log_datatype(log, v->datatype);
	uint64_t size = type ? type->size : 8;
	return v->kind != HB_VALUE_PAIR ? size : v->second == HB_VALUE_REAL ? size / 2 : size - 4;
}

/* Where a number stands among those that can be represented: neighbours differ by one. */
static double place_of(double v, uint64_t bytes)
{
	if (bytes == 4) {
		float f = (float)v;
		int32_t i;
		memcpy(&i, &f, sizeof i);
		return i < 0 ? -(double)(i & INT32_MAX) : (double)i;
	}
	int64_t i;
	memcpy(&i, &v, sizeof i);
	return i < 0 ? -(double)(i & INT64_MAX) : (double)i;
}

/* The distance in the places of doubles has to be taken before it is rounded. */
static double ulps_between(double a, double b, uint64_t bytes)
{
	int64_t i, k;
	if (bytes == 4)
		return fabs(place_of(a, 4) - place_of(b, 4));
	memcpy(&i, &a, sizeof i);
	memcpy(&k, &b, sizeof k);
	if ((i < 0) == (k < 0))
		return i > k ? (double)((uint64_t)i - (uint64_t)k) : (double)((uint64_t)k - (uint64_t)i);
	return fabs(place_of(a, 8) - place_of(b, 8));
}

struct distance {
	double absolute, relative, ulps;
};

static struct distance between(double a, double b, uint64_t bytes)
{
	struct distance d = {0, 0, 0};
	if (a == b || (isnan(a) && isnan(b)))
		return d;
	d.absolute = fabs(a - b);
	if (!isfinite(a) || !isfinite(b))
		return (struct distance){INFINITY, INFINITY, INFINITY};
	d.relative = d.absolute / fmax(fabs(a), fabs(b));
	d.ulps = ulps_between(a, b, bytes);
	return d;
}

static bool within(const struct distance *d, const hb_tolerance *t)
{
	return t->any && (d->absolute <= t->absolute || d->relative <= t->relative || d->ulps <= t->ulps);
}

static void largest(hb_values_differ *r, const struct distance *d)
{
	r->absolute = fmax(r->absolute, d->absolute);
	r->relative = fmax(r->relative, d->relative);
	r->ulps = fmax(r->ulps, d->ulps);
}

/* One number of a value. *ret_same: bit for bit, or as numbers; the result: it is within the tolerance. */
static bool compare_part(uint8_t kind, hb_number a, hb_number b, uint64_t bytes, const hb_tolerance *t,
	hb_values_differ *r, bool *ret_same)
{
	*ret_same = a.whole == b.whole;
	if (*ret_same)
		return true;
	if (kind != HB_VALUE_REAL) {
		r->real = false;
		return false;
	}
	struct distance d = between(a.real, b.real, bytes);
	*ret_same = d.absolute == 0 && t->any; /* -0 is another value than 0, but not by much */
	largest(r, &d);
	return within(&d, t);
}

static void compare_value(
	const hb_value *a, const hb_value *b, uint64_t number, const hb_tolerance *t, hb_values_differ *r)
{
	uint64_t bytes = real_bytes(r->log, a);
	bool same, second = true, near = a->kind == b->kind;
	near = compare_part(a->kind == HB_VALUE_PAIR ? a->first : (uint8_t)a->kind, a->a, b->a, bytes, t, r, &same) &&
	       near;
	if (a->kind == HB_VALUE_PAIR)
		near = compare_part(a->second, a->b, b->b, bytes, t, r, &second) && near;
	if (same && second)
		return;
	r->differing++;
	if (near)
		return;
	if (!r->beyond++) {
		r->first = number;
		r->a = *a;
		r->b = *b;
	}
}

static hb_status compare_all(const struct hb__side side[2], const hb_content *a, const hb_content *b,
	const hb_tolerance *t, hb_values_differ *r, hb_error *err)
{
	hb_value *x = malloc(2 * AT_ONCE * sizeof *x), *y = x + AT_ONCE;
	if (!x) {
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		return HB_E_MEMORY;
	}
	uint64_t most = r->values < r->other_values ? r->values : r->other_values;
	int64_t n = 1, m = 1;
	for (uint64_t at = 0; at < most && n > 0 && m > 0;) {
		size_t want = most - at < AT_ONCE ? (size_t)(most - at) : AT_ONCE;
		n = hb_contents_values(side[0].contents, a, at, x, want, err);
		m = n < 0 ? 0 : hb_contents_values(side[1].contents, b, at, y, want, err);
		int64_t both = n < m ? n : m;
		for (int64_t i = 0; i < both; i++)
			compare_value(&x[i], &y[i], at + (uint64_t)i, t, r);
		at += both > 0 ? (uint64_t)both : 0;
	}
	free(x);
	return n < 0 ? (hb_status)n : m < 0 ? (hb_status)m : HB_OK;
}

hb_status hb__diff_values(const struct hb__side side[2], const hb_content *a, const hb_content *b,
	const hb_tolerance *t, hb_values_differ *ret, hb_error *err)
{
	uint64_t x = 0, y = 1;
	*ret = (hb_values_differ){.values = a->values, .other_values = b->values, .log = side[0].log, .real = true};
	hb_status status = hb_contents_digest(side[0].contents, a, &x, err);
	status = status ? status : hb_contents_digest(side[1].contents, b, &y, err);
	if (status || (x == y && a->piece.bytes == b->piece.bytes))
		return status;
	status = compare_all(side, a, b, t, ret, err);
	if (ret->values != ret->other_values) {
		ret->differing++;
		ret->beyond++;
		ret->real = false;
	} else if (!ret->differing &&
		   !t->any) { /* in bits that a value as it is read here does not have (long double) */
		ret->differing = ret->beyond = 1;
		ret->real = false;
	}
	return status;
}

void hb__values_join(hb_values_differ *sum, const hb_values_differ *one)
{
	sum->differing += one->differing;
	largest(sum, &(struct distance){one->absolute, one->relative, one->ulps});
}
