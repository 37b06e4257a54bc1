/* A connection of docs/system/agent.md: asks, answers and news as JSON, and channels of bytes, over one pair of descriptors.
 *
 * A wire belongs to one thread at a time. It never blocks: hb_wire_fd is readable when there is something to do (it may stand in another
 * epoll), and hb_wire_turn then does it. What is asked, answered and told is queued by the calls and written by the turns. Who has wires ignores SIGPIPE. */
#ifndef HBDB_SYSTEM_WIRE_H
#define HBDB_SYSTEM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>
#include <hbdb/format.h>

#define HB_WIRE_MAGIC "HBDBWIRE"
#define HB_WIRE_PROTOCOL 1
#define HB_WIRE_PAYLOAD (1u << 20) /* bytes of a frame, at most */
#define HB_WIRE_ROOM (1u << 18)    /* bytes that may be under way on a channel in one direction */

typedef struct hb_wire hb_wire;

/* What is done with what comes. Objects belong to the wire and hold until the call returns. Any may be NULL but `asked`. */
typedef struct hb_wire_calls {
	/* To be answered once, by hb_wire_answer or hb_wire_refuse, now or later. */
	void (*asked)(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *ask);
	void (*news)(void *user, hb_wire *wire, const char *name, const cJSON *news);
} hb_wire_calls;

/* in, out: may be the same. They are the wire's from here on, also on errors, and become nonblocking. made: this side made the connection (its channels are odd).
 * part: agent, manager, console. HB_E_SYSTEM: no memory, or descriptors that cannot be waited for. */
hb_status hb_wire_open(int in, int out, bool made, const char *part, const hb_wire_calls *calls, void *user,
	hb_wire **ret_wire, hb_error *err);
/* Ends it: descriptors of channels are closed, asks that are not answered are answered with an error. Not from within a call of the wire's. */
void hb_wire_close(hb_wire *wire);

int hb_wire_fd(const hb_wire *wire);
/* Does what there is to do. False: the connection has ended, and hb_wire_why tells why; asks that were not answered have been answered with that, and channels are gone. */
bool hb_wire_turn(hb_wire *wire);
/* Of a connection that has ended: a sentence. Owned by the wire. */
const char *hb_wire_why(const hb_wire *wire);
/* What the other side said of itself; NULL: nothing yet. Owned by the wire. */
const cJSON *hb_wire_peer(const hb_wire *wire);
/* Bytes that wait to be written: whoever makes much news looks here. */
size_t hb_wire_waiting(const hb_wire *wire);

/* answer: owned by the wire. error: NULL when it was not refused; status: hbdb's exit status then. */
typedef void hb_wire_answered(void *user, const cJSON *answer, const char *error, int status);
/* ask: taken over; NULL: no fields. answered is called once in any case, perhaps from within hb_wire_close. */
void hb_wire_ask(hb_wire *wire, const char *name, cJSON *ask, hb_wire_answered *answered, void *user);
/* answer: taken over; NULL: no fields. */
void hb_wire_answer(hb_wire *wire, uint64_t id, cJSON *answer);
__attribute__((format(printf, 4, 5))) void hb_wire_refuse(
	hb_wire *wire, uint64_t id, int status, const char *format, ...);
/* news: taken over; NULL: no fields. */
void hb_wire_news(hb_wire *wire, const char *name, cJSON *news);

/* ---- channels ---- */

/* The number of a new one of this side's. */
uint32_t hb_wire_channel(hb_wire *wire);
/* how: what the other side said at its end; its error where the connection ended. Called once; the channel is gone then. */
typedef void hb_wire_closed(void *user, uint32_t channel, const cJSON *how);
/* Joins a channel with descriptors: what comes is written to `out`, what can be read from `in` is sent. They may be the same, -1: nothing in
 * that direction; they are the wire's from here on, also on errors. own_end: this side's end is told by hb_wire_end, after all that could be read then; else when `in` ends.
 * The other side's end closes `out` (a socket: for writing). closed may be NULL. False: the channel is in use, or no memory. */
bool hb_wire_join(hb_wire *wire, uint32_t channel, int in, int out, bool own_end, hb_wire_closed *closed, void *user);
/* how: taken over; NULL: no fields. */
void hb_wire_end(hb_wire *wire, uint32_t channel, cJSON *how);
/* Nothing more is sent or taken; the other side is told so. `closed` is not called. */
void hb_wire_cut(hb_wire *wire, uint32_t channel);

/* ---- fields of an object ---- */

const char *hb_wire_text(const cJSON *object, const char *name);                 /* NULL: not there, or none */
bool hb_wire_number(const cJSON *object, const char *name, int64_t *ret_number); /* a whole number */
/* An array of texts as an argv: one block, free it. NULL: not there, empty, or none. */
char **hb_wire_words(const cJSON *object, const char *name);

/* An object as a line, without its end, for others than hbdb: valid UTF-8, whole numbers in all their digits. Free it with cJSON_free; NULL: no memory. */
char *hb_wire_line(const cJSON *object);

/* ---- lists ---- */

/* As many objects as fit into an answer: the asker is told where the rest begins, and asks again. Begins as zeroes. */
typedef struct hb_wire_list {
	cJSON *rows; /* an array; NULL: nothing was added */
	size_t bytes;
	bool full; /* something did not fit */
} hb_wire_list;
/* object: taken over. One that is longer than a part by itself is shortened. False: it does not fit, and nothing that comes later does. */
bool hb_wire_list_add(hb_wire_list *list, cJSON *object);
/* Cuts long texts of an object that would not fit into a frame, and drops long fields that are no texts. */
void hb_wire_shorten(cJSON *object);

#endif
