/* What is shown: on stdout, in the log; answers of processes, the same ones once. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/out.h"
#include "debug.h"

#define JSON_MOST 10000 /* bytes of a text that are written as JSON: so that it fits hb_output */

void hb__d_print(hb_debug *d, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	if (!d->log)
		return;
	va_start(ap, format);
	vfprintf(d->log, format, ap);
	va_end(ap);
}

int hb__d_fail(hb_debug *d, int code, const char *format, ...)
{
	char text[2048];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	hb__say("%s", text);
	if (d->log)
		fprintf(d->log, "hbdb: %s\n", text);
	return code;
}

void hb__d_note(hb_debug *d, const char *format, ...)
{
	char text[4096];
	va_list ap;
	if (d->settings.json)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	hb__d_print(d, "%s\n", text);
}

char *hb__d_json(const char *text)
{
	hb_output *out = hb__alloc(sizeof *out);
	char *cut = hb__format("%.*s", JSON_MOST, text ? text : "");
	out->fd = -1;
	hb__put_json(out, cut);
	free(cut);
	char *json = hb__format("%.*s", (int)out->n, out->at);
	free(out);
	return json;
}

void hb__d_reply(hb_debug *d, int32_t rank, bool failed, char *json, const char *format, ...)
{
	hb_reply r = {.rank = rank, .failed = failed, .json = json, .place = d->nreplies};
	va_list ap;
	va_start(ap, format);
	if (vasprintf(&r.text, format, ap) < 0)
		r.text = hb__copy("out of memory");
	va_end(ap);
	for (size_t n = strlen(r.text); n && r.text[n - 1] == '\n';)
		r.text[--n] = 0;
	if (!(d->nreplies & (d->nreplies - 1)))
		d->replies = hb__resize(d->replies, (d->nreplies ? 2 * d->nreplies : 1) * sizeof *d->replies);
	d->replies[d->nreplies++] = r;
}

static int by_rank(const void *a, const void *b)
{
	const hb_reply *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* As people or machines read it: what they do not see makes no difference. */
static bool same(const hb_debug *d, const hb_reply *a, const hb_reply *b)
{
	if (a->failed != b->failed)
		return false;
	bool json = d->settings.json && a->json && b->json && !a->failed;
	return json ? !strcmp(a->json, b->json) : !strcmp(a->text, b->text);
}

static void print_text(hb_debug *d, const hb_set *set, const char *text)
{
	hb__d_print(d, "%s", hb__d_set_name(d, set));
	if (!strchr(text, '\n')) {
		hb__d_print(d, " %s\n", text);
		return;
	}
	hb__d_print(d, "\n");
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		hb__d_print(d, "  %.*s\n", (int)strcspn(line, "\n"), line);
}

static void print_json(hb_debug *d, const char *what, const hb_set *set, const hb_reply *r)
{
	const char *name = hb__d_set_name(d, set);
	hb__d_print(d, "{\"answer\":\"%s\",\"set\":\"%.*s\",", what, (int)strlen(name) - 2, name + 1);
	if (r->json && !r->failed)
		hb__d_print(d, "%s}\n", r->json);
	else {
		char *text = hb__d_json(r->text);
		hb__d_print(d, "\"%s\":%s}\n", r->failed ? "error" : "text", text);
		free(text);
	}
}

int hb__d_replies(hb_debug *d, const char *what)
{
	int code = 0;
	hb_set set;
	if (d->nreplies)
		qsort(d->replies, d->nreplies, sizeof *d->replies, by_rank);
	for (size_t i = 0; i < d->nreplies; i++) {
		hb_reply *r = &d->replies[i];
		if (!r->text)
			continue;
		code = r->failed ? HB_EXIT_FINDING : code;
		hb__d_init(d, &set);
		hb_set_add(&set, r->rank);
		/* a process may answer twice: each answer is a line of its own */
		for (size_t k = i + 1; k < d->nreplies; k++) {
			hb_reply *o = &d->replies[k];
			if (!o->text || hb_set_has(&set, o->rank) || !same(d, r, o))
				continue;
			hb_set_add(&set, o->rank);
			free(o->text);
			free(o->json);
			o->text = o->json = NULL;
		}
		if (d->settings.json)
			print_json(d, what, &set, r);
		else
			print_text(d, &set, r->text);
		hb_set_free(&set);
		free(r->text);
		free(r->json);
	}
	d->nreplies = 0;
	free(d->replies);
	d->replies = NULL;
	return code;
}
