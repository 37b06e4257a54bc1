/* Small random programs, a machine that runs them by MPI's rules of matching, and
 * what follows from a run by the rules alone: the reference for src/model and src/rules.
 *
 * A program is straight-line code for a few processes. The machine keeps, for each
 * process, the messages that arrived and were not received in the order of
 * arrival and the receives that wait in the order of posting. A message becomes visible
 * to its destination at any moment after it was sent, but in order within (communicator,
 * source, destination). Sends are eager; a synchronous one ends when it was matched. */
#ifndef TESTS_ORDER_ORACLE_H
#define TESTS_ORDER_ORACLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_PROCS 5
#define MAX_THREADS 10
#define MAX_CALLS 32 /* of a thread */
#define MAX_ITEMS 64 /* messages, receives, requests; collectives: half */
#define NONE 0xff

enum { ANY = -1, PROC_NULL = -2, ROOT = -3, PROBED = -5 }; /* PROBED: the source that the last probe told */
enum { COMM_WORLD, COMM_SECOND, COMM_INTER, COMMS };

#define KINDS(X)                        \
	X(INIT, "Init")                 \
	X(FINALIZE, "Finalize")         \
	X(DUP_SELF, "Comm_dup")         \
	X(DUP, "Comm_dup")              \
	X(SPLIT, "Comm_split")          \
	X(INTER, "Intercomm_create")    \
	X(SEND, "Send")                 \
	X(SSEND, "Ssend")               \
	X(ISEND, "Isend")               \
	X(ISSEND, "Issend")             \
	X(SEND_INIT, "Send_init")       \
	X(SSEND_INIT, "Ssend_init")     \
	X(RECV, "Recv")                 \
	X(IRECV, "Irecv")               \
	X(RECV_INIT, "Recv_init")       \
	X(SENDRECV, "Sendrecv")         \
	X(MRECV, "Mrecv")               \
	X(IMRECV, "Imrecv")             \
	X(PROBE, "Probe")               \
	X(IPROBE, "Iprobe")             \
	X(MPROBE, "Mprobe")             \
	X(START, "Start")               \
	X(CANCEL, "Cancel")             \
	X(WAIT, "Wait")                 \
	X(WAITALL, "Waitall")           \
	X(WAITANY, "Waitany")           \
	X(WAITSOME, "Waitsome")         \
	X(TEST, "Test")                 \
	X(REQUEST_FREE, "Request_free") \
	X(BARRIER, "Barrier")           \
	X(BCAST, "Bcast")               \
	X(REDUCE, "Reduce")             \
	X(ALLREDUCE, "Allreduce")       \
	X(SCAN, "Scan")                 \
	X(EXSCAN, "Exscan")             \
	X(IBARRIER, "Ibarrier")         \
	X(IBCAST, "Ibcast")

enum kind {
#define X(kind, name) K_##kind,
	KINDS(X)
#undef X
		K_COUNT
};

/* Iprobe and Test stand for a loop that ends with the answer yes. */
struct call {
	uint8_t kind, comm;
	int8_t peer, tag;    /* destination, source or root, as a rank of the communicator */
	int8_t source, rtag; /* Sendrecv: its receive */
	int8_t var;          /* the variable that holds its request; -1 none */
	uint8_t nvars;       /* completions: so many variables from var on; */
	uint8_t send, recv;  /* numbers of the message and the receive (or probe) that begin here */
	uint8_t request;     /* of the request that becomes active (or is made) here */
	uint8_t init;        /* START, REQUEST_FREE: the request made by the init */
	uint8_t refers[4];   /* completions: requests in these variables here */
	uint8_t probe;       /* MRECV, IMRECV: the receive that its Mprobe is */
	uint8_t coll;        /* number of the collective */
	uint8_t posting;     /* how many postings this lane made before */
};

struct message {
	uint8_t thread, call, comm, source, dest; /* processes */
	int8_t tag, rank;                         /* rank of the sender for the receiver */
	bool sync;
	int8_t count;
	uint64_t channel; /* messages that cannot overtake each other */
	uint64_t tagged;  /* of these, those of one tag */
};

struct receive {
	uint8_t thread, call, proc, comm;
	int8_t source; /* process or ANY */
	int8_t tag;
	bool probe;      /* leaves the message where it is */
	bool matched;    /* an Mprobe */
	uint8_t follows; /* the probe whose source it asks for; NONE: none */
};

enum request_kind { REQUEST_NULL, REQUEST_SEND, REQUEST_RECV, REQUEST_COLL, REQUEST_INACTIVE };

struct request {
	uint8_t thread, call, kind, item;
	uint8_t lane, posting;
};

