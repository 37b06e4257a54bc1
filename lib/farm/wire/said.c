#include "said.h"

#include <stdio.h>

#include <hbdb/event.h>
#include <hbdb/farm/events.h>

const char *sub_text(char *text, int level, uint64_t part)
{
	uint64_t degree = (uint64_t)farm.settings.number[KEY_DEGREE];
	text[level] = 0;
	while (level--) {
		text[level] = "0123456789abcdefghijklmnopqrstuvwxyz"[part % degree];
		part /= degree;
	}
	return text;
}

void said_switch(int program_wants) { farm.saying = program_wants && farm.monitored && hb_is_recorded(); }

void said_start(void)
{
	const struct settings *s = &farm.settings;
	const char *role = farm.node == NODE_GENERATOR ? "generator" : farm.node == NODE_RECEIVER ? "receiver" : "node";
	char topology[64];
	snprintf(topology, sizeof topology, s->number[KEY_TOPOLOGY] == TOPOLOGY_TREE ? "%s %lld" : "%s",
		settings_topology(s), (long long)s->number[KEY_ARITY]);
	if (farm.saying)
		HB_EVENT(HB_FARM_STARTED, hb_integer(HB_FARM_NODE, farm.node),
			hb_integer(HB_FARM_NODES, s->number[KEY_NODES]), hb_text(HB_FARM_TOPOLOGY, topology),
			hb_integer(HB_FARM_DEGREE, s->number[KEY_DEGREE]),
			hb_integer(HB_FARM_DEPTH, s->number[KEY_DEPTH]),
			hb_integer(HB_FARM_TASKS, s->number[KEY_TASKS]), hb_text(HB_FARM_ROLE, role));
}

void said_generated(int64_t tasks)
{
	if (farm.saying)
		HB_EVENT(HB_FARM_GENERATED, hb_integer(HB_FARM_TASKS, tasks));
}

/* A place of its own for each name: what was said last at a place is cheaper to say again. */
#define MESSAGE(name)                                                                                              \
	HB_EVENT(name, hb_integer(HB_FARM_TASK, item->task),                                                       \
		hb_text(HB_FARM_SUB, sub_text(sub, item->level, item->part)), hb_integer(HB_FARM_NODE, neighbour), \
		hb_integer(HB_FARM_BYTES, (int64_t)item->size));                                                   \
	break

void said_of_message(enum said_message what, const struct item *item, int neighbour)
{
	char sub[SUB_ROOM];
	switch (what) {
	case TASK_SENT:
		MESSAGE(HB_FARM_TASK_SENT);
	case TASK_RECEIVED:
		MESSAGE(HB_FARM_TASK_RECEIVED);
	case RESULT_SENT:
		MESSAGE(HB_FARM_RESULT_SENT);
	case RESULT_RECEIVED:
		MESSAGE(HB_FARM_RESULT_RECEIVED);
	}
}

#define SPAN(name)                                                                         \
	if (ends)                                                                          \
		HB_END(name, hb_integer(HB_FARM_TASK, task), hb_text(HB_FARM_SUB, sub),    \
			hb_integer(HB_FARM_BYTES, bytes));                                 \
	else                                                                               \
		HB_BEGIN(name, hb_integer(HB_FARM_TASK, task), hb_text(HB_FARM_SUB, sub)); \
	break

static void span(enum said_span what, int ends, int64_t task, const char *sub, int64_t bytes)
{
	switch (what) {
	case SPAN_GENERATE:
		SPAN(HB_FARM_GENERATE);
	case SPAN_SPLIT:
		SPAN(HB_FARM_SPLIT);
	case SPAN_COMPUTE:
		SPAN(HB_FARM_COMPUTE);
	case SPAN_JOIN:
		SPAN(HB_FARM_JOIN);
	case SPAN_RECEIVE:
		SPAN(HB_FARM_RECEIVE);
	}
}

void said_of_span(enum said_span what, int64_t task, int level, uint64_t part)
{
	char sub[SUB_ROOM];
	span(what, 0, task, sub_text(sub, level, part), 0);
}

void said_of_end(enum said_span what, int64_t task, int level, uint64_t part, int64_t bytes)
{
	char sub[SUB_ROOM];
	span(what, 1, task, sub_text(sub, level, part), bytes);
}
