/* The model of a run: who sent which message to whom, and what had to happen
 * before what. Built from the logs of a recording alone; nothing here prints.
 *
 * Words:
 *   process  one log. Its index counts the logs given to hb_model_build.
 *   line     a lane of a process, with events 1, 2, ... in program order. Lines
 *            are numbered over all processes: those of process 0 first. Vector
 *            clocks have a component for each line.
 *   event    a line and a number. It is an interval with two points, enter and
 *            exit. A call that its thread never returned from (a hang, a crash)
 *            is the last event of its line: it has an enter and no exit.
 *   PAST     of a point: all points that happened before it, and itself.
 *
 * Happened-before is the transitive closure over points of: program order; the
 * enter of a send -> the exit of the call that completed its receive, or of a probe
 * that saw it; for a synchronous send also the enter of the call that posted the
 * receive -> the exit of the call that completed the send; collectives by class
 * (hb_order); one-sided synchronisation, and processes that make others (hb_edge). MPI_Init of the first lane -> everything of the other lanes; the enter of the call that posted a receive ->
 * the exit of the call of another lane that completed it.
 *
 * Matching: messages that the program itself tells of go by channel and key (match/channels/keyed.c), what goes through sockets and pipes by
 * bytes and contents (match/sockets). MPI does not let messages overtake, so among the messages of one channel
 * (communicator, source, destination, tag) the k-th send belongs to the k-th
 * receive in the order of posting.
 *
 * Ownership: all pointers handed out belong to the model and hold until it is closed.
 * The logs must stay open as long as the model. Thread safety: one thread per model.
 */
#ifndef HBDB_MODEL_MODEL_H
#define HBDB_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "model/event.h"
#include "model/world/world.h"

typedef struct hb_model hb_model;

/* An event: a line and a number in it. line HB_NO: none. */
typedef struct hb_at {
	uint32_t line, event;
} hb_at;

typedef struct hb_source {
	hb_log *log;  /* NULL: the process is known to have run, but its log cannot be read */
	int32_t rank; /* in its MPI_COMM_WORLD */
	uint32_t
		world; /* number of that (model/world/world.h); 0: the one that was started. Sources of one world stand together */
	const char *
		name; /* what the process is called, of the same worlds; NULL: by rank and world. The model finds it by itself */
} hb_source;

/* How a process ended, as its log says. */
typedef enum hb_ending {
	HB_ENDING_NONE,      /* it runs, was killed, or crashed */
	HB_ENDING_FINALIZED, /* MPI_Finalize returned */
	HB_ENDING_LEFT,      /* it left without MPI_Finalize */
	HB_ENDING_ABORTED,   /* MPI_Abort */
} hb_ending;

typedef struct hb_process {
	hb_log *log; /* NULL: missing */
	int32_t rank;
	uint32_t world;
	const char *
		name; /* "3", of another world "3@1"; of a process without MPI its program (hbdb-recording(5), WORLDS) */
	uint32_t first_line, nlines;
	hb_ending ending;
	bool cut; /* its log ends before the process did: what follows is not known */
} hb_process;

typedef struct hb_line {
	uint32_t process, lane;
	uint32_t events; /* with the one it is inside of */
	bool inside;     /* the last event has no exit */
	uint32_t group;  /* inside, of sockets and pipes: what the call works on; HB_NO: none, or not known */
	bool asleep;     /* hb_model_asleep */
	uint32_t
		joins; /* asleep: until this line's thread ends; HB_NO: until another thread of the process wakes it; itself: it has ended */
} hb_line;

/* A communicator, the same for all its members. */
typedef struct hb_group {
	uint32_t size, remote_size;      /* remote_size 0: an intracommunicator */
	const uint32_t *member, *remote; /* process indices; HB_NO for one that has no log */
	uint32_t parent;                 /* HB_NO: none, or not known */
	bool self;                       /* MPI_COMM_SELF of one process */
	bool keyed;                      /* a channel of the program itself: its tags stand for keys: hb_model_tag */
	bool untagged; /* what processes talk through: its messages have no tags, and are found one by one */
	bool open;     /* ... and others than its members, and those whom they made, may have part in it */
	char *title;   /* the name with the program's own behind it, as in WORLD.2 "ocean"; NULL: it gave none */
	char name[24]; /* WORLD, SELF, or WORLD.2 for the third made from it, WORLD.2:5 with world rank 5 at its head */
} hb_group;

