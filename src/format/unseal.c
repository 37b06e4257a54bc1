/* A log of either form written out as a raw log: all of it, or what a filter keeps. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/internal.h"
#include "format/row.h"

#define PAYLOAD (HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
#define RESULTS 3000 /* in one record, however long each is */
#define SLOTS 4096   /* slots of a lane; a call that finds its slot taken defines it anew */
#define WAYS 8       /* slots where a call may be */

struct stream { /* the units of one lane, or of the definitions */
	uint16_t lane;
	uint32_t seq;
	uint64_t events, tick;
	struct hb_unit_header head;
	uint8_t payload[PAYLOAD];
};

struct unsealer {
	hb_log *log;
	struct hb__out out;
	uint64_t units;
	struct stream stream;
	struct hb__slotdef slot[SLOTS];
	uint8_t oldest[SLOTS / WAYS];
	uint16_t after[SLOTS]; /* the slot of the call that came next, the last time */
	uint32_t last;         /* of the call before */
	struct hb__bytes record;
	uint32_t note;   /* the next of the log's notes, which stand in order of lanes and events */
	uint64_t remark; /* so do its remarks */
	uint32_t level;
	uint64_t until;    /* events of the first lane that are kept */
	hb_filter *filter; /* NULL: everything is kept */
	void *user;
	uint64_t polls, skipped; /* of rows that were not kept */
};

static void unit_close(struct unsealer *u, bool full)
{
	struct stream *s = &u->stream;
	if (s->head.magic == 0)
		return;
	s->head.closed = full;
	s->head.checksum = full ? XXH3_64bits(s->payload, s->head.committed) : 0;
	hb__bytes_put(&u->out.b, &s->head, sizeof s->head);
	hb__bytes_put(&u->out.b, s->payload, PAYLOAD);
	hb__out_flush(&u->out);
	u->units++;
	s->head.magic = 0;
}

/* Writes u->record; false: it does not fit any unit. */
static bool put_record(struct unsealer *u)
{
	struct stream *s = &u->stream;
	size_t n = u->record.n;
	if (u->record.failed || n > PAYLOAD)
		return false;
	if (s->head.magic && s->head.committed + n > PAYLOAD)
		unit_close(u, true);
	if (!s->head.magic) {
		s->head = (struct hb_unit_header){.magic = HB_UNIT_MAGIC,
			.kind = HB_UNIT_ROWS,
			.lane = s->lane,
			.seq = s->seq++,
			.events_before = s->events,
			.base_tick = s->tick};
		memset(s->payload, 0, sizeof s->payload);
	}
	memcpy(s->payload + s->head.committed, u->record.p, n);
	s->head.committed += (uint32_t)n;
	u->record.n = 0;
	return true;
}

static void stream_begin(struct unsealer *u, uint16_t lane)
{
	u->stream.lane = lane;
	u->stream.seq = 0;
	u->stream.events = u->stream.tick = 0;
	u->stream.head.magic = 0;
}

/* Not all events of the lane are kept. */
static bool is_shortened(const struct unsealer *u, uint32_t lane)
{
	return lane == 0 && u->log->lanes && u->until < u->log->lane[0].info.events;
}

static bool put_header(struct unsealer *u)
{
	struct hb_log_header h = {0};
	const hb_log_info *i = &u->log->info;
	memcpy(&h, u->log->head, HB__HEAD);
	h.incompatible = 0;
	h.level = u->level;
	if (is_shortened(u, 0))
		h.state = HB_STATE_RUNNING;
	h.unit_size = HB_UNIT_SIZE;
	h.units = 0;
	memcpy(h.host, i->host, sizeof h.host);
	memcpy(h.version_text, i->version_text, sizeof h.version_text);
	memcpy(h.program, i->program, sizeof h.program);
	h.lost = i->lost;
	hb__bytes_put(&u->out.b, &h, sizeof h);
	uint8_t *rest = hb__bytes_room(&u->out.b, HB_UNIT_SIZE - sizeof h);
	if (!rest)
		return false;
	memset(rest, 0, HB_UNIT_SIZE - sizeof h);
	u->out.b.n = HB_UNIT_SIZE;
	u->units = 1;
	return true;
}

static bool put_note(struct unsealer *u, const char *text)
{
	hb__bytes_uv(&u->record, HB_ROW_NOTE);
	hb__bytes_str(&u->record, text);
	return put_record(u);
}

static bool put_remark(struct unsealer *u, const hb_remark_row *r)
{
	hb__bytes_uv(&u->record, HB_ROW_REMARK);
	hb__bytes_uv(&u->record, r->kind);
	hb__bytes_uv(&u->record, r->bytes);
	hb__bytes_put(&u->record, r->at, r->bytes);
	return put_record(u);
}

