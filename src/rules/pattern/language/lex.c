/* Text to tokens. */
#include "rules/pattern/language/lex.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const struct {
	char text[3];
	uint16_t sign;
} signs[] = {{"->", HB__S_ARROW}, {">>", HB__S_STRICT}, {"||", HB__S_BARS}, {"..", HB__S_DOTS}, {"==", HB__S_EQ},
	{"!=", HB__S_NE}, {"<=", HB__S_LE}, {">=", HB__S_GE}, {"&&", HB__S_AND}};
#define SIGNS (sizeof signs / sizeof *signs)

struct text {
	const char *at, *line_start;
	uint32_t line;
};

static struct hb__token *new_token(struct hb__reader *r, const struct text *t, int kind)
{
	if (!HB_GROW(r->token, r->room, r->n + 1))
		return hb__pattern_no_memory(r->p);
	r->token[r->n] = (struct hb__token){
		.kind = (uint8_t)kind, .line = t->line, .column = (uint32_t)(t->at - t->line_start) + 1};
	return &r->token[r->n++];
}

static const char *copy(hb_pattern *p, const char *from, size_t n)
{
	char *to = hb__take(p, n + 1);
	if (to)
		memcpy(to, from, n);
	return to;
}

static bool lex_name(struct hb__reader *r, struct text *t)
{
	size_t n = 0;
	while (isalnum((unsigned char)t->at[n]) || t->at[n] == '_')
		n++;
	struct hb__token *token = new_token(r, t, HB__T_NAME);
	if (!token)
		return false;
	t->at += n;
	return (token->name = copy(r->p, t->at - n, n)) != NULL;
}

static bool lex_number(struct hb__reader *r, struct text *t)
{
	struct hb__token *token = new_token(r, t, HB__T_NUMBER);
	if (!token)
		return false;
	for (; isdigit((unsigned char)*t->at); t->at++)
		if (__builtin_mul_overflow(token->number, 10, &token->number) ||
			__builtin_add_overflow(token->number, *t->at - '0', &token->number))
			return hb__wrong(r->p, token->line, token->column, "the number is too large: at most 2^63 - 1");
	if (isalpha((unsigned char)*t->at) || *t->at == '_')
		return hb__wrong(
			r->p, token->line, token->column, "a name begins with a letter: put a space behind the number");
	return true;
}

static bool lex_text(struct hb__reader *r, struct text *t)
{
	struct hb__token *token = new_token(r, t, HB__T_TEXT);
	if (!token)
		return false;
	size_t n = strcspn(++t->at, "\"\n");
	if (t->at[n] != '"')
		return hb__wrong(r->p, token->line, token->column, "the text has no end: \" is missing in this line");
	t->at += n + 1;
	return (token->name = copy(r->p, t->at - n - 1, n)) != NULL;
}

static bool lex_sign(struct hb__reader *r, struct text *t)
{
	struct hb__token *token = new_token(r, t, HB__T_SIGN);
	if (!token)
		return false;
	for (size_t i = 0; i < SIGNS; i++)
		if (t->at[0] == signs[i].text[0] && t->at[1] == signs[i].text[1]) {
			token->sign = signs[i].sign;
			t->at += 2;
			return true;
		}
	if (!strchr("(){}[]:;|,=<>+-*/%&!?\\.", *t->at)) {
		unsigned char c = (unsigned char)*t->at;
		return c >= 33 && c < 127
			       ? hb__wrong(r->p, token->line, token->column, "no model has the sign %c here", c)
			       : hb__wrong(r->p, token->line, token->column,
					 "byte 0x%02x: outside of texts and comments a model is ASCII", c);
	}
	token->sign = (unsigned char)*t->at++;
	return true;
}

