/* Output by the megabyte. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"
#include "inert.h"

void hb__flush(hb_output *out)
{
	for (size_t done = 0; done < out->n && !out->broken;) {
		ssize_t w = write(out->fd, out->at + done, out->n - done);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0) {
			out->broken = true;
			out->error = errno;
			break;
		}
		done += (size_t)w;
	}
	out->n = 0;
}

void hb__put(hb_output *out, const char *bytes, size_t n)
{
	while (n) {
		if (out->n == sizeof out->at)
			hb__flush(out);
		size_t part = sizeof out->at - out->n;
		part = n < part ? n : part;
		memcpy(out->at + out->n, bytes, part);
		out->n += part;
		bytes += part;
		n -= part;
	}
}

void hb__put_char(hb_output *out, char c)
{
	if (out->n == sizeof out->at)
		hb__flush(out);
	out->at[out->n++] = c;
}

static void put_digits(hb_output *out, uint64_t n, int least)
{
	char digits[24];
	int i = sizeof digits;
	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
		least--;
	} while (n || least > 0);
	hb__put(out, digits + i, sizeof digits - (size_t)i);
}

void hb__put_int(hb_output *out, int64_t n)
{
	if (n < 0)
		hb__put_char(out, '-');
	put_digits(out, n < 0 ? -(uint64_t)n : (uint64_t)n, 1);
}

void hb__put_uint(hb_output *out, uint64_t n)
{
	char text[24];
	hb__put(out, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)n));
}

void hb__put_real(hb_output *out, double value)
{
	char text[40];
	int n = 0;
	for (int digits = 15; digits <= 17 && (!n || strtod(text, NULL) != value); digits++)
		n = snprintf(text, sizeof text, "%.*g", digits, value);
	if (!strpbrk(text, ".en")) /* neither a fraction, an exponent, nan nor inf: still a real number */
		n += snprintf(text + n, sizeof text - (size_t)n, ".0");
	hb__put(out, text, (size_t)n);
}

void hb__put_hex(hb_output *out, uint64_t n)
{
	char digits[16];
	int i = sizeof digits;
	do
		digits[--i] = "0123456789abcdef"[n % 16];
	while (n /= 16);
	hb__put(out, digits + i, sizeof digits - (size_t)i);
}

void hb__put_seconds(hb_output *out, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	if (ns < 0)
		hb__put_char(out, '-');
	put_digits(out, n / 1000000000u, 1);
	hb__put_char(out, '.');
	put_digits(out, n % 1000000000u, 9);
}

/* The character at p: its length and its code; a byte that is none has length 0. */
static size_t character(const char *p, uint32_t *ret)
{
	size_t there = strnlen(p, 4), n = hb_utf8((const unsigned char *)p, there, ret);
	return n > there ? 0 : n;
}

/* \u0000 of JSON or &#x0; of XML: the same text, and nothing that a terminal obeys. */
static void put_number(hb_output *out, const char *format, uint32_t code)
{
	char text[16];
	snprintf(text, sizeof text, format, code);
	hb__put_text(out, text);
}

void hb__put_json(hb_output *out, const char *text)
{
	hb__put_char(out, '"');
	for (const char *p = text; *p;) {
		uint32_t code;
		size_t n = character(p, &code);
		if (n && hb__unsafe(code))
			put_number(out, "\\u%04x", code);
		else if (n == 1 && (*p == '"' || *p == '\\')) {
			hb__put_char(out, '\\');
			hb__put_char(out, *p);
		} else if (n)
			hb__put(out, p, n);
		else
			hb__put_text(out, "\\ufffd");
		p += n ? n : 1;
	}
	hb__put_char(out, '"');
}

void hb__put_xml(hb_output *out, const char *text)
{
	static const char *const entities[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\n'] = "&#10;", ['\t'] = "&#9;"};
	for (const char *p = text; *p;) {
		uint32_t code;
		size_t n = character(p, &code);
		if (n == 1 && entities[code])
			hb__put_text(out, entities[code]);
		else if (n == 1 && hb__unsafe(code))
			hb__put_char(out, '?'); /* XML has no way to write it */
		else if (n && hb__unsafe(code))
			put_number(out, "&#x%x;", code);
		else if (n)
			hb__put(out, p, n);
		else
			hb__put_text(out, "\xef\xbf\xbd");
		p += n ? n : 1;
	}
}

/* ---- members of an object ---- */

void hb__put_member(hb_output *out, const char *name)
{
	if (out->n && out->at[out->n - 1] != '{')
		hb__put_char(out, ',');
	hb__put_json(out, name);
	hb__put_char(out, ':');
}

void hb__put_text_member(hb_output *out, const char *name, const char *value)
{
	hb__put_member(out, name);
	if (value)
		hb__put_json(out, value);
	else
		hb__put_text(out, "null");
}

void hb__put_uint_member(hb_output *out, const char *name, uint64_t value)
{
	hb__put_member(out, name);
	hb__put_uint(out, value);
}

void hb__put_real_member(hb_output *out, const char *name, double value)
{
	hb__put_member(out, name);
	if (isfinite(value))
		hb__put_real(out, value);
	else
		hb__put_text(out, "null");
}

void hb__put_truth_member(hb_output *out, const char *name, bool value)
{
	hb__put_member(out, name);
	hb__put_text(out, value ? "true" : "false");
}

void hb__put_ints_member(hb_output *out, const char *name, const int64_t *at, unsigned n)
{
	hb__put_member(out, name);
	hb__put_char(out, '[');
	for (unsigned i = 0; i < n; i++) {
		if (i)
			hb__put_char(out, ',');
		hb__put_int(out, at[i]);
	}
	hb__put_char(out, ']');
}
