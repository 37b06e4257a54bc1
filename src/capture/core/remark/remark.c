/* Remarks into the log, and before the first one of a kind what its fields are. */
#include "capture/core/remark/remark.h"

#include <string.h>

#include "capture/core/record/record.h"
#include "format/remark/table.h"

enum { BODY = 2048, LIST_MOST = 96, TEXT_MOST = 800 };

static bool told[HB_REMARKS];

static size_t put_columns(uint8_t **w, const struct hb_remark_column *column, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct hb_remark_column *c = &column[i];
		*(*w)++ = c->type;
		*w = hb_put_str(*w, c->name, strlen(c->name));
		*w = hb_put_sv(*w, c->otherwise);
		if (c->type != HB_FIELD_WORD)
			continue;
		*w = hb_put_uv(*w, c->words);
		for (unsigned k = 0; k < c->words; k++)
			*w = hb_put_str(*w, c->word[k], strlen(c->word[k]));
	}
	return n;
}

static void define(enum hb_remark_word word)
{
	const struct hb_remark_shape *shape = &hb_remark_kinds[word];
	uint8_t body[BODY], *w = hb_put_uv(body, word);
	w = hb_put_str(w, shape->word, strlen(shape->word));
	w = hb_put_uv(w, shape->fields + (shape->of_call ? HB_CALL_COLUMNS : 0u));
	if (shape->of_call)
		put_columns(&w, hb_columns_call, HB_CALL_COLUMNS);
	put_columns(&w, shape->field, shape->fields);
	hb__define_remark(body, (size_t)(w - body), &told[word]);
}

/* ---- fields ---- */

struct body {
	uint64_t mask;
	uint8_t *w, *end;
};

static bool put_number(struct body *b, const struct hb_remark_column *c, int64_t n)
{
	if (n == c->otherwise)
		return false;
	b->w = c->type == HB_FIELD_ADDRESS ? hb_put_uv(b->w, (uint64_t)n) : hb_put_sv(b->w, n);
	return true;
}

static bool put_text(struct body *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	n = n > TEXT_MOST ? TEXT_MOST : n;
	if (!n || n + HB_UV_MAX > (size_t)(b->end - b->w))
		return false;
	b->w = hb_put_str(b->w, s, n);
	return true;
}

/* Runs are four numbers each: a list that is too long ends behind a whole one. */
static bool put_list(struct body *b, const hb_numbers *list)
{
	uint32_t n = list->n > LIST_MOST ? LIST_MOST : list->n;
	if (!n || (n + 1) * (size_t)HB_UV_MAX > (size_t)(b->end - b->w))
		return false;
	b->w = hb_put_uv(b->w, n);
	for (uint32_t i = 0; i < n; i++)
		b->w = hb_put_sv(b->w, list->at[i]);
	return true;
}

static bool put_request(struct body *b, const hb_request_name *r)
{
	if (!r->told)
		return false;
	b->w = hb_put_uv(hb_put_uv(b->w, r->lane), (uint64_t)r->posting);
	return true;
}

/* A number that is 0 when nothing was said. */
static bool put_unsigned(struct body *b, uint64_t n)
{
	if (n)
		b->w = hb_put_uv(b->w, n);
	return n;
}

static bool put_field(struct body *b, const struct hb_remark_column *c, const void *at)
{
	const struct hb__fn *fn;
	if ((size_t)(b->end - b->w) < 2 * HB_UV_MAX)
		return false;
	switch (c->type) {
	case HB_FIELD_SITE:
		return put_unsigned(b, *(const uint32_t *)at);
	case HB_FIELD_WORD:
		return put_unsigned(b, *(const unsigned *)at);
	case HB_FIELD_FUNCTION:
		fn = *(const struct hb__fn *const *)at;
		if (fn)
			b->w = hb_put_uv(b->w, fn->id);
		return fn;
	case HB_FIELD_FLAG:
		return *(const bool *)at != c->otherwise;
	case HB_FIELD_TEXT:
		return put_text(b, *(const char *const *)at);
	case HB_FIELD_REQUEST:
		return put_request(b, at);
	case HB_FIELD_LIST:
	case HB_FIELD_RUNS:
		return put_list(b, at);
	default:
		return put_number(b, c, *(const int64_t *)at);
	}
}

static unsigned put_fields(
	struct body *b, unsigned bit, const struct hb_remark_column *column, unsigned n, const void *structure)
{
	for (unsigned i = 0; i < n; i++, bit++)
		if (put_field(b, &column[i], (const char *)structure + column[i].offset))
			b->mask |= UINT64_C(1) << bit;
	return bit;
}

/* Functions that it names are defined before it. */
static void define_functions(const struct hb_remark_column *column, unsigned n, const void *structure)
{
	for (unsigned i = 0; i < n; i++) {
		const void *at = (const char *)structure + column[i].offset;
		if (column[i].type == HB_FIELD_FUNCTION && *(const struct hb__fn *const *)at)
			hb__define_function(*(const struct hb__fn *const *)at);
	}
}

void hb__remark_write(
	struct hb__lane *lane, enum hb_remark_word word, const struct hb_remark_call *call, const void *fields)
{
	const struct hb_remark_shape *shape = &hb_remark_kinds[word];
	uint8_t value[BODY], head[3 * HB_UV_MAX + 1], *w = head;
	struct body b = {.w = value, .end = value + sizeof value};
	unsigned bit = 0;
	if (unlikely(!__atomic_load_n(&told[word], __ATOMIC_ACQUIRE)))
		define(word);
	if (shape->of_call) {
		hb__define_function(call->fn);
		bit = put_fields(&b, bit, hb_columns_call, HB_CALL_COLUMNS, call);
	}
	define_functions(shape->field, shape->fields, fields);
	put_fields(&b, bit, shape->field, shape->fields, fields);
	uint8_t mask[HB_UV_MAX];
	size_t n = (size_t)(b.w - value), m = (size_t)(hb_put_uv(mask, b.mask) - mask);
	*w++ = HB_ROW_REMARK;
	w = hb_put_uv(hb_put_uv(w, word), m + n);
	memcpy(w, mask, m);
	hb__row_remark(lane, head, (size_t)(w + m - head), value, n);
}