/* Messages that cannot overtake each other. */
typedef struct hb_channel {
	uint32_t group, source, dest; /* source and dest are processes; dest HB_NO: not in this recording */
	int32_t tag;
	uint32_t sent, received; /* how many */
} hb_channel;

/* How the tag of a message is called, and what it is: "tag", or "key" on a channel of the program itself; NULL and HB_ABSENT where there are none. */
const char *hb_model_tag_word(const hb_model *model, uint32_t group);
int64_t hb_model_tag(const hb_model *model, uint32_t group, int32_t tag);

/* What a receive or probe asked for, and where it stands in the program. */
typedef struct hb_spec {
	uint32_t group, process;
	uint32_t source;         /* process; HB_NO any */
	int32_t tag;             /* HB_ANY_TAG any */
	uint32_t function, site; /* numbers in the log of the process */
	bool any_source;
} hb_spec;

enum {                      /* flags of messages and receives */
	HB_SYNCHRONOUS = 1, /* send: it completes only when its receive was posted */
	HB_PART = 1, /* receive: of a stream, by a call that got less than it had room for: how much was chance */
	HB_BIG = 2,  /* bytes does not fit: hb_send_bytes */
	HB_CANCEL_ASKED = 2, /* receive: MPI_Cancel was called on it; it may have come too late */
	HB_CANCELLED = 4,
	HB_AMBIGUOUS = 8,  /* threads, or a receive whose end is not known, leave open whether this match is right */
	HB_ELSEWHERE = 16, /* receive: completed by another lane than posted it; send: completed elsewhere */
	HB_BUFFERED = 32,  /* send: Bsend, Ibsend: it completes by itself */
	HB_PENDING = 32,   /* receive: posted, and its end is not known: never completed, freed, or the log is cut */
	HB_TWICE = 64,     /* send: of a datagram that has come to this end before */
	HB_EARLIER =
		4 | 64, /* send: both: received by an event that a ring gave up, or, where it cannot be told, perhaps */
	HB_CHOSEN = 64, /* receive: completed by a call that chose among requests or asked (Waitany, Test, ...) */
	HB_FAILED =
		128, /* the call, or the completion, returned an error (truncated: the message is matched all the same) */
};

typedef struct hb_send {
	uint32_t event; /* the call that began it: Send, Isend, Start, Sendrecv, ... */
	uint32_t line : 24, flags : 8;
	uint32_t channel;
	uint32_t receive; /* HB_NO: never received */
	uint32_t seen;    /* events of the receiver's line in the PAST of its enter: use hb_send_seen */
	uint32_t bytes;
} hb_send;

typedef struct hb_receive {
	uint32_t post; /* 0: one that a ring gave up. The call that posted it: Recv, Irecv, Start, Mprobe ... */
	uint32_t line : 24, flags : 8;
	uint32_t done; /* the call that completed it, 0: none. On `line` unless HB_ELSEWHERE: hb_receive_done */
	uint32_t send; /* HB_NO: none, or not known */
	uint32_t spec;
} hb_receive;

typedef struct hb_probe {
	uint32_t event;
	uint32_t line : 24, flags : 8;
	uint32_t spec;
	uint32_t send; /* the message it saw; HB_NO not known */
} hb_probe;

/* An answer of a call that chooses among requests (Waitany, Waitsome, Testany, Testsome), or that says what is ready (poll, select,
 * epoll_wait): in the order of lines and events. */
typedef struct hb_chosen {
	hb_at at;
	uint32_t function, site; /* numbers in the log of the process */
	uint32_t
		receive; /* the receive that it completed, or, ready, that got later what was there then; HB_NO: another request, or not known */
	uint32_t count; /* requests in its array */
	bool ready;     /* it completes nothing */
	uint32_t since; /* ready: the event of the line after which the call could have said so */
} hb_chosen;