/* The definition of a function of which no arguments are stored. */
static bool without_arguments(const uint8_t *p, uint64_t n, struct hb__bytes *ret)
{
	struct hb__in in = {p, p + n, false};
	hb__bytes_uv(ret, hb__in_uv(&in));
	hb__bytes_u8(ret, hb__in_u8(&in));
	uint64_t length = hb__in_uv(&in);
	const uint8_t *name = hb__in_bytes(&in, length);
	if (!name)
		return false;
	hb__bytes_uv(ret, length);
	hb__bytes_put(ret, name, length);
	hb__bytes_uv(ret, 0);
	return !ret->failed;
}

static bool put_definitions(struct unsealer *u)
{
	struct hb__bytes *raw = &u->log->defs.raw, *r = &u->record;
	struct hb__in in = {raw->p, raw->p ? raw->p + raw->n : NULL, false};
	stream_begin(u, HB_LANE_DEFINITIONS);
	while (in.p < in.end) {
		uint8_t kind = hb__in_u8(&in);
		uint64_t n = hb__in_uv(&in);
		const uint8_t *p = hb__in_bytes(&in, n);
		if (!p)
			return false;
		if (u->filter && kind != HB_DEF_FUNCTION && kind != HB_DEF_COMM && kind != HB_DEF_MEMBERS &&
			kind != HB_DEF_REMARK)
			continue;
		struct hb__bytes bare = {0};
		if (u->filter && kind == HB_DEF_FUNCTION && !without_arguments(p, n, &bare))
			return false;
		hb__bytes_uv(r, HB_ROW_DEF);
		hb__bytes_u8(r, kind);
		hb__bytes_uv(r, bare.p ? bare.n : n);
		hb__bytes_put(r, bare.p ? bare.p : p, bare.p ? bare.n : n);
		free(bare.p);
		if (!put_record(u))
			return false;
	}
	for (uint32_t i = 0; i < u->log->notes; i++)
		if (u->log->note[i].lane == HB_NO && !put_note(u, u->log->note[i].text))
			return false;
	for (; u->remark < u->log->remarks && u->log->remark[u->remark].lane == HB_NO; u->remark++)
		if (!put_remark(u, &u->log->remark[u->remark]))
			return false;
	unit_close(u, false);
	return true;
}

/* ---- rows ---- */

static bool define_slot(struct unsealer *u, uint32_t number, const hb_row *row)
{
	struct hb__bytes body = {0}, *r = &u->record;
	hb__bytes_uv(&body, number);
	hb__bytes_uv(&body, row->function);
	hb__bytes_uv(&body, row->site);
	hb__bytes_uv(&body, row->has_digest ? HB_SLOT_CHECK : 0);
	hb__bytes_uv(&body, row->nargs);
	for (uint32_t i = 0; i < row->nargs; i++)
		hb__bytes_sv(&body, row->arg[i]);
	struct hb__in in = {body.p, body.p + body.n, body.failed};
	hb__in_uv(&in);
	bool good = hb__slotdef_read(&in, &u->slot[number]);
	hb__bytes_uv(r, HB_ROW_DEF);
	hb__bytes_u8(r, HB_DEF_SLOT);
	hb__bytes_uv(r, body.n);
	hb__bytes_put(r, body.p, body.n);
	free(body.p);
	return good && put_record(u);
}

static bool is_call(const struct hb__slotdef *s, const hb_row *row)
{
	return s->function == row->function && s->site == row->site && s->nargs == row->nargs &&
	       s->flags == (row->has_digest ? HB_SLOT_CHECK : 0u) &&
	       (row->nargs == 0 || memcmp(s->arg, row->arg, row->nargs * sizeof *row->arg) == 0);
}

/* Where it stands, or has a place; HB_NO: cannot be written. */
static uint32_t slot_by_hash(struct unsealer *u, const hb_row *row)
{
	uint64_t key[3] = {row->function, row->site, row->has_digest != 0};
	uint64_t hash = XXH3_64bits(key, sizeof key);
	if (row->nargs)
		hash = XXH3_64bits_withSeed(row->arg, row->nargs * sizeof *row->arg, hash);
	uint32_t first = (uint32_t)(hash % (SLOTS / WAYS)) * WAYS, number = first;
	for (; number < first + WAYS && u->slot[number].defined; number++)
		if (is_call(&u->slot[number], row))
			return number;
	if (number == first + WAYS) /* all taken: the one longest defined goes */
		number = first + u->oldest[first / WAYS]++ % WAYS;
	return define_slot(u, number, row) ? number : HB_NO;
}

