/* What memory is called that nobody registered: static variables, and blocks of malloc by the line that asked for them. By libdw, which is
 * loaded when it is asked for the first time; without it, or without debugging information, there is no name. */
#include <ctype.h>
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/accesses/watch/watch.h"

/* ---- libdw ---- */

/* clang-format off */
#define USED(X) \
	X(dwfl_begin) X(dwfl_linux_proc_report) X(dwfl_report_end) X(dwfl_addrmodule) X(dwfl_module_addrdie) \
	X(dwfl_module_nextcu) X(dwfl_linux_proc_find_elf) X(dwarf_getscopes) X(dwarf_child) X(dwarf_siblingof) X(dwarf_tag) \
	X(dwarf_diename) X(dwarf_attr_integrate) X(dwarf_formref_die) X(dwarf_formudata) X(dwarf_getlocation) X(dwarf_aggregate_size) \
	X(dwarf_decl_line) X(dwarf_decl_file) X(dwarf_formstring) X(dwarf_getlocation_attr) X(dwarf_formaddr) X(dwarf_haspc) \
	X(dwarf_getsrc_die) X(dwarf_lineno) X(dwarf_linecol) X(dwarf_linesrc)
/* clang-format on */
static struct {
#define POINTER(name) __typeof__(name) *name;
	USED(POINTER)
#undef POINTER
	Dwfl *all;
	bool tried;
} dw;

static int no_other_file(Dwfl_Module *m, void **user, const char *name, Dwarf_Addr base, const char *file,
	const char *link, GElf_Word crc, char **ret)
{
	(void)m, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)ret;
	return -1;
}

