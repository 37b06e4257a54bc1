/* The raw form as its page has it: what is readable, and zeros where nothing is valid. From either form, so that both have the same
 * bytes; these are sealed, written out for a replay, and added up to compare two files. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/data/data.h"

#define STEP ((size_t)1 << 20)

/* Bytes from w->at on up to `end`, of which there are n at `from`, the rest is zero. */
static void give(struct hb__walk *w, const void *from, uint64_t n, uint64_t begin, uint64_t end, uint8_t *to,
	size_t most, size_t *ret_n)
{
	uint64_t skip = w->at - begin, room = most - *ret_n, left = end - w->at;
	uint64_t take = left < room ? left : room, there = skip < n ? n - skip : 0;
	there = there < take ? there : take;
	if (there)
		memcpy(to + *ret_n, (const uint8_t *)from + skip, there);
	memset(to + *ret_n + there, 0, take - there);
	*ret_n += take;
	w->at += take;
}

hb_status hb__data_walk(struct hb__walk *w, uint8_t *to, size_t most, size_t *ret_n, hb_error *err)
{
	hb_data *d = w->d;
	*ret_n = 0;
	if (w->at < HB_DATA_BLOCK) {
		struct hb_data_header h = d->head;
		h.blocks = d->end / HB_DATA_BLOCK;
		give(w, &h, sizeof h, 0, HB_DATA_BLOCK, to, most, ret_n);
	}
	while (w->at >= HB_DATA_BLOCK && *ret_n < most && w->extent < d->extents) {
		const struct hb__extent *x = &d->extent[w->extent];
		uint64_t begin = x->at + HB_DATA_HEAD, end = begin + x->valid;
		if (w->at < begin) {
			struct hb_data_extent h;
			hb_status status = hb__data_bytes(d, x->at, sizeof h, &h, err);
			if (status)
				return status;
			h.valid = x->valid;
			memset(h.spare, 0, sizeof h.spare);
			give(w, &h, sizeof h, x->at, begin, to, most, ret_n);
		} else if (w->at < end) {
			uint64_t room = most - *ret_n, n = end - w->at < room ? end - w->at : room;
			hb_status status = hb__data_bytes(d, w->at, n, to + *ret_n, err);
			if (status)
				return status;
			*ret_n += n;
			w->at += n;
		} else {
			give(w, NULL, 0, w->at, x->at + x->size, to, most, ret_n);
			w->extent += w->at == x->at + x->size;
		}
	}
	return HB_OK;
}

/* All bytes, added up. */
static hb_status digest(hb_data *d, uint64_t *ret_digest, hb_error *err)
{
	XXH3_state_t *sum = XXH3_createState();
	uint8_t *p = malloc(STEP);
	hb_status status = HB_OK;
	struct hb__walk w = {.d = d};
	size_t n = 1;
	if (!sum || !p)
		status = hb__fail(err, HB_E_MEMORY, d->path, 0, "out of memory");
	else
		XXH3_64bits_reset(sum);
	while (!status && n) {
		status = hb__data_walk(&w, p, STEP, &n, err);
		if (!status)
			XXH3_64bits_update(sum, p, n);
	}
	*ret_digest = status ? 0 : XXH3_64bits_digest(sum);
	XXH3_freeState(sum);
	free(p);
	return status;
}

hb_status hb_data_verify(const char *path, hb_data_info *ret_info, uint64_t *ret_digest, hb_error *err)
{
	hb_data *d;
	uint64_t sum = 0;
	hb_status status = hb_data_open(path, &d, err);
	if (status)
		return status;
	status = digest(d, &sum, err);
	if (!status && d->info.recovered)
		status = hb__fail(err, HB_E_DAMAGED, path, 0, "%s", d->info.trouble);
	if (ret_info)
		*ret_info = d->info;
	if (ret_digest)
		*ret_digest = sum;
	hb_data_close(d);
	return status;
}