typedef struct hb_collective {
	uint32_t group, number; /* the number-th of its group, from 0 */
	hb_order order;
	uint32_t root;          /* process; HB_NO: none */
	uint32_t function;      /* in the log of the first process that has it */
	uint32_t process;       /* that process */
	uint32_t before;        /* processes whose part in it a ring gave up */
	uint32_t enters, exits; /* processes that entered and left it, as recorded */
	uint16_t base;          /* of the function, the same for its blocking, nonblocking and persistent forms */
	bool both_sides;        /* of an intercommunicator: it orders each side by both, not only by the other */
	bool differs;           /* processes called different functions, or with different roots */
} hb_collective;

/* What an event does to the order, in program order along a line. */
typedef enum hb_op_kind {
	HB_OP_SEND,     /* enter of a send; id: send */
	HB_OP_POST,     /* enter of a nonblocking receive; id: receive */
	HB_OP_ENTER,    /* enter of a collective; id: collective */
	HB_OP_RECEIVED, /* exit that completed a receive; id: receive */
	HB_OP_SENT,     /* exit that completed a synchronous send; id: send */
	HB_OP_PROBED,   /* exit of a probe; id: probe */
	HB_OP_LEAVE,    /* exit that completed a collective; id: collective */
	HB_OP_TELL,     /* enter that an edge begins at; id: edge */
	HB_OP_TOLD,     /* exit that an edge ends at; id: edge */
	HB_OP_PASS,     /* exit that an edge begins at; id: edge */
} hb_op_kind;

typedef struct hb_op {
	uint32_t event;
	uint32_t id : 28, kind : 4; /* hb_op_kind */
} hb_op;

/* What post, start, complete and wait of a window order, and what makes and meets processes: the enter of `from` before the exit of `to`. The k-th start of an origin
 * for a target belongs to the k-th post of that target for the origin. That a start, or a complete, returned does not say
 * that the target had posted: the library may have kept what was put. Only data that was fetched shows it. */
typedef enum hb_edge_kind {
	HB_EDGE_COMPLETED, /* MPI_Win_complete of an origin -> MPI_Win_wait, or MPI_Win_test that said yes, of the target */
	HB_EDGE_FETCHED, /* MPI_Win_post of a target -> MPI_Win_complete of an origin that fetched data from it */
	HB_EDGE_LOCKED,  /* what releases a lock of a window -> the lock that was granted then */
	HB_EDGE_TURN,    /* an atomic operation on a window -> the next one at this target */
	HB_EDGE_MADE,    /* the root's MPI_Comm_spawn -> MPI_Init of a process that it made */
	HB_EDGE_BEGAN,   /* MPI_Init of such a process -> MPI_Comm_spawn of all that called it */
	HB_EDGE_MET, /* the root's MPI_Comm_connect -> MPI_Comm_accept of all that it met; the other way round; MPI_Comm_join of both */
	HB_EDGE_THREADS, /* of another thread: its exit, for the operation of `to` came after one behind it (hbdb-recording.5, class 15) */
	/* processes and what they talk through (match/sockets) */
	HB_EDGE_FORKED, /* fork and its like -> the first event of each line of the process made */
	HB_EDGE_EXECED, /* the last event of a line -> the first event of each line of the program that its process started */
	HB_EDGE_ENDED,  /* the last event of a line -> the wait that told of its process's end */
	HB_EDGE_KILLED, /* the call that a line never returned from -> likewise */
	HB_EDGE_CLOSED, /* shutdown, or close of an end's last descriptor in its process -> what received the end of the stream */
	HB_EDGE_LEFT,   /* the last event of a process that had the end, and did not close it -> likewise */
	HB_EDGE_BEFORE, /* a send, or an entry into a collective, whose other side a ring gave up -> the first event that it kept of that line */
	HB_EDGE_LISTENED, /* listen -> a connect that was accepted */
	HB_EDGE_KINDS
} hb_edge_kind;
/* What each kind is, and how it is put into words. */
typedef struct hb_edge_meaning {
	const char *word;     /* of this kind alone */
	const char *link;     /* of all that are alike, as `hbdb order --json` has it */
	const char *sentence; /* what stands between the two events in a chain */
	bool from_exit;       /* it begins at the exit of its first event, else at the enter */
	bool to_enter;        /* it ends at the enter of its last event, the first one of a line, else at the exit */
} hb_edge_meaning;
extern const hb_edge_meaning hb_edge_meanings[HB_EDGE_KINDS];
static inline bool hb_edge_from_exit(hb_edge_kind kind) { return hb_edge_meanings[kind].from_exit; }
/* The first events of lines have these before their enter: hb__line.born. */
static inline bool hb_edge_to_enter(hb_edge_kind kind) { return hb_edge_meanings[kind].to_enter; }
typedef struct hb_edge {
	hb_at from, to;
	hb_edge_kind kind;
} hb_edge;

