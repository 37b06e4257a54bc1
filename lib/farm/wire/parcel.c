#include "parcel.h"

#include <stdlib.h>
#include <string.h>

static struct parcel *unused;

struct parcel *parcel_new(size_t room)
{
	struct parcel *parcel = unused;
	if (room <= PARCEL_BYTES && parcel) {
		unused = parcel->next;
	} else {
		room = room < PARCEL_BYTES ? PARCEL_BYTES : room;
		parcel = malloc(sizeof *parcel + room);
		if (!parcel)
			return NULL;
		parcel->room = room;
	}
	parcel->held = 1;
	parcel->used = 0;
	return parcel;
}

struct parcel *parcel_message(size_t size)
{
	struct parcel *parcel = parcel_new(sizeof(struct head) + item_bytes(size));
	if (parcel) {
		memset(parcel->bytes, 0, sizeof(struct head));
		parcel->used = sizeof(struct head);
	}
	return parcel;
}

void parcel_drop(struct parcel *parcel)
{
	if (--parcel->held)
		return;
	if (parcel->room == PARCEL_BYTES) {
		parcel->next = unused;
		unused = parcel;
	} else {
		free(parcel);
	}
}

void parcel_forget(void)
{
	while (unused) {
		struct parcel *next = unused->next;
		free(unused);
		unused = next;
	}
}

struct item *parcel_append(struct parcel *parcel, uint64_t size)
{
	size_t bytes = item_bytes(size);
	if (bytes > parcel->room - parcel->used)
		return NULL;
	struct item *item = (struct item *)(parcel->bytes + parcel->used);
	parcel->used += bytes;
	item->size = size;
	parcel_head(parcel)->items++;
	return item;
}
