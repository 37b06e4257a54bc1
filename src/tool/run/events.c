/* Events of a run by their names, and as lines of text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events.h"

/* ---- names ---- */

struct name {
	const char *process; /* not ended; NULL: it is given by rank and world */
	size_t length;
	int64_t rank, event; /* event LAST: the last that has returned */
	uint32_t lane, world;
};
#define LAST INT64_MAX

/* At most 18 digits; false: there are none. */
static bool read_number(const char **p, int64_t *ret)
{
	size_t n = strspn(*p, "0123456789");
	if (!n || n > 18)
		return false;
	*ret = strtoll(*p, NULL, 10);
	*p += n;
	return true;
}

/* A number, or the word for the last one, to the end of the text. */
static bool read_event(const char *p, int64_t *ret)
{
	if (!strcmp(p, "last")) {
		*ret = LAST;
		return true;
	}
	return read_number(&p, ret) && !*p;
}

/* WORKER:EVENT, WORKER.LANE:EVENT: of a process without MPI, by its program, in which dots may stand, too. */
static bool read_program(const char *text, const hb_run *run, struct name *ret)
{
	const char *colon = strrchr(text, ':'), *dot = NULL, *p;
	if (!colon || colon == text || strchr(text, '@') || !read_event(colon + 1, &ret->event))
		return false;
	ret->process = text;
	ret->length = (size_t)(colon - text);
	for (const char *at = text; at < colon; at++)
		dot = *at == '.' ? at : dot;
	bool whole = false;
	for (uint32_t i = 0; run && i < hb_model_get_info(run->model)->processes; i++) {
		const char *name = hb_model_processes(run->model)[i].name;
		whole |= strlen(name) == ret->length && !memcmp(name, text, ret->length);
	}
	int64_t lane;
	if (!whole && dot && (p = dot + 1, read_number(&p, &lane)) && p == colon && lane <= 65535) {
		ret->length = (size_t)(dot - text);
		ret->lane = (uint32_t)lane;
	}
	return true;
}

/* run: NULL where only the form of the name is asked for. */
static bool read_name(const char *text, const hb_run *run, struct name *ret)
{
	int64_t world = 0, lane = 0;
	*ret = (struct name){0};
	if (strspn(text, "0123456789") == 0)
		return read_program(text, run, ret);
	if (!read_number(&text, &ret->rank))
		return false;
	if (*text == '@' && (text++, !read_number(&text, &world)))
		return false;
	if (*text == '.' && (text++, !read_number(&text, &lane)))
		return false;
	if (*text != ':' || !read_event(text + 1, &ret->event) || world > INT32_MAX || lane > 65535)
		return false;
	ret->world = (uint32_t)world;
	ret->lane = (uint32_t)lane;
	return true;
}

/* HB_NO: there is none. */
static uint32_t process_of(const hb_run *run, const struct name *wanted)
{
	const hb_process *p = hb_model_processes(run->model);
	for (uint32_t i = 0; i < hb_model_get_info(run->model)->processes; i++) {
		if (wanted->process ? strlen(p[i].name) == wanted->length &&
					      !memcmp(p[i].name, wanted->process, wanted->length)
				    : p[i].rank == wanted->rank && p[i].world == wanted->world)
			return i;
	}
	return HB_NO;
}

static uint32_t ranks_of(const hb_run *run)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < hb_model_get_info(run->model)->processes; i++)
		n += !hb_model_processes(run->model)[i].world;
	return n;
}

#define NOT_AN_EVENT "'%s' is not an event: events are written RANK:EVENT, as in 0:17, or RANK.LANE:EVENT"

int hb__check_event(const char *text)
{
	struct name name;
	if (read_name(text, NULL, &name))
		return 0;
	return hb__fail_with(HB_EXIT_USAGE, NOT_AN_EVENT, text);
}

static int none(char **ret_why, char *why)
{
	*ret_why = why;
	return HB_EXIT_USAGE;
}

int hb__find_event(const hb_run *run, const char *text, hb_at *ret, char **ret_why)
{
	struct name name;
	char buffer[HB_EVENT_NAME];
	if (!read_name(text, run, &name))
		return none(ret_why, hb__format(NOT_AN_EVENT, text));
	uint32_t process = process_of(run, &name);
	if (process == HB_NO && name.process)
		return none(
			ret_why, hb__format("there is no %s: the recording has no process %.*s (hbdb info lists them)",
					 text, (int)name.length, name.process));
	if (process == HB_NO && name.world)
		return none(ret_why, hb__format("there is no %s: the recording has no process %lld@%u", text,
					     (long long)name.rank, name.world));
	if (process == HB_NO)
		return none(ret_why, hb__format("there is no %s: the run has %u %s, ranks 0 to %u", text, ranks_of(run),
					     hb__plural(ranks_of(run), "process", "processes"),
					     ranks_of(run) ? ranks_of(run) - 1 : 0));
	const hb_process *p = &hb_model_processes(run->model)[process];
	const char *called = p->name, *kind = hb_rank_word(called);
	if (!p->log)
		return none(ret_why, hb__format("there is no %s: the log of %s%s is missing", text, kind, called));
	if (name.lane >= p->nlines)
		return none(ret_why, hb__format("there is no %s: %s%s has %u %s", text, kind, called, p->nlines,
					     p->nlines == 1 ? "lane, 0" : "lanes"));
	*ret = (hb_at){p->first_line + name.lane, 0};
	const hb_line *line = &hb_model_lines(run->model)[ret->line];
	uint32_t events = line->events;
	/* that of a line that never returned from its only call is this call */
	if (name.event == LAST)
		name.event = events - (line->inside && events > 1);
	if (!name.event || name.event > events)
		return none(ret_why,
			hb__format("there is no %s: %s%s has %u %s, counted from 1%s", text, kind,
				hb__line_name(run, ret->line, buffer), events, hb__plural(events, "event", "events"),
				p->cut ? ", and its log is incomplete" : ""));
	ret->event = (uint32_t)name.event;
	return 0;
}

