/* Which array of one run is which of the other, and what is remembered of each. */
#include <string.h>

#include "base/grow.h"
#include "rules/reference/inside.h"

bool hb__alike(const hb_array_id *a, const hb_array_id *b)
{
	return a->ordinal == b->ordinal && !strcmp(a->name, b->name) && !strcmp(a->file, b->file);
}

/* Whether two checks may be of one array, by line too. A replicated array is compared by its first copy, one of a process with that of the same. */
static bool may_be(const hb_reference *r, const hb_check *a, const hb_check *b, bool line)
{
	if (!hb__alike(&a->shape->id, &b->shape->id) || (line && a->shape->id.line != b->shape->id.line))
		return false;
	return (!a->own && !b->own) || (a->own && b->own && a->process == b->process &&
					       hb_points_processes(r->points[0]) == hb_points_processes(r->points[1]));
}

const hb_check *hb__first_copy(const hb_step *s, const hb_check *c)
{
	if (!(c->shape->flags & HB_TRACE_ARRAY_REPLICATED))
		return NULL;
	for (const hb_check *b = s->check; b < c; b++)
		if ((b->shape->flags & HB_TRACE_ARRAY_REPLICATED) && b->shape->id.line == c->shape->id.line &&
			hb__alike(&b->shape->id, &c->shape->id))
			return b;
	return NULL;
}

static const hb_check *exact(hb_reference *r, const hb_check *a, size_t guess)
{
	const hb_step *s = &r->step[HB_OF_RUN];
	for (size_t k = 0; k < s->checks; k++) {
		size_t i = (guess + k) % s->checks;
		if (!r->taken[i] && may_be(r, a, &s->check[i], true)) {
			r->taken[i] = true;
			return &s->check[i];
		}
	}
	return NULL;
}

/* With another line, where there is only one on both sides. */
static const hb_check *moved(hb_reference *r, const hb_check *a)
{
	const hb_step *sa = &r->step[HB_OF_REFERENCE], *sb = &r->step[HB_OF_RUN];
	const hb_check *found = NULL;
	for (size_t i = 0; i < sa->checks; i++)
		if (&sa->check[i] != a && !r->match[i] && may_be(r, &sa->check[i], a, false) &&
			sa->check[i].process == a->process)
			return NULL;
	for (size_t i = 0; i < sb->checks; i++)
		if (!r->taken[i] && may_be(r, a, &sb->check[i], false)) {
			if (found)
				return NULL;
			found = &sb->check[i];
		}
	if (found)
		r->taken[found - sb->check] = true;
	return found;
}

bool hb__match(hb_reference *r)
{
	const hb_step *a = &r->step[HB_OF_REFERENCE], *b = &r->step[HB_OF_RUN];
	if (!HB_GROW(r->match, r->match_room, a->checks + 1) || !HB_GROW(r->taken, r->taken_room, b->checks + 1))
		return false;
	for (size_t i = 0; i < b->checks; i++)
		r->taken[i] = hb__first_copy(b, &b->check[i]) != NULL;
	for (size_t i = 0; i < a->checks; i++)
		r->match[i] = hb__first_copy(a, &a->check[i]) ? NULL : exact(r, &a->check[i], i);
	for (size_t i = 0; i < a->checks; i++)
		if (!r->match[i] && !hb__first_copy(a, &a->check[i]))
			r->match[i] = moved(r, &a->check[i]);
	return true;
}

struct hb__known *hb__reference_know(hb_reference *r, const hb_array_shape *shape, uint32_t process)
{
	for (size_t i = 0; i < r->knowns; i++) {
		struct hb__known *k = &r->known[i];
		if (k->shape == shape && k->process == process)
			return k;
		if (k->process == process && k->shape->id.line == shape->id.line &&
			hb__alike(&k->shape->id, &shape->id)) {
			k->shape = shape; /* registered again */
			return k;
		}
	}
	if (!HB_GROW(r->known, r->knowns_room, r->knowns + 1))
		return NULL;
	r->known[r->knowns] = (struct hb__known){.shape = shape, .process = process};
	return &r->known[r->knowns++];
}
