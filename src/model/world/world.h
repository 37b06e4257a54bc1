/* The worlds of a recording. */
#ifndef HBDB_MODEL_WORLD_WORLD_H
#define HBDB_MODEL_WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hbdb/format.h>

#include "base/program.h"
#include "calls/meaning.h"

/* A process by its name. */
typedef struct hb_named_process {
	uint32_t world; /* place in hb_worlds.world; HB_NO: not known */
	int32_t rank;
} hb_named_process;

typedef struct hb_world {
	uint32_t number;        /* 0: the one that was started */
	uint32_t size;          /* processes, as far as the logs tell */
	bool lone;              /* which other processes are of it is not known */
	bool spawned;           /* a process made it */
	bool outside;           /* a process without MPI, which is a world of its own */
	hb_named_process maker; /* that one; .world HB_NO: not known, or not recorded */
	uint64_t began;  /* when the first of its recorded processes did: nanoseconds since the epoch; 0: not known */
	uint32_t log;    /* one of its logs */
	uint32_t bridge; /* at the maker: the bridge by which it was made; HB_NO: not known */
} hb_world;

/* A bridge of a log, and where it leads. */
typedef struct hb_way {
	uint32_t log, comm; /* its communicator, by its number in the log */
	uint32_t
		crossing; /* a number that the bridges of both sides, and no others, have; HB_NO: where it leads is not known */
	uint32_t kind; /* enum hb_bridge_kind */
	bool root;     /* the process is the root of the call */
	bool caller;   /* it is on the first of the two sides: that made the world, or accepted */
} hb_way;

/* Bridges of one kind of which it is not known where they lead. */
typedef struct hb_untold {
	uint32_t calls;     /* at their roots */
	uint64_t processes; /* in their remote groups */
} hb_untold;

/* "3", of another world "3@1"; of a process without MPI its program, "worker", "worker#2". */
#define HB_PROCESS_NAME 40 /* room for two ranks, too */
typedef char hb_process_name[HB_PROCESS_NAME];

typedef struct hb_worlds {
	hb_world *world; /* in the order of their numbers */
	uint32_t n;
	uint32_t *of;                /* by log: place of its world */
	hb_process_name *name;       /* by log: what it is called, in every run in which the same processes are made */
	hb_named_process **stranger; /* by log: its strangers */
	uint32_t *strangers;         /* by log: how many */
	hb_way *way;                 /* by log, then by communicator */
	size_t ways;
	hb_untold untold[HB_BRIDGES]; /* by enum hb_bridge_kind */
	uint32_t orphans;             /* worlds that were made, and it is not known by whom */
	uint32_t by_time; /* connections at ports, and worlds, that are told from each other by their times alone */
} hb_worlds;

/* A log, and what the name of its file says: 0, or a PID. */
typedef struct hb_log_named {
	const hb_log *log; /* NULL: not readable; it is of the world that the name says */
	int32_t rank;
	uint32_t pid;
} hb_log_named;

/* Finds the worlds of some logs. False: out of memory. Free *ret with hb_worlds_free in any case. */
bool hb_worlds_find(const hb_log_named *logs, size_t n, hb_worlds *ret);
void hb_worlds_free(hb_worlds *worlds, size_t n);

/* Who a member of a communicator of this log is: a rank in its world, or a stranger. */
static inline hb_named_process hb_worlds_member(const hb_worlds *w, size_t log, int64_t member)
{
	if (member >= 0)
		return (hb_named_process){w->of[log], (int32_t)member};
	if (member < -1 && (uint64_t)(-2 - member) < w->strangers[log])
		return w->stranger[log][-2 - member];
	return (hb_named_process){HB_NO, -1};
}

/* ---- names.c ---- */
/* Ranks of the world of that number that follow each other: "2", "2-4", of another world than that of the first job "2@1", "2-4@1".
 * Returns ret_name. */
const char *hb_process_range(uint32_t world, int32_t first, int32_t last, hb_process_name ret_name);

/* What stands before a name in a sentence: "rank ", or nothing when it is that of a program. */
static inline const char *hb_rank_word(const char *process_name)
{
	return *process_name >= '0' && *process_name <= '9' ? "rank " : "";
}

/* What a process with that name does in between its calls: it is outside of MPI, or of all that is recorded. */
static inline const char *hb_process_outside(const char *process_name)
{
	return *hb_rank_word(process_name) ? "outside MPI" : "outside the calls that are recorded";
}

/* ---- bridges.c ---- */
/* What is known of a communicator of this log that is a bridge; NULL: it is none. */
const hb_way *hb_worlds_way(const hb_worlds *w, size_t log, uint32_t comm);

/* ---- missing.c ---- */
/* Room for the longest sentence. */
#define HB_WORLDS_TEXT 400
/* What the recording does not have of other worlds, as sentences for people, counted from 0. False: there are no more. */
bool hb_worlds_missing(const hb_worlds *w, uint32_t index, char text[HB_WORLDS_TEXT]);

#endif
