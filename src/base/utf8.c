/* UTF-8, a character at a time. */
#include "base/utf8.h"

#include <string.h>

size_t hb_utf8(const unsigned char *p, size_t n, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	uint32_t code = length < 2 ? p[0] : p[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (i == n)
			return n + 1;
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	*ret = code;
	return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

size_t hb_utf8_text(const char *text)
{
	uint32_t code;
	size_t there = strnlen(text, 4) + 1, n = hb_utf8((const unsigned char *)text, there, &code);
	return n > there ? 0 : n;
}
