/* Data compared by what is in it. */
#include "rules/signature.h"

#include <stdio.h>
#include <string.h>

static const hb_datatype *type_of(const hb_data *d)
{
	return d->type < 0 || d->type >= HB_NO ? NULL : hb_log_datatype(d->log, (uint32_t)d->type);
}

hb_data_relation hb__data_compare(const hb_data *a, const hb_data *b)
{
	const hb_datatype *x = type_of(a), *y = type_of(b);
	if (!x || !y || a->count < 0 || b->count < 0)
		return HB_DATA_UNKNOWN;
	uint64_t m = x->size * (uint64_t)a->count, n = y->size * (uint64_t)b->count;
	if (!m && !n)
		return HB_DATA_SAME;
	if (strcmp(x->name, y->name) != 0 || strchr(x->name, '#'))
		return m == n ? HB_DATA_UNKNOWN : m < n ? HB_DATA_SHORTER : HB_DATA_LONGER;
	return m == n ? HB_DATA_SAME : m < n ? HB_DATA_SHORTER : HB_DATA_LONGER;
}

const char *hb__data_text(const hb_data *d, char *ret, size_t size)
{
	const hb_datatype *t = type_of(d);
	snprintf(ret, size, "%lld %s", (long long)d->count, t ? t->name : "of an unknown datatype");
	return ret;
}
