/* What the files of this folder share: the opened log, its lanes, its cursors.
 * Not for other folders: they include <hbdb/format.h>. */
#ifndef HBDB_FORMAT_INTERNAL_H
#define HBDB_FORMAT_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "format/within/within.h"

/* Memory that is given back all at once. */
struct hb__arena {
	struct hb__chunk *first;
	uint8_t *p;
	size_t left;
};
void *hb__arena_get(struct hb__arena *arena, size_t bytes); /* NULL: out of memory */
void hb__arena_free(struct hb__arena *arena);
/* As empty as after hb__arena_free, but ready to give as much again: one piece that is in use needs no new pages. */
void hb__arena_reset(struct hb__arena *arena);
/* Gives back what was got since `before` was a copy of the arena, unless that took more pieces. */
void hb__arena_back(struct hb__arena *arena, const struct hb__arena *before);

/* Bytes being written. After `failed` nothing is written any more. */
struct hb__bytes {
	uint8_t *p;
	size_t n, cap;
	bool failed;
};
uint8_t *hb__bytes_room(struct hb__bytes *b, size_t n); /* NULL: out of memory */
void hb__bytes_put(struct hb__bytes *b, const void *p, size_t n);
void hb__bytes_u8(struct hb__bytes *b, uint8_t v);
void hb__bytes_uv(struct hb__bytes *b, uint64_t v);
void hb__bytes_sv(struct hb__bytes *b, int64_t v);
void hb__bytes_str(struct hb__bytes *b, const char *s);

/* Bytes being read. After `bad` every read gives 0. */
struct hb__in {
	const uint8_t *p, *end;
	bool bad;
};
uint64_t hb__in_uv(struct hb__in *in);
int64_t hb__in_sv(struct hb__in *in);
uint8_t hb__in_u8(struct hb__in *in);
const uint8_t *hb__in_bytes(struct hb__in *in, uint64_t n); /* NULL: not so many left */

