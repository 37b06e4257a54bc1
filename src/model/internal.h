/* Inside the model: its state while it is built and after, growing arrays, hash tables. */
#ifndef HBDB_MODEL_INTERNAL_H
#define HBDB_MODEL_INTERNAL_H

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/row.h"
#include "model/model.h"
#include "model/world/world.h"

/* ---- growing arrays: VEC(type) v, with room for `need` elements, with one more at its end; false without memory ---- */

#define VEC(type)               \
	struct {                \
		type *at;       \
		size_t n, room; \
	}
#define VEC_GROW(v, need) HB_GROW((v)->at, (v)->room, (need))
#define VEC_PUSH(v, item) (((v)->n < (v)->room || VEC_GROW((v), (v)->n + 1)) && ((v)->at[(v)->n++] = (item), true))

/* ---- hash tables from a key of 128 bits to a number, open addressing ---- */

struct hb__key {
	uint64_t a, b;
};
struct hb__cell {
	struct hb__key key;
	uint32_t value; /* HB_NO: empty */
};
struct hb__table {
	struct hb__cell *at;
	size_t size, used; /* size: 0 or a power of two */
};
/* Where the key is, or where it would go (value HB_NO); NULL without memory. */
struct hb__cell *hb__place(struct hb__table *table, struct hb__key key);
uint32_t hb__look(const struct hb__table *table, struct hb__key key);
void hb__erase(struct hb__table *table, struct hb__key key);

/* A function of one log (match/kinds.c). */
struct hb__function {
	const hb_meaning *means; /* NULL: not looked up */
	int8_t root, win, dest;  /* places of arguments, -1: none */
};
void hb__know(const hb_function *f, struct hb__function *ret);
/* Whether it has functions of this layer; whether it has functions whose messages are told apart by time. */
bool hb__has_sockets(const hb_log *log);
bool hb__by_time(const hb_log *log);

/* ---- state ---- */

/* A communicator at one of its processes. */
struct hb__member {
	uint32_t group;
	uint8_t side;        /* of an intercommunicator: which group is the own one */
	uint32_t fences;     /* so far */
	uint32_t skip, lane; /* of a ring: so many of its enters are of events that were given up, of this lane */
	bool lost;           /* ... and how many is not known */
	VEC(hb_at) enters;   /* by number of the collective */
};

struct hb__keyed {
	uint32_t group, id; /* of the send or receive */
	int32_t tag;
	double time; /* nanoseconds */
};

/* What rings gave up, of one channel (match/before.c). */
struct hb__channel_before {
	uint64_t sent, received;
	uint32_t send_lane, receive_lane; /* HB_NO: none; HB_LANE_DEFINITIONS: several */
};

struct hb__group_more {
	VEC(uint32_t) collectives; /* by number */
	uint32_t *known_as;        /* by member, then by remote member: number of the communicator there; HB_NO */
	bool mixed;                /* its members are of several worlds, or not all are known */
};

enum { HB__REGULAR, HB__ODD }; /* of a collective: enters are in the parts, or in the table of odd ones */

struct hb__process_more {
	VEC(struct hb__member) parts; /* by communicator number */
	uint32_t first_send, first_receive, first_probe;
	uint32_t first_pending, pending;
	bool broken;   /* of a ring: what it counted does not hold */
	hb_at init;    /* MPI_Init; event 0: none */
	bool followed; /* all its requests, up to their end */
};

/* An operation of a thread, the n-th after the event before, and the one of another line after which it came, as far as that was told:
 * the n-th behind its event. line HB_NO: none. */
struct hb__operation {
	uint32_t event, nth;
	uint32_t line, after, after_nth;
	bool posts; /* it posts a message: what it came after is no event before it */
};

/* A call inside of which the thread made others, the events from `first` to the one before it: it began when the first of them did, or
 * earlier, and ended after the last one. */
struct hb__around {
	uint32_t event, first;
};

