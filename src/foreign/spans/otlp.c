/* OTLP as JSON: resourceSpans, scopeSpans, spans (opentelemetry-proto, trace.proto). Times and numbers of 64 bits are texts there, identities
 * hexadecimal. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"
#include "foreign/spans/spans.h"

#define MEMBER cJSON_GetObjectItemCaseSensitive

static const cJSON *either(const cJSON *o, const char *name, const char *other)
{
	const cJSON *item = MEMBER(o, name);
	return item ? item : MEMBER(o, other);
}

static const char *text_of(const cJSON *o, const char *name, const char *other)
{
	const cJSON *item = either(o, name, other);
	return cJSON_IsString(item) ? item->valuestring : NULL;
}

static uint64_t time_of(const cJSON *o, const char *name, const char *other)
{
	const cJSON *item = either(o, name, other);
	if (cJSON_IsString(item))
		return isdigit((unsigned char)*item->valuestring) ? strtoull(item->valuestring, NULL, 10) : 0;
	bool fits = cJSON_IsNumber(item) && item->valuedouble > 0 && item->valuedouble < 9.2e18;
	return fits ? (uint64_t)item->valuedouble : 0;
}

/* One of a few words, or its number. */
static uint8_t word_of(const cJSON *item, const char *const *word, uint8_t n)
{
	if (cJSON_IsNumber(item))
		return item->valuedouble > 0 && item->valuedouble < n ? (uint8_t)item->valuedouble : 0;
	for (uint8_t i = 0; cJSON_IsString(item) && i < n; i++)
		if (!strcmp(item->valuestring, word[i]))
			return i;
	return 0;
}

static uint64_t identity(const char *trace, const char *span)
{
	uint64_t hash = 0;
	for (int turn = 0; turn < 2; turn++) {
		char low[64] = {0};
		const char *text = turn ? span : trace;
		for (size_t i = 0; text[i] && i < sizeof low - 1; i++)
			low[i] = (char)tolower((unsigned char)text[i]);
		hash = XXH3_64bits_withSeed(low, sizeof low, hash);
	}
	return hash;
}

static bool is_given(const char *id) { return id && *id && strspn(id, "0") != strlen(id); }

/* ---- processes ---- */

static const char *attribute(const cJSON *attributes, const char *name, char **ret_own)
{
	const cJSON *a;
	cJSON_ArrayForEach(a, attributes)
	{
		const char *key = text_of(a, "key", "key");
		if (key && !strcmp(key, name))
			return *ret_own = hb__attribute_text(MEMBER(a, "value"));
	}
	return NULL;
}

static uint32_t service_of(struct hb__spans *s, const cJSON *resource)
{
	const cJSON *attributes = MEMBER(resource, "attributes");
	char *own[4] = {0};
	const char *name = attribute(attributes, "service.name", &own[0]);
	const char *instance = attribute(attributes, "service.instance.id", &own[1]);
	if (!instance)
		instance = attribute(attributes, "host.name", &own[2]);
	if (!name)
		name = attribute(attributes, "process.executable.name", &own[3]);
	name = name ? name : "unknown_service";
	instance = instance ? instance : "";
	uint32_t i = 0;
	while (i < s->services && (strcmp(s->service[i].name, name) || strcmp(s->service[i].instance, instance)))
		i++;
	if (i == s->services) {
		struct hb__service new = {strdup(name), strdup(instance), 0};
		if (new.name &&new.instance && HB_GROW(s->service, s->services_cap, s->services + 1)) {
			s->service[s->services++] = new;
		} else {
			free(new.name);
			free(new.instance);
			s->failed = true;
		}
	}
	for (int k = 0; k < 4; k++)
		free(own[k]);
	return i;
}

/* ---- spans ---- */

