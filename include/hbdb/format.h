/* The recording as bytes: opening, reading, sealing, checking.
 *
 * Nothing here knows what a call means: an event is a function with arguments,
 * two times and a list of results (docs/man/hbdb-recording.5, "RESULTS").
 * No function prints or exits. Functions that can fail return 0 or a negative
 * hb_status and fill *err (may be NULL).
 *
 * Thread safety: a reader may be used by one thread at a time.
 */
#ifndef HBDB_FORMAT_H
#define HBDB_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	HB_OK = 0,
	HB_E_SYSTEM = -1,  /* errno in hb_error.sys: cannot open, read, write */
	HB_E_FOREIGN = -2, /* not a recording of hbdb at all */
	HB_E_VERSION = -3, /* a recording, but of a version or with flags this build does not know */
	HB_E_DAMAGED = -4, /* bytes contradict the format: nothing could be read */
	HB_E_MEMORY = -5,
	HB_E_ARGUMENT = -6, /* the caller's mistake */
} hb_status;

typedef struct hb_error {
	hb_status status;
	int sys;         /* errno, or 0 */
	uint64_t offset; /* byte offset in file, when it has one */
	char file[256];
	char message[256]; /* one sentence, no line feed */
} hb_error;

/* A number no function, lane or slot has. */
#define HB_NO UINT32_MAX

typedef struct hb_log hb_log; /* the log of one process, raw or sealed */

/* What is recorded. */
enum {
	HB_LEVEL_ORDER,  /* the choices of MPI alone: enough for a replay */
	HB_LEVEL_EVENTS, /* every call, with its arguments and times */
	HB_LEVEL_RACING, /* of the choices those that could have been others */
};

/* How far a process had come when its log was written last. */
enum {
	HB_STATE_RUNNING,   /* inside MPI; of a process that is gone: it was killed, or crashed */
	HB_STATE_FINALIZED, /* returned from MPI_Finalize */
	HB_STATE_LEFT,      /* ended without it */
	HB_STATE_ABORTED,   /* called MPI_Abort */
};

/* What the file header says. Strings are NUL terminated copies. */
typedef struct hb_log_info {
	int sealed;
	uint32_t version; /* of the format */
	int32_t rank, size;
	uint32_t pid, level;            /* HB_LEVEL_... */
	uint32_t state, stopped;        /* HB_STATE_...; errno for which it stopped recording, or 0 */
	uint32_t thread_level, library; /* library: 1 Open MPI, 2 MPICH */
	double tick_ns;                 /* nanoseconds per tick, from the best calibration */
	uint64_t origin_real, origin_mono;
	uint64_t lost;
	char host[65], version_text[257], program[513];
	uint32_t lanes;     /* lanes 0 .. lanes-1 */
	uint32_t functions; /* function numbers are 0 .. functions-1; some may be undefined */
	uint32_t sites, modules, comms, datatypes, ops; /* likewise */
	uint64_t events;                                /* over all lanes, as far as readable */
	int postings; /* which of several threads posted a message first is told (hbdb-recording.5, THREADS) */
	int turns; /* whose lock was granted before whose, and the like, is told by turns (hbdb-recording.5, TURNS) */
	uint64_t bytes; /* size of the log (raw: units in use) */
	uint32_t notes;
	uint64_t remarks;  /* hb_log_remark */
	uint64_t marks;    /* see hb_log_mark */
	int recovered;     /* 1: cut or damaged; what is readable ends early */
	char trouble[256]; /* why, when recovered */
} hb_log_info;

typedef struct hb_lane_info {
	uint64_t thread;  /* identity of the thread */
	uint64_t polls;   /* failed polls after the last event */
	uint64_t skipped; /* level racing: receives not stored after the last event */
	int inside;       /* the thread never returned from a call: inside_slot, inside_enter */
	uint32_t inside_slot;
	uint64_t inside_enter; /* tick */
	uint64_t events;
	/* With remarks, when the last call of the lane waits for requests or asked and was told no: */
	int polling; /* it asked: polling_slot says what (as inside_slot); else it is the call that the thread is inside */
	uint32_t polling_slot;
	uint64_t waits;       /* how many active requests it is about ... */
	uint32_t nwait;       /* ... and those of them that are told, each LANE << 48 | POSTING; all ones: not known. */
	const uint64_t *wait; /* Owned by the log */
	/* Of a ring (hb_log_before): events that were given up before the first one of the lane, which has number 1 all the same; how many
	 * postings there were in them, the last one referred to (-1: none), and the bits of the last time. */
	uint64_t before, posted_before, clock_before, tick_before; /* tick: at which the last of them was left */
	int64_t referred_before;
} hb_lane_info;

