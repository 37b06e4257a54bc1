/* What came into a recorded process: the file rank.N.data beside its log (docs/man/hbdb-data.5).
 *
 * Nothing here knows what a call means: an item is of an event, or of a call that is no event, and has pieces, which have a
 * number and bytes. No function prints or exits. Functions that can fail return 0 or a negative hb_status and fill *err (may be
 * NULL). Whatever the bytes are, the result is a file that can be read, its readable beginning (info.recovered) or an error.
 *
 * Thread safety: a reader may be used by one thread at a time.
 */
#ifndef HBDB_DATA_H
#define HBDB_DATA_H

#include <hbdb/format.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hb_data hb_data;               /* the contents of one process, raw or sealed */
typedef struct hb_data_cursor hb_data_cursor; /* reads the items of one thread forward */

typedef struct hb_data_info {
	int sealed;
	int32_t rank; /* these two as in the log */
	uint32_t pid;
	int told;         /* the end of the process was told */
	uint32_t stopped; /* errno for which nothing was kept from then on, or 0 */
	uint64_t came;    /* bytes of contents that came in, those that were stored before counted again */
	uint64_t stored;  /* bytes that are kept, items and contents */
	uint64_t bytes;   /* of the file (raw: of the blocks in use) */
	uint64_t items;
	uint32_t threads;
	int recovered;     /* 1: cut or damaged; what is readable ends early */
	char trouble[256]; /* why, when recovered */
} hb_data_info;

typedef struct hb_data_piece {
	uint32_t what; /* hbdb-data(5), "What a piece is" */
	uint64_t bytes;
	uint64_t at; /* where they are, for hb_data_read */
} hb_data_piece;

typedef struct hb_data_item {
	uint64_t event;   /* of which it is, or behind which the call was made (0: before the first) */
	const char *name; /* of a call that is no event: LAYER:NAME; NULL: of an event. Owned by the file */
	uint32_t pieces;
	const hb_data_piece *piece; /* valid until the next call on the same cursor */
} hb_data_item;

/* Opens a file of contents. That of a process that still runs opens as it is now. hb_data_close. */
hb_status hb_data_open(const char *path, hb_data **ret_data, hb_error *err);
/* The same of its first bytes alone, about so many: for what came in when the process began, without reading all of the file. It is as if the
 * file were cut off there. */
hb_status hb_data_open_beginning(const char *path, uint64_t bytes, hb_data **ret_data, hb_error *err);
void hb_data_close(hb_data *data);
/* Where the contents of a log are: the same name with .data in the place of .log. Free it; NULL: out of memory. */
char *hb_data_path(const char *log);

const hb_data_info *hb_data_get_info(const hb_data *data);
/* Identity of thread `index` (hb_lane_info.thread), and how many items it has. HB_E_ARGUMENT: there are not so many. */
hb_status hb_data_thread(const hb_data *data, uint32_t index, uint64_t *ret_thread, uint64_t *ret_items);

/* A cursor before the first item of a thread that is of event `from` or behind it, or of a later one. hb_data_cursor_next returns
 * 1 and fills *ret_item, 0 at the end, or a negative status. A thread that has no items is one that is at its end. */
hb_status hb_data_cursor_open(
	hb_data *data, uint64_t thread, uint64_t from, hb_data_cursor **ret_cursor, hb_error *err);
int hb_data_cursor_next(hb_data_cursor *cursor, hb_data_item *ret_item, hb_error *err);
void hb_data_cursor_close(hb_data_cursor *cursor);

/* All pieces of an event: 1, 0 when nothing came with it, or a negative status. Events that are asked for in order cost no
 * search. *ret_item is valid until the next call for this file. */
int hb_data_of(hb_data *data, uint64_t thread, uint64_t event, hb_data_item *ret_item, hb_error *err);

/* `bytes` bytes of a piece, from `offset` on. HB_E_ARGUMENT: it has not so many. */
hb_status hb_data_read(
	hb_data *data, const hb_data_piece *piece, uint64_t offset, uint64_t bytes, void *to, hb_error *err);

/* Writes the sealed form of the raw file at `from` to `to` (a new file, renamed into place when complete). A damaged file is not
 * sealed: HB_E_DAMAGED. progress, when not NULL, is called now and then with the share done. */
hb_status hb_data_seal(const char *from, const char *to, hb_progress *progress, void *user, hb_error *err);
/* Writes the raw form of a file (for the target, which reads nothing else). */
hb_status hb_data_unseal(const char *from, const char *to, hb_error *err);

/* Reads everything. 0 when whole; HB_E_DAMAGED with the first damage in *err. Both forms of the same contents have the same
 * digest (XXH3, 64 bit, of the raw form). Both results may be NULL. */
hb_status hb_data_verify(const char *path, hb_data_info *ret_info, uint64_t *ret_digest, hb_error *err);

#ifdef __cplusplus
}
#endif
#endif
