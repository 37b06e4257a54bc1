/* Datatypes as sequences of values: predefined ones by their number, derived ones by their signature. */
#include <string.h>

#include "internal.h"

#define LARGEST 32 /* bytes of a value */

enum form { FORM_NONE, FORM_SIGNED, FORM_UNSIGNED, FORM_REAL, FORM_QUAD, FORM_CHARACTER, FORM_BYTE };

struct predefined {
	uint8_t form, bytes, second, second_bytes; /* second: of a pair */
};

#define ONE(form, bytes)                         \
	{                                        \
		FORM_##form, bytes, FORM_NONE, 0 \
	}
#define TWO(form, bytes, other, more)                  \
	{                                              \
		FORM_##form, bytes, FORM_##other, more \
	}

/* What each holds, where the log does not say another size. */
enum {
#define HB_DATATYPE(name) TYPE_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	TYPES
};

static const struct predefined predefined[TYPES] = {
	[TYPE_BYTE] = ONE(BYTE, 1),
	[TYPE_PACKED] = ONE(BYTE, 1),
	[TYPE_CHAR] = ONE(CHARACTER, 1),
	[TYPE_SHORT] = ONE(SIGNED, 2),
	[TYPE_INT] = ONE(SIGNED, 4),
	[TYPE_LONG] = ONE(SIGNED, 8),
	[TYPE_FLOAT] = ONE(REAL, 4),
	[TYPE_DOUBLE] = ONE(REAL, 8),
	[TYPE_LONG_DOUBLE] = ONE(REAL, 16),
	[TYPE_UNSIGNED_CHAR] = ONE(UNSIGNED, 1),
	[TYPE_SIGNED_CHAR] = ONE(SIGNED, 1),
	[TYPE_UNSIGNED_SHORT] = ONE(UNSIGNED, 2),
	[TYPE_UNSIGNED_LONG] = ONE(UNSIGNED, 8),
	[TYPE_UNSIGNED] = ONE(UNSIGNED, 4),
	[TYPE_FLOAT_INT] = TWO(REAL, 4, SIGNED, 4),
	[TYPE_DOUBLE_INT] = TWO(REAL, 8, SIGNED, 4),
	[TYPE_LONG_DOUBLE_INT] = TWO(REAL, 16, SIGNED, 4),
	[TYPE_LONG_INT] = TWO(SIGNED, 8, SIGNED, 4),
	[TYPE_SHORT_INT] = TWO(SIGNED, 2, SIGNED, 4),
	[TYPE_2INT] = TWO(SIGNED, 4, SIGNED, 4),
	[TYPE_WCHAR] = ONE(UNSIGNED, 4),
	[TYPE_LONG_LONG_INT] = ONE(SIGNED, 8),
	[TYPE_UNSIGNED_LONG_LONG] = ONE(UNSIGNED, 8),
	[TYPE_CHARACTER] = ONE(CHARACTER, 1),
	[TYPE_LOGICAL] = ONE(SIGNED, 4),
	[TYPE_INTEGER] = ONE(SIGNED, 4),
	[TYPE_INTEGER1] = ONE(SIGNED, 1),
	[TYPE_INTEGER2] = ONE(SIGNED, 2),
	[TYPE_INTEGER4] = ONE(SIGNED, 4),
	[TYPE_INTEGER8] = ONE(SIGNED, 8),
	[TYPE_REAL] = ONE(REAL, 4),
	[TYPE_REAL4] = ONE(REAL, 4),
	[TYPE_REAL8] = ONE(REAL, 8),
	[TYPE_REAL16] = ONE(QUAD, 16),
	[TYPE_DOUBLE_PRECISION] = ONE(REAL, 8),
	[TYPE_COMPLEX] = TWO(REAL, 4, REAL, 4),
	[TYPE_COMPLEX8] = TWO(REAL, 4, REAL, 4),
	[TYPE_COMPLEX16] = TWO(REAL, 8, REAL, 8),
	[TYPE_COMPLEX32] = TWO(QUAD, 16, QUAD, 16),
	[TYPE_DOUBLE_COMPLEX] = TWO(REAL, 8, REAL, 8),
	[TYPE_2REAL] = TWO(REAL, 4, REAL, 4),
	[TYPE_2DOUBLE_PRECISION] = TWO(REAL, 8, REAL, 8),
	[TYPE_2INTEGER] = TWO(SIGNED, 4, SIGNED, 4),
	[TYPE_INT8_T] = ONE(SIGNED, 1),
	[TYPE_UINT8_T] = ONE(UNSIGNED, 1),
	[TYPE_INT16_T] = ONE(SIGNED, 2),
	[TYPE_UINT16_T] = ONE(UNSIGNED, 2),
	[TYPE_INT32_T] = ONE(SIGNED, 4),
	[TYPE_UINT32_T] = ONE(UNSIGNED, 4),
	[TYPE_INT64_T] = ONE(SIGNED, 8),
	[TYPE_UINT64_T] = ONE(UNSIGNED, 8),
	[TYPE_AINT] = ONE(SIGNED, 8),
	[TYPE_OFFSET] = ONE(SIGNED, 8),
	[TYPE_COUNT] = ONE(SIGNED, 8),
	[TYPE_C_BOOL] = ONE(UNSIGNED, 1),
	[TYPE_C_FLOAT_COMPLEX] = TWO(REAL, 4, REAL, 4),
	[TYPE_C_DOUBLE_COMPLEX] = TWO(REAL, 8, REAL, 8),
	[TYPE_C_LONG_DOUBLE_COMPLEX] = TWO(REAL, 16, REAL, 16),
	[TYPE_CXX_BOOL] = ONE(UNSIGNED, 1),
	[TYPE_CXX_FLOAT_COMPLEX] = TWO(REAL, 4, REAL, 4),
	[TYPE_CXX_DOUBLE_COMPLEX] = TWO(REAL, 8, REAL, 8),
	[TYPE_CXX_LONG_DOUBLE_COMPLEX] = TWO(REAL, 16, REAL, 16),
};

