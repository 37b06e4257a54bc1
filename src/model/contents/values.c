/* The values of a content, from any of them on. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/row.h"
#include "internal.h"
#include "parts.h"

#define LARGEST 32 /* bytes of a value */

/* Integers as their page has them: they are read from the first. */
static int64_t numbers(
	hb_contents *c, const hb_content *content, uint64_t from, hb_value *ret, size_t most, hb_error *err)
{
	uint8_t b[HB_UV_MAX];
	size_t n = 0;
	uint64_t at = 0;
	for (uint64_t i = 0; i < content->values && n < most; i++) {
		uint64_t left = content->piece.bytes - at, room = left < sizeof b ? left : sizeof b, v = 0;
		hb_status status = hb_data_read(c->data, &content->piece, at, room, b, err);
		if (status)
			return (int64_t)status;
		const uint8_t *end = hb_get_uv(b, b + room, &v);
		if (!end)
			break;
		at += (uint64_t)(end - b);
		if (i >= from)
			ret[n++] = (hb_value){.kind = HB_VALUE_INTEGER, .datatype = HB_NO, .a.integer = hb_unzigzag(v)};
	}
	return (int64_t)n;
}

/* Of the layout's runs that in which value `from` lies, and where that is. */
static bool seek(const hb_log *log, const struct hb__layout *l, uint64_t from, uint32_t *ret_run, uint64_t *ret_skip,
	uint64_t *ret_at)
{
	struct hb__run run;
	uint64_t rest = from % l->values;
	*ret_at = from / l->values * l->bytes;
	for (uint32_t i = 0; hb__layout_run(log, l, i, &run); i++) {
		if (rest < run.count) {
			*ret_run = i;
			*ret_skip = rest;
			*ret_at += rest * run.bytes;
			return true;
		}
		rest -= run.count;
		*ret_at += run.count * run.bytes;
	}
	return false;
}

int64_t hb_contents_values(
	hb_contents *c, const hb_content *content, uint64_t from, hb_value *ret, size_t most, hb_error *err)
{
	struct hb__layout layout;
	struct hb__run run;
	uint32_t number = 0;
	uint64_t skip = 0, at = 0;
	size_t n = 0;
	bool bytes = content->kind == HB_CONTENT_BUFFER || content->kind == HB_CONTENT_WINDOW ||
		     content->kind == HB_CONTENT_TEXT;
	if (!bytes)
		return numbers(c, content, from, ret, most, err);
	hb__layout_of(c->log, content->datatype, &layout);
	if (from >= content->values || !seek(c->log, &layout, from, &number, &skip, &at))
		return 0;
	while (n < most && from + n < content->values) {
		uint8_t b[LARGEST];
		if (!hb__layout_run(c->log, &layout, number, &run)) {
			number = 0;
			continue;
		}
		for (; skip < run.count && n < most && from + n < content->values; skip++, at += run.bytes) {
			hb_status status = hb_data_read(c->data, &content->piece, at, run.bytes, b, err);
			if (status)
				return (int64_t)status;
			hb__value_read(c->log, &run, b, &ret[n++]);
			if (content->kind == HB_CONTENT_TEXT)
				ret[n - 1].kind = HB_VALUE_CHARACTER;
		}
		if (skip >= run.count) {
			number++;
			skip = 0;
		}
	}
	return (int64_t)n;
}

hb_status hb_contents_bytes(
	hb_contents *c, const hb_content *content, uint64_t from, uint64_t n, void *to, hb_error *err)
{
	return hb_data_read(c->data, &content->piece, from, n, to, err);
}

hb_status hb_contents_digest(hb_contents *c, const hb_content *content, uint64_t *ret_digest, hb_error *err)
{
	uint8_t b[16384];
	XXH3_state_t sum;
	XXH3_64bits_reset(&sum);
	for (uint64_t at = 0; at < content->piece.bytes;) {
		uint64_t left = content->piece.bytes - at, n = left < sizeof b ? left : sizeof b;
		hb_status status = hb_data_read(c->data, &content->piece, at, n, b, err);
		if (status)
			return status;
		XXH3_64bits_update(&sum, b, n);
		at += n;
	}
	*ret_digest = XXH3_64bits_digest(&sum);
	return HB_OK;
}