struct hb__line {
	VEC(hb_op) ops;
	VEC(struct hb__around) around;        /* by event ... */
	struct hb__around *by_first;          /* ... and by first, the outermost first; NULL: there are none */
	VEC(struct hb__operation) operations; /* of the thread that are events */
	VEC(hb_op) sent; /* completions of sends that are not synchronous, when the process's requests are followed */
	/* Lines after the first of a process: events of the first line before them; those that were over when they began; and
	 * the first of them that began when all of the line were over, 0: none. */
	uint32_t init, started, joined; /* init: MPI_Init of the first line, when it was over before this one began */
	uint32_t born,
		borns; /* edges from what made its process, one after the other: all of the line comes after them */
};
/* The first of its operations behind an event; operations.n: none. */
size_t hb__operations_behind(const struct hb__line *line, uint32_t event);

/* From post to wait, or from start to complete, of one process. */
struct hb__epoch {
	uint32_t process, window; /* window: the collective that made it */
	hb_at begin, end;         /* end.line HB_NO: it has none */
	bool start, known;        /* known: with the processes that it names, and all of its kind before it */
	uint64_t partners;        /* digest of their ranks, 0: none */
	uint32_t fetched, n;      /* a start: world ranks that it fetched data from, places in hb_model.fetched */
};
/* All processes of a window free it. */
struct hb__freed {
	uint32_t collective, window; /* the one that made it */
};

/* A lock that was granted, or an atomic operation, and its results (match/turns.c). */
struct hb__turn {
	uint32_t process, window; /* window: the collective that made it */
	int64_t target;           /* rank in the window; HB_NONE: all of them */
	int kind;
	int64_t turn[4];
	hb_at at, end; /* end: of a lock, where it was released; end.line HB_NO: not known */
};

struct hb__exposed {
	hb_at start, post;
	uint32_t process;
};

/* A call that made a world or met one, and the communicator of its process that leads there. */
struct hb__birth {
	hb_at at;
	uint32_t process, comm;
	const hb_way *way;
};

struct hb_model {
	hb_model_info info;
	VEC(hb_process) processes;
	struct hb__process_more *process_more;
	VEC(hb_line) lines;
	VEC(struct hb__line) line_more;
	VEC(hb_group) groups;
	VEC(struct hb__group_more) group_more;
	VEC(hb_channel) channels;
	VEC(hb_spec) specs;
	VEC(hb_send) sends;
	uint32_t *channel_first, *channel_sends; /* sends by channel: channel_sends[channel_first[c]] and on */
	VEC(hb_receive) receives;
	VEC(hb_probe) probes;
	VEC(uint32_t) probe_after; /* receives that were posted before it */
	VEC(hb_collective) collectives;
	VEC(uint8_t) collective_kind;
	VEC(hb_at) odd_at; /* enters of odd collectives, values of odd_enters */
	VEC(hb_chosen) chosen;
	VEC(hb_at) timeouts;
	VEC(hb_pending) pending; /* in the order of processes */
	VEC(struct hb__channel_before) before;
	uint64_t *
		owed; /* with rings, by channel: receives that got messages sent before; UINT64_MAX: none can be matched */
	uint32_t streams_before;    /* not matched, for a ring gave up their beginning */
	struct hb__table before_of; /* channel, as in channel_of -> place in before */
	uint32_t rings;             /* processes with events that were given up */
	uint64_t *group_base;       /* with rings: by group, collectives that all of its processes gave up */
	size_t group_bases;
	VEC(struct hb__birth) births;
	VEC(struct hb__epoch) epochs; /* in the order of processes */
	VEC(uint32_t) fetched;
	uint32_t epochs_lost; /* that may order events, and it is not known how */
	VEC(uint32_t) locked; /* windows that some process locked, by the collective that made them */
	VEC(struct hb__freed) freed;
	VEC(struct hb__exposed) exposed; /* by start, then by process */
	VEC(struct hb__turn) turns;      /* in the order of processes */
	bool no_turns;                   /* the run is checked */
	VEC(hb_edge) edges;
	VEC(uint32_t) born_lines; /* that have such */
	VEC(hb_outside) outside;
	VEC(hb_crossing) crossings;
	VEC(hb_refused) refused;
	struct hb__sockets *sockets; /* while the model is built; NULL: no process has events of this layer */
	VEC(char *) troubles;
	/* Messages of the program itself, until they are linked. */
	VEC(struct hb__keyed) keyed_sends, keyed_receives;
	VEC(uint32_t) keyed_groups;
	VEC(uint64_t) keys; /* that are no tag by themselves */
	struct hb__table key_of;
	struct hb__table channel_of, spec_of, group_of, odd_collective, odd_enters;
	struct hb__table big;       /* send -> place in big_bytes */
	struct hb__table elsewhere; /* receive -> place in elsewhere_at */
	VEC(uint64_t) big_bytes;
	VEC(hb_at) elsewhere_at;
	struct hb__world {                     /* that has sources, in their order */
		uint32_t number, ranks, first; /* first: place of its rank 0 in rank_process */
		bool lone;                     /* which other processes are of it is not known */
	} * world;
	uint32_t nworlds;
	uint32_t *world_of;       /* by process: place in `world` */
	uint32_t *rank_process;   /* of all worlds; HB_NO: not in this recording */
	hb_worlds *worlds;        /* what the logs say of them; logs are counted as processes */
	struct hb__part *part;    /* of a divided model (part/); NULL */
	VEC(uint32_t) send_sites; /* of a divided model, while it is read: of each send */
	bool clocks_done;
	uint32_t *seen_more; /* sends to processes of several lines: their numbers, from place `seen` on */
	size_t seen_used, seen_room;
	bool no_memory;
};

