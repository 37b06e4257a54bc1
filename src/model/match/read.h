/* What read.c, collect.c and threads.c share while one process is read. */
#ifndef HBDB_MODEL_READ_H
#define HBDB_MODEL_READ_H

#include "model/internal.h"

enum {
	HB__R_OTHER,
	HB__R_SEND,  /* id: send */
	HB__R_RECV,  /* id: receive */
	HB__R_COLL,  /* id: collective */
	HB__R_PSEND, /* persistent; id: channel */
	HB__R_PRECV, /* id: spec */
	HB__R_PCOLL, /* id: collective of the call that made it */
};
struct hb__followed_request {
	uint8_t type;
	bool flag; /* synchronous */
	bool buffered;
	bool shifts; /* a receive that was overtaken before a ring gave up its posting: what it gets is known, which message not */
	uint32_t id;    /* free: the next free one */
	uint32_t comm;  /* number of the communicator in the process */
	uint32_t count; /* persistent: starts so far */
	int64_t bytes;
};

struct hb__when {
	uint64_t enter, exit; /* ticks of the call that posted it */
};

struct hb__own_window {
	int64_t number; /* in the log; -1: one of a recording that does not say it, not used yet */
	uint32_t comm;
	uint32_t made;            /* the collective that made it; HB_NO: which one is not known */
	uint32_t fences;          /* so far */
	bool open;                /* the last one began an epoch */
	bool locked;              /* by this process */
	uint32_t started, posted; /* 1 + number of the epoch that is open */
	bool lost[2];             /* an exposure, an access epoch, whose partners are not known */
};

#define HB__RECENT_BITS 11
#define HB__NEAR_BITS 8
#define HB__CALLS_MOST 65536

/* A request among those under way, at the place of its posting's last bits. */
struct hb__near {
	int64_t posting;
	uint32_t lane;
	uint32_t request; /* HB_NO: free */
};

/* When calls of a line began, of those that are inside of no other one so far; first: the first event that is inside of it, or itself. */
struct hb__begun {
	uint64_t enter;
	uint32_t first;
};
struct hb__begun_calls {
	VEC(struct hb__begun) all;
};

/* The spec of a call of a slot, while its era lasts. */
struct hb__spec_of_call {
	uint32_t era, spec;
};

struct hb__reading {
	hb_model *m;
	uint32_t process;
	bool threads, cancels, follows; /* follows: ordinary sends have a request, too */
	uint32_t nfunctions;
	struct hb__function *functions; /* by number in the log */
	/* the call at hand */
	const hb_event *event;
	uint32_t line;
	bool inside;
	uint32_t requests_comm; /* number of the communicator of the receive at hand */
	uint32_t init;          /* number of the call of MPI_Init */
	uint64_t *over;         /* by line of the process: when the last event so far returns */
	struct hb__near near[1 << HB__NEAR_BITS];
	struct hb__table request_of; /* those whose place was taken */
	struct hb__table spec_of;
	VEC(struct hb__spec_of_call) calls;           /* by slot; one lane only */
	struct hb__cell recent[1 << HB__RECENT_BITS]; /* channels */
	VEC(struct hb__followed_request) requests;
	uint32_t free_request;
	struct hb__followed_request nowhere;
	VEC(struct hb__when) sent_when, posted_when; /* with threads: of the process's sends and receives */
	VEC(struct hb__own_window) windows;
	struct hb__begun_calls *begun; /* by line of the process; NULL: nothing is recorded inside of calls */
	VEC(uint32_t) keyed_groups;    /* by number of the text that names the channel; HB_NO: not seen yet */
};

/* ---- pending.c: requests under way ---- */
struct hb__followed_request *hb__request_new(
	struct hb__reading *r, int64_t posting); /* of the lane of the event at hand */
struct hb__followed_request *hb__request_at(struct hb__reading *r, hb_reference ref);
struct hb__followed_request *hb__request_find(struct hb__reading *r, hb_reference ref); /* NULL: none */
void hb__request_over(struct hb__reading *r, hb_reference ref, struct hb__followed_request *q);

