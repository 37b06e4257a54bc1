/* Whether bytes are UTF-8, by table 3-7 of the Unicode standard: no longer form of a character than needed, no surrogates, nothing
 * beyond U+10FFFF. Texts of a program, of a file or of a recording may hold anything. */
#ifndef HBDB_BASE_UTF8_H
#define HBDB_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many of the n bytes at p are their first character, and its code. 0: they begin with none; n + 1: they end inside of one. */
size_t hb_utf8(const unsigned char *p, size_t n, uint32_t *ret_code);
/* The same of a text that ends with a 0: 0 where it begins with no character, or ends inside of one. */
size_t hb_utf8_text(const char *text);

#endif
