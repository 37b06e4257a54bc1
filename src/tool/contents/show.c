/* Pieces of contents as lines. */
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../show/inert.h"
#include "calls/calls.h"

#define SMALL 8 /* so many characters or bytes stand for one value */
#define AT_ONCE 64

void hb__contents_word(const hb_content *c, char *ret, size_t size)
{
	if (c->kind == HB_CONTENT_WINDOW)
		snprintf(ret, size, "window %lld", (long long)c->window);
	else if (c->kind == HB_CONTENT_ERROR)
		snprintf(ret, size, "error of request %lld", (long long)c->request);
	else if (c->kind == HB_CONTENT_STATUS && c->request != HB_ABSENT)
		snprintf(ret, size, "%s of request %lld", c->name ? c->name : "status", (long long)c->request);
	else if (c->request != HB_ABSENT)
		snprintf(ret, size, "request %lld", (long long)c->request);
	else if (c->name)
		snprintf(ret, size, "%s", c->name);
	else
		snprintf(ret, size, c->piece.what ? "number %u" : "result", c->piece.what);
}

static void number_text(uint8_t kind, hb_number v, char *ret, size_t size)
{
	if (kind == HB_VALUE_INTEGER) {
		snprintf(ret, size, "%lld", (long long)v.integer);
	} else if (kind == HB_VALUE_REAL) {
		int digits = 1;
		do
			snprintf(ret, size, "%.*g", digits, v.real);
		while (digits++ < 17 && strtod(ret, NULL) != v.real && v.real == v.real);
		if (isfinite(v.real) && !strpbrk(ret, ".e"))
			strncat(ret, ".0", size - strlen(ret) - 1);
	} else {
		snprintf(ret, size, "%llu", (unsigned long long)v.whole);
	}
}

const char *hb__value_text(const hb_value *value, char *ret, size_t size)
{
	char a[40], b[40];
	unsigned c = (unsigned)value->a.whole & 255;
	switch (value->kind) {
	case HB_VALUE_CHARACTER:
		snprintf(ret, size, c >= 32 && c < 127 ? "%c" : c ? "\\x%02x" : "\\0", c);
		break;
	case HB_VALUE_BYTE:
		snprintf(ret, size, "%02x", c);
		break;
	case HB_VALUE_PAIR:
		number_text(value->first, value->a, a, sizeof a);
		number_text(value->second, value->b, b, sizeof b);
		snprintf(ret, size, "(%s, %s)", a, b);
		break;
	default:
		number_text((uint8_t)value->kind, value->a, ret, size);
	}
	return ret;
}

/* Bytes of which nobody told what they are may be a text: then they are shown as one. */
static bool looks_like_text(const hb_contents_view *of, const hb_content *c)
{
	unsigned char b[AT_ONCE];
	uint64_t n = c->piece.bytes < sizeof b ? c->piece.bytes : sizeof b;
	if (of->json || c->kind != HB_CONTENT_BUFFER || c->datatype != HB_ABSENT || n < 3 ||
		hb_contents_bytes(of->contents, c, 0, n, b, NULL))
		return false;
	unsigned printed = 0;
	for (uint64_t i = 0; i < n; i++) {
		printed += b[i] >= 32;
		if ((b[i] < 32 && b[i] != '\n' && b[i] != '\t' && (b[i] || !i)) || b[i] > 126)
			return false;
	}
	return printed >= 3;
}

/* Whether quotes begin or end before a value, or what stands between two. */
static void put_between(hb_output *o, const hb_value *before, const hb_value *v, bool json)
{
	bool was = before && before->kind == HB_VALUE_CHARACTER, is = v && v->kind == HB_VALUE_CHARACTER;
	if (was && is)
		return;
	if (was)
		hb__put_char(o, '"');
	bool bytes = !json && before && v && before->kind == HB_VALUE_BYTE && v->kind == HB_VALUE_BYTE;
	if (before && v)
		hb__put_text(o, json ? "," : bytes ? " " : ", ");
	if (is)
		hb__put_char(o, '"');
}

static void put_one(hb_output *o, const hb_value *v, bool json)
{
	char text[96];
	unsigned c = (unsigned)v->a.whole & 255;
	hb__value_text(v, text, sizeof text);
	if (v->kind == HB_VALUE_CHARACTER) {
		if (c == '"' || c == '\\')
			hb__put_char(o, '\\');
		if (json && (c < 32 || c > 126))
			snprintf(text, sizeof text, "\\u%04x", c);
		hb__put_text(o, text);
		return;
	}
	bool number = v->kind == HB_VALUE_INTEGER || v->kind == HB_VALUE_UNSIGNED ||
		      (v->kind == HB_VALUE_REAL && isfinite(v->a.real));
	if (json && !number)
		hb__put_json(o, text);
	else
		hb__put_text(o, text);
}

