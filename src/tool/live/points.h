/* Points of hbdb compare (format/trace/point.h) as places of a recording: begins and ends of parallel constructs are events of the program,
 * spans with the values point and, in a task of a region, region and task. */
#ifndef HBDB_LIVE_POINTS_H
#define HBDB_LIVE_POINTS_H

#include "format/trace/point.h"
#include "../run/run.h"

#define HB_POINT_PREFIX "point:"

/* Whether a text names a point where an event could stand: point:13.E. */
bool hb__is_point(const char *text);
/* Only whether it is written like one: 0, or the exit code after having said why. */
int hb__check_point(const char *text);
/* Where the processes are at a point: ret_event and ret_stop (arrays of a number for each line) as of hb_stops, for all their events of
 * that point together: each process goes at least to its own, and further where the point of another one needs it. *ret_at: that of the first process that came by
 * it; *ret_processes: how many did. 0, or an exit code: *ret_why says why; free it. */
int hb__find_point(hb_run *run, const char *text, hb_at *ret_at, uint32_t *ret_event, hb_stop *ret_stop,
	uint32_t *ret_processes, char **ret_why);
/* The event of one process at it. */
int hb__point_event(hb_run *run, uint32_t process, const char *text, hb_at *ret_at, char **ret_why);

#endif
