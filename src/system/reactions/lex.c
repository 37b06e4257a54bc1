/* Words of a file of reactions. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/reactions/inside.h"

static void wrong(hb__when_reader *r, int line, int column, const char *format, va_list ap)
{
	char what[180];
	if (r->failed)
		return;
	r->failed = true;
	if (!r->err)
		return;
	vsnprintf(what, sizeof what, format, ap);
	*r->err = (hb_error){.status = HB_E_ARGUMENT};
	snprintf(r->err->file, sizeof r->err->file, "%s", r->file);
	snprintf(r->err->message, sizeof r->err->message, "%.60s:%d:%d: %s",
		strlen(r->file) > 60 && strrchr(r->file, '/') ? strrchr(r->file, '/') + 1 : r->file, line, column,
		what);
}

void hb__when_wrong(hb__when_reader *r, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	wrong(r, r->word.line, r->word.column, format, ap);
	va_end(ap);
}

void hb__when_wrong_before(hb__when_reader *r, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	wrong(r, r->was_line, r->was_column, format, ap);
	va_end(ap);
}

static void step(hb__when_reader *r)
{
	if (r->text[r->at] == '\n') {
		r->line++;
		r->column = 0;
	} else if (((unsigned char)r->text[r->at] & 0xc0) == 0x80) /* the rest of a character */
		r->column--;
	r->column++;
	r->at++;
}

static void skip(hb__when_reader *r)
{
	for (;;) {
		while (r->text[r->at] && isspace((unsigned char)r->text[r->at])) {
			r->word.first = r->word.first || r->text[r->at] == '\n';
			step(r);
		}
		if (r->text[r->at] != '#')
			return;
		while (r->text[r->at] && r->text[r->at] != '\n')
			step(r);
	}
}

/* A text in quotes; \" and \\ stand for what follows, \n for a new line. */
static void quoted(hb__when_reader *r, char *to)
{
	step(r);
	while (r->text[r->at] && r->text[r->at] != '"' && r->text[r->at] != '\n') {
		char c = r->text[r->at];
		if (c == '\\') {
			step(r);
			c = r->text[r->at] == 'n' ? '\n' : r->text[r->at];
			if (c != '"' && c != '\\' && c != '\n') {
				hb__when_wrong(r, "in a text \\ stands before \", \\ or n");
				return;
			}
			if (r->text[r->at] == '\n')
				break;
		}
		*to++ = c;
		step(r);
	}
	*to = 0;
	if (r->text[r->at] != '"')
		hb__when_wrong(r, "this text has no end on its line: a \" is missing");
	else
		step(r);
	r->word.quoted = true;
}

void hb__when_next(hb__when_reader *r)
{
	free(r->word.text);
	r->before = r->word.to;
	r->was_line = r->word.line;
	r->was_column = r->word.column;
	r->word = (hb__when_word){.first = !r->at};
	r->wanted[0] = 0;
	skip(r);
	r->word.line = r->line;
	r->word.column = r->column;
	r->word.from = r->at;
	size_t length = strcspn(r->text + r->at, " \t\r\n\v\f,\"");
	if (!r->text[r->at])
		r->word.text = NULL;
	else if (r->text[r->at] == '"') {
		r->word.text = calloc(1, strcspn(r->text + r->at, "\n") + 1);
		if (r->word.text)
			quoted(r, r->word.text);
	} else if (!length) {
		r->word.text = strdup(",");
		r->word.comma = true;
		step(r);
	} else {
		r->word.text = strndup(r->text + r->at, length);
		for (size_t i = 0; i < length; i++)
			step(r);
	}
	r->word.to = r->at;
}

bool hb__when_takes_word(hb__when_reader *r, const char *word)
{
	if (!r->failed && r->word.text && !r->word.quoted && !strcmp(r->word.text, word)) {
		hb__when_next(r);
		return true;
	}
	size_t n = strlen(r->wanted);
	snprintf(r->wanted + n, sizeof r->wanted - n, "%s%s", n ? ", " : "", word);
	return false;
}

