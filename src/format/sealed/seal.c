/* Writes a log in the sealed form: section after section, then an index. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/sealed/sealed.h"

struct sealer {
	hb_log *log;
	struct hb__out out;
	struct hb__bytes payload, index;
	uint64_t offset, sections, done;
	hb_progress *progress;
	void *user;
};

/* Writes s->payload as a section. */
static void section(struct sealer *s, uint16_t kind, uint16_t lane, uint32_t events, uint64_t first)
{
	struct hb__bytes *b = &s->out.b;
	struct hb__section h = {
		.bytes = (uint32_t)s->payload.n, .kind = kind, .lane = lane, .events = events, .first = first};
	memcpy(h.magic, HB_SECTION_MAGIC, sizeof h.magic);
	if (s->payload.n > UINT32_MAX)
		b->failed = true;
	size_t at = b->n;
	hb__bytes_put(b, &h, sizeof h);
	hb__bytes_put(b, s->payload.p, s->payload.n);
	b->failed |= s->payload.failed;
	if (b->failed)
		return;
	h.checksum = XXH3_64bits(b->p + at + HB__SECTION_HASHED, b->n - at - HB__SECTION_HASHED);
	memcpy(b->p + at, &h, sizeof h);
	if (kind != HB_SECTION_INDEX) {
		hb__bytes_uv(&s->index, kind);
		hb__bytes_uv(&s->index, lane);
		hb__bytes_uv(&s->index, b->n - at);
		hb__bytes_uv(&s->index, events);
		hb__bytes_uv(&s->index, first);
		s->sections++;
		s->offset += b->n - at;
	}
	s->payload.n = 0;
	hb__out_flush(&s->out);
}

static void header(struct sealer *s)
{
	struct hb_log_header h = {0};
	memcpy(&h, s->log->head, HB__HEAD);
	h.incompatible = HB_LOG_INCOMPAT_SEALED | (s->log->before_bytes ? HB_LOG_INCOMPAT_RING : 0);
	h.unit_size = 0;
	h.units = 0;
	hb__bytes_put(&s->out.b, &h, HB__HEAD);
	s->offset = HB__HEAD;
	uint64_t sum = XXH3_64bits(&h, HB__HEAD);
	struct hb__bytes *b = &s->payload;
	const hb_log_info *i = &s->log->info;
	hb__bytes_put(b, &sum, sizeof sum);
	hb__bytes_str(b, i->host);
	hb__bytes_str(b, i->version_text);
	hb__bytes_str(b, i->program);
	hb__bytes_uv(b, i->lost);
	hb__bytes_str(b, i->recovered ? i->trouble : "");
	section(s, HB_SECTION_PROCESS, 0, 0, 0);
}

static bool definitions(struct sealer *s)
{
	struct hb__packer k;
	if (!hb__packer_open(&k, true))
		return false;
	const struct hb__bytes *raw = &s->log->defs.raw;
	hb__bytes_uv(&s->payload, raw->n);
	hb__pack(&k, &s->payload, raw->p, raw->n);
	hb__packer_close(&k);
	section(s, HB_SECTION_DEFINITIONS, 0, 0, 0);
	return true;
}

static bool before(struct sealer *s)
{
	struct hb__packer k;
	if (!s->log->before_bytes)
		return true;
	if (!hb__packer_open(&k, false))
		return false;
	hb__bytes_uv(&s->payload, s->log->before_n);
	hb__pack(&k, &s->payload, s->log->before_bytes, s->log->before_n);
	hb__packer_close(&k);
	section(s, HB_SECTION_BEFORE, 0, 0, 0);
	return true;
}

