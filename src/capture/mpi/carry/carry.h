/* A prefix in front of every point-to-point message: who sent it, and at level
 * racing what its sender knew. The program never sees it.
 *
 * A message goes as one datatype: the bytes of the prefix at its own address, then the
 * program's count and type at the program's address. The prefix stands first, so a
 * message shorter than its receive still lands right. Sizes in statuses are put right
 * before anybody reads them.
 *
 * Nothing is carried at levels order and events, unless HBDB_CARRY asks for it, and in replay. */
#ifndef HBDB_CAPTURE_CARRY_CARRY_H
#define HBDB_CAPTURE_CARRY_CARRY_H

#include "capture/mpi/library.h"
#include "capture/mpi/track/track.h"

#pragma GCC visibility push(hidden)

extern bool hb__carrying;       /* the one question of a handler when nothing is carried */
extern size_t hb__prefix_bytes; /* the same in every process of the world */

#define HB__PREFIX_MAGIC 0x70426248u
struct hb__prefix {
	uint32_t magic; /* anything else: the prefix did not arrive */
	int32_t rank;   /* in MPI_COMM_WORLD */
	uint32_t lane;
	uint32_t sent;    /* of the messages that its process sent, from 1 */
	uint64_t event;   /* of the lane: the call that sent it */
	uint64_t bytes;   /* of the message, where the library does not tell; else 0 */
	uint32_t epoch;   /* level racing: the last collective of all processes that the sender knew to be over */
	uint32_t known[]; /* level racing: of each process, the last message whose begin the sender knew */
};

/* What a receive asked for, and when it was posted. Source and tag are neutral. */
struct hb__asked {
	int comm;
	int32_t source, tag;
	bool wild;
	uint64_t place; /* among the receives of the process, from 1 */
};

/* One message on its way out or in. */
struct hb__carry {
	struct hb__carry *before, *after; /* pending wildcard receives, oldest first; `after` also chains unused ones */
	struct hb__prefix *prefix;
	MPI_Datatype type;    /* type_null: the prefix alone is sent */
	void *buf;            /* receive: where the program wants the contents, ... */
	int64_t room;         /* ... if they come behind the prefix; -1: they come to their place */
	const void *kept_buf; /* a type that waits for the next receive of so many bytes to this place */
	int64_t kept_bytes;
	MPI_Datatype kept;
	MPI_Request orphan;      /* a send that the program freed while it was under way */
	struct hb__stage *stage; /* NULL: the library works on the program's memory */
	int peer;                /* world rank that it goes to */
	struct hb__asked asked;
	bool pending, shared; /* shared: what came lies where what went out lay */
	bool rival;           /* a receive posted later has got a message that this one could have got ... */
	bool rivals;          /* ... from several senders, or from an unknown one */
	int32_t rival_rank;
	uint32_t rival_lane;
};

/* A call that sends, receives or both, while it is in the library. */
struct hb__carried {
	struct hb__carry own[2], *out, *in; /* NULL: there is no such message, or it has no prefix */
	uintptr_t saved[16];                /* the arguments as the program gave them */
	uint8_t *mark;
};

/* ---- prefix.c ---- */
void hb__carry_begin_process(void);
/* Changes the arguments so that the prefix goes along. probe: of the message that Mrecv takes, or NULL. */
void hb__carry_begin(struct hb__call *c, const struct hb__request *probe, struct hb__carried *k);
/* Puts the arguments back. */
void hb__carry_invoked(struct hb__call *c, struct hb__carried *k);
/* The end of a blocking call; posting: as in the note of a serial. */
void hb__carry_end(
	struct hb__call *c, struct hb__carried *k, const struct hb__request *probe, MPI_Status *st, int code);
/* The call made request r (NULL: it failed). */
void hb__carry_posted(struct hb__call *c, struct hb__carried *k, struct hb__request *r, int code);

