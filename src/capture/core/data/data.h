/* Level data: what comes into the process from outside is kept, and given back in a replay. The bytes: docs/man/hbdb-data.5.
 *
 * A thread that gets something has a stream of items; an item is of an event of its lane or of a call that is no event, and has
 * pieces: what came, by argument. Recording: one copy (none where the same contents were stored before), no allocation and no
 * system call but for a new extent. Giving back: items come in the order in which they were kept, for each group of functions by
 * itself, so that what one layer asks for does not depend on another layer. */
#ifndef HBDB_CAPTURE_CORE_DATA_H
#define HBDB_CAPTURE_CORE_DATA_H

#include <sys/types.h>

#include "capture/core/core.h"

#pragma GCC visibility push(hidden)

/* What comes in is kept / is to be given back, in this process. Never both. */
extern bool hb__data_keeps, hb__data_gives;
/* There is a file of contents, if only for digests. */
extern bool hb__data_writes;
/* hb__data_gives without other processes and without their library: hbdb replay --alone. */
extern bool hb__alone;

/* A function whose calls are no events, or a group of them that is given back in one order. One static object each. */
struct hb__source {
	const char *name; /* LAYER:NAME */
	uint32_t number;  /* given when it is first used; 0: not yet */
};

/* ---- keep.c: recording ---- */

/* Level data was asked for: what comes in before the process has a name is kept in memory until hb__data_start. */
void hb__data_early(void);
/* The log of the process has its name now: the file of contents gets the same. Nothing unless level data was asked for, for this
 * rank. */
void hb__data_start(void);
void hb__data_tell_command(void); /* command.c: the arguments of the process, its folder and its program */
/* Its end was told. What comes in until it leaves is kept all the same. */
void hb__data_told(void);
void hb__data_finish(void); /* it leaves */
void hb__data_forked(void);

/* Begins an item of this thread with up to n pieces: of the event that is under way and whose row is the next one of the lane; or of a
 * call that is no event. False: nothing is kept (any more). Up to n calls of the following must come before anything else of this thread,
 * and hb__data_end when they were fewer. */
bool hb__data_event(struct hb__lane *lane, unsigned n);
bool hb__data_call(struct hb__source *source, unsigned n);
void hb__data_piece(uint32_t what, const void *p, size_t bytes); /* p is read plainly: it must be there */
void hb__data_number(uint32_t what, int64_t v);                  /* as sv */
void hb__data_end(void);
/* An item of n digests of 8 bytes each, also where nothing but these is kept: n calls of the second must follow. It is of a call, next, that
 * stands behind the last event that is over; or of `own` where it is of the event that is under way and an item of that stands already. */
bool hb__data_digests(struct hb__source *next, struct hb__source *own, unsigned n);
void hb__data_digest(uint32_t what, uint64_t digest);
/* A piece of contents that have to be put together: room for so many bytes, valid until the next call of any of these functions; NULL:
 * there is none, and the piece is to be given as nothing. Then how many of them there are. */
void *hb__data_room(size_t bytes);
void hb__data_packed(uint32_t what, size_t bytes);

/* Contents that come in a few bytes at a time, often, by calls of this source: they add up to one piece, number 0, as long as nothing
 * else of this thread is kept, and none of its events ends, in between. Returns where they stand: until then they may be changed there.
 * NULL: nothing is kept (any more). */
uint8_t *hb__data_add(struct hb__source *source, const uint8_t *p, size_t bytes);
/* More of this source would be added to what is there. */
bool hb__data_adds(const struct hb__source *source);
void hb__streams_forked(void);
/* A handler of a signal begins or ends in this thread: what comes into it is a stream of its own, for the signal may have come while an item
 * of the thread was written. False: it cannot be kept (given), for the thread is about to get a stream. */
bool hb__data_aside(bool on);
#define HB__ASIDE (UINT64_C(1) << 63) /* its thread, exclusive or */
bool hb__give_aside(bool on);

/* ---- give.c: replay ---- */

