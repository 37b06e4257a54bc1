/* Output by the megabyte. */
#include <errno.h>
#include <unistd.h>

#include "out.h"

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

/* Length of the UTF-8 character at p, 0 when it is none. */
static int utf8(const unsigned char *p)
{
	int n = p[0] < 0x80                   ? 1
		: p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		: p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		: p[0] >= 0xf0 && p[0] < 0xf5 ? 4
					      : 0;
	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
		(p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void hb__put_json(hb_output *out, const char *text)
{
	hb__put_char(out, '"');
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		int n = utf8(p);
		if (n == 1 && (*p < 0x20 || *p == 0x7f)) {
			hb__put_text(out, "\\u00");
			hb__put_char(out, "0123456789abcdef"[*p >> 4]);
			hb__put_char(out, "0123456789abcdef"[*p & 15]);
		} else if (n == 1) {
			if (*p == '"' || *p == '\\')
				hb__put_char(out, '\\');
			hb__put_char(out, (char)*p);
		} else if (n)
			hb__put(out, (const char *)p, (size_t)n);
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
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		int n = utf8(p);
		if (n == 1 && entities[*p])
			hb__put_text(out, entities[*p]);
		else if (n == 1 && (*p < 0x20 || *p == 0x7f))
			hb__put_char(out, '?'); /* XML has no way to write it */
		else if (n)
			hb__put(out, (const char *)p, (size_t)n);
		else
			hb__put_text(out, "\xef\xbf\xbd");
		p += n ? n : 1;
	}
}
