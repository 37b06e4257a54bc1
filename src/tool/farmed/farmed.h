/* A task of a program that tells of its tasks by spans (hb_begin with the values `task` and perhaps `sub`, as the farm library does):
 * which process worked on it, and between which two of its events. */
#ifndef HBDB_FARMED_FARMED_H
#define HBDB_FARMED_FARMED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hb_farmed {
	char *called;        /* "task 49.0110" */
	char *process;       /* the name of its process */
	char *function;      /* what the span is called: "compute" */
	uint64_t begin, end; /* its events, of the first thread; end 0: it did not end */
	bool farm;           /* the process ran the farm library */
} hb_farmed;

/* `word`: TASK[.SUBTASK][:SPAN], as in 49, 49.0110, 49:split; SPAN is compute where it is not given. Of several such spans it is
 * the first that did not end, else the first; says so. 0, or an exit code after having said why. Free it in either case. */
int hb__farmed_find(const char *recording, const char *word, hb_farmed *ret);
void hb__farmed_free(hb_farmed *task);

#endif
