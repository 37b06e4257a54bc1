/* What the files of this folder share. */
#ifndef HBDB_RULES_TASKS_PARTS_H
#define HBDB_RULES_TASKS_PARTS_H

#include "rules/tasks/tasks.h"

/* Between which nodes an event passes a task, and in which direction. False: between nodes that are no neighbours, or that is no
 * way for a task. */
bool hb__tasks_place(
	const hb_tasks_trace *trace, const hb_tasks_event *event, hb_tasks_kind *ret_kind, uint32_t *ret_low);

/* "49 0010 from node 1 to node 2", for messages. */
void hb__tasks_words(const hb_tasks_trace *trace, const hb_tasks_event *event, char *ret, size_t size);

/* Fills in trouble, "NAME:LINE: " before the text. Returns false. */
bool hb__tasks_wrong(const char *name, uint32_t line, hb_tasks_trouble *trouble, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool hb__tasks_no_memory(hb_tasks_trouble *trouble);

#endif