/* The slot of the row's call, defined when it was not: programs go in loops. HB_NO: cannot be written. */
static uint32_t slot_of(struct unsealer *u, const hb_row *row)
{
	uint32_t number = u->after[u->last];
	if (!u->slot[number].defined || !is_call(&u->slot[number], row))
		number = slot_by_hash(u, row);
	if (number != HB_NO) {
		u->after[u->last] = (uint16_t)number;
		u->last = number;
	}
	return number;
}

/* A record of one number that stands before an event. */
static bool put_modifier(struct unsealer *u, unsigned kind, uint64_t n)
{
	if (!n)
		return true;
	hb__bytes_uv(&u->record, kind);
	hb__bytes_uv(&u->record, n);
	return put_record(u);
}

static bool put_event(struct unsealer *u, const hb_row *row)
{
	struct hb__bytes *r = &u->record;
	struct stream *s = &u->stream;
	uint32_t slot = slot_of(u, row);
	if (slot == HB_NO || !put_modifier(u, HB_ROW_POLLS, row->polls) ||
		!put_modifier(u, HB_ROW_SKIPPED, row->skipped) ||
		!put_modifier(u, HB_ROW_RESULT, hb_zigzag(row->result)))
		return false;
	uint32_t told = 0;
	for (; row->nresults - told > RESULTS; told += RESULTS) {
		hb__bytes_uv(r, HB_ROW_RESULTS);
		hb__bytes_uv(r, RESULTS);
		for (uint32_t i = 0; i < RESULTS; i++)
			hb__bytes_sv(r, row->results[told + i]);
		if (!put_record(u))
			return false;
	}
	uint8_t *p = hb__bytes_room(r, (5 + (size_t)(row->nresults - told)) * HB_UV_MAX);
	if (!p)
		return false;
	p = hb_put_uv(p, HB_ROW_EVENT + 2 * (uint64_t)slot + (row->nresults != 0));
	if (u->level == HB_LEVEL_EVENTS) {
		p = hb_put_uv(p, row->enter - s->tick);
		p = hb_put_uv(p, row->exit - row->enter);
	}
	if (row->has_digest) {
		*p++ = (uint8_t)row->digest;
		*p++ = (uint8_t)(row->digest >> 8);
	}
	if (row->nresults)
		p = hb_put_uv(p, row->nresults - told);
	for (uint32_t i = told; i < row->nresults; i++)
		p = hb_put_sv(p, row->results[i]);
	r->n = (size_t)(p - r->p);
	if (!put_record(u))
		return false;
	s->events++;
	s->tick = row->exit;
	return true;
}

/* As the level racing has it: no arguments, no place, no times. */
static void strip(hb_row *row)
{
	row->site = row->nargs = 0;
	row->arg = NULL;
	row->enter = row->exit = 0;
	row->has_digest = 0;
}

static bool put_row(struct unsealer *u, hb_row *row)
{
	if (!u->filter)
		return put_event(u, row);
	hb_fate fate = u->filter(u->user, row, 0);
	row->polls += u->polls;
	row->skipped += u->skipped;
	u->polls = u->skipped = 0;
	strip(row);
	if (fate == HB_FATE_KEEP)
		return put_event(u, row);
	u->polls = row->polls;
	u->skipped = row->skipped + (fate == HB_FATE_SKIP);
	return true;
}

static bool notes_before(struct unsealer *u, uint64_t event)
{
	for (; u->note < u->log->notes; u->note++) {
		const hb_note *n = &u->log->note[u->note];
		if (n->lane == HB_NO || n->lane < u->stream.lane)
			continue;
		if (n->lane > u->stream.lane || n->event > event)
			return true;
		if (!put_note(u, n->text))
			return false;
	}
	return true;
}

static bool remarks_before(struct unsealer *u, uint64_t event)
{
	for (; u->remark < u->log->remarks; u->remark++) {
		const hb_remark_row *r = &u->log->remark[u->remark];
		if (r->lane > u->stream.lane || (r->lane == u->stream.lane && r->event > event))
			return true;
		if (r->lane == u->stream.lane && !put_remark(u, r))
			return false;
	}
	return true;
}

static bool put_control(struct unsealer *u, uint32_t number, uint32_t inside)
{
	const struct hb__lane_rows *l = &u->log->lane[number];
	struct hb_lane_control *k = calloc(1, sizeof *k);
	if (!k)
		return false;
	k->unit.magic = HB_UNIT_MAGIC;
	k->unit.kind = HB_UNIT_LANE;
	k->unit.lane = (uint16_t)number;
	k->thread = l->info.thread;
	k->polls = l->info.polls + u->polls;
	k->inside = inside == HB_NO ? 0 : (uint64_t)inside + 1;
	k->inside_enter = u->filter ? 0 : l->info.inside_enter;
	k->events = u->stream.events;
	if (l->ncalls)
		memcpy(k->calls, l->calls, l->ncalls * sizeof *l->calls);
	hb__bytes_put(&u->out.b, k, sizeof *k);
	hb__out_flush(&u->out);
	u->units++;
	free(k);
	return !u->out.b.failed;
}

