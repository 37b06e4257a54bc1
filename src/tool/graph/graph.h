/* A part of the event graph as a picture. */
#ifndef HBDB_GRAPH_GRAPH_H
#define HBDB_GRAPH_GRAPH_H

#include "../run/events.h"
#include "../run/run.h"
#include "pen.h"
#include "view/layout/layout.h"

#define HB_GRAPH_WHOLE 400   /* events: a run of so many is drawn whole ... */
#define HB_GRAPH_SOME 160    /* ... and of a greater one, unless told, so many */
#define HB_GRAPH_EVENTS 5000 /* nobody reads more */
#define HB_GRAPH_LINES 128
#define HB_GRAPH_OTHERS 3 /* messages that could have come instead, drawn for each race */

typedef struct hb_graph_options {
	const char *around, *cut; /* events */
	const char *from, *to;    /* x on the axis, or events */
	const char *ranks;
	uint64_t events; /* 0: not told */
	bool physical;
} hb_graph_options;

typedef struct hb_graph {
	hb_run run;
	hb_graph_options options;
	hb_layout *layout;
	hb_axis axis;
	double from, to; /* on the axis */
	uint32_t *line;  /* those drawn, from above */
	uint32_t nlines;
	uint32_t *row;          /* by line; HB_NO: not drawn */
	uint64_t events, total; /* in the part, in the run */
	char *what;             /* which part, in words; NULL: all of it */
	char *name;             /* of the recording, without folder and suffix */
	hb_picture picture;
	hb_arrow *arrows; /* messages of the picture, and what could have come instead */
	size_t narrows;
	char **texts; /* by box: its line of hbdb dump */
	hb_at at;     /* whose cut is drawn; event 0: none */
	uint32_t *stop_event;
	hb_stop *stop;    /* by line */
	uint32_t *future; /* by line; 0: none */
} hb_graph;

/* Chooses the part and asks the layout for it. 0, or an exit code after having said why. graph->run is open and
 * ->options are set. */
int hb__graph_part(hb_graph *graph);
void hb__graph_close(hb_graph *graph);

/* The words of a number on the axis: 17, or 1.5 ms. */
const char *hb__graph_number(const hb_graph *graph, double x, char buffer[48]);

/* ---- where things stand on the sheet (place.c) ---- */

/* The picture is one strip, cut into bands that stand below each other when it is long. Positions are those of the first band,
 * as if the strip went on to the right for ever; drawing moves each band to its place. */
typedef struct hb_sheet {
	double width, height;
	double left, right, top, bottom; /* of the field of lines, in the strip */
	double row;                      /* height of one, without its spans */
	double *rows;                    /* from above: where each begins; one more than lines */
	double bar;                      /* of the box of an event */
	double letters;                  /* size of the names of functions */
	/* logical axis: times at which something happens have a column each, others none */
	size_t ncolumns;
	double *value;  /* of a column, rising */
	double *border; /* its left end; one more than columns */
	bool numbers;   /* there is room for the numbers of the events */
	size_t nbands;
	double *band;        /* where each begins in the strip; one more than bands */
	double band_height;  /* from the top of one to that of the next */
	double begins, ends; /* of the band that is being drawn */
} hb_sheet;

/* 0, or an exit code after having said what to narrow. */
int hb__sheet_make(const hb_graph *graph, hb_sheet *ret);
void hb__sheet_free(hb_sheet *sheet);
/* Where a time begins, ends, and its middle; on the physical axis the three are one. Outside the part: the border. */
double hb__sheet_left(const hb_graph *graph, const hb_sheet *sheet, double x);
double hb__sheet_right(const hb_graph *graph, const hb_sheet *sheet, double x);
double hb__sheet_middle(const hb_graph *graph, const hb_sheet *sheet, double x);
/* Whether some of what reaches from one x to another is in the band that is being drawn. */
bool hb__sheet_shows(const hb_sheet *sheet, double x0, double x1);
/* The middle of a line. */
double hb__sheet_row(const hb_sheet *sheet, uint32_t row);
/* A function's name as it is written into its box. */
const char *hb__short_function(const char *name);

/* ---- drawing ---- */

void hb__graph_draw(const hb_graph *graph, const hb_sheet *sheet, hb_pen *pen);
/* Parts of it (frame.c): the names of the lines; cones, time and lines, below everything; the cut, above. */
void hb__graph_names(const hb_graph *graph, const hb_sheet *sheet, hb_pen *pen, double down);
void hb__graph_ground(const hb_graph *graph, const hb_sheet *sheet, hb_pen *pen);
void hb__graph_cut(const hb_graph *graph, const hb_sheet *sheet, hb_pen *pen);
/* Spans of the program (spans.c), below the line that they are of; how high they are there. */
void hb__graph_spans(const hb_graph *graph, const hb_sheet *sheet, hb_pen *pen);
double hb__spans_height(const hb_graph *graph, uint32_t line);
const char *hb__span_name(const hb_graph *graph, const hb_span *span);
hb_colour hb__span_colour(uint32_t function);
/* What went to somebody who is not recorded, or came from there: what is said of it, to be freed; his address. */
char *hb__outside_words(const hb_graph *graph, const hb_stub *stub);
const char *hb__outside_name(const hb_graph *graph, const hb_stub *stub);
/* These two return how wide they are; pen NULL: they do not draw. */
double hb__graph_title(const hb_graph *graph, hb_pen *pen);
double hb__graph_legend(const hb_graph *graph, const hb_sheet *sheet, hb_pen *pen);
/* For Graphviz. */
void hb__graph_dot(const hb_graph *graph, hb_output *out);
/* A text as Graphviz reads it, with its quotes. */
void hb__graph_dot_string(hb_output *out, const char *text);

/* ---- colours: those of the page of hbdb view ---- */

#define HB_INK 0x0d1a26ffu
#define HB_GREY 0x667382ffu
#define HB_RACE 0xcc4a00ffu
#define HB_STOP 0xc81e3affu /* what never returned, failed, or was never received */
#define HB_CUT 0x2456b0ffu
#define HB_CHOSEN 0x0b57c9ffu
#define HB_PAST 0x2a70c81au
#define HB_FUTURE 0xde941e21u
#define HB_MESSAGE 0x4d5f72ffu
#define HB_SYNCHRON 0x1f5f99ffu
#define HB_ORDERED 0x7a4fb5ffu
hb_colour hb__kind_colour(uint8_t kind);
hb_colour hb__wait_colour(uint8_t kind);
const char *hb__kind_name(uint8_t kind);

#endif
