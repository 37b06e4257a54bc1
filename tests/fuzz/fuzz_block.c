/* Any bytes as a block of rows of a sealed log. Input: u8 level (bit 0; bit 7: racing; bit 6:
 * without times), u16 events, the block. */
#include "format/sealed/sealed.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	struct hb__rows rows = {0};
	uint32_t events = (uint32_t)(data[1] | data[2] << 8);
	/* a copy of the exact size, so that a byte read past the end is noticed */
	uint8_t *copy = malloc(size - 2);
	fuzz_must(copy != NULL, "memory");
	memcpy(copy, data + 3, size - 3);
	if (hb__rows_read(
		    &rows, copy, size - 3, events, data[0] & 0x80 ? HB_LEVEL_RACING : data[0] & 1, !(data[0] & 0x40)))
		for (uint32_t i = 0; i < rows.events; i++) {
			fuzz_must(rows.sequence[i] < rows.slots, "a row has a slot");
			fuzz_must(rows.group_of[rows.sequence[i]] < rows.groups, "a slot has a group");
		}
	hb__rows_free(&rows);
	free(copy);
	return 0;
}
