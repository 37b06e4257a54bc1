/* Reads the sealed form: by its index, or section by section when that is lost. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/sealed/sealed.h"

#define LARGE (1u << 20)
#define SEARCHES 4096 /* places where a lost section is looked for */
#define DEFINITIONS_MAX (1u << 28)

/* The section at `offset`, whole and with its checksum right. */
static bool section_at(const hb_log *log, uint64_t offset, struct hb__section *ret_section)
{
	struct hb__section *s = ret_section;
	if (offset > log->size || log->size - offset < sizeof *s)
		return false;
	memcpy(s, log->map + offset, sizeof *s);
	if (memcmp(s->magic, HB_SECTION_MAGIC, sizeof s->magic) != 0 || s->bytes > log->size - offset - sizeof *s)
		return false;
	return s->checksum ==
	       XXH3_64bits(log->map + offset + HB__SECTION_HASHED, (size_t)s->bytes + sizeof *s - HB__SECTION_HASHED);
}

/* ---- what the sections say ---- */

static void text(struct hb__in *in, char *ret_text, size_t size)
{
	uint64_t n = hb__in_uv(in);
	const uint8_t *p = hb__in_bytes(in, n);
	if (!p)
		return;
	size_t keep = n < size ? n : size - 1;
	memcpy(ret_text, p, keep);
	ret_text[keep] = 0;
}

static bool take_process(hb_log *log, struct hb__in *in)
{
	uint64_t sum = 0;
	const uint8_t *p = hb__in_bytes(in, sizeof sum);
	if (p)
		memcpy(&sum, p, sizeof sum);
	if (p && sum != XXH3_64bits(log->map, HB__HEAD))
		hb__trouble(log, 0, "the header does not match its checksum");
	char trouble[sizeof log->info.trouble] = "";
	text(in, log->info.host, sizeof log->info.host);
	text(in, log->info.version_text, sizeof log->info.version_text);
	text(in, log->info.program, sizeof log->info.program);
	log->info.lost = hb__in_uv(in);
	text(in, trouble, sizeof trouble);
	if (trouble[0] && !log->info.recovered) {
		log->info.recovered = 1;
		memcpy(log->info.trouble, trouble, sizeof trouble);
	}
	return !in->bad;
}

static bool take_definitions(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p) * 65536 + 65536 || n > DEFINITIONS_MAX)
		return false;
	uint8_t *raw = malloc(n + 1);
	if (!raw)
		return false;
	hb__unpack(in, n, raw);
	struct hb__in defs = {raw, raw + n, in->bad};
	while (!defs.bad && defs.p < defs.end) {
		uint8_t kind = hb__in_u8(&defs);
		uint64_t bytes = hb__in_uv(&defs);
		const uint8_t *p = hb__in_bytes(&defs, bytes);
		if (p && !hb__define(&log->defs, kind, p, bytes))
			defs.bad = true;
	}
	free(raw);
	return !defs.bad;
}

/* How often each function was called. Read twice, for the numbers of functions have gaps: room for all that there can be
 * would be most of what a small log costs. */
static bool take_calls(struct hb__lane_rows *l, struct hb__in *in)
{
	for (int turn = 0; turn < 2; turn++) {
		struct hb__in again = *in;
		uint64_t f = 0;
		while (!again.bad && again.p < again.end) {
			uint64_t skip = hb__in_uv(&again), calls = hb__in_uv(&again);
			if (again.bad || skip >= HB__FUNCTIONS_MAX - f)
				return false;
			f += skip + 1;
			if (turn)
				l->calls[f - 1] = calls;
		}
		if (again.bad || (!turn && !(l->calls = calloc(f + 1, sizeof *l->calls))))
			return false;
		l->ncalls = (uint32_t)f;
	}
	in->p = in->end;
	return true;
}

