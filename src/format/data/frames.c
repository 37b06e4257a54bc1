/* The bytes of the raw form, wherever they are: mapped, or in frames of the sealed form. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/data/data.h"

#define SKIPPABLE 0x184D2A5Eu
#define SEEK_MAGIC "HBDBSEEK"

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static bool add_frame(hb_data *d, uint64_t at, uint64_t bytes, uint64_t raw, uint64_t content)
{
	if (!HB_GROW(d->frame, d->frames_cap, d->frames + 1))
		return false;
	d->frame[d->frames++] = (struct hb__frame){at, bytes, raw, content};
	return true;
}

/* What a frame says that it holds; UINT64_MAX: it is none, or says nothing, or too much. */
static uint64_t content_at(const hb_data *d, uint64_t at, uint64_t bytes)
{
	unsigned long long n = ZSTD_getFrameContentSize(d->map + at, bytes);
	return n > HB__FRAME_MOST ? UINT64_MAX : n; /* the two values for errors are the greatest there are */
}

/* By the list at the end. False: there is none, or it contradicts the frames; *ret_memory tells when there was none. */
static bool take_list(hb_data *d, bool *ret_memory)
{
	*ret_memory = true;
	if (d->size < 24 || memcmp(d->map + d->size - 8, SEEK_MAGIC, 8) != 0)
		return false;
	uint64_t n = u64_at(d->map + d->size - 16), list = 16 * n + 16;
	if (!n || n > d->size / 16 || list + 8 > d->size || list > UINT32_MAX)
		return false;
	const uint8_t *p = d->map + d->size - list;
	if (u32_at(p - 8) != SKIPPABLE || u32_at(p - 4) != list)
		return false;
	uint64_t end = d->size - list - 8, at = 0, raw = 0;
	for (uint64_t i = 0; i < n; i++, p += 16) {
		uint64_t next = i + 1 < n ? u64_at(p + 16) : end;
		if (u64_at(p) != at || u64_at(p + 8) != raw || next <= at || next > end)
			return false;
		uint64_t content = content_at(d, at, next - at);
		if (content == UINT64_MAX)
			return false;
		if (!add_frame(d, at, next - at, raw, content)) {
			*ret_memory = false;
			return false;
		}
		at = next;
		raw += content;
	}
	return true;
}

/* One frame after the other. False: out of memory. */
static bool take_frames(hb_data *d)
{
	uint64_t at = 0, raw = 0;
	d->frames = 0;
	while (at < d->size) {
		size_t bytes = ZSTD_findFrameCompressedSize(d->map + at, d->size - at);
		if (ZSTD_isError(bytes) || !bytes) {
			hb__data_trouble(d, at, "the file is cut off in the middle, or damaged");
			return true;
		}
		bool skipped = d->size - at >= 4 && (u32_at(d->map + at) & 0xFFFFFFF0u) == 0x184D2A50u;
		uint64_t content = skipped ? 0 : content_at(d, at, bytes);
		if (content == UINT64_MAX) {
			hb__data_trouble(d, at, "a frame does not say how much it holds, or too much");
			return true;
		}
		if (!skipped && !add_frame(d, at, bytes, raw, content))
			return false;
		at += bytes;
		raw += content;
	}
	return true;
}

hb_status hb__frames_open(hb_data *d, hb_error *err)
{
	bool memory;
	for (int i = 0; i < HB__FRAMES_KEPT; i++)
		d->kept[i].frame = SIZE_MAX;
	d->info.sealed = d->size >= 4 && u32_at(d->map) == ZSTD_MAGICNUMBER;
	if (!d->info.sealed) {
		d->end = d->size;
		return HB_OK;
	}
	d->zstd = ZSTD_createDCtx();
	if (!d->zstd || (!take_list(d, &memory) && (!memory || !take_frames(d))))
		return hb__fail(err, HB_E_MEMORY, d->path, 0, "out of memory");
	const struct hb__frame *last = d->frames ? &d->frame[d->frames - 1] : NULL;
	d->end = last ? last->raw + last->content : 0;
	return HB_OK;
}

static size_t frame_of(const hb_data *d, uint64_t at)
{
	size_t low = 0, high = d->frames;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (d->frame[middle].raw <= at)
			low = middle;
		else
			high = middle;
	}
	/* of frames with nothing in them the last one begins there, too */
	return low;
}

