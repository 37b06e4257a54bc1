/* A model, from its text to its end: memory, errors, names, and the clauses of a binding on an event. */
#include "rules/pattern/pattern.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/pattern/language/ast.h"

#define MODEL_BYTES ((size_t)16 << 20)

/* ---- memory and errors of the model ---- */

void *hb__take(hb_pattern *p, size_t size)
{
	struct hb__block *b = calloc(1, sizeof *b + size);
	if (!b)
		return hb__pattern_no_memory(p);
	b->next = p->blocks;
	p->blocks = b;
	return b + 1;
}

void *hb__pattern_no_memory(hb_pattern *p)
{
	if (!p->failed) {
		p->error = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		p->failed = true;
	}
	return NULL;
}

void *hb__wrong(hb_pattern *p, uint32_t line, uint32_t column, const char *format, ...)
{
	if (p->failed)
		return NULL;
	p->failed = true;
	p->error = (hb_error){.status = HB_E_DAMAGED};
	char text[160];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	snprintf(p->error.file, sizeof p->error.file, "%s", p->file);
	if (line)
		snprintf(p->error.message, sizeof p->error.message, "%.60s:%u:%u: %s", p->file, line, column, text);
	else
		snprintf(p->error.message, sizeof p->error.message, "%.60s: %s", p->file, text);
	return NULL;
}

hb_status hb__pattern_failure(hb_pattern *p, hb_error *err)
{
	if (!p->failed)
		return HB_OK;
	if (err)
		*err = p->error;
	p->failed = false;
	return p->error.status;
}

/* ---- reading and closing ---- */

static hb_status out_of_memory(hb_error *err)
{
	if (err)
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	return HB_E_MEMORY;
}

static bool copy_world(hb_pattern *p, const hb_pattern_world *world)
{
	p->processes = world->processes;
	if (!world->name)
		return true;
	if (!(p->process_name = calloc(world->processes + 1, sizeof *p->process_name)))
		return hb__pattern_no_memory(p);
	for (uint32_t i = 0; i < world->processes; i++)
		if (!(p->process_name[i] = strdup(world->name[i] ? world->name[i] : "")))
			return hb__pattern_no_memory(p);
	return true;
}

hb_status hb_pattern_parse(
	const char *file, const char *text, const hb_pattern_world *world, hb_pattern **ret_pattern, hb_error *err)
{
	hb_pattern *p = calloc(1, sizeof *p);
	if (!p || !(p->file = strdup(file))) {
		free(p);
		return out_of_memory(err);
	}
	if (copy_world(p, world) && hb__read_model(p, text, world) && hb__analyse(p) && hb__route(p)) {
		*ret_pattern = p;
		return HB_OK;
	}
	hb_status status = hb__pattern_failure(p, err);
	hb_pattern_close(p);
	return status;
}

static hb_status system_error(const char *file, hb_error *err)
{
	if (err) {
		*err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
		snprintf(err->file, sizeof err->file, "%s", file);
		snprintf(err->message, sizeof err->message, "cannot read the model %.150s: %s", file, strerror(errno));
	}
	return HB_E_SYSTEM;
}

hb_status hb_pattern_read(const char *file, const hb_pattern_world *world, hb_pattern **ret_pattern, hb_error *err)
{
	FILE *f = fopen(file, "rb");
	if (!f)
		return system_error(file, err);
	char *text = malloc(MODEL_BYTES + 1);
	size_t n = text ? fread(text, 1, MODEL_BYTES + 1, f) : 0;
	bool bad = text && ferror(f);
	hb_status status = !text ? out_of_memory(err) : bad ? system_error(file, err) : HB_OK;
	fclose(f);
	if (!status && (n > MODEL_BYTES || memchr(text, 0, n))) {
		status = HB_E_DAMAGED;
		if (err) {
			*err = (hb_error){.status = status};
			snprintf(err->message, sizeof err->message, "%.150s is no model: %s", file,
				n > MODEL_BYTES ? "larger than 16 MB" : "it has null bytes");
		}
	}
	if (!status) {
		text[n] = 0;
		status = hb_pattern_parse(file, text, world, ret_pattern, err);
	}
	free(text);
	return status;
}

