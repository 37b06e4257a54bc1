/* What a buffer is declared as, from the program's debugging information: what the files of this folder share. */
#ifndef HBDB_DECLARED_DECLARED_H
#define HBDB_DECLARED_DECLARED_H

#include <elfutils/libdw.h>

#include "../tool.h"
#include "rules/finding.h"

/* ---- types.c ---- */

/* The simple type at some bytes from the beginning of a type. */
typedef struct hb_leaf {
	enum {
		HB_LEAF_NONE,     /* padding, or behind the end */
		HB_LEAF_ANYTHING, /* char, void, a union: may hold whatever the program puts there */
		HB_LEAF_INTEGER,
		HB_LEAF_FLOAT,
		HB_LEAF_POINTER
	} kind;
	uint64_t size, into; /* into: how far from its beginning */
	Dwarf_Die type;      /* where kind is one of the last three */
} hb_leaf;
hb_leaf hb__leaf_at(Dwarf_Die *type, uint64_t offset);
bool hb__type_of(Dwarf_Die *die, Dwarf_Die *ret); /* that of its DW_AT_type, without typedefs and qualifiers */
/* An array whose elements lie elsewhere: a variable of this type is Fortran's descriptor. */
bool hb__is_descriptor(Dwarf_Die *type);
/* As it is written in C, or named by the compiler: "int *", "struct cell [10]". */
void hb__type_words(Dwarf_Die *die, char *ret, size_t size);

/* ---- fit.c ---- */

/* The datatype of a remark: what lies where. */
#define HB_PIECES 16
typedef struct hb_type_layout {
	int64_t extent, count; /* count -1: not known */
	uint32_t n;
	struct {
		uint32_t basic, elements;
		int64_t offset;
		uint64_t size;
	} piece[HB_PIECES];
} hb_type_layout;
void hb__layout_read(const hb_log *log, const hb_remark *remark, hb_type_layout *ret);
/* Whether memory that begins `from` bytes behind the beginning of a type fits; repeated: element after element of this
 * type. Of what differs: the first simple type, and where it stands in the buffer. */
int hb__layout_fits(
	const hb_type_layout *layout, Dwarf_Die *type, uint64_t from, bool repeated, hb_leaf *ret, int64_t *ret_at);

/* ---- declared.c ---- */
hb_declared_ask hb__declared;

#endif
