/* A cheap MPI: processes that are played in turn, messages delivered at once, eager sends.
 *
 * Delivery follows the rules of MPI: a message goes to the first posted receive that matches it, else to the end
 * of the queue of its destination, which a receive searches from the front. So what is written is a possible run.
 * A call that cannot end blocks its process; the call of another process that ends it writes its row. */
#ifndef HBDB_GENERATE_SIM_H
#define HBDB_GENERATE_SIM_H

#include "calls/neutral.h"
#include "log.h"

#define REQUESTS 48          /* of a process at a time */
#define BLOCKING REQUESTS    /* the place of a blocking call's own */
#define NOWHERE UINT8_MAX    /* end of a list of requests */
#define NO_MESSAGE INT32_MAX /* end of a list of messages */

enum blocked { RUNNING, IN_RECV, IN_PROBE, IN_SSEND, IN_WAITALL, IN_WAITANY, IN_COLLECTIVE };

/* Communicators are those of the process's own numbering, ranks those of WORLD. */
struct envelope {
	int32_t peer, tag, comm, count, type;
};

struct request {
	enum { NULL_REQUEST, SENDING, RECEIVING } kind;
	enum { PENDING, DONE, CANCELLED } state;
	uint8_t next;   /* in the list of posted receives */
	bool told;      /* a wildcard, or not the size asked for: the answer stands in the row */
	uint32_t event; /* that posted it */
	int64_t posting;
	struct envelope asked;
	int32_t source, tag, bytes; /* of the message received */
	uint64_t posted, when;      /* ticks: of its posting, of its completion */
};

struct message {
	int32_t next, from, tag, comm, bytes;
	uint32_t event;
	int32_t request; /* of a synchronous send at its sender, else -1 */
	uint64_t sent;
};

struct rank {
	struct log log;
	int32_t number;
	enum blocked blocked;
	struct call call; /* it is in */
	uint64_t enter;
	uint8_t posted_first, posted_last;
	int32_t queue_first, queue_last;
	uint32_t queued, queued_sync;
	uint32_t requests, missing; /* in the array of requests; those that Waitall waits for */
	int64_t postings, referred;
	int32_t source, tag;        /* what the last blocking receive or probe got */
	uint32_t phase, step, memo; /* of the pattern */
	int64_t left;
	struct request request[REQUESTS + 1];
};

struct meeting { /* of a collective */
	uint32_t arrived;
	uint64_t latest;
};

/* What a right analysis finds. */
struct tally {
	uint64_t events, sends, receives, probes, collectives;
	uint64_t matched, wildcards, cancelled;
	uint64_t digest; /* over all matches: see pair_digest */
};

enum step { GOES_ON, BLOCKS, IS_OVER };

struct sim {
	struct logs logs;
	const struct pattern *pattern;
	uint32_t size;
	int64_t events; /* wanted */
	uint64_t random;
	struct rank *rank;
	uint32_t *ready, nready, over;
	struct message *pool;
	int32_t pool_size, pool_free;
	struct meeting *meeting;        /* 0: WORLD; 1 and more: the parts of the communicator made */
	bool reversed;                  /* the communicator made has the ranks in reverse order */
	uint32_t part;                  /* ranks in each part of it, 0: none was made */
	uint64_t rows;                  /* written so far */
	uint32_t barrier, last_barrier; /* wanted so far; the last, 0: not yet (random) */
	struct tally tally;
};

struct pattern {
	const char *name;
	void (*begin)(struct sim *s);
	enum step (*step)(struct sim *s, struct rank *r);
	bool revokes; /* calls that block may be taken back when nothing else can move */
};

static inline uint64_t rnd(struct sim *s)
{
	/* xorshift64*, Vigna 2014 */
	uint64_t x = s->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	s->random = x;
	return x * 0x2545f4914f6cdd1du >> 16;
}

static inline uint32_t below(struct sim *s, uint32_t n) { return (uint32_t)((rnd(s) & UINT32_MAX) * n >> 32); }

/* The sum of this over all matches is the digest: measure.c makes it of what the model found. */
static inline uint64_t pair_digest(uint32_t from, uint32_t send, uint32_t to, uint32_t post)
{
	uint64_t x = ((uint64_t)from << 32 | send) * 0x9e3779b97f4a7c15u ^ ((uint64_t)to << 32 | post);
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

bool sim_open(struct sim *s);
/* Plays until every process is over. False: no memory, a write failed, or nothing moves. */
bool sim_play(struct sim *s);
void sim_close(struct sim *s);

/* Calls. Those that may block return whether they ended. */
void call_simple(struct sim *s, struct rank *r, enum function f);
void call_send(struct sim *s, struct rank *r, const struct envelope *e);
bool call_ssend(struct sim *s, struct rank *r, const struct envelope *e);
void call_isend(struct sim *s, struct rank *r, const struct envelope *e, bool synchronous);
bool call_recv(struct sim *s, struct rank *r, const struct envelope *e);
void call_irecv(struct sim *s, struct rank *r, const struct envelope *e);
bool call_waitall(struct sim *s, struct rank *r);
bool call_waitany(struct sim *s, struct rank *r);
/* The message is there already: the first of the queue that matches. */
void call_probe(struct sim *s, struct rank *r, const struct envelope *e);
void call_cancel(struct sim *s, struct rank *r, uint32_t request);
/* call says which; comm is COMM_WORLD or COMM_MADE. result: nresults numbers, the same for all. */
bool call_collective(struct sim *s, struct rank *r, const struct call *call, int32_t comm);

/* Takes back a call that blocks and that left nothing behind. */
bool sim_revoke(struct sim *s, struct rank *r);

extern const struct pattern farm_pattern, halo_pattern, alltoall_pattern, random_pattern;

#endif
