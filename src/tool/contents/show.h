/* What came in, as text and JSON: a line for each piece. */
#ifndef HBDB_CONTENTS_SHOW_H
#define HBDB_CONTENTS_SHOW_H

#include "../show/line.h"
#include "model/contents/contents.h"

enum {
	HB_CONTENTS_SHOWN = 8
}; /* values of a piece, unless more are asked for; of characters and bytes 8 times as many */

/* Of what the pieces are, and how many of their values are shown. */
typedef struct hb_contents_view {
	hb_view *view;
	hb_contents *contents;
	uint64_t shown;
	bool json;
} hb_contents_view;

/* "0:3  data buf: 1000 MPI_DOUBLE: 0.0, 0.5, ... (8000 bytes, digest 29a7...)". call: of a call that is no event and was made behind the
 * event; NULL: of the event. A status: what cannot be read. */
hb_status hb__put_contents(hb_output *out, const hb_contents_view *of, uint32_t lane, uint64_t event, const char *call,
	const hb_content *content, uint32_t n, hb_error *err);
/* The values alone, with commas between them and three dots behind when there are more. */
hb_status hb__put_contents_values(hb_output *out, const hb_contents_view *of, const hb_content *content, hb_error *err);
/* What a piece is: "buf", "request 3", "window 2", "statuses of request 3", "number 0". */
void hb__contents_word(const hb_content *content, char *ret, size_t size);
/* A value as text, as one stands in a table: 0.5, (1.0, -2.0), a character. */
const char *hb__value_text(const hb_value *value, char *ret, size_t size);

#endif