static bool take_attributes(struct hb__span *span, const cJSON *attributes)
{
	const cJSON *a;
	int n = cJSON_GetArraySize(attributes);
	if (n <= 0)
		return true;
	n = n < HB_ATTRIBUTES ? n : HB_ATTRIBUTES;
	span->attribute = calloc((size_t)n, sizeof *span->attribute);
	if (!span->attribute)
		return false;
	cJSON_ArrayForEach(a, attributes)
	{
		const char *name = text_of(a, "key", "key");
		uint32_t key = name ? hb__attribute_key(name) : HB_NO;
		char *text = key != HB_NO ? hb__attribute_text(MEMBER(a, "value")) : NULL;
		if (text && span->attributes < (uint32_t)n)
			span->attribute[span->attributes++] = (struct hb__attribute){key, text};
		else
			free(text);
	}
	return true;
}

static bool take_links(struct hb__span *span, const cJSON *links)
{
	const cJSON *l;
	int n = cJSON_GetArraySize(links);
	if (n <= 0)
		return true;
	span->link = calloc((size_t)n, sizeof *span->link);
	if (!span->link)
		return false;
	cJSON_ArrayForEach(l, links)
	{
		const char *trace = text_of(l, "traceId", "trace_id"), *id = text_of(l, "spanId", "span_id");
		if (is_given(trace) && is_given(id))
			span->link[span->links++] = (struct hb__cause){identity(trace, id), HB_NO};
	}
	return true;
}

static char *copy(struct hb__spans *s, const char *text)
{
	char *own = strdup(text);
	s->failed |= !own;
	return own;
}

static void take_span(struct hb__spans *s, uint32_t process, const cJSON *o)
{
	static const char *const kinds[HB_SPAN_KINDS] = {"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL",
		"SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"};
	static const char *const codes[3] = {"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"};
	const char *trace = text_of(o, "traceId", "trace_id"), *id = text_of(o, "spanId", "span_id");
	const char *parent = text_of(o, "parentSpanId", "parent_span_id"), *name = text_of(o, "name", "name");
	const cJSON *status = MEMBER(o, "status");
	const char *message = text_of(status, "message", "message");
	uint64_t start = time_of(o, "startTimeUnixNano", "start_time_unix_nano");
	uint64_t end = time_of(o, "endTimeUnixNano", "end_time_unix_nano");
	if (!is_given(trace) || !is_given(id) || !name || !start || start > INT64_MAX || end > INT64_MAX) {
		s->unfit++;
		return;
	}
	if (!HB_GROW(s->at, s->cap, s->n + 1)) {
		s->failed = true;
		return;
	}
	s->reversed += end < start;
	struct hb__span *span = &s->at[s->n++];
	*span = (struct hb__span){.name = copy(s, *name ? name : "(no name)"),
		.trace = copy(s, trace),
		.message = message && *message ? copy(s, message) : NULL,
		.id = identity(trace, id),
		.process = process,
		.kind = word_of(MEMBER(o, "kind"), kinds, HB_SPAN_KINDS),
		.status = word_of(MEMBER(status, "code"), codes, 3),
		.start = start,
		.end = end < start ? start : end,
		.parent = {is_given(parent) ? identity(trace, parent) : 0, HB_NO}};
	if (!take_attributes(span, MEMBER(o, "attributes")) || !take_links(span, MEMBER(o, "links")))
		s->failed = true;
}

bool hb__otlp_take(struct hb__spans *s, const cJSON *root)
{
	const cJSON *resource, *scope, *span;
	bool is = false;
	if (cJSON_IsArray(root)) {
		cJSON_ArrayForEach(resource, root) is |= cJSON_IsObject(resource) && hb__otlp_take(s, resource);
		return is;
	}
	const cJSON *resources = either(root, "resourceSpans", "resource_spans");
	cJSON_ArrayForEach(resource, resources)
	{
		uint32_t process = service_of(s, MEMBER(resource, "resource"));
		const cJSON *scopes = either(resource, "scopeSpans", "scope_spans");
		if (!scopes)
			scopes = MEMBER(resource, "instrumentationLibrarySpans"); /* before 2022 */
		cJSON_ArrayForEach(scope, scopes)
		{
			cJSON_ArrayForEach(span, MEMBER(scope, "spans")) if (!s->failed) take_span(s, process, span);
		}
	}
	return cJSON_IsArray(resources);
}
