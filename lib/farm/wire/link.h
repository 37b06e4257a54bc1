/* The way to a neighbour. Tasks and results are gathered in a batch; a batch, with credits, is a message.
 *
 * When a batch goes is decided by numbers of items, by what came from others, by how often it was looked for in vain, and by MPI_Wtime, never
 * by another clock: all these are the same in a replay of a recorded run, so it sends the same messages. */
#ifndef FARM_LINK_H
#define FARM_LINK_H

#include "../state.h"

struct link {
	int rank, node;
	struct parcel *batch;
	int64_t open; /* items that the other side has room for: its credits less what was sent */
	uint32_t credits, flags, window;
	uint64_t total;
	int tries; /* a child that has a dangerous task, and is to have nothing else */
	int dead;
	int64_t out; /* a child: tasks given whose results have not come */
	int weight;  /* a child: nodes of its subtree */
	struct flight {
		MPI_Request request;
		struct parcel *parcel;
	} * flights;
	int flying, flights_room;
};

void link_start(struct link *link, int node);
/* Gives up what is not sent. */
void link_end(struct link *link);

/* Room in the batch for an item of this size, whose size is set; the others are the caller's. */
struct item *link_item(struct link *link, uint64_t size);

static inline uint32_t link_items(const struct link *link) { return link->batch ? parcel_head(link->batch)->items : 0; }

/* Sends what there is: a batch, credits, flags. */
void link_flush(struct link *link);

/* Takes a message if there is one, else null. Its parcel is the caller's; credits are booked where `link_of` the rank
 * is not null, and events said. */
struct parcel *take(int *ret_rank);
/* The same, waiting: gives the processor to others the longer it takes. Calls idle with 0 before it leaves the
 * processor for the first time, and with 1 after half a millisecond or some, then again and again. Null: idle has
 * returned other than 0, there is something else to do; or the farm stops. */
struct parcel *take_waiting(int *ret_rank, int (*idle)(int is_long));
enum { LOOKS_AT_ONCE = 4, LOOKS_YIELDING = 2, NAPS_ALIKE = 4, NAPS_DOUBLED = 7 };
enum { LOOKS_LONG = LOOKS_AT_ONCE + LOOKS_YIELDING + 3 * NAPS_ALIKE, LOOKS_AGAIN = 96 };

/* Leaves the processor to others before the next look, by the number of looks in vain: not, then as long as others
 * want it, then from 20 microseconds to some milliseconds. */
void leave(int looks);

/* Where messages of a rank belong. */
void link_register(struct link *link);
void link_unregister(struct link *link);
struct link *link_of(int rank);
void links_start(void);
void links_end(void);

/* A message by itself, outside of all links; waits until it is gone. */
void send_alone(int rank, uint32_t flags, uint64_t total, const void *data, size_t size);

#endif
