/* The pass that gives all events their clocks: its state, shared by clocks.c and collectives.c. */
#ifndef HBDB_MODEL_CLOCK_RUN_H
#define HBDB_MODEL_CLOCK_RUN_H

#include "model/clock/clock.h"

#define HB__SLEEPER 0x80000000u /* in run.flight and run.posted: the number of the line that waits */
#define HB__GONE 0x7fffffffu    /* nobody needs the version any more */
#define HB__PROBED HB_CHOSEN    /* of a send: its version is kept, for a probe may ask after its receive */

struct hb__runner {
	uint32_t *clock;
	uint32_t version;  /* of the clock, for messages; HB_NO: it changed since */
	uint32_t next;     /* in the queue of lines that can run */
	uint32_t chain;    /* in a chain of sleepers */
	uint32_t starters; /* lines of other threads that wait for MPI_Init */
	uint32_t event;
	uint64_t op;     /* the next one */
	uint64_t around; /* the next call around others */
	uint64_t lamport_enter, lamport;
	bool begun, ended, queued;
	bool force; /* the next edge is given up */
};

struct hb__post {
	uint32_t version;
	uint64_t lamport;
};

/* A collective that some have entered and not all have left. Sides: those of an intercommunicator. */
struct hb__collective_state {
	uint32_t entered[2], expected[2];
	uint32_t known[2]; /* the maximum of the clocks of those who entered, a version; HB_NO */
	uint64_t lamport[2];
	uint32_t left;     /* processes */
	uint32_t sleepers; /* lines */
	bool root_entered;
	uint32_t root_version;
	uint64_t root_lamport;
	uint32_t *scan_version; /* scans: by place in the group, 1 + version */
	uint64_t *scan_lamport;
	uint32_t next_free;
};

/* An edge of one-sided synchronisation. */
struct hb__edge_state {
	uint32_t version; /* of the line at its begin, HB_NO: not there yet, or used */
	uint64_t lamport;
	bool begun;
	uint32_t sleeper; /* line; HB_NO */
};

struct hb__clock_run {
	hb_model *m;
	hb_clock_options ask;
	uint32_t *asked; /* by send: 1 + its first question */
	struct hb__versions versions;
	struct hb__runner *lines;
	uint32_t *clocks, *init; /* init: by first line of a process, number of its MPI_Init */
	uint32_t *flight;        /* by send: 0 not sent, 1 + version, a sleeper, gone */
	uint32_t *send_time;     /* by send: Lamport time of its enter */
	struct hb__table posted; /* receives of synchronous messages -> posts, or a sleeper */
	VEC(struct hb__post) posts;
	uint32_t *state_of; /* by collective: 1 + place in states */
	VEC(struct hb__collective_state) states;
	uint32_t free_state;
	uint32_t first, last; /* queue of lines that can run */
	uint32_t quantum;     /* operations a line does before the next has its turn */
	struct hb__edge_state *edges;
	uint64_t done, broken;
	size_t ended;
	uint64_t idle; /* turns since something was done */
	bool stopped, no_memory;
};

void hb__wake_chain(struct hb__clock_run *run, uint32_t *chain);
/* The line's clock becomes the maximum of itself and the version. */
void hb__learn(struct hb__clock_run *run, uint32_t line, uint32_t version);

void hb__collective_entered(struct hb__clock_run *run, uint32_t line, uint32_t id);
bool hb__collective_left(struct hb__clock_run *run, uint32_t line, uint32_t id); /* false: the line sleeps */
void hb__collectives_close(struct hb__clock_run *run);

/* ---- edges.c ---- */
void hb__edge_begun(struct hb__clock_run *run, uint32_t line, uint32_t edge);
bool hb__edge_ended(struct hb__clock_run *run, uint32_t line, uint32_t edge); /* false: the line sleeps */
uint32_t hb__clock_snapshot(struct hb__clock_run *run, uint32_t line);
void hb__clock_wake(struct hb__clock_run *run, uint32_t line);

#endif
