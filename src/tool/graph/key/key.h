/* One key of a model as a picture: its events, and what should come next; or a vertex for each process. */
#ifndef HBDB_GRAPH_KEY_KEY_H
#define HBDB_GRAPH_KEY_KEY_H

#include "../../findings/findings.h"
#include "../pen.h"
#include "rules/pattern/key/key.h"

typedef struct hb_key_wish {
	hb_model_wish model;
	const char *key; /* "49", "49,0110" */
	bool coalesced;  /* a vertex for each process */
} hb_key_wish;

/* A box of the picture, whatever it stands for. */
typedef struct hb_key_box {
	uint32_t process, column;
	char *words, *more; /* more: small, below; NULL: none */
	hb_colour fill;
	bool expected, wrong;
	size_t before;             /* box, SIZE_MAX: none */
	char event[HB_EVENT_NAME]; /* "": none */
} hb_key_box;

/* Between boxes: of a message. */
typedef struct hb_key_line {
	size_t from, to;
	char *words; /* NULL: none */
	bool expected;
} hb_key_line;

typedef struct hb_key_picture {
	const hb_findings *found; /* the model, judged */
	hb_key_graph *graph;
	char *title;
	size_t boxes, lines;
	hb_key_box *box;
	hb_key_line *line;
	uint32_t columns, rows;
	uint32_t *row; /* by process; HB_NO: it has none */
} hb_key_picture;

/* Of findings with a model (hb__model_read), which must last as long. HB_E_ARGUMENT: there is no such key. hb__key_picture_free in either case. */
hb_status hb__key_picture_make(
	const hb_findings *found, const char *key, bool coalesced, hb_key_picture *ret, hb_error *err);
void hb__key_picture_free(hb_key_picture *picture);

/* key_draw.c, key_dot.c */
void hb__key_size(const hb_key_picture *picture, double *ret_width, double *ret_height);
void hb__key_draw(const hb_key_picture *picture, hb_pen *pen);
void hb__key_dot(const hb_key_picture *picture, hb_output *out);
/* key_json.c: boxes and lines, for the page. */
void hb__key_json(const hb_key_picture *picture, hb_output *out);

#endif
