/* Files of contents by chance, written from docs/man/hbdb-data.5 alone, and what has to be read from them. */
#ifndef TESTS_UNIT_DATA_RANDOM_DATA_H
#define TESTS_UNIT_DATA_RANDOM_DATA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define BLOCK 65536u
#define THREADS 3

struct told_piece {
	uint32_t what;
	uint64_t bytes;
	uint8_t *p;
};
struct told_item {
	uint64_t event;
	int name; /* -1: of an event */
	int pieces;
	struct told_piece piece[4];
};

struct random_thread {
	uint64_t id, event, next;
	uint8_t *open; /* head of the extent of items, NULL: none */
	uint32_t extents;
	bool named[8];
	struct told_item *item;
	size_t items;
};

struct contents {
	uint64_t seed;
	uint8_t *image;
	size_t blocks;
	uint8_t *bytes; /* head of the extent of contents, NULL: none */
	struct random_thread thread[THREADS];
	uint64_t place[64]; /* contents to be referred to again */
	uint64_t length[64];
	size_t places;
	uint64_t came;
};

#define ROOM (160u << 20)

static inline uint64_t pick(struct contents *d, uint64_t n)
{
	d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
	return (d->seed >> 33) % n;
}

static inline void put_le(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t get_le(const uint8_t *p)
{
	uint64_t v = 0;
	for (int i = 8; i--;)
		v = v << 8 | p[i];
	return v;
}

static inline uint8_t *uv(uint8_t *p, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		*p++ = (uint8_t)(v | 128);
	*p++ = (uint8_t)v;
	return p;
}

static inline uint8_t *new_extent(struct contents *d, uint32_t kind, uint32_t blocks, uint64_t thread, uint32_t before)
{
	uint8_t *h = d->image + d->blocks * BLOCK;
	if ((d->blocks + blocks) * BLOCK > ROOM)
		abort();
	d->blocks += blocks;
	memcpy(h, "HBDX", 4);
	put_le(h + 4, kind, 4);
	put_le(h + 8, blocks, 4);
	put_le(h + 12, before, 4);
	put_le(h + 16, thread, 8);
	put_le(h + 24, 0, 8);
	return h;
}

static inline size_t room_in(const uint8_t *h)
{
	return h ? (get_le(h + 8) & 0xFFFFFFFF) * BLOCK - 64 - get_le(h + 24) : 0;
}

static inline uint8_t *end_of(uint8_t *h) { return h + 64 + get_le(h + 24); }

/* Contents somewhere: new ones, or such that are there already. */
static inline uint64_t place_of(struct contents *d, struct told_piece *piece)
{
	if (d->places && pick(d, 3) == 0) {
		size_t i = pick(d, d->places);
		piece->bytes = 1 + pick(d, d->length[i]);
		memcpy(piece->p = malloc(piece->bytes), d->image + d->place[i], piece->bytes);
		return d->place[i];
	}
	if (room_in(d->bytes) < piece->bytes)
		d->bytes = new_extent(d, 2, (uint32_t)((piece->bytes + 64) / BLOCK + 1 + pick(d, 3)), 0, 0);
	uint8_t *to = end_of(d->bytes);
	memcpy(to, piece->p, piece->bytes);
	put_le(d->bytes + 24, get_le(d->bytes + 24) + piece->bytes, 8);
	size_t i = d->places < 64 ? d->places++ : pick(d, 64);
	d->place[i] = (uint64_t)(to - d->image);
	d->length[i] = piece->bytes;
	return d->place[i];
}

static inline void fill(struct contents *d, uint8_t *p, uint64_t n, uint64_t kind)
{
	for (uint64_t i = 0; i < n; i++)
		p[i] = kind == 0 ? (uint8_t)pick(d, 256) : kind == 1 ? (uint8_t)(i / 7) : 0;
}

static inline uint8_t *put_piece(
	struct contents *d, struct random_thread *t, struct told_piece *piece, uint8_t *to, size_t large)
{
	static const uint32_t whats[] = {0, 1, 6, 63, 64, 70, 1u << 20, (1u << 20) + 3};
	bool apart = pick(d, 4) == 0;
	piece->what = whats[pick(d, 8)];
	piece->bytes = pick(d, 5) == 0 ? 0 : 1 + pick(d, apart ? large : 40);
	piece->p = malloc(piece->bytes + 1);
	fill(d, piece->p, piece->bytes, pick(d, 3));
	if (apart && piece->bytes) {
		uint8_t *mine = piece->p;
		uint64_t at = place_of(d, piece), delta = at - t->next;
		if (piece->p != mine)
			free(mine);
		to = uv(uv(to, piece->what), piece->bytes);
		to = uv(to, 1 + ((delta << 1) ^ (uint64_t)((int64_t)delta >> 63)));
		t->next = at + piece->bytes;
	} else {
		to = uv(uv(to, piece->what), piece->bytes);
		if (piece->bytes)
			to = uv(to, 0);
		memcpy(to, piece->p, piece->bytes);
		to += piece->bytes;
	}
	d->came += piece->bytes;
	return to;
}

static inline void put_item(struct contents *d, struct random_thread *t, size_t large)
{
	uint8_t b[1024], *p = b;
	static const char *const names[] = {"mpi:MPI_Test", "inputs:clock_gettime", "x:y"};
	struct told_item item = {.name = (int)pick(d, 6) - 3, .pieces = (int)pick(d, 5)};
	item.name = item.name < 0 ? -1 : item.name;
	uint64_t n = item.name < 0 ? 1 + pick(d, 4) : pick(d, 3);
	t->event = item.event = t->event + n;
	if (item.name >= 0 && !t->named[item.name]) {
		const char *name = names[item.name];
		t->named[item.name] = true;
		p = uv(uv(uv(p, 1), (uint64_t)item.name + 1), strlen(name));
		p = mempcpy(p, name, strlen(name));
	}
	p = uv(p, item.name < 0 ? 2 : 3);
	if (item.name >= 0)
		p = uv(p, (uint64_t)item.name + 1);
	p = uv(uv(p, n), (uint64_t)item.pieces);
	for (int i = 0; i < item.pieces; i++)
		p = put_piece(d, t, &item.piece[i], p, large);
	size_t bytes = (size_t)(p - b);
	if (room_in(t->open) < bytes)
		t->open = new_extent(d, 1, 1 + (uint32_t)pick(d, 2), t->id, t->extents++);
	memcpy(end_of(t->open), b, bytes);
	put_le(t->open + 24, get_le(t->open + 24) + bytes, 8);
	t->item = realloc(t->item, (t->items + 1) * sizeof item);
	t->item[t->items++] = item;
}

static inline void random_data(struct contents *d, uint64_t seed, size_t items, size_t large)
{
	*d = (struct contents){.seed = seed, .image = calloc(1, ROOM), .blocks = 1};
	for (int i = 0; i < THREADS; i++)
		d->thread[i].id = i ? 0x9E3779B97F4A7C15u * (uint64_t)i : 0;
	for (size_t i = 0; i < items; i++)
		put_item(d, &d->thread[pick(d, THREADS)], large);
	memcpy(d->image, "HBDBDATA", 8);
	put_le(d->image + 8, 1, 4);
	put_le(d->image + 16, 3, 4);
	put_le(d->image + 20, 4711, 4);
	put_le(d->image + 24, 1, 4);
	put_le(d->image + 32, d->blocks, 8);
	put_le(d->image + 40, d->came, 8);
}

static inline void random_data_free(struct contents *d)
{
	for (int i = 0; i < THREADS; i++) {
		for (size_t k = 0; k < d->thread[i].items; k++)
			for (int j = 0; j < d->thread[i].item[k].pieces; j++)
				free(d->thread[i].item[k].piece[j].p);
		free(d->thread[i].item);
	}
	free(d->image);
}

#endif
