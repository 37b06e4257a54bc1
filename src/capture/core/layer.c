/* The layers that are there. */
#include "capture/core/layer.h"

#include <stdlib.h>
#include <string.h>

#include "capture/core/record/record.h"

static struct hb__layer *layers;
void (*hb__after_event)(void);
void (*hb__inside_call)(void);

bool hb__layer_asked(const char *name)
{
	const char *list = getenv("HBDB_LAYERS");
	size_t n = strlen(name);
	if (!list)
		return true;
	for (const char *p = list; *p; p += strspn(p, ":")) {
		size_t length = strcspn(p, ":");
		if (length == n && !strncmp(p, name, n))
			return true;
		p += length;
	}
	return false;
}

/* Takes the items of a list with colons that are called so, behind `begins` and before `ends`, out of a variable. */
static void take_out(const char *variable, const char *name, size_t length, const char *begins, const char *ends)
{
	const char *list = getenv(variable);
	char *rest = list ? malloc(strlen(list) + 1) : NULL, *w = rest;
	for (const char *p = list; w && *p; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":"), b = strlen(begins), e = strlen(ends);
		const char *slash = memrchr(p, '/', n), *item = slash ? slash + 1 : p;
		bool same = (size_t)(p + n - item) == b + length + e && !strncmp(item, begins, b) &&
			    !strncmp(item + b, name, length) && !strncmp(item + b + length, ends, e);
		if (!same) {
			w += w > rest ? (*w = ':', 1) : 0;
			memcpy(w, p, n);
			w += n;
		}
		p += n;
	}
	if (w) {
		*w = 0;
		setenv(variable, rest, 1);
	}
	free(rest);
}

void hb__layers_give_way(void)
{
	const char *found = getenv("HBDB_FOUND");
	if (!found || !hb__has_library())
		return;
	for (const char *p = found; *p; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":");
		take_out("HBDB_LAYERS", p, n, "", "");
		take_out("LD_PRELOAD", p, n, "libhbdb-", ".so");
		p += n;
	}
}

void hb__layer_add(struct hb__layer *layer)
{
	layer->off = !hb__layer_asked(layer->name);
	layer->first = hb__layers_functions();
	layer->next = layers;
	layers = layer;
	hb__learn_codes();
}

bool hb__layers_present(void)
{
	for (struct hb__layer *l = layers; l; l = l->next)
		if (!l->off && l->present && l->present())
			return true;
	return false;
}

enum hb__code hb__code_of(const char *path)
{
	enum hb__code code = HB__CODE_PROGRAM;
	for (struct hb__layer *l = layers; l && code == HB__CODE_PROGRAM; l = l->next)
		if (l->code_of)
			code = l->code_of(path);
	return code;
}

const struct hb__fn *hb__function_named(const char *name, uint8_t cls)
{
	const struct hb__fn *fn = NULL;
	for (struct hb__layer *l = layers; l && !fn; l = l->next)
		if (l->function)
			fn = l->function(name, cls);
	return fn;
}

void hb__layers_expected(int *ret_rank, int *ret_size)
{
	*ret_rank = 0;
	*ret_size = 1;
	for (struct hb__layer *l = layers; l; l = l->next)
		if (!l->off && l->expected && l->expected(ret_rank, ret_size))
			return;
}

void hb__progress(void)
{
	for (struct hb__layer *l = layers; l; l = l->next)
		if (l->progress)
			l->progress();
}

void hb__layers_leaving(void)
{
	for (struct hb__layer *l = layers; l; l = l->next)
		if (l->leaving)
			l->leaving();
}

void hb__layers_shut(void)
{
	for (struct hb__layer *l = layers; l; l = l->next)
		if (l->shut)
			l->shut();
}

void hb__layers_again(void)
{
	for (struct hb__layer *l = layers; l; l = l->next) {
		l->told = false;
		if (l->again)
			l->again();
	}
}

const char *hb__layers_polls(void)
{
	const char *polls = "";
	for (struct hb__layer *l = layers; l && !*polls; l = l->next)
		polls = l->polls ? l->polls : "";
	return polls;
}

const char *hb__layers_clock(void)
{
	const char *clock = "";
	for (struct hb__layer *l = layers; l && !*clock; l = l->next)
		clock = l->clock ? l->clock : "";
	return clock;
}

uint32_t hb__layers_library(char *text, size_t size)
{
	uint32_t library = 0;
	for (struct hb__layer *l = layers; l && !library; l = l->next)
		if (!l->off && l->library)
			library = l->library(text, size);
	return library;
}

unsigned hb__layers_functions(void)
{
	unsigned n = 0;
	for (struct hb__layer *l = layers; l; l = l->next)
		n += l->functions;
	return n;
}

/* Two layers without numbers of their own would have to share the free ones out: there is one. */
struct hb__layer *hb__layer_of_function(unsigned id)
{
	bool free = id >= hb__layers_functions();
	for (struct hb__layer *l = layers; l; l = l->next)
		if (free ? !l->functions : id - l->first < l->functions)
			return l;
	return NULL;
}
