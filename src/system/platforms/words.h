/* Lines of a platform as lists of words. */
#ifndef HBDB_SYSTEM_PLATFORMS_WORDS_H
#define HBDB_SYSTEM_PLATFORMS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

enum {                   /* what may stand in a line, a bit each */
	HB__LITERAL = 1, /* nothing but words as they are */
	HB__NODE = 2,
	HB__COMMAND = 4,
	HB__QUOTED = 8,
	HB__SOCKET = 16,
};

/* A list that grows; all 0: it is empty. */
typedef struct hb__words {
	char **word;
	size_t n, room;
} hb__words;

/* A copy of it. False: out of memory. */
bool hb__words_add(hb__words *w, const char *word);
/* With NULL behind them: what the caller owns from now on. NULL: out of memory. */
char **hb__words_end(hb__words *w);
void hb__words_clear(hb__words *w);

/* Whether a line is a list of words with no other placeholders than these. False: ret_why says what is wrong. */
bool hb__words_check(const char *line, unsigned may, char *ret_why, size_t size);

#endif
