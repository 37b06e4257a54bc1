/* A log that is put together in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/draft/internal.h"
#include "format/sealed/sealed.h"

static void define(hb_draft *d, uint8_t kind, struct hb__bytes *body)
{
	if (!d->failed)
		d->failed = body->failed || !hb__define(&d->log.defs, kind, body->p, body->n);
	free(body->p);
}

hb_draft *hb_draft_begin(const hb_draft_process *p)
{
	hb_draft *d = calloc(1, sizeof *d);
	if (!d)
		return NULL;
	hb_log *log = &d->log;
	struct hb_log_header head = {.version = HB_LOG_VERSION,
		.size = 1,
		.pid = p->pid,
		.level = HB_LEVEL_EVENTS,
		.tick_fs = 1000000,
		.origin_real = p->origin,
		.origin_mono = p->mono,
		.state = HB_STATE_FINALIZED};
	memcpy(head.magic, HB_LOG_MAGIC, sizeof head.magic);
	memcpy(log->head, &head, sizeof log->head);
	hb_log_info *info = &log->info;
	*info = (hb_log_info){.version = HB_LOG_VERSION, .level = HB_LEVEL_EVENTS, .tick_ns = 1, .pid = p->pid};
	snprintf(info->host, sizeof info->host, "%s", p->host);
	snprintf(info->program, sizeof info->program, "%s", p->program);
	log->file.fd = -1;
	log->ops = &hb__draft_ops;
	log->defs.version = HB_LOG_VERSION;
	struct hb__bytes body = {0};
	hb__bytes_str(&body, ""); /* a world of its own */
	hb__bytes_uv(&body, 0);
	hb__bytes_str(&body, "");
	hb__bytes_sv(&body, -1);
	hb__bytes_uv(&body, p->origin);
	define(d, HB_DEF_PROCESS, &body);
	return d;
}

void hb_draft_free(hb_draft *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->log.lanes; i++)
		free(d->lane[i].rows.p);
	free(d->lane);
	free(d->text);
	hb_log_close(&d->log);
}

/* ---- definitions ---- */

static void fields(struct hb__bytes *body, uint32_t n, const hb_draft_field *field)
{
	hb__bytes_uv(body, n);
	for (uint32_t i = 0; i < n; i++) {
		hb__bytes_u8(body, field[i].kind);
		hb__bytes_str(body, field[i].name);
	}
}

uint32_t hb_draft_define(hb_draft *d, const hb_draft_function *f)
{
	struct hb__bytes body = {0};
	if (d->functions == HB_FUNCTIONS_MOST)
		d->failed = true;
	hb__bytes_uv(&body, d->functions);
	hb__bytes_u8(&body, f->cls);
	hb__bytes_str(&body, f->name);
	fields(&body, f->args, f->arg);
	define(d, HB_DEF_FUNCTION, &body);
	if (f->values) {
		struct hb__bytes values = {0};
		hb__bytes_uv(&values, d->functions);
		fields(&values, f->values, f->value);
		define(d, HB_DEF_VALUES, &values);
	}
	return d->functions++;
}

uint32_t hb_draft_functions(const hb_draft *d) { return d->functions; }

void hb_draft_layer(hb_draft *d, const char *name)
{
	struct hb__bytes body = {0};
	hb__bytes_str(&body, name);
	hb__bytes_uv(&body, 0);
	hb__bytes_uv(&body, HB_FUNCTIONS_MOST);
	define(d, HB_DEF_LAYER, &body);
}

void hb_draft_network(hb_draft *d, uint64_t number)
{
	struct hb__bytes body = {0};
	hb__bytes_uv(&body, number);
	define(d, HB_DEF_NETWORK, &body);
}

static struct hb__draft_text *cell_of(const hb_draft *d, uint64_t hash, const char *text)
{
	size_t mask = d->texts_cap - 1, i = hash & mask;
	for (; d->text[i].number; i = (i + 1) & mask)
		if (d->text[i].hash == hash && (!text || !strcmp(hb_log_text(&d->log, d->text[i].number - 1), text)))
			break;
	return &d->text[i];
}

