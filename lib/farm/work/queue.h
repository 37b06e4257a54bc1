/* Tasks or results that wait, first in, first out. */
#ifndef FARM_QUEUE_H
#define FARM_QUEUE_H

#include "../state.h"

struct join;

struct entry {
	struct parcel *parcel; /* held */
	struct item *item;     /* lies in it */
	struct join *join;     /* of a part: where its result is wanted; null: on the way back */
};

struct queue {
	struct entry *entry;
	uint32_t first, count, room; /* a ring; room is a power of two */
};

/* Holds the parcel. */
void queue_put(struct queue *queue, struct parcel *parcel, struct item *item, struct join *join);
/* The queue must not be empty; what the entry holds is now the caller's. */
struct entry queue_get(struct queue *queue);

static inline const struct entry *queue_first(const struct queue *queue) { return &queue->entry[queue->first]; }

/* The first of one goes to the end of another. */
void queue_move(struct queue *to, struct queue *from);
void queue_end(struct queue *queue);

#endif