/* Of a predefined datatype; form FORM_NONE: it is none, or nobody knows what it holds in the size that the log tells. */
static struct predefined form_of(const hb_log *log, uint64_t datatype)
{
	struct predefined p = datatype < TYPES ? predefined[datatype] : (struct predefined){FORM_NONE, 0, FORM_NONE, 0};
	const hb_datatype *told = datatype < TYPES ? hb_log_datatype(log, (uint32_t)datatype) : NULL;
	if (!told || !told->size || told->size == (uint64_t)p.bytes + p.second_bytes)
		return p;
	/* a Fortran compiler was told to make its numbers larger */
	bool whole =
		p.form == FORM_SIGNED && (told->size == 1 || told->size == 2 || told->size == 4 || told->size == 8);
	bool real = p.form == FORM_REAL && (told->size == 4 || told->size == 8);
	if (p.second || (!whole && !real))
		return (struct predefined){FORM_NONE, 0, FORM_NONE, 0};
	p.bytes = (uint8_t)told->size;
	return p;
}

static bool run_of(const hb_log *log, uint64_t datatype, uint64_t count, struct hb__run *ret)
{
	struct predefined p = form_of(log, datatype);
	*ret = (struct hb__run){(uint32_t)datatype, count, (uint64_t)p.bytes + p.second_bytes};
	if (p.form)
		return true;
	*ret = (struct hb__run){HB_NO, count, 1};
	return false;
}

bool hb_contents_alike(const hb_log *a, int64_t x, const hb_log *b, int64_t y)
{
	if (x < 0 || y < 0 || x >= TYPES || y >= TYPES)
		return false;
	struct predefined p = form_of(a, (uint64_t)x), q = form_of(b, (uint64_t)y);
	return p.form && !memcmp(&p, &q, sizeof p);
}

bool hb__layout_run(const hb_log *log, const struct hb__layout *layout, uint32_t i, struct hb__run *ret)
{
	if (!layout->signature) {
		*ret = layout->one;
		return i == 0;
	}
	return i < layout->signature->n &&
	       run_of(log, layout->signature->run[i].basic, layout->signature->run[i].elements, ret);
}