static hb_status lane_state(struct sealer *s, uint32_t number, hb_error *err)
{
	const struct hb__lane_rows *l = &s->log->lane[number];
	struct hb__bytes *b = &s->payload;
	hb_row inside = {0};
	bool known = false;
	hb_cursor *c = NULL;
	if (l->info.inside) {
		hb_status status = hb_cursor_open(s->log, number, l->info.events + 1, &c, err);
		if (status)
			return status;
		known = hb_cursor_slot(c, l->info.inside_slot, &inside) == HB_OK;
	}
	hb__bytes_uv(b, l->info.thread);
	hb__bytes_uv(b, l->info.polls);
	if (s->log->info.level == HB_LEVEL_RACING)
		hb__bytes_uv(b, l->info.skipped);
	hb__bytes_uv(b, l->info.events);
	hb__bytes_u8(b, known);
	if (known) {
		hb__bytes_uv(b, l->info.inside_enter);
		hb__bytes_uv(b, inside.function);
		hb__bytes_uv(b, inside.site);
		hb__bytes_uv(b, inside.has_digest ? HB_SLOT_CHECK : 0);
		hb__bytes_uv(b, inside.nargs);
		for (uint32_t i = 0; i < inside.nargs; i++)
			hb__bytes_sv(b, inside.arg[i]);
	}
	hb_cursor_close(c);
	for (uint32_t f = 0, next = 0; f < l->ncalls; f++)
		if (l->calls[f]) {
			hb__bytes_uv(b, f - next);
			hb__bytes_uv(b, l->calls[f]);
			next = f + 1;
		}
	section(s, HB_SECTION_LANE, (uint16_t)number, 0, 0);
	return HB_OK;
}

static hb_status lane_waits(struct sealer *s, uint32_t number, hb_error *err)
{
	const hb_lane_info *l = &s->log->lane[number].info;
	hb_row polling = {0};
	hb_cursor *c = NULL;
	if (!l->waits && !l->polling)
		return HB_OK;
	hb_status status = hb_cursor_open(s->log, number, l->events + 1, &c, err);
	if (status)
		return status;
	bool known = l->polling && hb_cursor_slot(c, l->polling_slot, &polling) == HB_OK;
	hb__waits_write(l, known ? &polling : NULL, &s->payload);
	hb_cursor_close(c);
	section(s, HB_SECTION_WAITS, (uint16_t)number, 0, 0);
	return HB_OK;
}

#define NOTES_PLAIN 4096 /* bytes that are left as they are, for readers of older versions */

static bool notes(struct sealer *s)
{
	struct hb__bytes all = {0};
	struct hb__packer k;
	if (!s->log->notes)
		return true;
	hb__bytes_uv(&all, s->log->notes);
	for (size_t i = 0; i < s->log->notes; i++) {
		const hb_note *n = &s->log->note[i];
		hb__bytes_uv(&all, n->lane == HB_NO ? 0 : (uint64_t)n->lane + 1);
		hb__bytes_uv(&all, n->event);
		hb__bytes_str(&all, n->text);
	}
	bool plain = all.n <= NOTES_PLAIN || all.n > HB__NOTES_MAX, good = !all.failed && hb__packer_open(&k, false);
	if (good && plain) {
		hb__bytes_put(&s->payload, all.p, all.n);
	} else if (good) {
		hb__bytes_uv(&s->payload, all.n);
		hb__pack(&k, &s->payload, all.p, all.n);
	}
	if (good) {
		hb__packer_close(&k);
		section(s, plain ? HB_SECTION_NOTES : HB_SECTION_PACKED_NOTES, 0, 0, 0);
	}
	free(all.p);
	return good;
}

static bool remarks(struct sealer *s)
{
	struct hb__bytes all = {0};
	struct hb__packer k;
	uint64_t before = 0;
	if (!s->log->remarks)
		return true;
	hb__bytes_uv(&all, s->log->remarks);
	for (size_t i = 0; i < s->log->remarks; i++) {
		const hb_remark_row *r = &s->log->remark[i];
		hb__bytes_uv(&all, r->lane == HB_NO ? 0 : (uint64_t)r->lane + 1);
		hb__bytes_sv(&all, (int64_t)(r->event - before));
		hb__bytes_uv(&all, r->kind);
		hb__bytes_uv(&all, r->bytes);
		hb__bytes_put(&all, r->at, r->bytes);
		before = r->event;
	}
	bool good = !all.failed && hb__packer_open(&k, false);
	if (good) {
		hb__bytes_uv(&s->payload, all.n);
		hb__pack(&k, &s->payload, all.p, all.n);
		hb__packer_close(&k);
		section(s, HB_SECTION_REMARKS, 0, 0, 0);
	}
	free(all.p);
	return good;
}

