/* Texts and sets, each kept once. */
#include "rules/pattern/language/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

uint64_t hb__hash(const void *at, size_t size)
{
	const uint8_t *p = at;
	uint64_t h = size, word;
	for (; size >= 8; size -= 8, p += 8) {
		memcpy(&word, p, 8);
		h = hb__mix(h, word);
	}
	word = 0;
	memcpy(&word, p, size);
	return hb__mix(h, word);
}

static bool more_slots(struct hb__store *s)
{
	size_t slots = s->slots ? s->slots * 2 : 64;
	uint32_t *table = calloc(slots, sizeof *table);
	if (!table)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		size_t at = s->kept[i].hash & (slots - 1);
		while (table[at])
			at = (at + 1) & (slots - 1);
		table[at] = (uint32_t)i + 1;
	}
	free(s->table);
	s->table = table;
	s->slots = slots;
	return true;
}

/* Its number; UINT32_MAX: out of memory. */
static uint32_t keep(struct hb__store *s, const void *bytes, size_t size)
{
	if (s->n * 2 >= s->slots && !more_slots(s))
		return UINT32_MAX;
	uint64_t hash = hb__hash(bytes, size);
	size_t at = hash & (s->slots - 1);
	for (; s->table[at]; at = (at + 1) & (s->slots - 1)) {
		const struct hb__kept *k = &s->kept[s->table[at] - 1];
		if (k->hash == hash && k->size == size && (!size || !memcmp(k->at, bytes, size)))
			return s->table[at] - 1;
	}
	char *copy = s->n < UINT32_MAX - 2 && HB_GROW(s->kept, s->room, s->n + 1) ? malloc(size + 1) : NULL;
	if (!copy)
		return UINT32_MAX;
	if (size)
		memcpy(copy, bytes, size);
	copy[size] = 0;
	s->kept[s->n] = (struct hb__kept){copy, size, hash};
	s->table[at] = (uint32_t)++s->n;
	return (uint32_t)s->n - 1;
}

hb__value hb__text(struct hb__values *v, const char *text, size_t length)
{
	uint32_t number = keep(&v->texts, text, length);
	return number == UINT32_MAX ? HB__LEAST : HB__TEXTS + number;
}

const char *hb__text_of(const struct hb__values *v, hb__value text, size_t *ret_length)
{
	const struct hb__kept *k = &v->texts.kept[text - HB__TEXTS];
	if (ret_length)
		*ret_length = k->size;
	return k->at;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

hb__value hb__set(struct hb__values *v, int64_t *member, size_t n)
{
	if (n)
		qsort(member, n, sizeof *member, ascending);
	size_t to = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || member[i] != member[i - 1])
			member[to++] = member[i];
	uint32_t number = keep(&v->sets, member, to * sizeof *member);
	return number == UINT32_MAX ? HB__LEAST : HB__SETS + number;
}

const int64_t *hb__members(const struct hb__values *v, hb__value set, size_t *ret_n)
{
	const struct hb__kept *k = &v->sets.kept[set - HB__SETS];
	*ret_n = k->size / sizeof(int64_t);
	return k->at;
}

bool hb__member(const struct hb__values *v, hb__value set, int64_t number)
{
	size_t n;
	const int64_t *at = hb__members(v, set, &n);
	return n && bsearch(&number, at, n, sizeof *at, ascending) != NULL;
}

int hb__compare_values_of(const struct hb__values *v, hb__value a, hb__value b)
{
	if (hb__is_text(a) && hb__is_text(b))
		return strcmp(hb__text_of(v, a, NULL), hb__text_of(v, b, NULL));
	return a < b ? -1 : a > b;
}

static void store_free(struct hb__store *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->kept[i].at);
	free(s->kept);
	free(s->table);
}

void hb__values_free(struct hb__values *v)
{
	store_free(&v->texts);
	store_free(&v->sets);
}
