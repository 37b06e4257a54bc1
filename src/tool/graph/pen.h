/* A pen: a few shapes and words, drawn as SVG or as PNG. Lengths are pixels, y grows downwards, angles do not occur. */
#ifndef HBDB_GRAPH_PEN_H
#define HBDB_GRAPH_PEN_H

#include "../show/out.h"

/* 0xRRGGBBAA; with AA 0 it is not drawn. */
typedef uint32_t hb_colour;

typedef struct hb_style {
	hb_colour fill, stroke;
	double width; /* of the stroke */
	double dash;  /* length of dashes and of the gaps between; 0: a whole line */
	double round; /* radius of the corners of a box */
} hb_style;

typedef struct hb_dot {
	double x, y;
} hb_dot;

typedef enum hb_anchor { HB_ANCHOR_LEFT, HB_ANCHOR_MIDDLE, HB_ANCHOR_RIGHT } hb_anchor;

typedef struct hb_lettering {
	double size;
	hb_colour colour;
	hb_anchor anchor;
	bool bold;
} hb_lettering;

typedef struct hb_pen hb_pen;

typedef struct hb_pen_kind {
	void (*box)(hb_pen *pen, double x, double y, double w, double h, const hb_style *style);
	/* A line through n dots; closed: an area. */
	void (*path)(hb_pen *pen, const hb_dot *dots, size_t n, bool closed, const hb_style *style);
	/* y is the base line. */
	void (*text)(hb_pen *pen, double x, double y, const char *text, const hb_lettering *how);
	/* What follows belongs together: a class, `data` attributes as name and value in turn, NULL ended, or NULL; what is shown
	 * when the mouse rests on it, or NULL. */
	void (*begin)(hb_pen *pen, const char *kind, const char *const *data, const char *title);
	void (*end)(hb_pen *pen);
	/* Until unclip nothing is drawn outside, and all is moved by this much. */
	void (*clip)(hb_pen *pen, double x, double y, double w, double h, hb_dot move);
	void (*unclip)(hb_pen *pen);
	/* All is drawn. NULL, or why it could not be written. */
	const char *(*finish)(hb_pen *pen);
} hb_pen_kind;

struct hb_pen {
	const hb_pen_kind *kind;
	hb_output *out;
	void *own;
	uint32_t clips;
};

/* Begins a picture. title: what it shows, for readers that speak. NULL: no memory, or built without this kind. */
hb_pen *hb__pen_svg(hb_output *out, double width, double height, const char *title);
/* scale: pixels of the file per pixel here. */
hb_pen *hb__pen_png(hb_output *out, double width, double height, double scale);
/* Whether this hbdb can draw PNG. */
bool hb__pen_has_png(void);
/* Frees the pen. Returns as finish does. */
const char *hb__pen_end(hb_pen *pen);

/* About how wide a text comes out: fonts differ a little. */
double hb__text_width(const char *text, double size, bool bold);

#endif