/* A request that was under way when the log of its process ended. Only of processes that hb_model_followed. */
typedef enum hb_pending_kind {
	HB_PENDING_OTHER,      /* nothing that is matched: one-sided, files, generalised, ... */
	HB_PENDING_SEND,       /* id: send */
	HB_PENDING_RECEIVE,    /* id: receive */
	HB_PENDING_COLLECTIVE, /* id: collective */
} hb_pending_kind;
typedef struct hb_pending {
	hb_pending_kind kind;
	uint32_t id;
	hb_reference request;
} hb_pending;

/* Whom a process talked to that is not recorded, over sockets and pipes. */
typedef struct hb_outside {
	uint32_t process;
	const char *name;        /* as "tcp 192.0.2.7:80": the other side's address; of a pipe its own name */
	uint64_t sent, received; /* calls, or datagrams, to and from it */
} hb_outside;

/* A datagram of which its sender was told that nobody was at the address. */
typedef struct hb_refused {
	hb_at sent, told; /* the last one from this end before it was told */
	const char *end;  /* as "udp 127.0.0.1:4000 > 127.0.0.1:9" */
} hb_refused;

/* An event at which something went to somebody who is not recorded, or came from there. */
typedef struct hb_crossing {
	hb_at at;
	uint32_t outside; /* hb_model_outside */
	uint32_t n;       /* datagrams, or 1 */
	uint64_t bytes;   /* of all of these */
	bool in;
} hb_crossing;

typedef struct hb_model_info {
	uint32_t processes, lines, groups, channels, specs;
	uint64_t events; /* over all lines */
	uint32_t sends, receives, probes, collectives, edges;
	uint32_t matched;   /* sends with a receive */
	uint32_t ambiguous; /* matches that may be others: told in the trouble */
	uint32_t chosen;
	uint32_t timeouts;
	uint32_t refused;            /* hb_model_refused */
	uint32_t outside, crossings; /* hb_model_outside, hb_model_crossings */
	uint32_t strange; /* intercommunicators of which a process does not know all members, who are of other worlds */
	bool open; /* order between recorded events may be missing: a message or a part in a collective is not recorded */
	uint32_t troubles;
} hb_model_info;

/* Reads all logs and matches their messages. HB_E_ARGUMENT: a log is not at level
 * events (the message says so). Work and memory are linear in the events. progress
 * may be NULL; it is called about a hundred times. *ret_model: hb_model_close. */
hb_status hb_model_build(
	const hb_source *sources, size_t n, hb_progress *progress, void *user, hb_model **ret_model, hb_error *err);
void hb_model_close(hb_model *model);

const hb_model_info *hb_model_get_info(const hb_model *model);
/* Arrays, indexed from 0 up to the numbers in the info. */
/* Somebody has looked at the process while it ran: the thread of this line is in no call and sleeps until another thread of its
 * process wakes it, or, joins, until that line's thread ends; and threads that have no line do nothing that could. */
