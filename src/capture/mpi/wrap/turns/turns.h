/* Turns: whose lock of a window was granted before whose, which of several atomic operations on the memory of a process came first, and
 * who moved a shared file pointer before whom. All three are chances of a run that no answer of MPI tells, so they are counted beside it:
 * with each window and file a small window of ours is made, of which nothing shows to the program. */
#ifndef HBDB_CAPTURE_WRAP_TURNS_TURNS_H
#define HBDB_CAPTURE_WRAP_TURNS_TURNS_H

#include "capture/mpi/track/track.h"
#include "capture/mpi/wrap/wrap.h"

#pragma GCC visibility push(hidden)

/* What the window of ours holds of each process, words of 64 bits. */
enum hb__turn_word {
	HB__TURN_LOCK,  /* exclusive locks granted at it so far, shared ones in the lower half */
	HB__TURN_EVERY, /* at rank 0: exclusive locks granted at any process, in the lower half MPI_Win_lock_all */
	HB__TURN_NEXT,  /* the next turn that is given away, of what is done one after the other */
	HB__TURN_DONE,  /* how many of these are over */
	HB__TURN_WORDS
};
#define HB__TURN_EXCLUSIVE (UINT64_C(1) << 32)

enum hb__held { HB__HELD_NOT, HB__HELD_SHARED, HB__HELD_EXCLUSIVE };

struct hb__turns {
	struct hb__turns *unused;
	MPI_Win ours;
	bool there; /* ours is */
	bool all;   /* MPI_Win_lock_all is in effect */
	int size;
	uint8_t *held; /* by rank: enum hb__held */
};

/* ---- hidden.c ---- */
/* A window or file has come (code: what its constructor returned), over this communicator; all of its processes come here. */
void hb__turns_come(bool win, uintptr_t handle, uintptr_t comm, int code);
struct hb__turns *hb__turns_of(bool win, uintptr_t handle); /* NULL: there are none */
/* It is about to be freed, and then it is: all processes do so. `turns` may be NULL. */
struct hb__turns *hb__turns_go(bool win, uintptr_t handle);
void hb__turns_gone(struct hb__turns *turns, bool win, uintptr_t handle, int code);
/* What the word held before `add` was added. */
uint64_t hb__turn_add(struct hb__turns *turns, int rank, enum hb__turn_word word, uint64_t add);
/* Waits until both halves of the word are at least these, one by one. */
void hb__turn_await(struct hb__turns *turns, int rank, enum hb__turn_word word, uint64_t upper, uint64_t lower);
/* Waits until so many of what is done one after the other are over; then it is this one's turn, up to hb__turn_over. */
void hb__turn_take(struct hb__turns *turns, int rank, uint64_t turn);
uint64_t hb__turn_next(struct hb__turns *turns, int rank); /* the next turn, once it has come */
void hb__turn_over(struct hb__turns *turns, int rank);
/* A call whose row tells of a turn, if it takes one: while recording always, in a replay where the recording tells of turns. */
bool hb__turns_told(void);

/* ---- locks.c, atomics.c ---- */
hb__handler hb__on_window_lock, hb__on_window_unlock;
hb__handler hb__on_atomic;         /* an atomic operation on a window */
hb__handler hb__on_shared_pointer; /* an access through the shared pointer of a file */

/* ---- claims.c ---- */
/* With threads: from here on a call says which requests it may end before it ends them. */
void hb__claims_start(void);

/* ---- postings.c ---- */
/* Which of several threads posts a message first is recorded from here on, or repeated, if it is wanted. */
void hb__postings_start(void);

#pragma GCC visibility pop

#endif