static uint64_t shown_of(const hb_contents_view *of, const hb_content *c, const hb_value *first)
{
	bool small = first->kind == HB_VALUE_CHARACTER || first->kind == HB_VALUE_BYTE;
	uint64_t most = small ? of->shown * SMALL : of->shown;
	return c->values < most ? c->values : most;
}

hb_status hb__put_contents_values(hb_output *o, const hb_contents_view *of, const hb_content *c, hb_error *err)
{
	hb_value v[AT_ONCE], last;
	bool any = false, text = looks_like_text(of, c);
	uint64_t shown = text ? of->shown * SMALL : of->shown;
	for (uint64_t i = 0; i < shown;) {
		uint64_t want = shown - i < AT_ONCE ? shown - i : AT_ONCE;
		int64_t n = hb_contents_values(of->contents, c, i, v, (size_t)want, err);
		if (n < 0)
			return (hb_status)n;
		if (!n)
			break;
		if (!any)
			shown = shown_of(of, c, &v[0]);
		for (int64_t k = 0; k < n && text; k++)
			v[k].kind = HB_VALUE_CHARACTER;
		for (int64_t k = 0; k < n && i < shown; k++, i++) {
			put_between(o, any ? &last : NULL, &v[k], of->json);
			put_one(o, &v[k], of->json);
			last = v[k];
			any = true;
		}
	}
	put_between(o, any ? &last : NULL, NULL, of->json);
	if (!of->json && shown < c->values)
		hb__put_text(o, any ? ", ..." : "...");
	return HB_OK;
}

static void put_datatype(hb_output *o, const hb_contents_view *of, const hb_content *c)
{
	const char *given = hb__given_name(of->view->log, HB_RECORDED_DATATYPE, c->datatype);
	hb__put_value(o, of->view->log, HB_RECORDED_DATATYPE, c->datatype);
	if (given) {
		hb__put_text(o, " \"");
		hb__put_inert(o, given);
		hb__put_char(o, '"');
	}
}

static hb_status put_status(hb_output *o, const hb_contents_view *of, const hb_content *c, hb_error *err)
{
	hb_value v[4];
	static const char *const names[] = {"source=", " tag=", " bytes="};
	static const uint8_t kinds[] = {HB_RECORDED_RANK, HB_RECORDED_TAG, HB_RECORDED_NUMBER};
	int64_t n = hb_contents_values(of->contents, c, 0, v, 4, err);
	for (int64_t i = 0; i < n && i < 3; i++) {
		hb__put_text(o, names[i]);
		hb__put_value(o, of->view->log, kinds[i], v[i].a.integer);
	}
	if (n == 4 && v[3].a.integer)
		hb__put_text(o, " cancelled");
	return n < 0 ? (hb_status)n : HB_OK;
}

static bool is_bytes(const hb_content *c)
{
	return c->kind == HB_CONTENT_BUFFER || c->kind == HB_CONTENT_WINDOW || c->kind == HB_CONTENT_TEXT;
}

/* Whether less is shown than there is. */
static bool is_long(const hb_contents_view *of, const hb_content *c)
{
	hb_value first = {0};
	return hb_contents_values(of->contents, c, 0, &first, 1, NULL) == 1 && shown_of(of, c, &first) < c->values;
}

static hb_status put_text(hb_output *o, const hb_contents_view *of, const hb_content *c, hb_error *err)
{
	char word[128];
	uint64_t digest = 0;
	hb__contents_word(c, word, sizeof word);
	hb__put_inert(o, word);
	if (c->kind == HB_CONTENT_WINDOW) {
		hb__put_text(o, " of rank ");
		hb__put_int(o, c->rank);
		hb__put_text(o, " at ");
		hb__put_int(o, c->offset);
	}
	hb__put_text(o, ": ");
	if (c->kind == HB_CONTENT_STATUS)
		return put_status(o, of, c, err);
	if (c->kind == HB_CONTENT_BUFFER || c->kind == HB_CONTENT_WINDOW) {
		hb__put_uint(o, c->elements);
		hb__put_char(o, ' ');
		if (c->datatype == HB_ABSENT)
			hb__put_text(o, hb__plural(c->elements, "byte", "bytes"));
		else
			put_datatype(o, of, c);
		if (c->datatype != HB_ABSENT && !c->typed) {
			hb__put_text(o, ", ");
			hb__put_uint(o, c->piece.bytes);
			hb__put_text(o, " bytes");
		}
		hb__put_text(o, c->values ? ": " : "");
	}
	hb_status status = hb__put_contents_values(o, of, c, err);
	if (status || !is_bytes(c) || !is_long(of, c))
		return status;
	status = hb_contents_digest(of->contents, c, &digest, err);
	hb__put_text(o, " (");
	hb__put_uint(o, c->piece.bytes);
	hb__put_text(o, " bytes, digest ");
	hb__put_hex(o, digest);
	hb__put_char(o, ')');
	return status;
}

