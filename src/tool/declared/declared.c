/* Which variable a buffer is: the recorder told where it lies and where its address stood (capture/mpi/check/declared.c), the
 * debugging information which variable that is. Only what is in scope at the call counts, and of several variables each
 * has to differ: one that fits, or may hold anything, is taken for the one that was meant. */
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/source.h"
#include "declared.h"

#define MOST 8

struct asked {
	hb_type_layout layout;
	uint64_t bytes; /* that the call uses from the buffer's address on; 0: not known */
	Dwarf_Addr pc;
	int line; /* of the call; 0: not known */
	/* the frame, from its canonical address */
	int64_t frame, sp, bp, slot[MOST];
	bool in_frame;
	int nslots, nregs;
	int64_t reg[MOST];
	/* static memory, as addresses of the debugging information */
	bool is_static;
	Dwarf_Addr at, pointer[MOST];
	int npointers;
	Dwarf_Die *cu;
	bool here; /* the unit of the call is looked through */
	bool fortran, fits, big_enough;
	hb_declared *ret;
};

/* ---- where a variable is ---- */

struct location {
	enum { NOWHERE, FRAME, STATIC, REGISTER } kind;
	int64_t at;  /* from the canonical frame address, a static address, or the register's number */
	bool behind; /* there is its address */
};

static bool expression(Dwarf_Die *die, unsigned name, Dwarf_Addr pc, Dwarf_Op **ret, size_t *ret_n)
{
	Dwarf_Attribute attr;
	return dwarf_attr(die, name, &attr) && dwarf_getlocation_addr(&attr, pc, ret, ret_n, 1) == 1 && *ret_n;
}

/* The base that DW_OP_fbreg counts from. */
static bool frame_base(const struct asked *q, Dwarf_Die *function, int64_t *ret)
{
	Dwarf_Op *op;
	size_t n;
	if (!expression(function, DW_AT_frame_base, q->pc, &op, &n) || n != 1)
		return false;
	switch (op->atom) {
	case DW_OP_call_frame_cfa:
		*ret = 0;
		return true;
	case DW_OP_reg6:
	case DW_OP_breg6:
		*ret = q->bp + (op->atom == DW_OP_breg6 ? (int64_t)op->number : 0);
		return true;
	case DW_OP_reg7:
	case DW_OP_breg7:
		*ret = q->sp + (op->atom == DW_OP_breg7 ? (int64_t)op->number : 0);
		return true;
	default:
		return false;
	}
}

static bool static_place(Dwarf_Die *variable, Dwarf_Op *op, Dwarf_Addr *ret)
{
	Dwarf_Attribute attr, address;
	*ret = op->number;
	return op->atom == DW_OP_addr ||
	       (op->atom == DW_OP_addrx && dwarf_attr(variable, DW_AT_location, &attr) &&
		       dwarf_getlocation_attr(&attr, op, &address) == 0 && dwarf_formaddr(&address, ret) == 0);
}

static struct location locate(const struct asked *q, Dwarf_Die *variable, const int64_t *base)
{
	struct location l = {.kind = NOWHERE};
	Dwarf_Op *op;
	Dwarf_Addr at;
	size_t n;
	if (!expression(variable, DW_AT_location, q->pc, &op, &n) || n > 2 || (n == 2 && op[1].atom != DW_OP_deref))
		return l;
	l.behind = n == 2;
	if (op->atom == DW_OP_fbreg && base)
		l = (struct location){FRAME, *base + (int64_t)op->number, l.behind};
	else if (static_place(variable, op, &at))
		l = (struct location){STATIC, (int64_t)at, l.behind};
	else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 && n == 1)
		l = (struct location){REGISTER, op->atom - DW_OP_reg0, false};
	else if (op->atom == DW_OP_breg6 || op->atom == DW_OP_breg7)
		l = (struct location){FRAME, (op->atom == DW_OP_breg6 ? q->bp : q->sp) + (int64_t)op->number, l.behind};
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31 && n == 1 && !op->number)
		l = (struct location){REGISTER, op->atom - DW_OP_breg0, true}; /* the register has its address */
	return l;
}

/* ---- judging ---- */

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

static void describe(struct asked *q, Dwarf_Die *variable, const hb_leaf *leaf, int64_t at)
{
	hb_declared *r = q->ret;
	const char *name = dwarf_diename(variable);
	int line = 0;
	snprintf(r->variable, sizeof r->variable, "%s", name ? name : "");
	hb__type_words(variable, r->type, sizeof r->type);
	dwarf_decl_line(variable, &line);
	const char *file = base_name(dwarf_decl_file(variable));
	snprintf(r->place, sizeof r->place, "%s%s%d", *file ? file : "line", *file ? ":" : " ", line);
	r->offset = at;
	const char *element = leaf && leaf->kind != HB_LEAF_POINTER ? dwarf_diename((Dwarf_Die *)&leaf->type) : NULL;
	snprintf(r->element, sizeof r->element, "%s",
		element                                 ? element
		: leaf && leaf->kind == HB_LEAF_POINTER ? "pointer"
							: "");
}

