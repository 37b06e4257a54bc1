/* Source lines of call sites: libdw finds the lines, also in separate debug files, by build identity. */
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inert.h"
#include "source.h"

struct module {
	char *path, *build_id;
	Dwfl *dwfl;
	Dwfl_Module *dw; /* NULL: no such file now, or another */
	GElf_Addr bias;
	void *sites; /* tree of struct site */
	struct module *next;
};

struct site {
	uint64_t offset;
	hb_place place;
};

static struct module *modules;

static bool same_build(Dwfl_Module *dw, const char *build_id)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(dw, &bits, &at);
	if (n <= 0 || !*build_id)
		return true;
	for (int i = 0; i < n; i++) {
		char hex[3];
		snprintf(hex, sizeof hex, "%02x", bits[i]);
		if (strncmp(hex, build_id + 2 * i, 2))
			return false;
	}
	return true;
}

static void open_module(struct module *m)
{
	static char *debug_folders;
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &debug_folders};
	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl)
		return;
	m->dw = dwfl_report_offline(m->dwfl, m->path, m->path, -1);
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (m->dw && (!dwfl_module_getelf(m->dw, &m->bias) || !same_build(m->dw, m->build_id)))
		m->dw = NULL;
}

static struct module *find_module(const char *path, const char *build_id)
{
	build_id = build_id ? build_id : "";
	for (struct module *m = modules; m; m = m->next)
		if (!strcmp(m->path, path) && !strcmp(m->build_id, build_id))
			return m;
	struct module *m = hb__alloc(sizeof *m);
	m->path = hb__copy(path);
	m->build_id = hb__copy(build_id);
	m->next = modules;
	modules = m;
	open_module(m);
	return m;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void look_up(const struct module *m, struct site *s)
{
	/* the return address is behind the call, maybe on the next line */
	Dwfl_Line *line = m->dw && s->offset ? dwfl_module_getsrc(m->dw, s->offset - 1 + m->bias) : NULL;
	int number = 0;
	const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
	if (file && number > 0) {
		char *name = hb__inert(base(file));
		s->place = (hb_place){hb__format("%s:%d", name, number), hb__copy(file), number};
		free(name);
		return;
	}
	char *name = hb__inert(base(m->path));
	s->place.text = hb__format("%s+0x%llx", name, (unsigned long long)s->offset);
	free(name);
}

static int by_offset(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

const hb_place *hb__source_place(const char *path, const char *build_id, uint64_t offset)
{
	struct module *m = find_module(path, build_id);
	struct site *s = hb__alloc(sizeof *s);
	s->offset = offset;
	struct site **found = tsearch(s, &m->sites, by_offset);
	if (!found) {
		hb__say("out of memory");
		exit(HB_EXIT_RECORDING);
	}
	if (*found != s)
		free(s);
	else
		look_up(m, s);
	return &(*found)->place;
}

struct Dwfl_Module *hb__source_module(const char *path, const char *build_id, uint64_t *ret_bias)
{
	const struct module *m = find_module(path, build_id);
	*ret_bias = m->bias;
	return m->dw;
}

const hb_place *hb__place_of_site(const hb_log *log, uint32_t number)
{
	const hb_site *site = hb_log_site(log, number);
	const hb_module *module = site ? hb_log_module(log, site->module) : NULL;
	return module && module->path ? hb__source_place(module->path, module->build_id, site->offset) : NULL;
}

char *hb__with_places(const char *text)
{
	char *out = hb__copy("");
	while (*text) {
		const char *at = strchr(text, '@'), *end = at ? strpbrk(at + 1, "@\n") : NULL;
		const char *plus = NULL;
		for (const char *p = at; p && end && p < end; p++)
			plus = !strncmp(p, "+0x", 3) ? p : plus;
		size_t before = at ? (size_t)(at - text) : strlen(text);
		char *more;
		if (plus && *end == '@') {
			char *path = hb__format("%.*s", (int)(plus - at - 1), at + 1);
			more = hb__format("%s%.*s%s", out, (int)before, text,
				hb__source_place(path, NULL, strtoull(plus + 3, NULL, 16))->text);
			free(path);
			text = end + 1;
		} else {
			size_t keep = before + (at ? 1 : 0);
			more = hb__format("%s%.*s", out, (int)keep, text);
			text += keep;
		}
		free(out);
		out = more;
	}
	return out;
}
