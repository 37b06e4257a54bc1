/* UTF-8 against the table of the Unicode standard; arrays that grow. */
#include <string.h>

#include "base/grow.h"
#include "base/utf8.h"
#include "check.h"

/* The bytes of a code, by the definition; 0: it has none. */
static size_t encode(uint32_t code, unsigned char *ret)
{
	if (code >= 0xd800 && code < 0xe000)
		return 0;
	if (code < 0x80)
		return ret[0] = (unsigned char)code, 1;
	size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = n; --i; code >>= 6)
		ret[i] = (unsigned char)(0x80 | (code & 0x3f));
	ret[0] = (unsigned char)((0xf00 >> n) | code);
	return n;
}

/* Every sequence of three bytes, and of four bytes those with a last byte on each side of the borders, means what exactly one
 * character means, or nothing. */
static void sequences(void)
{
	static const unsigned char last[] = {0, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
	static unsigned char known[0x110000][4];
	uint64_t wrong = 0, good = 0;
	for (uint32_t code = 0; code < 0x110000; code++)
		if (encode(code, known[code])) {
			uint32_t back = 0;
			size_t n = encode(code, known[code]);
			wrong += hb_utf8(known[code], n, &back) != n || back != code;
			wrong += n > 1 && hb_utf8(known[code], n - 1, &back) != n; /* it ends inside */
		}
	check(!wrong, "every character is read back, and known to be cut");
	for (uint32_t three = 0; three < 1u << 24; three += three % 5 + 1)
		for (size_t i = 0; i < sizeof last; i++) {
			const unsigned char p[] = {(unsigned char)(three >> 16), (unsigned char)(three >> 8),
				(unsigned char)three, last[i], 0};
			uint32_t code = 0;
			size_t n = hb_utf8(p, 4, &code);
			unsigned char again[4];
			good += n > 0;
			wrong += n > 4 || (n && (encode(code, again) != n || memcmp(again, p, n) != 0));
		}
	check(!wrong && good, "what is taken for a character is one");
}

static void texts(void)
{
	check(hb_utf8_text("a") == 1 && hb_utf8_text("\xc3\xa9t") == 2 && hb_utf8_text("\xe2\x82\xac") == 3 &&
			hb_utf8_text("\xf0\x9f\x98\x80") == 4,
		"characters of one to four bytes");
	check(!hb_utf8_text("\x80") && !hb_utf8_text("\xc0\xaf") && !hb_utf8_text("\xe0\x80\xaf") &&
			!hb_utf8_text("\xed\xa0\x80") && !hb_utf8_text("\xf4\x90\x80\x80") && !hb_utf8_text("\xff"),
		"a byte that goes on, longer forms, a surrogate, beyond the last character");
	check(!hb_utf8_text("\xe2\x82") && !hb_utf8_text("\xf0\x9f\x98") && !hb_utf8_text("\xc3"),
		"texts that end inside one");
}

static void arrays(void)
{
	uint32_t *at = NULL;
	size_t room = 0, moved = 0;
	bool same = true;
	for (uint32_t n = 0; n < 1000000; n++) {
		moved += n == room;
		if (!HB_GROW(at, room, n + 1))
			abort();
		same &= room > n;
		at[n] = n;
	}
	for (uint32_t n = 0; n < 1000000; n++)
		same &= at[n] == n;
	check(same && moved < 40, "a million elements, one after the other: it grew %zu times", moved);
	size_t before = room;
	check(HB_GROW(at, room, 5) && room == before, "what is there is enough");
	check(HB_GROW(at, room, 3 * before) && room == 3 * before && at[999999] == 999999, "many more at once");
	check(!HB_GROW(at, room, SIZE_MAX / sizeof *at) && room == 3 * before && at[999999] == 999999,
		"more than there is memory: it stays as it was");
	free(at);
}

int main(void)
{
	sequences();
	texts();
	arrays();
	return check_end();
}