static bool take_lane(hb_log *log, uint32_t number, struct hb__in *in)
{
	struct hb__lane_rows *l = hb__log_lane(log, number);
	if (!l || l->calls)
		return false;
	l->info.thread = hb__in_uv(in);
	l->info.polls = hb__in_uv(in);
	if (log->info.level == HB_LEVEL_RACING)
		l->info.skipped = hb__in_uv(in);
	l->info.events = hb__in_uv(in);
	if (hb__in_u8(in)) {
		l->info.inside_enter = hb__in_uv(in);
		if (!hb__slotdef_read(in, &l->inside))
			return false;
		l->info.inside = 1;
		l->info.inside_slot = HB__SLOT_INSIDE;
	}
	return take_calls(l, in);
}

static bool take_notes(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in), last_lane = 0, last_event = 0;
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint64_t lane = hb__in_uv(in), event = hb__in_uv(in), bytes = hb__in_uv(in);
		const uint8_t *p = hb__in_bytes(in, bytes);
		bool ordered = lane > last_lane || (lane == last_lane && event >= last_event);
		last_lane = lane;
		last_event = event;
		if (!p || lane > HB_LANE_DEFINITIONS || !ordered ||
			!hb__note_add(log, lane ? (uint32_t)lane - 1 : HB_NO, event, p, bytes))
			return false;
	}
	return !in->bad;
}

static bool take_remarks(hb_log *log, struct hb__in *in)
{
	uint64_t n = hb__in_uv(in), last = 0, before = 0;
	for (uint64_t i = 0; i < n && !in->bad; i++) {
		uint64_t lane = hb__in_uv(in), event = before + (uint64_t)hb__in_sv(in), kind = hb__in_uv(in);
		uint64_t bytes = hb__in_uv(in);
		const uint8_t *p = hb__in_bytes(in, bytes);
		bool ordered = lane > last || (lane == last && event >= before);
		last = lane;
		before = event;
		if (!p || lane > HB_LANE_DEFINITIONS || !ordered ||
			!hb__remark_add(log, lane ? (uint32_t)lane - 1 : HB_NO, event, kind, p, bytes))
			return false;
	}
	return !in->bad;
}

typedef bool taker(hb_log *log, struct hb__in *in);

static bool take_packed(hb_log *log, struct hb__in *in, taker *take)
{
	uint64_t n = hb__in_uv(in);
	if (in->bad || n > (uint64_t)(in->end - in->p) * 65536 + 65536 || n > HB__NOTES_MAX)
		return false;
	uint8_t *raw = malloc(n + 1);
	if (!raw)
		return false;
	hb__unpack(in, n, raw);
	struct hb__in inside = {raw, raw + n, in->bad};
	bool good = !inside.bad && take(log, &inside);
	free(raw);
	return good;
}

static bool take_rows(hb_log *log, const struct hb__row_block *b, uint32_t number)
{
	struct hb__lane_rows *l = number < HB_LANE_DEFINITIONS ? hb__log_lane(log, number) : NULL;
	if (!l || !HB_GROW(l->block, l->blocks_cap, l->blocks + 1))
		return false;
	uint64_t due = l->blocks ? l->block[l->blocks - 1].first + l->block[l->blocks - 1].events : 1;
	if (b->first != due || b->events == 0 || b->events > HB__BLOCK_EVENTS_MAX) {
		hb__trouble(log, b->offset, "a block of lane %u does not follow the one before", number);
		return true; /* nothing that follows fits either */
	}
	l->block[l->blocks++] = *b;
	return true;
}

