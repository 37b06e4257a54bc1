/* Digests of whole contents (hbdb-data(5), DIGESTS), along a lane. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "contents.h"
#include "format/data/raw.h"
#include "parts.h"

struct hb_digests {
	hb_data *data;
	hb_data_cursor *cursor;
	hb_digest *at;
	size_t cap;
};

hb_status hb_digests_open(hb_contents *c, uint32_t lane, hb_digests **ret_digests, hb_error *err)
{
	hb_lane_info info;
	hb_digests *d = calloc(1, sizeof *d);
	*ret_digests = d;
	if (!d) {
		*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
		return HB_E_MEMORY;
	}
	d->data = c->data;
	hb_status status = hb_log_lane(c->log, lane, &info);
	status = status ? status : hb_data_cursor_open(c->data, info.thread, 0, &d->cursor, err);
	if (status) {
		hb_digests_close(d);
		*ret_digests = NULL;
	}
	return status;
}

void hb_digests_close(hb_digests *d)
{
	if (!d)
		return;
	hb_data_cursor_close(d->cursor);
	free(d->at);
	free(d);
}

static hb_digest meaning_of(uint32_t what)
{
	if (what >= HB_DIGEST_STARTED)
		return (hb_digest){.side = HB_DIGEST_OF_GIVEN, .request = what - HB_DIGEST_STARTED};
	if (what >= HB_DATA_REQUEST)
		return (hb_digest){.side = HB_DIGEST_OF_GOT, .request = what - HB_DATA_REQUEST};
	return (hb_digest){.side = what == HB_DIGEST_GIVEN ? HB_DIGEST_OF_GIVEN : HB_DIGEST_OF_GOT, .request = HB_NO};
}

int hb_digests_next(hb_digests *d, hb_digested *ret, hb_error *err)
{
	static const char layer[] = HB_DIGEST_LAYER;
	hb_data_item item;
	int more;
	while ((more = hb_data_cursor_next(d->cursor, &item, err)) > 0)
		if (item.name && !strncmp(item.name, layer, sizeof layer - 1))
			break;
	if (more <= 0)
		return more;
	const char *of = item.name + sizeof layer - 1;
	bool next = !strcmp(of, "next"), event = next || !strcmp(of, "event");
	*ret = (hb_digested){.call = event ? NULL : of, .event = item.event + (next ? 1 : 0)};
	for (uint32_t i = 0; i < item.pieces; i++) {
		const hb_data_piece *piece = &item.piece[i];
		hb_digest digest = meaning_of(piece->what);
		if (piece->bytes != sizeof digest.value)
			continue;
		hb_status status = hb_data_read(d->data, piece, 0, sizeof digest.value, &digest.value, err);
		if (status)
			return (int)status;
		if (!HB_GROW(d->at, d->cap, (size_t)ret->n + 1)) {
			*err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
			return HB_E_MEMORY;
		}
		d->at[ret->n++] = digest;
	}
	ret->digest = d->at;
	return 1;
}
