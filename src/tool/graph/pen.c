/* What the pens share. */
#include <stdlib.h>

#include "pen.h"

const char *hb__pen_end(hb_pen *pen)
{
	const char *wrong = pen->kind->finish(pen);
	free(pen);
	return wrong;
}

double hb__text_width(const char *text, double size, bool bold)
{
	double width = 0;
	for (const char *p = text; *p; p++) {
		if (((uint8_t)*p & 0xc0) == 0x80)
			continue; /* the rest of a character */
		if (strchr("ijlI.,:;'|! ", *p))
			width += 0.33;
		else if (strchr("frt()[]-/", *p))
			width += 0.42;
		else if (strchr("mwMW@%", *p))
			width += 0.95;
		else
			width += *p >= 'A' && *p <= 'Z' ? 0.70 : 0.62;
	}
	return width * size * (bold ? 1.1 : 1.0);
}

#ifndef HBDB_CAIRO

bool hb__pen_has_png(void) { return false; }

hb_pen *hb__pen_png(hb_output *out, double width, double height, double scale)
{
	(void)out, (void)width, (void)height, (void)scale;
	return NULL;
}

#endif
