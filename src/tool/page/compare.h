/* A run against a reference, for the page. By itself, for what comparing runs calls points and parts are other things for findings and layouts. */
#ifndef HBDB_PAGE_COMPARE_H
#define HBDB_PAGE_COMPARE_H

#include "../run/events.h"

typedef struct hb_page_compare hb_page_compare;

/* Compares the recording `run` (a path) with a reference (a name). 0, or an exit code after having said why, as compare report has it.
 * hb__page_end_compare in any case. */
int hb__page_compare(const char *reference, const char *run, hb_page_compare **ret);
void hb__page_end_compare(hb_page_compare *compare);
/* The answers of hb_view_source; free them. `run` is asked for the event of a point; `out`: a file in memory, for the picture. NULL: *ret_why says
 * why there is none. */
char *hb__page_differences(const hb_page_compare *compare);
char *hb__page_map(
	hb_page_compare *compare, hb_run *run, hb_output *out, size_t of, const char *part, const char **ret_why);

#endif