void hb__when_none(hb__when_reader *r)
{
	if (!r->word.text)
		hb__when_wrong(r, "the file ends where one of these should follow: %.120s", r->wanted);
	else
		hb__when_wrong(r, "'%.40s' makes no sense here; possible: %.100s", r->word.text, r->wanted);
}

void hb__when_need(hb__when_reader *r, const char *word)
{
	r->wanted[0] = 0;
	if (!hb__when_takes_word(r, word))
		hb__when_none(r);
}

/* Words that are no names unless they are quoted: so that a forgotten name is noticed. */
static bool is_reserved(const char *word)
{
	static const char *const all[] = {"when", "do", "and", "within", "at", "of", "on", "is", "over", "under",
		"dies", "exits", "fails", "per", "hangs", "stops", "starts", "any", "rank", "process", "program",
		"node"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(word, all[i]))
			return true;
	return false;
}

char *hb__when_name(hb__when_reader *r, const char *what)
{
	if (!r->word.text || r->word.comma || (!r->word.quoted && is_reserved(r->word.text)) || !*r->word.text)
		hb__when_wrong(r, "here should be %s%s%.40s%s%s", what, r->word.text ? ", not '" : "",
			r->word.text ? r->word.text : "", r->word.text ? "'" : "",
			r->word.text && is_reserved(r->word.text)
				? "; a name that is a word of the language stands in quotes"
				: "");
	if (r->failed)
		return strdup("");
	char *name = strdup(r->word.text);
	hb__when_next(r);
	return name ? name : strdup("");
}

double hb__when_number_here(hb__when_reader *r, const char *what)
{
	static const char letters[] = "KMGT";
	char *end = NULL;
	double number = r->word.text && !r->word.quoted && !isspace((unsigned char)*r->word.text)
				? strtod(r->word.text, &end)
				: 0;
	const char *letter = end && *end && !end[1] ? strchr(letters, *end) : NULL;
	if (!end || end == r->word.text || (*end && !letter) || !(number - number == 0)) {
		hb__when_wrong(r, "here should be %s, a number%s%.40s%s", what, r->word.text ? ", not '" : "",
			r->word.text ? r->word.text : "", r->word.text ? "'" : "");
		return 0;
	}
	for (; letter && letter >= letters; letter--)
		number *= 1024;
	if (!r->failed)
		hb__when_next(r);
	return number;
}

int64_t hb__when_time(hb__when_reader *r)
{
	static const struct {
		const char *unit;
		double us;
	} units[] = {{"ms", 1e3}, {"s", 1e6}, {"min", 6e7}, {"h", 3.6e9}};
	char *end = NULL;
	double number = r->word.text && isdigit((unsigned char)*r->word.text) ? strtod(r->word.text, &end) : 0;
	for (size_t i = 0; end && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].unit) && number > 0 && number < 1e6) {
			hb__when_next(r);
			return (int64_t)(number * units[i].us);
		}
	hb__when_wrong(r, "here should be a time, as 500ms, 10s, 5min or 2h%s%.40s%s", r->word.text ? ", not '" : "",
		r->word.text ? r->word.text : "", r->word.text ? "'" : "");
	return 0;
}

char *hb__when_written(const hb__when_reader *r, size_t from)
{
	/* where nothing could be read there is nothing */
	char *copy = calloc(1, r->before > from ? r->before - from + 1 : 1), *to = copy;
	bool quotes = false;
	for (size_t i = from; copy && i < r->before; i++) {
		char c = r->text[i];
		if (c == '"' && (i == from || r->text[i - 1] != '\\'))
			quotes = !quotes;
		if (!quotes && c == '#' && to > copy && to[-1] == ' ') {
			while (i + 1 < r->before && r->text[i + 1] != '\n')
				i++;
			continue;
		}
		if (quotes || !isspace((unsigned char)c))
			*to++ = c;
		else if (to > copy && to[-1] != ' ')
			*to++ = ' ';
	}
	return copy;
}
