/* Finding a task in a recording. */
#include "farmed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hbdb/farm/events.h>

#include "../store/logs.h"
#include "base/grow.h"
#include "model/event.h"
#include "model/spans.h"

#define NAMED_MOST 6 /* other candidates that are named */

/* What is looked for. */
struct wanted {
	const char *word;
	int64_t task;
	char *sub; /* NULL: any */
	char *span;
};

struct found {
	size_t log;
	uint32_t lane;
	uint64_t begin, end;
	char *sub;
	bool farm;
};

struct search {
	struct wanted wanted;
	hb_logs logs;
	struct found *at;
	size_t n, room;
	bool farm, tasks; /* the log at hand is of the farm library; some span tells of a task */
	char **name;      /* of spans, by number */
	size_t names, names_room;
	hb_span_stack open;
	bool no_memory;
};

/* ---- what is asked for ---- */

static int read_word(const char *word, struct wanted *ret)
{
	char *end;
	const char *colon = strchr(word, ':'), *rest;
	*ret = (struct wanted){.word = word, .task = strtoll(word, &end, 10)};
	rest = colon ? colon : word + strlen(word);
	bool good = end > word && (*end == '.' || end == rest) && (!colon || colon[1]);
	if (!good)
		return hb__fail_with(HB_EXIT_USAGE,
			"--task %s: a task is a number, with the part of it behind a point and the function behind a colon where there are several, as in 49, 49.0110 or 49:split",
			word);
	if (*end == '.')
		ret->sub = hb__format("%.*s", (int)(rest - end - 1), end + 1);
	ret->span = hb__copy(colon ? colon + 1 : HB_FARM_COMPUTE);
	return 0;
}

/* ---- reading ---- */

static uint32_t number_of(struct search *s, const char *name)
{
	for (size_t i = 0; i < s->names; i++)
		if (!strcmp(s->name[i], name))
			return (uint32_t)i;
	if (!HB_GROW(s->name, s->names_room, s->names + 1)) {
		s->no_memory = true;
		return HB_NO;
	}
	s->name[s->names] = hb__copy(name);
	return (uint32_t)s->names++;
}

static const char *text_value(const hb_log *log, const hb_event *ev, const char *name)
{
	for (uint32_t i = 0; i < hb_event_fields(ev); i++) {
		hb_field f = hb_event_field(ev, i);
		if (f.kind == HB_RECORDED_TEXT && !strcmp(f.name, name))
			return hb_log_text(log, (uint32_t)f.value);
	}
	return NULL;
}

static void begun(struct search *s, size_t log, uint32_t lane, const hb_event *ev)
{
	int64_t task = hb_event_value(ev, HB_FARM_TASK);
	const char *sub = text_value(s->logs.at[log].log, ev, HB_FARM_SUB);
	sub = sub ? sub : "";
	s->tasks = s->tasks || task != HB_ABSENT;
	s->no_memory |= !hb_span_begin(&s->open, number_of(s, ev->function->name), (uint32_t)ev->row->number);
	if (task == HB_ABSENT || task != s->wanted.task || strcmp(ev->function->name, s->wanted.span) != 0 ||
		(s->wanted.sub && strcmp(sub, s->wanted.sub) != 0))
		return;
	if (!HB_GROW(s->at, s->room, s->n + 1)) {
		s->no_memory = true;
		return;
	}
	s->at[s->n++] = (struct found){log, lane, ev->row->number, 0, hb__copy(sub), false};
}

static void ended(struct search *s, size_t log, uint32_t lane, const hb_event *ev)
{
	size_t n = hb_span_ends(&s->open, number_of(s, ev->function->name));
	for (size_t k = s->open.n - n; k < s->open.n; k++)
		for (size_t i = s->n; i-- > 0;)
			if (s->at[i].log == log && s->at[i].lane == lane && s->at[i].begin == s->open.at[k].event)
				s->at[i].end = ev->row->number;
	s->open.n -= n;
}

/* 0, or an exit code after having said why. */
static int read_lane(struct search *s, size_t log, uint32_t lane)
{
	hb_events *events;
	hb_error err = {0};
	hb_event ev;
	int more = hb_events_open(s->logs.at[log].log, lane, &events, &err);
	if (more < 0)
		return hb__fail_log(s->logs.at[log].path, &err);
	hb_events_skip_times(events);
	s->open.n = 0;
	while ((more = hb_events_next(events, &ev, &err)) > 0 && !s->no_memory)
		if (ev.function && ev.means->does == HB_DOES_SPAN_BEGIN)
			begun(s, log, lane, &ev);
		else if (ev.function && ev.means->does == HB_DOES_SPAN_END)
			ended(s, log, lane, &ev);
		else if (ev.function && !strcmp(ev.function->name, HB_FARM_STARTED) &&
			 hb_event_value(&ev, HB_FARM_NODES) != HB_ABSENT)
			s->farm = true;
	hb_events_close(events);
	return more < 0 ? hb__fail_log(s->logs.at[log].path, &err) : 0;
}

