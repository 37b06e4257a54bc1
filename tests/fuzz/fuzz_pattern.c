/* Any text as a model: it is read, or there is an error that says where; then some events that its declarations name are fed, and judged. */
#include "fuzz.h"
#include "rules/pattern/pattern.h"

#define EVENTS 64

static bool ask(void *user, const char *name, int64_t offset, hb_pattern_value *ret_value)
{
	const uint8_t *byte = user;
	*ret_value = (hb_pattern_value){false, (int64_t)(*name ^ offset ^ *byte) % 5};
	return *name != 'x';
}

static bool visit(void *user, const hb_pattern_verdict *v)
{
	uint64_t *sum = user;
	for (uint32_t i = 0; i < v->nnext; i++)
		*sum += v->next[i].process + v->next[i].line;
	for (uint32_t i = 0; i < v->nkeys; i++)
		*sum += (uint64_t)v->key[i].number + strlen(v->key_name[i]);
	return true;
}

static void feed(hb_pattern *p, const uint8_t *data, size_t size)
{
	hb_pattern_check *c;
	hb_error err;
	hb_pattern_sum sum;
	uint32_t n;
	const hb_pattern_binding *b = hb_pattern_bindings(p, &n);
	if (hb_pattern_begin(p, NULL, NULL, &c, &err)) {
		fuzz_must(err.message[0] != 0, "an error says something");
		return;
	}
	for (uint64_t i = 0; n && size && i < EVENTS; i++) {
		hb_pattern_value key[64];
		bool fits;
		uint8_t byte = data[i % size];
		hb_pattern_event e = {
			.binding = (uint32_t)(byte % n), .process = (byte >> 2) % 4u, .key = key, .id = i};
		e.half = b[e.binding].halves == 2 && i % 2 ? HB_PATTERN_END : HB_PATTERN_BEGIN;
		if (hb_pattern_bind(p, e.binding, e.half, ask, &byte, &fits, key, &e.peer, &err) || !fits)
			continue;
		if (hb_pattern_feed(c, &e, &err))
			fuzz_must(err.message[0] != 0, "an error says something");
	}
	uint64_t all = 0;
	if (hb_pattern_end(c, true, visit, &all, &sum, &err))
		fuzz_must(err.message[0] != 0, "an error says something");
	hb_pattern_check_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	hb_pattern_world world = {.processes = 4};
	hb_pattern *p = NULL;
	hb_error err = {0};
	char *text = malloc(size + 1);
	fuzz_must(text != NULL, "memory");
	memcpy(text, data, size);
	text[size] = 0;
	if (!hb_pattern_parse("m", text, &world, &p, &err))
		feed(p, data, size);
	else
		fuzz_must(err.message[0] == 'm', "an error says where");
	hb_pattern_close(p);
	free(text);
	return 0;
}
