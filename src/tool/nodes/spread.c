/* A job that runs on several nodes. */
#include "spread.h"

#include <stdlib.h>
#include <string.h>

#include "slurm.h"

int hb__spread_open(const char *local, const hb_command_line *line, char **argv, hb_spread *ret)
{
	hb_hosts hosts;
	*ret = (hb_spread){0};
	if (local && !strcmp(local, "off"))
		return 0;
	int code = hb__find_hosts(line, argv, &hosts);
	if (!code && hosts.to_come) {
		code = hb__slurm_allocate(line, argv, &hosts);
		ret->given = hosts.slurm ? hb__copy(hosts.slurm) : NULL;
		if (ret->given) /* for the agents, and for the job itself */
			setenv("SLURM_JOB_ID", ret->given, 1);
	}
	if (!code)
		code = hb__nodes_open(&hosts, &ret->nodes);
	hb__run_hosts_free(&hosts);
	if (code)
		hb__spread_end(ret);
	return code;
}

int hb__spread_begin(const char *local, const hb_command_line *line, char **argv, hb_manifest *m, hb_spread *ret)
{
	int code = hb__spread_open(local, line, argv, ret);
	if (!code && ret->nodes.n)
		code = hb__nodes_make(&ret->nodes, local ? local : HB_NODE_FOLDER, m->id);
	if (code) {
		hb__spread_end(ret);
		return code;
	}
	if (ret->nodes.n)
		hb__nodes_describe(&ret->nodes, true, m);
	return 0;
}

bool hb__spread_fetch(hb_spread *spread, const char *recording, bool seal, hb_manifest *m)
{
	if (!spread->nodes.n)
		return true;
	hb__nodes_fetch(&spread->nodes, spread->nodes.folder, recording, seal);
	hb__nodes_describe(&spread->nodes, false, m);
	return !hb__nodes_say_lost(&spread->nodes, recording);
}

void hb__spread_end(hb_spread *spread)
{
	hb__nodes_close(&spread->nodes);
	if (spread->given) {
		hb__slurm_release(spread->given);
		unsetenv("SLURM_JOB_ID");
	}
	free(spread->given);
	*spread = (hb_spread){0};
}
