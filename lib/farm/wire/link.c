#include "link.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "said.h"

enum { TAG = 1 };

static struct link **links; /* by rank */

void links_start(void)
{
	links = calloc((size_t)farm.processes, sizeof *links);
	if (!links)
		farm_no_memory();
}

void links_end(void)
{
	free(links);
	links = NULL;
}

void link_register(struct link *link) { links[link->rank] = link; }

void link_unregister(struct link *link) { links[link->rank] = NULL; }

struct link *link_of(int rank) { return links[rank]; }

void link_start(struct link *link, int node)
{
	memset(link, 0, sizeof *link);
	link->node = node;
	link->rank = rank_of(node);
	link_register(link);
}

void link_end(struct link *link)
{
	if (link->batch)
		parcel_drop(link->batch);
	for (int i = 0; i < link->flying; i++) {
		int done = 0;
		MPI_Test(&link->flights[i].request, &done, MPI_STATUS_IGNORE);
		if (done)
			parcel_drop(link->flights[i].parcel);
		else /* nobody may touch its bytes before MPI has ended: they are left */
			MPI_Request_free(&link->flights[i].request);
	}
	free(link->flights);
	link->flights = NULL;
	link->batch = NULL;
	link->flying = 0;
}

struct item *link_item(struct link *link, uint64_t size)
{
	struct item *item = link->batch ? parcel_append(link->batch, size) : NULL;
	if (item)
		return item;
	if (link->batch)
		link_flush(link);
	link->batch = parcel_message((size_t)size);
	if (!link->batch)
		farm_no_memory();
	return parcel_append(link->batch, size);
}

/* Those that have arrived are given back. */
static void land(struct link *link)
{
	int left = 0;
	for (int i = 0; i < link->flying; i++) {
		int done;
		MPI_Test(&link->flights[i].request, &done, MPI_STATUS_IGNORE);
		if (done)
			parcel_drop(link->flights[i].parcel);
		else
			link->flights[left++] = link->flights[i];
	}
	link->flying = left;
}

static void send(struct link *link, struct parcel *parcel)
{
	if (link->flying)
		land(link);
	if (link->flying == link->flights_room) {
		int room = link->flights_room ? 2 * link->flights_room : 8;
		struct flight *more = realloc(link->flights, (size_t)room * sizeof *more);
		if (!more)
			farm_no_memory();
		link->flights = more;
		link->flights_room = room;
	}
	struct flight *flight = &link->flights[link->flying++];
	flight->parcel = parcel;
	if (MPI_Isend(parcel->bytes, (int)parcel->used, MPI_BYTE, link->rank, TAG, farm.comm, &flight->request))
		flight->request = MPI_REQUEST_NULL; /* who does not live gets nothing */
	farm.counts.messages++;
	farm.counts.bytes += (int64_t)parcel->used;
	land(link);
}

void link_flush(struct link *link)
{
	struct parcel *parcel = link->batch;
	if (!parcel && !link->credits && !link->flags && !link->window)
		return;
	if (!parcel && !(parcel = parcel_message(0)))
		farm_no_memory();
	struct head *head = parcel_head(parcel);
	head->credits = link->credits;
	head->flags = link->flags;
	head->total = link->total;
	head->window = link->window;
	link->credits = link->flags = link->window = 0;
	link->batch = NULL;
	said_parcel(1, parcel, link->node);
	send(link, parcel);
}

/* What every process heeds, whatever it is doing. */
static void heed_all(struct parcel *parcel, int rank)
{
	struct head *head = parcel_head(parcel);
	if (head->flags & FLAG_FAIL && farm.status >= 0)
		farm.status = -(int)head->total;
	if (head->flags & FLAG_COUNTS && farm.all)
		memcpy(&farm.all[rank], item_data(parcel_first(parcel)), sizeof *farm.all);
}

struct parcel *take(int *ret_rank)
{
	int there, bytes;
	MPI_Status status;
	MPI_Iprobe(MPI_ANY_SOURCE, TAG, farm.comm, &there, &status);
	if (!there)
		return NULL;
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	struct parcel *parcel = parcel_new((size_t)bytes);
	if (!parcel)
		farm_no_memory();
	MPI_Recv(parcel->bytes, bytes, MPI_BYTE, status.MPI_SOURCE, TAG, farm.comm, MPI_STATUS_IGNORE);
	parcel->used = (size_t)bytes;
	*ret_rank = status.MPI_SOURCE;
	heed_all(parcel, status.MPI_SOURCE);
	struct link *link = link_of(status.MPI_SOURCE);
	if (link) {
		link->open += parcel_head(parcel)->credits;
		said_parcel(0, parcel, link->node);
	}
	return parcel;
}

void leave(int looks)
{
	int more = looks - LOOKS_AT_ONCE - LOOKS_YIELDING;
	if (looks < LOOKS_AT_ONCE)
		return;
	if (more < 0) {
		sched_yield();
		return;
	}
	/* A nap is at most about a quarter of the time waited: it costs the others little, and what comes meanwhile waits little. A window
	 * that takes a few milliseconds is asked for anew before it is used up only if nobody sleeps for as long as that. */
	int doubled = more / NAPS_ALIKE;
	struct timespec t = {0, 20000 << (doubled < NAPS_DOUBLED ? doubled : NAPS_DOUBLED)};
	nanosleep(&t, NULL);
}

struct parcel *take_waiting(int *ret_rank, int (*idle)(int is_long))
{
	int looks = 0;
	struct parcel *parcel = take(ret_rank);
	int64_t since = parcel ? 0 : now_ns();
	while (!parcel) {
		looks = looks == LOOKS_LONG + LOOKS_AGAIN ? LOOKS_LONG : looks + 1;
		int stop = (looks == LOOKS_AT_ONCE || looks == LOOKS_LONG) && idle(looks == LOOKS_LONG);
		if (stop || farm.status < 0)
			return NULL;
		leave(looks);
		parcel = take(ret_rank);
	}
	if (looks)
		farm.counts.idle_ns += now_ns() - since;
	return parcel;
}

void send_alone(int rank, uint32_t flags, uint64_t total, const void *data, size_t size)
{
	struct parcel *parcel = parcel_message(size);
	if (!parcel)
		farm_no_memory();
	struct item *item = parcel_append(parcel, size);
	memset(item, 0, sizeof *item);
	item->size = size;
	if (size)
		memcpy(item_data(item), data, size);
	struct head *head = parcel_head(parcel);
	head->items = 0; /* none for a link */
	head->flags = flags;
	head->total = total;
	/* A replay compares what is sent with what was sent, but not that of persistent requests: here are times. */
	MPI_Request request;
	MPI_Send_init(parcel->bytes, (int)parcel->used, MPI_BYTE, rank, TAG, farm.comm, &request);
	MPI_Start(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Request_free(&request);
	parcel_drop(parcel);
}