struct hb__item {
	uint64_t event;   /* of which it is, or behind which */
	bool of_event;    /* else of a call: */
	const char *name; /* LAYER:NAME, of the recording */
	unsigned pieces;  /* not read yet */
	const uint8_t *at, *end;
	uint64_t behind; /* where the contents before end in the file */
};
struct hb__piece {
	uint32_t what;
	size_t bytes;
	const uint8_t *p; /* valid as long as the process lives */
};

/* Opens the contents of a recorded process; once they are open the same again is nothing. False: there are none, or they cannot be read: *ret_why. */
void hb__data_give(uid_t user); /* the file belongs to this user from now on */
void hb__data_ahead(void);      /* it grows by what will have to do, for it cannot grow further on */
void hb__give_forked(void);     /* of a process that was forked: nothing is given any more */
bool hb__data_open(const char *path, const char **ret_why);
/* The item of event number `event` of this thread; items of events before it are passed over. NULL: it has none. Of this and the next two:
 * it is there until the next call of this thread, and hb__item_piece of it saves that call from reading it again. */
struct hb__item *hb__data_of_event(uint64_t event);
/* The same as hb__data_next and hb__data_peek. */
struct hb__item *hb__data_take(const char *layer);
struct hb__item *hb__data_look(const char *layer);
/* The next item of calls of this thread: of one function ("inputs:getrandom"), or of all whose names begin so ("mpi:"). The text must
 * stay. False: there is none any more. The caller compares the
 * name. */
bool hb__data_next(const char *layer, struct hb__item *ret);
/* Looks at it without taking it. */
bool hb__data_peek(const char *layer, struct hb__item *ret);
/* This thread has come to the end of what was kept, and keeping had stopped before the process ended: *ret_why is the errno. */
bool hb__data_ended(int *ret_why);
/* The next piece of an item; false: it has no more, or what it has is damaged. */
bool hb__item_piece(struct hb__item *item, struct hb__piece *ret);
int64_t hb__piece_number(const struct hb__piece *piece); /* of one sv */

/* ---- store.c: the file ---- */
struct hb_data_extent;
/* Around the writing of an item: while the contents are kept in memory only, none may be under way when the file begins. */
void hb__data_hold(void);
void hb__data_release(void);
bool hb__data_holds(void); /* this thread does */
/* A new extent whose payload holds at least so many bytes, zeroed as far as it was never used; *ret_at: its place in the file. NULL: the
 * file takes nothing more. */
struct hb_data_extent *hb__data_extent(uint32_t kind, size_t bytes, uint32_t blocks, uint64_t *ret_at);
/* Large contents are written by a call: that costs an eighth of the faults for pages of a mapped file, which the kernel would fill with zeros
 * first (58 and 7.5 us for 64 KiB on ext4). A thread has extents for them, of which only the head is mapped. *ret_at: where they are now, or
 * were before. False: they are not kept that way. */
#define HB__DATA_LARGE 16384u
struct hb__large {
	struct hb_data_extent *head;
	uint64_t at, end; /* places in the file */
	uint32_t blocks;
};
bool hb__data_large(struct hb__large *large, const void *p, size_t bytes, uint64_t *ret_at);
void hb__data_extent_done(struct hb_data_extent *extent); /* nothing more is written to it */
/* Where contents are that have this digest, if they were stored before; else they are noted to be at `at`. */
uint64_t hb__data_known(const void *p, size_t bytes, uint64_t at);
void hb__data_came(size_t bytes);

/* ---- absent.c: threads that a library makes in a process that is replayed alone ---- */
extern bool hb__library_threads;                                  /* they run: the library cannot begin without them */
void *hb__library_thread(void *(*start)(void *), void *argument); /* in such a thread: what it is for, or nothing */
/* The process is to have no thread but this one from now on: each is taken away when it waits for descriptors. One that does not within seconds stays. */
void hb__library_threads_rest(void);
void hb__library_threads_again(
	void); /* those that were taken away run again, from the beginning of their first function */
void hb__library_thread_joined(pthread_t thread); /* waits for who runs in the place of that thread */

#pragma GCC visibility pop

#endif
