/* Distilling a log: of its choices only those are kept that a replay needs.
 *
 * A replay asks every kept wildcard receive for what it got, when it is posted, and leaves the others as the
 * program asks. That is enough when a receive is kept that could have got a message that a receive posted later (or none) got,
 * and that was not sent because of this one. For take the first receive, in time, that gets another message m in
 * the replay than in the recorded run. All receives before it got the same, so m was sent in the recorded run, too, and not because
 * of this receive. The receive that got m then was posted later, or there was none: if it had been posted earlier
 * it would have taken m now, unless it got another message before, and then it would be the first. So this receive was
 * kept, and asked for its own message alone. Of one sender's messages none overtakes another, so that it gets the same one.
 * (A wildcard tag with a source given can therefore never differ.) Asking for less cannot make another receive
 * differ: a message that is now refused here went elsewhere in the recorded run as well.
 *
 * Answers of polls, of probes, of calls that choose among requests, cancellations and times are kept always; waits of a
 * process that cancels anything, and all that a process received of which a receive, probe or wait failed. */
#ifndef HBDB_MODEL_DISTIL_H
#define HBDB_MODEL_DISTIL_H

#include <stdbool.h>
#include <stdint.h>

#include <hbdb/format.h>

/* Events of one log: those whose receives raced. */
typedef struct hb_racers hb_racers;
hb_racers *hb_racers_create(const hb_log *log);                      /* NULL: out of memory */
void hb_racers_add(hb_racers *raced, uint32_t lane, uint64_t event); /* an event that is not there is left out */
void hb_racers_add_marks(hb_racers *raced, const hb_log *log);
void hb_racers_free(hb_racers *raced);

/* Calls that answered wildcard receives. */
typedef struct hb_distilled {
	uint64_t kept, skipped;
	/* Why, when something could have been left out (hb_distil with `raced`): */
	uint64_t raced;  /* ... they raced */
	uint64_t bound;  /* ... they answered something else, too, that has to be told */
	uint64_t failed; /* ... a receive, probe or wait of the process failed */
} hb_distilled;

/* Writes a raw log at level racing: of any log the choices; of its calls that answered wildcard receives and nothing else
 * only those in `raced`, or all when it is NULL. HB_E_DAMAGED: an event contradicts the format. */
hb_status hb_distil(hb_log *log, const char *to, const hb_racers *raced, hb_distilled *ret_kept, hb_error *err);

/* What a log at level order or racing has of them. */
hb_status hb_distilled_count(hb_log *log, hb_distilled *ret_kept, hb_error *err);

#endif
