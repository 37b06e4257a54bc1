/* Rows into a block: calls that are the same are told once, then a row is the
 * number of its call and, in columns of similar calls, what differs from row to row. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/sealed/sealed.h"

#define OWN_GROUP 4096 /* rows that earn a slot its own columns */
#define RECENT 256

struct slot {
	uint32_t function, site, flags, nargs;
	size_t arg; /* in args */
	uint64_t hash;
	uint32_t rows;
	uint8_t group;
};

struct row {
	uint64_t gap, lasted, polls, skipped;
	int64_t result;
	size_t results; /* in values */
	uint32_t nresults, slot;
	uint16_t check;
};

struct hb__block_writer {
	struct hb__packer packer;
	uint32_t level, limit;
	uint64_t first_tick, tick;
	struct slot *slot;
	size_t slots, slots_cap;
	int64_t *args;
	size_t nargs, args_cap;
	uint32_t *table; /* of slots by hash; 1 + number */
	size_t table_size;
	uint32_t recent[RECENT]; /* by the number the row came with; 1 + number */
	struct row *row;
	size_t rows, rows_cap;
	int64_t *values; /* results */
	size_t nvalues, values_cap;
	/* while writing */
	uint32_t groups;
	uint32_t *order; /* rows by group */
	uint64_t *column;
};

struct hb__block_writer *hb__block_writer_open(uint32_t level)
{
	struct hb__block_writer *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	w->level = level;
	bool choices = level != HB_LEVEL_EVENTS;
	w->limit = choices ? HB__BLOCK_EVENTS_ORDER : HB__BLOCK_EVENTS;
	w->table_size = 4096;
	w->table = calloc(w->table_size, sizeof *w->table);
	if (!w->table || !hb__packer_open(&w->packer, choices)) {
		hb__block_writer_close(w);
		return NULL;
	}
	return w;
}

void hb__block_writer_close(struct hb__block_writer *w)
{
	if (!w)
		return;
	hb__packer_close(&w->packer);
	free(w->slot);
	free(w->args);
	free(w->table);
	free(w->row);
	free(w->values);
	free(w->order);
	free(w->column);
	free(w);
}

void hb__block_begin(struct hb__block_writer *w, uint64_t tick)
{
	w->first_tick = w->tick = tick;
	w->slots = w->nargs = w->rows = w->nvalues = 0;
	memset(w->table, 0, w->table_size * sizeof *w->table);
	memset(w->recent, 0, sizeof w->recent);
}

bool hb__block_full(const struct hb__block_writer *w)
{
	return w->rows >= w->limit || w->nargs >= HB__BLOCK_VALUES || w->nvalues >= HB__BLOCK_VALUES;
}

uint32_t hb__block_events(const struct hb__block_writer *w) { return (uint32_t)w->rows; }

/* ---- calls ---- */

static bool same(const struct hb__block_writer *w, const struct slot *s, const hb_row *row)
{
	return s->function == row->function && s->site == row->site && s->nargs == row->nargs &&
	       (s->flags & HB_SLOT_CHECK) == (row->has_digest ? HB_SLOT_CHECK : 0u) &&
	       (row->nargs == 0 || memcmp(w->args + s->arg, row->arg, row->nargs * sizeof *row->arg) == 0);
}

static bool table_grow(struct hb__block_writer *w)
{
	size_t size = w->table_size * 4;
	uint32_t *t = calloc(size, sizeof *t);
	if (!t)
		return false;
	for (size_t i = 0; i < w->slots; i++) {
		size_t h = w->slot[i].hash & (size - 1);
		while (t[h])
			h = (h + 1) & (size - 1);
		t[h] = (uint32_t)i + 1;
	}
	free(w->table);
	w->table = t;
	w->table_size = size;
	return true;
}

static bool slot_new(struct hb__block_writer *w, const hb_row *row, uint64_t hash)
{
	while (w->args_cap < w->nargs + row->nargs)
		if (!HB_GROW(w->args, w->args_cap, w->args_cap + 1))
			return false;
	if (!HB_GROW(w->slot, w->slots_cap, w->slots + 1))
		return false;
	if (row->nargs)
		memcpy(w->args + w->nargs, row->arg, row->nargs * sizeof *row->arg);
	w->slot[w->slots++] = (struct slot){.function = row->function,
		.site = row->site,
		.flags = row->has_digest ? HB_SLOT_CHECK : 0,
		.nargs = row->nargs,
		.arg = w->nargs,
		.hash = hash};
	w->nargs += row->nargs;
	return true;
}