static bool more_cells(hb_draft *d)
{
	struct hb__draft_text *old = d->text;
	size_t cells = d->texts_cap, cap = cells ? 2 * cells : 64;
	struct hb__draft_text *text = calloc(cap, sizeof *text);
	if (!text)
		return false;
	d->text = text;
	d->texts_cap = cap;
	for (size_t i = 0; i < cells; i++) {
		size_t at = old[i].hash & (cap - 1);
		if (!old[i].number)
			continue;
		while (text[at].number)
			at = (at + 1) & (cap - 1);
		text[at] = old[i];
	}
	free(old);
	return true;
}

uint32_t hb_draft_text(hb_draft *d, const char *text)
{
	uint64_t hash = XXH3_64bits(text, strlen(text));
	if (2 * d->texts >= d->texts_cap && !more_cells(d))
		d->failed = true;
	if (d->failed)
		return 0;
	struct hb__draft_text *cell = cell_of(d, hash, text);
	if (!cell->number) {
		struct hb__bytes body = {0};
		hb__bytes_uv(&body, d->texts);
		hb__bytes_str(&body, text);
		define(d, HB_DEF_TEXT, &body);
		*cell = (struct hb__draft_text){hash, (uint32_t)++d->texts};
	}
	return cell->number - 1;
}

void hb_draft_note(hb_draft *d, const char *text)
{
	if (!hb__note_add(&d->log, HB_NO, 0, (const uint8_t *)text, strlen(text)))
		d->failed = true;
}

/* ---- rows ---- */

uint32_t hb_draft_lane(hb_draft *d)
{
	uint32_t number = d->log.lanes;
	if (number + 1 >= HB_LANE_DEFINITIONS)
		d->failed = true;
	if (d->failed || !HB_GROW(d->lane, d->lanes_cap, (size_t)number + 1)) {
		d->failed = true;
		return 0;
	}
	d->lane[number] = (struct hb__draft_lane){0};
	struct hb__lane_rows *l = hb__log_lane(&d->log, number);
	d->failed = !l;
	if (l)
		l->info.thread = number;
	return number;
}

/* Counts a call; false: out of memory. */
static bool count(struct hb__lane_rows *l, uint32_t function)
{
	if (l->ncalls <= function) {
		uint64_t *more = realloc(l->calls, ((size_t)function + 1) * sizeof *more);
		if (!more)
			return false;
		memset(more + l->ncalls, 0, ((size_t)function + 1 - l->ncalls) * sizeof *more);
		l->calls = more;
		l->ncalls = function + 1;
	}
	l->calls[function]++;
	l->info.events++;
	return true;
}

void hb_draft_row(hb_draft *d, uint32_t lane, const hb_row *row)
{
	if (d->failed || lane >= d->log.lanes)
		return;
	struct hb__draft_lane *l = &d->lane[lane];
	uint8_t *begin = hb__bytes_room(&l->rows, (5 + (size_t)row->nargs + row->nresults) * HB_UV_MAX), *p = begin;
	if (!p || row->function >= d->functions) {
		d->failed = true;
		return;
	}
	p = hb_put_uv(p, row->function);
	p = hb_put_uv(p, row->enter - l->exit);
	p = hb_put_uv(p, row->exit - row->enter);
	p = hb_put_uv(p, row->nargs);
	for (uint32_t i = 0; i < row->nargs; i++)
		p = hb_put_sv(p, row->arg[i]);
	p = hb_put_uv(p, row->nresults);
	for (uint32_t i = 0; i < row->nresults; i++)
		p = hb_put_sv(p, row->results[i]);
	l->rows.n += (size_t)(p - begin);
	l->exit = row->exit;
	d->failed = !count(&d->log.lane[lane], row->function);
	d->log.info.events++;
}

uint64_t hb_draft_events(const hb_draft *d) { return d->log.info.events; }

hb_status hb_draft_seal(hb_draft *d, const char *to, hb_error *err)
{
	d->log.info.lanes = d->log.lanes;
	if (d->failed)
		return hb__fail(
			err, HB_E_MEMORY, to, 0, "out of memory, or more functions or lanes than a log can have");
	return hb__seal(&d->log, to, NULL, NULL, err);
}
