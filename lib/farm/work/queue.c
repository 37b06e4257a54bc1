#include "queue.h"

#include <stdlib.h>
#include <string.h>

static void grow(struct queue *queue)
{
	uint32_t room = queue->room ? 2 * queue->room : 64;
	struct entry *more = malloc(room * sizeof *more);
	if (!more)
		farm_no_memory();
	for (uint32_t i = 0; i < queue->count; i++)
		more[i] = queue->entry[(queue->first + i) & (queue->room - 1)];
	free(queue->entry);
	*queue = (struct queue){more, 0, queue->count, room};
}

void queue_put(struct queue *queue, struct parcel *parcel, struct item *item, struct join *join)
{
	if (queue->count == queue->room)
		grow(queue);
	queue->entry[(queue->first + queue->count++) & (queue->room - 1)] =
		(struct entry){parcel_hold(parcel), item, join};
}

struct entry queue_get(struct queue *queue)
{
	struct entry entry = queue->entry[queue->first];
	queue->first = (queue->first + 1) & (queue->room - 1);
	queue->count--;
	return entry;
}

void queue_move(struct queue *to, struct queue *from)
{
	struct entry entry = queue_get(from);
	queue_put(to, entry.parcel, entry.item, entry.join);
	parcel_drop(entry.parcel);
}

void queue_end(struct queue *queue)
{
	while (queue->count)
		parcel_drop(queue_get(queue).parcel);
	free(queue->entry);
	*queue = (struct queue){0};
}
