/* Hash tables. */
#include "model/internal.h"

/* The finaliser of splitmix64. */
static size_t hash(struct hb__key k)
{
	uint64_t h = k.a * 0x9e3779b97f4a7c15u + k.b;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return (size_t)(h ^ h >> 31);
}

static struct hb__cell *find(const struct hb__table *t, struct hb__key key)
{
	size_t i = hash(key) & (t->size - 1);
	while (t->at[i].value != HB_NO && (t->at[i].key.a != key.a || t->at[i].key.b != key.b))
		i = (i + 1) & (t->size - 1);
	return &t->at[i];
}

static bool enlarge(struct hb__table *t)
{
	struct hb__table old = *t;
	t->size = old.size ? old.size * 2 : 64;
	t->at = malloc(t->size * sizeof *t->at);
	if (!t->at) {
		*t = old;
		return false;
	}
	for (size_t i = 0; i < t->size; i++)
		t->at[i].value = HB_NO;
	for (size_t i = 0; i < old.size; i++)
		if (old.at[i].value != HB_NO)
			*find(t, old.at[i].key) = old.at[i];
	free(old.at);
	return true;
}

struct hb__cell *hb__place(struct hb__table *t, struct hb__key key)
{
	struct hb__cell *c = t->size ? find(t, key) : NULL;
	if (c && c->value != HB_NO)
		return c;
	if (!c || t->used * 4 >= t->size * 3) {
		if (!enlarge(t))
			return NULL;
		c = find(t, key);
	}
	t->used++; /* the caller sets the value */
	c->key = key;
	return c;
}

uint32_t hb__look(const struct hb__table *t, struct hb__key key) { return t->size ? find(t, key)->value : HB_NO; }

void hb__erase(struct hb__table *t, struct hb__key key)
{
	struct hb__cell *c = t->size ? find(t, key) : NULL;
	if (!c || c->value == HB_NO)
		return;
	size_t hole = (size_t)(c - t->at), mask = t->size - 1;
	t->used--;
	/* what stands behind the hole and belongs before it moves up */
	for (size_t i = (hole + 1) & mask; t->at[i].value != HB_NO; i = (i + 1) & mask) {
		size_t home = hash(t->at[i].key) & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			t->at[hole] = t->at[i];
			hole = i;
		}
	}
	t->at[hole].value = HB_NO;
}