/* The buffer is memory of this type, from some bytes behind its beginning on. */
static void judge(struct asked *q, Dwarf_Die *variable, Dwarf_Die *type, uint64_t from, bool repeated)
{
	hb_leaf leaf = {.kind = HB_LEAF_NONE};
	int64_t at = 0;
	int fit = hb__layout_fits(&q->layout, type, from, repeated, &leaf, &at);
	if (fit == HB_DECLARED_FITS) {
		q->fits = true;
	} else if (fit == HB_DECLARED_DIFFERS && q->ret->fit != HB_DECLARED_DIFFERS) {
		q->ret->fit = HB_DECLARED_DIFFERS;
		describe(q, variable, &leaf, at);
	}
}

/* A pointer, or a part of a variable that is one, holds the buffer's address. */
static void judge_pointer(struct asked *q, Dwarf_Die *variable, Dwarf_Die *type, uint64_t offset)
{
	Dwarf_Die to;
	hb_leaf l;
	if (hb__is_descriptor(type) && !offset) {
		judge(q, variable, type, 0, false);
		return;
	}
	l = hb__leaf_at(type, offset);
	if (l.kind != HB_LEAF_POINTER) {
		q->fits |= l.kind == HB_LEAF_ANYTHING || l.kind == HB_LEAF_INTEGER; /* an address as a number */
		return;
	}
	if (l.into)
		return;
	if (!hb__type_of(&l.type, &to))
		q->fits = true; /* void * */
	else
		judge(q, variable, &to, 0, true);
}

/* The buffer lies in the variable itself. */
static void judge_storage(struct asked *q, Dwarf_Die *variable, Dwarf_Die *type, uint64_t from, uint64_t size)
{
	judge(q, variable, type, from, false);
	if (q->fortran || !q->bytes)
		return;
	q->big_enough |= size - from >= q->bytes;
	if (!q->ret->room) {
		q->ret->room = size - from;
		hb_declared was = *q->ret;
		describe(q, variable, NULL, 0);
		snprintf(was.room_of, sizeof was.room_of, "%s", q->ret->variable);
		snprintf(was.room_place, sizeof was.room_place, "%s", q->ret->place);
		snprintf(was.room_type, sizeof was.room_type, "%s", q->ret->type);
		*q->ret = was;
	}
}

static void consider(struct asked *q, Dwarf_Die *variable, const int64_t *base)
{
	struct location l = locate(q, variable, base);
	Dwarf_Die type;
	Dwarf_Word size = 0;
	int line = 0;
	/* of a later line: nothing has been put into it yet */
	if (l.kind == NOWHERE || !hb__type_of(variable, &type) ||
		(base && q->line && dwarf_decl_line(variable, &line) == 0 && line > q->line))
		return;
	bool sized = dwarf_aggregate_size(&type, &size) == 0 && size;
	if (hb__is_descriptor(&type)) {
		sized = true;
		size = 64; /* of which the address of the data is the first part */
	}
	for (int i = 0; l.kind == REGISTER && base && i < q->nregs; i++)
		if (q->reg[i] == l.at && l.behind)
			judge(q, variable, &type, 0, false);
		else if (q->reg[i] == l.at)
			judge_pointer(q, variable, &type, 0);
	for (int i = 0; l.kind == FRAME && i < q->nslots; i++)
		if (l.behind && q->slot[i] == l.at)
			judge(q, variable, &type, 0, false);
		else if (!l.behind && sized && q->slot[i] >= l.at && q->slot[i] < l.at + (int64_t)size)
			judge_pointer(q, variable, &type, (uint64_t)(q->slot[i] - l.at));
	for (int i = 0; l.kind == STATIC && !l.behind && sized && i < q->npointers; i++)
		if (q->pointer[i] >= (Dwarf_Addr)l.at && q->pointer[i] < (Dwarf_Addr)l.at + size)
			judge_pointer(q, variable, &type, q->pointer[i] - (Dwarf_Addr)l.at);
	if (l.behind || !sized || hb__is_descriptor(&type))
		return;
	if (l.kind == FRAME && q->in_frame && q->frame >= l.at && q->frame < l.at + (int64_t)size)
		judge_storage(q, variable, &type, (uint64_t)(q->frame - l.at), size);
	if (l.kind == STATIC && q->is_static && q->at >= (Dwarf_Addr)l.at && q->at < (Dwarf_Addr)l.at + size)
		judge_storage(q, variable, &type, q->at - (Dwarf_Addr)l.at, size);
}