static Dwfl *modules(void)
{
	static Dwfl_Callbacks callbacks = {.find_debuginfo = no_other_file};
	if (dw.tried)
		return dw.all;
	dw.tried = true;
	void *library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		return NULL;
#define FIND(name)                                                  \
	if (!(dw.name = (__typeof__(name) *)dlsym(library, #name))) \
		return NULL;
	USED(FIND)
#undef FIND
	callbacks.find_elf = dw.dwfl_linux_proc_find_elf;
	dw.all = dw.dwfl_begin(&callbacks);
	if (dw.all && (dw.dwfl_linux_proc_report(dw.all, getpid()) || dw.dwfl_report_end(dw.all, NULL, NULL)))
		dw.all = NULL;
	return dw.all;
}

static int asking;
static __thread bool asks __attribute__((tls_model("initial-exec")));

bool hb__identity_lock(void)
{
	if (asks)
		return false;
	while (__atomic_exchange_n(&asking, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	return asks = true;
}

void hb__identity_unlock(void)
{
	asks = false;
	__atomic_store_n(&asking, 0, __ATOMIC_RELEASE);
}

/* ---- types ---- */

/* The type that a DIE has; false: none. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute a;
	return dw.dwarf_attr_integrate(die, DW_AT_type, &a) && dw.dwarf_formref_die(&a, ret);
}

static uint64_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word v;
	return dw.dwarf_attr_integrate(die, attribute, &a) && !dw.dwarf_formudata(&a, &v) ? v : 0;
}

static bool is_base(Dwarf_Die *type, hb_element *ret)
{
	uint64_t encoding = number_of(type, DW_AT_encoding), bytes = number_of(type, DW_AT_byte_size);
	if (dw.dwarf_tag(type) != DW_TAG_base_type)
		return false;
	if (encoding == DW_ATE_complex_float && (bytes == 16 || bytes == 8))
		*ret = bytes == 16 ? HB_COMPLEX16 : HB_COMPLEX8;
	else if (encoding == DW_ATE_float && (bytes == 8 || bytes == 4))
		*ret = bytes == 8 ? HB_REAL8 : HB_REAL4;
	else if (encoding != DW_ATE_float && encoding != DW_ATE_complex_float)
		*ret = bytes == 8 ? HB_INTEGER8 : bytes == 4 ? HB_INTEGER4 : HB_INTEGER1;
	else
		return false; /* no element of ours: 80 and 128 bits */
	return true;
}

/* The numbers that a type consists of: through names, arrays and, `pointed` times, pointers. False: it consists of other things. */
static bool element_of(Dwarf_Die *die, int pointed, hb_element *ret, bool *ret_described)
{
	Dwarf_Die type = *die;
	Dwarf_Attribute a;
	for (int i = 0; i < 32 && type_of(&type, &type); i++) {
		switch (dw.dwarf_tag(&type)) {
		case DW_TAG_array_type: /* where a descriptor tells where it is, it is a block of its own */
			if (dw.dwarf_attr_integrate(&type, DW_AT_data_location, &a)) {
				*ret_described = true;
				pointed--;
			}
			break;
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
			if (pointed-- <= 0)
				return false;
			break;
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
			break;
		case DW_TAG_enumeration_type:
			*ret = HB_INTEGER4;
			return pointed == 0 && number_of(&type, DW_AT_byte_size) == 4;
		default:
			return pointed == 0 && is_base(&type, ret);
		}
	}
	return false;
}

static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path ? path : "";
}

/* ---- static variables: of a module, once ---- */

struct variable {
	uintptr_t at;
	size_t bytes;
	const char *name, *file;
	int line;
	hb_element type;
	bool typed;
};
static struct {
	Dwfl_Module *module;
	struct variable *variable;
	size_t n, room;
} tables[64];
static unsigned modules_read;

/* Where a variable stays, whatever the program does. */
static bool address_of(Dwarf_Die *die, Dwarf_Addr *ret)
{
	Dwarf_Attribute a, indirect;
	Dwarf_Op *op;
	size_t n;
	if (!dw.dwarf_attr_integrate(die, DW_AT_location, &a) || dw.dwarf_getlocation(&a, &op, &n) || n != 1)
		return false;
	*ret = op->number;
	if (op->atom == DW_OP_addr)
		return true;
	return op->atom == DW_OP_addrx && !dw.dwarf_getlocation_attr(&a, op, &indirect) &&
	       !dw.dwarf_formaddr(&indirect, ret);
}

static void add(unsigned table, Dwarf_Die *cu, Dwarf_Die *die, Dwarf_Addr bias)
{
	Dwarf_Addr at;
	Dwarf_Word bytes;
	Dwarf_Die type;
	bool described = false;
	if (!address_of(die, &at) || !type_of(die, &type))
		return;
	struct variable v = {at + bias, 0, dw.dwarf_diename(die), NULL, 0, HB_INTEGER1, false};
	v.typed = element_of(die, 0, &v.type, &described);
	if (described || dw.dwarf_aggregate_size(&type, &bytes) || !bytes || !v.name)
		return;
	v.bytes = bytes;
	v.file = dw.dwarf_decl_file(die);
	if (!v.file) /* DWARF 5 numbers files from 0, which not every libdw knows */
		v.file = dw.dwarf_diename(cu);
	dw.dwarf_decl_line(die, &v.line);
	if (tables[table].n == tables[table].room) {
		size_t room = tables[table].room * 2 + 256;
		struct variable *more = hb__trace_pages(room * sizeof *more);
		if (!more)
			return;
		if (tables[table].n)
			memcpy(more, tables[table].variable, tables[table].n * sizeof *more);
		tables[table].variable = more;
		tables[table].room = room;
	}
	tables[table].variable[tables[table].n++] = v;
}

static void walk(unsigned table, Dwarf_Die *cu, Dwarf_Die *die, Dwarf_Addr bias, int depth)
{
	Dwarf_Die child;
	if (depth > 20 || dw.dwarf_child(die, &child))
		return;
	do {
		switch (dw.dwarf_tag(&child)) {
		case DW_TAG_variable:
			add(table, cu, &child, bias);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_common_block:
		case DW_TAG_inlined_subroutine:
			walk(table, cu, &child, bias, depth + 1);
			break;
		default:
			break;
		}
	} while (!dw.dwarf_siblingof(&child, &child));
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = ((const struct variable *)a)->at, y = ((const struct variable *)b)->at;
	return (x > y) - (x < y);
}

static unsigned table_of(Dwfl_Module *m)
{
	for (unsigned i = 0; i < modules_read; i++)
		if (tables[i].module == m)
			return i;
	if (modules_read == sizeof tables / sizeof *tables)
		return modules_read;
	unsigned i = modules_read++;
	Dwarf_Addr bias;
	tables[i].module = m;
	for (Dwarf_Die *cu = NULL; (cu = dw.dwfl_module_nextcu(m, cu, &bias)) != NULL;)
		walk(i, cu, cu, bias, 0);
	if (tables[i].n)
		qsort(tables[i].variable, tables[i].n, sizeof *tables[i].variable, by_address);
	return i;
}

bool hb__identity_static(const void *p, uintptr_t module, struct hb__identity *ret)
{
	uintptr_t at = (uintptr_t)p;
	Dwfl_Module *m = modules() ? dw.dwfl_addrmodule(dw.all, module) : NULL;
	unsigned table = m ? table_of(m) : modules_read;
	if (!m || table == sizeof tables / sizeof *tables)
		return false;
	const struct variable *v = tables[table].variable;
	size_t low = 0, high = tables[table].n;
	while (low < high) { /* the last one that does not begin behind it */
		size_t middle = (low + high) / 2;
		if (v[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at - v[low - 1].at >= v[low - 1].bytes)
		return false;
	v += low - 1;
	*ret = (struct hb__identity){
		.line = (uint32_t)v->line, .type = v->type, .typed = v->typed, .at = v->at, .bytes = v->bytes};
	snprintf(ret->name, sizeof ret->name, "%s", v->name);
	snprintf(ret->file, sizeof ret->file, "%s", last_part(v->file));
	return true;
}

/* ---- blocks ---- */

/* The variable of this name that a scope around `pc` declares, or the compilation unit: what it points to. 1; 0: there is none; -1: to
 * something else than numbers. */
static int pointed_by(Dwarf_Die *cu, Dwarf_Addr pc, const char *name, int pointed, hb_element *ret)
{
	Dwarf_Die *scopes = NULL, child;
	bool described;
	int found = 0, n = dw.dwarf_getscopes(cu, pc, &scopes);
	for (int i = 0; i < n && !found; i++) {
		if (dw.dwarf_child(&scopes[i], &child))
			continue;
		do {
			const char *own = dw.dwarf_diename(&child);
			int tag = dw.dwarf_tag(&child);
			if (own && !strcmp(own, name) && (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter))
				found = element_of(&child, pointed, ret, &described) ? 1 : -1;
		} while (!found && !dw.dwarf_siblingof(&child, &child));
	}
	free(scopes);
	return found;
}

/* A member of any structure, by its name, or a variable of a module: all with this name agree, or none counts. */
static void members(Dwarf_Die *die, const char *name, int depth, hb_element *ret, int *ret_found)
{
	Dwarf_Die child;
	if (depth > 6 || dw.dwarf_child(die, &child))
		return;
	do {
		const char *own = dw.dwarf_diename(&child);
		int tag = dw.dwarf_tag(&child);
		bool described;
		hb_element type;
		if ((tag == DW_TAG_member || tag == DW_TAG_variable) && own && !strcmp(own, name) &&
			element_of(&child, 1, &type, &described)) {
			*ret_found = *ret_found && *ret != type ? -1 : *ret_found < 0 ? -1 : 1;
			*ret = type;
		} else if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_module ||
			   tag == DW_TAG_namespace || tag == DW_TAG_union_type)
			members(&child, name, depth + 1, ret, ret_found);
	} while (!dw.dwarf_siblingof(&child, &child));
}

/* std::allocator<double> and its like allocate what their names say. */
static bool by_allocator(Dwarf_Die *cu, Dwarf_Addr pc, hb_element *ret)
{
	static const struct {
		const char *code;
		hb_element type;
	} list[] = {{"allocatorIdE", HB_REAL8}, {"allocatorIfE", HB_REAL4}, {"allocatorIiE", HB_INTEGER4},
		{"allocatorIjE", HB_INTEGER4}, {"allocatorIlE", HB_INTEGER8}, {"allocatorImE", HB_INTEGER8},
		{"allocatorISt7complexIdEE", HB_COMPLEX16}, {"allocatorISt7complexIfEE", HB_COMPLEX8}};
	Dwarf_Die *scopes = NULL;
	bool found = false;
	int n = dw.dwarf_getscopes(cu, pc, &scopes);
	for (int i = 0; i < n && !found; i++) {
		Dwarf_Attribute a;
		const char *name =
			dw.dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &a) ? dw.dwarf_formstring(&a) : NULL;
		for (size_t k = 0; name && !found && k < sizeof list / sizeof *list; k++)
			if (strstr(name, list[k].code)) {
				*ret = list[k].type;
				found = true;
			}
	}
	free(scopes);
	return found;
}

/* What the text of the line calls the block, and the last name in that, by which its declaration is found: `s->u = malloc(...)`,
 * `posix_memalign((void **)&u, ...)`, `allocate(u(0:n))`. column: where in it the call stands, from 1, 0: not known; the last assignment before it
 * counts, else the first one of the line. False: it is not as simple. */
static bool named(const char *line, int column, char name[200], char last[200])
{
	const char *from = strstr(line, "posix_memalign"), *to, *equals = NULL;
	for (const char *p = line; *p && (column ? p - line < column : !equals); p++)
		if (*p == '=' && p[1] != '=' && (p == line || !strchr("=<>!+-*/", p[-1])))
			equals = p;
	if (from && (from = strchr(from, '&')) != NULL) {
		from++;
		to = from + strcspn(from, ",)");
	} else if ((from = strcasestr(line, "allocate")) != NULL && from[strspn(from, "allocteALOCTE ")] == '(') {
		from = strchr(from, '(') + 1;
		from += strspn(from, " ");
		to = from + strcspn(from, "( ,)");
	} else if (equals) {
		for (to = equals; to > line && isspace((unsigned char)to[-1]); to--)
			;
		for (from = to; from > line && (isalnum((unsigned char)from[-1]) || strchr("_.>-[]%", from[-1]));
			from--)
			;
	} else
		return false;
	if (to <= from || to - from >= 200)
		return false;
	snprintf(name, 200, "%.*s", (int)(to - from), from);
	char *end = name + strcspn(name, "[");
	char *begin = end;
	while (begin > name && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
		begin--;
	snprintf(last, 200, "%.*s", (int)(end - begin), begin);
	return *last && !isdigit((unsigned char)*last);
}

static bool is_fortran(const char *file)
{
	const char *dot = strrchr(file, '.');
	return dot && strcasestr(dot, ".f");
}

/* The line of a source with what the one before it has of its statement, "" where the source is not there; where the line itself begins in
 * that. A relative path is one from where it was compiled. */
static const char *line_of(Dwarf_Die *cu, const char *file, int line, char to[1200])
{
	char path[2048], now[600] = "", before[600] = "";
	Dwarf_Attribute a;
	const char *from =
		*file != '/' && dw.dwarf_attr_integrate(cu, DW_AT_comp_dir, &a) ? dw.dwarf_formstring(&a) : NULL;
	snprintf(path, sizeof path, "%s%s%s", from ? from : "", from ? "/" : "", file);
	FILE *f = fopen(path, "re");
	for (int i = 1; f && i <= line; i++) {
		memcpy(before, now, sizeof before);
		if (!fgets(now, sizeof now, f))
			break;
		if (!strchr(now, '\n')) /* a long one goes on */
			i--;
	}
	if (f)
		fclose(f);
	size_t n = strlen(before);
	while (n && isspace((unsigned char)before[n - 1]))
		n--;
	bool on = n && (is_fortran(file) ? before[n - 1] == '&' : !strchr(";{}/:", before[n - 1]));
	n = on ? n : 0;
	snprintf(to, 1200, "%.*s %s", (int)n, before, now);
	return to + n;
}

/* The compilation unit of an address, also of a compiler that makes no list of them (clang). */
static Dwarf_Die *unit_of(Dwfl_Module *m, Dwarf_Addr pc, Dwarf_Addr *ret_bias)
{
	Dwarf_Die *cu = dw.dwfl_module_addrdie(m, pc, ret_bias);
	if (!cu)
		while ((cu = dw.dwfl_module_nextcu(m, cu, ret_bias)) != NULL && dw.dwarf_haspc(cu, pc - *ret_bias) <= 0)
			;
	return cu;
}

static void find_block(const void *made, struct hb__identity *ret)
{
	char line[1200], last[200];
	Dwarf_Addr pc = (Dwarf_Addr)(uintptr_t)made - 1, bias;
	*ret = (struct hb__identity){.name = "heap"};
	Dwfl_Module *m = modules() ? dw.dwfl_addrmodule(dw.all, pc) : NULL;
	Dwarf_Die *cu = m ? unit_of(m, pc, &bias) : NULL;
	Dwarf_Line *at = cu ? dw.dwarf_getsrc_die(cu, pc - bias) : NULL;
	int number = 0, found = 0, column = 0;
	const char *file = at && !dw.dwarf_lineno(at, &number) ? dw.dwarf_linesrc(at, NULL, NULL) : NULL;
	if (!file)
		return;
	snprintf(ret->file, sizeof ret->file, "%s", last_part(file));
	ret->line = (uint32_t)number;
	if (by_allocator(cu, pc - bias, &ret->type)) {
		ret->typed = true;
		return;
	}
	const char *itself = line_of(cu, file, number, line);
	if (dw.dwarf_linecol(at, &column) || column < 0 || (size_t)column > strlen(itself))
		column = 0;
	if (!named(itself, column, ret->name, last) && !named(line, 0, ret->name, last)) {
		snprintf(ret->name, sizeof ret->name, "heap");
		return;
	}
	for (char *p = last; *p && is_fortran(file); p++)
		*p = (char)tolower((unsigned char)*p);
	int variable = strpbrk(ret->name, ".>%") ? 0 : pointed_by(cu, pc - bias, last, 1, &ret->type);
	if (variable < 0 && strchr(ret->name, '[')) /* rows[i] = malloc(...), of a pointer to pointers */
		variable = pointed_by(cu, pc - bias, last, 2, &ret->type);
	ret->typed = variable > 0;
	if (!variable) {
		members(cu, last, 0, &ret->type, &found);
		ret->typed = found == 1;
	}
}

void hb__identity_block(const void *made, struct hb__identity *ret)
{
	static struct {
		const void *made;
		struct hb__identity *known;
	} cache[1024];
	size_t i = ((uintptr_t)made ^ (uintptr_t)made >> 10) % (sizeof cache / sizeof *cache);
	if (cache[i].known && cache[i].made == made) {
		*ret = *cache[i].known;
		return;
	}
	find_block(made, ret);
	if (!cache[i].known)
		cache[i].known = hb__trace_pages(sizeof *cache[i].known);
	cache[i].made = made;
	if (cache[i].known)
		*cache[i].known = *ret;
}
