/* spread: the smallest, the largest and the mean of a number or an array over processes. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../debug.h"

#define DEPTH 16 /* dimensions of an array */

struct extreme {
	double value;
	char index[160]; /* "[3][4]"; Fortran: "(5,4)"; empty: no array */
	hb_set ranks;    /* that have it, at the same place or another */
};

struct spread {
	const char *expression;
	struct extreme least, most;
	double sum;
	uint64_t n, odd; /* numbers; values that are none */
	int32_t odd_rank;
	char odd_index[160];
};

/* Where an element stands, as the language of the program writes it. */
static void write_index(const uint64_t *at, int depth, bool fortran, char *to, size_t size)
{
	size_t n = 0;
	*to = 0;
	for (int i = 0; i < depth && n < size; i++) {
		/* the first index of Fortran runs fastest, and begins at 1 */
		uint64_t k = fortran ? at[depth - 1 - i] + 1 : at[i];
		n += (size_t)snprintf(to + n, size - n, fortran ? "%s%llu%s" : "%s%llu%s",
			fortran ? (i ? "," : "(") : "[", (unsigned long long)k,
			fortran ? (i + 1 < depth ? "" : ")") : "]");
	}
}

static void meet(struct extreme *e, int32_t rank, double value, const char *index, bool first, bool better)
{
	if (first || better) {
		for (int32_t i = hb_set_next(&e->ranks, 0); i >= 0; i = hb_set_next(&e->ranks, i + 1))
			hb_set_remove(&e->ranks, i);
		e->value = value;
		snprintf(e->index, sizeof e->index, "%s", index);
	}
	if (value == e->value)
		hb_set_add(&e->ranks, rank);
}

static void add_value(struct spread *s, int32_t rank, double value, const char *index)
{
	if (isnan(value)) {
		if (!s->odd++) {
			s->odd_rank = rank;
			snprintf(s->odd_index, sizeof s->odd_index, "%s", index);
		}
		return;
	}
	meet(&s->least, rank, value, index, !s->n, value < s->least.value);
	meet(&s->most, rank, value, index, !s->n, value > s->most.value);
	s->sum += value;
	s->n++;
}

/* Behind what is no number: a name and its =, a character, a text, <symbol>. */
static const char *skip(const char *p)
{
	if (*p == '\'' || *p == '"') {
		char quote = *p++;
		while (*p && *p != quote)
			p += *p == '\\' && p[1] ? 2 : 1;
		return *p ? p + 1 : p;
	}
	if (*p == '<')
		return strchr(p, '>') ? strchr(p, '>') + 1 : p + 1;
	if (isalpha((unsigned char)*p) || *p == '_')
		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
	else
		p++;
	return p;
}

/* Reads what gdb wrote. False: it is cut, or holds no number. */
static bool read_values(struct spread *s, int32_t rank, const char *text)
{
	uint64_t at[DEPTH] = {0}, before = s->n + s->odd;
	int depth = 0;
	bool fortran = false;
	for (const char *p = text; *p;) {
		char index[160], *end;
		bool word = !strncmp(p, "nan", 3) || !strncmp(p, "inf", 3) || !strncmp(p, "-nan", 4) ||
			    !strncmp(p, "-inf", 4);
		if (*p == '{' || *p == '(') {
			fortran = *p++ == '(';
			if (depth == DEPTH)
				return false;
			at[depth++] = 0;
		} else if (*p == '}' || *p == ')') {
			depth -= depth > 0;
			p++;
		} else if (*p == ',' && depth) {
			at[depth - 1]++;
			p++;
		} else if (word || isdigit((unsigned char)*p) || (*p == '-' && isdigit((unsigned char)p[1]))) {
			double value = strtod(p, &end);
			write_index(at, depth, fortran, index, sizeof index);
			add_value(s, rank, value, index);
			p = end;
		} else
			p = skip(p);
	}
	return !depth && s->n + s->odd > before;
}

static void look(hb_debug *d, int32_t rank, hb_gdb *gdb, void *user)
{
	struct spread *s = user;
	hb_frame frame;
	hb_error err = {0};
	char *value = NULL, *command;
	if (!hb__d_chosen(d, rank, gdb, &frame))
		return;
	command =
		hb__format("with print elements unlimited -- with print repeats unlimited -- output %s", s->expression);
	if (hb_gdb_command(gdb, rank, frame.level, command, &value, &err))
		hb__d_reply(d, rank, true, NULL, "%s", err.message);
	else if (!read_values(s, rank, hb__d_trim(value)))
		hb__d_reply(d, rank, true, NULL, "%s: %s", s->expression,
			strlen(value) > 1000 ? "the array is too long; name a part of it, as in a[0]@1000"
					     : "there are no numbers in it");
	free(value);
	free(command);
}

static void show(hb_debug *d, const struct spread *s)
{
	const char *least = hb__d_set_name(d, &s->least.ranks), *most = hb__d_set_name(d, &s->most.ranks);
	if (d->settings.json) {
		char *expression = hb__d_json(s->expression);
		hb__d_print(d,
			"{\"answer\":\"spread\",\"expression\":%s,\"values\":%llu,\"min\":%.17g,\"min_set\":\"%.*s\",\"min_index\":\"%s\","
			"\"max\":%.17g,\"max_set\":\"%.*s\",\"max_index\":\"%s\",\"mean\":%.17g,\"nan\":%llu}\n",
			expression, (unsigned long long)s->n, s->least.value, (int)strlen(least) - 2, least + 1,
			s->least.index, s->most.value, (int)strlen(most) - 2, most + 1, s->most.index,
			s->sum / (double)s->n, (unsigned long long)s->odd);
		free(expression);
		return;
	}
	hb__d_print(d, "%s: least %.15g in %s%s%s, most %.15g in %s%s%s, mean %.15g of %llu %s\n", s->expression,
		s->least.value, least, *s->least.index ? " at " : "", s->least.index, s->most.value, most,
		*s->most.index ? " at " : "", s->most.index, s->sum / (double)s->n, (unsigned long long)s->n,
		hb__plural(s->n, "value", "values"));
}

int hb__v_spread(hb_debug *d, char *args)
{
	if (d->one)
		return hb__d_one_only(d, "spread");
	struct spread s = {.expression = args};
	if (!*args)
		return hb__d_fail(
			d, HB_EXIT_USAGE, "spread takes an expression, as in spread n or spread field[0]@100");
	hb__d_init(d, &s.least.ranks);
	hb__d_init(d, &s.most.ranks);
	hb__d_poll(d, 0);
	hb__d_look(d, &d->set, look, &s);
	int code = hb__d_replies(d, "spread");
	if (s.n)
		show(d, &s);
	if (s.odd)
		hb__d_note(d, "%llu of the values %s not a number (NaN), the first in [%s]%s%s",
			(unsigned long long)s.odd, hb__plural(s.odd, "is", "are"), hb__d_name(d, s.odd_rank),
			*s.odd_index ? " at " : "", s.odd_index);
	hb_set_free(&s.least.ranks);
	hb_set_free(&s.most.ranks);
	return code;
}
