/* The sealed form: sections, blocks of rows, columns of numbers, strings of symbols.
 * hbdb-recording(5), "THE SEALED FORM", is normative. */
#ifndef HBDB_FORMAT_SEALED_SEALED_H
#define HBDB_FORMAT_SEALED_SEALED_H

#include "format/internal.h"
#include "format/row.h"

#define HB_SECTION_MAGIC "HBDS"
#define HB_SEALED_END "HBDBEND\n"
#define HB__TRAILER 16

enum {
	HB_SECTION_PROCESS = 1,
	HB_SECTION_DEFINITIONS = 2,
	HB_SECTION_LANE = 3,
	HB_SECTION_NOTES = 4,
	HB_SECTION_ROWS = 5,
	HB_SECTION_INDEX = 6,
	HB_SECTION_WAITS = 7,
	HB_SECTION_PACKED_NOTES = 8, /* in the place of HB_SECTION_NOTES */
	HB_SECTION_REMARKS = 9,
	HB_SECTION_BEFORE = 10,
};

struct hb__section {
	char magic[4];
	uint32_t bytes;    /* of the payload */
	uint64_t checksum; /* XXH3 of all that follows it */
	uint16_t kind, lane;
	uint32_t events;
	uint64_t first; /* number of the first event */
};
_Static_assert(sizeof(struct hb__section) == 32, "as in hbdb-recording.5");
#define HB__SECTION_HASHED 16 /* where the checksum starts to count */

/* Bounds of a block. A reader refuses more, a writer ends the block earlier. */
#define HB__BLOCK_EVENTS_MAX (1u << 20)
#define HB__BLOCK_VALUES_MAX (1u << 22) /* arguments, results */
#define HB__BLOCK_GROUPS_MAX 256u
#define HB__POSITIONS 16u                             /* columns by position; the last holds all further ones */
#define HB__FUNCTIONS_MAX ((HB_LANE_WAITS - 256) / 8) /* a lane counts the calls of so many */
#define HB__NOTES_MAX (1u << 30)                      /* bytes of packed notes, of remarks */
/* What our writer does. */
#define HB__BLOCK_EVENTS (1u << 16)
#define HB__BLOCK_EVENTS_ORDER (1u << 20)
#define HB__BLOCK_VALUES (1u << 20)

/* ---- seal.c ---- */

/* Writes the sealed form of a log, of whatever form it is (its ops read it): what hb_log_seal does with a file. */
hb_status hb__seal(hb_log *log, const char *to, hb_progress *progress, void *user, hb_error *err);

/* ---- pack.c: strings of byte symbols ---- */

struct hb__packer { /* what a writer needs again and again */
	void *zstd;
	bool small; /* try the range coder too: smaller, slower */
	int level;  /* of zstd */
	struct hb__bytes trial[2];
};
bool hb__packer_open(struct hb__packer *k, bool small);
void hb__packer_close(struct hb__packer *k);
void hb__pack(struct hb__packer *k, struct hb__bytes *out, const uint8_t *symbol, size_t n);
/* n symbols into ret_symbol; sets in->bad when they cannot be read. */
void hb__unpack(struct hb__in *in, size_t n, uint8_t *ret_symbol);
void hb__unpack_skip(struct hb__in *in, size_t n);

/* ---- columns.c: columns of unsigned numbers ---- */

struct hb__column { /* once read it stays where it is: v may point to fixed */
	const uint64_t *v;
	size_t mask; /* 0: all are `fixed` */
	size_t i;
	uint64_t fixed;
};
void hb__column_write(struct hb__packer *k, struct hb__bytes *out, const uint64_t *v, size_t n);
/* Memory comes from the arena. Sets in->bad. */
void hb__column_read(struct hb__in *in, struct hb__arena *arena, size_t n, struct hb__column *ret_column);
/* Goes past a column; what it holds is not looked at more than that needs. */
void hb__column_skip(struct hb__in *in, struct hb__arena *arena, size_t n);

/* Which column is the same all over changes from row to row, so there is no branch here. */
static inline uint64_t hb__column_at(const struct hb__column *c, size_t i) { return c->v[i & c->mask]; }
static inline uint64_t hb__column_next(struct hb__column *c) { return c->v[c->i++ & c->mask]; }

/* ---- block.c: rows into a block ---- */

struct hb__block_writer;
struct hb__block_writer *hb__block_writer_open(uint32_t level); /* NULL: out of memory */
void hb__block_writer_close(struct hb__block_writer *w);
/* Begins a block; `tick` is the exit of the event before. */
void hb__block_begin(struct hb__block_writer *w, uint64_t tick);
bool hb__block_add(struct hb__block_writer *w, const hb_row *row); /* false: out of memory */
bool hb__block_full(const struct hb__block_writer *w);
uint32_t hb__block_events(const struct hb__block_writer *w);
bool hb__block_write(struct hb__block_writer *w, struct hb__bytes *out);

/* ---- unblock.c: a block into rows ---- */

struct hb__group {
	uint32_t at;  /* the next of its rows */
	bool usual;   /* no polls, nothing skipped, no error; all have a check, or none */
	bool checked; /* all have a check: in `check`; otherwise those whose slot says so, in some_check */
	struct hb__column gap, lasted, polls, skipped, result, check, some_check, nresults;
	const int64_t *results; /* of the next row; those of all rows follow each other */
	uint32_t slots, events, checks;
};

struct hb__rows {
	struct hb__arena arena; /* everything below */
	uint32_t events, slots, groups;
	struct hb__slotdef *slot;
	uint8_t *group_of;  /* by slot */
	uint32_t *sequence; /* slot of each event */
	struct hb__group *group;
	uint64_t tick;
};
/* Rows begin as {0}, and may be read again and again. Without `times` gaps, durations and checks are left out.
 * False: the bytes contradict the format, or memory is gone. */
bool hb__rows_read(struct hb__rows *rows, const uint8_t *p, size_t n, uint32_t events, uint32_t level, bool times);
void hb__rows_free(struct hb__rows *rows);
/* Only the tick at which the event before the block was left: what stands after it is not read. */
bool hb__rows_tick(const uint8_t *p, size_t n, uint32_t events, uint32_t level, uint64_t *ret_tick);

#endif