void hb_pattern_close(hb_pattern *p)
{
	if (!p)
		return;
	for (struct hb__block *b = p->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	for (uint32_t i = 0; p->process_name && i < p->processes; i++)
		free(p->process_name[i]);
	free(p->process_name);
	hb__values_free(&p->values);
	free(p->lets);
	free(p->bindings);
	free(p->clauses);
	free(p->defs);
	free(p->forms);
	free(p->file);
	free(p);
}

/* ---- what it says ---- */

const char *hb_pattern_name(const hb_pattern *p) { return p->name; }

/* Of a process in a role that numbers its processes. */
static int64_t number_in(const hb_pattern *p, const struct hb__let *role, uint32_t process)
{
	size_t n = 0, before = 0;
	const int64_t *member = hb__is_set(role->value) ? hb__members(&p->values, role->value, &n) : NULL;
	while (before < n && member[before] < process)
		before++;
	return role->from + (int64_t)before;
}

const char *hb_pattern_process(const hb_pattern *p, uint32_t process, char *to, size_t size)
{
	for (size_t i = 0; i < p->nlets; i++) {
		hb__value v = p->lets[i].value;
		if (p->lets[i].role && (hb__is_set(v) ? hb__member(&p->values, v, process) : v == process)) {
			snprintf(to, size, "%s %lld", p->lets[i].name,
				p->lets[i].numbered ? (long long)number_in(p, &p->lets[i], process)
						    : (long long)process);
			return to;
		}
	}
	snprintf(to, size, "rank %u", process);
	return to;
}

uint32_t hb_pattern_text(hb_pattern *p, const char *text)
{
	hb__value v = hb__text(&p->values, text, strlen(text));
	return v == HB__LEAST ? HB_NO : (uint32_t)(v - HB__TEXTS);
}

const char *hb_pattern_text_of(const hb_pattern *p, uint32_t number)
{
	return hb__text_of(&p->values, HB__TEXTS + number, NULL);
}

const hb_pattern_binding *hb_pattern_bindings(const hb_pattern *p, uint32_t *ret_n)
{
	*ret_n = (uint32_t)p->nbindings;
	return p->bindings;
}

/* ---- clauses on an event ---- */

static int64_t peer_of(hb_pattern *p, const struct hb__expr *e)
{
	if (!e)
		return -1;
	int64_t v = hb__eval_number(p, e, NULL, "a process");
	return v < 0 || v >= p->processes ? -1 : v;
}

static hb_pattern_value key_of(hb_pattern *p, const struct hb__expr *e)
{
	hb__value v = hb__eval(p, e, NULL);
	if (hb__is_set(v))
		hb__wrong(p, e->line, e->column, "the key is a set here: the event has no value of this name");
	return (hb_pattern_value){hb__is_text(v), hb__is_text(v) ? v - HB__TEXTS : v};
}

hb_status hb_pattern_bind(hb_pattern *p, uint32_t binding, hb_pattern_half half, hb_pattern_ask *ask, void *user,
	bool *ret_fits, hb_pattern_value *keys, int64_t *ret_peer, hb_error *err)
{
	const struct hb__clauses *c = &p->clauses[binding];
	p->ask = ask;
	p->ask_user = user;
	p->steps = 0;
	*ret_fits = !c->where || hb__eval_number(p, c->where, NULL, "a condition") != 0;
	*ret_peer = -1;
	if (*ret_fits) {
		for (uint32_t i = 0; i < p->bindings[binding].nkeys; i++)
			keys[i] = key_of(p, c->key[i]);
		*ret_peer = peer_of(p, half == HB_PATTERN_SENT ? c->to : c->from);
	}
	p->ask = NULL;
	return hb__pattern_failure(p, err);
}