static bool take_section(hb_log *log, uint64_t offset, const struct hb__section *s)
{
	struct hb__in in = {log->map + offset + sizeof *s, NULL, false};
	struct hb__row_block b = {.offset = offset, .first = s->first, .bytes = s->bytes, .events = s->events};
	in.end = in.p + s->bytes;
	switch (s->kind) {
	case HB_SECTION_PROCESS:
		return take_process(log, &in);
	case HB_SECTION_DEFINITIONS:
		return take_definitions(log, &in);
	case HB_SECTION_LANE:
		return s->lane != HB_LANE_DEFINITIONS && take_lane(log, s->lane, &in);
	case HB_SECTION_WAITS: {
		struct hb__lane_rows *l = s->lane != HB_LANE_DEFINITIONS ? hb__log_lane(log, s->lane) : NULL;
		return l && l->calls && hb__waits_read(l, &in);
	}
	case HB_SECTION_NOTES:
		return take_notes(log, &in);
	case HB_SECTION_PACKED_NOTES:
		return take_packed(log, &in, take_notes);
	case HB_SECTION_REMARKS:
		return log->info.version < 2 || take_packed(log, &in, take_remarks);
	case HB_SECTION_BEFORE:
		return take_packed(log, &in, hb__before_read);
	case HB_SECTION_ROWS:
		return take_rows(log, &b, s->lane);
	default:
		return true; /* the index, and what later versions add */
	}
}

/* ---- ways through the file ---- */

static bool index_read(hb_log *log, struct hb__in *in, bool apply, uint64_t index, uint64_t sections)
{
	uint64_t offset = HB__HEAD;
	for (uint64_t i = 0; i < sections; i++) {
		uint64_t kind = hb__in_uv(in), lane = hb__in_uv(in), bytes = hb__in_uv(in), events = hb__in_uv(in);
		uint64_t first = hb__in_uv(in);
		if (in->bad || bytes < sizeof(struct hb__section) || bytes > index - offset ||
			lane > HB_LANE_DEFINITIONS || events > UINT32_MAX || bytes > UINT32_MAX)
			return false;
		struct hb__section s;
		struct hb__row_block b = {.offset = offset,
			.first = first,
			.events = (uint32_t)events,
			.bytes = (uint32_t)(bytes - sizeof s)};
		bool rows = kind == HB_SECTION_ROWS;
		if (apply && rows && !take_rows(log, &b, (uint32_t)lane))
			hb__trouble(log, offset, "a block of rows belongs to no lane");
		if (apply && !rows && !(section_at(log, offset, &s) && s.kind == kind && take_section(log, offset, &s)))
			hb__trouble(log, offset, "a section of kind %u is damaged", (unsigned)kind);
		offset += bytes;
	}
	return offset == index && in->p == in->end;
}

/* Rows are not looked at here: a cursor checks the blocks it comes to. */
static bool by_index(hb_log *log)
{
	uint64_t index;
	struct hb__section s;
	if (log->size < HB__HEAD + HB__TRAILER || memcmp(log->map + log->size - 8, HB_SEALED_END, 8) != 0)
		return false;
	memcpy(&index, log->map + log->size - HB__TRAILER, sizeof index);
	if (index < HB__HEAD || !section_at(log, index, &s) || s.kind != HB_SECTION_INDEX ||
		index + sizeof s + s.bytes + HB__TRAILER != log->size)
		return false;
	const uint8_t *p = log->map + index + sizeof s;
	struct hb__in in = {p, p + s.bytes, false};
	uint64_t sections = hb__in_uv(&in);
	struct hb__in again = in;
	return index_read(log, &in, false, index, sections) && index_read(log, &again, true, index, sections);
}

static void by_sections(hb_log *log)
{
	uint64_t offset = HB__HEAD;
	unsigned searches = 0;
	struct hb__section s;
	hb__trouble(log, log->size, "the index is lost");
	while (offset < log->size && searches < SEARCHES) {
		if (section_at(log, offset, &s)) {
			if (!take_section(log, offset, &s))
				hb__trouble(log, offset, "a section of kind %u is damaged", s.kind);
			offset += sizeof s + s.bytes;
			continue;
		}
		searches++;
		const uint8_t *p = log->map + offset + 1;
		p = memmem(p, log->size - offset - 1, HB_SECTION_MAGIC, 4);
		offset = p ? (uint64_t)(p - log->map) : log->size;
	}
}

static const struct hb__cursor_ops sealed_ops;