/* The slot of the call that the lane never returned from, defined after its last event. */
static bool put_inside(struct unsealer *u, hb_cursor *c, uint32_t number, uint32_t *ret_slot)
{
	hb_row row;
	*ret_slot = HB_NO;
	const hb_lane_info *l = &u->log->lane[number].info;
	if (!l->inside || hb_cursor_slot(c, l->inside_slot, &row) != HB_OK)
		return true;
	if (u->filter && u->filter(u->user, &row, 1) != HB_FATE_KEEP)
		return true;
	if (u->filter)
		strip(&row);
	*ret_slot = slot_of(u, &row);
	return *ret_slot != HB_NO;
}

static hb_status put_lane(struct unsealer *u, uint32_t number, hb_error *err)
{
	hb_cursor *c;
	hb_row row;
	hb_status status = hb_cursor_open(u->log, number, 1, &c, err);
	if (status)
		return status;
	stream_begin(u, (uint16_t)number);
	u->polls = u->skipped = 0;
	for (int i = 0; i < SLOTS; i++)
		u->slot[i].defined = false;
	int more = 0;
	bool good = true;
	uint32_t inside = HB_NO;
	bool shortened = is_shortened(u, number);
	while (good && !(shortened && u->stream.events >= u->until) && (more = hb_cursor_next(c, &row, err)) > 0)
		good = notes_before(u, row.number) && remarks_before(u, row.number) && put_row(u, &row);
	if (good && more == 0 && !shortened)
		good = notes_before(u, UINT64_MAX) && remarks_before(u, UINT64_MAX) &&
		       put_inside(u, c, number, &inside) &&
		       put_modifier(u, HB_ROW_SKIPPED, u->skipped + u->log->lane[number].info.skipped);
	hb_cursor_close(c);
	unit_close(u, false);
	if (good)
		good = put_control(u, number, inside);
	if (more < 0)
		return (hb_status)more;
	return good ? HB_OK
		    : hb__fail(err, HB_E_MEMORY, u->out.path, 0, "out of memory, or a record larger than a unit");
}

static hb_status put_all(struct unsealer *u, hb_error *err)
{
	if (!put_header(u) || !put_definitions(u))
		return hb__fail(err, HB_E_MEMORY, u->out.path, 0, "out of memory, or a record larger than a unit");
	hb_status status = HB_OK;
	for (uint32_t l = 0; l < u->log->lanes && !status; l++)
		status = put_lane(u, l, err);
	hb__out_patch(&u->out, offsetof(struct hb_log_header, units), &u->units, sizeof u->units);
	return status;
}

static hb_status write_raw(hb_log *log, const char *to, uint64_t until, hb_filter *filter, void *user, hb_error *err)
{
	struct unsealer *u = calloc(1, sizeof *u);
	if (!u)
		return hb__fail(err, HB_E_MEMORY, to, 0, "out of memory");
	u->log = log;
	u->level = filter ? HB_LEVEL_RACING : log->info.level;
	u->until = until;
	u->filter = filter;
	u->user = user;
	hb_status status = hb__out_open(&u->out, to, err);
	if (!status) {
		status = put_all(u, err);
		if (status)
			hb__out_abandon(&u->out);
		else
			status = hb__out_finish(&u->out, err);
	}
	for (int i = 0; i < SLOTS; i++)
		free(u->slot[i].arg);
	free(u->record.p);
	free(u);
	return status;
}

hb_status hb_log_unseal(const char *from, const char *to, uint64_t until, hb_error *err)
{
	hb_log *log;
	if (!from || !to)
		return hb__fail(err, HB_E_ARGUMENT, from, 0, "no file to read, or none to write");
	hb_status status = hb_log_open(from, &log, err);
	if (!status) {
		status = write_raw(log, to, until, NULL, NULL, err);
		hb_log_close(log);
	}
	return status;
}

hb_status hb_log_distil(hb_log *log, const char *to, hb_filter *filter, void *user, hb_error *err)
{
	if (!log || !to || !filter)
		return hb__fail(err, HB_E_ARGUMENT, to, 0, "no log to read, no file to write, or no filter");
	return write_raw(log, to, UINT64_MAX, filter, user, err);
}