/* The number of the row's call in this block; HB_NO: out of memory. */
static uint32_t slot_of(struct hb__block_writer *w, const hb_row *row)
{
	uint32_t *recent = &w->recent[row->slot % RECENT];
	if (*recent && same(w, &w->slot[*recent - 1], row))
		return *recent - 1;
	uint64_t key[3] = {row->function, row->site, (uint64_t)row->nargs << 1 | (row->has_digest != 0)};
	uint64_t hash = XXH3_64bits(key, sizeof key);
	if (row->nargs)
		hash = XXH3_64bits_withSeed(row->arg, row->nargs * sizeof *row->arg, hash);
	if (w->slots * 2 > w->table_size && !table_grow(w))
		return HB_NO;
	size_t h = hash & (w->table_size - 1);
	for (; w->table[h]; h = (h + 1) & (w->table_size - 1)) {
		const struct slot *s = &w->slot[w->table[h] - 1];
		if (s->hash == hash && same(w, s, row))
			return *recent = w->table[h], *recent - 1;
	}
	if (!slot_new(w, row, hash))
		return HB_NO;
	*recent = w->table[h] = (uint32_t)w->slots;
	return *recent - 1;
}

bool hb__block_add(struct hb__block_writer *w, const hb_row *row)
{
	uint32_t slot = slot_of(w, row);
	if (slot == HB_NO || !HB_GROW(w->row, w->rows_cap, w->rows + 1))
		return false;
	while (w->values_cap < w->nvalues + row->nresults)
		if (!HB_GROW(w->values, w->values_cap, w->values_cap + 1))
			return false;
	if (row->nresults)
		memcpy(w->values + w->nvalues, row->results, row->nresults * sizeof *row->results);
	w->slot[slot].rows = w->slot[slot].rows + 1;
	w->row[w->rows++] = (struct row){.gap = row->enter - w->tick,
		.lasted = row->exit - row->enter,
		.polls = row->polls,
		.skipped = row->skipped,
		.result = row->result,
		.results = w->nvalues,
		.nresults = row->nresults,
		.slot = slot,
		.check = row->digest};
	w->nvalues += row->nresults;
	w->tick = row->exit;
	return true;
}

/* ---- writing ---- */

/* Slots of one function share their columns, but for the frequent ones. */
static void make_groups(struct hb__block_writer *w)
{
	uint32_t function[HB__BLOCK_GROUPS_MAX];
	w->groups = 0;
	for (size_t i = 0; i < w->slots; i++) {
		struct slot *s = &w->slot[i];
		uint32_t g = 0;
		bool own = s->rows >= OWN_GROUP;
		while (g < w->groups && (own || function[g] != s->function))
			g++;
		if (g == HB__BLOCK_GROUPS_MAX)
			g--;
		if (g == w->groups)
			function[w->groups++] = own ? HB_NO : s->function;
		s->group = (uint8_t)g;
	}
}

static void put_column(struct hb__block_writer *w, struct hb__bytes *out, size_t n)
{
	hb__column_write(&w->packer, out, w->column, n);
}

#define SLOT_COLUMN(field)                                 \
	do {                                               \
		for (size_t i_ = 0; i_ < w->slots; i_++)   \
			w->column[i_] = w->slot[i_].field; \
		put_column(w, out, w->slots);              \
	} while (0)

static void write_args(struct hb__block_writer *w, struct hb__bytes *out, uint32_t group)
{
	for (uint32_t p = 0; p < HB__POSITIONS; p++) {
		size_t n = 0;
		for (size_t i = 0; i < w->slots; i++) {
			const struct slot *s = &w->slot[i];
			if (s->group != group)
				continue;
			uint32_t end = p + 1 < HB__POSITIONS ? p + 1 : s->nargs;
			for (uint32_t a = p; a < end && a < s->nargs; a++)
				w->column[n++] = hb_zigzag(w->args[s->arg + a]);
		}
		put_column(w, out, n);
	}
}

