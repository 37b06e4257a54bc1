#include "said.h"

#include <stdio.h>

#include <hbdb/event.h>

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
		HB_EVENT("farm", hb_integer("node", farm.node), hb_integer("nodes", s->number[KEY_NODES]),
			hb_text("topology", topology), hb_integer("degree", s->number[KEY_DEGREE]),
			hb_integer("depth", s->number[KEY_DEPTH]), hb_integer("tasks", s->number[KEY_TASKS]),
			hb_text("role", role));
}

void said_generated(int64_t tasks)
{
	if (farm.saying)
		HB_EVENT("generated", hb_integer("tasks", tasks));
}

/* A place of its own for each name: what was said last at a place is cheaper to say again. */
#define MESSAGE(name)                                                                                          \
	HB_EVENT(name, hb_integer("task", item->task), hb_text("sub", sub_text(sub, item->level, item->part)), \
		hb_integer("node", neighbour), hb_integer("bytes", (int64_t)item->size));                      \
	break

void said_of_message(enum said_message what, const struct item *item, int neighbour)
{
	char sub[SUB_ROOM];
	switch (what) {
	case TASK_SENT:
		MESSAGE("task_sent");
	case TASK_RECEIVED:
		MESSAGE("task_received");
	case RESULT_SENT:
		MESSAGE("result_sent");
	case RESULT_RECEIVED:
		MESSAGE("result_received");
	}
}

#define SPAN(name)                                                                                       \
	if (ends)                                                                                        \
		HB_END(name, hb_integer("task", task), hb_text("sub", sub), hb_integer("bytes", bytes)); \
	else                                                                                             \
		HB_BEGIN(name, hb_integer("task", task), hb_text("sub", sub));                           \
	break

static void span(enum said_span what, int ends, int64_t task, const char *sub, int64_t bytes)
{
	switch (what) {
	case SPAN_GENERATE:
		SPAN("generate");
	case SPAN_SPLIT:
		SPAN("split");
	case SPAN_COMPUTE:
		SPAN("compute");
	case SPAN_JOIN:
		SPAN("join");
	case SPAN_RECEIVE:
		SPAN("receive");
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
