/* How many items a process wants to have ahead, and by that how many it gathers for a message: few where tasks are long, many where
 * they are short. A window of the specification (`credits`) stays as it is. Else windows grow with the number of results that have come: all
 * nodes together have ahead at most a small part of what is already done, so the end of a run, where some still have tasks and others
 * none, stays short beside the run. And a window takes ten milliseconds to compute at most (cost.h): longer than the system's change to another
 * process and back costs, and not so long that anybody would wait for results in vain. */
#ifndef FARM_WINDOW_H
#define FARM_WINDOW_H

#include "../state.h"
#include "cost.h"

enum { WINDOW_FIRST = 2, WINDOW_AT_ONCE = 32, WINDOW_MOST = 256, WINDOW_PART = 8 };
#define WINDOW_SECONDS 0.01
/* Between generator, node 0 and receiver it may be more: where tasks are so short that all stay at node 0, a window must last
 * for as long as the system lets others run. But not more than a megabyte. */
enum { WINDOW_LONG = 8192, WINDOW_LONG_BYTES = 1 << 20 };

struct window {
	int64_t size;
	int64_t since; /* the results from which it grows */
};

static inline int window_is_fixed(void) { return farm.settings.number[KEY_CREDITS] > 0; }

static inline struct window window_first(void)
{
	return (struct window){.size = window_is_fixed() ? farm.settings.number[KEY_CREDITS] : WINDOW_FIRST};
}

/* The most items, of so many bytes each, between generator, node 0 and receiver. */
static inline int64_t window_long(double bytes)
{
	double most = WINDOW_LONG_BYTES / (bytes + (double)sizeof(struct item));
	return most > WINDOW_LONG ? WINDOW_LONG : most < WINDOW_MOST ? WINDOW_MOST : (int64_t)most;
}

/* So many results have come, of so many nodes. */
static inline void window_grow(struct window *w, int64_t results, int64_t nodes, int64_t most)
{
	if (w->size >= most || results - w->since < (w->size + 1) * WINDOW_PART * nodes || window_is_fixed())
		return;
	w->size = (results - w->since) / (WINDOW_PART * nodes);
	if (w->size > most)
		w->size = most;
}

/* As many tasks, of so many seconds each, as a process may have ahead; 0: not known. */
static inline int64_t window_of_time(double each)
{
	double most = each >= COST_PASSED ? WINDOW_SECONDS / each : WINDOW_MOST;
	return most > WINDOW_MOST ? WINDOW_MOST : most < WINDOW_FIRST ? WINDOW_FIRST : (int64_t)most;
}

/* From the first on it may have as many as take so short that their end does not matter. */
static inline int64_t window_at_once(double each)
{
	double most = each >= COST_PASSED ? WINDOW_SECONDS / 10 / each : WINDOW_FIRST;
	return most > WINDOW_AT_ONCE ? WINDOW_AT_ONCE : (int64_t)most;
}

/* As if so few results had come of so many nodes that this were the size. */
static inline void window_shrink(struct window *w, int64_t size, int64_t results, int64_t nodes)
{
	if (window_is_fixed() || w->size <= size)
		return;
	w->size = size;
	w->since = results - size * WINDOW_PART * nodes;
}

/* Items to gather before they are sent, and before more are asked for. */
static inline int64_t window_portion(int64_t size) { return size < 8 ? 1 : size / 2; }

#endif