hb_status hb__fail(hb_error *err, hb_status status, const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* ---- defs.c: what holds for the whole process ---- */

struct hb__def_table {
	void **at;
	size_t cap;
	uint32_t n;
};

#define HB__LAYERS_MOST 32u

struct hb__defs {
	struct hb__def_table table[8]; /* by kind of definition */
	struct hb__def_table text;
	struct hb__array {
		uint64_t digest;
		uint32_t n;
		const int64_t *value; /* NULL: a free cell */
	} * array;                    /* by digest, with open addressing */
	size_t arrays, arrays_cap;    /* cap: a power of two */
	uint32_t version;             /* of the log */
	hb_identity identity;         /* world NULL: none was defined */
	hb_ancestor *ancestor;
	uint32_t ancestors;
	uint64_t network;       /* 0: not told */
	hb_processor processor; /* name NULL: not told */
	hb_bridge *bridge;
	size_t bridges, bridges_cap;
	struct hb__layer_told {
		const char *name;
		uint64_t first, functions;
	} layer[HB__LAYERS_MOST];
	uint32_t layers;
	struct hb__def_table remark; /* kinds of remarks */
	struct hb__arena arena;
	struct hb__bytes raw; /* the records as they came, for sealing */
};

/* One definition of kind `kind`; false when its bytes contradict the format or memory is gone. */
bool hb__define(struct hb__defs *defs, uint8_t kind, const uint8_t *p, size_t n);
/* All definitions have been read: whose each function is. */
void hb__defs_layers(struct hb__defs *defs);
void hb__defs_free(struct hb__defs *defs);

/* ---- lanes ---- */

/* A call as a slot stands for it. */
struct hb__slotdef {
	uint32_t function, site, flags, nargs;
	uint32_t era; /* as in hb_row */
	uint32_t cap; /* room in arg */
	bool defined;
	int64_t *arg;
};
/* Reads the body of a slot definition after the slot's number; false: contradicts the format, or no memory. */
bool hb__slotdef_read(struct hb__in *in, struct hb__slotdef *slot);
void hb__slotdef_row(const struct hb__slotdef *slot, uint32_t number, hb_row *ret_row);

struct hb__unit {                       /* raw: a unit with rows */
	uint64_t offset;                /* of the payload in the file; 0: missing */
	uint32_t bytes;                 /* of whole records */
	bool pending_result, continues; /* results of its first event stand before it */
	uint64_t base_tick, events_before, polls_before, skipped_before;
	int64_t result_before;
	size_t defs_before;
};

struct hb__row_block {          /* sealed: a block of rows */
	uint64_t offset, first; /* of the section; number of its first event */
	uint32_t bytes, events;
};

struct hb__lane_rows {
	hb_lane_info info;
	uint64_t *calls; /* by function */
	uint32_t ncalls;
	struct hb__slotdef inside, polling; /* sealed: the call that the thread is in, and the one it asked last */
	uint64_t *wait, asked;              /* what info.wait points to; raw: as in the lane control */
	struct hb__unit *unit;
	size_t units, units_cap;
	uint64_t *def; /* raw: offsets of the slot definitions, in order */
	size_t defs, defs_cap;
	uint32_t first_unit; /* raw, of a ring: number of the first unit that holds, and the slots before it */
	struct hb__base {
		uint32_t number;
		struct hb__slotdef slot;
	} * base;
	size_t bases;
	struct hb__row_block *block;
	size_t blocks, blocks_cap;
};

/* ---- bytes.c: whether the checksums that a unit and a header have hold; a unit that has none passes, a header does not ---- */
struct hb_unit_header;
struct hb_log_header;
bool hb__sum_unit(const struct hb_unit_header *h, const uint8_t *payload, uint32_t bytes);
bool hb__sum_header(const struct hb_log_header *h);

/* ---- bounds.c ---- */
/* Of all units that the log has now, rows before definitions; false: out of memory. */
bool hb__bounds_take(hb_log *log, struct hb__lane_rows *definitions);
/* A unit that is missing from the middle of a lane ends the lane. */
void hb__bounds_close_gaps(hb_log *log, struct hb__lane_rows *lane, uint32_t number);

/* ---- waits.c: what the last call of a lane waits for ---- */
struct hb_lane_control;
bool hb__waits_take(struct hb__lane_rows *lane, const struct hb_lane_control *control); /* false: out of memory */
/* It holds only when no event came after it. defined: the call that it polled with is known. */
void hb__waits_keep(struct hb__lane_rows *lane, uint64_t events, bool defined, bool damaged);
/* The payload of its section, and back; false: damaged, or out of memory. polling: the call, when info.polling. */
void hb__waits_write(const hb_lane_info *info, const hb_row *polling, struct hb__bytes *out);
bool hb__waits_read(struct hb__lane_rows *lane, struct hb__in *in);

struct hb__cursor_ops {
	hb_status (*open)(hb_log *log, uint32_t lane, uint64_t from, hb_cursor **ret_cursor, hb_error *err);
	int (*next)(hb_cursor *cursor, hb_row *ret_row, hb_error *err);
	hb_status (*slot)(hb_cursor *cursor, uint32_t slot, hb_row *ret_row);
	void (*close)(hb_cursor *cursor);
	void (*skip_times)(hb_cursor *cursor); /* NULL: it costs nothing to read them */
	hb_status (*stretch)(
		const hb_log *log, const struct hb__lane_rows *lane, uint64_t index, hb_stretch *ret, hb_error *err);
};

struct hb_cursor { /* the start of every kind of cursor */
	const struct hb__cursor_ops *ops;
};

/* Sealed: numbers of the slots that stand for the call a thread never returned from, and for the one it polled with. */
#define HB__SLOT_INSIDE (HB_NO - 1)
#define HB__SLOT_POLLING (HB_NO - 2)

#define HB__HEAD 104 /* bytes of the file header before its texts */

struct hb_log {
	hb_log_info info;
	char *path;
	hb_mapped file;
	const uint8_t *map;     /* of its bytes ... */
	uint64_t size;          /* ... and how many */
	bool summed;            /* raw: its process closed it with checksums */
	uint8_t head[HB__HEAD]; /* the fixed part of the header, as it was at opening */
	struct hb__defs defs;
	struct hb__lane_rows *lane;
	uint32_t lanes;
	char **name[HB_NAMED]; /* by number; NULL: none */
	size_t names[HB_NAMED], names_cap[HB_NAMED];
	hb_note *note;
	size_t notes, notes_cap;
	hb_remark_row *remark;
	size_t remarks, remarks_cap;
	hb_mark *mark;
	size_t marks, marks_cap;
	const struct hb__cursor_ops *ops;
	bool ring, lost_account; /* raw: units are used again; lost_account: which ones hold is not known */
	hb_before before;
	uint8_t *before_bytes; /* NULL: nothing was given up */
	size_t before_n;
};

/* ---- before.c: what was given up. False: damaged, or no memory ---- */
bool hb__before_read(hb_log *log, struct hb__in *in);

/* Lane `number`, made when it is not there yet. NULL: out of memory. */
struct hb__lane_rows *hb__log_lane(hb_log *log, uint32_t number);
/* Notes that the log is readable only in part. The first reason is kept. */
void hb__trouble(hb_log *log, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool hb__note_add(hb_log *log, uint32_t lane, uint64_t event, const uint8_t *text, size_t n);
bool hb__remark_add(hb_log *log, uint32_t lane, uint64_t event, uint64_t kind, const uint8_t *at, uint64_t bytes);
bool hb__signal_note(hb_log *log, const struct hb_log_header *header);

bool hb__log_remap(hb_log *log);

hb_status hb__raw_open(hb_log *log, hb_error *err);
hb_status hb__sealed_open(hb_log *log, hb_error *err);
/* Checks what opening does not look at. */
hb_status hb__sealed_verify(hb_log *log, hb_error *err);

/* A file that appears under its name when it is complete. */
struct hb__out {
	struct hb__bytes b;
	uint64_t offset; /* of b.p[0] in the file */
	int fd;
	int sys; /* errno of the first failure */
	char *path, *part;
};
hb_status hb__out_open(struct hb__out *out, const char *path, hb_error *err);
void hb__out_flush(struct hb__out *out);
hb_status hb__out_finish(struct hb__out *out, hb_error *err);
void hb__out_abandon(struct hb__out *out);
/* Overwrites bytes already written. */
void hb__out_patch(struct hb__out *out, uint64_t offset, const void *p, size_t n);

#endif
