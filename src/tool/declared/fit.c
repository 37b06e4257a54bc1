/* A datatype of MPI against a declared type: element by element, as far as their kinds and sizes go. Signed and unsigned
 * ones, MPI_INT and MPI_INT32_T, long and MPI_LONG_LONG are alike: what differs has another size or is of another kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "declared.h"

enum basic {
#define HB_DATATYPE(name) BASIC_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	BASICS
};

/* What is in a predefined datatype: simple types one behind the other, as the compiler aligns them. */
struct part {
	char kind; /* 'i', 'f', 'b' bytes, 'c' characters */
	uint32_t size;
	int64_t at;
};

/* By number: what it is, and of those of two parts: F two halves of floating point, I of integers; f and i behind each
 * other: the size of the first, and where the int stands. What is not here is an integer. */
static const struct {
	char kind;
	uint8_t size, at;
} made_of[BASICS] = {
	[BASIC_BYTE] = {'b'},
	[BASIC_PACKED] = {'b'},
	[BASIC_CHAR] = {'c'},
	[BASIC_UNSIGNED_CHAR] = {'c'},
	[BASIC_SIGNED_CHAR] = {'c'},
	[BASIC_CHARACTER] = {'c'},
	[BASIC_INT8_T] = {'c'},
	[BASIC_UINT8_T] = {'c'},
	[BASIC_INTEGER1] = {'c'},
	[BASIC_FLOAT] = {'f'},
	[BASIC_DOUBLE] = {'f'},
	[BASIC_LONG_DOUBLE] = {'f'},
	[BASIC_REAL] = {'f'},
	[BASIC_REAL4] = {'f'},
	[BASIC_REAL8] = {'f'},
	[BASIC_REAL16] = {'f'},
	[BASIC_DOUBLE_PRECISION] = {'f'},
	[BASIC_COMPLEX] = {'F'},
	[BASIC_COMPLEX8] = {'F'},
	[BASIC_COMPLEX16] = {'F'},
	[BASIC_COMPLEX32] = {'F'},
	[BASIC_DOUBLE_COMPLEX] = {'F'},
	[BASIC_C_FLOAT_COMPLEX] = {'F'},
	[BASIC_C_DOUBLE_COMPLEX] = {'F'},
	[BASIC_C_LONG_DOUBLE_COMPLEX] = {'F'},
	[BASIC_CXX_FLOAT_COMPLEX] = {'F'},
	[BASIC_CXX_DOUBLE_COMPLEX] = {'F'},
	[BASIC_CXX_LONG_DOUBLE_COMPLEX] = {'F'},
	[BASIC_2REAL] = {'F'},
	[BASIC_2DOUBLE_PRECISION] = {'F'},
	[BASIC_2INT] = {'I'},
	[BASIC_2INTEGER] = {'I'},
	[BASIC_FLOAT_INT] = {'f', 4, 4},
	[BASIC_DOUBLE_INT] = {'f', 8, 8},
	[BASIC_LONG_DOUBLE_INT] = {'f', 16, 16},
	[BASIC_LONG_INT] = {'i', 8, 8},
	[BASIC_SHORT_INT] = {'i', 2, 4},
};

static uint32_t parts_of(uint32_t basic, uint64_t size, struct part part[2])
{
	uint32_t n = (uint32_t)size;
	if (basic >= BASICS)
		return 0;
	char kind = made_of[basic].kind ? made_of[basic].kind : 'i';
	if (made_of[basic].size) {
		part[0] = (struct part){kind, made_of[basic].size, 0};
		part[1] = (struct part){'i', 4, made_of[basic].at};
		return 2;
	}
	bool halves = kind == 'F' || kind == 'I';
	kind = kind == 'F' ? 'f' : kind == 'I' ? 'i' : kind;
	part[0] = (struct part){kind, halves ? n / 2 : n, 0};
	part[1] = (struct part){kind, n / 2, n / 2};
	return halves ? 2 : 1;
}

/* Bytes from one element to the next. */
static int64_t stride_of(uint32_t basic, uint64_t size)
{
	switch (basic) {
	case BASIC_DOUBLE_INT:
	case BASIC_LONG_INT:
		return 16;
	case BASIC_LONG_DOUBLE_INT:
		return 32;
	case BASIC_SHORT_INT:
		return 8;
	default:
		return (int64_t)size;
	}
}

