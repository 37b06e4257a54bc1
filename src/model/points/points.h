/* The traces of one run put together at points, for `hbdb compare`: which processes came by each point, the checksums of the arrays there, and what
 * was read and written since the point before. A distributed array is one: the tiles of its processes are added. Copies of a replicated array,
 * and arrays of which nobody said that they are parts of one, are told process by process.
 *
 * Steps come in the order of the run; points within the tasks of a region by task, whoever did it, before the end of the region. One step is
 * in memory at a time, so a run may be as long as it likes, and may still go on: what grows is followed. */
#ifndef HBDB_MODEL_POINTS_H
#define HBDB_MODEL_POINTS_H

#include "format/trace/trace.h"

typedef struct hb_points hb_points;

/* An array as a process has it. Valid until the points are closed, and the same pointer while nothing changes. */
typedef struct hb_array_shape {
	hb_array_id id;
	unsigned flags; /* HB_TRACE_ARRAY_* */
	hb_array as;    /* `at` is NULL */
	bool tiled;     /* its description makes sense: */
	hb_tiling tiling;
} hb_array_shape;

typedef struct hb_part {
	uint32_t process; /* its place, from 0 */
	const hb_array_shape *shape;
} hb_part;

/* An array at a point. */
typedef struct hb_check {
	const hb_array_shape *shape; /* of its first part */
	unsigned access;             /* HB_ACCESS_*, of any process */
	bool apart;  /* of `process` alone: a copy, or an array of nobody else; else of all parts together */
	bool own;    /* an array of nobody else: apart, and no copy */
	bool pieces; /* ... because what all processes told MPI of it does not make one array (HB_TRACE_ARRAY_TOLD) */
	uint32_t process;
	unsigned state; /* HB_CHECKSUM_*: not FINE where it could not be computed at `failed` */
	uint32_t failed;
	bool fits;     /* all parts have one type and one global box; else there are no tiles */
	hb_tile *tile; /* shape->tiling.tiles; count 0 where nobody has elements. NULL: there are none */
	hb_part *part; /* by process */
	uint32_t parts;
} hb_check;

/* Elements of a tile as they are counted in it: a complex number is two. */
uint64_t hb_tile_elements(const hb_array_shape *shape, uint32_t tile);

/* A value that was read or written, or that a variable of a reduction had. */
typedef struct hb_access {
	hb_trace_kind kind;
	uint32_t process, thread;
	const hb_array_shape *shape;         /* NULL: of a variable */
	const hb_trace_variable *variable;   /* NULL: of an array */
	uint64_t element;                    /* of the storage of the array */
	uint64_t place;                      /* number, see hb_points_trace; 0: none */
	const hb_trace_construct *construct; /* NULL: in none */
	const int64_t *iteration;            /* n indices of all loops around it, the outermost first */
	unsigned n;
	size_t at; /* where they stand among those of its process, while these grow */
	uint8_t value[16];
	unsigned bytes;
} hb_access;

typedef struct hb_step_trouble {
	uint32_t process;
	hb_trace_kind kind;          /* TROUBLE or SAVED */
	unsigned what;               /* HB_TROUBLE_* */
	const hb_array_shape *shape; /* SAVED: the array, ... */
	hb_point point;              /* ... and the point at which it was */
	const char *text;            /* a sentence, or the file */
} hb_step_trouble;

/* A point, and what was since the one before. Valid until the next step is asked for. */
typedef struct hb_step {
	hb_point point;                      /* number 0: the end of the run, behind its last point */
	const hb_trace_construct *construct; /* NULL at the end of the run */
	uint32_t process;                    /* the first one that came by */
	uint32_t came;                       /* how many did; of points in tasks 1 */
	uint32_t other;                      /* a process that came by another construct there; HB_NO: none did */
	const hb_trace_construct *other_construct;
	uint32_t absent; /* a process that had ended before; HB_NO: none had */
	const hb_check *check;
	size_t checks;
	const hb_access *access; /* by process, in the order of each */
	size_t accesses;
	const hb_step_trouble *trouble;
	size_t troubles;
} hb_step;

/* What is known of a process. */
typedef struct hb_traced_process {
	int32_t rank;
	const char *path;
	bool over;          /* it told its end, and that has been read */
	const char *damage; /* why no more is read of it; NULL: nothing is wrong */
} hb_traced_process;

/* HB_E_MEMORY. */
hb_status hb_points_open(hb_points **ret_points, hb_error *err);
void hb_points_close(hb_points *points);
/* One more trace, before the first step; it may grow. Status as of hb_trace_open; HB_E_ARGUMENT: there is one of this rank. */
hb_status hb_points_add(hb_points *points, const char *path, hb_error *err);
/* The same of a process of a text (hb_trace_open_text). */
hb_status hb_points_add_text(hb_points *points, const char *path, uint32_t process, hb_error *err);
/* Nothing grows any more: the run has ended. */
void hb_points_end(hb_points *points);
/* How many processes there have to be, by what the traces say; 0: none says it. */
uint32_t hb_points_world(const hb_points *points);
uint32_t hb_points_processes(const hb_points *points);
void hb_points_process(const hb_points *points, uint32_t process, hb_traced_process *ret);
/* For what numbers stand in: constructs, places, modules. */
const hb_trace *hb_points_trace(const hb_points *points, uint32_t process);
/* All steps before this one have been told, and the run is over. */
bool hb_points_done(const hb_points *points);

/* The next step: 1; 0: not all processes have come to it yet, or there is none any more (hb_points_done); or a negative status. Of a process
 * whose trace is cut or damaged all is told that is readable. */
int hb_points_next(hb_points *points, hb_step *ret_step, hb_error *err);

/* Reads what is left of all traces, for nothing but how they end: there are no more steps after it. */
void hb_points_skip(hb_points *points);

/* Whether two constructs are the same one: type, name and file, without its folder; lines may have moved. */
bool hb_same_construct(const hb_trace_construct *a, const hb_trace_construct *b);
/* Whether two arrays have one type and one global box. */
bool hb_same_box(const hb_array_shape *a, const hb_array_shape *b);
/* How a process has a tile: whether it owns some of it, and whether its own box ends inside of the tile or at its edge, and not at
 * that of the array: there another process goes on. Of block-cyclic arrays every tile has such edges. */
void hb_tile_at(const hb_array_shape *shape, uint32_t tile, bool *ret_owns, bool *ret_edge);

#endif
