/* Points: begins and ends of parallel constructs, numbered as a program runs, from 1, the same in every run whatever the number of
 * processes. `6.B`, `6.E`; the fourth construct in task 3 of region 256 is `256.3.4.B`. Shared by the target and all who read. */
#ifndef HBDB_FORMAT_TRACE_POINT_H
#define HBDB_FORMAT_TRACE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hb_point {
	uint64_t number; /* of a construct outside of all tasks, or of the region; 0: no point, or no limit */
	bool nested;     /* in a task of that region: */
	uint64_t task;   /* from 0 */
	uint64_t inner;  /* of the construct in the task, from 1 */
	bool end;        /* .E */
} hb_point;

typedef enum hb_point_order { HB_POINT_EQUAL, HB_POINT_LESS, HB_POINT_GREATER, HB_POINT_INCOMPARABLE } hb_point_order;

#define HB_POINT_TEXT 72 /* bytes that a point needs as text, at most */

/* What can be wrong with a point that somebody gave, or with two of them. hb_point_trouble says it in a sentence. */
typedef enum hb_point_error {
	HB_POINT_FINE,
	HB_POINT_SYNTAX,     /* it has neither the form N.B nor the form N.T.M.B */
	HB_POINT_SIDE,       /* it ends in neither .B nor .E */
	HB_POINT_ZERO,       /* constructs are numbered from 1 */
	HB_POINT_UNFINISHED, /* a region and a task, and no construct in it */
	HB_POINT_BACKWARDS,  /* the start is not before the finish */
	HB_POINT_APART,      /* start and finish are in different tasks of one region: neither comes before the other */
	HB_POINT_NO_REGION,  /* it implies a task region, but there is a parallel loop: the whole construct is taken */
	HB_POINT_ERRORS
} hb_point_error;

/* Reads all of a text. "" is no point: number 0. */
hb_point_error hb_point_read(const char *text, hb_point *ret_point);
/* Writes it as text, "" for none; returns `text`. */
const char *hb_point_text(const hb_point *point, char text[HB_POINT_TEXT]);
/* The partial order. Points of one region: its begin is before all points of its tasks, its end behind them. Of no point with a
 * point: INCOMPARABLE. */
hb_point_order hb_point_compare(const hb_point *a, const hb_point *b);
/* A start and a finish, either of which may be none: BACKWARDS, APART or FINE. */
hb_point_error hb_point_window(const hb_point *start, const hb_point *finish);
/* A sentence for `error` of a point given as `text` (of a window: both, `text` the start and `other` the finish). Free it; NULL: out of memory. */
char *hb_point_trouble(hb_point_error error, const char *text, const char *other);

/* Whether details are wanted at a place of the run: `here` is the last point that was passed (none: before the first). Wanted is what
 * stands behind the start and not behind the finish, in the partial order, which makes five cases:
 *   neither in a task: everything between;
 *   both in one task: only that task, from the one to the other;
 *   start before a region and finish in a task of it: all up to the region, then that task only;
 *   start in a task and finish behind its region: that task from there on, then everything;
 *   in tasks of two regions: the first task from there on, all between, the second task up to the finish.
 * In different tasks of one region it is an error: hb_point_window. */
bool hb_point_within(const hb_point *start, const hb_point *finish, const hb_point *here);

#endif
