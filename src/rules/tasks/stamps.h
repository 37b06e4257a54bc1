/* Time stamps of task events, after the run: what happened before what.
 *
 * Two kinds. Full ones: a vector clock, a component for each process (C. Fidge, F. Mattern, 1988). Short ones: the event's own number
 * at its process, and for each neighbour in the tree the number of the last event there that happened before. Whatever one node
 * knows of another has come over the edge that leads there, so the last event known of the next node on the way knows all that is known
 * of the nodes behind it; the order of any two events follows along the way from the one to the other. */
#ifndef HBDB_RULES_TASKS_STAMPS_H
#define HBDB_RULES_TASKS_STAMPS_H

#include "rules/tasks/tasks.h"

/* Components of a full stamp: nodes 0, 1, ..., behind them generator and receiver where these have events of their own. */
uint32_t hb_tasks_clocks(const hb_tasks_trace *trace);
uint32_t hb_tasks_clock_of(const hb_tasks_trace *trace, int32_t node);

/* clock may be looked at until this returns; NULL where none are asked for. */
typedef void hb_tasks_visit(void *user, uint32_t event, const uint32_t *clock);

/* Replays the messages: calls visit once for each event, after all that happened before it. False: no order is possible, which trouble
 * names a message of, or memory. Time: events times components; memory: that of the messages on their way. */
bool hb_tasks_replay(const hb_tasks *tasks, bool clocks, hb_tasks_visit *visit, void *user, hb_tasks_trouble *trouble);

typedef struct hb_tasks_stamps {
	const hb_tasks_trace *trace;
	uint32_t *number;     /* by event: from 1 at its process */
	uint32_t *event;      /* by process and number */
	size_t *first;        /* by process: of `event` */
	size_t *seen_at;      /* by process: of `seen` */
	uint32_t *neighbours; /* by process */
	uint32_t *seen;       /* for each event one of each neighbour; 0: nothing of it */
	size_t seen_all;
} hb_tasks_stamps;

/* Short ones of all events. As above; hb_tasks_stamps_free in any case, it begins as {0}. */
bool hb_tasks_stamp(const hb_tasks *tasks, hb_tasks_stamps *ret_stamps, hb_tasks_trouble *trouble);
/* Whether event a happened before b, by short stamps. Time: the steps between their nodes. */
bool hb_tasks_before(const hb_tasks_stamps *stamps, uint32_t a, uint32_t b);
void hb_tasks_stamps_free(hb_tasks_stamps *stamps);

#endif
