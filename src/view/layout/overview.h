/* The first picture: what the indexes of the logs tell, long before a model is built. Few rows are read, so that
 * a recording of 1e8 events opens at once. */
#ifndef HBDB_VIEW_LAYOUT_OVERVIEW_H
#define HBDB_VIEW_LAYOUT_OVERVIEW_H

#include "view/layout/layout.h"

typedef struct hb_overview hb_overview;

/* Lines are numbered as those of a model of the same sources. */
typedef struct hb_overview_line {
	uint32_t process, lane;
	uint64_t events;   /* with the one it is inside of */
	double begin, end; /* physical x; begin > end: not known, or no events */
	bool inside;
} hb_overview_line;

/* The logs must stay open until it is closed, and nobody else reads them meanwhile; questions do not touch them. shift_ns as for
 * hb_layout_build. *ret_overview: hb_overview_close. */
hb_status hb_overview_open(
	const hb_source *sources, size_t n, const int64_t *shift_ns, hb_overview **ret_overview, hb_error *err);
void hb_overview_close(hb_overview *overview);
const hb_overview_line *hb_overview_lines(const hb_overview *overview, uint32_t *ret_n);
void hb_overview_span(const hb_overview *overview, double *ret_from, double *ret_to);

/* As hb_layout_query, over the physical axis (HB_E_ARGUMENT over the other): densities only, spread evenly between the points that
 * the index knows, nothing of waiting (0) and none of the filter but hidden lines. Safe from several threads. */
hb_status hb_overview_query(const hb_overview *overview, const hb_window *window, hb_picture *ret, hb_error *err);

#endif
