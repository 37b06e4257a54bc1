/* Keys, events and places in words. */
#include <stdio.h>
#include <string.h>

#include "rules/pattern/judge/internal.h"

const char *hb_judged_value(const hb_judgement *j, const hb_pattern_value *value, char *to, size_t size)
{
	const char *text = value->text ? hb_pattern_text_of(j->pattern, (uint32_t)value->number) : NULL;
	if (value->text)
		snprintf(to, size, "%s", text && *text ? text : "\"\""); /* one that is empty has to be seen */
	else
		snprintf(to, size, "%lld", (long long)value->number);
	return to;
}

static size_t behind(const char *text, size_t size)
{
	size_t n = strlen(text);
	return n < size ? n : size - 1;
}

const char *hb__key_words(const struct hb__judging *g, const hb_pattern_verdict *v, char *to, size_t size)
{
	char value[64];
	snprintf(to, size, "%s", v->nkeys ? "" : "the run");
	for (uint32_t i = 0; i < v->nkeys; i++) {
		size_t n = behind(to, size);
		snprintf(to + n, size - n, "%s%s %s", i ? ", " : "", v->key_name[i],
			hb_judged_value(g->judgement, &v->key[i], value, sizeof value));
	}
	return to;
}

static const char *with_keys(
	const struct hb__judging *g, uint32_t binding, const hb_pattern_value *key, char *to, size_t size)
{
	const hb_pattern_binding *b = &g->binding[binding];
	char value[64];
	snprintf(to, size, "%s%s", b->name, b->nkeys ? "(" : "");
	for (uint32_t i = 0; i < b->nkeys; i++) {
		size_t n = behind(to, size);
		snprintf(to + n, size - n, "%s%s%s", i ? ", " : "",
			hb_judged_value(g->judgement, &key[i], value, sizeof value), i + 1 == b->nkeys ? ")" : "");
	}
	return to;
}

const char *hb__half_words(const struct hb__judging *g, uint32_t binding, hb_pattern_half half, uint32_t process,
	int64_t peer, const hb_pattern_value *key, char *to, size_t size)
{
	const hb_pattern_binding *b = &g->binding[binding];
	char who[96], other[96] = "", name[200];
	hb_pattern_process(g->pattern, process, who, sizeof who);
	with_keys(g, binding, key, name, sizeof name);
	if (peer >= 0 && peer < (int64_t)g->info->processes)
		hb_pattern_process(g->pattern, (uint32_t)peer, other, sizeof other);
	if (!b->message)
		snprintf(to, size, "%s%s at %s",
			b->halves < HB_PATTERN_HALVES ? ""
			: half == HB_PATTERN_END      ? "the end of "
						      : "the begin of ",
			name, who);
	else
		snprintf(to, size, half == HB_PATTERN_SENT ? "%s sends %s%s%s" : "%s receives %s%s%s", who, name,
			!*other                   ? ""
			: half == HB_PATTERN_SENT ? " to "
						  : " from ",
			other);
	return to;
}

const char *hb__place_words(const struct hb__judging *g, const hb_pattern_next *next)
{
	const hb_pattern_binding *b = &g->binding[next->binding];
	return b->in ? b->in : b->name;
}