/* ---- what is in scope ---- */

static void scope(struct asked *q, Dwarf_Die *die, const int64_t *base)
{
	Dwarf_Die child;
	if (dwarf_child(die, &child) != 0)
		return;
	do {
		int64_t own;
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			consider(q, &child, base);
			break;
		case DW_TAG_subprogram:
			if (dwarf_haspc(&child, q->pc) > 0)
				scope(q, &child, frame_base(q, &child, &own) ? &own : NULL);
			else if (q->here) /* its static variables, and procedures inside of it */
				scope(q, &child, NULL);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (dwarf_haspc(&child, q->pc) > 0)
				scope(q, &child, base);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_common_block:
			scope(q, &child, base);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* The unit of a place in the program; not every compiler writes a table of them. */
static Dwarf_Die *unit_of(Dwfl_Module *dw, Dwarf_Addr address, Dwarf_Addr *ret_bias)
{
	Dwarf_Die *cu = dwfl_module_addrdie(dw, address, ret_bias);
	for (Dwarf_Die *next = NULL; !cu && (next = dwfl_module_nextcu(dw, next, ret_bias)) != NULL;)
		if (dwarf_haspc(next, address - *ret_bias) > 0)
			cu = next;
	return cu;
}

/* Static variables of other files. */
static void everywhere(struct asked *q, Dwfl_Module *dw)
{
	Dwarf_Addr bias;
	for (Dwarf_Die *cu = NULL; (cu = dwfl_module_nextcu(dw, cu, &bias)) != NULL;)
		if (dwarf_dieoffset(cu) != dwarf_dieoffset(q->cu))
			scope(q, cu, NULL);
}

/* ---- what was told ---- */

static int numbers(hb_numbers list, int64_t ret[MOST])
{
	int n = list.n < MOST ? (int)list.n : MOST;
	if (n)
		memcpy(ret, list.at, (size_t)n * sizeof *ret);
	return n;
}

static bool static_address(const hb_log *log, const hb_site *caller, int64_t number, Dwarf_Addr shift, Dwarf_Addr *ret)
{
	const hb_site *s = number > 0 ? hb_log_site(log, (uint32_t)number) : NULL;
	if (!s || s->module != caller->module)
		return false;
	*ret = s->offset + shift;
	return true;
}

static void read_places(struct asked *q, const hb_log *log, const hb_site *caller, const hb_remark *r, Dwarf_Addr shift)
{
	int64_t at[MOST];
	q->in_frame = r->buffer->frame < 0;
	q->frame = r->buffer->frame;
	q->sp = r->buffer->sp;
	q->bp = r->buffer->bp;
	q->bytes = (uint64_t)r->buffer->bytes;
	q->nslots = numbers(r->buffer->slots, q->slot);
	q->nregs = numbers(r->buffer->regs, q->reg);
	q->is_static = static_address(log, caller, r->buffer->static_at, shift, &q->at);
	int n = numbers(r->buffer->pointers, at);
	for (int i = 0; i < n; i++)
		q->npointers += static_address(log, caller, at[i], shift, &q->pointer[q->npointers]);
}

bool hb__declared(const hb_log *log, const hb_remark *remark, hb_declared *ret)
{
	uint32_t number = remark->call->site;
	const hb_site *site = hb_log_site(log, number);
	const hb_module *module = site ? hb_log_module(log, site->module) : NULL;
	const hb_place *place = hb__place_of_site(log, number);
	uint64_t bias = 0;
	*ret = (hb_declared){.fit = HB_DECLARED_UNKNOWN};
	Dwfl_Module *dw = module && module->path ? hb__source_module(module->path, module->build_id, &bias) : NULL;
	if (!dw || !site->offset)
		return false;
	Dwarf_Addr shift;
	struct asked q = {.ret = ret, .line = place ? place->line : 0};
	q.cu = unit_of(dw, site->offset - 1 + bias, &shift);
	hb__layout_read(log, remark, &q.layout);
	if (!q.cu || !q.layout.n)
		return false;
	q.pc = site->offset - 1 + bias - shift;
	int language = dwarf_srclang(q.cu);
	q.fortran = language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 || language == DW_LANG_Fortran95 ||
		    language == DW_LANG_Fortran03 || language == DW_LANG_Fortran08;
	read_places(&q, log, site, remark, bias - shift);
	q.here = true;
	scope(&q, q.cu, NULL);
	q.here = false;
	if ((q.is_static || q.npointers) && !q.fits && ret->fit == HB_DECLARED_UNKNOWN)
		everywhere(&q, dw);
	ret->fit = q.fits ? HB_DECLARED_FITS : ret->fit;
	ret->room = q.big_enough ? 0 : ret->room;
	return ret->fit != HB_DECLARED_UNKNOWN || ret->room;
}
