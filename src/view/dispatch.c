/* From the name in an address to its answer, and the parameters behind the question mark. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "build.h"

void hb__view_refuse(struct hb_request *r, int status, const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	r->status = status;
	r->type = "application/json; charset=utf-8";
	r->out.n = 0;
	r->out.broken = false;
	hb_text_put(&r->out, "{\"error\":");
	hb_text_json(&r->out, text);
	hb_text_put(&r->out, "}");
}

/* ---- parameters ---- */

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static void decode(const char *p, const char *end, char *ret, size_t size)
{
	size_t n = 0;
	for (; p < end && n + 1 < size; p++) {
		int high = *p == '%' && end - p > 2 ? hex(p[1]) : -1, low = high >= 0 ? hex(p[2]) : -1;
		char c = *p == '+' ? ' ' : *p;
		if (low >= 0) {
			c = (char)(high * 16 + low);
			p += 2;
		}
		if (c) /* nothing asked for has a NUL in it */
			ret[n++] = c;
	}
	ret[n] = 0;
}

bool hb_view_parameter(const char *query, const char *name, char *ret, size_t size)
{
	size_t n = strlen(name);
	for (const char *p = query; p && *p;) {
		const char *end = strchrnul(p, '&');
		if (!strncmp(p, name, n) && p[n] == '=') {
			decode(p + n + 1, end, ret, size);
			return true;
		}
		p = *end ? end + 1 : end;
	}
	*ret = 0;
	return false;
}

bool hb__view_parameter(const struct hb_request *r, const char *name, char *ret, size_t size)
{
	return hb_view_parameter(r->query, name, ret, size);
}

bool hb__view_whole(
	struct hb_request *r, const char *name, int64_t otherwise, int64_t least, int64_t most, int64_t *ret)
{
	char text[32], *end;
	*ret = otherwise;
	if (!hb__view_parameter(r, name, text, sizeof text))
		return true;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	if (end != text && !*end && !errno && n >= least && n <= most) {
		*ret = n;
		return true;
	}
	hb__view_refuse(r, 400, "%s must be a number from %lld to %lld", name, (long long)least, (long long)most);
	return false;
}

bool hb__view_real(struct hb_request *r, const char *name, double otherwise, double *ret)
{
	char text[64], *end;
	*ret = otherwise;
	if (!hb__view_parameter(r, name, text, sizeof text) || !*text)
		return true;
	double x = strtod(text, &end);
	if (end != text && !*end && isfinite(x)) {
		*ret = x;
		return true;
	}
	hb__view_refuse(r, 400, "%s must be a number", name);
	return false;
}

bool hb__view_axis(struct hb_request *r, hb_axis *ret)
{
	char text[16];
	*ret = HB_AXIS_LOGICAL;
	if (!hb__view_parameter(r, "axis", text, sizeof text) || !strcmp(text, "logical"))
		return true;
	*ret = HB_AXIS_PHYSICAL;
	if (!strcmp(text, "physical"))
		return true;
	hb__view_refuse(r, 400, "axis must be logical or physical");
	return false;
}

bool hb__view_event(struct hb_request *r, const char *name, hb_at *ret)
{
	char text[64];
	const char *why = "there is no such event";
	const hb_view_source *source = &r->server->o.source;
	if (!hb__view_parameter(r, name, text, sizeof text)) {
		hb__view_refuse(r, 400, "%s must be an event, as in 0:17", name);
		return false;
	}
	if (source->read_event(source->user, text, ret, &why))
		return true;
	hb__view_refuse(r, 404, "%s", why);
	return false;
}

/* ---- names ---- */

enum { LOCKED = 1, POST = 2 };

static const struct named {
	const char *name;
	hb_view_answerer *answer;
	unsigned flags;
} names[] = {
	{"", hb__answer_page, 0},
	{"page", hb__answer_page, 0},
	{"page.html", hb__answer_page, 0},
	{"page.js", hb__answer_page, 0},
	{"page.css", hb__answer_page, 0},
	{"run", hb__answer_run, 0},
	{"view", hb__answer_view, 0},
	{"event", hb__answer_event, LOCKED},
	{"cone", hb__answer_cone, LOCKED},
	{"search", hb__answer_search, 0},
	{"races", hb__answer_races, LOCKED},
	{"source", hb__answer_source, LOCKED},
	{"profile", hb__answer_profile, LOCKED},
	{"matrix", hb__answer_matrix, LOCKED},
	{"model", hb__answer_model, LOCKED},
	{"key", hb__answer_key, LOCKED},
	{"compare", hb__answer_compare, LOCKED},
	{"map", hb__answer_map, LOCKED},
	{"state", hb__answer_state, 0},
	{"run-to", hb__answer_live, POST},
	{"go", hb__answer_live, POST},
	{"halt", hb__answer_live, POST},
	{"end", hb__answer_live, POST},
	{"stack", hb__answer_live, 0},
	{"variables", hb__answer_live, 0},
	{"evaluate", hb__answer_live, POST},
};

bool hb__view_ready(struct hb_request *r)
{
	double progress;
	hb_error failed;
	if (hb__built(r->server, &progress, &failed))
		return true;
	if (failed.status) {
		hb__view_refuse(r, 500, "%s", failed.message);
		return false;
	}
	hb__view_refuse(r, 503, "the recording is still being read");
	r->out.n--; /* the brace */
	hb_text_format(&r->out, ",\"progress\":%.3f}", progress);
	return false;
}

void hb__view_answer(struct hb_request *r)
{
	const struct named *n = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i].name, r->name))
			n = &names[i];
	r->status = 200;
	r->type = "application/json; charset=utf-8";
	if (!n) {
		hb__view_refuse(r, 404, "there is no such page");
		return;
	}
	if (r->post != !!(n->flags & POST)) {
		hb__view_refuse(r, 405, r->post ? "this needs a GET request" : "this needs a POST request");
		return;
	}
	if (n->flags & LOCKED) {
		if (!hb__view_ready(r))
			return;
		hb__view_lock(&r->server->lock);
		n->answer(r);
		hb__view_unlock(&r->server->lock);
	} else
		n->answer(r);
	if (r->out.broken)
		hb__view_refuse(r, 500, "out of memory");
}

int hb_view_answer(hb_view_server *s, const char *address, hb_text *ret)
{
	struct hb_request r = {.server = s};
	const char *query = strchrnul(address, '?');
	char *name = strndup(address, (size_t)(query - address));
	if (!name)
		return 500;
	r.name = name;
	r.query = *query ? query + 1 : NULL;
	r.out = *ret;
	hb__view_answer(&r);
	*ret = r.out;
	free(name);
	return r.status;
}
