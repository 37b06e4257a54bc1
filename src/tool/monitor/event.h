/* From an event of the complex to where the debugger begins. */
#ifndef HBDB_MONITOR_EVENT_H
#define HBDB_MONITOR_EVENT_H

#include "../tool.h"

typedef struct hb_event_goal {
	char *node;      /* where all below is: a node of the manager's; NULL: this machine */
	char *attach;    /* the pid of a process that lives; NULL: none */
	char *recording; /* else: this one, ... */
	char *process;   /* ... at the last event of this process; NULL: from its beginning */
} hb_event_goal;

/* number: of the event; database: of the manager, NULL: where it is. Says what the event was. 0, or an exit code after having said why. */
int hb__event_goal(const char *number, const char *database, hb_event_goal *ret);
void hb__event_goal_free(hb_event_goal *goal);

#endif
