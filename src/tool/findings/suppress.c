/* Suppressions: findings that are known and are not to be shown. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "findings.h"

#define DEFAULT_FILE ".hbdb-suppressions"
#define LINE_MAX_BYTES 4096
#define BLANK " \t\r"

typedef struct quiet {
	char *id, *file, *function, *text; /* patterns; NULL: any */
	int line;                          /* 0: any */
	int32_t rank;                      /* -1: any */
	char *where;                       /* file:line of the suppression itself */
	uint64_t used;
} quiet;

struct hb_quiets {
	quiet *at;
	size_t n;
};

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool read_number(const char *text, int *ret)
{
	char *end;
	long n = strtol(text, &end, 10);
	*ret = (int)n;
	return end != text && !*end && n >= 0 && n <= INT32_MAX;
}

/* KEY=VALUE. False: it is none. */
static bool condition(quiet *q, const char *word)
{
	const char *value = strchr(word, '=');
	if (!value || !value[1])
		return false;
	size_t n = (size_t)(value++ - word);
	if (n == 4 && !strncmp(word, "file", n))
		q->file = hb__copy(value);
	else if (n == 8 && !strncmp(word, "function", n))
		q->function = hb__copy(value);
	else if (n == 4 && !strncmp(word, "line", n))
		return read_number(value, &q->line);
	else if (n == 4 && !strncmp(word, "rank", n))
		return read_number(value, &q->rank);
	else
		return false;
	return true;
}

static void drop(quiet *q)
{
	free(q->id);
	free(q->file);
	free(q->function);
	free(q->text);
	free(q->where);
}

/* IDENTIFIER [KEY=VALUE]... [text=GLOB to the end of the line] */
static int read_line(hb_quiets *all, char *line, const char *file, int number_of_line)
{
	quiet q = {.rank = -1};
	line[strcspn(line, "\n")] = 0;
	char *text = strstr(line, "text=");
	if (text && (text == line || text[-1] == ' ' || text[-1] == '\t') && text != line) {
		q.text = hb__copy(text + 5);
		*text = 0;
	} else
		line[strcspn(line, "#")] = 0;
	for (char *word = line + strspn(line, BLANK); *word && *word != '#';) {
		char *end = word + strcspn(word, BLANK), *next = end + strspn(end, BLANK);
		*end = 0;
		if (!q.id)
			q.id = hb__copy(word);
		else if (!condition(&q, word)) {
			hb__say("%s, line %d: '%s' is not a condition: use file=, line=, function=, rank= or text=",
				file, number_of_line, word);
			drop(&q);
			return HB_EXIT_USAGE;
		}
		word = next;
	}
	if (!q.id) {
		drop(&q);
		return 0;
	}
	q.where = hb__format("%s, line %d", file, number_of_line);
	all->at = hb__resize(all->at, (all->n + 1) * sizeof *all->at);
	all->at[all->n++] = q;
	return 0;
}

int hb__quiets_read(hb_quiets **quiets, const char *file)
{
	const char *name = file ? file : DEFAULT_FILE;
	char line[LINE_MAX_BYTES];
	int code = 0;
	if (!*quiets)
		*quiets = hb__alloc(sizeof **quiets);
	FILE *f = fopen(name, "re");
	if (!f && !file && errno == ENOENT)
		return 0;
	if (!f)
		return hb__fail_with(HB_EXIT_USAGE, "%s: %s", name, strerror(errno));
	for (int n = 1; !code && fgets(line, sizeof line, f); n++)
		code = read_line(*quiets, line, name, n);
	fclose(f);
	return code;
}

void hb__quiets_free(hb_quiets *quiets)
{
	for (size_t i = 0; quiets && i < quiets->n; i++)
		drop(&quiets->at[i]);
	free(quiets ? quiets->at : NULL);
	free(quiets);
}

static bool file_fits(const char *pattern, const hb_spot *p)
{
	const char *path = !p->place ? NULL : p->place->file ? p->place->file : p->place->text;
	return path && (!fnmatch(pattern, path, 0) || !fnmatch(pattern, base(path), 0));
}

static bool spot_fits(const quiet *q, const hb_spot *p)
{
	return (!q->file || file_fits(q->file, p)) && (!q->line || (p->place && p->place->line == q->line)) &&
	       (!q->function || !fnmatch(q->function, p->function, 0)) && (q->rank < 0 || p->rank == q->rank);
}

/* All conditions on places hold for one of them. */
static bool fits(const quiet *q, const hb_told_finding *s)
{
	bool somewhere = !q->file && !q->line && !q->function && q->rank < 0;
	if (fnmatch(q->id, s->kind->id, 0) || (q->text && fnmatch(q->text, s->sentence, 0)))
		return false;
	for (uint32_t i = 0; !somewhere && i < s->nspots; i++)
		somewhere = spot_fits(q, &s->spot[i]);
	return somewhere;
}

void hb__quiets_apply(hb_quiets *quiets, hb_findings *f)
{
	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < quiets->n && !f->at[i].quiet; k++)
			if (fits(&quiets->at[k], &f->at[i])) {
				f->at[i].quiet = &quiets->at[k];
				quiets->at[k].used++;
			}
}

void hb__quiets_say_unused(const hb_quiets *quiets)
{
	for (size_t i = 0; i < quiets->n; i++)
		if (!quiets->at[i].used)
			hb__say("%s: %s suppresses nothing", quiets->at[i].where, quiets->at[i].id);
}

void hb__quiets_generate(const hb_findings *f, FILE *to)
{
	for (size_t i = 0; i < f->n; i++) {
		const hb_told_finding *s = &f->at[i];
		if (!hb__is_shown(s))
			continue;
		const hb_spot *p = s->nspots ? &s->spot[0] : NULL;
		fprintf(to, "# %s\n%s", hb__tame(s->sentence), s->kind->id);
		if (p && p->place && p->place->file)
			fprintf(to, " file=%s line=%d", hb__tame(base(p->place->file)), p->place->line);
		if (p && *p->function)
			fprintf(to, " function=%s", hb__tame(p->function));
		fprintf(to, "\n");
	}
}