/* ---- stage.c: where a datatype with the prefix in it does not work, message and prefix lie in memory of ours ---- */
void hb__stage_begin_process(void);
/* Copies what is sent; false without memory. The message is then hb__stage_bytes of MPI_BYTE at m->prefix. */
bool hb__stage(struct hb__carry *m, const void *buf, int64_t count, MPI_Datatype type, int64_t bytes, bool sends);
void hb__stage_deliver(struct hb__carry *m); /* what came, to the program */
void hb__stage_end(struct hb__carry *m);

/* ---- pending.c: requests with a prefix ---- */
#define HB__BEHIND 512 /* contents up to this size can lie behind their prefix */
/* A receive: preferably the one that has the type for this place and size. NULL: memory is gone. */
struct hb__carry *hb__carry_new(bool receive, const void *buf, int64_t bytes);
void hb__carry_end_process(void);
void hb__carry_give_back(struct hb__carry *m, bool receive);
void hb__carry_start(struct hb__call *c, struct hb__request *r); /* before the library starts it */
void hb__carry_started(struct hb__request *r);
/* Active request r is over: puts st right, tells who sent it. Nothing of it is kept when the request is gone with it. */
void hb__carry_completed(struct hb__call *c, struct hb__request *r, MPI_Status *st, int error);
void hb__carry_freed(struct hb__call *c, struct hb__request *r);
/* Takes a send that is under way over from the program, which frees it; false: it is freed as usual. */
bool hb__carry_adopt(struct hb__request *r, MPI_Request *req);
/* A status that was only asked for. */
void hb__carry_look(const struct hb__request *r, MPI_Status *st, int error);
void hb__carry_probed(struct hb__call *c, MPI_Status *st);
/* A matched message: what Mrecv has to know. */
void hb__carry_matched(struct hb__call *c, struct hb__request *r);

/* ---- prefix.c, between these files ---- */
void hb__prefix_fill(struct hb__call *c, struct hb__prefix *p, int peer);
/* What arrived with a receive that is over: note, knowledge, races. */
void hb__carry_received(struct hb__call *c, struct hb__carry *in, const char *kind, const struct hb__request *posting,
	MPI_Status *st, int error);
static inline bool hb__prefix_came(const struct hb__carry *in) { return in->prefix->magic == HB__PREFIX_MAGIC; }

/* ---- short.c: blocking messages that are short and come as they came before ---- */
int hb__short_send(struct hb__call *c);
int hb__short_recv(struct hb__call *c, MPI_Status *st);
/* ways.c: any blocking call; st: of what it receives, NULL: it only sends. */
int hb__carry_message(struct hb__call *c, const struct hb__request *probe, MPI_Status *st);

/* ---- buffer.c: MPI_Bsend packs into memory of the program, which has no room for prefixes ---- */
int hb__carry_attach(struct hb__call *c);
int hb__carry_detach(struct hb__call *c);

/* ---- ways.c ---- */
void hb__carry_register(void); /* for all calls from here on */

/* ---- races.c: level racing ---- */
void hb__race_begin_process(void);
uint64_t hb__race_place(void); /* for a receive that is posted now */
void hb__race_pending(struct hb__carry *in);
void hb__race_over(struct hb__carry *in); /* it is not pending any more */
/* The receive `in` got a message from source with tag (neutral). */
void hb__race_received(struct hb__call *c, struct hb__carry *in, int32_t source, int32_t tag);
/* What the receive gets, nobody will know. */
void hb__race_unknown(struct hb__call *c, struct hb__carry *in);
/* A wildcard receive without a prefix to tell what it got. */
void hb__race_untold(struct hb__call *c);
uint32_t hb__race_send(int peer); /* the number of a message that is sent now */
void hb__race_finish(struct hb__call *c);
/* A collective begins: its number when it keeps every process until all have begun it, else 0; and it is over. */
uint32_t hb__race_enter(const struct hb__call *c);
void hb__race_left(struct hb__lane *lane, uint32_t number, int code);

#pragma GCC visibility pop

#endif
