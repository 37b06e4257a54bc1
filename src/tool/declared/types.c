/* Declared types, down to the simple ones. */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "declared.h"

#define DEPTH 32 /* types inside of each other */

bool hb__type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, &type) &&
	       dwarf_peel_type(&type, ret) == 0;
}

bool hb__is_descriptor(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type && dwarf_hasattr(type, DW_AT_data_location);
}

static bool size_of(Dwarf_Die *type, uint64_t *ret)
{
	Dwarf_Word size;
	if (dwarf_aggregate_size(type, &size) != 0)
		return false;
	*ret = size;
	return true;
}

static hb_leaf leaf(int kind, uint64_t size, uint64_t into, const Dwarf_Die *type)
{
	hb_leaf l = {.size = size, .into = into};
	l.kind = (__typeof__(l.kind))kind;
	if (type)
		l.type = *type;
	return l;
}

static hb_leaf simple(Dwarf_Die *type, uint64_t offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;
	uint64_t size = 0;
	if (!dwarf_attr_integrate(type, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding) != 0 ||
		!size_of(type, &size) || !size)
		return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
	if (offset >= size)
		return leaf(HB_LEAF_NONE, 0, 0, NULL);
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
		return leaf(size > 1 ? HB_LEAF_INTEGER : HB_LEAF_ANYTHING, size, offset, type);
	case DW_ATE_boolean:
		return leaf(HB_LEAF_INTEGER, size, offset, type);
	case DW_ATE_float:
	case DW_ATE_imaginary_float:
		return leaf(HB_LEAF_FLOAT, size, offset, type);
	case DW_ATE_complex_float:
		return leaf(HB_LEAF_FLOAT, size / 2, offset % (size / 2), type);
	default:
		return leaf(HB_LEAF_ANYTHING, size, offset, type);
	}
}

static hb_leaf leaf_within(Dwarf_Die *type, uint64_t offset, int depth);

/* What lies at an offset among the members; a part of a bit field is anything. */
static hb_leaf member_at(Dwarf_Die *type, uint64_t offset, int depth)
{
	hb_leaf found = leaf(HB_LEAF_NONE, 0, 0, NULL);
	Dwarf_Die child, inner;
	if (dwarf_hasattr(type, DW_AT_declaration) || dwarf_child(type, &child) != 0)
		return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
	do {
		int tag = dwarf_tag(&child);
		Dwarf_Attribute attr;
		Dwarf_Word at = 0;
		uint64_t size = 0;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&child, DW_AT_external))
			continue;
		if (dwarf_hasattr(&child, DW_AT_bit_size) || !hb__type_of(&child, &inner))
			return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
		if (dwarf_attr(&child, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &at) != 0)
			return leaf(HB_LEAF_ANYTHING, 0, 0, NULL); /* a virtual base */
		bool open = !size_of(&inner, &size) || !size;      /* an array at the end without a length */
		if (offset < at || (!open && offset >= at + size))
			continue;
		hb_leaf l = leaf_within(&inner, offset - at, depth + 1);
		if (l.kind != HB_LEAF_NONE)
			found = l;
	} while (dwarf_siblingof(&child, &child) == 0);
	return found;
}

static hb_leaf leaf_within(Dwarf_Die *type, uint64_t offset, int depth)
{
	Dwarf_Die element;
	uint64_t size = 0, whole = 0;
	if (depth > DEPTH)
		return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		return simple(type, offset);
	case DW_TAG_enumeration_type:
		if (!size_of(type, &size) || size <= 1)
			return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
		return leaf(offset < size ? HB_LEAF_INTEGER : HB_LEAF_NONE, size, offset, type);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return leaf(offset < 8 ? HB_LEAF_POINTER : HB_LEAF_NONE, 8, offset, type);
	case DW_TAG_array_type:
		if (!hb__type_of(type, &element) || !size_of(&element, &size) || !size ||
			dwarf_hasattr(type, DW_AT_byte_stride) || dwarf_hasattr(type, DW_AT_bit_stride))
			return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
		if (!hb__is_descriptor(type) && size_of(type, &whole) && whole && offset >= whole)
			return leaf(HB_LEAF_NONE, 0, 0, NULL);
		return leaf_within(&element, offset % size, depth + 1);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return member_at(type, offset, depth);
	default:
		return leaf(HB_LEAF_ANYTHING, 0, 0, NULL);
	}
}

hb_leaf hb__leaf_at(Dwarf_Die *type, uint64_t offset) { return leaf_within(type, offset, 0); }

/* ---- as text ---- */

static void append_text(char *ret, size_t size, const char *text)
{
	size_t n = strlen(ret);
	snprintf(ret + n, size - n, "%s", text);
}

static void put_lengths(Dwarf_Die *array, char *ret, size_t size)
{
	Dwarf_Die range, cu;
	Dwarf_Sword first = 0;
	if (dwarf_child(array, &range) != 0)
		return;
	if (!dwarf_diecu(array, &cu, NULL, NULL) || dwarf_default_lower_bound(dwarf_srclang(&cu), &first) != 0)
		first = 0;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word upper, lower = (Dwarf_Word)first;
		char text[32] = "[]";
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		if (dwarf_attr(&range, DW_AT_lower_bound, &attr) && dwarf_formudata(&attr, &lower) != 0)
			lower = (Dwarf_Word)first;
		if (dwarf_attr(&range, DW_AT_count, &attr) && dwarf_formudata(&attr, &upper) == 0)
			snprintf(text, sizeof text, "[%llu]", (unsigned long long)upper);
		else if (dwarf_attr(&range, DW_AT_upper_bound, &attr) && dwarf_formudata(&attr, &upper) == 0 &&
			 upper < UINT32_MAX)
			snprintf(text, sizeof text, "[%llu]", (unsigned long long)(upper - lower + 1));
		append_text(ret, size, text);
	} while (dwarf_siblingof(&range, &range) == 0);
}

static void type_text(Dwarf_Die *die, char *ret, size_t size, int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;
	const char *name;
	if (depth > DEPTH)
		return;
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type)) {
		append_text(ret, size, "void");
		return;
	}
	name = dwarf_diename(&type);
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
		type_text(&type, ret, size, depth + 1);
		append_text(ret, size, *ret && ret[strlen(ret) - 1] == '*' ? "*" : " *");
		return;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type_text(&type, ret, size, depth + 1);
		append_text(ret, size, " &");
		return;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		type_text(&type, ret, size, depth + 1);
		return;
	case DW_TAG_array_type:
		type_text(&type, ret, size, depth + 1);
		append_text(ret, size, " ");
		put_lengths(&type, ret, size);
		return;
	case DW_TAG_structure_type:
	case DW_TAG_enumeration_type:
		append_text(ret, size, dwarf_tag(&type) == DW_TAG_structure_type ? "struct" : "enum");
		append_text(ret, size, name ? " " : "");
		break;
	default:
		break;
	}
	append_text(ret, size, name ? name : "");
}

void hb__type_words(Dwarf_Die *die, char *ret, size_t size)
{
	*ret = 0;
	type_text(die, ret, size, 0);
}
