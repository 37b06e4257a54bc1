/* Any bytes as a file of contents: read, and when it can be sealed, sealed and unsealed, and all say the same.
 * Input: u8 mode. Bit 0 clear: the file. Set: extents, each u8 kind (bit 7: not the one), u8 thread, u16 bytes and these; they are laid out as
 * the raw form has them, so that what is in them is reached. */
#include <hbdb/data.h>

#include "format/data/raw.h"
#include "fuzz.h"

#define LARGEST (8u << 20)

static size_t lay_out(const uint8_t *p, size_t n, uint8_t mode, uint8_t *to)
{
	struct hb_data_header h = {.version = HB_DATA_VERSION, .state = mode >> 1 & 1, .blocks = 1};
	uint32_t before[256] = {0};
	memcpy(h.magic, HB_DATA_MAGIC, sizeof h.magic);
	memset(to, 0, LARGEST);
	while (n >= 4 && (h.blocks + 2) * HB_DATA_BLOCK <= LARGEST) {
		size_t bytes = (size_t)(p[2] | p[3] << 8);
		bytes = bytes < n - 4 ? bytes : n - 4;
		struct hb_data_extent x = {.magic = HB_DATA_EXTENT,
			.kind = p[0] & 0x7F,
			.blocks = (uint32_t)((bytes + HB_DATA_HEAD + HB_DATA_BLOCK - 1) / HB_DATA_BLOCK),
			.thread = p[1],
			.valid = bytes + (p[0] >> 7)};
		if (x.kind == HB_DATA_ITEMS)
			x.before = before[p[1]]++;
		memcpy(to + h.blocks * HB_DATA_BLOCK, &x, sizeof x);
		memcpy(to + h.blocks * HB_DATA_BLOCK + HB_DATA_HEAD, p + 4, bytes);
		h.blocks += x.blocks;
		p += 4 + bytes;
		n -= 4 + bytes;
	}
	memcpy(to, &h, sizeof h);
	return h.blocks * HB_DATA_BLOCK;
}

/* Everything, an event by itself, and from the middle of a thread on. How many items. */
static uint64_t read_all(hb_data *d)
{
	static uint8_t b[4096];
	uint64_t n = 0, thread, items;
	hb_error e;
	for (uint32_t i = 0; !hb_data_thread(d, i, &thread, &items); i++) {
		hb_data_cursor *c;
		hb_data_item item, again;
		uint64_t mine = 0, last = 0;
		fuzz_must(!hb_data_cursor_open(d, thread, 0, &c, &e), "a cursor");
		while (hb_data_cursor_next(c, &item, &e) == 1) {
			fuzz_must(item.event >= last, "events do not go back");
			last = item.event;
			mine++;
			for (uint32_t k = 0; k < item.pieces; k++) {
				uint64_t some = item.piece[k].bytes < sizeof b ? item.piece[k].bytes : sizeof b;
				hb_status s = hb_data_read(d, &item.piece[k], item.piece[k].bytes - some, some, b, &e);
				fuzz_must(!s || hb_data_get_info(d)->sealed, "pieces of a raw file can be read");
			}
			if (mine % 16 == 1)
				hb_data_of(d, thread, item.event, &again, &e);
		}
		hb_data_cursor_close(c);
		fuzz_must(mine == items, "all items that were counted are read");
		n += mine;
	}
	fuzz_must(n == hb_data_get_info(d)->items, "all items are of a thread");
	return n;
}

static void forms(const char *path)
{
	const char *sealed = fuzz_path("sealed"), *back = fuzz_path("back");
	hb_error e;
	uint64_t a = 0, b = 1, c = 2;
	hb_data_info x, y;
	if (!hb_data_unseal(path, back, &e) && !hb_data_verify(path, &x, &a, &e)) {
		fuzz_must(!hb_data_seal(path, sealed, NULL, NULL, &e), "what is whole is sealed");
		fuzz_must(!hb_data_verify(sealed, &y, &b, &e) && !hb_data_verify(back, NULL, &c, &e), "and reads back");
		fuzz_must(a == b && b == c && x.items == y.items && x.came == y.came, "as the same");
	}
	unlink(sealed);
	unlink(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t b[LARGEST];
	if (size < 1 || size > LARGEST)
		return 0;
	size_t n = size - 1;
	if (data[0] & 1)
		n = lay_out(data + 1, n, data[0], b);
	else
		memcpy(b, data + 1, n);
	const char *path = fuzz_path("data");
	fuzz_write(path, b, n);
	hb_data *d;
	hb_error e = {0};
	if (hb_data_open(path, &d, &e)) {
		fuzz_must(e.status < 0 && e.message[0] && !d, "an error says what it is");
	} else {
		read_all(d);
		hb_data_close(d);
		forms(path);
	}
	unlink(path);
	return 0;
}