/* The frame decompressed; NULL with *err. */
static const uint8_t *keep_frame(hb_data *d, size_t number, hb_error *err)
{
	const struct hb__frame *f = &d->frame[number];
	struct hb__kept *k = d->kept;
	for (int i = 0; i < HB__FRAMES_KEPT; i++) {
		if (d->kept[i].frame == number) {
			d->kept[i].used = ++d->uses;
			return d->kept[i].p;
		}
		k = d->kept[i].used < k->used ? &d->kept[i] : k;
	}
	k->frame = SIZE_MAX;
	if (!HB_GROW(k->p, k->room, f->content ? f->content : 1)) {
		hb__fail(err, HB_E_MEMORY, d->path, f->at, "out of memory");
		return NULL;
	}
	size_t n = ZSTD_decompressDCtx(d->zstd, k->p, f->content, d->map + f->at, f->bytes);
	if (ZSTD_isError(n) || n != f->content) {
		hb__fail(err, HB_E_DAMAGED, d->path, f->at, "a frame is damaged: %s",
			ZSTD_isError(n) ? ZSTD_getErrorName(n) : "it holds less than it says");
		return NULL;
	}
	k->frame = number;
	k->used = ++d->uses;
	return k->p;
}

/* The beginning of a frame alone, for what stands there: decompressing all of it would take its time. */
static hb_status peek(hb_data *d, const struct hb__frame *f, uint64_t bytes, void *to, hb_error *err)
{
	ZSTD_outBuffer out = {to, bytes, 0};
	ZSTD_inBuffer in = {d->map + f->at, f->bytes, 0};
	ZSTD_DCtx_reset(d->zstd, ZSTD_reset_session_only);
	while (out.pos < bytes) {
		size_t before = in.pos, had = out.pos, left = ZSTD_decompressStream(d->zstd, &out, &in);
		if (ZSTD_isError(left) || (in.pos == before && out.pos == had))
			return hb__fail(err, HB_E_DAMAGED, d->path, f->at, "a frame is damaged: %s",
				ZSTD_isError(left) ? ZSTD_getErrorName(left) : "it holds less than it says");
	}
	return HB_OK;
}

hb_status hb__frames_limit(hb_data *d, uint64_t bytes, hb_error *err)
{
	struct hb__kept *k = &d->kept[0];
	if (bytes >= d->end)
		return HB_OK;
	if (d->info.sealed) {
		const struct hb__frame *f = &d->frame[0];
		if (bytes >= f->content)
			bytes = f->content;
		else if (!HB_GROW(k->p, k->room, bytes))
			return hb__fail(err, HB_E_MEMORY, d->path, 0, "out of memory");
		else {
			hb_status status = peek(d, f, bytes, k->p, err);
			if (status)
				return status;
			k->frame = 0;
			k->used = ++d->uses;
		}
	}
	d->end = bytes;
	return HB_OK;
}

static bool is_kept(const hb_data *d, size_t frame)
{
	for (int i = 0; i < HB__FRAMES_KEPT; i++)
		if (d->kept[i].frame == frame)
			return true;
	return false;
}

hb_status hb__data_bytes(hb_data *d, uint64_t at, uint64_t bytes, void *to, hb_error *err)
{
	if (at > d->end || bytes > d->end - at)
		return hb__fail(err, HB_E_ARGUMENT, d->path, at, "the file does not hold these bytes");
	if (!d->info.sealed) {
		memcpy(to, d->map + at, bytes);
		return HB_OK;
	}
	for (size_t i = bytes ? frame_of(d, at) : 0; bytes; i++) {
		const struct hb__frame *f = &d->frame[i];
		uint64_t skip = at - f->raw, n = f->content - skip < bytes ? f->content - skip : bytes;
		if (skip == 0 && n <= HB_DATA_HEAD && !is_kept(d, i)) {
			hb_status status = peek(d, f, n, to, err);
			if (status)
				return status;
		} else {
			const uint8_t *p = keep_frame(d, i, err);
			if (!p)
				return HB_E_DAMAGED;
			memcpy(to, p + skip, n);
		}
		to = (uint8_t *)to + n;
		at += n;
		bytes -= n;
	}
	return HB_OK;
}

void hb__frames_close(hb_data *d)
{
	for (int i = 0; i < HB__FRAMES_KEPT; i++)
		free(d->kept[i].p);
	ZSTD_freeDCtx(d->zstd);
	free(d->frame);
}