/* What a ring (hbdb record --ring) tells of the events that it has given up. hbdb-recording(5), RINGS. */
typedef struct hb_before_count {
	uint8_t kind;  /* 0 messages sent, 1 received, 2 collectives */
	uint32_t lane; /* 65535: several */
	int64_t comm, peer, tag;
	uint64_t count;
} hb_before_count;
typedef struct hb_before_request {
	uint64_t kind; /* 1 a receive that is under way, 2 a collective, 3 a persistent request */
	int overtaken; /* a receive: which message of its channel it gets is not known */
	uint32_t lane, function;
	int64_t posting;
	uint64_t number; /* of the collective on its communicator */
	uint32_t nargs;
	const int64_t *arg; /* of the call that made it */
} hb_before_request;
typedef struct hb_before {
	uint64_t events; /* over all lanes */
	int whole;       /* what is not listed is 0; else it is not known */
	int broken;      /* what is listed does not hold */
	uint64_t counts, requests;
	const hb_before_count *count;     /* in no order */
	const hb_before_request *request; /* receives first, in the order of posting */
} hb_before;

typedef struct hb_function {
	const char *name;  /* NULL: not defined in this log */
	const char *layer; /* whose it is: "mpi", "user", ... Two layers may have functions of one name */
	uint8_t cls;       /* 0 local .. 9 special; from 10 on events of the program itself */
	uint32_t nargs;
	const uint8_t *arg_kind;
	const char *const *arg_name;
	uint64_t calls; /* how often it was called, over all lanes */
	/* An event of the program itself: what its results are. */
	uint32_t nvalues;
	const uint8_t *value_type; /* 0 integer, 1 real (the bits of a double), 2 text (hb_log_text), 3 unsigned */
	const char *const *value_name;
} hb_function;

typedef struct hb_module {
	const char *path, *build_id;
	uint64_t base;
} hb_module;
typedef struct hb_site {
	uint32_t module;
	uint64_t offset;
} hb_site;

typedef struct hb_comm {
	int64_t parent;
	uint64_t index;
	int64_t leader;
	uint32_t rank, flags; /* flags 1: intercommunicator */
	uint32_t size, remote_size;
	const int32_t *member, *remote; /* world ranks, and below -1 strangers (hb_bridge); owned by the log */
} hb_comm;

/* Which process this is: of version 2 on. */
typedef struct hb_identity {
	const char *
		world; /* the same text at all processes of a world, and at no others of the recording; empty: not known */
	uint64_t spawned; /* 1: MPI_Comm_spawn made it, else 0 */
	uint64_t forked;  /* 1: fork made it, of a process that was recorded, and it started no other program; else 0 */
	const char *maker;  /* the world of the process that spawned it; empty: not known */
	int32_t maker_rank; /* its rank there; -1: not known */
	uint64_t began;     /* when the process did: nanoseconds since the epoch */
} hb_identity;

/* A process on the way from the one that hbdb started to the one whose log it is, which is the last one. */
typedef struct hb_ancestor {
	uint64_t started; /* ticks of the system's clock since it booted */
	uint32_t pid;
	const char *name; /* as the system has it: at most 15 bytes, which may be anything */
} hb_ancestor;

/* A communicator whose remote group is of another world, or was when it was met. Members of communicators of this process
 * are ranks in its world; -1: not known; -2 - k: its stranger k, numbered as bridges meet them. */
typedef struct hb_bridge {
	uint32_t comm, kind; /* 1 spawned, 2 the makers of this world, 3 accepted, 4 connected, 5 joined */
	int32_t root;        /* of the call, as a member */
	uint64_t entered, returned;
	const char *port; /* empty: none */
} hb_bridge;

/* A line of the recorder for people. lane is HB_NO when it belongs to the whole process. */
typedef struct hb_note {
	uint32_t lane;
	uint64_t event; /* it stands before this event of the lane */
	const char *text;
} hb_note;

/* What the recorder saw itself, for `hbdb check`: a kind of remarks, as the log defines it, and a remark. hbdb-recording(5), REMARKS. */
typedef struct hb_remark_field {
	uint32_t type;
	const char *name;
	int64_t otherwise; /* its default */
	uint32_t words;    /* of type 13 */
	const char *const *word;
} hb_remark_field;
typedef struct hb_remark_kind {
	const char *word;
	uint32_t fields;
	const hb_remark_field *field;
} hb_remark_kind;
typedef struct hb_remark_row {
	uint32_t lane;  /* HB_NO: it is about the process */
	uint64_t event; /* it stands before this event of the lane */
	uint64_t kind;  /* hb_log_remark_kind; NULL: not defined, and the remark says nothing */
	uint64_t bytes;
	const uint8_t *at;
} hb_remark_row;
/* A field of a remark. Of what is not told number is the default, and the others are nothing. */
enum { HB_REMARK_FIELDS_MOST = 64 };
typedef struct hb_remark_value {
	int told;
	int64_t number;   /* also a site, a function, a flag, a word, an address; the posting of a request */
	uint32_t lane;    /* of a request */
	const char *text; /* `bytes` of them, without a terminator */
	uint64_t bytes;
	uint64_t n; /* of a list: hb_remark_numbers */
	const uint8_t *list, *list_end;
} hb_remark_value;