enum coll_order { COLL_ALL, COLL_OUT, COLL_IN, COLL_SCAN, COLL_EXSCAN };
enum { RECEIVED_COUNT = 3 }; /* elements that every receive has room for */

struct collective {
	uint8_t kind, order, comm, number, root; /* root: a process */
	uint8_t n, member[MAX_PROCS];            /* processes in the order of ranks, */
	uint8_t side
		[MAX_PROCS]; /* of an intercommunicator; both are ordered by it (a constructor), or each by the other */
	bool both_sides;
	uint8_t thread[MAX_PROCS], call[MAX_PROCS]; /* and where they enter; thread NONE: never */
};

struct thread {
	uint8_t proc, lane, n;
	struct call call[MAX_CALLS];
};

struct program {
	uint64_t seed;
	int procs, lanes, threads;
	struct thread thread[MAX_THREADS];
	/* communicators: members in the order of ranks, as each process sees them */
	uint8_t size[COMMS][MAX_PROCS], remote_size[COMMS][MAX_PROCS];
	uint8_t member[COMMS][MAX_PROCS][MAX_PROCS], remote[COMMS][MAX_PROCS][MAX_PROCS];
	int number[COMMS][MAX_PROCS]; /* as recorded; -1: not a member */
	int color[MAX_PROCS];
	int key[MAX_PROCS];
	bool dup_self[MAX_PROCS];
	uint8_t prologue[MAX_PROCS]; /* calls of lane 0 before other lanes begin */
	int messages, receives, requests, colls;
	struct message message[MAX_ITEMS];
	struct receive receive[MAX_ITEMS];
	struct request request[MAX_ITEMS];
	struct collective coll[MAX_ITEMS / 2];
};

/* What generate() should make. */
struct wish {
	int procs, lanes; /* 0: any; lanes 1 or 2 */
	int calls;        /* at most so many per thread, beside start and end */
	bool own_comms;   /* each lane on a communicator of its own */
	bool probed; /* receives from whom a probe told, as most programs do it: a given source that follows from a choice */
	bool window; /* several receives posted at once, and Waitany until all are complete */
	bool simple; /* nothing that leaves a request without an end */
};

const char *kind_name(int kind);
bool coll_orders(const struct collective *q, int from, int to); /* the enter of one member the exit of another */
bool generate(struct program *p, uint64_t seed, const struct wish *wish); /* false: it got too large */
bool prepare(struct program *p); /* numbers the items, once the calls stand; false: too many */
void print_program(FILE *to, const struct program *p);
int rank_in(const struct program *p, int comm, int of, int proc); /* of proc as `of` names it as a peer */

static inline uint64_t roll(uint64_t *state)
{
	uint64_t x = *state;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1du;
}
static inline int below(uint64_t *state, int n) { return (int)((roll(state) >> 20) % (uint64_t)n); }
static inline bool chance(uint64_t *state, int percent) { return below(state, 100) < percent; }

/* ---- the machine ---- */

enum phase { BEFORE, ENTERED, INSIDE }; /* ENTERED: what the call does has not happened yet */

/* What is asked of a run: the messages by receive, and by call the places that a Waitany answers with (0: free); other
 * ones until receive `until` got its message (NONE: always the same). */
enum { MUST_FREE = 0xfe, MUST_CANCEL = 0xfd };
struct must {
	uint8_t until;
	uint8_t got[2][MAX_ITEMS], picked[2][MAX_THREADS][MAX_CALLS]; /* 0 until then, 1 after it */
};

struct state {
	uint8_t pc[MAX_THREADS], phase[MAX_THREADS];
	uint64_t transit, unexpected;        /* messages */
	uint64_t posted, matched, cancelled; /* receives */
	uint64_t consumed;                   /* requests that were completed */
	uint8_t queue[MAX_ITEMS], nqueue;    /* unexpected messages in the order of arrival */
	/* from here on history, which decides nothing */
	uint8_t got[MAX_ITEMS]; /* message by receive */
	uint8_t sent_at[MAX_ITEMS], posted_at[MAX_ITEMS], clock;
	bool bad;  /* a match was made that `must` forbids */
	bool weak; /* messages of one sender with different tags may become visible in any order */
	const struct must *must;
};

