/* The handles of the target that are alive, and their neutral numbers. */
#ifndef HBDB_CAPTURE_TRACK_TRACK_H
#define HBDB_CAPTURE_TRACK_TRACK_H

#include "capture/core/record/record.h"
#include "capture/core/record/tables.h"
#include "capture/mpi/library.h"

#pragma GCC visibility push(hidden)

/* ---- comms.c ---- */
struct hb__comm {
	MPI_Comm handle;
	int number, parent;
	uint64_t index; /* communicators the parent had created before */
	uint64_t created;
	int rank, size, remote_size;
	bool inter;
	bool carried;                    /* its messages carry a prefix, if any do */
	int leader;                      /* world rank of rank 0 */
	int *member, *remote;            /* world ranks */
	int neighbors_in, neighbors_out; /* -1: no topology */
	int topology;                    /* MPI_UNDEFINED: none */
	uint64_t nobodys;                /* Cartesian: neighbours that are MPI_PROC_NULL, a bit each */
};
extern void (*hb__topology_made)(
	MPI_Comm handle, const struct hb__comm *comm); /* a new one has a topology; NULL: nobody wants to know */
/* Level data: what was found out of a new one is kept, or, without other processes, given. NULL: neither. */
extern void (*hb__comm_outside)(struct hb__comm *comm);
void hb__comms_start(void);
void hb__comms_world(void); /* after sessions MPI_Init gives the process its two communicators */
extern MPI_Group hb__world_group;
/* One of several processes, if there is any, to look at: for the library to go on; *ret_rank: of this process in it. */
MPI_Comm hb__comm_to_look_at(int *ret_rank);
struct hb__comm *hb__comm_find(uintptr_t handle); /* NULL: unknown */
/* Registers the communicator that `parent` (NULL: none) made after `index` others; its number, or -1 for MPI_COMM_NULL. */
int hb__comm_add(const struct hb__comm *parent, uint64_t index, struct hb__origin from, MPI_Comm handle);
/* To be called once per constructor call on the parent, whatever it returned here. */
static inline uint64_t hb__comm_index(struct hb__comm *parent)
{
	return parent ? __atomic_fetch_add(&parent->created, 1, __ATOMIC_RELAXED) : 0;
}
/* The same for a constructor that only the members of the new communicator call: how many the parent has made they cannot agree on, so
 * it is who they are, and how many they made before. */
uint64_t hb__comm_index_apart(const struct hb__comm *parent, MPI_Comm made, int tag);
void hb__comm_remove(uintptr_t handle, const struct hb__comm *was); /* if it is that one still */

/* Under the lock: ranks of the first n of a group in the world; HB_NONE: not in it, and never met; below that: a stranger.
 * Kept for ever; NULL: not known. */
int *hb__world_ranks(MPI_Group group, int n);

/* ---- worlds.c: processes of other worlds, numbered as this one meets them: number k is written -2 - k ---- */
void hb__world_define(void);
/* Those of a group that are none of this world (HB_NONE in ret), where this process has met them. */
void hb__strangers_of(MPI_Group group, int n, int *ret);
/* A new intercommunicator leads to processes of another world: before it is registered. */
void hb__strangers_met(MPI_Comm bridge);
/* ... and after it is: it has this number, and the call that made it was entered at this time. */
void hb__bridge_made(const struct hb__call *c, const struct hb__comm *parent, int number, uint64_t entered);

/* ---- types.c: datatypes ---- */
struct hb__type {
	int number;
	bool dense; /* bytes follow each other without holes, from the address given */
	bool committed;
	int64_t size;
	struct hb__typemap *map; /* NULL: not asked for */
	struct hb__origin from;
	bool named; /* by the program: told when it gets its number */
};
void hb__types_start(void);
void hb__type_tell(uint32_t basic);                     /* under the lock: defines a predefined one for the log */
struct hb__type *hb__type_at(uintptr_t handle);         /* under the lock; NULL: unknown. It is not a use */
const struct hb__type *hb__type_find(uintptr_t handle); /* never NULL; number -1 when unknown */
const struct hb__type *hb__type_look(uintptr_t handle); /* the same, and it is not a use */
/* fresh: a call has just made it, so what is known of the handle is about one that another thread is freeing. */
void hb__type_add(MPI_Datatype handle, bool committed, bool fresh);
void hb__type_remove(uintptr_t handle, const struct hb__type *was); /* if it is that one still */