hb_status hb__sealed_open(hb_log *log, hb_error *err)
{
	(void)err;
	log->ops = &sealed_ops;
	if (!by_index(log))
		by_sections(log);
	for (uint32_t i = 0; i < log->lanes; i++) {
		struct hb__lane_rows *l = &log->lane[i];
		uint64_t there = l->blocks ? l->block[l->blocks - 1].first + l->block[l->blocks - 1].events - 1 : 0;
		if (there == l->info.events)
			continue;
		hb__trouble(log, log->size, "lane %u has %llu of %llu events", i, (unsigned long long)there,
			(unsigned long long)l->info.events);
		l->info.events = there;
		l->info.inside = 0;
		l->info.polls = 0;
		l->info.skipped = 0;
		hb__waits_keep(l, 0, false, true);
	}
	return HB_OK;
}

hb_status hb__sealed_verify(hb_log *log, hb_error *err)
{
	for (uint32_t i = 0; i < log->lanes; i++) {
		hb_cursor *c;
		hb_row row;
		int more;
		hb_status s = hb_cursor_open(log, i, 1, &c, err);
		if (s)
			return s;
		while ((more = hb_cursor_next(c, &row, err)) > 0)
			continue;
		hb_cursor_close(c);
		if (more < 0)
			return (hb_status)more;
	}
	return HB_OK;
}

/* ---- cursors ---- */

struct sealed_cursor {
	hb_cursor base;
	hb_log *log;
	const struct hb__lane_rows *lane;
	uint32_t number, level;
	bool times;   /* wanted */
	size_t block; /* the next to read */
	struct hb__rows rows;
	uint32_t row; /* the next of rows */
	uint64_t event, tick;
};

static void sealed_close(hb_cursor *cursor)
{
	struct sealed_cursor *c = (struct sealed_cursor *)cursor;
	/* What was read counts as memory of the process for as long as it is mapped. */
	if (c->log->size >= LARGE && c->block == c->lane->blocks)
		madvise((void *)c->log->map, c->log->size, MADV_DONTNEED);
	hb__rows_free(&c->rows);
	free(c);
}

/* 1: a block was read. */
static int next_block(struct sealed_cursor *c, hb_error *err)
{
	if (c->block >= c->lane->blocks)
		return 0;
	const struct hb__row_block *b = &c->lane->block[c->block];
	struct hb__section s;
	c->row = c->rows.events = 0;
	bool good = section_at(c->log, b->offset, &s) && s.kind == HB_SECTION_ROWS && s.lane == c->number &&
		    s.events == b->events && s.first == b->first && s.bytes == b->bytes &&
		    hb__rows_read(&c->rows, c->log->map + b->offset + sizeof s, s.bytes, s.events, c->level, c->times);
	if (!good) {
		hb__rows_free(&c->rows);
		return hb__fail(err, HB_E_DAMAGED, c->log->path, b->offset,
			"the block of lane %u from event %llu is damaged", c->number, (unsigned long long)b->first);
	}
	c->event = b->first - 1;
	c->tick = c->rows.tick;
	c->block++;
	return 1;
}

static void take_unusual(
	struct sealed_cursor *c, struct hb__group *g, const struct hb__slotdef *call, uint32_t at, hb_row *row)
{
	row->polls = hb__column_at(&g->polls, at);
	row->skipped = hb__column_at(&g->skipped, at);
	row->result = hb_unzigzag(hb__column_at(&g->result, at));
	if (g->checked || !c->times || !(call->flags & HB_SLOT_CHECK))
		return;
	row->has_digest = 1;
	row->digest = (uint16_t)hb__column_next(&g->some_check);
}

