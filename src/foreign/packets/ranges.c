/* Bytes of a stream that came before those in front of them: their numbers alone. */
#include <string.h>

#include "base/grow.h"
#include "foreign/packets/packets.h"

bool hb__ranges_add(struct hb__ranges *r, uint64_t from, uint64_t to)
{
	size_t i = r->n;
	while (i && r->at[i - 1].to >= from) /* the first that touches it, or lies behind it */
		i--;
	size_t k = i;
	for (; k < r->n && r->at[k].from <= to; k++) {
		from = r->at[k].from < from ? r->at[k].from : from;
		to = r->at[k].to > to ? r->at[k].to : to;
	}
	if (k == i) {
		if (!HB_GROW(r->at, r->cap, r->n + 1))
			return false;
		memmove(r->at + i + 1, r->at + i, (r->n - i) * sizeof *r->at);
		r->n++;
	} else if (k > i + 1) {
		memmove(r->at + i + 1, r->at + k, (r->n - k) * sizeof *r->at);
		r->n -= k - i - 1;
	}
	r->at[i] = (struct hb__range){from, to};
	return true;
}

uint64_t hb__ranges_take(struct hb__ranges *r, uint64_t from)
{
	size_t n = 0;
	for (; n < r->n && r->at[n].from <= from; n++)
		from = r->at[n].to > from ? r->at[n].to : from;
	if (n)
		memmove(r->at, r->at + n, (r->n - n) * sizeof *r->at);
	r->n -= n;
	return from;
}
