/* Asks of consoles that concern a node which is being reached for the first time: they wait until that is decided. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "system/manager/inside.h"

#define MOST 1000

struct hb__later {
	int console;
	uint64_t id;
	int64_t node;
	char *name;
	cJSON *ask;
};

/* The node without which this cannot be done; 0: none. Not of `run`: what its console writes meanwhile would be lost. */
static int64_t needs(struct hb_manager *m, const char *name, const cJSON *ask)
{
	static const char *const of_program[] = {"begin", "end", "restart", "keep"}, *const of_process[] = {"stop",
											     "go", "signal", "state"};
	int64_t number = 0, process = hb__manager_int(ask, "process");
	const char *what = NULL;
	for (size_t i = 0; i < sizeof of_program / sizeof *of_program; i++)
		if (!strcmp(name, of_program[i]) &&
			!hb_complex_program_find(m->complex, hb__manager_text(ask, "program"), &number, NULL))
			what = "programs";
	for (size_t i = 0; i < sizeof of_process / sizeof *of_process; i++)
		if (!strcmp(name, of_process[i]) && process > 0) {
			what = "processes";
			number = process;
		}
	cJSON *row = what ? hb_complex_row(m->complex, what, number) : NULL;
	number = row ? hb__manager_int(row, "node") : 0;
	cJSON_Delete(row);
	return number;
}

/* Since the manager began, or the node was added, nobody has seen it up or down. */
static bool is_reached_for(struct hb_manager *m, int64_t node)
{
	const struct hb__node *n = node ? hb__node_of(m, node) : NULL;
	return n && !n->decided && !n->gone;
}

bool hb__ask_later(struct hb__console *c, uint64_t id, const char *name, const cJSON *ask)
{
	struct hb_manager *m = c->manager;
	bool any = false;
	for (size_t i = 0; i < m->nnodes; i++)
		any |= is_reached_for(m, m->node[i]->number);
	int64_t node = any && m->nlater < MOST ? needs(m, name, ask) : 0;
	if (!is_reached_for(m, node) || !HB_GROW(m->later, m->later_room, m->nlater + 1))
		return false;
	m->later[m->nlater++] = (struct hb__later){c->number, id, node, strdup(name), cJSON_Duplicate(ask, 1)};
	return true;
}

void hb__asks_resume(struct hb_manager *m)
{
	for (size_t i = 0; i < m->nlater;) {
		struct hb__later l = m->later[i];
		struct hb__console *c = NULL;
		for (size_t k = 0; k < m->nconsoles; k++)
			if (m->console[k]->number == l.console)
				c = m->console[k];
		if (c && is_reached_for(m, l.node)) {
			i++;
			continue;
		}
		/* in their order */
		memmove(&m->later[i], &m->later[i + 1], (--m->nlater - i) * sizeof l);
		if (c)
			hb__console_asked(c, c->wire, l.id, l.name, l.ask);
		free(l.name);
		cJSON_Delete(l.ask);
	}
}

void hb__asks_forget(struct hb_manager *m)
{
	while (m->nlater) {
		free(m->later[--m->nlater].name);
		cJSON_Delete(m->later[m->nlater].ask);
	}
	free(m->later);
}