bool hb__layout_of(const hb_log *log, int64_t datatype, struct hb__layout *ret)
{
	const hb_datatype *told = datatype >= 0 && datatype < HB_NO ? hb_log_datatype(log, (uint32_t)datatype) : NULL;
	struct hb__run run;
	*ret = (struct hb__layout){.one = {HB_NO, 1, 1}, .values = 1, .bytes = 1};
	if (datatype >= 0 && datatype < TYPES && run_of(log, (uint64_t)datatype, 1, &run)) {
		*ret = (struct hb__layout){.one = run, .values = 1, .bytes = run.bytes};
		return true;
	}
	const hb_signature *s = told ? told->signature : NULL;
	if (!s || !s->complete || !s->n)
		return false;
	struct hb__layout all = {.signature = s};
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t bytes;
		if (!hb__layout_run(log, &all, i, &run) || __builtin_mul_overflow(run.count, run.bytes, &bytes) ||
			__builtin_add_overflow(all.bytes, bytes, &all.bytes) ||
			__builtin_add_overflow(all.values, run.count, &all.values))
			return false;
	}
	if (!all.bytes)
		return false;
	*ret = all;
	return true;
}

uint64_t hb__layout_values(const hb_log *log, const struct hb__layout *l, uint64_t bytes)
{
	uint64_t left = bytes % l->bytes, n = bytes / l->bytes * l->values;
	struct hb__run run;
	for (uint32_t i = 0; hb__layout_run(log, l, i, &run); i++) {
		uint64_t some = left / run.bytes < run.count ? left / run.bytes : run.count;
		n += some;
		left -= some * run.bytes;
		if (some < run.count)
			break;
	}
	return n;
}

/* ---- values ---- */

__extension__ typedef __float128 quad;

static double real_at(const uint8_t *p, unsigned bytes, bool is_quad)
{
	union {
		float f;
		double d;
		long double l;
		quad q;
		uint8_t b[16];
	} v = {.b = {0}};
	memcpy(v.b, p, bytes <= sizeof v.b ? bytes : sizeof v.b);
	return is_quad ? (double)v.q : bytes == 4 ? (double)v.f : bytes == 8 ? v.d : (double)v.l;
}

static uint8_t part(const uint8_t *p, unsigned form, unsigned bytes, hb_number *ret)
{
	uint64_t whole = 0;
	hb_number v = {0};
	if (form == FORM_REAL || form == FORM_QUAD) {
		v.real = real_at(p, bytes, form == FORM_QUAD);
	} else {
		memcpy(&whole, p, bytes <= sizeof whole ? bytes : sizeof whole);
		v.whole = whole;
		if (form == FORM_SIGNED && bytes < 8 && whole >> (8 * bytes - 1) & 1)
			v.whole |= ~UINT64_C(0) << 8 * bytes;
	}
	*ret = v;
	return form == FORM_SIGNED      ? HB_VALUE_INTEGER
	       : form == FORM_UNSIGNED  ? HB_VALUE_UNSIGNED
	       : form == FORM_CHARACTER ? HB_VALUE_CHARACTER
	       : form == FORM_BYTE      ? HB_VALUE_BYTE
					: HB_VALUE_REAL;
}

void hb__value_read(const hb_log *log, const struct hb__run *run, const uint8_t *p, hb_value *ret)
{
	struct predefined f =
		run->datatype == HB_NO ? (struct predefined){FORM_BYTE, 1, FORM_NONE, 0} : form_of(log, run->datatype);
	*ret = (hb_value){.datatype = run->datatype};
	ret->first = part(p, f.form, f.bytes, &ret->a);
	ret->kind = f.second ? HB_VALUE_PAIR : (hb_value_kind)ret->first;
	if (f.second)
		ret->second = part(p + f.bytes, f.second, f.second_bytes, &ret->b);
}

bool hb_contents_has_reals(const hb_log *log, int64_t datatype)
{
	struct hb__layout layout;
	struct hb__run run;
	if (!hb__layout_of(log, datatype, &layout))
		return false;
	for (uint32_t i = 0; hb__layout_run(log, &layout, i, &run); i++) {
		struct predefined p = run.datatype == HB_NO ? (struct predefined){FORM_BYTE, 1, FORM_NONE, 0}
							    : form_of(log, run.datatype);
		if (p.form == FORM_REAL || p.form == FORM_QUAD || p.second == FORM_REAL || p.second == FORM_QUAD)
			return true;
	}
	return false;
}
