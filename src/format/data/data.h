/* What the files of this folder share: an opened file of contents. Not for other folders: they include <hbdb/data.h>. */
#ifndef HBDB_FORMAT_DATA_DATA_H
#define HBDB_FORMAT_DATA_DATA_H

#include <zstd.h>

#include <hbdb/data.h>

#include "format/data/raw.h"
#include "format/internal.h"

#define HB__FRAME_MOST (1u << 26) /* bytes of the raw form in a frame: more is refused */
#define HB__FRAMES_KEPT 4
#define HB__NAMES_MOST 65536u

struct hb__frame {
	uint64_t at, bytes;    /* in the sealed file */
	uint64_t raw, content; /* in the raw form */
};

struct hb__kept {     /* a frame that is decompressed */
	size_t frame; /* SIZE_MAX: none */
	uint64_t used;
	uint8_t *p;
	size_t room;
};

struct hb__extent {
	uint64_t at; /* of its head, in the raw form */
	uint64_t size, valid;
	uint32_t kind, thread;
	/* Of items: where the thread stands before the first of them. */
	uint64_t event, next;
};

struct hb__data_thread {
	uint64_t id, items;
	size_t *extent; /* its extents of items, in order */
	size_t n, cap;
	char **name; /* by number */
	size_t names, names_cap;
	hb_data_cursor *cursor; /* of hb_data_of */
};

struct hb_data {
	hb_data_info info;
	char *path;
	hb_mapped file;
	const uint8_t *map; /* of its bytes ... */
	uint64_t size;      /* ... and how many */
	uint64_t end;       /* of the raw form, as far as it is readable */
	struct hb_data_header head;
	struct hb__frame *frame;
	size_t frames, frames_cap;
	struct hb__kept kept[HB__FRAMES_KEPT];
	uint64_t uses;
	ZSTD_DCtx *zstd;
	struct hb__extent *extent;
	size_t extents, extents_cap;
	struct hb__data_thread *thread;
	size_t threads_cap; /* how many: info.threads */
	struct hb__arena arena;
	hb_data_piece *piece; /* of hb_data_of */
	size_t pieces_cap;
};

/* Notes that the file is readable only in part. The first reason is kept. */
void hb__data_trouble(hb_data *d, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- open.c ---- */
/* Opens the file, and knows its header: not its extents, and no items. */
hb_status hb__data_begin(const char *path, hb_data **ret_data, hb_error *err);

/* ---- frames.c ---- */
hb_status hb__frames_open(hb_data *d, hb_error *err);
/* Bytes of the raw form, of either form of file. */
hb_status hb__data_bytes(hb_data *d, uint64_t at, uint64_t bytes, void *to, hb_error *err);
/* The file ends behind its first bytes, as far as they stand in one frame: of that no more is decompressed. */
hb_status hb__frames_limit(hb_data *d, uint64_t bytes, hb_error *err);
void hb__frames_close(hb_data *d);

/* ---- items.c ---- */
/* Reads the items of all threads once, and cuts the extents of each where they make no sense any more. */
hb_status hb__items_scan(hb_data *d, hb_error *err);
/* The extent of contents in which these bytes lie; NULL: none. */
const struct hb__extent *hb__data_extent(const hb_data *d, uint64_t at, uint64_t bytes);

/* ---- walk.c: the raw form as its page has it, with zeros where nothing is valid ---- */
struct hb__walk {
	hb_data *d;
	size_t extent;
	uint64_t at;
};
/* The next bytes, as many as there are up to `most`; *ret_n is 0 at the end. */
hb_status hb__data_walk(struct hb__walk *w, uint8_t *to, size_t most, size_t *ret_n, hb_error *err);

#endif
