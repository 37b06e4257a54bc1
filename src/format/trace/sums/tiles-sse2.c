/* The inner loop of checksums by any processor of this kind; meson.build has the options of this file. All three give the same bits. */
#define HB_WIDE 2
#include "format/trace/sums/kernel.h"

void hb__tile_chunk_sse2(hb_tile *tile, const struct hb__chunk *chunk) { hb__tile_loop(tile, chunk); }
