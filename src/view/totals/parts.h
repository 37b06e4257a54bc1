/* What the files of this folder share. */
#ifndef HBDB_VIEW_TOTALS_PARTS_H
#define HBDB_VIEW_TOTALS_PARTS_H

#include "totals.h"

struct hb__line_calls {
	hb_calls *at; /* in the order in which they first came */
	uint32_t n, room;
};

struct hb_totals {
	hb_model *model;
	const hb_layout *layout;
	struct hb__line_calls *calls; /* by line */
	uint32_t *alike, kinds;
	hb_traffic *traffic;
};

bool hb__alike_build(hb_totals *totals);
/* A call site is a place in a module: its number may be another one in every process, this is the same in all. */
uint64_t hb__site_key(const hb_log *log, uint32_t site);

#endif
