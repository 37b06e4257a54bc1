/* From an address to function, file and line, by the debugging information of its module. libdw is loaded when the first one is asked for, so
 * that a program without OpenMP does not get it. */
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/accesses/front/omp/omp.h"

#define SOURCES 4096u
#define MODULES 64u

/* What is used of libdw. */
static struct {
	__typeof__(dwarf_begin) *dwarf_begin;
	__typeof__(dwarf_nextcu) *dwarf_nextcu;
	__typeof__(dwarf_offdie) *dwarf_offdie;
	__typeof__(dwarf_haspc) *dwarf_haspc;
	__typeof__(dwarf_child) *dwarf_child;
	__typeof__(dwarf_siblingof) *dwarf_siblingof;
	__typeof__(dwarf_diename) *dwarf_diename;
	__typeof__(dwarf_tag) *dwarf_tag;
	__typeof__(dwarf_getsrc_die) *dwarf_getsrc_die;
	__typeof__(dwarf_linesrc) *dwarf_linesrc;
	__typeof__(dwarf_lineno) *dwarf_lineno;
} dw;

static bool load(void)
{
	static bool tried, good;
	if (tried)
		return good;
	tried = true;
	void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
#define FIND(name) (dw.name = (__typeof__(name) *)dlsym(library, #name))
	good = library && FIND(dwarf_begin) && FIND(dwarf_nextcu) && FIND(dwarf_offdie) && FIND(dwarf_haspc) &&
	       FIND(dwarf_child) && FIND(dwarf_siblingof) && FIND(dwarf_diename) && FIND(dwarf_tag) &&
	       FIND(dwarf_getsrc_die) && FIND(dwarf_linesrc) && FIND(dwarf_lineno);
#undef FIND
	if (!good)
		hb__door->say("libdw.so.1 is not there: constructs of OpenMP are called by their addresses");
	return good;
}

/* ---- modules ---- */

static struct module {
	uintptr_t base;
	const char *path;
	Dwarf *dwarf; /* NULL: there is none */
	bool foreign;
} modules[MODULES];
static unsigned nmodules;

/* Their loops depend on how many threads there are, and on sizes; they are no part of what the program's source says. */
static bool is_foreign(const char *path)
{
	static const char *const libraries[] = {
		"libopenblas", "libblas", "liblapack", "libblis", "libfftw3", "libmkl", NULL};
	const char *name = hb__last_part(path);
	for (const char *const *l = libraries; *l; l++)
		if (!strncmp(name, *l, strlen(*l)))
			return true;
	return false;
}

static struct module *module_of(const struct link_map *map)
{
	char self[4096];
	for (unsigned i = 0; i < nmodules; i++)
		if (modules[i].base == map->l_addr)
			return &modules[i];
	if (nmodules == MODULES)
		return NULL;
	struct module *m = &modules[nmodules++];
	const char *path = map->l_name;
	if (!*path) {
		ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
		self[n > 0 ? n : 0] = 0;
		path = self;
	}
	m->base = map->l_addr;
	m->path = hb__text_copy(path, 4096);
	m->foreign = is_foreign(path);
	int fd = m->foreign || !load() ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	m->dwarf = fd >= 0 ? dw.dwarf_begin(fd, DWARF_C_READ) : NULL;
	if (!m->dwarf && fd >= 0)
		close(fd);
	return m;
}

/* ---- addresses ---- */

static bool unit_of(Dwarf *dwarf, Dwarf_Addr at, Dwarf_Die *ret)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	for (; !dw.dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL); offset = next)
		if (dw.dwarf_offdie(dwarf, offset + header, ret) && dw.dwarf_haspc(ret, at) > 0)
			return true;
	return false;
}

static bool may_hold_functions(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_namespace || tag == DW_TAG_module;
}

/* The innermost function, whether it stands by itself there or was taken into another one: the same at every optimisation. GCC puts the
 * functions that it makes of constructs, NAME._omp_fn.0, into those that they are from, of which it does not say that they have the address.
 * name: of the function around. */
static const char *function_at(Dwarf_Die *around, Dwarf_Addr at, const char *name, unsigned deep)
{
	const char *found = NULL;
	Dwarf_Die die;
	for (int e = dw.dwarf_child(around, &die); !e && !found && deep < 64; e = dw.dwarf_siblingof(&die, &die)) {
		int tag = dw.dwarf_tag(&die);
		if (!may_hold_functions(tag))
			continue;
		const char *own =
			tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ? dw.dwarf_diename(&die) : NULL;
		if (own && name && strstr(own, "._omp_fn"))
			own = name;
		found = function_at(&die, at, own ? own : name, deep + 1);
		if (!found && own && dw.dwarf_haspc(&die, at) > 0)
			found = own;
	}
	return found;
}

static void name_function(Dwarf_Die *unit, Dwarf_Addr at, struct hb__source *s)
{
	const char *name = function_at(unit, at, NULL, 0), *made = name ? strstr(name, "._omp_fn") : NULL;
	if (name)
		s->function = hb__text_copy(name, made ? (size_t)(made - name) : 200);
}

static void look(struct hb__source *s, const struct module *m, Dwarf_Addr at)
{
	Dwarf_Die unit;
	if (!m->dwarf || !unit_of(m->dwarf, at, &unit))
		return;
	Dwarf_Line *line = dw.dwarf_getsrc_die(&unit, at);
	const char *file = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dw.dwarf_lineno(line, &s->line))
		return;
	s->file = hb__text_copy(file, HB__TEXT_MOST);
	name_function(&unit, at, s);
}

static void find(struct hb__source *s, const void *code)
{
	Dl_info info;
	struct link_map *map = NULL;
	char text[256];
	const struct module *m = dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) && map ? module_of(map) : NULL;
	if (m) {
		s->foreign = m->foreign;
		look(s, m, (uintptr_t)code - m->base);
	}
	if (!s->file)
		s->file = "";
	if (s->function)
		return;
	snprintf(text, sizeof text, "%s+0x%lx", m ? hb__last_part(m->path) : "",
		(unsigned long)((uintptr_t)code - (m ? m->base : 0)));
	s->function = hb__text_copy(text, sizeof text);
}

/* Asked by the first thread alone. */
const struct hb__source *hb__source_of(const void *code)
{
	static struct {
		const void *code;
		struct hb__source is;
	} known[SOURCES];
	static unsigned n;
	unsigned i = (unsigned)(((uintptr_t)code * 0x9e3779b97f4a7c15u) >> 52);
	while (known[i % SOURCES].code && known[i % SOURCES].code != code)
		i++;
	struct hb__source *s = &known[i % SOURCES].is;
	if (likely(known[i % SOURCES].code == code))
		return s->function ? s : NULL;
	if (n == SOURCES / 2)
		return NULL;
	n++;
	uint8_t before = hb__door->aside();
	find(s, code);
	hb__door->back(before);
	known[i % SOURCES].code = code;
	return s->function ? s : NULL;
}
