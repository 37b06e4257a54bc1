/* Writing the file of a node, in one go, into anything. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/within/layout.h"
#include "format/within/within.h"

static void put(hb_within_writer *w, const void *bytes, size_t n)
{
	for (const uint8_t *p = bytes; n && !w->status;) {
		ssize_t k = write(w->fd, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			w->status =
				hb__fail(&w->err, HB_E_SYSTEM, NULL, w->offset, "the file of a node cannot be written");
			return;
		}
		p += k;
		n -= (size_t)k;
		w->offset += (uint64_t)k;
	}
}

static void fill(hb_within_writer *w)
{
	static const char zeros[8];
	put(w, zeros, (size_t)(hb__within_next(w->offset) - w->offset));
}

void hb_within_begin(hb_within_writer *w, int fd, const char *node)
{
	*w = (hb_within_writer){.fd = fd};
	size_t n = strnlen(node, HB_WITHIN_NAME_MOST);
	struct hb__within_begin begin = {.version = htole32(HB_WITHIN_VERSION), .node = htole32((uint32_t)n)};
	memcpy(begin.magic, HB_WITHIN_MAGIC, sizeof begin.magic);
	put(w, &begin, sizeof begin);
	put(w, node, n);
	fill(w);
}

void hb_within_add(hb_within_writer *w, const char *path, const char *name)
{
	hb_mapped m = {.fd = -1};
	size_t n = strlen(name);
	if (w->status)
		return;
	if (!n || n > HB_WITHIN_NAME_MOST) {
		w->status = hb__fail(&w->err, HB_E_ARGUMENT, path, 0, "a file of a node has a name of 1 to %u bytes",
			HB_WITHIN_NAME_MOST);
		return;
	}
	hb_status status = hb__map(path, NULL, 0, &m, &w->err);
	if (status && status != HB_E_DAMAGED) { /* an empty file is one, too */
		w->status = status;
		return;
	}
	uint64_t sum = XXH3_64bits(m.at, m.bytes);
	struct hb__within_head head = {.name = htole32((uint32_t)n), .bytes = htole64(m.bytes), .sum = htole64(sum)};
	memcpy(head.magic, HB_WITHIN_FILE, sizeof head.magic);
	put(w, &head, sizeof head);
	put(w, name, n);
	fill(w);
	hb_within file = {.name = strdup(name), .offset = w->offset, .bytes = m.bytes, .sum = sum};
	if (!file.name || !HB_GROW(w->at, w->cap, w->n + 1)) {
		free(file.name);
		w->status = hb__fail(&w->err, HB_E_MEMORY, path, 0, "out of memory");
	} else
		w->at[w->n++] = file;
	put(w, m.at, m.bytes);
	fill(w);
	hb__unmap(&m);
}

hb_status hb_within_end(hb_within_writer *w, hb_error *err)
{
	struct hb__bytes entries = {0};
	for (size_t i = 0; i < w->n; i++) {
		const hb_within *f = &w->at[i];
		struct hb__within_entry e = {.offset = htole64(f->offset),
			.bytes = htole64(f->bytes),
			.sum = htole64(f->sum),
			.name = htole32((uint32_t)strlen(f->name))};
		hb__bytes_put(&entries, &e, sizeof e);
		hb__bytes_put(&entries, f->name, strlen(f->name));
	}
	if (entries.failed && !w->status)
		w->status = hb__fail(&w->err, HB_E_MEMORY, NULL, 0, "out of memory");
	struct hb__within_end end = {.index = htole64(w->offset)};
	memcpy(end.magic, HB_WITHIN_END, sizeof end.magic);
	struct hb__within_index index = {.files = htole32((uint32_t)w->n),
		.bytes = htole64(entries.n),
		.sum = htole64(XXH3_64bits(entries.p, entries.n))};
	memcpy(index.magic, HB_WITHIN_INDEX, sizeof index.magic);
	put(w, &index, sizeof index);
	put(w, entries.p, entries.n);
	fill(w);
	put(w, &end, sizeof end);
	free(entries.p);
	for (size_t i = 0; i < w->n; i++)
		free(w->at[i].name);
	free(w->at);
	w->at = NULL;
	w->n = w->cap = 0;
	if (w->status && err)
		*err = w->err;
	return w->status;
}