static bool block(struct sealer *s, struct hb__block_writer *w, uint32_t lane, uint64_t first)
{
	uint32_t events = hb__block_events(w);
	if (!hb__block_write(w, &s->payload))
		return false;
	section(s, HB_SECTION_ROWS, (uint16_t)lane, events, first);
	s->done += events;
	if (s->progress)
		s->progress(s->user, (double)s->done / (double)s->log->info.events);
	return true;
}

static hb_status lane_rows(struct sealer *s, struct hb__block_writer *w, uint32_t lane, hb_error *err)
{
	hb_cursor *c;
	hb_row row;
	uint64_t first = 1, tick = 0;
	hb_status status = hb_cursor_open(s->log, lane, 1, &c, err);
	if (status)
		return status;
	int more;
	bool good = true;
	hb__block_begin(w, tick);
	while (good && (more = hb_cursor_next(c, &row, err)) > 0) {
		good = hb__block_add(w, &row);
		tick = row.exit;
		if (good && hb__block_full(w)) {
			good = block(s, w, lane, first);
			first = row.number + 1;
			hb__block_begin(w, tick);
		}
	}
	if (good && more == 0 && hb__block_events(w))
		good = block(s, w, lane, first);
	hb_cursor_close(c);
	if (!good)
		return hb__fail(err, HB_E_MEMORY, s->out.path, 0, "out of memory");
	return more < 0 ? (hb_status)more : HB_OK;
}

static void ending(struct sealer *s)
{
	uint64_t index = s->offset;
	hb__bytes_uv(&s->payload, s->sections);
	hb__bytes_put(&s->payload, s->index.p, s->index.n);
	s->payload.failed |= s->index.failed;
	section(s, HB_SECTION_INDEX, 0, 0, 0);
	hb__bytes_put(&s->out.b, &index, sizeof index);
	hb__bytes_put(&s->out.b, HB_SEALED_END, 8);
}

static hb_status all_sections(struct sealer *s, hb_error *err)
{
	hb_status status = HB_OK;
	struct hb__block_writer *w = hb__block_writer_open(s->log->info.level);
	if (!w)
		return hb__fail(err, HB_E_MEMORY, s->out.path, 0, "out of memory");
	header(s);
	if (!definitions(s))
		status = hb__fail(err, HB_E_MEMORY, s->out.path, 0, "out of memory");
	for (uint32_t l = 0; l < s->log->lanes && !status; l++)
		status = lane_state(s, l, err);
	for (uint32_t l = 0; l < s->log->lanes && !status; l++)
		status = lane_waits(s, l, err);
	if (!status && (!notes(s) || !remarks(s) || !before(s)))
		status = hb__fail(err, HB_E_MEMORY, s->out.path, 0, "out of memory");
	for (uint32_t l = 0; l < s->log->lanes && !status; l++)
		status = lane_rows(s, w, l, err);
	ending(s);
	hb__block_writer_close(w);
	return status;
}

hb_status hb__seal(hb_log *log, const char *to, hb_progress *progress, void *user, hb_error *err)
{
	struct sealer s = {.log = log, .progress = progress, .user = user};
	hb_status status = hb__out_open(&s.out, to, err);
	if (!status) {
		status = all_sections(&s, err);
		if (status)
			hb__out_abandon(&s.out);
		else
			status = hb__out_finish(&s.out, err);
	}
	free(s.payload.p);
	free(s.index.p);
	return status;
}

hb_status hb_log_seal(const char *from, const char *to, hb_progress *progress, void *user, hb_error *err)
{
	hb_log *log;
	if (!from || !to)
		return hb__fail(err, HB_E_ARGUMENT, from, 0, "no file to read, or none to write");
	hb_status status = hb_log_open(from, &log, err);
	if (!status)
		status = hb__seal(log, to, progress, user, err);
	hb_log_close(log);
	return status;
}
