/* What `hbdb view` is made of: a run for the server of the page, a replay under its control, the browser, the page in a file. */
#ifndef HBDB_PAGE_PAGE_H
#define HBDB_PAGE_PAGE_H

#include "../contents/files.h"
#include "../contents/show.h"
#include "../findings/findings.h"
#include "../live/live.h"
#include "../remarks/remarks.h"
#include "../run/events.h"
#include "../store/manifest.h"
#include "compare.h"
#include "view/view.h"

/* ---- source.c: the run, as the server asks for it ---- */

typedef struct hb_page_run {
	hb_run *run;
	hb_waymarks **marks; /* by line of the model */
	uint32_t lines;
	hb_output *out;          /* a file in memory, to print events into */
	hb_remark_list *remarks; /* by log; .at NULL: not asked for yet */
	struct hb_page_contents {
		bool tried;
		hb_data *data;
		hb_contents *contents;
	} * contents; /* by log; NULL: not asked for yet */
	/* the event that was read last */
	hb_events *events;
	hb_at at; /* event 0: none */
	hb_event event;
	hb_row row;
	char *why;
	const hb_model_wish *model;   /* NULL: none was given */
	struct hb_page_model *judged; /* NULL: not asked for yet */
	hb_page_compare *compare;     /* NULL: no reference was given */
} hb_page_run;

/* Opens the logs, builds nothing. Exit code as hb__begin_run; it can go on when run->views is set. */
int hb__page_begin(const char *recording, hb_run *run, hb_page_run *ret);
void hb__page_end(hb_page_run *page);
hb_view_source hb__page_source(hb_page_run *page);
/* The logs as the model numbers them, and their times. Free both. */
hb_source *hb__page_sources(const hb_page_run *page, size_t *ret_n, int64_t **ret_shift_ns);

/* ---- model.c: what a model of a correct run says of it; as hb_view_source wants it ---- */
bool hb__page_model(void *page, hb_text *ret_json, const char **ret_why);
bool hb__page_key(void *page, const char *key, bool coalesced, hb_text *ret_json, const char **ret_why);
void hb__page_end_model(hb_page_run *page);

/* ---- control.c: its replay ---- */

typedef struct hb_page_replay {
	hb_live_options options;
	hb_live *live; /* NULL: nobody has asked for a replay yet */
	char *why;
} hb_page_replay;

hb_view_control hb__page_control(hb_page_replay *replay);
void hb__page_end_replay(hb_page_replay *replay);

/* ---- browser.c ---- */

/* Opens a browser where there is a display. *ret_file: a file that leads it to the address, so that no list of processes shows
 * the address; to be removed at the end, and freed. NULL: no browser was started. */
void hb__open_browser(const char *address, char **ret_file);

/* ---- html.c ---- */

/* The part of the run that a page in a file holds. */
typedef struct hb_page_part {
	const char *around;    /* an event, or NULL */
	const char *from, *to; /* logical times, or NULL: all */
	uint64_t events;       /* at most */
} hb_page_part;
/* Writes it. 0, or the exit code after having said why. */
int hb__write_page(hb_view_server *server, const char *path, const hb_page_part *part);

#endif
