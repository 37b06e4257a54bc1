/* Halves of events as bytes: a history of ten million of them has to fit beside its model. A number is its length in bytes and these. */
#include <string.h>

#include "base/grow.h"
#include "rules/pattern/history/internal.h"

#define MOST 9    /* bytes of a number */
#define TEXT 0x10 /* beside the length of a key */

static uint8_t *put(uint8_t *p, int64_t number, uint8_t flag)
{
	uint64_t folded = (uint64_t)number << 1 ^ (uint64_t)(number >> 63); /* small ones of both signs are short */
	uint8_t *length = p++;
	for (; folded; folded >>= 8)
		*p++ = (uint8_t)folded;
	*length = (uint8_t)(p - length - 1) | flag;
	return p;
}

static int64_t get(const uint8_t **p, bool *ret_text)
{
	uint8_t length = *(*p)++;
	uint64_t folded = 0;
	*ret_text = length & TEXT;
	length &= TEXT - 1;
	memcpy(&folded, *p, length);
	*p += length;
	return (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1);
}

bool hb__pack_told(struct hb__packed *to, uint32_t before, const struct hb__told *told, uint32_t nkeys)
{
	if (!HB_GROW(to->at, to->room, to->n + (3 + (size_t)nkeys) * MOST))
		return false;
	uint8_t *p = to->at + to->n;
	p = put(p, (int64_t)told->event - before, 0);
	p = put(p, (int64_t)told->binding << 2 | (int64_t)told->half << 1 | told->exit, 0);
	p = put(p, told->peer, 0);
	for (uint32_t i = 0; i < nkeys; i++)
		p = put(p, told->key[i].number, told->key[i].text ? TEXT : 0);
	to->n = (size_t)(p - to->at);
	return true;
}

void hb__unpack_told(
	const struct hb__packed *from, size_t *at, const hb_pattern_binding *binding, struct hb__told *told)
{
	const uint8_t *p = from->at + *at;
	bool text;
	told->event += (uint32_t)get(&p, &text);
	int64_t what = get(&p, &text);
	told->peer = get(&p, &text);
	told->binding = (uint32_t)(what >> 2);
	told->half = (hb_pattern_half)(what >> 1 & 1);
	told->exit = what & 1;
	uint32_t nkeys = told->binding == HB_NO ? 0 : binding[told->binding].nkeys;
	for (uint32_t i = 0; i < nkeys; i++) {
		told->key[i].number = get(&p, &text);
		told->key[i].text = text;
	}
	*at = (size_t)(p - from->at);
}
