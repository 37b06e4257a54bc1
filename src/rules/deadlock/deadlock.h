/* Whether processes wait for what never comes: for who watches a job while it runs. */
#ifndef HBDB_RULES_DEADLOCK_DEADLOCK_H
#define HBDB_RULES_DEADLOCK_DEADLOCK_H

#include "model/model.h"

typedef enum hb_stuck {
	HB_STUCK_NOT,     /* some process computes or can go on, and could release all that wait */
	HB_STUCK_SOME,    /* proven: calls that never return; other processes can still go on */
	HB_STUCK_ALL,     /* proven, and no process can go on */
	HB_STUCK_UNKNOWN, /* every process is in a call or over, and what these wait for is not known */
} hb_stuck;

/* Looks at the calls that the processes of a model are inside of, from logs of a job that runs or ran. Such logs are not
 * of one moment: the answer holds when a second look, later, finds every lane at the same event and inside the same call.
 * Work: the requests and calls under way, and one look at each send and receive. */
hb_status hb_deadlocked(hb_model *model, hb_stuck *ret_stuck, hb_error *err);

#endif
