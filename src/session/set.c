/* Sets of processes as bits, and their notation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/set.h"

static size_t words(int32_t size) { return size > 0 ? ((size_t)size + 63) / 64 : 0; }

void hb_set_init(hb_set *set, int32_t size)
{
	set->size = size > 0 ? size : 0;
	set->bits = words(size) ? calloc(words(size), sizeof *set->bits) : NULL;
	if (!set->bits) /* nothing, or no memory: a set that stays empty */
		set->size = 0;
}

void hb_set_free(hb_set *set)
{
	free(set->bits);
	*set = (hb_set){0};
}

void hb_set_all(hb_set *set)
{
	for (int32_t i = 0; i < set->size; i++)
		hb_set_add(set, i);
}

void hb_set_add(hb_set *set, int32_t rank)
{
	if (rank >= 0 && rank < set->size)
		set->bits[rank / 64] |= 1ULL << (rank % 64);
}

void hb_set_remove(hb_set *set, int32_t rank)
{
	if (rank >= 0 && rank < set->size)
		set->bits[rank / 64] &= ~(1ULL << (rank % 64));
}

bool hb_set_has(const hb_set *set, int32_t rank)
{
	return rank >= 0 && rank < set->size && (set->bits[rank / 64] >> (rank % 64) & 1);
}

int32_t hb_set_count(const hb_set *set)
{
	int32_t n = 0;
	for (size_t i = 0; i < words(set->size); i++)
		n += __builtin_popcountll(set->bits[i]);
	return n;
}

int32_t hb_set_next(const hb_set *set, int32_t from)
{
	for (int32_t i = from > 0 ? from : 0; i < set->size;) {
		uint64_t rest = set->bits[i / 64] >> (i % 64);
		if (rest)
			return i + __builtin_ctzll(rest);
		i = (i / 64 + 1) * 64;
	}
	return -1;
}

void hb_set_copy(hb_set *to, const hb_set *from)
{
	for (int32_t i = 0; i < to->size; i++)
		if (hb_set_has(from, i))
			hb_set_add(to, i);
		else
			hb_set_remove(to, i);
}

void hb_set_join(hb_set *to, const hb_set *other)
{
	for (int32_t i = hb_set_next(other, 0); i >= 0; i = hb_set_next(other, i + 1))
		hb_set_add(to, i);
}

void hb_set_meet(hb_set *to, const hb_set *other)
{
	for (int32_t i = hb_set_next(to, 0); i >= 0; i = hb_set_next(to, i + 1))
		if (!hb_set_has(other, i))
			hb_set_remove(to, i);
}

void hb_set_without(hb_set *to, const hb_set *other)
{
	for (int32_t i = hb_set_next(other, 0); i >= 0; i = hb_set_next(other, i + 1))
		hb_set_remove(to, i);
}

bool hb_set_equal(const hb_set *a, const hb_set *b)
{
	int32_t i = hb_set_next(a, 0), k = hb_set_next(b, 0);
	while (i >= 0 && i == k) {
		i = hb_set_next(a, i + 1);
		k = hb_set_next(b, k + 1);
	}
	return i == k;
}

/* ---- the notation ---- */

static const char *skip(const char *p) { return p + strspn(p, " \t"); }

/* A number at *p; -1: there is none, or it is no rank. */
static int64_t number(const char **p)
{
	int64_t n = -1;
	for (; **p >= '0' && **p <= '9'; ++*p)
		if ((n = (n < 0 ? 0 : n) * 10 + (**p - '0')) > INT32_MAX)
			return -1;
	return n;
}

/* One range of the list, up to a comma or the end. */
static const char *read_range(const char **at, hb_set *to)
{
	const char *p = skip(*at);
	int64_t first, last, step = 1;
	*at = p;
	if (*p == '*') {
		hb_set_all(to);
		*at = skip(p + 1);
		return NULL;
	}
	if ((first = last = number(&p)) < 0)
		return "a rank is missing";
	p = skip(p);
	if (*p == ':') {
		p = skip(p + 1);
		if ((last = number(&p)) < 0) {
			*at = p;
			return "the last rank of the range is missing";
		}
		p = skip(p);
	}
	if (*p == ':') {
		p = skip(p + 1);
		if ((step = number(&p)) < 1) {
			*at = p;
			return "the step of the range is missing; it is 1 or more";
		}
	}
	if (last < first)
		return "the range ends before it begins";
	if (last >= to->size)
		return "there is no such rank";
	for (int64_t i = first; i <= last; i += step)
		hb_set_add(to, (int32_t)i);
	*at = skip(p);
	return NULL;
}

const char *hb_set_read(const char *text, hb_set *to, const char **ret_at)
{
	const char *p = text, *wrong;
	for (int32_t i = 0; i < to->size; i++)
		hb_set_remove(to, i);
	do {
		wrong = read_range(&p, to);
		if (!wrong && *p && *p != ',')
			wrong = "a comma or the end of the set is missing";
		if (ret_at)
			*ret_at = p;
	} while (!wrong && *p++ == ',');
	return wrong;
}

char *hb_set_write(const hb_set *set, char *buffer, size_t size)
{
	size_t n = 0;
	if (size)
		*buffer = 0;
	for (int32_t i = hb_set_next(set, 0), last; i >= 0; i = hb_set_next(set, last + 1)) {
		char range[32];
		for (last = i; hb_set_has(set, last + 1); last++)
			;
		int more = last > i ? snprintf(range, sizeof range, "%s%d:%d", n ? "," : "", i, last)
				    : snprintf(range, sizeof range, "%s%d", n ? "," : "", i);
		/* room for the three dots stays until the last range */
		bool end = hb_set_next(set, last + 1) < 0;
		if (n + (size_t)more + (end ? 0 : 4) >= size) {
			snprintf(buffer + n, size - n, "%s", n ? ",..." : "...");
			break;
		}
		memcpy(buffer + n, range, (size_t)more + 1);
		n += (size_t)more;
	}
	return buffer;
}
