/* What nodes of a recording still have, fetched later. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../clocks/align.h"
#include "../lasting/lasting.h"
#include "../making/keep.h"
#include "../nodes/nodes.h"
#include "../recorded/trust.h"
#include "../store/find.h"
#include "stop.h"

int hb__complete_apart(const char *recording, hb_manifest *m, hb_nodes *nodes)
{
	hb_sum sum;
	size_t lost = 0;
	hb__nodes_fetch(nodes, nodes->folder, recording, strcmp(m->level, "racing") != 0);
	for (size_t i = 0, k = 0; i < m->nnodes; i++)
		if (m->node[i].missing && !m->node[i].unkept)
			m->node[i].missing = nodes->at[k++].lost != NULL;
	lost = hb__nodes_say_lost(nodes, recording);
	hb__finish_logs(recording, true, &sum);
	m->processes = sum.processes;
	m->finished = true;
	m->open = false;
	hb__write_manifest(m, recording);
	hb__clocks_align(recording);
	hb__print_sum(recording, &sum);
	hb__sum_free(&sum);
	return lost ? HB_EXIT_RECORDING : 0;
}

static bool has_missing(const hb_manifest *m)
{
	bool has = false;
	for (size_t i = 0; i < m->nnodes; i++)
		has |= m->node[i].missing && !m->node[i].unkept;
	return has;
}

static bool lacks_for_ever(const hb_manifest *m)
{
	bool lacks = false;
	for (size_t i = 0; i < m->nnodes; i++)
		lacks |= m->node[i].unkept;
	return lacks;
}

int hb__fetch_missing(const char *name, bool elsewhere)
{
	char *recording;
	hb_manifest m = {0};
	hb_nodes nodes = {0};
	int code = hb__find_recording(name, &recording);
	if (!code && hb__manifest_read(recording, &m))
		code = HB_EXIT_RECORDING;
	bool busy = false;
	int held = code ? -1 : hb__hold_folder(recording, &busy);
	if (!code && busy)
		code = hb__fail_with(HB_EXIT_USAGE,
			"%s is being made: what its nodes have is fetched when the command ends", hb__short(recording));
	if (!code && has_missing(&m))
		code = hb__trust_nodes(recording, &m, elsewhere);
	if (!code)
		hb__nodes_reopen(&m, &nodes);
	if (!code && !nodes.n)
		code = hb__fail_with(HB_EXIT_USAGE,
			lacks_for_ever(&m)
				? "%s was kept while its run went on, and what nodes did not keep then is not there to be fetched"
				: "%s has what all its nodes recorded: there is nothing to fetch",
			hb__short(recording));
	if (!code)
		code = hb__complete_apart(recording, &m, &nodes);
	hb__nodes_close(&nodes);
	if (held >= 0)
		close(held);
	hb__manifest_free(&m);
	free(recording);
	return code;
}