/* ---- typemap.c: what a datatype consists of ---- */
extern bool hb__typemaps_wanted; /* from the first use of a datatype on, for the log; else when they are asked for */
struct hb__typerun {
	int64_t offset; /* bytes from the address given */
	uint32_t basic,
		elements; /* so many of a predefined datatype (its number in calls/datatypes.def), one behind the other */
};
struct hb__typemap {
	int64_t size, lb, extent, true_lb, true_extent;
	/* Of the sequence of basic types (format/row.h: hb_signature_repeat gives that of several): digest and length. */
	uint64_t signature, elements;
	bool known; /* false: only sizes and bounds are known */
	bool exact; /* false: too long to be listed; run is empty, the rest holds */
	bool twice; /* a byte belongs to two entries, that at twice_at */
	int64_t twice_at;
	int64_t again; /* the first element, counted from 0, that overlaps element 0; 0: none, or not known */
	uint32_t n, nseq;
	struct hb__signature_run *seq; /* the sequence of basic types, or the beginning of it, without places */
	struct hb__typerun run[];      /* in the order of the type map */
};
/* Made at first use and kept as long as the datatype lives. NULL: not known (freed, invalid, no memory). */
const struct hb__typemap *hb__typemap(MPI_Datatype handle);
/* The same of a duplicate of ours, which is in no table: the caller frees it. */
struct hb__typemap *hb__typemap_of_copy(MPI_Datatype handle);
/* Bytes from one element of a predefined datatype to the next, and of one of them without its holes; of one that was seen in a type map. */
int64_t hb__basic_extent(uint32_t basic);
int64_t hb__basic_size(uint32_t basic);
/* Under the lock of track/: writes the signature of a datatype that was defined; and forgets the map of one that is freed. */
void hb__typemap_define(struct hb__type *t, MPI_Datatype handle);
void hb__typemap_drop(struct hb__type *t);

/* ---- made.c: operations, windows, files ---- */
struct hb__made;
void hb__ops_start(void);
void hb__made_add(enum hb__numbered kind, uintptr_t handle);                    /* a call has just made it */
const struct hb__made *hb__made_look(enum hb__numbered kind, uintptr_t handle); /* NULL: unknown. It is not a use */
void hb__made_remove(
	enum hb__numbered kind, uintptr_t handle, const struct hb__made *was); /* if it is that one still */
int hb__made_number(enum hb__numbered kind, uintptr_t handle);
static inline int hb__op_number(uintptr_t handle) { return hb__made_number(HB__OPS, handle); }
static inline int hb__win_number(uintptr_t handle) { return hb__made_number(HB__WINS, handle); }
static inline int hb__file_number(uintptr_t handle) { return hb__made_number(HB__FILES, handle); }
int hb__op_look(uintptr_t handle); /* of a predefined one; -1: another. It is not a use */
/* The program has given it a name: a note says so, as soon as it has a number (hbdb-recording(5), name). */
void hb__comm_named(uintptr_t handle);
void hb__type_named(uintptr_t handle);
void hb__win_named(uintptr_t handle);

/* An epoch of accesses begins; data was fetched from this rank of the window in it, if one is open; it ends: from whom, as many as
 * `most`. */
void hb__win_started(uintptr_t handle);
void hb__win_fetched(uintptr_t handle, int rank);
int hb__win_completed(uintptr_t handle, int *ret_rank, int most);

