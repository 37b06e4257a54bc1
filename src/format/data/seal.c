/* The sealed form: the raw one in frames, with a list of where they begin. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "format/data/data.h"

#define MOST ((uint64_t)8 << 20) /* bytes of the raw form in a frame: what has to be decompressed for any of them */
#define APART ((uint64_t)1 << 20)
/* What is little is worth some time. Of contents this level needs fewer bytes than level 3 of the payloads alone would (bench/contents.py). */
#define LEVEL_ITEMS 9
#define LEVEL_BYTES 6

struct sealer {
	hb_data *d;
	struct hb__out out;
	struct hb__walk walk;
	ZSTD_CCtx *zstd;
	uint8_t *raw;
	struct hb__bytes list;
	uint64_t frames;
	hb_progress *progress;
	void *user;
};

static void put_u64(struct hb__bytes *b, uint64_t v) { hb__bytes_put(b, &v, sizeof v); }

static hb_status put_frame(struct sealer *s, uint64_t bytes, int level, hb_error *err)
{
	const char *path = s->out.path;
	uint64_t begin = s->walk.at;
	size_t n = 0, bound = ZSTD_compressBound(bytes);
	hb_status status = hb__data_walk(&s->walk, s->raw, bytes, &n, err);
	if (status)
		return status;
	uint8_t *to = hb__bytes_room(&s->out.b, bound);
	if (!to)
		return hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, level);
	size_t made = ZSTD_compress2(s->zstd, to, bound, s->raw, n);
	if (ZSTD_isError(made))
		return hb__fail(err, HB_E_MEMORY, path, 0, "cannot compress: %s", ZSTD_getErrorName(made));
	put_u64(&s->list, s->out.offset);
	put_u64(&s->list, begin);
	s->frames++;
	s->out.b.n += made;
	hb__out_flush(&s->out);
	if (s->progress)
		s->progress(s->user, (double)s->walk.at / (double)s->d->end);
	return HB_OK;
}

/* Where the next frame ends that begins at an extent or in a large one. Items and contents stand apart where that costs little, so that
 * reading items alone does not decompress contents. */
static uint64_t frame_end(const hb_data *d, uint64_t begin, size_t *extent, uint64_t *ret_contents)
{
	uint64_t end = begin ? begin : HB_DATA_BLOCK;
	uint32_t kind = 0;
	for (; *extent < d->extents; ++*extent) {
		const struct hb__extent *x = &d->extent[*extent];
		uint64_t left = x->at + x->size - end;
		bool first = end == begin;
		if (!first && kind && x->kind != kind && (end - begin >= APART || left >= APART))
			break;
		bool whole = left <= MOST - (end - begin);
		if (!whole && !first)
			return end;
		*ret_contents += x->kind == HB_DATA_BYTES ? whole ? left : MOST : 0;
		if (!whole)
			return begin + MOST;
		end += left;
		kind = x->kind;
	}
	return end;
}

static void put_list(struct sealer *s)
{
	static const uint32_t magic = 0x184D2A5E;
	uint32_t bytes = (uint32_t)(s->list.n + 16);
	hb__bytes_put(&s->out.b, &magic, sizeof magic);
	hb__bytes_put(&s->out.b, &bytes, sizeof bytes);
	hb__bytes_put(&s->out.b, s->list.p, s->list.n);
	put_u64(&s->out.b, s->frames);
	hb__bytes_put(&s->out.b, "HBDBSEEK", 8);
	s->out.b.failed = s->out.b.failed || s->list.failed;
}

static hb_status put_all(struct sealer *s, hb_error *err)
{
	hb_status status = HB_OK;
	size_t extent = 0;
	s->raw = malloc(MOST);
	s->zstd = ZSTD_createCCtx();
	if (!s->raw || !s->zstd)
		return hb__fail(err, HB_E_MEMORY, s->out.path, 0, "out of memory");
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	while (!status && s->walk.at < s->d->end) {
		uint64_t contents = 0, end = frame_end(s->d, s->walk.at, &extent, &contents);
		bool items = contents < (end - s->walk.at) / 2;
		status = put_frame(s, end - s->walk.at, items ? LEVEL_ITEMS : LEVEL_BYTES, err);
	}
	put_list(s);
	return status;
}

hb_status hb_data_seal(const char *from, const char *to, hb_progress *progress, void *user, hb_error *err)
{
	struct sealer s = {.progress = progress, .user = user};
	if (!to)
		return hb__fail(err, HB_E_ARGUMENT, from, 0, "no file to write");
	hb_status status = hb_data_open(from, &s.d, err);
	if (status)
		return status;
	s.walk.d = s.d;
	if (s.d->info.recovered)
		status = hb__fail(err, HB_E_DAMAGED, from, 0, "%s", s.d->info.trouble);
	status = status ? status : hb__out_open(&s.out, to, err);
	if (!status) {
		status = put_all(&s, err);
		if (status)
			hb__out_abandon(&s.out);
		else
			status = hb__out_finish(&s.out, err);
	}
	ZSTD_freeCCtx(s.zstd);
	free(s.raw);
	free(s.list.p);
	hb_data_close(s.d);
	return status;
}
