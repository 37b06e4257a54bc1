/* The inner loop of checksums by the widest ones; meson.build has the options of this file. All three give the same bits. */
#define HB_WIDE 8
#include "format/trace/sums/kernel.h"

void hb__tile_chunk_avx512(hb_tile *tile, const struct hb__chunk *chunk) { hb__tile_loop(tile, chunk); }
