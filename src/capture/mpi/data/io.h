/* Level data, MPI's part: what a call put into the memory of the process, and every answer that does not follow from its arguments.
 *
 * Each item is described once, for both directions: a function says number by number and buffer by buffer what belongs to it, and
 * while the run is recorded these are kept, while it is replayed alone they are given. */
#ifndef HBDB_CAPTURE_MPI_DATA_IO_H
#define HBDB_CAPTURE_MPI_DATA_IO_H

#include "capture/core/data/data.h"
#include "capture/mpi/library.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"
#include "format/data/raw.h"

#pragma GCC visibility push(hidden)

/* ---- places.c: where contents lie in the memory of the process ---- */

struct hb__place {
	uint8_t *at;
	int64_t count, unit;  /* elements, and bytes of one without its holes */
	MPI_Datatype type;    /* where it has holes: */
	bool holes, own_type; /* own_type: a duplicate of ours */
};
struct hb__places {
	unsigned n;
	bool message; /* what comes may be shorter */
	int64_t bytes;
	struct hb__place one, *place; /* place: NULL where there is only one */
};

/* Where a call receives into; n is 0 when there is nothing. Valid during the call: hb__places_keep makes it last. */
void hb__places_of_message(struct hb__call *c, struct hb__places *ret);
void hb__places_of_buffer(uintptr_t buf, int64_t count, uintptr_t type, struct hb__places *ret);
void hb__places_of_part(struct hb__call *c, const struct hb__part *part, struct hb__places *ret);
/* Copies what the caller's arguments may change or end. False: memory is gone. */
bool hb__places_keep(struct hb__places *places);
void hb__places_drop(struct hb__places *places);
/* Bytes in the order of the types' maps, without holes, up to `bytes` of them. */
bool hb__places_read(const struct hb__places *places, int64_t bytes, uint8_t *to); /* false: they cannot be read */
void hb__places_write(const struct hb__places *places, int64_t bytes, const uint8_t *from);

/* ---- partial.c: the first `bytes` bytes, as pieces of memory; of a datatype that is too long to be listed all between its first and its last byte ---- */
void hb__places_each(const struct hb__places *places, int64_t bytes, void (*each)(const void *p, size_t bytes));

/* ---- partial.c: the first bytes of an element; to: where they go, or from: where they come from. False: they cannot be read ---- */
bool hb__part_by_map(const struct hb__typemap *map, uint8_t *at, int64_t bytes, uint8_t *to, const uint8_t *from);

/* ---- io.c ---- */

struct hb__io {
	bool gives, open;
	bool bad; /* what is given is not what is asked for: another program, or a damaged file */
	struct hb__item *item;
};

/* The item of the event under way, with up to n pieces. False: nothing is kept; or nothing is there to be given. */
bool hb__io_event(struct hb__io *io, struct hb__call *c, unsigned n);
/* The item of a call that is no event: of this source, hb__io_source for a function. */
bool hb__io_call(struct hb__io *io, struct hb__source *source, unsigned n);
struct hb__source *hb__io_source(const struct hb__fn *fn);
void hb__io_end(struct hb__io *io);

void hb__io_number(struct hb__io *io, uint32_t what, int64_t *v);
void hb__io_numbers(struct hb__io *io, uint32_t what, int64_t *v, int n);
void hb__io_ints(struct hb__io *io, uint32_t what, int *v, int n, bool ranks);
void hb__io_bytes(struct hb__io *io, uint32_t what, void *p, size_t *bytes, size_t room);
void hb__io_text(struct hb__io *io, uint32_t what, char *text, size_t room);
void hb__io_places(struct hb__io *io, uint32_t what, const struct hb__places *places, int64_t bytes);
void hb__io_status(struct hb__io *io, uint32_t what, MPI_Status *st);

/* The argument with this role, as a piece. */
static inline uint32_t hb__io_what(const struct hb__call *c, enum hb_role role) { return c->fn->role[role]; }

/* ---- calls.c: a message that a blocking receive got; one that a probe found. False: what should be given is not there ---- */
bool hb__io_message(struct hb__call *c, MPI_Status *st);
bool hb__io_probed(struct hb__call *c, MPI_Status *st);

/* ---- calls.c: what the events bring that are neither messages nor completions ---- */
/* False: what should be given is not there. */
bool hb__io_outcome(struct hb__io *io, struct hb__call *c);
bool hb__io_new_window(struct hb__io *io, struct hb__call *c); /* alone: of a shared one it makes the window, too */
/* Of a call of windows or files that is no event; *code: what it returned, or returns. */
bool hb__io_move(struct hb__io *io, struct hb__call *c, int *code);
void hb__places_of_fetch(struct hb__call *c, struct hb__places *ret);