/* ---- channels/before.c: requests that were under way where a ring begins ---- */
/* A receive that shifts is done; of its channel one more message was received than is told. */
void hb__before_shift(struct hb__reading *r, uint32_t receive);
/* A completion of one that shifts, or of one that is not known (NULL). */
void hb__before_completed(struct hb__reading *r, const struct hb__followed_request *q, const hb_answer *a);

/* ---- read.c ---- */
/* What a receive of the event at hand asks for, and one that is posted. source: a process. */
uint32_t hb__spec_of(struct hb__reading *r, uint32_t group, uint32_t source, int64_t tag, bool any_source);
uint32_t hb__receive_of(struct hb__reading *r, uint32_t spec);

/* ---- pending.c ---- */
/* Keeps what is still under way, once all events were read. */
void hb__note_pending(struct hb__reading *r);

/* ---- collect.c ---- */
/* The low byte of what odd collectives are found by; above it stands the collective that it belongs to: of a start its number, of others one more, 0: none. */
enum { HB__ODD_START = 1, HB__ODD_BIRTH, HB__ODD_FENCE, HB__ODD_FREE };
void hb__read_collective(struct hb__reading *r, const struct hb__function *f);
/* The collective of the part with this number, counted from where its group begins; HB_NO: no memory. */
uint32_t hb__collective_numbered(struct hb__reading *r, struct hb__member *part, uint32_t number);
/* A start of a persistent collective; HB_NO: this process has no part in it, or no memory. */
uint32_t hb__collective_started(struct hb__reading *r, const struct hb__followed_request *made);

/* ---- windows.c ---- */
/* The window that the event at hand works on; NULL: not known. */
struct hb__own_window *hb__own_window(struct hb__reading *r, const struct hb__function *f);
void hb__window_made(struct hb__reading *r, uint32_t collective);
/* Of its own collective, HB_NO: none is known. */
void hb__window_freed(struct hb__reading *r, struct hb__own_window *w, uint32_t collective);
/* Post, start, complete, wait; locks. */
void hb__on_window(struct hb__reading *r, const struct hb__function *f);
/* ---- turns.c ---- */
/* Locks and unlocks, atomic operations. */
void hb__on_turn(struct hb__reading *r, const struct hb__function *f);

/* ---- windows.c ---- */
/* Whether a fence waits for the others. */
bool hb__fence_meets(struct hb__reading *r, struct hb__own_window *w);

/* ---- keyed.c ---- */
void hb__on_keyed(struct hb__reading *r, const struct hb__function *f);
/* Of read.c: a message of the event at hand that a buffer lets through, and a receive that is done, of no message yet. source, dest: processes,
 * HB_NO: not known yet, or any. Return their numbers. */
uint32_t hb__add_send(struct hb__reading *r, uint32_t group, uint32_t dest, int32_t tag, int64_t bytes);
uint32_t hb__add_receive(struct hb__reading *r, uint32_t group, uint32_t source, int32_t tag, bool any_source);
/* The event at hand was told that there is a message of this source; which one is for the caller to say, once all are linked. */
uint32_t hb__add_probe(struct hb__reading *r, uint32_t group, uint32_t source);
/* ---- sockets/plan.c ---- */
/* The sends and receives that were found for the event at hand. */
void hb__on_socket(struct hb__reading *r);

/* ---- threads.c ---- */
/* Flags the messages whose order among the threads of the process is not known. */
void hb__mark_overlaps(struct hb__reading *r);
/* Which threads of the process began after MPI_Init. */
void hb__place_threads(struct hb__reading *r);
/* Calls inside of which others were made. The event at hand: which of those before it. */
void hb__note_around(struct hb__reading *r);
/* Once all are read. Frees r->begun. */
void hb__around_read(struct hb__reading *r);

/* ---- world/born.c: a call made a world ---- */
void hb__on_bridge(struct hb__reading *r);

/* The event that is read, of a process with several threads (threads.c). */
void hb__note_threads(struct hb__reading *r);
/* An operation of a thread that came after one of another (threads.c). */
void hb__on_order(struct hb__reading *r);

#endif
