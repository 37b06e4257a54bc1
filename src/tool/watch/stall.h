/* Whether the processes of a replay still get anywhere. */
#ifndef HBDB_WATCH_STALL_H
#define HBDB_WATCH_STALL_H

#include "lanes.h"

/* How sure it is that a replay that stands still does not go on. */
typedef enum hb_still {
	HB_STILL_UNKNOWN, /* not asked yet */
	HB_STILL_PROVEN, /* by the recording: each process waits for what another one, which waits too, has yet to do */
	HB_STILL_ENDED, /* some process is at the end of its record, and it is not known that others can go on without it */
	HB_STILL_OPEN, /* some call may return yet */
} hb_still;

typedef struct hb_stall {
	const char *logs;      /* where the processes keep their lane controls */
	const char *script;    /* the logs that they follow */
	const char *recording; /* ... as they were recorded */
	int32_t size;
	char *const *name;    /* by number, as hb_replay_folder has it, and so is what is per rank here */
	const uint64_t *last; /* per rank: events after which its record breaks off, UINT64_MAX where it does not */
	double patience;      /* seconds without a step that are worth a question */
	double ended;         /* when the recorded run ended, in seconds since the epoch; 0: not known */
	double lasted;        /* how long it ran; 0: not known */
	/* ---- what was seen ---- */
	hb_lanes lanes;
	double looked, since, still; /* still: seconds without a step, at the last look */
	uint64_t polls;              /* of all processes, at `since` */
	uint64_t *used;              /* per rank: clock ticks of processor time, at `since` */
	bool used_up;                /* a process made no call after its last recorded one */
	hb_still sure;
	double limit; /* seconds that it may stand still, once it was asked how sure it is */
} hb_stall;

/* True when no process has made a step for so long that none will: each that is not `over` (per rank) is inside a call,
 * sleeps until another thread wakes it, or is past the last call of a record that broke off. That is after `patience`
 * when the recording proves that they wait for each other, or for a process whose record ends. Else what they do may
 * take long: it may last as long as in the recording, several times, and a line says that it is waited for. */
bool hb__stalled(hb_stall *stall, const bool *over);
/* A line for each process that waits: in which of its recorded calls, and for whom. */
void hb__print_waiting(const hb_stall *stall, const bool *over);
/* Events of a process's first thread in this replay; -1: it did not come up. */
int64_t hb__stood_at(hb_stall *stall, int32_t rank);
void hb__stall_close(hb_stall *stall);

/* ---- needs.c: what the calls under way need, by the recording ---- */

typedef struct hb_wait_for {
	int32_t rank;   /* number of a process that waits inside a call */
	uint64_t event; /* that call */
	char call[64];  /* its function */
	double took;    /* seconds that it took in the recording; -1: not known */
	int32_t needs;  /* number of the one that has yet to do what it needs; -1: nobody, or not known */
	uint64_t needs_event;
	bool stuck; /* ... and does not, for it waits, too */
} hb_wait_for;

/* For each process that is not over and whose first thread is inside a call: what it waits for. position: an event's number is
 * beyond it when the thread has not entered it. Returns how many; *ret_proven: all processes are stuck. free *ret. */
size_t hb__needs(const hb_stall *stall, const bool *over, hb_wait_for **ret, bool *ret_proven);
/* When it stalled: whether a process is in a call that returned in the recorded run, and waits for nobody, as far as the recording tells, whose record
 * ends before that (stall.c). */
bool hb__falls_short(const hb_stall *stall, const bool *over, hb_wait_for *ret);

#endif
