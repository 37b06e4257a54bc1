/* Findings for people. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run/next.h"
#include "../show/inert.h"
#include "findings.h"

#define COLUMNS 4

static const char *const colours[] = {"\033[1;31m", "\033[1;33m", "\033[1;36m"};

/* A spot, or several that differ in nothing but their rank. */
struct row {
	const hb_spot *spot;
	hb_ranked *rank;
	size_t n;
	char *cell[COLUMNS]; /* who, event, function, place */
};

static bool comes_before(hb_ranked a, hb_ranked b) { return a.world != b.world ? a.world < b.world : a.rank < b.rank; }

char *hb__names_text(hb_ranked *p, size_t n)
{
	char *text = hb__copy("");
	hb_process_name range;
	for (size_t i = 1; i < n; i++) /* few, and mostly in order */
		for (size_t k = i; k && comes_before(p[k], p[k - 1]); k--) {
			hb_ranked t = p[k];
			p[k] = p[k - 1];
			p[k - 1] = t;
		}
	for (size_t i = 0; i < n;) {
		size_t end = i + 1;
		while (end < n && p[end].world == p[i].world && p[end].rank <= p[end - 1].rank + 1)
			end++;
		const char *name = p[i].rank == p[end - 1].rank ? p[i].name : NULL;
		name = name ? name : hb_process_range(p[i].world, p[i].rank, p[end - 1].rank, range);
		char *more = hb__format("%s%s%s", text, *text ? "," : "", name);
		free(text);
		text = more;
		i = end;
	}
	return text;
}

char *hb__called_text(const hb_ranked *process, size_t n)
{
	hb_ranked *copy = hb__alloc((n + 1) * sizeof *copy);
	memcpy(copy, process, n * sizeof *copy);
	char *list = hb__names_text(copy, n), *text;
	bool ranks = isdigit((unsigned char)*list); /* else programs without MPI */
	text = hb__format("%s%s", !ranks ? "" : strpbrk(list, ",-") ? "ranks " : "rank ", list);
	free(list);
	free(copy);
	return text;
}

char *hb__ranks_text(int32_t *rank, size_t n)
{
	hb_ranked *p = hb__alloc((n + 1) * sizeof *p);
	for (size_t i = 0; i < n; i++)
		p[i] = (hb_ranked){0, rank[i], NULL};
	char *text = hb__names_text(p, n);
	free(p);
	return text;
}

static bool alike(const hb_spot *a, const hb_spot *b)
{
	return a->place == b->place && a->world == b->world && !strcmp(a->function, b->function) &&
	       !strcmp(a->role, b->role);
}

static struct row *rows_of(const hb_told_finding *s, size_t *ret_n)
{
	struct row *rows = hb__alloc((s->nspots + 1) * sizeof *rows);
	size_t n = 0;
	for (uint32_t i = 0; i < s->nspots; i++) {
		const hb_spot *p = &s->spot[i];
		size_t k = n;
		/* only neighbours: the order of the points means something */
		if (n && p->place && alike(rows[n - 1].spot, p))
			k = n - 1;
		if (k == n)
			rows[n++] = (struct row){.spot = p};
		rows[k].rank = hb__resize(rows[k].rank, (rows[k].n + 1) * sizeof *rows[k].rank);
		rows[k].rank[rows[k].n++] = (hb_ranked){p->world, p->rank, p->name};
	}
	for (size_t i = 0; i < n; i++) {
		const hb_spot *p = rows[i].spot;
		rows[i].cell[0] = hb__called_text(rows[i].rank, rows[i].n);
		rows[i].cell[1] = hb__copy(p->event);
		rows[i].cell[2] = hb__inert(p->function);
		rows[i].cell[3] = hb__copy(p->place ? p->place->text : *p->function ? "?" : "");
	}
	*ret_n = n;
	return rows;
}

static void put_rows(const hb_findings *f, const hb_told_finding *s, FILE *to)
{
	size_t n, width[COLUMNS] = {0}, most = (size_t)(f->lines > 10 ? f->lines - 8 : 2);
	struct row *rows = rows_of(s, &n);
	for (size_t i = 0; i < n && i < most; i++)
		for (int k = 0; k < COLUMNS; k++) {
			size_t w = strlen(rows[i].cell[k]);
			width[k] = w > width[k] && w < 60 ? w : width[k];
		}
	for (size_t i = 0; i < n && i < most; i++) {
		int pad = 0;
		fprintf(to, "  ");
		for (int k = 0; k < COLUMNS; k++)
			if (width[k]) {
				fprintf(to, "%*s%s", pad, "", rows[i].cell[k]);
				size_t w = strlen(rows[i].cell[k]);
				pad = 2 + (int)(w < width[k] ? width[k] - w : 0);
			}
		if (*rows[i].spot->role)
			fprintf(to, "%*s%s", pad, "", hb__tame(rows[i].spot->role));
		fprintf(to, "\n");
	}
	if (n > most)
		fprintf(to, "  and %zu more (--json prints all)\n", n - most);
	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < COLUMNS; k++)
			free(rows[i].cell[k]);
		free(rows[i].rank);
	}
	free(rows);
}

static void put_next(const hb_findings *f, const hb_told_finding *s, FILE *to)
{
	const char *event = "";
	for (uint32_t i = 0; i < s->nspots && !*event; i++)
		event = s->spot[i].event;
	fprintf(to, "  ");
	hb__put_next(to, f->run->path, f->name, event, NULL);
	fprintf(to, "%shbdb help %s\n", *event ? ", " : "next: ", s->kind->id);
}

void hb__finding_text(const hb_findings *f, const hb_told_finding *s, FILE *to, bool colour)
{
	fprintf(to, "%s%s %s%s%s: %s\n", colour ? colours[s->severity] : "", hb__severity_names[s->severity],
		s->kind->id, s->possible ? " (possible)" : "", colour ? "\033[0m" : "", hb__tame(s->sentence));
	put_rows(f, s, to);
	if (s->nalso) {
		char *others = hb__called_text(s->also, s->nalso);
		fprintf(to, "  the same in %s\n", others);
		free(others);
	}
	if (s->times > s->nalso + 1)
		fprintf(to, "  %llu times\n", (unsigned long long)s->times);
	if (s->advice)
		fprintf(to, "  %s\n", hb__tame(s->advice));
	put_next(f, s, to);
}

void hb__findings_text(const hb_findings *f, FILE *to, bool colour)
{
	for (size_t i = 0; i < f->n; i++)
		if (hb__is_shown(&f->at[i])) {
			hb__finding_text(f, &f->at[i], to, colour);
			fprintf(to, "\n");
		}
	hb__model_text(f, to);
	char *sum = hb__findings_sum(f);
	const hb_model_info *info = hb_model_get_info(f->run->model);
	uint32_t seen = 0;
	for (uint32_t i = 0; i < info->processes; i++)
		seen += hb_model_processes(f->run->model)[i].log != NULL;
	fprintf(to, "%s in %u %s, %llu %s", sum, seen, hb__plural(seen, "process", "processes"),
		(unsigned long long)info->events, hb__plural(info->events, "event", "events"));
	if (f->suppressed)
		fprintf(to, ", %llu suppressed", (unsigned long long)f->suppressed);
	fprintf(to, "\n");
	free(sum);
}
