/* Pictures as SVG: text stays text, and what has a title shows it under the mouse. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../export/export.h"
#include "pen.h"

#define FONT "'DejaVu Sans',Verdana,Helvetica,Arial,sans-serif"

/* At most two decimals, and none that say nothing. */
static void put_number(hb_output *out, double number)
{
	char text[48];
	snprintf(text, sizeof text, "%.2f", fabs(number) < 0.005 ? 0.0 : number);
	char *end = text + strlen(text) - 1;
	while (*end == '0')
		*end-- = 0;
	if (*end == '.')
		*end = 0;
	hb__put_text(out, text);
}

static void put_attribute(hb_output *out, const char *name, double value)
{
	hb__put_char(out, ' ');
	hb__put_text(out, name);
	hb__put_text(out, "=\"");
	put_number(out, value);
	hb__put_char(out, '"');
}

static void put_colour(hb_output *out, const char *name, hb_colour colour)
{
	char text[64];
	if (!(colour & 0xff)) {
		snprintf(text, sizeof text, " %s=\"none\"", name);
		hb__put_text(out, text);
		return;
	}
	snprintf(text, sizeof text, " %s=\"#%06x\"", name, colour >> 8);
	hb__put_text(out, text);
	if ((colour & 0xff) == 0xff)
		return;
	snprintf(text, sizeof text, "%s-opacity", name);
	put_attribute(out, text, (colour & 0xff) / 255.0);
}

static void put_style(hb_output *out, const hb_style *style)
{
	put_colour(out, "fill", style->fill);
	if (!(style->stroke & 0xff))
		return;
	put_colour(out, "stroke", style->stroke);
	put_attribute(out, "stroke-width", style->width);
	if (style->dash > 0)
		put_attribute(out, "stroke-dasharray", style->dash);
}

static void box(hb_pen *pen, double x, double y, double w, double h, const hb_style *style)
{
	hb__put_text(pen->out, "<rect");
	put_attribute(pen->out, "x", x);
	put_attribute(pen->out, "y", y);
	put_attribute(pen->out, "width", w);
	put_attribute(pen->out, "height", h);
	if (style->round > 0)
		put_attribute(pen->out, "rx", style->round);
	put_style(pen->out, style);
	hb__put_text(pen->out, "/>\n");
}

static void path(hb_pen *pen, const hb_dot *dots, size_t n, bool closed, const hb_style *style)
{
	hb__put_text(pen->out, closed ? "<polygon points=\"" : "<polyline points=\"");
	for (size_t i = 0; i < n; i++) {
		hb__put_text(pen->out, i ? " " : "");
		put_number(pen->out, dots[i].x);
		hb__put_char(pen->out, ',');
		put_number(pen->out, dots[i].y);
	}
	hb__put_char(pen->out, '"');
	put_style(pen->out, style);
	hb__put_text(pen->out, "/>\n");
}

static void text(hb_pen *pen, double x, double y, const char *words, const hb_lettering *how)
{
	static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
	hb__put_text(pen->out, "<text");
	put_attribute(pen->out, "x", x);
	put_attribute(pen->out, "y", y);
	put_attribute(pen->out, "font-size", how->size);
	hb__put_text(pen->out, anchors[how->anchor]);
	if (how->bold)
		hb__put_text(pen->out, " font-weight=\"bold\"");
	put_colour(pen->out, "fill", how->colour);
	hb__put_char(pen->out, '>');
	hb__put_xml(pen->out, words);
	hb__put_text(pen->out, "</text>\n");
}

static void begin(hb_pen *pen, const char *kind, const char *const *data, const char *title)
{
	hb__put_text(pen->out, "<g class=\"");
	hb__put_xml(pen->out, kind);
	hb__put_char(pen->out, '"');
	for (; data && data[0]; data += 2) {
		hb__put_text(pen->out, " data-");
		hb__put_text(pen->out, data[0]);
		hb__put_text(pen->out, "=\"");
		hb__put_xml(pen->out, data[1]);
		hb__put_char(pen->out, '"');
	}
	hb__put_char(pen->out, '>');
	if (title) {
		hb__put_text(pen->out, "<title>");
		hb__put_xml(pen->out, title);
		hb__put_text(pen->out, "</title>");
	}
	hb__put_char(pen->out, '\n');
}

static void end(hb_pen *pen) { hb__put_text(pen->out, "</g>\n"); }

static void clip(hb_pen *pen, double x, double y, double w, double h, hb_dot move)
{
	char name[64];
	snprintf(name, sizeof name, "<clipPath id=\"clip%u\"><rect", ++pen->clips);
	hb__put_text(pen->out, name);
	put_attribute(pen->out, "x", x);
	put_attribute(pen->out, "y", y);
	put_attribute(pen->out, "width", w);
	put_attribute(pen->out, "height", h);
	snprintf(name, sizeof name, "/></clipPath>\n<g clip-path=\"url(#clip%u)\">", pen->clips);
	hb__put_text(pen->out, name);
	hb__put_text(pen->out, "<g transform=\"translate(");
	put_number(pen->out, move.x);
	hb__put_char(pen->out, ' ');
	put_number(pen->out, move.y);
	hb__put_text(pen->out, ")\">\n");
}

static void unclip(hb_pen *pen) { hb__put_text(pen->out, "</g></g>\n"); }

static const char *finish(hb_pen *pen)
{
	hb__put_text(pen->out, "</svg>\n");
	return NULL; /* whether it could be written shows when the file is closed */
}

static const hb_pen_kind kind = {box, path, text, begin, end, clip, unclip, finish};

hb_pen *hb__pen_svg(hb_output *out, double width, double height, const char *title)
{
	hb_pen *pen = hb__alloc(sizeof *pen);
	*pen = (hb_pen){.kind = &kind, .out = out};
	hb__put_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_attribute(out, "width", width);
	put_attribute(out, "height", height);
	hb__put_text(out, " viewBox=\"0 0 ");
	put_number(out, width);
	hb__put_char(out, ' ');
	put_number(out, height);
	hb__put_text(out, "\" font-family=\"" FONT "\">\n<title>");
	hb__put_xml(out, title);
	hb__put_text(out, "</title>\n");
	return pen;
}
