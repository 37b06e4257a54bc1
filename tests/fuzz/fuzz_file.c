/* Any bytes as a log. The first byte: bit 0, make the checksums right, so that what is behind them is reached. */
#include <xxhash.h>

#include "format/row.h"
#include "format/sealed/sealed.h"
#include "fuzz.h"

#define LARGEST (1u << 20)

static void repair_sealed(uint8_t *p, size_t n)
{
	for (size_t at = HB__HEAD, first = 1; n >= at && n - at >= sizeof(struct hb__section); first = 0) {
		struct hb__section s;
		memcpy(&s, p + at, sizeof s);
		if (memcmp(s.magic, HB_SECTION_MAGIC, 4) != 0 || s.bytes > n - at - sizeof s)
			return;
		uint64_t head = XXH3_64bits(p, HB__HEAD);
		if (first && s.bytes >= 8)
			memcpy(p + at + sizeof s, &head, sizeof head);
		s.checksum = XXH3_64bits(p + at + HB__SECTION_HASHED, s.bytes + sizeof s - HB__SECTION_HASHED);
		memcpy(p + at, &s, sizeof s);
		at += sizeof s + s.bytes;
	}
}

static void repair_raw(uint8_t *p, size_t n)
{
	for (size_t at = HB_UNIT_SIZE; n >= at + HB_UNIT_PAYLOAD; at += HB_UNIT_SIZE) {
		struct hb_unit_header h;
		memcpy(&h, p + at, sizeof h);
		if (h.committed <= HB_UNIT_SIZE - HB_UNIT_PAYLOAD && h.committed <= n - at - HB_UNIT_PAYLOAD)
			h.checksum = XXH3_64bits(p + at + HB_UNIT_PAYLOAD, h.committed);
		memcpy(p + at, &h, sizeof h);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t copy[LARGEST];
	if (size < 1 || size > LARGEST)
		return 0;
	memcpy(copy, data + 1, --size);
	if (data[0] & 1 && size > HB__HEAD) {
		if (copy[12] & 1)
			repair_sealed(copy, size);
		else
			repair_raw(copy, size);
	}
	const char *path = fuzz_path("file");
	fuzz_write(path, copy, size);
	hb_log *log;
	hb_error e = {0};
	if (hb_log_open(path, &log, &e)) {
		fuzz_must(e.status < 0 && e.message[0] && !log, "an error says what it is");
	} else {
		fuzz_read(log, 300000);
		for (uint32_t i = 0; i < hb_log_get_info(log)->functions; i++)
			if (hb_log_function(log, i))
				fuzz_must(hb_log_function(log, i)->name != NULL, "a function has a name");
		hb_log_close(log);
	}
	unlink(path);
	return 0;
}