bool hb__lex(struct hb__reader *r, const char *text)
{
	struct text t = {text, text, 1};
	while (*t.at) {
		bool good = true;
		if (*t.at == '\n') {
			t.line_start = ++t.at;
			t.line++;
		} else if (*t.at == ' ' || *t.at == '\t' || *t.at == '\r') {
			t.at++;
		} else if (*t.at == '#') {
			t.at += strcspn(t.at, "\n");
		} else if (isalpha((unsigned char)*t.at) || *t.at == '_') {
			good = lex_name(r, &t);
		} else if (isdigit((unsigned char)*t.at)) {
			good = lex_number(r, &t);
		} else if (*t.at == '"') {
			good = lex_text(r, &t);
		} else {
			good = lex_sign(r, &t);
		}
		if (!good)
			return false;
	}
	return new_token(r, &t, HB__T_END) != NULL;
}

/* ---- looking at them ---- */

static const struct hb__token nothing = {.kind = HB__T_END};

const struct hb__token *hb__peek(const struct hb__reader *r) { return r->at < r->end ? &r->token[r->at] : &nothing; }

const struct hb__token *hb__peek_next(const struct hb__reader *r)
{
	return r->at + 1 < r->end ? &r->token[r->at + 1] : &nothing;
}

bool hb__is_sign(const struct hb__reader *r, int sign)
{
	const struct hb__token *t = hb__peek(r);
	return t->kind == HB__T_SIGN && t->sign == sign;
}

bool hb__is_word(const struct hb__reader *r, const char *word)
{
	const struct hb__token *t = hb__peek(r);
	return t->kind == HB__T_NAME && !strcmp(t->name, word);
}

bool hb__sign(struct hb__reader *r, int sign)
{
	bool there = hb__is_sign(r, sign);
	r->at += there;
	return there;
}

bool hb__has_word(struct hb__reader *r, const char *word)
{
	bool there = hb__is_word(r, word);
	r->at += there;
	return there;
}

static void sign_text(int sign, char to[4])
{
	to[0] = (char)sign;
	to[1] = 0;
	for (size_t i = 0; i < SIGNS; i++)
		if (signs[i].sign == sign)
			memcpy(to, signs[i].text, sizeof signs[i].text);
}

void *hb__expected(struct hb__reader *r, const char *what)
{
	const struct hb__token *t = &r->token[r->at];
	char sign[4];
	if (t->kind == HB__T_END)
		return hb__wrong(r->p, t->line, t->column, "expected %s, found the end of the file", what);
	if (r->at >= r->end)
		return hb__wrong(r->p, t->line, t->column,
			"expected %s, found the next declaration (what goes on in a new line must be indented)", what);
	switch (t->kind) {
	case HB__T_NAME:
		return hb__wrong(r->p, t->line, t->column, "expected %s, found %s", what, t->name);
	case HB__T_NUMBER:
		return hb__wrong(r->p, t->line, t->column, "expected %s, found %lld", what, (long long)t->number);
	case HB__T_TEXT:
		return hb__wrong(r->p, t->line, t->column, "expected %s, found a text", what);
	default:
		sign_text(t->sign, sign);
		return hb__wrong(r->p, t->line, t->column, "expected %s, found %s", what, sign);
	}
}

bool hb__want(struct hb__reader *r, int sign, const char *where)
{
	if (hb__sign(r, sign))
		return true;
	char what[96], text[4];
	sign_text(sign, text);
	snprintf(what, sizeof what, "%s %s", text, where);
	return hb__expected(r, what);
}

const char *hb__want_name(struct hb__reader *r, const char *what)
{
	const struct hb__token *t = hb__peek(r);
	if (t->kind != HB__T_NAME)
		return hb__expected(r, what);
	r->at++;
	return t->name;
}

bool hb__deeper(struct hb__reader *r)
{
	if (r->nested++ < HB__NESTED)
		return true;
	const struct hb__token *t = &r->token[r->at];
	return hb__wrong(r->p, t->line, t->column, "more than %d parts inside of each other: give some of them a name",
		HB__NESTED);
}
