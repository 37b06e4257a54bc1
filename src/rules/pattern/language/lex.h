/* The words of a model, and what the readers of its parts share. */
#ifndef HBDB_RULES_PATTERN_LEX_H
#define HBDB_RULES_PATTERN_LEX_H

#include "rules/pattern/language/ast.h"

enum hb__token_kind {
	HB__T_END,
	HB__T_NAME,
	HB__T_NUMBER,
	HB__T_TEXT,
	HB__T_SIGN, /* sign: a character or one of the following */
};
enum hb__sign {
	HB__S_ARROW = 300, /* -> */
	HB__S_STRICT,      /* >> */
	HB__S_BARS,        /* || */
	HB__S_DOTS,        /* .. */
	HB__S_EQ,
	HB__S_NE,
	HB__S_LE,
	HB__S_GE,
	HB__S_AND,
};

struct hb__token {
	uint8_t kind;
	uint16_t sign;
	uint32_t line, column;
	const char *name; /* of a name, or a text's bytes */
	int64_t number;
};

#define HB__NESTED 200 /* parentheses and the like inside of each other */

struct hb__reader {
	hb_pattern *p;
	struct hb__token *token;
	size_t n, room;
	size_t at, end; /* of the declaration that is read: token[end] is the first of the next, or the end */
	uint32_t nested;
	/* what is known where we are */
	const char *name[HB__SLOTS];
	uint32_t names, most; /* most: slots that were used at a time */
	bool clause;          /* inside of a clause: names are values of the event first */
};

bool hb__lex(struct hb__reader *reader, const char *text);
/* The token at hand: of a declaration that is at its end, an HB__T_END. */
const struct hb__token *hb__peek(const struct hb__reader *reader);
const struct hb__token *hb__peek_next(const struct hb__reader *reader);
bool hb__is_sign(const struct hb__reader *reader, int sign);
bool hb__is_word(const struct hb__reader *reader, const char *word);
/* Takes it if it is there. */
bool hb__sign(struct hb__reader *reader, int sign);
bool hb__has_word(struct hb__reader *reader, const char *word);
/* It has to be there; `where` completes the sentence "expected ) ...". */
bool hb__want(struct hb__reader *reader, int sign, const char *where);
const char *hb__want_name(struct hb__reader *reader, const char *what);
/* "expected WHAT, found X", at the token at hand. */
void *hb__expected(struct hb__reader *reader, const char *what);
bool hb__deeper(struct hb__reader *reader);

/* A value, up to what cannot belong to it. hb__read_sum: without comparisons and conditions, as processes are written. */
struct hb__expr *hb__read_value(struct hb__reader *reader);
struct hb__expr *hb__read_sum(struct hb__reader *reader);
bool hb__read_arguments(struct hb__reader *reader, struct hb__expr ***ret_arg, uint32_t *ret_n);
struct hb__form *hb__read_form(struct hb__reader *reader);
bool hb__read_run(struct hb__reader *reader);
bool hb__read_clauses(struct hb__reader *reader, uint32_t binding);

#endif
