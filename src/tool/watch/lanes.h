/* What the processes of a job are doing, by their live logs: every thread that calls MPI keeps counters there, in a
 * shared mapping. The files are only read; the processes do not notice. */
#ifndef HBDB_WATCH_LANES_H
#define HBDB_WATCH_LANES_H

#include "../tool.h"
#include "format/growing/growing.h"

typedef struct hb_lane_now {
	hb_counters is; /* at the last look */
	bool asleep;    /* threads.c: in no call, until another thread of its process wakes it */
	uint32_t joins; /* ... until the thread of this lane ends; HB_NO: any; its own: it has ended itself */
	double asked;   /* when it was last seen to ask and to be told no (MPI_Test, MPI_Iprobe, ...); 0: never */
} hb_lane_now;

typedef struct hb_process_now {
	char *path;
	int32_t rank;
	uint32_t pid;    /* 0: not read yet */
	uint32_t state;  /* as in the log's header */
	hb_growing log;  /* as the last look found it */
	bool seen;       /* it was there, on this host, once */
	bool gone;       /* it is not there any more */
	double moved;    /* when */
	double init;     /* when its MPI_Init ended, in seconds since the machine started; 0: not looked up */
	uint64_t slept;  /* what its sleeping threads were seen to be in */
	double sleeping; /* since when they are seen so; 0: they are not */
	hb_lane_now *lane;
	size_t nlanes;
} hb_process_now;

typedef struct hb_lanes {
	char *recording;
	hb_process_now *at;
	size_t n;
	int32_t size;         /* of the world; 0: no log yet */
	uint32_t elsewhere;   /* processes on other hosts */
	bool ending;          /* the last thing that moved was a process that went away */
	double slept;         /* when more threads were last found to sleep */
	double looked;        /* when threads were last looked at */
	double listed, moved; /* when the folder was, and when anything last moved */
} hb_lanes;

void hb__lanes_open(const char *recording, hb_lanes *ret);
/* A look; true when anything moved since the last one: an event, a call begun or ended, a process come or gone. */
bool hb__lanes_look(hb_lanes *lanes);
void hb__lanes_close(hb_lanes *lanes);

/* Which threads in no call sleep until another one of their process wakes them, where no other thread can. For a job that
 * stands still: they are believed when nothing of them has run for a while. */
void hb__threads_look(hb_lanes *lanes);

/* Its end is in its log, or it is gone: it will do nothing any more. */
bool hb__is_over(const hb_process_now *p);
/* Each of its threads is inside a call, or asked again and again during the last `seconds`. Else it computes, as far as
 * can be seen. */
bool hb__only_waits(const hb_process_now *p, double seconds);

/* ---- doing.c: of one log ---- */

/* The call that a lane of a raw log is in, by its slot, with whom it is for ("MPI_Recv from 3"), or that is its event. False: it cannot be read. */
bool hb__call_of_log(
	const char *path, uint32_t lane, uint64_t event, uint32_t slot, bool by_slot, char *ret, size_t size);
/* How often a process has called a function. */
typedef struct hb_called {
	char *name;
	uint64_t calls;
} hb_called;
/* Of all functions of a log, as it is now: hb__calls_free. Nothing where it cannot be read. */
hb_called *hb__calls_of_log(const char *path, size_t *ret_n);
void hb__calls_free(hb_called *calls, size_t n);

#endif
