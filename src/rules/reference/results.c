/* Results of reductions, on their own terms: sums may have been made in another order. */
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "rules/reference/inside.h"

static double parts(hb_element type, const uint8_t *value, double *ret_imaginary)
{
	double r = 0, i = 0;
	float fr = 0, fi = 0;
	if (type == HB_REAL8 || type == HB_COMPLEX16)
		memcpy(&r, value, sizeof r);
	if (type == HB_COMPLEX16)
		memcpy(&i, value + sizeof r, sizeof i);
	if (type == HB_REAL4 || type == HB_COMPLEX8)
		memcpy(&fr, value, sizeof fr);
	if (type == HB_COMPLEX8)
		memcpy(&fi, value + sizeof fr, sizeof fi);
	bool single = type == HB_REAL4 || type == HB_COMPLEX8;
	*ret_imaginary = single ? (double)fi : i;
	return single ? (double)fr : r;
}

double hb__number(hb_element type, const uint8_t *value)
{
	int64_t l = 0;
	int32_t i = 0;
	double imaginary;
	switch (type) {
	case HB_INTEGER8:
		memcpy(&l, value, sizeof l);
		return (double)l;
	case HB_INTEGER4:
		memcpy(&i, value, sizeof i);
		return i;
	case HB_INTEGER1:
		return (int8_t)value[0];
	default:
		return parts(type, value, &imaginary);
	}
}

static bool reals_differ(const hb_reference *r, double a, double b, double scale)
{
	if (isnan(a) || isnan(b))
		return isnan(a) != isnan(b);
	if (a == b)
		return false;
	double distance = fabs(a - b), most = fmax(scale, fmax(fabs(a), fabs(b)));
	return !isfinite(distance) || !(distance <= r->tolerance.relative * most || distance <= r->tolerance.absolute);
}

bool hb__values_differ(const hb_reference *r, hb_element type, const uint8_t *a, const uint8_t *b, double scale)
{
	if (!hb_element_real(type))
		return memcmp(a, b, hb_element_bytes(type)) != 0;
	double ai, bi, ar = parts(type, a, &ai), br = parts(type, b, &bi);
	double size = fmax(scale, fmax(hypot(ar, ai), hypot(br, bi)));
	return reals_differ(r, ar, br, size) || reals_differ(r, ai, bi, size);
}

static bool same_variable(const hb_trace_variable *a, const hb_trace_variable *b)
{
	return a->type == b->type && !strcmp(a->name, b->name) && !strcmp(a->file, b->file);
}

/* The k-th result of a variable at a process of a step. */
static const hb_access *result(const hb_step *s, uint32_t process, const hb_trace_variable *variable, size_t k)
{
	for (size_t i = 0; i < s->accesses; i++) {
		const hb_access *a = &s->access[i];
		if (a->kind == HB_TRACE_RESULT && a->process == process && same_variable(a->variable, variable) && !k--)
			return a;
	}
	return NULL;
}

/* How many results of the variable its process told before it. */
static size_t before(const hb_step *s, const hb_access *of)
{
	size_t n = 0;
	for (const hb_access *a = s->access; a < of; a++)
		n += a->kind == HB_TRACE_RESULT && a->process == of->process &&
		     same_variable(a->variable, of->variable);
	return n;
}

/* Whether its result differed before; from now on it has. False in *ret_memory: out of memory. */
static bool differed(hb_reference *r, const hb_trace_variable *v, bool *ret_memory)
{
	*ret_memory = true;
	for (size_t i = 0; i < r->wrongs; i++)
		if (same_variable(r->wrong[i], v))
			return true;
	*ret_memory = HB_GROW(r->wrong, r->wrongs_room, r->wrongs + 1);
	if (*ret_memory)
		r->wrong[r->wrongs++] = v;
	return false;
}

bool hb__reference_results(hb_reference *r)
{
	const hb_step *a = &r->step[HB_OF_REFERENCE], *b = &r->step[HB_OF_RUN];
	for (size_t i = 0; i < b->accesses; i++) {
		const hb_access *y = &b->access[i];
		if (y->kind != HB_TRACE_RESULT)
			continue;
		const hb_access *x = result(a, a->process, y->variable, before(b, y));
		if (!x) {
			r->sum.unmatched++;
			continue;
		}
		r->sum.results++;
		if (!hb__values_differ(r, y->variable->type, x->value, y->value, 0))
			continue;
		bool memory;
		hb_reference_difference d = hb__difference(r, HB_REFERENCE_RESULT);
		d.again = differed(r, y->variable, &memory);
		if (!memory)
			return false;
		d.process[1] = y->process;
		d.value[0] = x;
		d.value[1] = y;
		d.number[0] = hb__number(x->variable->type, x->value);
		d.number[1] = hb__number(y->variable->type, y->value);
		d.correct = r->sum.last;
		hb__reference_tell(r, &d);
	}
	return true;
}
