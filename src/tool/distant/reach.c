/* Processes on nodes of the manager's: an agent on each, at the other end of a command that the manager runs there, and gdb through that. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "distant.h"

/* What it may take until the agent says hello: it is two connections away. */
#define HELLO_S 60
#define ANSWER_S 60

static hb_link *reach(const hb_event_process *p, hb_error *err)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	const char *const argv[] = {self, "nodes", "run", p->node, "--", "hbdb", "agent", NULL};
	const hb_link_options options = {.argv = (char *const *)argv, .error = -1, .seconds = HELLO_S};
	hb_link *link = NULL;
	if (hb_link_open(&options, &link, err))
		link = NULL;
	return link;
}

static hb_node *node_of(const hb_nodes *nodes, const hb_event_process *p)
{
	for (size_t i = 0; i < nodes->n; i++)
		if (!strcmp(nodes->at[i].name, p->node))
			return &nodes->at[i];
	return NULL;
}

static int open_nodes(hb_nodes *nodes, const hb_event_process *processes, size_t n)
{
	hb_error err = {0};
	nodes->at = hb__alloc(n * sizeof *nodes->at);
	for (size_t i = 0; i < n; i++) {
		const hb_event_process *p = &processes[i];
		if (p->here || node_of(nodes, p))
			continue;
		hb_link *link = reach(p, &err);
		if (!link)
			return hb__fail_with(HB_EXIT_USAGE,
				"node %s is not reached through the manager (%s): there, hbdb debug --attach %lld attaches",
				p->node, err.message, (long long)p->pid);
		nodes->at[nodes->n++] = (hb_node){.name = hb__copy(p->node), .host = hb__copy(p->host), .link = link};
	}
	return 0;
}

/* It is the one that the manager means, not another one that got its number, and gdb can make something of it. */
static int look_at(hb_link *link, const hb_event_process *p, char *(*beyond_gdb)(const char *program))
{
	cJSON *ask = cJSON_CreateObject(), *answer = NULL;
	hb_error err = {0};
	cJSON_AddNumberToObject(ask, "pid", (double)p->pid);
	cJSON_AddNumberToObject(ask, "began", (double)p->began);
	cJSON_AddStringToObject(ask, "boot", p->boot);
	cJSON_AddNumberToObject(ask, "signal", 0);
	if (hb_link_ask(link, "rouse", ask, ANSWER_S, NULL, &err))
		return hb__fail_with(
			HB_EXIT_USAGE, "process %lld of node %s: %s", (long long)p->pid, p->node, err.message);
	ask = cJSON_CreateObject();
	cJSON_AddNumberToObject(ask, "pid", (double)p->pid);
	cJSON_AddStringToObject(ask, "file", "exe");
	if (hb_link_ask(link, "look", ask, ANSWER_S, &answer, &err))
		return hb__fail_with(
			HB_EXIT_USAGE, "process %lld of node %s: %s", (long long)p->pid, p->node, err.message);
	const char *program = hb_wire_text(answer, "text");
	char *beyond = program ? beyond_gdb(program) : NULL;
	int code = !beyond ? 0
			   : hb__fail_with(
				     HB_EXIT_USAGE, "process %lld of node %s %s", (long long)p->pid, p->node, beyond);
	free(beyond);
	cJSON_Delete(answer);
	return code;
}

int hb__distant_reach(
	const hb_event_process *processes, size_t n, char *(*beyond_gdb)(const char *program), hb_nodes *ret)
{
	int code = open_nodes(ret, processes, n);
	for (size_t i = 0; i < n && !code; i++)
		code = processes[i].here ? 0 : look_at(node_of(ret, &processes[i])->link, &processes[i], beyond_gdb);
	return code;
}
