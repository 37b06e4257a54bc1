/* When an access was over before another one began. */
#ifndef HBDB_RULES_ONESIDED_ORDER_H
#define HBDB_RULES_ONESIDED_ORDER_H

#include "rules/onesided/onesided.h"

/* threads.c: what the threads of a process may have told each other. */
struct hb__threads;
hb_status hb__threads_open(struct hb__onesided *o, struct hb__threads **ret);
void hb__threads_close(struct hb__threads *t);
/* How many lines the process of this one has, and the first of them. */
uint32_t hb__threads_of(const struct hb__threads *t, uint32_t line, uint32_t *ret_first);
/* Of another line of the same process: the first event that was not over when this one began; that began when this one was over. */
uint32_t hb__threads_known(const struct hb__threads *t, uint32_t line, uint32_t event, uint32_t other);
uint32_t hb__threads_next(const struct hb__threads *t, uint32_t line, uint32_t event, uint32_t other);

/* The clocks of the points after which accesses began. */
struct hb__points {
	struct hb__threads *threads;
	hb_at *at; /* sorted */
	size_t n;
	uint32_t *clock; /* lines numbers for each */
	uint64_t *time;
	uint32_t lines;
};

hb_status hb__points_make(struct hb__onesided *o, struct hb__points *ret);
void hb__points_free(struct hb__points *p);
/* Sets the times of all accesses. */
void hb__points_times(const struct hb__points *p, struct hb__onesided *o);
bool hb__over_before(const struct hb__points *p, const struct hb__window_access *a, const struct hb__window_access *b);

/* hidden.c: processes that tell each other through a window what happened, by flags, counters and locks
 * of their own: then an order may exist that the recording does not show. */
struct hb__hidden {
	struct hb__onesided *o;
	size_t *at, *first; /* accesses that can tell or be told, process by process */
};
bool hb__hidden_open(struct hb__onesided *o, struct hb__hidden *ret);
void hb__hidden_free(struct hb__hidden *h);
bool hb__may_be_ordered(
	const struct hb__hidden *h, const struct hb__window_access *a, const struct hb__window_access *b);
bool hb__share_bytes(const struct hb__onesided *o, const struct hb__window_access *a, const struct hb__window_access *b,
	struct hb__span *ret);

#endif
