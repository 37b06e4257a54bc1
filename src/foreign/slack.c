/* The least slack of each pair of places. */
#include "foreign/slack.h"

#include <stdlib.h>

static int by_pair(const void *a, const void *b)
{
	const struct hb__slack *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->least > y->least) - (x->least < y->least);
}

size_t hb__slack_least(struct hb__slack *s, size_t n)
{
	size_t pairs = 0;
	if (n)
		qsort(s, n, sizeof *s, by_pair);
	for (size_t i = 0; i < n; i++)
		if (!pairs || s[pairs - 1].from != s[i].from || s[pairs - 1].to != s[i].to)
			s[pairs++] = s[i];
	return pairs;
}
