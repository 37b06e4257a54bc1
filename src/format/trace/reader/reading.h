/* What the files of the reader share. Not for other folders: they include trace.h. */
#ifndef HBDB_FORMAT_TRACE_READER_READING_H
#define HBDB_FORMAT_TRACE_READER_READING_H

#include "format/internal.h"
#include "format/trace/trace.h"

/* What was defined of one kind, by number from 1; NULL: not (yet). */
struct hb__trace_table {
	void **at;
	size_t room;
	uint64_t last, n; /* the greatest number, how many there are */
};

struct hb_trace {
	char *path;
	int fd;
	struct hb_trace_header header;
	uint64_t next;    /* offset of the block that is read next ... */
	uint64_t block;   /* ... and its number */
	uint8_t *payload; /* of the block at hand */
	size_t room;
	uint64_t at; /* offset of the payload in the file */
	struct hb__in in;
	uint32_t thread;
	bool over;
	char damage[200]; /* nothing is read any more; empty: all is well */
	struct hb__trace_table construct, array, variable, place, module;
	hb_point *open; /* of thread 0: begun, and not ended */
	size_t opens, opens_room;
	struct hb__arena arena;
	char *text, *other_text; /* of the record at hand */
	size_t text_room, other_text_room;
	/* of the text form: */
	char *whole;            /* all of the file, with a null behind it; NULL: it is none */
	char *line, *last_line; /* the next line, and the end */
	uint64_t lines;         /* so many have been read */
	uint8_t value[16];
	hb_tile tile[HB_TILES_MOST];
	uint32_t tile_number[HB_TILES_MOST];
};

/* known.c: a record that defines something, without its kind. False: it contradicts the format, or memory is gone. */
bool hb__trace_define(struct hb_trace *trace, hb_trace_kind kind, hb_trace_record *ret_record);
void hb__trace_forget(struct hb_trace *trace);
/* A text of the record at hand, copied into *at. NULL: it contradicts the format, or memory is gone. */
const char *hb__trace_text(struct hb__in *in, char **at, size_t *room);

/* records.c: the next record of the block at hand; of it there is at least one byte. False as above. */
bool hb__trace_record(struct hb_trace *trace, hb_trace_record *ret_record);

/* Of CHECKED: the point at whose end it stands. */
void hb__trace_point_of_sum(const struct hb_trace *trace, hb_trace_record *record);

/* known.c: these become known by their numbers; texts are kept by the caller. False: out of memory, or no possible number. */
bool hb__trace_put_construct(struct hb_trace *trace, const hb_trace_construct *construct);
bool hb__trace_put_array(struct hb_trace *trace, hb_trace_array *array); /* finds out whether it makes sense */
bool hb__trace_put_variable(struct hb_trace *trace, const hb_trace_variable *variable);

/* text.c: goes to the process with this place in the text, from 0; false: there is none. The next record: 1, 0 at the end, -1: a line that is none. */
bool hb__trace_text_begin(struct hb_trace *trace, uint32_t process);
int hb__trace_text_next(struct hb_trace *trace, hb_trace_record *ret_record);

#endif
