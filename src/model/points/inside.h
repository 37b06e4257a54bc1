/* What the files of this folder share. */
#ifndef HBDB_MODEL_POINTS_INSIDE_H
#define HBDB_MODEL_POINTS_INSIDE_H

#include "model/points/points.h"

#define HB__NEST 12u /* indices of an iteration, those of all loops around it; of a deeper nest the innermost ones */

/* A checksum as a process told it. */
struct hb__told {
	const hb_array_shape *shape;
	unsigned access, state;
	size_t tile; /* place of the first of them in the process's tiles */
	uint32_t tiles;
};

/* A point that a process came by, and what it told since the one before: from, and up to. */
struct hb__stop {
	hb_point point;
	const hb_trace_construct *construct;
	struct hb__upto {
		size_t told, accesses, troubles;
	} from, to;
};

/* Where a thread is: the iteration of a construct. */
struct hb__at {
	const hb_trace_construct *construct;
	unsigned n;
	int64_t index[HB_TRACE_INDICES];
};

/* Of a thread beside the first one: its iteration of the innermost construct. */
struct hb__thread {
	uint32_t thread;
	struct hb__at at;
	uint64_t began;   /* which begin of the process it was told in */
	uint64_t written; /* which state of the process `iteration` is of; 0: of none */
	size_t iteration;
	unsigned n;
};

struct hb__process {
	int32_t rank;
	char *path;
	hb_trace *trace;
	bool ended; /* nothing more comes of it */
	char *damage;
	bool ready;                   /* it stands at its next point outside of tasks: the last of its stops */
	const hb_array_shape **shape; /* by number of the array; NULL: asked for again */
	size_t shapes;
	struct hb__at *open; /* constructs that the first thread is in, with its iterations */
	size_t opens, opens_room;
	uint64_t begun, state; /* constructs that it began; changes of what it is in, and of its iterations, from 1 */
	struct hb__thread *thread;
	size_t threads, threads_room;
	struct hb__stop *stop;
	size_t stops, stops_room, nested; /* nested: how many of them have been told */
	struct hb__told *told;
	size_t tolds, tolds_room;
	hb_tile *tile;
	uint32_t *tile_number;
	size_t tiles, tiles_room, numbers_room;
	hb_access *access;
	size_t accesses, accesses_room;
	int64_t *index;
	size_t indices, indices_room;
	hb_step_trouble *trouble;
	size_t troubles, troubles_room;
};

struct hb_points {
	struct hb__process *process;
	uint32_t processes;
	size_t room;
	bool sorted, ended, done;
	hb_array_shape **shape; /* all that there were, for those that are the same */
	size_t shapes, shapes_room;
	/* the step at hand */
	struct hb__merged {
		hb_check check;
		size_t tile; /* where its tiles stand */
	} * merged;
	size_t checks, merged_room, check_room;
	struct hb__joined {
		size_t check;
		hb_part part;
		const struct hb__told *told;
	} * joined;
	size_t parts, joined_room, part_room;
	hb_check *check;
	hb_part *part;
	hb_tile *tile;
	size_t tiles, tiles_room;
	hb_access *access;
	size_t accesses, accesses_room;
	hb_step_trouble *trouble;
	size_t troubles, troubles_room;
	size_t guess; /* the check that the next one is most likely the same as */
};

/* gather.c: reads until the process stands at its next point outside of tasks, or no more is there. False: out of memory, or the file cannot be read. */
bool hb__gather(hb_points *points, struct hb__process *process, hb_error *err);
/* Of two points within tasks. */
bool hb__comes_before(const hb_point *a, const hb_point *b);
/* Forgets what has been told. */
void hb__gather_clear(struct hb__process *process);
void hb__gather_free(struct hb__process *process);

/* shape.c: the array as it is now; NULL: out of memory. */
const hb_array_shape *hb__shape_of(hb_points *points, const hb_trace_array *array);
void hb__shapes_free(hb_points *points);

/* merge.c: a stop of a process becomes part of the step at hand. False: out of memory. */
void hb__merge_begin(hb_points *points);
bool hb__merge(hb_points *points, uint32_t process, size_t stop);
/* All parts are there; of a point within a task those of one process. False: out of memory. */
bool hb__merge_end(hb_points *points, bool nested, hb_step *step);

#endif
