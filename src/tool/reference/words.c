/* Parts of what is said about arrays, points and constructs. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "../show/source.h"
#include "reference.h"

/* Texts that live for the next few calls. */
static const char *briefly(char *text)
{
	static char *kept[16];
	static size_t next;
	free(kept[next % 16]);
	return kept[next++ % 16] = text;
}

const char *hb__array_words(const hb_array_shape *s, unsigned access)
{
	static const char *const letters[] = {NULL, "r", "w", "rw"};
	char *name = hb__inert(s->id.name), *file = hb__inert(s->id.file);
	char *text = hb__format("(\"%s\", \"%s\", %u, %u%s%s%s)", name, file, s->id.line, s->id.ordinal,
		access & 3 ? ", \"" : "", access & 3 ? letters[access & 3] : "", access & 3 ? "\"" : "");
	free(name);
	free(file);
	return briefly(text);
}

const char *hb__construct_words(const hb_trace_construct *c)
{
	static const char *const types[] = {"parallel loop", "sequential loop", "region", "point"};
	if (!c)
		return "the end";
	const char *slash = strrchr(c->file, '/');
	char *name = hb__inert(c->name), *file = hb__inert(slash ? slash + 1 : c->file);
	char *text = c->line ? hb__format("%s \"%s\" (%s:%u)", types[c->type], name, file, c->line)
			     : hb__format("%s \"%s\"", types[c->type], name);
	free(name);
	free(file);
	return briefly(text);
}

const char *hb__point_words(const hb_point *point)
{
	char text[HB_POINT_TEXT];
	return point->number ? briefly(hb__copy(hb_point_text(point, text))) : "the end";
}

char *hb__box_words(const hb_array_shape *s, const int64_t *first, const int64_t *count)
{
	char *text = hb__copy("[");
	for (unsigned d = 0; d < s->as.rank; d++) {
		int64_t from = first[d] + s->as.base[d];
		char *more = count[d] == 1 ? hb__format("%s%s%" PRId64, text, d ? ", " : "", from)
					   : hb__format("%s%s%" PRId64 "..%" PRId64, text, d ? ", " : "", from,
						     from + count[d] - 1);
		free(text);
		text = more;
	}
	char *all = hb__format("%s]", text);
	free(text);
	return all;
}

char *hb__element_words(const hb_array_shape *s, uint64_t element)
{
	int64_t index[HB_DIMENSIONS] = {0}, one[HB_DIMENSIONS];
	bool owned;
	if (!s->tiled || (s->flags & HB_TRACE_ARRAY_OWN))
		return hb__format("[%" PRIu64 "]", element);
	hb_array_index(&s->as, (int64_t)element, index, &owned);
	for (unsigned d = 0; d < HB_DIMENSIONS; d++)
		one[d] = 1;
	return hb__box_words(s, index, one);
}

const char *hb__extents_words(const hb_array_shape *s)
{
	char *text = hb__copy("");
	for (unsigned d = 0; d < s->as.rank; d++) {
		char *more = hb__format("%s%s%" PRId64, text, d ? " x " : "", s->as.global[d]);
		free(text);
		text = more;
	}
	char *all = hb__format("%s %s", text, hb_element_name(s->as.type));
	free(text);
	return briefly(all);
}

const char *hb__access_place(const hb_traced *t, const hb_access *a)
{
	const hb_trace *trace = hb_points_trace(t->points, a->process);
	const hb_trace_place *p = a->place ? hb_trace_place_of(trace, a->place) : NULL;
	const char *module = p ? hb_trace_module_of(trace, p->module) : NULL;
	/* what looks up lines takes the address behind an instruction */
	return module ? hb__source_place(module, NULL, p->offset - p->back + 1)->text : NULL;
}

void hb__numbers_words(double a, double b, char a_text[40], char b_text[40])
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(a_text, 40, "%.*g", digits, a);
		snprintf(b_text, 40, "%.*g", digits, b);
		if (strcmp(a_text, b_text) != 0)
			return;
	}
}