void hb_model_asleep(hb_model *model, uint32_t line, uint32_t joins);
const hb_process *hb_model_processes(const hb_model *model);
const hb_line *hb_model_lines(const hb_model *model);
const hb_group *hb_model_groups(const hb_model *model);
/* For people: with the name that the program gave. */
const char *hb_model_group_title(const hb_model *model, uint32_t group);
/* For programs: without that, but of what processes talk through all of its name. */
const char *hb_model_group_name(const hb_model *model, uint32_t group);
const hb_channel *hb_model_channels(const hb_model *model);
const hb_spec *hb_model_specs(const hb_model *model);
const hb_send *hb_model_sends(const hb_model *model);
const hb_receive *hb_model_receives(const hb_model *model); /* those of a process in the order of posting */
const hb_probe *hb_model_probes(const hb_model *model);
const hb_collective *hb_model_collectives(const hb_model *model);
const hb_chosen *hb_model_chosen(const hb_model *model);
/* Calls that waited for somebody and gave up at the limit of their time; in the order of lines and events. */
const hb_at *hb_model_timeouts(const hb_model *model);
const hb_edge *hb_model_edges(const hb_model *model);
const hb_outside *hb_model_outside(const hb_model *model);
/* Of each process in the order in which it was told. */
const hb_refused *hb_model_refused(const hb_model *model);
/* In the order of lines and events; of one event, direction and peer there is one. */
const hb_crossing *hb_model_crossings(const hb_model *model);
/* Those of an event; *ret_n of them, 0: none. */
const hb_crossing *hb_model_crossings_at(const hb_model *model, hb_at at, uint32_t *ret_n);
/* How many processes gave up their first events (hbdb record --ring). */
uint32_t hb_model_rings(const hb_model *model);
/* How many collectives on its communicator the process gave up, counted from where those of the communicator begin here; HB_NO: not known. */
uint32_t hb_model_given_up(const hb_model *model, uint32_t process, int64_t comm);
const hb_op *hb_model_ops(const hb_model *model, uint32_t line, uint64_t *ret_n);
/* The sends of a channel that were not cancelled, in order: the k-th was received by its k-th receive. */
const uint32_t *hb_model_channel_sends(const hb_model *model, uint32_t channel, uint32_t *ret_n);
/* Whether all requests of a process were followed to their end: it was recorded with remarks, or it is inside a call that
 * completes requests. */
bool hb_model_followed(const hb_model *model, uint32_t process);
/* Its requests under way at the end of its log, those waited for or not; in the order of lanes and postings. */
const hb_pending *hb_model_pending(const hb_model *model, uint32_t process, uint32_t *ret_n);
/* Of such processes: completions of sends that are not synchronous, in program order along a line (kind HB_OP_SENT), but for
 * those by a call that could have answered otherwise (Test, Waitany, ...). They order nothing, for a buffer may have let them through: hb_model_ops does not have them. */
const hb_op *hb_model_sent(const hb_model *model, uint32_t line, uint64_t *ret_n);
/* The group of a communicator by its number in the log of a process; HB_NO: not known.
 * *ret_peers_are_member: those whom it sends to are `member`; else they are `remote`. */
uint32_t hb_model_group(const hb_model *model, uint32_t process, int64_t comm, bool *ret_peers_are_member);
/* Whether it is sure that a member of a communicator knows it as the others do. It is not where members are of several worlds and the log of the process does
 * not have it, or which calls of two worlds met is told from times alone; nor where it is not known who is of the process's world. */
bool hb_model_shares(const hb_model *model, uint32_t group, uint32_t process);
/* What is missing or open, a sentence each, and which answers it makes uncertain. */
const char *hb_model_trouble(const hb_model *model, uint32_t index);

/* A receive whose end is not known, with a wildcard, that had taken a message: a receive posted after it got one that fits it, too. send: that message, or where
 * several could be it, the one of these that was sent first. Of processes of which one thread receives. In the order of posting; free *ret. */
typedef struct hb_took {
	uint32_t receive, send;
} hb_took;
hb_status hb_model_took(const hb_model *model, hb_took **ret, size_t *ret_n);

/* How many receives of all processes up to its own had been posted before a probe: the number of the next. */
uint32_t hb_probe_after(const hb_model *model, uint32_t probe);
uint64_t hb_send_bytes(const hb_model *model, uint32_t send);
hb_at hb_send_at(const hb_model *model, uint32_t send); /* where it began */
/* The event whose enter stands for that of an event along its line: itself, but of a call inside of which others were made (what a library
 * of MPI does over sockets) the first of those. Clocks and numbers of events in the PAST count along that. */
hb_at hb_entered(const hb_model *model, hb_at at);
hb_at hb_receive_post(const hb_model *model, uint32_t receive); /* where it was posted */
hb_at hb_receive_done(const hb_model *model, uint32_t receive); /* event 0: never */
/* The call of a process that is part of a collective: where it entered. line HB_NO: it did not. */
hb_at hb_collective_enter(const hb_model *model, uint32_t collective, uint32_t process);
/* The collective that an event entered; HB_NO: none. */
uint32_t hb_collective_at(const hb_model *model, hb_at at);
/* The call by which a process exposed its part of a window to accesses after a call of MPI_Win_start: none of them touches it before that
 * call began. line HB_NO: none, or not known. */
