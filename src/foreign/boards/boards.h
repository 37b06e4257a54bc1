/* Boards: what their lines told (docs/system/subordinate.md). */
#ifndef HBDB_FOREIGN_BOARDS_H
#define HBDB_FOREIGN_BOARDS_H

#include "foreign/import.h"

#define HB_BOARD_MAGIC "hbdb-board 1\n"
#define HB_BOARDS_MOST 1000u               /* starts of boards in a file */
#define HB_BOARD_NAME 64u                  /* bytes of a name */
#define HB_BOARD_NAMES 1000u               /* of a process; what has another one is called (more) */
#define HB_BOARD_TIME_MOST (INT64_MAX / 4) /* nanoseconds: sums of a few stay numbers */

/* A part of the file. */
struct hb__word {
	const char *at;
	size_t n;
};

enum hb__board_kind { HB_BOARD_EVENT, HB_BOARD_BEGIN, HB_BOARD_END, HB_BOARD_SEND, HB_BOARD_RECEIVE, HB_BOARD_KINDS };

struct hb__board_event {
	enum hb__board_kind kind;
	int64_t time;         /* nanoseconds of the board's clock */
	struct hb__word name; /* or the channel */
	uint64_t value;       /* or the message's key */
	uint64_t bytes;
};

struct hb__ask { /* for the clock, not answered yet */
	struct hb__word id;
	int64_t time;
};

/* One start of a board: a process. */
struct hb__board {
	struct hb__word name; /* of its line */
	uint64_t hertz;
	uint64_t number; /* of the last event */
	struct hb__board_event *event;
	size_t events, cap;
	uint64_t dropped, lost,
		earlier; /* events that are not here: no room there, lost on the way, before the listener came */
	struct hb__ask ask[16];
	unsigned asks;   /* counted on; the place is the rest by 16 */
	int64_t trip;    /* nanoseconds that the quickest answer took; -1: there is none */
	int64_t offset;  /* from its clock to the time of the listener, by that answer ... */
	int64_t most;    /* ... and at most: nothing came before it happened */
	int64_t forward; /* by what messages say beyond that */
};

struct hb__boards {
	hb_import *import;
	struct hb__board *board;
	size_t n, cap;
	uint64_t strange; /* lines that are none of the protocol */
	uint64_t spoiled; /* lines whose sum is wrong, or that make no sense */
	bool contrary;    /* messages ask for times that there are not */
};

/* Reads all lines; false: out of memory. */
bool hb__boards_read(struct hb__boards *boards);
/* Fills in offset and forward of each; false: out of memory. */
bool hb__boards_clocks(struct hb__boards *boards);

#endif
