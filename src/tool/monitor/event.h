/* From an event of the complex to where the debugger begins. */
#ifndef HBDB_MONITOR_EVENT_H
#define HBDB_MONITOR_EVENT_H

#include "../options.h"

/* A process that lives, as the manager knows it. */
typedef struct hb_event_process {
	int64_t pid, began;
	char *boot, *node, *host;
	bool here; /* on this machine */
} hb_event_process;

typedef struct hb_event_goal {
	char *attach; /* the pid of a process on this machine that lives; NULL: none */
	hb_event_process *
		processes; /* else: these, of which some are on other nodes, by rank where there are several; NULL: none */
	size_t n;
	char *recording; /* else: this one, ... */
	char *node;      /* ... on this node of the manager's; NULL: this machine ... */
	char *process;   /* ... at the last event of this process; NULL: from its beginning */
} hb_event_goal;

/* number: of the event; database: of the manager, NULL: where it is. Says what the event was. 0, or an exit code after having said why. */
int hb__event_goal(const char *number, const char *database, hb_event_goal *ret);
void hb__event_goal_free(hb_event_goal *goal);
/* elsewhere.c: debugs the recording of goal->node there, with the options of hbdb debug. The exit code of the debugger there, or one after having said why it cannot be. */
int hb__event_elsewhere(const hb_args *args, const hb_event_goal *goal);

#endif
