/* Any bytes as records of a raw log: read, sealed, unsealed, and all three say the same.
 * Input: u8 level (bit 0; bit 7: racing) and inside (the rest), u16 bytes of definitions, definitions, rows. */
#include <xxhash.h>

#include "format/row.h"
#include "fuzz.h"

#define ROOM (HB_UNIT_SIZE - HB_UNIT_PAYLOAD)
#define UNITS 8

static uint8_t image[UNITS * HB_UNIT_SIZE];
static size_t units;

static struct hb_unit_header *unit(uint16_t kind, uint16_t lane, uint32_t seq, const uint8_t *p, size_t n)
{
	struct hb_unit_header *h = (struct hb_unit_header *)(image + units++ * HB_UNIT_SIZE);
	*h = (struct hb_unit_header){
		.magic = HB_UNIT_MAGIC, .kind = kind, .lane = lane, .seq = seq, .committed = (uint32_t)n};
	if (n)
		memcpy(h + 1, p, n);
	return h;
}

static void build(const uint8_t *data, size_t size)
{
	memset(image, 0, sizeof image);
	units = 1;
	struct hb_log_header *h = (struct hb_log_header *)image;
	memcpy(h->magic, HB_LOG_MAGIC, 8);
	h->version = HB_LOG_VERSION;
	h->unit_size = HB_UNIT_SIZE;
	h->level = data[0] & 0x80 ? HB_LEVEL_RACING : data[0] & 1;
	h->tick_fs = 1000000;
	struct hb_lane_control *k = (struct hb_lane_control *)unit(HB_UNIT_LANE, 0, 0, NULL, 0);
	k->inside = (data[0] & 0x7f) >> 1;
	k->polls = 3;
	k->calls[0] = 5;
	size_t defs = (size_t)data[1] | (size_t)data[2] << 8;
	data += 3;
	size -= 3;
	if (defs > size)
		defs = size;
	if (defs > ROOM)
		defs = ROOM;
	unit(HB_UNIT_ROWS, HB_LANE_DEFINITIONS, 0, data, defs);
	if (size - defs <= ROOM) { /* a second unit would have to know how many events the first holds */
		unit(HB_UNIT_ROWS, 0, 0, data + defs, size - defs);
	}
	h->units = units;
}

static hb_fate by_number(void *user, hb_row *row, int inside)
{
	uint64_t *kept = user;
	hb_fate fate = inside            ? HB_FATE_KEEP
		       : row->number % 3 ? HB_FATE_KEEP
		       : row->number % 2 ? HB_FATE_DROP
					 : HB_FATE_SKIP;
	*kept += fate == HB_FATE_KEEP && !inside;
	return fate;
}

/* What a filter keeps reads back, with all polls. */
static void distilled(hb_log *log)
{
	const char *path = fuzz_path("distilled");
	uint64_t kept = 0, n = 0;
	hb_error e = {0};
	if (!hb_log_distil(log, path, by_number, &kept, &e))
		fuzz_must(!hb_log_verify(path, &n, &e) && n == kept, "what was kept of it reads back");
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	build(data, size);
	const char *raw = fuzz_path("raw"), *sealed = fuzz_path("sealed"), *back = fuzz_path("back");
	fuzz_write(raw, image, units * HB_UNIT_SIZE);
	hb_log *a = NULL, *b = NULL, *c = NULL;
	hb_error e = {0};
	fuzz_must(!hb_log_open(raw, &a, &e), "a log with a good header opens");
	fuzz_read(a, UINT64_MAX);
	fuzz_must(!hb_log_seal(raw, sealed, NULL, NULL, &e), "what opens seals");
	fuzz_must(!hb_log_open(sealed, &b, &e), "what was sealed opens");
	fuzz_must(hb_log_get_info(a)->recovered == hb_log_get_info(b)->recovered, "sealing keeps the trouble");
	fuzz_must(same_logs(a, b) && same_logs(b, a), "sealed, it says the same");
	if (!hb_log_unseal(sealed, back, UINT64_MAX, &e)) {
		fuzz_must(!hb_log_open(back, &c, &e), "what was unsealed opens");
		fuzz_must(same_logs(a, c) && same_logs(c, a), "unsealed, it says the same");
	}
	distilled(b);
	hb_log_close(a);
	hb_log_close(b);
	hb_log_close(c);
	unlink(raw);
	unlink(sealed);
	unlink(back);
	return 0;
}
