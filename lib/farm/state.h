/* What a process of a farm knows. A process takes part in one farm at a time. */
#ifndef FARM_STATE_H
#define FARM_STATE_H

#include <mpi.h>

#include <hbdb/farm.h>

#include "spec/settings.h"
#include "wire/parcel.h"

/* Processes that are no nodes. Generator and receiver have these numbers in events, too. */
enum { NODE_GENERATOR = -1, NODE_RECEIVER = -2, NODE_SPARE = -3 };

enum { ASIDE_MOST = 8 }; /* of so many tasks it is told which */
enum { NODE_DEAD = -4, NODE_UNKNOWN = -5 };

/* What a process has done, for the report; sent as bytes. */
struct counts {
	int64_t node;
	int64_t taken, computed, split, joined, passed; /* tasks; passed: results that came from below */
	int64_t timed, timed_ns;                        /* of how many computed the time was taken, and their sum */
	int64_t idle_ns, run_ns;                        /* waiting for messages; from begin to end */
	int64_t window, messages, bytes;                /* the last window of credits; what was sent */
	int64_t generated, received, untaken;
	int64_t buried, aside; /* nodes seen dead; tasks that were put aside */
	struct {
		int64_t task;
		int level;
		uint64_t part;
	} aside_task[ASIDE_MOST];
};

struct farm {
	const hb_farm_program *program;
	struct settings settings;
	MPI_Comm comm;
	int rank, processes;
	int node;
	int saying; /* events are made: somebody records, and monitoring is on */
	int monitored;
	int status; /* HB_FARM_..., below zero: the farm stops */
	char error[1024];
	struct counts counts;
	struct counts *all; /* rank 0: of each process, by rank */
};
extern struct farm farm __attribute__((visibility("hidden")));

/* -1: that of node 0, which is none of the farm's own. */
static inline int rank_of(int node)
{
	int hosts = farm.settings.number[KEY_HOST] == HOST_TWO ? 2 : 0;
	return node >= 0 ? node + hosts : hosts ? -1 - node : -1;
}

static inline int node_of(int rank)
{
	int hosts = farm.settings.number[KEY_HOST] == HOST_TWO ? 2 : 0;
	return rank < hosts ? -1 - rank : rank - hosts < farm.settings.number[KEY_NODES] ? rank - hosts : NODE_SPARE;
}

/* The farm stops, everywhere: the others are told. A line, without its end. */
void farm_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Nothing can be done without memory: ends the job. */
void farm_no_memory(void) __attribute__((noreturn));

int64_t now_ns(void);

#endif
