/* The history of a recorded run, as a model wants to see it (docs/models.md): the events that its declarations name, in an order that
 * keeps happened-before.
 *
 * What is sent and received, by MPI or over channels of the program, comes from the model of the run: sent where the call that
 * sends was entered, received where the call that completed the receive was left. Events and spans of the program stand where they
 * were told; calls at their enter and exit. So events here are points, as in model/model.h.
 *
 * Memory: about 10 bytes for each half of an event that is named, beside the model of the run. The logs are read once, and only where a
 * declaration asks for what the model does not keep. */
#ifndef HBDB_RULES_PATTERN_HISTORY_H
#define HBDB_RULES_PATTERN_HISTORY_H

#include <hbdb/data.h>

#include "model/model.h"
#include "rules/pattern/pattern.h"

typedef struct hb_history hb_history;

/* What came into a process (level data); NULL: nothing is kept of it. Owned by the caller. */
typedef hb_data *hb_history_contents(void *user, uint32_t process);

typedef struct hb_history_sum {
	uint64_t halves;                   /* that were fed */
	uint64_t events, named;            /* of the recording; named: some declaration is about them */
	uint64_t messages, named_messages; /* of MPI and of channels */
	uint64_t
		unread; /* messages that nobody received, so that their contents are not known, and they are not looked at */
	uint64_t strangers; /* receives whose message is in no log: likewise */
	uint64_t uncertain; /* named messages that may have been received otherwise */
} hb_history_sum;

/* Evaluates the declarations on all events. HB_E_ARGUMENT: a declaration asks for what an event does not have. The model, the pattern
 * and the contents must stay open as long. hb_history_close. */
hb_status hb_history_open(hb_model *model, hb_pattern *pattern, hb_history_contents *contents, void *user,
	hb_history **ret_history, hb_error *err);
void hb_history_close(hb_history *history);
/* An event of the history. A key holds until the visit returns. */
typedef bool hb_history_visit(void *user, const hb_pattern_event *event); /* false: stop */
/* Visits all, in an order that keeps happened-before; always in the same one. */
hb_status hb_history_run(hb_history *history, hb_history_visit *visit, void *user, hb_progress *progress,
	void *progress_user, hb_error *err);
/* Feeds them to a check that was begun with hb_history_before and this history. */
hb_status hb_history_feed(
	hb_history *history, hb_pattern_check *check, hb_progress *progress, void *user, hb_error *err);
/* Of type hb_pattern_before; user: the history. Quick while the later one is the event at hand. */
bool hb_history_before(void *history, uint64_t a, uint64_t b);
const hb_history_sum *hb_history_get_sum(const hb_history *history);

/* Looks up events, by ids in ascending order; visits all that stand at such a point. */
void hb_history_find(hb_history *history, const uint64_t *id, size_t n, hb_history_visit *visit, void *user);

/* The point that an id of an event stands for. */
hb_at hb_history_at(uint64_t id, bool *ret_exit);

#endif