void state_begin(struct state *s, const struct must *must, bool weak);
bool may_enter(const struct program *p, const struct state *s, int thread);
bool is_poll(int kind);                                                 /* enters only to say yes */
void take_effect(const struct program *p, struct state *s, int thread); /* BEFORE or ENTERED -> INSIDE */
bool may_exit(const struct program *p, const struct state *s, int thread);
/* Leaves the call. chosen: for Waitany and Waitsome the places completed, a bit each. */
void leave(const struct program *p, struct state *s, int thread, unsigned chosen);
/* The places of active requests that are complete; *ret_active: of all that are active. */
unsigned ready(const struct program *p, const struct state *s, const struct call *c, unsigned *ret_active);
bool request_ready(const struct program *p, const struct state *s, int request);
/* Messages that may be delivered next: the first under way of each channel. */
uint64_t heads(const struct program *p, const struct state *s);
void deliver(const struct program *p, struct state *s, int message);
int must_now(const struct state *s); /* 0 or 1, as in struct must */
bool receive_takes(const struct receive *r, const struct message *m);
static inline bool finished(const struct program *p, const struct state *s, int thread)
{
	return s->pc[thread] == p->thread[thread].n;
}

/* ---- one run ---- */

struct place {
	uint8_t thread, call; /* NONE: nowhere */
};

/* In results a reference stands as REFERS + its posting; record() makes it relative. */
#define REFERS (INT64_MAX / 2)

struct happening { /* an event */
	uint64_t enter, exit;
	bool exited;
	uint8_t polls, nresults;
	int64_t result[24];
};

struct run {
	const struct program *p;
	struct state end;
	int entered[MAX_THREADS]; /* calls entered, and recorded; the last may not have exited */
	int exited[MAX_THREADS];
	struct happening event[MAX_THREADS][MAX_CALLS];
	struct place received[MAX_ITEMS], sent[MAX_ITEMS]; /* where receives and synchronous sends were completed */
	struct place left[MAX_ITEMS / 2][MAX_PROCS];       /* collectives, by place of the member */
	uint8_t picked[MAX_THREADS][MAX_CALLS];            /* Waitany, Waitsome: places */
	bool whole;                                        /* every process came to its end */
	bool waits; /* record: what completions wait for is told, as with remarks; of a run that is not broken off only */
};

void run_random(const struct program *p, uint64_t seed, struct run *ret);
void print_run(FILE *to, const struct run *r);
/* Writes FOLDER/rank.N.log of every process. */
void record(const struct run *r, const char *folder);
void record_one(const struct run *r, int proc, const char *folder);

/* ---- all runs ---- */

struct outcomes {
	uint64_t got[MAX_ITEMS];                /* messages that a receive or probe can get */
	uint8_t picked[MAX_THREADS][MAX_CALLS]; /* places that a Waitany can answer with */
	uint64_t states, stuck, ended;
	bool complete; /* false: there were more states than allowed */
};

struct limits {
	uint64_t states;
	const struct must *must; /* or NULL */
	/* By the standard's words alone a message may overtake another one that no receive is for which takes both. No
	 * library lets it. */
	bool weak;
	bool naive; /* without any reduction */
};

void explore(const struct program *p, const struct limits *limits, struct outcomes *ret);
/* ---- happened-before by definition ---- */

#define MAX_POINTS (2 * MAX_THREADS * MAX_CALLS)
#define MAX_EDGES (3 * MAX_POINTS)

enum edge_kind { EDGE_PROGRAM, EDGE_MESSAGE, EDGE_PROBE, EDGE_SYNC, EDGE_COLLECTIVE, EDGE_START };

struct edge {
	int from, to; /* points */
	enum edge_kind kind;
	bool later; /* for Lamport times: one more than the other side, not the same */
};

struct graph {
	const struct run *run;
	int lines, events[MAX_THREADS]; /* entered; the lines are the threads */
	int nedges;
	struct edge edge[MAX_EDGES];
	uint64_t past[MAX_POINTS][MAX_POINTS / 64]; /* by point, itself included */
	uint32_t lamport[MAX_POINTS];
};

static inline int point(int line, int event, bool exit) { return 2 * (line * MAX_CALLS + event - 1) + exit; }
void graph_build(const struct run *run, struct graph *ret);
bool graph_exited(const struct graph *g, int line, int event);
int graph_last(const struct graph *g, int line, int event); /* its exit, or its enter when it has none */
static inline bool graph_before(const struct graph *g, int a, int b) { return g->past[b][a / 64] >> a % 64 & 1; }
uint32_t graph_clock(const struct graph *g, int at, int line);

/* The runs in which this receive is the first that turns out otherwise: until it got its message all others get what
 * they got in the run and every Waitany answers as it did; from then on all that follow are free: receives of the same
 * process that were posted after it, those of others and Waitany's answers that came to their end after its own. */
void explore_first(const struct graph *g, int receive, uint64_t states, bool weak, struct outcomes *ret);

#endif
