/* Opening a file of contents: what is in it, and where. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/data/data.h"

void hb__data_trouble(hb_data *d, uint64_t offset, const char *format, ...)
{
	if (d->info.recovered)
		return;
	d->info.recovered = 1;
	char *s = d->info.trouble;
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(s, sizeof d->info.trouble, format, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof d->info.trouble)
		snprintf(s + n, sizeof d->info.trouble - (size_t)n, " (offset %llu)", (unsigned long long)offset);
}

static hb_status map_file(hb_data *d, hb_error *err)
{
	hb_status status = hb__map(d->path, NULL, 0, &d->file, err);
	d->map = d->file.at;
	d->size = d->file.bytes;
	return status;
}

/* The header, and how far the file goes with it. */
static hb_status take_header(hb_data *d, hb_error *err)
{
	struct hb_data_header *h = &d->head;
	hb_error why;
	hb_status status = d->end < sizeof *h ? HB_E_DAMAGED : hb__data_bytes(d, 0, sizeof *h, h, &why);
	if (status == HB_E_MEMORY)
		return hb__fail(err, status, d->path, 0, "out of memory");
	if (status)
		return hb__fail(err, HB_E_DAMAGED, d->path, 0, "its header is cut off or damaged");
	if (memcmp(h->magic, HB_DATA_MAGIC, sizeof h->magic) != 0)
		return hb__fail(err, HB_E_FOREIGN, d->path, 0, "%s is not a file of contents", d->path);
	if (h->version != HB_DATA_VERSION || h->incompatible)
		return hb__fail(
			err, HB_E_VERSION, d->path, 8, "contents of version %u, flags %u", h->version, h->incompatible);
	uint64_t blocks = d->end / HB_DATA_BLOCK;
	if (!blocks || !h->blocks)
		return hb__fail(err, HB_E_DAMAGED, d->path, 32, "it ends before its first block does");
	if (h->blocks > blocks)
		hb__data_trouble(d, d->end, "the file ends after %llu of %llu blocks", (unsigned long long)blocks,
			(unsigned long long)h->blocks);
	else
		blocks = h->blocks;
	d->end = blocks * HB_DATA_BLOCK;
	d->info.rank = h->rank;
	d->info.pid = h->pid;
	d->info.told = h->state == 1;
	d->info.stopped = h->stopped;
	d->info.came = h->came;
	return HB_OK;
}

static struct hb__data_thread *thread_of(hb_data *d, uint64_t id, uint32_t *ret_index)
{
	for (uint32_t i = 0; i < d->info.threads; i++)
		if (d->thread[i].id == id) {
			*ret_index = i;
			return &d->thread[i];
		}
	*ret_index = d->info.threads;
	if (!HB_GROW(d->thread, d->threads_cap, d->info.threads + 1))
		return NULL;
	d->thread[d->info.threads] = (struct hb__data_thread){.id = id};
	return &d->thread[d->info.threads++];
}

/* False: out of memory. */
static bool add_extent(hb_data *d, uint64_t at, const struct hb_data_extent *h)
{
	struct hb__extent x = {.at = at,
		.size = (uint64_t)h->blocks * HB_DATA_BLOCK,
		.valid = h->valid,
		.kind = h->kind,
		.thread = HB_NO};
	if (!HB_GROW(d->extent, d->extents_cap, d->extents + 1))
		return false;
	if (h->kind == HB_DATA_ITEMS) {
		struct hb__data_thread *t = thread_of(d, h->thread, &x.thread);
		if (!t || !HB_GROW(t->extent, t->cap, t->n + 1))
			return false;
		t->extent[t->n++] = d->extents;
	}
	d->extent[d->extents++] = x;
	d->info.stored += h->valid;
	return true;
}

/* Why an extent makes no sense; NULL: it does. */
static const char *wrong(const hb_data *d, uint64_t at, const struct hb_data_extent *h)
{
	if (h->kind != HB_DATA_ITEMS && h->kind != HB_DATA_BYTES)
		return "an extent is of no kind that is known";
	if (!h->blocks || h->blocks > (d->end - at) / HB_DATA_BLOCK)
		return "an extent reaches over the end";
	if (h->valid > (uint64_t)h->blocks * HB_DATA_BLOCK - HB_DATA_HEAD)
		return "an extent holds more than it has room for";
	if (h->kind == HB_DATA_ITEMS) {
		size_t before = 0;
		for (uint32_t i = 0; i < d->info.threads; i++)
			before = d->thread[i].id == h->thread ? d->thread[i].n : before;
		if (h->before != before)
			return "an extent of items is missing";
	}
	return NULL;
}

