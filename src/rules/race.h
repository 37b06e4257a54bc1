/* Races: which receives could have got another message than they got.
 *
 * A receive with MPI_ANY_SOURCE races when another message would have matched it: one on the same
 * communicator with a compatible tag, from another process, that was received by a
 * receive posted later (or by none) and was not sent because of this one. As messages of
 * one sender do not overtake, only the first such message of each sender can. Wildcard
 * probes likewise. Calls that choose among requests (Waitany, Waitsome, Testany, Testsome)
 * race when a request that was pending then could have been complete instead. Calls that say what is ready (poll and its kin) race when something
 * that they name only later could have been ready first; what one answer names together is no race of its own. How much a read of a
 * stream gets at a time is chance almost everywhere, and correct programs do not mind: these races are counted, and shown to who asks (HB_RACES_PARTS).
 *
 * Source of the condition: R. Netzer and B. Miller, "Optimal tracing and replay for debugging
 * message-passing parallel programs", 1992; of the rule of the first message per sender: S1.7. */
#ifndef HBDB_RULES_RACE_H
#define HBDB_RULES_RACE_H

#include "model/model.h"

typedef enum hb_race_kind {
	HB_RACE_RECEIVE, /* id: receive */
	HB_RACE_PROBE,   /* id: probe */
	HB_RACE_CHOICE, /* a Waitany or its kin completed one request where another could have been; id: the receive it completed */
	HB_RACE_READY, /* a poll or its kin named what was ready where something else could have been; id: the receive that got later what was */
	HB_RACE_PART, /* a read of a stream got less than it had room for, and could have got more, or less; id: its first receive */
	HB_RACE_KINDS
} hb_race_kind;
extern const char *const hb_race_words[HB_RACE_KINDS]; /* "receive", ... */
/* Those of calls that the model lists as hb_chosen. */
static inline bool hb_race_is_choice(hb_race_kind kind) { return kind == HB_RACE_CHOICE || kind == HB_RACE_READY; }

typedef struct hb_alternative {
	uint32_t
		send; /* the message it could have got (CHOICE: the message of the other request; READY: what is ready only later; PART:
			     what was sent next, which could have come, too) */
	uint32_t receive; /* the receive that got it in this run; HB_NO: none did */
	bool dependent;   /* only when another race turned out otherwise (with all only) */
	bool same_sender; /* CHOICE: of the sender of what it got, on the same communicator: MPI keeps the order of the two messages, and only
			     which request is complete first is open */
} hb_alternative;

typedef struct hb_race {
	hb_race_kind kind;
	uint32_t id, spec;
	hb_at post, done; /* where it was posted and completed; the same for blocking calls and probes */
	uint32_t got;     /* the message it got; HB_NO when that is not known; READY: when nothing was ready, too */
	bool dependent;   /* it differs only when an earlier race turned out otherwise (with all only) */
	bool uncertain;   /* rests on an ambiguous match or an incomplete log, or locks of windows may order more */
	bool same_sender; /* all alternatives are */
	bool several;     /* PART: it got what several calls sent, and could have got less */
	uint32_t nalternatives;
	const hb_alternative *
		alternative; /* in the order of senders, of CHOICE those of the same sender last; until the visit returns */
} hb_race;

typedef struct hb_race_sum {
	uint64_t wildcards;               /* receives and probes with MPI_ANY_SOURCE that got a message */
	uint64_t racing;                  /* of these */
	uint64_t dependent;               /* of these */
	uint64_t choices, racing_choices; /* READY, too */
	uint64_t parts, racing_parts;
	uint64_t alternatives;
} hb_race_sum;

typedef bool hb_race_visit(void *user, const hb_race *race); /* false: stop */

enum {
	HB_RACES_ALL = 1, /* every sender that could come, and receives that differ only as a consequence */
	HB_RACES_REPLAY =
		2, /* what a replay must force: a receive posted earlier that is itself forced takes nothing away */
	HB_RACES_PARTS = 8, /* visit is told of races of kind PART, too; they are counted in any case */
	HB_RACES_FEW =
		4, /* of a receive or probe only the first HB_RACE_FEW alternatives are looked for, not all: faster */
};
#define HB_RACE_FEW 8

/* Calls visit for every race, process by process, in the order of posting. visit may be NULL: only the sum.
 * Runs the clocks when that has not been done yet. */
hb_status hb_races(hb_model *model, unsigned flags, hb_race_visit *visit, void *user, hb_race_sum *ret_sum,
	hb_progress *progress, void *progress_user, hb_error *err);

/* The same of a model that several processes have as a whole, each with its share: visits the nth of so many equal shares of receives and
 * probes. All shares, one after the other, are those of hb_races; only choices and parts stand behind them all, with the last share. */
hb_status hb_races_share(hb_model *model, unsigned flags, uint32_t nth, uint32_t shares, hb_race_visit *visit,
	void *user, hb_race_sum *ret_sum, hb_error *err);

#endif
