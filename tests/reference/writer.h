/* Writes traces for tests: the fields of docs/man/hbdb-trace.5, one function for each kind of record that tests need. */
#ifndef TESTS_REFERENCE_WRITER_H
#define TESTS_REFERENCE_WRITER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/trace/trace.h"

struct writer {
	uint8_t *image, *payload;
	size_t n, room, payload_n, payload_room;
	uint64_t blocks;
	uint32_t thread;
};

static inline void w_room(uint8_t **at, size_t *room, size_t need)
{
	if (need <= *room)
		return;
	*room = need * 2 + 256;
	*at = realloc(*at, *room);
	if (!*at)
		abort();
}

static inline void w_bytes(struct writer *w, const void *p, size_t n)
{
	w_room(&w->payload, &w->payload_room, w->payload_n + n);
	if (n)
		memcpy(w->payload + w->payload_n, p, n);
	w->payload_n += n;
}

static inline void w_uv(struct writer *w, uint64_t v)
{
	uint8_t b[10];
	size_t n = 0;
	for (; v >= 128; v >>= 7)
		b[n++] = (uint8_t)(v | 128);
	b[n++] = (uint8_t)v;
	w_bytes(w, b, n);
}

static inline void w_sv(struct writer *w, int64_t v) { w_uv(w, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63)); }

static inline void w_str(struct writer *w, const char *s)
{
	w_uv(w, strlen(s));
	w_bytes(w, s, strlen(s));
}

/* The block at hand is complete. */
static inline void w_block(struct writer *w)
{
	struct hb_trace_block head = {
		(uint32_t)w->payload_n, w->thread, XXH3_64bits_withSeed(w->payload, w->payload_n, w->blocks)};
	if (!w->payload_n)
		return;
	w_room(&w->image, &w->room, w->n + sizeof head + w->payload_n);
	memcpy(w->image + w->n, &head, sizeof head);
	memcpy(w->image + w->n + sizeof head, w->payload, w->payload_n);
	w->n += sizeof head + w->payload_n;
	w->payload_n = 0;
	w->blocks++;
}

/* Records from here on are of this thread. */
static inline void w_thread(struct writer *w, uint32_t thread)
{
	if (w->thread != thread)
		w_block(w);
	w->thread = thread;
}

static inline void w_open(struct writer *w, int32_t rank, int32_t size)
{
	struct hb_trace_header h = {.version = HB_TRACE_VERSION, .rank = rank, .size = size, .pid = 4711};
	*w = (struct writer){0};
	memcpy(h.magic, HB_TRACE_MAGIC, sizeof h.magic);
	w_room(&w->image, &w->room, sizeof h);
	memcpy(w->image, &h, sizeof h);
	w->n = sizeof h;
}

static inline void w_construct(struct writer *w, uint64_t number, uint64_t parent, hb_construct_type type,
	unsigned rank, const char *name, const char *file, uint32_t line)
{
	w_uv(w, HB_TRACE_CONSTRUCT);
	w_uv(w, number);
	w_uv(w, parent);
	w_uv(w, type);
	w_uv(w, rank);
	w_str(w, name);
	w_str(w, file);
	w_uv(w, line);
	w_str(w, "main");
	w_uv(w, HB_TRACE_CHECKSUM);
}

static inline void w_array(struct writer *w, uint64_t number, const hb_array *a, const char *file, uint32_t line,
	uint32_t ordinal, unsigned flags)
{
	w_uv(w, HB_TRACE_ARRAY);
	w_uv(w, number);
	w_str(w, a->name);
	w_str(w, file);
	w_uv(w, line);
	w_uv(w, ordinal);
	w_uv(w, a->type);
	w_uv(w, a->rank);
	w_uv(w, flags | (a->columns ? HB_TRACE_ARRAY_COLUMNS : 0) | (a->replicated ? HB_TRACE_ARRAY_REPLICATED : 0));
	w_uv(w, 4096 * number);
	for (unsigned d = 0; d < a->rank; d++) {
		w_sv(w, a->base[d]);
		w_uv(w, (uint64_t)a->global[d]);
		w_sv(w, a->first[d]);
		w_uv(w, (uint64_t)a->count[d]);
		w_uv(w, (uint64_t)a->below[d]);
		w_uv(w, (uint64_t)a->above[d]);
		w_uv(w, (uint64_t)a->block[d]);
		w_uv(w, (uint64_t)a->over[d]);
		w_uv(w, (uint64_t)a->place[d]);
	}
}

