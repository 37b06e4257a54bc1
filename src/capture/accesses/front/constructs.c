/* What a program consists of: a construct is one place of the nest, however often it runs. */
#include <stdio.h>
#include <string.h>

#include "capture/accesses/front/front.h"

#define BUCKETS 1024u
#define KNOWN 256u
#define NAME_MOST 200u

static struct hb__construct *bucket[BUCKETS], *known[KNOWN], *all, **last = &all;
static uint32_t count;

static const hb_construct_wanted *wanted_of(const struct hb__construct *c)
{
	uint32_t parent = c->parent && c->parent->wanted ? c->parent->wanted->number : 0;
	if (c->parent && !parent)
		return NULL;
	for (size_t i = 0; i < hb__wanted.constructs; i++) {
		const hb_construct_wanted *w = &hb__wanted.construct[i];
		if (w->parent == parent && w->type == c->type && w->line == c->line &&
			!strcmp(w->name ? w->name : "", c->name) &&
			!strcmp(hb__last_part(w->file), hb__last_part(c->file)))
			return w;
	}
	return NULL;
}

static hb_trace_level level_of(const struct hb__construct *c)
{
	if (c->wanted && c->wanted->level != HB_TRACE_INHERITED)
		return c->wanted->level;
	return c->parent ? c->parent->level : hb__wanted.level;
}

static void name_event(struct hb__construct *c)
{
	static const char *const as[] = {"loop", "steps", "region", "point"};
	snprintf(c->event, sizeof c->event, "%s %s", as[c->type], c->name);
}

static void define(struct hb__thread *t, const struct hb__construct *c)
{
	if (!hb__put_begin(t, 8 * HB__UV + 3 * HB__TEXT_MOST, false))
		return;
	uint8_t *w = hb__uv(t->w, HB_TRACE_CONSTRUCT);
	w = hb__uv(w, c->number);
	w = hb__uv(w, c->parent ? c->parent->number : 0);
	w = hb__uv(w, c->type);
	w = hb__uv(w, c->rank);
	w = hb__str(w, c->name);
	w = hb__str(w, c->file);
	w = hb__uv(w, c->line);
	w = hb__str(w, c->function);
	t->w = hb__uv(w, c->level);
	hb__put_done(t);
}

static struct hb__construct *make(struct hb__thread *t, struct hb__construct *parent, hb_construct_type type,
	const char *name, const char *file, int line, const char *function)
{
	struct hb__construct *c = hb__room_for(sizeof *c);
	if (!c)
		return NULL;
	c->name = hb__text_copy(name, NAME_MOST);
	c->file = hb__text_copy(file, HB__TEXT_MOST);
	c->function = hb__text_copy(function, NAME_MOST);
	if (!c->name || !c->file || !c->function)
		return NULL;
	c->number = ++count;
	c->type = type;
	c->parent = parent;
	c->line = (uint32_t)line;
	c->rank = type == HB_CONSTRUCT_POINT ? 0 : 1;
	c->wanted = wanted_of(c);
	c->level = level_of(c);
	name_event(c);
	define(t, c);
	*last = c;
	last = &c->all;
	return c;
}

static unsigned hash(const struct hb__construct *parent, hb_construct_type type, const char *name, int line)
{
	uint64_t h = (uint64_t)line * 31 + type + (parent ? parent->number * 1009u : 0);
	for (unsigned i = 0; i < NAME_MOST && name[i]; i++)
		h = (h ^ (uint8_t)name[i]) * 0x100000001b3u;
	return (unsigned)(h ^ h >> 32) % BUCKETS;
}

static struct hb__construct *search(struct hb__thread *t, struct hb__construct *parent, hb_construct_type type,
	const char *name, const char *file, int line, const char *function)
{
	struct hb__construct **at = &bucket[hash(parent, type, name, line)], *c = *at;
	while (c && (c->parent != parent || c->type != type || c->line != (uint32_t)line ||
			    strncmp(c->name, name, NAME_MOST) || strncmp(c->file, file, HB__TEXT_MOST)))
		c = c->next;
	if (!c && (c = make(t, parent, type, name, file, line, function))) {
		c->next = *at;
		*at = c;
	}
	return c;
}

struct hb__construct *hb__construct_of(struct hb__thread *t, struct hb__construct *parent, hb_construct_type type,
	const char *name, const char *file, int line, const char *function)
{
	name = name ? name : "";
	file = file ? file : "";
	uintptr_t h = ((uintptr_t)parent >> 4) + (uintptr_t)name * 31 + (unsigned)line * 17u + type;
	struct hb__construct **quick = &known[(h ^ h >> 8) % KNOWN], *c = *quick;
	/* a name may be made in the same memory each time */
	if (likely(c && c->parent == parent && c->type == type && c->line == (uint32_t)line && c->name_at == name &&
		    c->file_at == file && !strncmp(c->name, name, NAME_MOST)))
		return c;
	c = search(t, parent, type, name, file, line, function ? function : "");
	if (c) {
		c->name_at = name;
		c->file_at = file;
		*quick = c;
	}
	return c;
}

void hb__looked_at(uint64_t reads, uint64_t writes)
{
	if (!all)
		return;
	all->cost[2] += reads;
	all->cost[3] += writes;
}

void hb__constructs_cost(struct hb__thread *t)
{
	for (const struct hb__construct *c = all; c; c = c->all) {
		if (!hb__put_begin(t, 8 * HB__UV, false))
			return;
		uint8_t *w = hb__uv(t->w, HB_TRACE_COST);
		w = hb__uv(w, c->number);
		for (unsigned i = 0; i < 5; i++)
			w = hb__uv(w, c->cost[i]);
		t->w = w;
		hb__put_done(t);
	}
}