static int read_all(struct search *s)
{
	int code = 0;
	for (size_t i = 0; i < s->logs.n && !code; i++) {
		uint32_t lanes = s->logs.at[i].log ? hb_log_get_info(s->logs.at[i].log)->lanes : 0;
		s->farm = false;
		for (uint32_t lane = 0; lane < lanes && !code; lane++)
			code = read_lane(s, i, lane);
		for (size_t k = 0; k < s->n; k++)
			s->at[k].farm = s->at[k].farm || (s->at[k].log == i && s->farm);
	}
	return code || !s->no_memory ? code : hb__fail_with(HB_EXIT_USAGE, "out of memory");
}

/* ---- choosing ---- */

static char *called(const struct search *s, const struct found *f)
{
	return hb__format("task %lld%s%s", (long long)s->wanted.task, *f->sub ? "." : "", f->sub);
}

/* "49.0000 on rank 4, 49.0010 on rank 6": those that differ from `but`. Free it; NULL: none. */
static char *others(const struct search *s, const struct found *but, bool open)
{
	char *text = NULL;
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct found *f = &s->at[i];
		if (f == but || (open && f->end))
			continue;
		const char *name = s->logs.worlds.name[f->log];
		char *more = n++ >= NAMED_MOST ? hb__format("%s, ...", text)
					       : hb__format("%s%s%lld%s%s on %s%s", text ? text : "", text ? ", " : "",
							 (long long)s->wanted.task, *f->sub ? "." : "", f->sub,
							 hb_rank_word(name), name);
		free(text);
		text = more;
		if (n > NAMED_MOST)
			break;
	}
	return text;
}

static int none(const struct search *s, const char *recording)
{
	if (!s->tasks)
		return hb__fail_with(HB_EXIT_USAGE,
			"%s tells of no tasks: a program does by the farm library, or by hb_begin with a value called task (docs/farm.md)",
			recording);
	return hb__fail_with(HB_EXIT_USAGE,
		"--task %s: the recording has no %s of such a task; `hbdb dump -f %s %s` lists them%s", s->wanted.word,
		s->wanted.span, s->wanted.span, recording,
		strcmp(s->wanted.span, HB_FARM_COMPUTE) ? "" : ", and 49:split asks for what split did to task 49");
}

static int choose(struct search *s, const char *recording, hb_farmed *ret)
{
	const struct found *it = NULL;
	bool parts = false;
	for (size_t i = 0; i < s->n; i++) {
		it = !it || (it->end && !s->at[i].end) ? &s->at[i] : it;
		parts = parts || strcmp(s->at[i].sub, s->at[0].sub) != 0;
	}
	if (!it)
		return none(s, recording);
	const char *name = s->logs.worlds.name[it->log];
	char *also = others(s, parts && it->end ? NULL : it, !it->end);
	int code = 0;
	if (parts && it->end)
		code = hb__fail_with(HB_EXIT_USAGE, "--task %s: %s was done in parts: say which, as in %s",
			s->wanted.word, s->wanted.word, also);
	else if (it->lane)
		code = hb__fail_with(HB_EXIT_USAGE,
			"--task %s: it was done by thread %u of %s%s, and one process alone goes to events of its first thread only",
			s->wanted.word, it->lane, hb_rank_word(name), name);
	if (code) {
		free(also);
		return code;
	}
	*ret = (hb_farmed){.called = called(s, it),
		.process = hb__copy(name),
		.function = hb__copy(s->wanted.span),
		.begin = it->begin,
		.end = it->end,
		.farm = it->farm};
	hb__say("%s on %s%s: %s begins at event %llu%s%s%s", ret->called, hb_rank_word(name), name, ret->function,
		(unsigned long long)it->begin, it->end ? "" : " and did not end", also ? "; also " : "",
		also ? also : "");
	free(also);
	return 0;
}

static void close_search(struct search *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->at[i].sub);
	for (size_t i = 0; i < s->names; i++)
		free(s->name[i]);
	free(s->at);
	free(s->name);
	free(s->open.at);
	free(s->wanted.sub);
	free(s->wanted.span);
	hb__close_logs(&s->logs);
}

int hb__farmed_find(const char *recording, const char *word, hb_farmed *ret)
{
	struct search s = {0};
	*ret = (hb_farmed){0};
	int code = read_word(word, &s.wanted);
	code = code ? code : hb__open_logs(recording, &s.logs);
	code = code ? code : read_all(&s);
	code = code ? code : choose(&s, recording, ret);
	close_search(&s);
	return code;
}

void hb__farmed_free(hb_farmed *task)
{
	free(task->called);
	free(task->process);
	free(task->function);
	*task = (hb_farmed){0};
}