/* The sequence of predefined datatypes that a derived one consists of, without where they lie. */
typedef struct hb_signature_run {
	uint32_t basic;    /* number of a predefined datatype ... */
	uint64_t elements; /* ... and how many of it follow each other */
} hb_signature_run;
typedef struct hb_signature {
	uint64_t elements, digest; /* of the whole sequence: see hbdb-recording(5) */
	uint32_t n;
	const hb_signature_run *run; /* its beginning; all of it when complete */
	int complete;
} hb_signature;

typedef struct hb_datatype {
	const char *name;
	uint64_t size;
	const hb_signature *signature; /* NULL: not recorded (predefined ones are a sequence of one: themselves) */
} hb_datatype;

/* Level racing, while the process runs: the call that is event `event` of lane `lane` received the message that world
 * rank `rank` (HB_NO: not known) sent as number `sent`, and could have got another one. */
typedef struct hb_mark {
	uint64_t event, sent;
	uint32_t lane, rank;
} hb_mark;

/* One event. Pointers are valid until the next call on the same lane's cursor. */
typedef struct hb_row {
	uint64_t number; /* 1, 2, ... within the lane */
	uint32_t lane;
	uint32_t slot; /* of this row: another row may use the number for another call ... */
	uint32_t era;  /* ... but not one of the same era, of the same cursor; never 0 */
	uint32_t function, site;
	uint32_t nargs;
	const int64_t *arg;
	uint64_t enter, exit; /* ticks; 0 at level order */
	uint64_t polls;       /* failed polls before it */
	uint64_t skipped;     /* level racing: calls before it that answered wildcard receives and are not stored */
	int64_t result;       /* error class, 0 for success */
	int has_digest;
	uint16_t digest; /* of the contents that it sent or received, as far as they are recorded */
	uint32_t nresults;
	const int64_t *results;
} hb_row;

typedef struct hb_cursor hb_cursor; /* reads one lane forward */

/* Opens a log file. A cut or damaged log opens up to the cut (info.recovered).
 * The log of a process that still runs opens as it is now: open it again for more.
 * *ret_log is owned by the caller: hb_log_close. */
hb_status hb_log_open(const char *path, hb_log **ret_log, hb_error *err);
void hb_log_close(hb_log *log);

const hb_log_info *hb_log_get_info(const hb_log *log);
hb_status hb_log_lane(const hb_log *log, uint32_t lane, hb_lane_info *ret_lane);
/* These return NULL for a number that is not defined. Owned by the log. */
const hb_function *hb_log_function(const hb_log *log, uint32_t number);
const hb_module *hb_log_module(const hb_log *log, uint32_t number);
const hb_site *hb_log_site(const hb_log *log, uint32_t number);
const hb_comm *hb_log_comm(const hb_log *log, uint32_t number);
const hb_datatype *hb_log_datatype(const hb_log *log, uint32_t number);
const char *hb_log_op(const hb_log *log, uint32_t number);
/* A text that the program gave with its events. It may hold anything. */
const char *hb_log_text(const hb_log *log, uint32_t number);
const hb_identity *hb_log_identity(const hb_log *log);
/* Where the process stands in the tree of creation; NULL: past the end. None where it was not recorded: it is of processes without MPI. */
const hb_ancestor *hb_log_ancestor(const hb_log *log, uint32_t index);
/* The network namespace that the process is in, as its system numbers them; 0: not told. */
uint64_t hb_log_network(const hb_log *log);
/* The processor that a program is for. */
typedef struct hb_processor {
	const char *name;          /* owned by the log */
	uint32_t big_endian, word; /* 1 or 0; bits of a pointer */
} hb_processor;
/* NULL: not told. Then it is x86_64, but of what was imported it is not known. */
const hb_processor *hb_log_processor(const hb_log *log);
/* NULL: the log has all events of its process from the beginning. */
const hb_before *hb_log_before(const hb_log *log);
const hb_bridge *hb_log_bridge(const hb_log *log, uint32_t index);
/* What an array of counts or datatype numbers held, by the digest that stands among the arguments; NULL: not recorded. */
const int64_t *hb_log_array(const hb_log *log, uint64_t digest, uint32_t *ret_n);
const hb_note *hb_log_note(const hb_log *log, uint32_t index);
/* Remarks, in the order of lanes (those of the process first) and events. */
const hb_remark_row *hb_log_remark(const hb_log *log, uint64_t index);
const hb_remark_kind *hb_log_remark_kind(const hb_log *log, uint64_t number);
/* The value of each field of its kind; false (0): the remark is to be left out. */
int hb_remark_read(const hb_log *log, const hb_remark_row *remark, hb_remark_value ret_value[HB_REMARK_FIELDS_MOST]);
/* The first `most` numbers of a list; how many these are. */
uint64_t hb_remark_numbers(const hb_remark_value *value, int64_t *ret_number, uint64_t most);
/* The name that the program gave to communicator, datatype or window `number` of this process, NULL: none. Text of the
 * program: it may hold anything. */
