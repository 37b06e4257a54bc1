/* Lanes: a span lies in its parent's when it fits in there and nothing else is under way, otherwise in the first one in which nothing is. */
#include <stdlib.h>

#include "base/grow.h"
#include "foreign/spans/spans.h"

struct lane {           /* of a process */
	uint32_t *open; /* spans under way, the outermost first */
	size_t n, cap;
};

struct lanes {
	struct lane *at;
	size_t n, cap;
};

static void close_until(struct hb__spans *s, struct lane *l, uint64_t time)
{
	while (l->n && s->at[l->open[l->n - 1]].end <= time)
		l->n--;
}

static struct lane *lane_of(struct hb__spans *s, struct lanes *all, const struct hb__span *span, bool *ret_nested)
{
	const struct hb__span *parent = span->parent.of == HB_NO ? NULL : &s->at[span->parent.of];
	*ret_nested = false;
	if (parent && parent->process == span->process) {
		struct lane *l = &all->at[parent->lane];
		/* What ends now but began in the same moment as this one is under way still: it is its parent. */
		while (l->n && l->open[l->n - 1] != span->parent.of && s->at[l->open[l->n - 1]].end <= span->start)
			l->n--;
		if (l->n && l->open[l->n - 1] == span->parent.of && span->end <= parent->end) {
			*ret_nested = true;
			return l;
		}
	}
	for (size_t i = 0; i < all->n; i++) {
		close_until(s, &all->at[i], span->start);
		if (!all->at[i].n)
			return &all->at[i];
	}
	if (!HB_GROW(all->at, all->cap, all->n + 1))
		return NULL;
	all->at[all->n] = (struct lane){0};
	return &all->at[all->n++];
}

void hb__lanes(struct hb__spans *s)
{
	struct lanes *of = calloc(s->services + 1, sizeof *of);
	s->failed |= !of;
	for (size_t i = 0; i < s->n && !s->failed; i++) {
		struct hb__span *span = &s->at[i];
		struct lanes *all = &of[span->process];
		struct lane *l = lane_of(s, all, span, &span->nested);
		if (!l || !HB_GROW(l->open, l->cap, l->n + 1)) {
			s->failed = true;
			break;
		}
		span->lane = (uint32_t)(l - all->at);
		l->open[l->n++] = (uint32_t)i;
	}
	for (size_t p = 0; of && p < s->services; p++) {
		for (size_t i = 0; i < of[p].n; i++)
			free(of[p].at[i].open);
		free(of[p].at);
	}
	free(of);
}
