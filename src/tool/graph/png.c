/* Pictures as PNG, by libcairo. */
#include <cairo.h>
#include <math.h>
#include <stdlib.h>

#include "pen.h"

bool hb__pen_has_png(void) { return true; }

static bool colour(cairo_t *c, hb_colour colour)
{
	cairo_set_source_rgba(c, (colour >> 24) / 255.0, (colour >> 16 & 0xff) / 255.0, (colour >> 8 & 0xff) / 255.0,
		(colour & 0xff) / 255.0);
	return colour & 0xff;
}

/* Fills and strokes the path that stands. */
static void paint(cairo_t *c, const hb_style *style)
{
	if (colour(c, style->fill))
		cairo_fill_preserve(c);
	if (colour(c, style->stroke)) {
		cairo_set_line_width(c, style->width);
		cairo_set_dash(c, &style->dash, style->dash > 0, 0);
		cairo_stroke_preserve(c);
	}
	cairo_new_path(c);
}

static void box(hb_pen *pen, double x, double y, double w, double h, const hb_style *style)
{
	cairo_t *c = pen->own;
	double r = fmin(style->round, fmin(w, h) / 2);
	if (r <= 0) {
		cairo_rectangle(c, x, y, w, h);
	} else {
		cairo_new_sub_path(c);
		cairo_arc(c, x + w - r, y + r, r, -M_PI / 2, 0);
		cairo_arc(c, x + w - r, y + h - r, r, 0, M_PI / 2);
		cairo_arc(c, x + r, y + h - r, r, M_PI / 2, M_PI);
		cairo_arc(c, x + r, y + r, r, M_PI, 3 * M_PI / 2);
		cairo_close_path(c);
	}
	paint(c, style);
}

static void path(hb_pen *pen, const hb_dot *dots, size_t n, bool closed, const hb_style *style)
{
	cairo_t *c = pen->own;
	for (size_t i = 0; i < n; i++)
		cairo_line_to(c, dots[i].x, dots[i].y);
	if (closed)
		cairo_close_path(c);
	paint(c, style);
}

static void text(hb_pen *pen, double x, double y, const char *words, const hb_lettering *how)
{
	cairo_t *c = pen->own;
	cairo_text_extents_t size;
	cairo_select_font_face(c, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
		how->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(c, how->size);
	cairo_text_extents(c, words, &size);
	colour(c, how->colour);
	cairo_move_to(c,
		how->anchor == HB_ANCHOR_LEFT     ? x
		: how->anchor == HB_ANCHOR_MIDDLE ? x - size.x_advance / 2
						  : x - size.x_advance,
		y);
	cairo_show_text(c, words);
	cairo_new_path(c);
}

static void begin(hb_pen *pen, const char *kind, const char *const *data, const char *title)
{
	(void)pen, (void)kind, (void)data, (void)title;
}

static void end(hb_pen *pen) { (void)pen; }

static void clip(hb_pen *pen, double x, double y, double w, double h, hb_dot move)
{
	cairo_save(pen->own);
	cairo_rectangle(pen->own, x, y, w, h);
	cairo_clip(pen->own);
	cairo_translate(pen->own, move.x, move.y);
}

static void unclip(hb_pen *pen) { cairo_restore(pen->own); }

static cairo_status_t write_png(void *out, const unsigned char *bytes, unsigned n)
{
	hb__put(out, (const char *)bytes, n);
	return CAIRO_STATUS_SUCCESS;
}

static const char *finish(hb_pen *pen)
{
	cairo_status_t status = cairo_status(pen->own);
	if (!status)
		status = cairo_surface_write_to_png_stream(cairo_get_target(pen->own), write_png, pen->out);
	cairo_destroy(pen->own);
	return status ? cairo_status_to_string(status) : NULL;
}

static const hb_pen_kind kind = {box, path, text, begin, end, clip, unclip, finish};

hb_pen *hb__pen_png(hb_output *out, double width, double height, double scale)
{
	hb_pen *pen = hb__alloc(sizeof *pen);
	cairo_surface_t *surface =
		cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)ceil(width * scale), (int)ceil(height * scale));
	*pen = (hb_pen){.kind = &kind, .out = out, .own = cairo_create(surface)};
	cairo_surface_destroy(surface); /* the context keeps it */
	cairo_scale(pen->own, scale, scale);
	cairo_set_line_join(pen->own, CAIRO_LINE_JOIN_ROUND);
	return pen;
}