static inline void w_point(struct writer *w, bool end, uint64_t construct, const char *text)
{
	hb_point p;
	if (hb_point_read(text, &p))
		abort();
	w_uv(w, end ? HB_TRACE_END : HB_TRACE_BEGIN);
	w_uv(w, construct);
	w_uv(w, p.number);
	w_uv(w, p.nested);
	if (p.nested) {
		w_uv(w, p.task);
		w_uv(w, p.inner);
	}
	w_uv(w, 7);
	w_uv(w, 1000 * p.number);
}

static inline void w_iteration(struct writer *w, unsigned n, const int64_t *index)
{
	w_uv(w, HB_TRACE_ITERATION);
	w_uv(w, n);
	for (unsigned i = 0; i < n; i++)
		w_sv(w, index[i]);
}

static inline void w_access(struct writer *w, hb_trace_kind kind, uint64_t place, uint64_t array, uint64_t element,
	const void *value, size_t bytes)
{
	w_uv(w, kind);
	w_uv(w, place);
	w_uv(w, array);
	w_uv(w, element);
	w_bytes(w, value, bytes);
}

/* As the target would: all tiles of which the process owns some. */
static inline void w_checked(struct writer *w, uint64_t number, unsigned access, const hb_array *a)
{
	hb_tiling tiling;
	hb_tile tile[HB_TILES_MOST];
	bool touched[HB_TILES_MOST];
	uint64_t n = 0;
	if (!hb_tiling_make(a->rank, a->columns, a->global, &tiling) || !hb_tiles_of_array(a, &tiling, tile, touched))
		abort();
	for (uint32_t i = 0; i < tiling.tiles; i++)
		n += touched[i];
	w_uv(w, HB_TRACE_CHECKED);
	w_uv(w, number);
	w_uv(w, access);
	w_uv(w, HB_CHECKSUM_FINE);
	w_uv(w, n);
	for (uint32_t i = 0; i < tiling.tiles; i++)
		if (touched[i]) {
			w_uv(w, i);
			w_bytes(w, &tile[i], sizeof tile[i]);
		}
}

static inline void w_failed(struct writer *w, uint64_t number, unsigned state)
{
	w_uv(w, HB_TRACE_CHECKED);
	w_uv(w, number);
	w_uv(w, HB_ACCESS_WRITE);
	w_uv(w, state);
}

static inline void w_variable(struct writer *w, uint64_t number, const char *name, uint32_t line, hb_element type)
{
	w_uv(w, HB_TRACE_VARIABLE);
	w_uv(w, number);
	w_str(w, name);
	w_str(w, "heat.c");
	w_uv(w, line);
	w_uv(w, type);
	w_uv(w, HB_SUM);
}

static inline void w_result(struct writer *w, uint64_t variable, const void *value, size_t bytes)
{
	w_uv(w, HB_TRACE_RESULT);
	w_uv(w, variable);
	w_bytes(w, value, bytes);
}

static inline void w_place(struct writer *w, uint64_t number, uint64_t module, uint64_t offset)
{
	w_uv(w, HB_TRACE_PLACE);
	w_uv(w, number);
	w_uv(w, module);
	w_uv(w, offset);
	w_uv(w, 1);
}

static inline void w_module(struct writer *w, uint64_t number, const char *path)
{
	w_uv(w, HB_TRACE_MODULE);
	w_uv(w, number);
	w_str(w, path);
}

static inline void w_trouble(struct writer *w, unsigned what, uint64_t number, const char *text)
{
	w_uv(w, HB_TRACE_TROUBLE);
	w_uv(w, what);
	w_uv(w, number);
	w_str(w, text);
}

static inline void w_over(struct writer *w)
{
	w_thread(w, 0);
	w_uv(w, HB_TRACE_OVER);
	w_block(w);
}

static inline void w_save_part(const struct writer *w, const char *path, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || (n && fwrite(w->image, 1, n, f) != n) || fclose(f)) {
		perror(path);
		abort();
	}
}

/* Writes the file and forgets it. */
static inline void w_close(struct writer *w, const char *path)
{
	w_block(w);
	if (path)
		w_save_part(w, path, w->n);
	free(w->image);
	free(w->payload);
	*w = (struct writer){0};
}

#endif