static int sealed_next(hb_cursor *cursor, hb_row *ret_row, hb_error *err)
{
	struct sealed_cursor *c = (struct sealed_cursor *)cursor;
	if (__builtin_expect(c->row >= c->rows.events, 0)) {
		int more = next_block(c, err);
		if (more <= 0)
			return more;
	}
	uint32_t slot = c->rows.sequence[c->row++];
	const struct hb__slotdef *call = &c->rows.slot[slot];
	struct hb__group *g = &c->rows.group[c->rows.group_of[slot]];
	uint32_t at = g->at++;
	*ret_row = (hb_row){.number = ++c->event,
		.lane = c->number,
		.slot = slot,
		.era = (uint32_t)c->block,
		.function = call->function,
		.site = call->site,
		.nargs = call->nargs,
		.arg = call->arg,
		.nresults = (uint32_t)hb__column_at(&g->nresults, at),
		.results = g->results};
	g->results += ret_row->nresults;
	if (c->level == HB_LEVEL_EVENTS) {
		ret_row->enter = c->tick + hb__column_at(&g->gap, at);
		ret_row->exit = c->tick = ret_row->enter + hb__column_at(&g->lasted, at);
	}
	ret_row->has_digest = g->checked;
	ret_row->digest = (uint16_t)hb__column_at(&g->check, at);
	if (__builtin_expect(!g->usual, 0))
		take_unusual(c, g, call, at, ret_row);
	return 1;
}

static void sealed_skip_times(hb_cursor *cursor) { ((struct sealed_cursor *)cursor)->times = false; }

static hb_status sealed_cursor_open(hb_log *log, uint32_t lane, uint64_t from, hb_cursor **ret_cursor, hb_error *err)
{
	struct sealed_cursor *c = calloc(1, sizeof *c);
	if (!c)
		return hb__fail(err, HB_E_MEMORY, log->path, 0, "out of memory");
	c->base.ops = &sealed_ops;
	c->log = log;
	c->lane = &log->lane[lane];
	c->number = lane;
	c->level = log->info.level;
	c->times = true;
	size_t low = 0, high = c->lane->blocks;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (c->lane->block[middle].first <= from)
			low = middle;
		else
			high = middle;
	}
	c->block = from > c->lane->info.events ? c->lane->blocks : low;
	int more = c->block < c->lane->blocks && from > c->lane->block[c->block].first ? next_block(c, err) : 0;
	hb_row row;
	while (more > 0 && c->event + 1 < from)
		more = sealed_next(&c->base, &row, err);
	if (more < 0) {
		sealed_close(&c->base);
		return (hb_status)more;
	}
	*ret_cursor = &c->base;
	return HB_OK;
}

static hb_status sealed_slot(hb_cursor *cursor, uint32_t slot, hb_row *ret_row)
{
	struct sealed_cursor *c = (struct sealed_cursor *)cursor;
	if (slot == HB__SLOT_INSIDE && c->lane->inside.defined)
		hb__slotdef_row(&c->lane->inside, slot, ret_row);
	else if (slot == HB__SLOT_POLLING && c->lane->polling.defined)
		hb__slotdef_row(&c->lane->polling, slot, ret_row);
	else if (slot < c->rows.slots)
		hb__slotdef_row(&c->rows.slot[slot], slot, ret_row);
	else
		return HB_E_ARGUMENT;
	return HB_OK;
}

static hb_status sealed_stretch(
	const hb_log *log, const struct hb__lane_rows *lane, uint64_t index, hb_stretch *ret, hb_error *err)
{
	if (index >= lane->blocks)
		return hb__fail(
			err, HB_E_ARGUMENT, log->path, 0, "the lane has %llu blocks", (unsigned long long)lane->blocks);
	const struct hb__row_block *b = &lane->block[index];
	uint64_t from = b->offset + sizeof(struct hb__section);
	*ret = (hb_stretch){b->first, b->events, 0};
	if (from <= log->size && b->bytes <= log->size - from &&
		hb__rows_tick(log->map + from, b->bytes, b->events, log->info.level, &ret->tick))
		return HB_OK;
	return hb__fail(err, HB_E_DAMAGED, log->path, b->offset, "the block from event %llu is damaged",
		(unsigned long long)b->first);
}

static const struct hb__cursor_ops sealed_ops = {
	sealed_cursor_open, sealed_next, sealed_slot, sealed_close, sealed_skip_times, sealed_stretch};