bool hb__model_trouble(hb_model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
hb_status hb__no_memory(hb_error *err);

/* ---- world/places.c ---- */
/* The worlds of all processes. */
hb_status hb__place_worlds(hb_model *m, hb_error *err);
void hb__close_worlds(hb_model *m);
/* The process that a member of a communicator of `process` is: a rank of its world, or a stranger; HB_NO: not known. */
uint32_t hb__process_called(const hb_model *m, uint32_t process, int64_t member);
/* A number for it that is the same for all who know it, also where it has no log; -1: not known. */
int64_t hb__name_of(const hb_model *m, uint32_t process, int64_t member);

/* ---- match/groups.c ---- */
bool hb__groups_of_process(hb_model *m, uint32_t process);
/* The part of a process in its communicator; NULL: not known. */
struct hb__member *hb__part(hb_model *m, uint32_t process, int64_t comm);
/* The process with a rank, as a peer of `process` in the part; HB_NO: none. */
uint32_t hb__peer(const hb_model *m, const struct hb__member *part, int64_t rank);

/* ---- match/stream.c: the events of a process, its lanes merged ---- */
struct hb__stream;
struct hb__stream *hb__stream_open(hb_model *m, uint32_t process, hb_error *err);
/* 1: an event and its line; 0: the end; else a negative status. */
int hb__stream_next(struct hb__stream *s, const hb_event **ret_event, uint32_t *ret_line, hb_error *err);
void hb__stream_close(struct hb__stream *s);

/* ---- match/read.c: one process -> sends, receives, probes, collectives ---- */
typedef void hb__tick(void *user, uint64_t events);
hb_status hb__read_process(hb_model *m, uint32_t process, hb__tick *tick, void *user, hb_error *err);

/* ---- match/pending.c: requests that are under way when a log ends ---- */
/* Whether all requests of a process are to be followed: it was recorded with remarks, or it waits for some. */
bool hb__follow_requests(const hb_model *m, uint32_t process);

/* ---- model.c: the steps of building that a divided model has, too ---- */
hb_status hb__add_processes(hb_model *m, const hb_source *sources, size_t n, hb_error *err);
void hb__tell_processes(hb_model *m);
void hb__tell_absent(hb_model *m, uint64_t absent); /* collectives that some left and not all entered */
void hb__tell_ambiguous(hb_model *m, uint32_t ambiguous);
bool hb__sort_chosen(hb_model *m);
void hb__count_model(hb_model *m); /* info */
/* ---- match/before.c: what rings gave up ---- */
/* Before any process is read, and their groups are known: where the collectives of each group begin. */
bool hb__before_groups(hb_model *m);
struct hb__reading;
/* The process at hand: collectives that it has behind it, requests under way. */
void hb__before_read_process(struct hb__reading *r);
/* Before sends and receives are linked: flags the sends that were received before, and fills hb_model.owed. */
bool hb__before_channels(hb_model *m);
bool hb__link_before(hb_model *m);
void hb__tell_before(hb_model *m);

/* ---- match/reserve.c: room for all that the logs will give ---- */
bool hb__reserve(hb_model *m, uint32_t first, uint32_t end); /* of these processes */

/* ---- match/channels/keyed.c: who sent the messages of the program itself ---- */
bool hb__link_keyed(hb_model *m);
/* The number of a channel. Owned by read.c. */
uint32_t hb__channel(hb_model *m, uint32_t group, uint32_t source, uint32_t dest, int32_t tag);

/* ---- match/sockets: what goes through sockets and pipes ---- */
/* Before the processes are read: who got whose bytes and datagrams. */
hb_status hb__plan_sockets(hb_model *m, hb_error *err);
/* Once all are: these become messages. */
bool hb__link_sockets(hb_model *m);
/* Processes that make others and wait for their end. */
bool hb__link_family(hb_model *m);
void hb__close_sockets(hb_model *m);

/* ---- match/channels/ordered.c: sends and receives become messages ---- */
bool hb__link(hb_model *m);

/* ---- world/born.c: edges between the call that made a world and MPI_Init there ---- */
bool hb__link_worlds(hb_model *m);

/* ---- match/threads.c: operations of threads become edges ---- */
bool hb__link_threads(hb_model *m);

/* ---- match/windows.c: epochs of all processes become edges, and these operations of their events ---- */
bool hb__link_windows(hb_model *m);
bool hb__link_turns(hb_model *m);

/* ---- part/columns.c: hb_clocks_run_with, of a divided model ---- */
hb_status hb__part_clocks(hb_model *m, const hb_clock_options *options, hb_error *err);
/* ---- part/back/past.c: the PAST in a divided model ---- */
/* What the exit of an event needs. */
struct hb__need {
	uint32_t event, kind; /* hb_link_kind */
	uint32_t
		id; /* MESSAGE, PROBE: the send, at whom the line belongs to; SYNC, REQUEST: the receive, COLLECTIVE: the collective, of the whole; EDGE, EXIT:
			the edge, at whom the line belongs to */
	hb_at at;   /* of a collective: none */
};
struct hb__needs;
struct hb__needs *hb__needs_open(const hb_model *m);
/* What the exits of a line need up to an event, behind those that were asked for before; until the next question. All members ask
 * alike. NULL: no memory. */
const struct hb__need *hb__needs_up_to(struct hb__needs *s, uint32_t line, uint32_t to, size_t *ret_n);
/* By process: where it entered the collective; line HB_NO: it did not. All members ask alike. NULL: no memory. */
const hb_at *hb__needs_enters(struct hb__needs *s, uint32_t collective);
void hb__needs_close(struct hb__needs *s);
/* Its group, order, root and both_sides; id: of the whole. */
hb_collective hb__part_collective(const hb_model *m, uint32_t id);
/* Whether this is the first member; of a model that is not divided, too. */
bool hb__part_first(const hb_model *m);
/* The chain of the first member becomes that of all. False: no memory. */
bool hb__part_share(const hb_model *m, hb_link **at, size_t *room, size_t *n);
/* ---- part/build.c ---- */
void hb__part_close(hb_model *m);

/* ---- match/channels/doubt.c: matches that may be others ---- */
bool hb__doubt(hb_model *m);
bool hb__could_take(const hb_spec *spec, const hb_channel *channel);
/* Whether the log of each of its threads ends at a moment of its own: it was copied, or told to stop, while they went on. */
static inline bool hb__ends_unevenly(const hb_model *m, uint32_t process)
{
	const hb_process *p = &m->processes.at[process];
	return p->log && p->nlines > 1 && hb_log_get_info(p->log)->stopped == HB_LOG_TOLD;
}

#endif