hb_at hb_window_post(const hb_model *model, hb_at start, uint32_t process);

/* ---- clocks (clocks.c) ---- */

/* One event, with the clocks of its exit (of its enter when it never returned).
 * clock[l] is the number of events of line l that were entered in the PAST.
 * Lamport times: of an enter, one more than that of the exit before it on the line (the first: 1); of an
 * exit, the greatest of its own enter, one more than the enter of each send it received or saw,
 * and, so that they stand under each other, the enter of the other side of a
 * synchronous message and the enters of the others in a collective that it depends on. */
typedef struct hb_stamp {
	hb_at at;
	uint64_t lamport_enter, lamport;
	const uint32_t *clock; /* info.lines numbers, until the visit returns */
} hb_stamp;
typedef bool hb_visit(void *user, const hb_stamp *stamp); /* false: stop */

/* Goes through all events once, each after all that happened before it; along a line in
 * order. Sets what hb_send_seen answers. visit may be NULL: then it is faster. Method: Fidge 1988
 * and Mattern 1989, with a version of a line's clock shared by all sends between two changes of it. */
hb_status hb_clocks_run(
	hb_model *model, hb_visit *visit, void *user, hb_progress *progress, void *progress_user, hb_error *err);
/* Runs it when that has not been done yet. */
hb_status hb_model_clocks(hb_model *model, hb_progress *progress, void *user, hb_error *err);

/* How far the pass has come along a line: all its points up to the enter, or the exit, of an event. */
typedef struct hb_reach {
	uint32_t line, event;
	bool exit;
	const uint32_t *clock; /* of that point, as in hb_stamp, until the visit returns */
} hb_reach;
typedef bool hb_reached(void *user, const hb_reach *reach); /* false: stop */

/* A question to the pass: how many events of a line are in the PAST of a send's enter. */
typedef struct hb_ask {
	uint32_t send, line;
	uint32_t ret_seen;
} hb_ask;

/* The same pass with questions, and with orders that are not to count. */
typedef struct hb_clock_options {
	hb_visit *visit; /* may be NULL */
	/* may be NULL: called in an order of points that keeps happened-before, along a line in order, not for each of them; the last
	 * call for a line names its last point. Lines have their turns in short stretches. */
	hb_reached *reached;
	void *user;
	const bool *drop_receive, *drop_probe; /* by number: the message into it orders nothing; may be NULL */
	uint32_t *
		seen; /* by send: set as hb_send.seen is, in the place of those; 0 for processes of several lines; may be NULL */
	hb_ask *asks; /* in the order of sends */
	size_t nasks;
} hb_clock_options;
hb_status hb_clocks_run_with(
	hb_model *model, const hb_clock_options *options, hb_progress *progress, void *progress_user, hb_error *err);

/* The number of events of a line of the receiver that were entered in the PAST of the send's enter; after hb_clocks_run. */
uint32_t hb_send_seen(const hb_model *model, uint32_t send, uint32_t line);

/* ---- a divided model (part/part.h): what this member looks at; all of a model that is not divided ---- */
bool hb_model_covers_receive(const hb_model *model, uint32_t receive);
bool hb_model_covers_probe(const hb_model *model, uint32_t probe);
bool hb_model_covers_rest(const hb_model *model, uint32_t process); /* what is not looked at receive by receive */
/* Whether it is so for any member: asked by all. */
bool hb_model_any(const hb_model *model, bool yes);

/* ---- cones, cuts and order (cone.c) ---- */

typedef enum hb_stop {
	HB_STOP_NOTHING, /* no event of the line is in the PAST */
	HB_STOP_AFTER,   /* after the event: its exit is in the PAST, or needs nothing outside it */
	HB_STOP_INSIDE,  /* inside the event: its exit needs something outside the PAST */
	HB_STOP_END,     /* after the last event of the line */
} hb_stop;

