/* The inner loop of checksums by the wide registers of newer processors; meson.build has the options of this file. All three give the same bits. */
#define HB_WIDE 4
#include "format/trace/sums/kernel.h"

void hb__tile_chunk_avx2(hb_tile *tile, const struct hb__chunk *chunk) { hb__tile_loop(tile, chunk); }
