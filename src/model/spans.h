/* Spans that the program itself tells of (hb_begin, hb_end): which begin an end belongs to. Along one line. */
#ifndef HBDB_MODEL_SPANS_H
#define HBDB_MODEL_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hb_span_open {
	uint32_t name; /* any number that is the same for the same name */
	uint32_t event;
} hb_span_open;

/* Those that have begun and not ended, the outermost first. Begins as {0}; free at. */
typedef struct hb_span_stack {
	hb_span_open *at;
	size_t n, room;
} hb_span_stack;

/* False: out of memory. */
bool hb_span_begin(hb_span_stack *stack, uint32_t name, uint32_t event);
/* How many of the innermost end with this end: up to the innermost one of that name, for a span in which it lies cannot outlast it.
 * 0: none of that name has begun. They are to be taken from the stack (n). */
size_t hb_span_ends(const hb_span_stack *stack, uint32_t name);

#endif