static void write_slots(struct hb__block_writer *w, struct hb__bytes *out)
{
	hb__bytes_uv(out, w->slots);
	hb__bytes_uv(out, w->groups);
	SLOT_COLUMN(group);
	SLOT_COLUMN(function);
	SLOT_COLUMN(site);
	SLOT_COLUMN(flags);
	SLOT_COLUMN(nargs);
	for (uint32_t g = 0; g < w->groups; g++)
		write_args(w, out, g);
}

/* A slot that comes for the first time is 0, so that a pattern whose calls
 * differ from round to round is still the same sequence. */
static void write_sequence(struct hb__block_writer *w, struct hb__bytes *out)
{
	uint32_t known = 0;
	for (size_t i = 0; i < w->rows; i++) {
		bool first = w->row[i].slot == known;
		known += first;
		w->column[i] = first ? 0 : w->row[i].slot + 1;
	}
	put_column(w, out, w->rows);
}

#define ROW_COLUMN(value)                                         \
	do {                                                      \
		for (size_t i_ = 0; i_ < n; i_++) {               \
			const struct row *r = &w->row[order[i_]]; \
			w->column[i_] = (value);                  \
		}                                                 \
		put_column(w, out, n);                            \
	} while (0)

static void write_results(struct hb__block_writer *w, struct hb__bytes *out, const uint32_t *order, size_t n)
{
	for (uint32_t p = 0; p < HB__POSITIONS; p++) {
		size_t m = 0;
		for (size_t i = 0; i < n; i++) {
			const struct row *r = &w->row[order[i]];
			uint32_t end = p + 1 < HB__POSITIONS ? p + 1 : r->nresults;
			for (uint32_t a = p; a < end && a < r->nresults; a++)
				w->column[m++] = hb_zigzag(w->values[r->results + a]);
		}
		put_column(w, out, m);
	}
}

static void write_group(struct hb__block_writer *w, struct hb__bytes *out, const uint32_t *order, size_t n)
{
	if (w->level == HB_LEVEL_EVENTS) {
		ROW_COLUMN(r->gap);
		ROW_COLUMN(r->lasted);
	}
	ROW_COLUMN(r->polls);
	if (w->level == HB_LEVEL_RACING)
		ROW_COLUMN(r->skipped);
	ROW_COLUMN(hb_zigzag(r->result));
	size_t m = 0;
	for (size_t i = 0; i < n; i++)
		if (w->slot[w->row[order[i]].slot].flags & HB_SLOT_CHECK)
			w->column[m++] = w->row[order[i]].check;
	put_column(w, out, m);
	ROW_COLUMN(r->nresults);
	write_results(w, out, order, n);
}

static bool room(struct hb__block_writer *w)
{
	size_t most = w->rows;
	most = most > w->nargs ? most : w->nargs;
	most = most > w->nvalues ? most : w->nvalues;
	free(w->order);
	free(w->column);
	w->order = malloc((w->rows + 1) * sizeof *w->order);
	w->column = malloc((most + 1) * sizeof *w->column);
	return w->order && w->column;
}

bool hb__block_write(struct hb__block_writer *w, struct hb__bytes *out)
{
	size_t start[HB__BLOCK_GROUPS_MAX + 1] = {0}, at[HB__BLOCK_GROUPS_MAX + 1];
	if (!room(w))
		return false;
	make_groups(w);
	write_slots(w, out);
	write_sequence(w, out);
	if (w->level == HB_LEVEL_EVENTS)
		hb__bytes_uv(out, w->first_tick);
	for (size_t i = 0; i < w->slots; i++)
		start[w->slot[i].group + 1] += w->slot[i].rows;
	for (uint32_t g = 0; g < w->groups; g++)
		start[g + 1] += start[g];
	memcpy(at, start, sizeof at);
	for (size_t i = 0; i < w->rows; i++)
		w->order[at[w->slot[w->row[i].slot].group]++] = (uint32_t)i;
	for (uint32_t g = 0; g < w->groups; g++)
		write_group(w, out, w->order + start[g], start[g + 1] - start[g]);
	return !out->failed;
}
