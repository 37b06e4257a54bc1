/* Between libhbdb-inputs.so, which stands in front of the C library's functions, and the recorder beside it: what it asks and what it is
 * told. Both are of the same build. */
#ifndef HBDB_CAPTURE_INPUTS_DOOR_H
#define HBDB_CAPTURE_INPUTS_DOOR_H

#include "capture/core/data/data.h"

enum hb_inputs {
	HB_INPUTS_PASS, /* it is none of ours: the C library answers */
	HB_INPUTS_KEEP, /* the C library answers, and the answer is kept */
	HB_INPUTS_GIVE, /* it is answered as recorded */
};

/* What a process has from its beginning: pieces of the item inputs:start. */
enum {
	HB_START_PROGRAM, /* path of its file */
	HB_START_FOLDER,  /* in which it began */
	HB_START_PID,
	HB_START_HOST, /* struct utsname */
	HB_START_HOST_ID,
	HB_START_PROCESSORS, /* that are there, and that are online */
	HB_START_ONLINE,
	HB_START_ARGUMENTS,   /* each with its null */
	HB_START_ENVIRONMENT, /* likewise */
	HB_START_PIECES
};

struct hb_inputs_door {
	/* What becomes of a call that was made at pc. Unless it passes, what this thread calls until `leave` passes. */
	enum hb_inputs (*enter)(const void *pc);
	void (*leave)(void);
	void (*outside)(void); /* as leave, and nothing that is due is done */
	void (*again)(void);   /* back from a call that may have run a handler of the program, or jumped out of one */
	enum hb_inputs (*mode)(void); /* of the program's calls */
	/* In this replay there is nobody at the other end of its pipes, or of its sockets. */
	bool (*alone_without)(bool sockets);
	uint64_t (*event)(
		void); /* number of the last event of this thread; UINT64_MAX: it makes none any more, or is in a handler */

	/* Around a handler of the program. False: what comes into it cannot be told apart, and passes. */
	bool (*handler_begins)(uint8_t *ret_before);
	void (*handler_ends)(uint8_t before);
	void (*others)(void);    /* replay: a signal comes: what other threads had done before it is done */
	uint64_t (*calls)(void); /* how many calls of this thread did not pass behind its last event */
	bool (*inside)(void);    /* it is inside of an event that is not over */
	void (*after)(void (*due)(
		void)); /* from now on calls that are events count; NULL, or what is called when one is over and when a call did not pass */

	bool (*call)(struct hb__source *source, unsigned n);
	void (*piece)(uint32_t what, const void *p, size_t bytes);
	void (*number)(uint32_t what, int64_t v);
	void (*end)(void);
	void *(*room)(size_t bytes);
	void (*packed)(uint32_t what, size_t bytes);
	uint8_t *(*add)(struct hb__source *source, const uint8_t *p, size_t bytes);
	bool (*adds)(const struct hb__source *source);

	bool (*next)(const char *begins, struct hb__item *ret);
	bool (*peek)(const char *begins, struct hb__item *ret);
	bool (*item_piece)(struct hb__item *item, struct hb__piece *ret);
	int64_t (*piece_number)(const struct hb__piece *piece);

	/* One of HB_START_...: in a replay what was recorded, 0 bytes where nothing was. */
	const struct hb__piece *(*start)(unsigned what);
	const char *(*real_folder)(void);         /* where this process began */
	bool (*is_from_start)(const char *value); /* a text of this process's environment is as it began with it */

	void *(*pages)(size_t bytes);
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	/* A call at pc did not come as recorded: `what` is a sentence or more, in lines. */
	void (*differs)(const void *pc, const char *what);
	void (*given)(void);         /* one more that was answered as recorded */
	const char *(*folder)(void); /* of the recording, or in a replay of the reports */
};

/* The recorder has it, by this name. */
#define HB_INPUTS_DOOR "hb_inputs_door_1"
extern const struct hb_inputs_door hb_inputs_door_1;

#endif