int hb__read_event(const hb_run *run, const char *text, hb_at *ret)
{
	char *why = NULL;
	int code = hb__find_event(run, text, ret, &why);
	if (code)
		hb__say("%s", why);
	free(why);
	return code;
}

const char *hb__line_name(const hb_run *run, uint32_t line, char buffer[HB_EVENT_NAME])
{
	const hb_line *l = &hb_model_lines(run->model)[line];
	int n = snprintf(buffer, HB_EVENT_NAME, "%s", hb_model_processes(run->model)[l->process].name);
	if (l->lane)
		snprintf(buffer + n, (size_t)(HB_EVENT_NAME - n), ".%u", l->lane);
	return buffer;
}

const char *hb__event_name(const hb_run *run, hb_at at, char buffer[HB_EVENT_NAME])
{
	hb__line_name(run, at.line, buffer);
	size_t n = strlen(buffer);
	snprintf(buffer + n, HB_EVENT_NAME - n, ":%u", at.event);
	return buffer;
}

const hb_place *hb__process_place(hb_run *run, uint32_t process, uint32_t site)
{
	return run->log_of[process] == HB_NO ? NULL : hb__view_place(&run->views[run->log_of[process]], site);
}

/* ---- lines ---- */

struct wanted {
	hb_at at;
	size_t place; /* in the answer */
};

static int by_line(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return x->at.event < y->at.event ? -1 : x->at.event > y->at.event;
}

char *hb__taken(hb_output *out, off_t from)
{
	hb__flush(out);
	off_t end = lseek(out->fd, 0, SEEK_CUR);
	size_t n = out->broken || end <= from ? 0 : (size_t)(end - from), done = 0;
	char *text = hb__alloc(n + 1);
	while (done < n) {
		ssize_t r = pread(out->fd, text + done, n - done, from + (off_t)done);
		if (r <= 0)
			break;
		done += (size_t)r;
	}
	text[done] = 0;
	if (done && text[done - 1] == '\n')
		text[done - 1] = 0;
	return text;
}

char *hb__event_text(hb_output *out, hb_view *view, const hb_event *ev, bool json)
{
	off_t from = lseek(out->fd, 0, SEEK_CUR);
	if (json)
		hb__put_object(out, view, ev);
	else
		hb__put_line(out, view, ev);
	return hb__taken(out, from);
}

bool hb__event_inside(hb_events *events, const hb_line *line, hb_row *row, hb_event *ret)
{
	if (hb_events_inside(events, ret) != 1)
		return false;
	*row = *ret->row;
	row->number = line->events;
	row->lane = line->lane;
	ret->row = row;
	return true;
}

/* All wanted events of one line. */
static void read_line(hb_run *run, const struct wanted *w, size_t n, hb_output *out, bool json, char **ret)
{
	const hb_line *line = &hb_model_lines(run->model)[w->at.line];
	uint32_t log = run->log_of[line->process];
	hb_events *events;
	hb_event ev;
	hb_row row;
	size_t i = 0;
	if (log == HB_NO || hb_events_open(run->logs.at[log].log, line->lane, &events, NULL))
		return;
	uint32_t returned = line->events - (line->inside ? 1 : 0);
	for (uint32_t number = 1; i < n && number <= returned && hb_events_next(events, &ev, NULL) == 1; number++)
		for (; i < n && w[i].at.event == number; i++)
			ret[w[i].place] = hb__event_text(out, &run->views[log], &ev, json);
	if (i < n && line->inside) {
		while (hb_events_next(events, &ev, NULL) == 1)
			;
		if (hb__event_inside(events, line, &row, &ev)) {
			run->views[log].never = true;
			for (; i < n && w[i].at.event == line->events; i++)
				ret[w[i].place] = hb__event_text(out, &run->views[log], &ev, json);
			run->views[log].never = false;
		}
	}
	hb_events_close(events);
}

const char *hb__tag_words(const hb_model *m, uint32_t channel, char buffer[HB_TAG_WORDS])
{
	const hb_channel *c = &hb_model_channels(m)[channel];
	const char *word = hb_model_tag_word(m, c->group);
	*buffer = 0;
	if (word)
		snprintf(buffer, HB_TAG_WORDS, "%s %lld, ", word, (long long)hb_model_tag(m, c->group, c->tag));
	return buffer;
}

char **hb__event_texts(hb_run *run, const hb_at *at, size_t n, bool json)
{
	char **ret = hb__alloc(n * sizeof *ret), buffer[HB_EVENT_NAME];
	struct wanted *w = hb__alloc(n * sizeof *w);
	hb_output *out = hb__alloc(sizeof *out);
	for (size_t i = 0; i < n; i++)
		w[i] = (struct wanted){at[i], i};
	if (n)
		qsort(w, n, sizeof *w, by_line);
	out->fd = memfd_create("hbdb-lines", MFD_CLOEXEC);
	for (size_t i = 0, k; out->fd >= 0 && i < n; i = k) {
		for (k = i; k < n && w[k].at.line == w[i].at.line; k++)
			;
		read_line(run, &w[i], k - i, out, json, ret);
	}
	if (out->fd >= 0)
		close(out->fd);
	for (size_t i = 0; i < n; i++)
		if (!ret[i])
			ret[i] = json ? hb__copy("null")
				      : hb__format("%s  (cannot be read)", hb__event_name(run, at[i], buffer));
	free(out);
	free(w);
	return ret;
}

void hb__free_texts(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}