/* ---- files.c ---- */
bool hb__io_file(struct hb__io *io, struct hb__call *c, int *code);

/* ---- windows.c: what is asked for, and comes with a later call ---- */
struct hb__fetch {
	struct hb__fetch *next;
	uintptr_t of; /* the window, the file */
	int target;
	struct hb__places places;
};
struct hb__fetches { /* in the order in which they were asked for; zeros: none */
	struct hb__fetch *first, **last;
};
#define HB__OF_ALL -1
#define HB__OF_NONE -2
/* Keeps the places. */
void hb__fetches_add(struct hb__fetches *list, uintptr_t of, int target, struct hb__places *places);
/* Takes those of one target, or of all, out of the list. */
struct hb__fetch *hb__fetches_take(struct hb__fetches *list, uintptr_t of, int target);
void hb__fetches_drop(struct hb__fetch *taken);
/* Of which targets a synchronisation completes them at their origin: a rank, or one of the two above. */
int hb__completed_targets(const struct hb__call *c);
/* A call asks its window. */
void hb__fetches_window(struct hb__fetches *list, struct hb__call *c);

/* ---- windows.c: windows ---- */
void hb__window_new(uintptr_t handle, int rank, bool shared);  /* rank: of this process in it */
int hb__window_base(uintptr_t handle, void **base, int *flag); /* as MPI_Win_get_attr answers */
void hb__window_gone(uintptr_t handle);
void hb__window_range(uintptr_t handle, int rank, void *base,
	int64_t bytes); /* rank: of the window; nothing where there is no memory */
void hb__window_segment(uintptr_t handle, int rank, void *base, int64_t bytes, int unit, bool fresh);
void hb__window_no_range(uintptr_t handle, const void *base);
bool hb__window_query(uintptr_t handle, int rank, MPI_Aint *bytes, int *unit, void *base); /* false: not shared */
void hb__window_fetches(struct hb__call *c); /* a call that fetches data, before it is complete */
/* A synchronisation of this window: what it completed, and what others changed. */
bool hb__io_window(struct hb__io *io, struct hb__call *c, uintptr_t handle);
/* After an event that may have waited: what others changed in memory that is shared, as an item of its own. */
void hb__io_shared(struct hb__call *c);
/* What a call that makes a request will have brought when that is over; n 0: nothing. */
void hb__places_to_come(struct hb__call *c, struct hb__places *ret);

/* ---- requests.c: completions ---- */
void hb__io_start_requests(void); /* observes the life of requests */
struct hb__completion {
	int n;                      /* requests asked about */
	const uintptr_t *was;       /* their handles, before */
	const MPI_Request *at;      /* the variables they were in; NULL: not known */
	MPI_Status *st;             /* of each, or as the call answers */
	int *index, *out, *indices; /* as the call answers; NULL: it does not */
	int code;                   /* of the call */
};
bool hb__io_completion(struct hb__call *c, struct hb__completion *k); /* false: likewise */
bool hb__io_arrived(struct hb__call *c);                              /* MPI_Parrived says yes; false: likewise */

/* ---- keep.c: the ways of a run that is recorded ---- */
void hb__keep_begin_process(void);

/* ---- digests.c: of whole contents (HBDB_DIGESTS=whole) ---- */
extern bool hb__digests;      /* they are asked for, and there is a file for them */
void hb__digests_start(void); /* observes the life of requests, too */
/* A call begins: what it gives is looked at; of one that completes requests and has answered already nothing is given. */
void hb__digests_begin(struct hb__call *c);
void hb__digests_mark(struct hb__call *c);
void hb__digests_places(struct hb__call *c, struct hb__places *ret);
void hb__digests_starting(
	const struct hb__places *given); /* the next request of a call that starts some; NULL: it gives nothing */
void hb__digests_arrived(
	const struct hb__call *c, const struct hb__places *places, const MPI_Request *at, MPI_Status *st);
/* It is over: what it got is looked at, and all is written down. moved: it is no event. */
void hb__digests_end(struct hb__call *c, int code);
void hb__digests_moved(struct hb__call *c, int code);

/* ---- comms.c ---- */
void hb__io_topology(struct hb__io *io, uint32_t what, int *kind);
/* What is known of a new communicator of which this process is a member; hb__comm_outside. */
void hb__io_comm(struct hb__comm *comm);

/* ---- ../alone/handles.c ---- */
/* Alone, and the recording has nothing for this call: it ends here. Returns only where the user wants to go on. */
void hb__alone_without(struct hb__call *c);

#pragma GCC visibility pop

#endif
