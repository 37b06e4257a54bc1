/* Processes of other nodes under control: they dial in through the agents of their nodes, which run gdb there, too. */
#ifndef HBDB_TOOL_DISTANT_H
#define HBDB_TOOL_DISTANT_H

#include "../monitor/event.h"
#include "../nodes/nodes.h"
#include "../watch/lanes.h"
#include "session/session.h"

typedef struct hb_distant hb_distant;

/* Of nodes that are open, which have to outlive it. 0, or an exit code after having said why. */
int hb__distant_open(const hb_nodes *nodes, hb_distant **ret);
/* For the options of a session, which has to be closed before. */
const hb_session_nodes *hb__distant_nodes(const hb_distant *distant);
/* Says once of each node that is lost that it is so. How many that were. */
size_t hb__distant_say_lost(hb_distant *distant);
void hb__distant_close(hb_distant *distant);

/* ---- lanes.c: logs that stand on the nodes ---- */

/* Where the processes keep their logs from here on, the same on each node; NULL: in a folder that all see. What was known of others is forgotten. */
void hb__distant_logs(hb_distant *distant, const char *folder);
/* Of all functions, as its log says now. Free it, with the names. Nothing where that cannot be had. */
hb_called *hb__distant_calls(hb_distant *distant, const char *host, const char *log, size_t *ret_n);
/* The call that stands in a slot of a lane, as hb__call_of_log tells it. Free it. NULL: it cannot be had. */
char *hb__distant_inside(
	hb_distant *distant, const char *host, const char *log, uint32_t lane, uint64_t event, uint32_t slot);

/* reach.c: the nodes of processes that the manager knows, reached through the manager: hb__nodes_close in any case. beyond_gdb: why gdb is not to be attached to a process
 * that executes this program, to be freed; NULL: nothing speaks against it. 0, or an exit code after having said what is wrong with a node or process. */
int hb__distant_reach(
	const hb_event_process *processes, size_t n, char *(*beyond_gdb)(const char *program), hb_nodes *ret);

#endif
