/* The memory of expressions. */
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/check/node.h"

static bool more(struct hb__arena *a, size_t bytes)
{
	size_t size = bytes > HB__CHUNK - sizeof(struct hb__chunk) ? bytes + sizeof(struct hb__chunk) : HB__CHUNK;
	struct hb__chunk *c = size == HB__CHUNK ? a->spare : NULL;
	if (c)
		a->spare = c->next;
	else if (!(c = malloc(size)))
		return false;
	c->next = a->chunks;
	c->size = size;
	a->chunks = c;
	a->at = (char *)(c + 1);
	a->end = (char *)c + size;
	a->used += size;
	return true;
}

void *hb__cell(struct hb__engine *e, int kind, size_t bytes)
{
	struct hb__arena *a = &e->arena;
	if ((size_t)(a->end - a->at) < bytes && !more(a, bytes))
		return hb__pattern_no_memory(e->p);
	if (e->budget)
		e->budget--;
	else
		e->undecided = true;
	struct hb__cell *c = (struct hb__cell *)a->at;
	a->at += bytes;
	*c = (struct hb__cell){.kind = (uint8_t)kind, .bytes = (uint32_t)bytes};
	return c;
}

/* ---- copying what can be reached ---- */

void hb__copy_begin(struct hb__engine *e, struct hb__arena *ret_old)
{
	*ret_old = e->arena;
	e->arena = (struct hb__arena){.spare = ret_old->spare};
	ret_old->spare = NULL;
}

/* Its copy; *ret_new when it was not there before. NULL: out of memory. */
static void *move(struct hb__engine *e, const void *at, bool *ret_new)
{
	struct hb__cell *old = (struct hb__cell *)(uintptr_t)at;
	*ret_new = old->kind != HB__N_MOVED;
	if (!*ret_new)
		return (void *)(uintptr_t)old->hash;
	void *copy = hb__cell(e, old->kind, old->bytes);
	if (!copy)
		return NULL;
	memcpy(copy, old, old->bytes);
	old->kind = HB__N_MOVED;
	old->hash = (uintptr_t)copy;
	return copy;
}

static const void *copy_leaf(struct hb__engine *e, const void *at)
{
	bool new;
	return at ? move(e, at, &new) : NULL;
}

hb__node *hb__copy_node(struct hb__engine *e, hb__node *n)
{
	bool new;
	if (!n || n == &hb__empty)
		return n;
	struct hb__node *c = move(e, n, &new);
	if (!c || !new)
		return c;
	switch (c->cell.kind) {
	case HB__N_OPEN:
		c->open.atom = hb__copy_node(e, c->open.atom);
		break;
	case HB__N_WAIT:
	case HB__N_LOOP:
		c->wait.env = copy_leaf(e, c->wait.env);
		c->wait.gone = copy_leaf(e, c->wait.gone);
		c->wait.inside = hb__copy_node(e, c->wait.inside);
		break;
	case HB__N_SEQ:
	case HB__N_STRICT:
	case HB__N_PAR:
	case HB__N_CHOICE:
		c->pair.a = hb__copy_node(e, c->pair.a);
		c->pair.b = hb__copy_node(e, c->pair.b);
		c->pair.m = copy_leaf(e, c->pair.m);
		break;
	default:
		break;
	}
	return c;
}

static void release(struct hb__chunk *c)
{
	for (struct hb__chunk *next; c; c = next) {
		next = c->next;
		free(c);
	}
}

#define SPARE 8 /* chunks */

void hb__copy_end(struct hb__engine *e, struct hb__arena *old)
{
	int kept = 0;
	for (struct hb__chunk *c = e->arena.spare; c; c = c->next)
		kept++;
	while (old->chunks && kept < SPARE) {
		struct hb__chunk *c = old->chunks;
		old->chunks = c->next;
		if (c->size != HB__CHUNK) {
			free(c);
			continue;
		}
		c->next = e->arena.spare;
		e->arena.spare = c;
		kept++;
	}
	release(old->chunks);
	e->arena.limit =
		e->arena.used + (e->arena.used / 2 > SPARE * HB__CHUNK ? e->arena.used / 2 : SPARE * HB__CHUNK);
}

void hb__nodes_free(struct hb__arena *a)
{
	release(a->chunks);
	release(a->spare);
}