void hb__layout_read(const hb_log *log, const hb_remark *remark, hb_type_layout *ret)
{
	*ret = (hb_type_layout){.extent = remark->buffer->extent, .count = remark->buffer->count};
	hb_numbers map = remark->buffer->map; /* predefined datatype, offset, elements, and again */
	for (uint32_t i = 0; i + 3 <= map.n && ret->n < HB_PIECES; i += 3) {
		uint64_t basic = (uint64_t)map.at[i];
		const hb_datatype *d = basic < BASICS ? hb_log_datatype(log, (uint32_t)basic) : NULL;
		if (map.at[i + 2] <= 0 || !d || !d->size)
			return;
		ret->piece[ret->n].basic = (uint32_t)basic;
		ret->piece[ret->n].elements = (uint32_t)map.at[i + 2];
		ret->piece[ret->n].offset = map.at[i + 1];
		ret->piece[ret->n++].size = d->size;
	}
}

/* ---- comparing ---- */

struct compared {
	Dwarf_Die *type;
	uint64_t from, size; /* size: of the type; 0: not known */
	bool repeated;
	int64_t bytes; /* that the call moves as characters; -1: not known */
	bool any;      /* something was compared */
	hb_leaf *leaf;
	int64_t *at;
};

static int one(struct compared *c, struct part part, int64_t at)
{
	uint64_t place = c->from + (uint64_t)(at + part.at);
	if (at + part.at < 0)
		return HB_DECLARED_UNKNOWN;
	hb_leaf l = hb__leaf_at(c->type, c->repeated ? place % c->size : place);
	if (l.kind == HB_LEAF_NONE)
		return HB_DECLARED_UNKNOWN;
	if (l.kind == HB_LEAF_ANYTHING || part.kind == 'b')
		return HB_DECLARED_FITS;
	if (part.kind == 'c' && (c->bytes < 0 || c->bytes % (int64_t)l.size == 0))
		return HB_DECLARED_FITS; /* whole values, as bytes */
	bool kind = part.kind == 'f' ? l.kind == HB_LEAF_FLOAT : l.kind != HB_LEAF_FLOAT;
	c->any = true;
	if (kind && l.size == part.size && !l.into)
		return HB_DECLARED_UNKNOWN; /* so far */
	*c->leaf = l;
	*c->at = at + part.at;
	return HB_DECLARED_DIFFERS;
}

#define LOOKED_AT 48 /* elements: what repeats differs soon */

static int piece(struct compared *c, const hb_type_layout *layout, uint32_t i, int64_t base)
{
	struct part part[2];
	uint32_t n = parts_of(layout->piece[i].basic, layout->piece[i].size, part);
	int64_t stride = stride_of(layout->piece[i].basic, layout->piece[i].size);
	for (uint32_t k = 0; k < layout->piece[i].elements && k < LOOKED_AT; k++)
		for (uint32_t j = 0; j < n; j++) {
			int fit = one(c, part[j], base + layout->piece[i].offset + k * stride);
			if (fit != HB_DECLARED_UNKNOWN)
				return fit;
		}
	return n ? HB_DECLARED_UNKNOWN : HB_DECLARED_FITS;
}

int hb__layout_fits(
	const hb_type_layout *layout, Dwarf_Die *type, uint64_t from, bool repeated, hb_leaf *ret, int64_t *ret_at)
{
	struct compared c = {.type = type, .from = from, .repeated = repeated, .bytes = -1, .leaf = ret, .at = ret_at};
	Dwarf_Word size = 0;
	if (repeated && (dwarf_aggregate_size(type, &size) != 0 || !size))
		return HB_DECLARED_FITS; /* void, or a type that is not defined here */
	c.size = size;
	if (layout->count >= 0 && layout->n == 1)
		c.bytes = layout->count * (int64_t)(layout->piece[0].elements * layout->piece[0].size);
	int64_t times = layout->count < 1 ? 1 : layout->count;
	for (int64_t k = 0; k < times && k < LOOKED_AT; k++)
		for (uint32_t i = 0; i < layout->n; i++) {
			int fit = piece(&c, layout, i, k * layout->extent);
			if (fit != HB_DECLARED_UNKNOWN)
				return fit;
		}
	return c.any ? HB_DECLARED_FITS : HB_DECLARED_UNKNOWN;
}