static hb_status take_extents(hb_data *d, hb_error *err)
{
	uint64_t at = HB_DATA_BLOCK;
	while (at < d->end) {
		struct hb_data_extent h;
		hb_error why;
		hb_status status = hb__data_bytes(d, at, sizeof h, &h, &why);
		if (status == HB_E_MEMORY)
			return hb__fail(err, status, d->path, at, "out of memory");
		const char *reason = status ? "a frame is damaged" : NULL;
		/* being made when the process ended; nobody told its end then */
		if (!status && h.magic != HB_DATA_EXTENT && !d->info.told)
			break;
		if (!status)
			reason = h.magic == HB_DATA_EXTENT ? wrong(d, at, &h) : "an extent is missing";
		if (reason) {
			hb__data_trouble(d, at, "%s", reason);
			break;
		}
		if (!add_extent(d, at, &h))
			return hb__fail(err, HB_E_MEMORY, d->path, at, "out of memory");
		at += (uint64_t)h.blocks * HB_DATA_BLOCK;
	}
	d->end = at;
	return HB_OK;
}

hb_status hb__data_begin(const char *path, hb_data **ret_data, hb_error *err)
{
	if (!ret_data)
		return hb__fail(err, HB_E_ARGUMENT, path, 0, "nowhere to put the file");
	*ret_data = NULL;
	if (!path)
		return hb__fail(err, HB_E_ARGUMENT, path, 0, "no file to open");
	hb_data *d = calloc(1, sizeof *d);
	if (!d || !(d->path = strdup(path))) {
		free(d);
		return hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	}
	d->file.fd = -1;
	hb_status status = map_file(d, err);
	status = status ? status : hb__frames_open(d, err);
	status = status ? status : take_header(d, err);
	if (status)
		hb_data_close(d);
	else
		*ret_data = d;
	return status;
}

/* Extents and items, as far as the file goes. */
static hb_status learn(hb_data *d, hb_data **ret_data, hb_error *err)
{
	hb_status status = take_extents(d, err);
	status = status ? status : hb__items_scan(d, err);
	if (status) {
		hb_data_close(d);
		return status;
	}
	d->info.bytes = d->info.sealed ? d->size : d->end;
	*ret_data = d;
	return HB_OK;
}

hb_status hb_data_open(const char *path, hb_data **ret_data, hb_error *err)
{
	hb_data *d;
	hb_status status = hb__data_begin(path, ret_data ? &d : NULL, err);
	if (ret_data)
		*ret_data = NULL;
	return status ? status : learn(d, ret_data, err);
}

hb_status hb_data_open_beginning(const char *path, uint64_t bytes, hb_data **ret_data, hb_error *err)
{
	hb_data *d;
	hb_status status = hb__data_begin(path, ret_data ? &d : NULL, err);
	if (ret_data)
		*ret_data = NULL;
	if (status)
		return status;
	uint64_t blocks = bytes / HB_DATA_BLOCK;
	status = hb__frames_limit(d, (blocks ? blocks : 1) * HB_DATA_BLOCK, err);
	if (!status)
		return learn(d, ret_data, err);
	hb_data_close(d);
	return status;
}

void hb_data_close(hb_data *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->info.threads; i++) {
		hb_data_cursor_close(d->thread[i].cursor);
		free(d->thread[i].extent);
		free(d->thread[i].name);
	}
	hb__frames_close(d);
	hb__arena_free(&d->arena);
	free(d->thread);
	free(d->extent);
	free(d->piece);
	hb__unmap(&d->file);
	free(d->path);
	free(d);
}

const hb_data_info *hb_data_get_info(const hb_data *d) { return &d->info; }

hb_status hb_data_thread(const hb_data *d, uint32_t index, uint64_t *ret_thread, uint64_t *ret_items)
{
	if (index >= d->info.threads)
		return HB_E_ARGUMENT;
	*ret_thread = d->thread[index].id;
	*ret_items = d->thread[index].items;
	return HB_OK;
}

char *hb_data_path(const char *log)
{
	size_t n = strlen(log), ending = strlen(".log");
	bool named = n > ending && !strcmp(log + n - ending, ".log");
	char *path = NULL;
	return asprintf(&path, "%.*s.data", (int)(named ? n - ending : n), log) < 0 ? NULL : path;
}
