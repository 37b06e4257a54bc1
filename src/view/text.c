/* Growing texts. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "view.h"

/* Room for n more bytes and the end. */
static bool reserve(hb_text *text, size_t n)
{
	if (text->broken || n > SIZE_MAX / 4 || text->n > SIZE_MAX / 4) {
		text->broken = true;
		return false;
	}
	if (text->n + n + 1 <= text->room)
		return true;
	size_t room = 2 * text->room + n + 256;
	char *more = realloc(text->at, room);
	if (!more) {
		text->broken = true;
		return false;
	}
	text->at = more;
	text->room = room;
	return true;
}

void hb_text_add(hb_text *text, const char *bytes, size_t n)
{
	if (!reserve(text, n))
		return;
	if (n)
		memcpy(text->at + text->n, bytes, n);
	text->n += n;
	text->at[text->n] = 0;
}

void hb_text_put(hb_text *text, const char *string) { hb_text_add(text, string, strlen(string)); }

void hb_text_format(hb_text *text, const char *format, ...)
{
	va_list ap;
	for (int n = 120, again = 0; again < 2; again++) {
		if (!reserve(text, (size_t)n))
			return;
		va_start(ap, format);
		int wanted = vsnprintf(text->at + text->n, (size_t)n + 1, format, ap);
		va_end(ap);
		if (wanted < 0)
			return;
		if (wanted <= n) {
			text->n += (size_t)wanted;
			return;
		}
		text->at[text->n] = 0;
		n = wanted;
	}
}

static void add_whole(hb_text *text, int64_t x)
{
	char digits[24];
	size_t at = sizeof digits;
	uint64_t n = x < 0 ? -(uint64_t)x : (uint64_t)x;
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	if (x < 0)
		digits[--at] = '-';
	hb_text_add(text, digits + at, sizeof digits - at);
}

/* Numbers that stand for events and ticks are whole most of the time. */
void hb_text_number(hb_text *text, double x)
{
	char digits[40];
	if (!isfinite(x)) {
		hb_text_put(text, "null");
		return;
	}
	if (x == floor(x) && fabs(x) < 1e15) {
		add_whole(text, (int64_t)x);
		return;
	}
	for (int precision = 9; precision <= 17; precision += 4) {
		snprintf(digits, sizeof digits, "%.*g", precision, x);
		if (strtod(digits, NULL) == x)
			break;
	}
	hb_text_put(text, digits);
}

/* `<` is escaped so that a page can hold the text in a script element. */
void hb_text_json(hb_text *text, const char *string)
{
	hb_text_add(text, "\"", 1);
	for (const unsigned char *p = (const unsigned char *)string; *p;) {
		size_t n = hb_utf8_text((const char *)p);
		if (n == 1 && (*p < 0x20 || *p == 0x7f || *p == '<'))
			hb_text_format(text, "\\u%04x", *p);
		else if (n == 1 && (*p == '"' || *p == '\\')) {
			hb_text_add(text, "\\", 1);
			hb_text_add(text, (const char *)p, 1);
		} else if (n)
			hb_text_add(text, (const char *)p, n);
		else
			hb_text_put(text, "\\ufffd");
		p += n ? n : 1;
	}
	hb_text_add(text, "\"", 1);
}