/* The cut of an event: line l stops at event ret_event[l], as ret_stop[l] says (arrays of info.lines). */
hb_status hb_cut(hb_model *model, hb_at at, uint32_t *ret_event, hb_stop *ret_stop, hb_error *err);
/* How many events of a line are in the PAST of the exit of `at`. Of a divided model: asked by all members. */
hb_status hb_known(hb_model *model, hb_at at, uint32_t line, uint32_t *ret_events, hb_error *err);
/* The cut as a run can reach it. That a process starts its threads and waits for their end is not recorded, so hb_cut may stop its
 * first line before it started another one, or let it wait for one that is stopped. Here, when a line is in the PAST, the first line of
 * its process gets at least to its last event that was over when that line began; and when the first line began an event
 * after another one was over, that one runs to its end: with all that they need. Where a thread posts a message after another one, that one has posted. The same as hb_cut where
 * every process has one line. */
hb_status hb_stops(hb_model *m, hb_at at, uint32_t *ret_event, hb_stop *ret_stop, hb_error *err);
/* The first event of each line whose exit has the enter of `at` in its PAST, 0: none. */
hb_status hb_future(hb_model *model, hb_at at, uint32_t *ret_first, hb_error *err);
/* The cut and the future for who has kept the Lamport times of exits (hb_stamp.lamport; of a call that never returned that of its
 * enter). Quick: the work ends where no line can be reached any more, mostly near the event. */
typedef uint64_t hb_exit_time(void *user, hb_at at);
hb_status hb_cut_by(hb_model *model, hb_at at, hb_exit_time *time, void *user, uint32_t *ret_event, hb_stop *ret_stop,
	hb_error *err);
hb_status hb_future_by(hb_model *model, hb_at at, hb_exit_time *time, void *user, uint32_t *ret_first, hb_error *err);

typedef enum hb_relation {
	HB_SAME,
	HB_BEFORE, /* a's enter is in the PAST of b's exit, and not the other way */
	HB_AFTER,
	HB_TOGETHER,   /* both: each had to begin before the other could end */
	HB_CONCURRENT, /* neither */
} hb_relation;

typedef enum hb_link_kind {
	HB_LINK_PROGRAM,    /* the next call of the same line, or the end of the same call */
	HB_LINK_MESSAGE,    /* id: send */
	HB_LINK_PROBE,      /* a probe saw the message; id: send */
	HB_LINK_SYNC,       /* the receive was posted, so the synchronous send completed; id: send */
	HB_LINK_COLLECTIVE, /* id: collective */
	HB_LINK_REQUEST,    /* a receive that one thread posted was completed by another; id: receive */
	HB_LINK_START,      /* MPI_Init, before the other threads */
	HB_LINK_EDGE,       /* of the enter of an event; id: edge */
	HB_LINK_EXIT,       /* of its exit; id: edge */
} hb_link_kind;

/* A step of a proof: from the enter of one event to the exit of another (PROGRAM on the same line: from an exit to an
 * enter, or across one event). */
typedef struct hb_link {
	hb_link_kind kind;
	hb_at from, to;
	uint32_t id;
} hb_link;

/* How two events are ordered. strict: a's exit is in the PAST of b's enter (or b's of a's when AFTER). When they are
 * ordered, *ret_chain is a chain of links from the earlier to the later (from a to b when TOGETHER); free it. */
hb_status hb_order_of(hb_model *model, hb_at a, hb_at b, hb_relation *ret_relation, bool *ret_strict,
	hb_link **ret_chain, size_t *ret_links, hb_error *err);

/* What is to be said of a link beside its two events. */
typedef struct hb_link_fact {
	uint32_t group; /* messages, COLLECTIVE */
	int32_t tag;    /* of messages: as in hb_channel */
	uint64_t bytes;
	bool ambiguous;
	bool differs; /* COLLECTIVE: as the next three in hb_collective */
	uint32_t number, process, function;
	hb_edge_kind edge; /* EDGE, EXIT */
} hb_link_fact;
/* Of each link of a chain. Of a divided model, in whose chains an id is what its members know it by: asked by all. */
hb_status hb_link_facts(hb_model *model, const hb_link *chain, size_t n, hb_link_fact *ret, hb_error *err);

#endif
