/* A run against a reference run of the same program, point by point (src/model/points): where they begin to differ.
 *
 * What a difference is. Both runs are walked in step. At each point the arrays are matched by identity (name, file, line, ordinal); the line may
 * be another one where name, file and ordinal agree with exactly one array of the other run. Two arrays differ when one of their tiles does:
 *   - tiles with one hash are equal;
 *   - else tiles of integers differ, and so do tiles of which another number of elements is not finite, or another number is there at all;
 *   - else the estimated distance |a - b| is held against a scale: the greatest norm that the array has had up to this point in either run, times the
 *     square root of the tile's share of its elements, or the norm of the tile itself where that is larger. Equal: distance <= relative *
 *     scale, or distance <= absolute * sqrt(elements).
 * Of a text (hb_trace_open_text) whole arrays are compared, as one tile.
 * Within tasks of a region, where one process is, tiles are compared that it has whole in both runs.
 * Copies of a replicated array have to agree in the run, too. Arrays that nobody registered are of one process, and are compared where both runs
 * have as many. Results of reductions are equal when |a - b| <= relative * max(|a|, |b|) or <= absolute; integers are exact.
 * Where both runs told reads and writes, values are matched by array, global index, iteration (of all loops around it) and kind, the first with the
 * first; the scale is the root mean square of the reference's values of that array since the last point, or the larger of the two. Of all values
 * since the last point that differ the one told is the first in the order of the reference. What stood somewhere before a write is not compared.
 * The runs have to come by the same constructs: where they do not, nothing behind it is compared. */
#ifndef HBDB_RULES_REFERENCE_H
#define HBDB_RULES_REFERENCE_H

#include "model/points/points.h"

typedef enum hb_reference_kind {
	HB_REFERENCE_CHECKSUM,  /* an array differs at a point */
	HB_REFERENCE_COPIES,    /* two copies of a replicated array do, in the run */
	HB_REFERENCE_RESULT,    /* the result of a reduction */
	HB_REFERENCE_VALUE,     /* a value that was read or written */
	HB_REFERENCE_CONSTRUCT, /* the runs come by different constructs */
	HB_REFERENCE_PROCESSES, /* processes of one run do */
	HB_REFERENCE_SHORTER,   /* one of the runs, or one of its processes, ended before */
	/* from here on: something could not be compared */
	HB_REFERENCE_BOX,     /* an array has another type or other extents: another input */
	HB_REFERENCE_ONLY,    /* an element is written in one of the runs only (side) */
	HB_REFERENCE_UNKNOWN, /* an array is in one of the runs only */
	HB_REFERENCE_FAILED,  /* a checksum could not be computed */
	HB_REFERENCE_PIECES,  /* what processes told MPI of an array makes no array, or another one in the other run */
	HB_REFERENCE_TROUBLE, /* what the tracer of a run told: it, or an array that was saved */
	HB_REFERENCE_KINDS
} hb_reference_kind;
#define HB_REFERENCE_DIFFERS HB_REFERENCE_BOX /* kinds below are differences */

enum { HB_OF_REFERENCE, HB_OF_RUN };

/* Valid while the visitor is in its call, but for shapes and constructs, which are the runs'. Which members hold depends on the kind. */
typedef struct hb_reference_difference {
	hb_reference_kind kind;
	unsigned side;                          /* HB_OF_*: of which run this is said; both: HB_OF_RUN */
	bool again;                             /* the same array differed, or failed, at an earlier point */
	hb_point point;                         /* number 0: behind the last point */
	const hb_trace_construct *construct[2]; /* by run; NULL: none */
	hb_point correct;                       /* the last point at which it was compared and equal; number 0: none */
	const hb_trace_construct *correct_construct;
	const hb_array_shape *shape[2]; /* NULL: it is not there */
	unsigned access;                /* HB_ACCESS_*, in the run */
	unsigned state;                 /* FAILED: HB_CHECKSUM_* */
	uint32_t process[2];            /* COPIES: the two; else where it was, or HB_NO: all */
	hb_tile whole[2];               /* the arrays, all tiles added */
	bool placeless; /* one of the runs is a text, and knows arrays as a whole only: nothing is known of tiles */
	uint32_t tile, tiles; /* the first one that differs, how many do */
	hb_tile at[2];        /* that tile */
	double distance, scale;
	uint32_t owners, owner; /* processes of the run that own some of it; the first of them */
	bool edges;             /* every differing tile touches an edge between boxes of processes of the run */
	const hb_access *value[2];
	double number[2];   /* of values and results, as far as a double has them */
	uint64_t differing; /* VALUE: how many since the last point */
	const hb_step_trouble *trouble;
} hb_reference_difference;

typedef struct hb_reference_tolerance {
	double relative, absolute;
} hb_reference_tolerance;

/* What was compared. */
typedef struct hb_reference_sum {
	uint64_t points, arrays, tiles, results, values; /* equal or not */
	uint64_t differences;                            /* told, those of arrays that differed before not counted */
	uint64_t again;
	uint64_t failed;  /* checksums that could not be computed, in either run */
	uint64_t unknown; /* arrays, each counted once, that are in one run only */
	uint64_t boxes;   /* arrays with other extents or types */
	uint64_t pieces;  /* arrays of which processes told MPI what does not fit together */
	uint64_t own;     /* arrays of one process that were not compared, for there are more or fewer processes */
	uint64_t partial; /* tiles within tasks that no process has whole */
	uint64_t shared; /* values of the run, of elements that several threads of a process wrote between two points */
	uint64_t unmatched; /* values that are in one of the runs only */
	uint64_t within;    /* tiles with other hashes that are equal within the tolerance */
	double most;        /* ... and the greatest distance/scale of those */
	hb_point last;      /* the last point that was compared */
	bool stopped;       /* the runs parted: nothing behind `last` was compared */
	bool done;          /* both runs were walked to their end */
} hb_reference_sum;

typedef void hb_reference_visit(void *user, const hb_reference_difference *difference);

typedef struct hb_reference hb_reference;

/* The points stay the caller's. HB_E_MEMORY. */
hb_status hb_reference_open(hb_points *reference, hb_points *run, const hb_reference_tolerance *tolerance,
	hb_reference_visit *visit, void *user, hb_reference **ret, hb_error *err);
void hb_reference_close(hb_reference *reference);
/* Compares one point: 1; 0: there is no more (hb_reference_get_sum: done, stopped), or not yet; or a negative status. */
int hb_reference_step(hb_reference *reference, hb_error *err);
const hb_reference_sum *hb_reference_get_sum(const hb_reference *reference);

#endif