/* ---- groups.c: who is in a group, for there is no communicator that would tell ---- */
uint64_t hb__group_digest(uintptr_t group);            /* of its world ranks; 0: it is empty; 1: not known */
void hb__group_tell(uintptr_t group, uint64_t digest); /* what has this digest */
/* The world ranks of its processes, as long as the caller's scratch; NULL: not known, *ret_n is then 0. */
const int64_t *hb__group_members(uintptr_t group, struct hb__lane *lane, int64_t *ret_n);
/* Without other processes: a group that stands for one of these. */
MPI_Group hb__group_stand_in(const int64_t *rank, int64_t n);
/* Ranks of a window become ranks of the world, -1: not in it. False: not known. */
bool hb__window_world_ranks(uintptr_t win, int *rank, int n);

/* ---- arrays.c: how long the argument arrays of collectives are, and what counts at this process ---- */
int hb__array_length(const struct hb__comm *comm, const struct hb__fn *fn, unsigned recorded);
/* Which side of a collective argument i belongs to: 's' of what is sent, 'r' of what is received, 0: both. */
char hb__side_of(const struct hb__fn *fn, unsigned i);
/* Argument i, buffers and all; comm: NULL, not known: everything counts. */
bool hb__significant(const struct hb__call *c, unsigned i, const struct hb__comm *comm);

/* ---- requests.c: requests and matched messages that are alive ---- */
struct hb__request {
	/* What every request has: these are set whenever one is made. */
	struct hb__request *chain; /* further requests with the same handle, oldest first */
	struct hb__request *tail;  /* of the chain; kept by the first, NULL in the others */
	uintptr_t handle;
	const MPI_Request *at; /* the variable it was put into */
	uint64_t posting;      /* number in its lane; of the activation when persistent */
	int64_t bytes;         /* room of the receive; -1 unknown */
	int32_t source, tag;   /* neutral, as asked for */
	uint16_t lane;
	bool receive, wild, persistent, active;
	bool message;     /* a send or a receive */
	bool cancelling;  /* MPI_Cancel was called */
	bool taken;       /* a thread is about to say that it is over */
	bool plain;       /* alone: contents that it receives go to `into`, in one piece */
	uint32_t claimed; /* with threads: number of the lane whose call may be about to end it, plus 1; 0: none */
	bool more;        /* what follows may be set: it is zero otherwise, as it is in requests that are not used */
	void *into;       /* NULL: it sends; not set unless plain */
	uint64_t made;    /* persistent: posting of the call that made it */
	uint16_t made_lane;
	uint64_t channel;           /* persistent: where it posts when it is started; 0: nobody asks */
	struct hb__carry *out, *in; /* prefixes of what it sends and receives */
	bool carried;               /* a matched message that has a prefix, ... */
	int comm;                   /* ... its communicator ... */
	uint64_t place;             /* ... and its place among the receives posted */
	MPI_Comm *idup;             /* where a new communicator appears at completion */
	struct hb__comm *idup_parent;
	uint64_t idup_index;
	struct hb__origin idup_from;
	struct hb__recv_args *args; /* replay: what a persistent receive was made with */
	MPI_Request shadow;         /* replay: what really runs in its place while active */
	bool has_shadow;
	struct hb__kept *kept;       /* level data: where what it brings will lie */
	struct hb__sent *sent;       /* replay: what a pending send sends from */
	struct hb__awaited *awaited; /* a collective whose contents are looked at when it is over */
	bool unsure;                 /* it has exchanged what it brings with another that has its handle */
	struct hb__watch *watch;     /* check: what is known of it beside this */
};

/* Most requests live for a few calls only. The newest with its place here is not in the map. */
#define HB__RECENT_BITS 8
struct hb__requests {
	struct hb__request *recent[1u << HB__RECENT_BITS], *unused;
	struct hb__map map;
	bool mixed; /* one that has more was put behind another with its handle */
};
extern struct hb__requests hb__requests;

