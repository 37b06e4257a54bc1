/* What a model says of the run beside its findings: the table of where each key stands, as text and JSON. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../show/inert.h"
#include "findings.h"

#define ROWS_SHOWN 60u
#define CELLS_MOST 18u

struct table {
	const hb_judgement *j;
	const hb_process *process;
	size_t n; /* rows */
};

static char *upper(const char *text)
{
	char *copy = hb__copy(text);
	for (char *p = copy; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return copy;
}

static bool same_columns(const hb_judged_row *a, const hb_judged_row *b)
{
	bool same = a->nkeys == b->nkeys;
	for (uint32_t i = 0; same && i < a->nkeys; i++)
		same = !strcmp(a->key_name[i], b->key_name[i]);
	return same;
}

static uint32_t columns(const hb_judged_row *r) { return (r->nkeys < CELLS_MOST - 2 ? r->nkeys : CELLS_MOST - 2) + 2; }

/* A cell of a row; of the head when row is NULL. To be freed. */
static char *cell(const struct table *t, const hb_judged_row *like, const hb_judged_row *row, uint32_t k)
{
	char value[256];
	uint32_t keys = columns(like) - 2;
	if (k < keys)
		return row ? hb__inert(hb_judged_value(t->j, &row->key[k], value, sizeof value))
			   : upper(like->key_name[k]);
	if (k == keys)
		return row ? hb__inert(hb_pattern_process(t->j->pattern, row->process, value, sizeof value))
			   : hb__copy("NODE");
	return row ? hb__inert(row->in) : hb__copy("PROCESS");
}

static void put_row(
	const struct table *t, const hb_judged_row *like, const hb_judged_row *row, const size_t *width, FILE *to)
{
	uint32_t n = columns(like);
	for (uint32_t k = 0; k < n; k++) {
		char *text = cell(t, like, row, k);
		fprintf(to, "%s%-*s", k ? "  " : "", k + 1 < n ? (int)width[k] : 0, text);
		free(text);
	}
	fprintf(to, "\n");
}

/* Rows with the same columns, from one on: a head and them. Returns the first behind them. */
static size_t put_part(const struct table *t, size_t from, size_t most, FILE *to)
{
	const hb_judged_row *like = &t->j->row[from];
	size_t width[CELLS_MOST] = {0}, end = from;
	for (; end < t->n && end < most && same_columns(like, &t->j->row[end]); end++)
		;
	for (uint32_t k = 0; k < columns(like); k++)
		for (size_t i = from; i <= end; i++) {
			char *text = cell(t, like, i < end ? &t->j->row[i] : NULL, k);
			width[k] = strlen(text) > width[k] ? strlen(text) : width[k];
			free(text);
		}
	put_row(t, like, NULL, width, to);
	for (size_t i = from; i < end; i++)
		put_row(t, like, &t->j->row[i], width, to);
	return end;
}

char *hb__model_sum(const hb_findings *f)
{
	const hb_judgement *j = hb__model_judgement(f);
	const hb_pattern_sum *s = &j->sum;
	char *undecided =
		s->undecided ? hb__format(", %llu undecided", (unsigned long long)s->undecided) : hb__copy("");
	char *text = hb__format("model %s: %llu %s complete, %llu stopped, %llu wrong%s; %llu of %llu %s looked at",
		hb_pattern_name(j->pattern), (unsigned long long)s->complete, hb__plural(s->complete, "key", "keys"),
		(unsigned long long)s->stopped, (unsigned long long)s->wrong, undecided,
		(unsigned long long)j->history.named, (unsigned long long)j->history.events,
		hb__plural(j->history.events, "event", "events"));
	free(undecided);
	return text;
}

void hb__model_text(const hb_findings *f, FILE *to)
{
	const hb_judgement *j = hb__model_judgement(f);
	if (!j)
		return;
	struct table t = {j, hb_model_processes(f->run->model), j->rows};
	for (size_t i = 0; i < j->rows && i < ROWS_SHOWN;)
		i = put_part(&t, i, ROWS_SHOWN, to);
	if (j->rows > ROWS_SHOWN)
		fprintf(to, "and %zu more (--json prints all)\n", j->rows - ROWS_SHOWN);
	if (j->untold)
		fprintf(to, "and %llu more keys that are not complete\n", (unsigned long long)j->untold);
	char *sum = hb__model_sum(f);
	fprintf(to, "%s%s\n", j->rows ? "\n" : "", hb__tame(sum));
	free(sum);
	for (size_t i = 0; i < j->doubts; i++)
		fprintf(to, "  %s\n", hb__tame(j->doubt[i]));
	fprintf(to, "\n");
}

/* ---- JSON ---- */

static void number(hb_output *out, const char *name, uint64_t value)
{
	hb__put_text(out, ",\"");
	hb__put_text(out, name);
	hb__put_text(out, "\":");
	hb__put_uint(out, value);
}

static void put_object(hb_output *out, const struct table *t, const hb_judged_row *row)
{
	char value[256];
	hb__put_text(out, "{\"of\":");
	hb__put_json(out, row->of);
	hb__put_text(out, ",\"keys\":{");
	for (uint32_t i = 0; i < row->nkeys; i++) {
		if (i)
			hb__put_char(out, ',');
		hb__put_json(out, row->key_name[i]);
		hb__put_char(out, ':');
		if (row->key[i].text)
			hb__put_json(out, hb_pattern_text_of(t->j->pattern, (uint32_t)row->key[i].number));
		else
			hb__put_int(out, row->key[i].number);
	}
	hb_pattern_process(t->j->pattern, row->process, value, sizeof value);
	hb__put_text(out, "},\"rank\":");
	hb__put_int(out, t->process[row->process].rank);
	hb__put_text(out, ",\"process\":");
	hb__put_json(out, value);
	hb__put_text(out, ",\"in\":");
	hb__put_json(out, row->in);
	hb__put_char(out, '}');
}

void hb__model_json(const hb_findings *f, hb_output *out)
{
	const hb_judgement *j = hb__model_judgement(f);
	if (!j)
		return;
	struct table t = {j, hb_model_processes(f->run->model), j->rows};
	hb__put_text(out, "{\"model\":");
	hb__put_json(out, hb_pattern_name(j->pattern));
	number(out, "keys", j->sum.keys);
	number(out, "complete", j->sum.complete);
	number(out, "stopped", j->sum.stopped);
	number(out, "wrong", j->sum.wrong);
	number(out, "undecided", j->sum.undecided);
	number(out, "untold", j->untold);
	number(out, "looked_at", j->history.named);
	number(out, "events", j->history.events);
	number(out, "messages", j->history.messages);
	number(out, "messages_looked_at", j->history.named_messages);
	hb__put_text(out, ",\"doubts\":[");
	for (size_t i = 0; i < j->doubts; i++) {
		if (i)
			hb__put_char(out, ',');
		hb__put_json(out, j->doubt[i]);
	}
	hb__put_text(out, "],\"rows\":[");
	for (size_t i = 0; i < j->rows; i++) {
		if (i)
			hb__put_char(out, ',');
		put_object(out, &t, &j->row[i]);
	}
	hb__put_text(out, "]}\n");
}
