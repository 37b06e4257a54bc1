/* What the files of wire/ share. */
#ifndef HBDB_SYSTEM_WIRE_INSIDE_H
#define HBDB_SYSTEM_WIRE_INSIDE_H

#include "system/wire/wire.h"

enum { HB__ASK = 1, HB__ANSWER, HB__NEWS, HB__BYTES, HB__END, HB__ROOM };
#define HB__HEAD 9         /* length, kind, channel */
#define HB__GREETING 65536 /* bytes of a login that may stand before the magic */

/* Bytes that were taken in, or wait to be written. */
struct hb__queue {
	uint8_t *p;
	size_t at, n, room; /* p[at .. at + n) is in it */
};
bool hb__queue_room(struct hb__queue *q, size_t more); /* behind what is in it; false: no memory */
void hb__queue_take(struct hb__queue *q, size_t n);

struct hb__channel {
	uint32_t number;
	bool used;
	int in, out;               /* -1: closed */
	bool own_end, ended, told; /* ended: `in` is; told: the other side knows that */
	bool over, announced;      /* the other side's end has come; `closed` knows it */
	uint32_t room;             /* that may be sent */
	uint32_t owed;             /* that were written to `out`, and the other side does not know */
	struct hb__queue come;     /* for `out` */
	cJSON *how, *said;         /* with which this side ends; which the other one said */
	hb_wire_closed *closed;
	void *user;
};

struct hb__question {
	uint64_t id;
	hb_wire_answered *answered;
	void *user;
};

struct hb_wire {
	int in, out, inner;
	bool made, open, greeted; /* greeted: the other side's magic has come */
	size_t skipped;
	struct hb__queue read, write;
	hb_wire_calls calls;
	void *user;
	cJSON *peer;
	struct hb__question *question;
	size_t nquestions, question_room;
	uint64_t next_id;
	struct hb__channel **channel; /* they stay where they are */
	size_t nchannels, channel_room;
	uint32_t next_channel;
	char why[256];
};

__attribute__((format(printf, 2, 3))) void hb__wire_fail(hb_wire *wire, const char *format, ...);
/* Queues a frame. */
void hb__wire_put(hb_wire *wire, unsigned kind, uint32_t channel, const void *p, size_t n);
void hb__wire_put_json(hb_wire *wire, unsigned kind, uint32_t channel, const cJSON *object);
/* There is something to do at the next turn. */
void hb__wire_rouse(hb_wire *wire);
/* Has `inner` wait for a descriptor, or not any more. */
bool hb__wire_watch(hb_wire *wire, int fd, uint32_t events);

/* ---- channel.c ---- */
struct hb__channel *hb__wire_channel(hb_wire *wire, uint32_t number); /* NULL: none */
/* Frames of channels. False: the other side broke the rules. */
bool hb__channel_bytes(hb_wire *wire, uint32_t number, const uint8_t *p, size_t n);
void hb__channel_end(hb_wire *wire, uint32_t number, const cJSON *how);
void hb__channel_room(hb_wire *wire, uint32_t number, uint32_t more);
/* Moves what can be moved. */
void hb__channels_turn(hb_wire *wire);
void hb__channels_lose(hb_wire *wire); /* the connection has ended: so do they */
void hb__channels_close(hb_wire *wire);

#endif
