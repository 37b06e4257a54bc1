/* Events of the farm for hbdb, through <hbdb/event.h>: what nobody records costs a load and a branch. */
#ifndef FARM_SAID_H
#define FARM_SAID_H

#include "../state.h"

enum said_message { TASK_SENT, TASK_RECEIVED, RESULT_SENT, RESULT_RECEIVED };
enum said_span { SPAN_GENERATE, SPAN_SPLIT, SPAN_COMPUTE, SPAN_JOIN, SPAN_RECEIVE };

enum { SUB_ROOM = 64 };
/* The digits of a subtask, that of the first split first; empty: the whole task. */
const char *sub_text(char *text, int level, uint64_t part);

/* Switches `farm.saying` as the specification and the program want it. */
void said_switch(int program_wants);
void said_start(void);
/* data_generator has returned, after so many tasks: the last span `generate` is of none. */
void said_generated(int64_t tasks);

void said_of_message(enum said_message what, const struct item *item, int neighbour);
void said_of_span(enum said_span what, int64_t task, int level, uint64_t part);
void said_of_end(enum said_span what, int64_t task, int level, uint64_t part, int64_t bytes);

/* All items of a message. */
static inline void said_parcel(int sent, struct parcel *parcel, int neighbour)
{
	if (!farm.saying)
		return;
	struct item *item = parcel_first(parcel);
	for (uint32_t i = 0; i < parcel_head(parcel)->items; i++, item = item_next(item))
		if (item->kind != ITEM_ASIDE)
			said_of_message((item->kind == ITEM_TASK ? TASK_SENT : RESULT_SENT) + !sent, item, neighbour);
}

static inline void said_begin(enum said_span what, const struct item *item)
{
	if (farm.saying)
		said_of_span(what, item->task, item->level, item->part);
}

#endif
