/* Inside world/: what is put together while it is found out where the bridges of all logs lead. */
#ifndef HBDB_MODEL_WORLD_CROSSING_H
#define HBDB_MODEL_WORLD_CROSSING_H

#include "model/world/world.h"

/* A bridge of a log. */
struct hb__bridge_at {
	uint32_t log, place; /* which of its bridges */
	uint32_t crossing;   /* HB_NO: where it leads is not known */
	bool caller;
	const hb_bridge *b;
	const hb_comm *c; /* its communicator; never NULL */
};

/* The processes on one side of a crossing: the local group of a bridge at the root of its call, or a world that was made. */
struct hb__side {
	uint32_t root;  /* place in bridge[]; HB_NO: ... */
	uint32_t world; /* ... all of this world */
};
struct hb__crossing {
	struct hb__side side[2]; /* the remote group of the one is the other */
	bool told;               /* all bridges of both sides know it, and nothing is left to be learned */
};

struct hb__crossings {
	const hb_log_named *logs;
	size_t n;
	hb_worlds *w;
	uint32_t *by_name; /* logs by world and rank */
	size_t named;
	struct hb__bridge_at *bridge; /* of all logs, log by log */
	size_t bridges, *first;       /* by log: its first one; one more for the end */
	uint32_t *alike;              /* bridges by log, kind, index and sizes, then in order */
	uint32_t *door; /* bridges at the roots of calls that meet others: by what both sides have, then by time */
	size_t doors;
	struct hb__crossing *crossing;
	size_t crossings, room;
	bool changed; /* somebody was found out since this was last set false */
	bool no_memory;
};

/* ---- names.c ---- */
/* Of two processes without MPI. */
bool hb__made_before(const hb_log *a, const hb_log *b);
/* When the worlds have their numbers. False: out of memory. */
bool hb__name_processes(const hb_log_named *logs, size_t n, hb_worlds *worlds);

/* ---- bridges.c ---- */
static inline bool hb__same_name(hb_named_process a, hb_named_process b)
{
	return a.world != HB_NO && a.world == b.world && a.rank == b.rank;
}
/* The log of a process; HB_NO: there is none. */
uint32_t hb__log_called(const struct hb__crossings *x, hb_named_process p);
/* The two bridges lead to each other; `to` HB_NO: to this world. */
void hb__cross(struct hb__crossings *x, uint32_t from, uint32_t to, uint32_t world);
/* Which call made each world, and where all bridges lead. False: out of memory. */
bool hb__cross_bridges(const hb_log_named *logs, size_t n, hb_worlds *worlds);

/* ---- meetings.c: accepted, connected, joined ---- */
bool hb__list_doors(struct hb__crossings *x); /* false: out of memory */
/* Finds which of them belong to each other; `late`: by their times alone, where nothing else tells. */
void hb__find_meetings(struct hb__crossings *x, bool late);

/* ---- strangers.c ---- */
bool hb__list_strangers(struct hb__crossings *x); /* none of them is known; false: out of memory */
/* Tells the processes of a crossing who is on its other side. */
void hb__tell_strangers(struct hb__crossings *x, uint32_t crossing);

#endif