struct hb__request *hb__request_more(void); /* one that was never used; NULL when memory is gone */
/* The first with its handle, whose place is taken; and one that is not the first. */
void hb__request_enqueue(struct hb__request *r);
void hb__request_dequeue(struct hb__request *r);
struct hb__request *hb__request_find(uintptr_t handle);
/* With threads: before the library is asked to end some of these, for it may give out a handle again to another thread as soon as it has, and
 * before we have heard of it. What has been claimed is none that is put into the table then: it is found before that by the thread that claimed it, and
 * behind all others by any other. */
void hb__requests_claim(const MPI_Request *reqs, int n);
/* ... and what of them it has not ended. was: their handles before the call. */
void hb__requests_unclaim(const MPI_Request *was, int n);
/* Under the lock: another thread than this one has claimed it. */
bool hb__request_of_another(const struct hb__request *r);
/* Under the lock. Requests that are complete at once may share a handle, and the oldest is told to be over first. What a request brings
 * goes with the variable that it was put into: the two exchange it. before: how many with this handle are about to be over
 * before it. */
struct hb__request *hb__request_of_variable(struct hb__request *oldest, const MPI_Request *at, unsigned before);
/* Calls visit for each, in no order. */
void hb__requests_alive(void (*visit)(void *user, const struct hb__request *r), void *user);
/* hb__request_take when threads may be inside the library at once. */
struct hb__request *hb__request_take_locked(uintptr_t handle, const MPI_Request *at);

static inline struct hb__request **hb__request_place(uintptr_t handle)
{
	return &hb__requests.recent[handle * 0x9e3779b97f4a7c15u >> (64 - HB__RECENT_BITS)];
}

/* The oldest with this handle. */
static inline struct hb__request *hb__request_first(uintptr_t handle)
{
	struct hb__request *r = *hb__request_place(handle);
	return likely(r && r->handle == handle) ? r
	       : hb__requests.map.used          ? hb__map_find(&hb__requests.map, handle)
						: NULL;
}

/* Takes the next posting number of the lane; NULL when memory is gone. more: members beyond the usual ones will be set. */
static inline struct hb__request *hb__request_add(
	struct hb__lane *lane, uintptr_t handle, const MPI_Request *at, bool more)
{
	hb__track_lock();
	uint64_t posting = lane->posted++;
	struct hb__request *r = hb__requests.unused;
	if (likely(r))
		hb__requests.unused = r->chain;
	else
		r = hb__request_more();
	if (likely(r)) {
		r->chain = NULL;
		r->tail = r;
		r->handle = handle;
		r->at = at;
		r->posting = posting;
		r->bytes = -1;
		r->source = HB_PROC_NULL;
		r->tag = 0;
		r->lane = lane->number;
		r->receive = r->wild = r->persistent = r->message = r->cancelling = r->taken = r->plain = false;
		r->active = true;
		r->more = more;
		struct hb__request **place = hb__request_place(handle);
		if (likely(!*place && !hb__requests.map.used))
			*place = r;
		else
			hb__request_enqueue(r);
	}
	hb__track_unlock();
	return r;
}

/* With threads the library may have given a handle out again before we heard that it was over: then the one that was claimed,
 * and put into this variable. The caller alone may say that it is over: hb__request_remove, or hb__request_back. */
static inline struct hb__request *hb__request_take(uintptr_t handle, const MPI_Request *at)
{
	if (unlikely(hb__threaded))
		return hb__request_take_locked(handle, at);
	struct hb__request *r = hb__request_first(handle);
	if (r)
		r->taken = true;
	return r;
}
/* It is not over after all; r may be NULL. */
static inline void hb__request_back(struct hb__request *r)
{
	if (r)
		r->taken = false;
}
/* One of the requests with this handle is over. */
static inline void hb__request_remove(struct hb__request *r)
{
	hb__track_lock();
	struct hb__request **place = hb__request_place(r->handle);
	if (likely(*place == r && !r->chain))
		*place = NULL;
	else
		hb__request_dequeue(r);
	if (unlikely(r->more))
		*r = (struct hb__request){.chain = NULL};
	r->chain = hb__requests.unused;
	hb__requests.unused = r;
	hb__track_unlock();
}

#pragma GCC visibility pop

#endif
