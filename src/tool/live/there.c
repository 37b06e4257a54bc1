/* Processes on nodes of the manager's: an agent on each, at the other end of a command that the manager runs there, and gdb through that. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"
#include "processors/runner.h"

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

static hb_node *node_of(hb_live *l, const hb_event_process *p)
{
	for (size_t i = 0; i < l->spread.nodes.n; i++)
		if (!strcmp(l->spread.nodes.at[i].name, p->node))
			return &l->spread.nodes.at[i];
	return NULL;
}

static int open_nodes(hb_live *l, const hb_event_process *processes, size_t n)
{
	hb_nodes *nodes = &l->spread.nodes;
	hb_error err = {0};
	nodes->at = hb__alloc(n * sizeof *nodes->at);
	for (size_t i = 0; i < n; i++) {
		const hb_event_process *p = &processes[i];
		if (p->here || node_of(l, p))
			continue;
		hb_link *link = reach(p, &err);
		if (!link)
			return hb__fail_with(HB_EXIT_USAGE,
				"node %s is not reached through the manager (%s): there, hbdb debug --attach %lld attaches",
				p->node, err.message, (long long)p->pid);
		nodes->at[nodes->n++] =
			(hb_node){.name = hb__copy(p->node), .host = hb__copy(p->host), .link = link};
	}
	return 0;
}

/* It is the one that the manager means, not another one that got its number, and gdb can make something of it. */
static int look_at(hb_link *link, const hb_event_process *p)
{
	cJSON *ask = cJSON_CreateObject(), *answer = NULL;
	hb_error err = {0};
	cJSON_AddNumberToObject(ask, "pid", (double)p->pid);
	cJSON_AddNumberToObject(ask, "began", (double)p->began);
	cJSON_AddStringToObject(ask, "boot", p->boot);
	cJSON_AddNumberToObject(ask, "signal", 0);
	if (hb_link_ask(link, "rouse", ask, ANSWER_S, NULL, &err))
		return hb__fail_with(HB_EXIT_USAGE, "process %lld of node %s: %s", (long long)p->pid, p->node, err.message);
	ask = cJSON_CreateObject();
	cJSON_AddNumberToObject(ask, "pid", (double)p->pid);
	cJSON_AddStringToObject(ask, "file", "exe");
	if (hb_link_ask(link, "look", ask, ANSWER_S, &answer, &err))
		return hb__fail_with(HB_EXIT_USAGE, "process %lld of node %s: %s", (long long)p->pid, p->node, err.message);
	const char *program = hb_wire_text(answer, "text");
	char *beyond = program ? hb__beyond_gdb_of(program) : NULL;
	int code = !beyond ? 0
			   : hb__fail_with(HB_EXIT_USAGE, "process %lld of node %s %s", (long long)p->pid, p->node, beyond);
	free(beyond);
	cJSON_Delete(answer);
	return code;
}

int hb__live_attach_there(hb_live *l, const hb_event_process *processes, size_t n)
{
	int32_t *pids = hb__alloc(n * sizeof *pids);
	const char **hosts = hb__alloc(n * sizeof *hosts);
	hb_error err = {0};
	int code = open_nodes(l, processes, n);
	for (size_t i = 0; i < n; i++) {
		pids[i] = (int32_t)processes[i].pid;
		hosts[i] = processes[i].host;
		if (!code && !processes[i].here)
			code = look_at(node_of(l, &processes[i])->link, &processes[i]);
	}
	code = code ? code : hb__distant_open(&l->spread.nodes, &l->distant);
	const hb_session_options o = {
		.size = (int32_t)n, .nodes = code ? NULL : hb__distant_nodes(l->distant), .beyond = hb__beyond_gdb};
	if (!code && hb_session_open(&o, &l->session, &err))
		code = hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	else if (!code)
		hb_session_adopt(l->session, pids, hosts);
	l->attached = !code;
	free(pids);
	free(hosts);
	return code;
}