typedef enum { HB_NAMED_COMM, HB_NAMED_TYPE, HB_NAMED_WIN, HB_NAMED } hb_named;
const char *hb_log_name(const hb_log *log, hb_named what, int64_t number);
/* Marks are in raw logs only, in the order in which they came lane by lane. */
const hb_mark *hb_log_mark(const hb_log *log, uint64_t index);

/* A cursor before event `from` (1 is the first) of a lane; sealed logs seek by
 * their index, raw logs by their units. hb_cursor_next returns 1 and fills
 * *ret_row, 0 at the end (or the cut), or a negative status. */
hb_status hb_cursor_open(hb_log *log, uint32_t lane, uint64_t from, hb_cursor **ret_cursor, hb_error *err);
int hb_cursor_next(hb_cursor *cursor, hb_row *ret_row, hb_error *err);
/* What is known of a slot at the point where the cursor stands: with a cursor
 * opened at events + 1, for lane_info.inside_slot and polling_slot. Only slot, function, site
 * and the arguments of *ret_row are set. HB_E_ARGUMENT: no such slot. */
hb_status hb_cursor_slot(hb_cursor *cursor, uint32_t slot, hb_row *ret_row);
void hb_cursor_close(hb_cursor *cursor);
/* enter, exit and digest of rows will not be looked at: they may be anything from now on, and rows come faster. */
void hb_cursor_skip_times(hb_cursor *cursor);

/* A stretch of a lane that can be found without reading what stands before it: a block of a sealed log, a unit of a raw one. */
typedef struct hb_stretch {
	uint64_t first, events; /* number of its first event, and how many */
	uint64_t
		tick; /* at which the event before it was left; for the first one some time before it; 0 at level order */
} hb_stretch;
/* Stretch `index` of a lane, counted from 0 in its order. Of a sealed log no more is read than the beginning of the block, and no checksum, so
 * that a damaged one may say anything. HB_E_ARGUMENT: there are not so many; HB_E_DAMAGED: its beginning makes no sense. */
hb_status hb_log_stretch(const hb_log *log, uint32_t lane, uint64_t index, hb_stretch *ret_stretch, hb_error *err);

/* Writes the sealed form of the raw log at `from` to `to` (a new file, renamed
 * into place when complete). Sealing a recovered log keeps what is readable and
 * its trouble. progress, when not NULL, is called now and then with the share done. */
typedef void hb_progress(void *user, double share);
hb_status hb_log_seal(const char *from, const char *to, hb_progress *progress, void *user, hb_error *err);

/* Writes the raw form of a log (for the target, which reads nothing else). A
 * raw log is copied up to its last whole record. until: how many events of the first lane are
 * written, UINT64_MAX: all; with fewer than it has, the log ends there as that of a process that was killed. */
hb_status hb_log_unseal(const char *from, const char *to, uint64_t until, hb_error *err);

/* What becomes of a row that is copied. */
typedef enum hb_fate {
	HB_FATE_KEEP, /* as it stands in *row now */
	HB_FATE_DROP, /* the level does not store it */
	HB_FATE_SKIP, /* counted as skipped: a wildcard receive that did not race */
} hb_fate;
/* Decides about a row and may change it; what it points to must last until the next call. inside: it is the call that
 * the lane never returned from (no results), KEEP or DROP. Polls before rows that are not kept count for the next one. */
typedef hb_fate hb_filter(void *user, hb_row *row, int inside);

/* Writes a raw log at level racing from what the filter keeps of the rows of a log of any level: calls without arguments,
 * times and places. */
hb_status hb_log_distil(hb_log *log, const char *to, hb_filter *filter, void *user, hb_error *err);

/* Reads everything and checks every checksum. 0 when whole; HB_E_DAMAGED with
 * the first damage in *err. */
hb_status hb_log_verify(const char *path, uint64_t *ret_events, hb_error *err);

#ifdef __cplusplus
}
#endif
#endif