static void put_member(hb_output *o, const char *name, int64_t value)
{
	hb__put_text(o, ",\"");
	hb__put_text(o, name);
	hb__put_text(o, "\":");
	hb__put_int(o, value);
}

static void put_place_object(hb_output *o, const hb_view *view, uint32_t lane, uint64_t event, const char *call)
{
	hb__put_text(o, "{\"rank\":");
	hb__put_int(o, view->info->rank);
	if (view->world)
		put_member(o, "world", view->world);
	if (view->outside) {
		hb__put_text(o, ",\"process\":");
		hb__put_json(o, view->name);
	}
	put_member(o, "lane", lane);
	put_member(o, call ? "behind" : "event", (int64_t)event);
	if (call) {
		hb__put_text(o, ",\"call\":");
		hb__put_json(o, call);
	}
}

static hb_status put_object(hb_output *o, const hb_contents_view *of, const hb_content *c, hb_error *err)
{
	static const char *const kinds[] = {"buffer", "numbers", "status", "error", "text", "handle", "window"};
	char word[128];
	uint64_t digest = 0;
	hb__contents_word(c, word, sizeof word);
	hb__put_text(o, ",\"data\":");
	hb__put_json(o, word);
	hb__put_text(o, ",\"kind\":");
	hb__put_json(o, kinds[c->kind]);
	if (c->request != HB_ABSENT)
		put_member(o, "request", c->request);
	if (c->kind == HB_CONTENT_WINDOW) {
		put_member(o, "win", c->window);
		put_member(o, "of_rank", c->rank);
		put_member(o, "offset", c->offset);
	}
	if (c->datatype != HB_ABSENT) {
		const char *type = hb__word(of->view->log, HB_RECORDED_DATATYPE, c->datatype);
		const char *given = hb__given_name(of->view->log, HB_RECORDED_DATATYPE, c->datatype);
		char number[32];
		snprintf(number, sizeof number, "type#%lld", (long long)c->datatype);
		hb__put_text(o, ",\"datatype\":");
		hb__put_json(o, type ? type : number);
		hb__put_text(o, given ? ",\"named\":" : "");
		if (given)
			hb__put_json(o, given);
	}
	if (c->kind == HB_CONTENT_BUFFER)
		put_member(o, "elements", (int64_t)c->elements);
	put_member(o, "bytes", (int64_t)c->piece.bytes);
	if (is_bytes(c)) {
		hb_status status = hb_contents_digest(of->contents, c, &digest, err);
		if (status)
			return status;
		hb__put_text(o, ",\"digest\":\"");
		hb__put_hex(o, digest);
		hb__put_char(o, '"');
	}
	put_member(o, "values", (int64_t)c->values);
	hb__put_text(o, ",\"first\":[");
	hb_status status = hb__put_contents_values(o, of, c, err);
	hb__put_text(o, "]}");
	return status;
}

static const char *short_call(const char *call) { return strncmp(call, "mpi:", 4) ? call : call + 4; }

hb_status hb__put_contents(hb_output *o, const hb_contents_view *of, uint32_t lane, uint64_t event, const char *call,
	const hb_content *content, uint32_t n, hb_error *err)
{
	hb_status status = HB_OK;
	for (uint32_t i = 0; i < n && !status; i++) {
		if (of->json) {
			put_place_object(o, of->view, lane, event, call);
			status = put_object(o, of, &content[i], err);
			hb__put_char(o, '\n');
			continue;
		}
		hb__put_text(o, of->view->name);
		if (lane) {
			hb__put_char(o, '.');
			hb__put_int(o, lane);
		}
		hb__put_char(o, ':');
		hb__put_uint(o, event);
		hb__put_text(o, call ? "+  data " : "  data ");
		if (call) {
			hb__put_inert(o, short_call(call));
			hb__put_char(o, ' ');
		}
		status = put_text(o, of, &content[i], err);
		hb__put_char(o, '\n');
	}
	return status;
}
