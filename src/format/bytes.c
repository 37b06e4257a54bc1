/* Small tools: growing arrays, bytes in and out, errors, files that appear whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/row.h"

#define CHUNK 16384

struct hb__chunk {
	struct hb__chunk *next;
	size_t size;
	max_align_t data[];
};

void *hb__arena_get(struct hb__arena *arena, size_t bytes)
{
	bytes = bytes ? (bytes + 15) & ~(size_t)15 : 16; /* NULL means no memory, and nothing else */
	if (bytes > arena->left) {
		size_t size = bytes > CHUNK ? bytes : CHUNK;
		struct hb__chunk *c = malloc(sizeof *c + size);
		if (!c)
			return NULL;
		c->next = arena->first;
		c->size = size;
		arena->first = c;
		arena->p = (uint8_t *)c->data;
		arena->left = size;
	}
	void *p = arena->p;
	arena->p += bytes;
	arena->left -= bytes;
	return p;
}

void hb__arena_free(struct hb__arena *arena)
{
	for (struct hb__chunk *c = arena->first, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	*arena = (struct hb__arena){0};
}

void hb__arena_reset(struct hb__arena *arena)
{
	size_t all = 0;
	for (const struct hb__chunk *c = arena->first; c; c = c->next)
		all += c->size;
	if (all && arena->first->size != all) {
		hb__arena_free(arena);
		hb__arena_get(arena, all); /* without memory the next call says so */
	}
	struct hb__chunk *c = arena->first;
	arena->p = c ? (uint8_t *)c->data : NULL;
	arena->left = c ? c->size : 0;
}

void hb__arena_back(struct hb__arena *arena, const struct hb__arena *before)
{
	if (arena->first == before->first)
		*arena = *before;
}

uint8_t *hb__bytes_room(struct hb__bytes *b, size_t n)
{
	if (b->failed)
		return NULL;
	if (n > b->cap - b->n && !HB_GROW(b->p, b->cap, b->n + n)) {
		b->failed = true;
		return NULL;
	}
	return b->p + b->n;
}

void hb__bytes_put(struct hb__bytes *b, const void *p, size_t n)
{
	uint8_t *to = hb__bytes_room(b, n);
	if (to && n) {
		memcpy(to, p, n);
		b->n += n;
	}
}

void hb__bytes_u8(struct hb__bytes *b, uint8_t v) { hb__bytes_put(b, &v, 1); }

void hb__bytes_uv(struct hb__bytes *b, uint64_t v)
{
	uint8_t *to = hb__bytes_room(b, HB_UV_MAX);
	if (to)
		b->n = (size_t)(hb_put_uv(to, v) - b->p);
}

void hb__bytes_sv(struct hb__bytes *b, int64_t v) { hb__bytes_uv(b, hb_zigzag(v)); }

void hb__bytes_str(struct hb__bytes *b, const char *s)
{
	size_t n = strlen(s);
	hb__bytes_uv(b, n);
	hb__bytes_put(b, s, n);
}

uint64_t hb__in_uv(struct hb__in *in)
{
	uint64_t v = 0;
	const uint8_t *p = in->bad ? NULL : hb_get_uv(in->p, in->end, &v);
	if (!p) {
		in->bad = true;
		return 0;
	}
	in->p = p;
	return v;
}

int64_t hb__in_sv(struct hb__in *in) { return hb_unzigzag(hb__in_uv(in)); }

const uint8_t *hb__in_bytes(struct hb__in *in, uint64_t n)
{
	if (in->bad || n > (uint64_t)(in->end - in->p)) {
		in->bad = true;
		return NULL;
	}
	const uint8_t *p = in->p;
	in->p += n;
	return p;
}

uint8_t hb__in_u8(struct hb__in *in)
{
	const uint8_t *p = hb__in_bytes(in, 1);
	return p ? *p : 0;
}

hb_status hb__fail(hb_error *err, hb_status status, const char *file, uint64_t offset, const char *format, ...)
{
	if (!err)
		return status;
	err->status = status;
	err->sys = status == HB_E_SYSTEM ? errno : 0;
	err->offset = offset;
	snprintf(err->file, sizeof err->file, "%s", file ? file : "");
	va_list ap;
	va_start(ap, format);
	vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	if (err->sys) {
		size_t n = strlen(err->message);
		snprintf(err->message + n, sizeof err->message - n, ": %s", strerror(err->sys));
	}
	return status;
}

/* ---- files ---- */

hb_status hb__out_open(struct hb__out *out, const char *path, hb_error *err)
{
	*out = (struct hb__out){.fd = -1};
	out->path = strdup(path);
	if (!out->path || asprintf(&out->part, "%s.part.%ld", path, (long)getpid()) < 0) {
		out->part = NULL;
		hb__out_abandon(out);
		return hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	}
	out->fd = open(out->part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out->fd < 0) {
		hb_status s = hb__fail(err, HB_E_SYSTEM, path, 0, "cannot create %s", out->part);
		hb__out_abandon(out);
		return s;
	}
	return HB_OK;
}

static bool write_at(struct hb__out *out, uint64_t offset, const uint8_t *p, size_t n)
{
	while (n) {
		ssize_t k = pwrite(out->fd, p, n, (off_t)offset);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			if (!out->sys)
				out->sys = k < 0 ? errno : EIO;
			return false;
		}
		p += k;
		n -= (size_t)k;
		offset += (uint64_t)k;
	}
	return true;
}

void hb__out_flush(struct hb__out *out)
{
	if (!out->sys)
		write_at(out, out->offset, out->b.p, out->b.n);
	out->offset += out->b.n;
	out->b.n = 0;
}

void hb__out_patch(struct hb__out *out, uint64_t offset, const void *p, size_t n)
{
	hb__out_flush(out);
	if (!out->sys)
		write_at(out, offset, p, n);
}

void hb__out_abandon(struct hb__out *out)
{
	if (out->fd >= 0) {
		close(out->fd);
		unlink(out->part);
	}
	free(out->b.p);
	free(out->path);
	free(out->part);
	*out = (struct hb__out){.fd = -1};
}

hb_status hb__out_finish(struct hb__out *out, hb_error *err)
{
	hb_status s = HB_OK;
	hb__out_flush(out);
	if (out->b.failed) {
		s = hb__fail(err, HB_E_MEMORY, out->path, 0, "out of memory");
	} else if (out->sys || rename(out->part, out->path)) {
		errno = out->sys ? out->sys : errno;
		s = hb__fail(err, HB_E_SYSTEM, out->path, out->offset, "cannot write %s", out->path);
	} else {
		close(out->fd);
		out->fd = -1;
	}
	hb__out_abandon(out);
	return s;
}

/* ---- the checksums of the raw log ---- */

bool hb__sum_unit(const struct hb_unit_header *h, const uint8_t *payload, uint32_t bytes)
{
	struct hb_unit_header copy = *h;
	/* Closed after the bounds were taken: what was committed then is checked by the scan alone. */
	if (h->closed != 1 || (h->kind != HB_UNIT_LANE && h->committed != bytes))
		return true;
	if (h->head) {
		uint64_t head = XXH3_64bits(&copy, offsetof(struct hb_unit_header, head));
		if (h->head != (head ? head : 1))
			return false;
	}
	return XXH3_64bits(payload, bytes) == h->checksum;
}

bool hb__sum_header(const struct hb_log_header *h)
{
	uint64_t sum = XXH3_64bits(h, offsetof(struct hb_log_header, checksum));
	return h->checksum == (sum ? sum : 1);
}
