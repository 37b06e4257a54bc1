/* Texts: numbers for them (a hash table with open addressing), and what of them may be written. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "../show/inert.h"
#include "export.h"

static uint32_t hash(const char *text)
{
	uint32_t h = 2166136261u; /* FNV-1a */
	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	return h;
}

static uint32_t *slot_of(const hb_names *n, const char *text)
{
	uint32_t i = hash(text) & (n->slots - 1);
	while (n->slot[i] != HB_NO && strcmp(n->text[n->slot[i]], text) != 0)
		i = (i + 1) & (n->slots - 1);
	return &n->slot[i];
}

static void grow(hb_names *n)
{
	n->slots = n->slots ? n->slots * 2 : 64;
	n->slot = hb__resize(n->slot, n->slots * sizeof *n->slot);
	memset(n->slot, 0xff, n->slots * sizeof *n->slot);
	for (uint32_t i = 0; i < n->n; i++)
		*slot_of(n, n->text[i]) = i;
}

uint32_t hb__name(hb_names *n, const char *text, bool *ret_new)
{
	if (2 * (n->n + 1) > n->slots)
		grow(n);
	uint32_t *slot = slot_of(n, text);
	if (ret_new)
		*ret_new = *slot == HB_NO;
	if (*slot != HB_NO)
		return *slot;
	if (n->n == n->room) {
		n->room = n->room ? n->room * 2 : 32;
		n->text = hb__resize(n->text, n->room * sizeof *n->text);
	}
	n->text[n->n] = hb__copy(text);
	return *slot = n->n++;
}

void hb__names_free(hb_names *n)
{
	for (uint32_t i = 0; i < n->n; i++)
		free(n->text[i]);
	free(n->text);
	free(n->slot);
	*n = (hb_names){0};
}

void hb__put_clean(hb_output *out, const char *text, char quote)
{
	for (size_t n; *text; text += n ? n : 1) {
		n = hb_utf8_text(text);
		if (quote && *text == quote)
			hb__put_char(out, quote);
		hb__put(out, n ? text : "?", n ? n : 1);
	}
}
