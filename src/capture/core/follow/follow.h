/* Following a record: what the recorded run did at each call, and doing it again. */
#ifndef HBDB_CAPTURE_CORE_FOLLOW_H
#define HBDB_CAPTURE_CORE_FOLLOW_H

#include "capture/core/record/record.h"

#pragma GCC visibility push(hidden)

/* ---- script.c: the raw log that is followed ---- */

struct hb__script_slot {
	const struct hb__fn *fn; /* NULL: a function this library does not have */
	uint32_t function, site, nargs;
	uint32_t room; /* numbers that `arg` has room for */
	uint8_t flags;
	uint64_t definition; /* tells definitions of the same slot apart; 0: none */
	int64_t *arg;
};

struct hb__row {
	const struct hb__script_slot *slot;
	uint32_t slot_id;
	uint64_t polls;
	uint64_t skipped;     /* wildcard receives before it that are not stored */
	int64_t code;         /* error class */
	uint64_t enter, exit; /* ticks of the recorded run; 0: the record has none */
	bool has_check;
	uint16_t check;
	size_t n;
	int64_t *results; /* valid until the next row is read */
};

/* One lane of the record, read forward. */
struct hb__reader;

bool hb__script_open(const char *dir);                 /* false, said: nothing can be followed */
void hb__script_forget(void);                          /* of a process that was forked: it follows another one */
bool hb__script_stopped(void);                         /* the process went on when its recording did not */
bool hb__script_order(void);                           /* only choices are in the record */
bool hb__script_turns(void);                           /* it tells of turns */
bool hb__script_postings(void);                        /* ... and of which thread posts first */
struct hb__reader *hb__script_reader(uint64_t thread); /* NULL: the record knows no such thread */
int hb__script_number(uint64_t thread);                /* of its lane; -1: the record knows no such thread */
unsigned hb__script_lanes(void);                       /* numbers of lanes that the record has given away */
bool hb__script_next(struct hb__reader *reader, struct hb__row *ret_row);
/* A reader at the same place, to look ahead with. */
struct hb__reader *hb__script_fork(const struct hb__reader *reader);
void hb__script_close(struct hb__reader *reader);
/* Lane control number `index` of the record, NULL past the last. */
struct hb__reader *hb__script_lane(unsigned index, uint16_t *ret_lane);
uint64_t hb__script_reader_thread(const struct hb__reader *reader);
/* How often its thread called a function, by the count of the log. */
uint64_t hb__script_calls(const struct hb__reader *reader, const struct hb__fn *fn);
uint64_t hb__script_last_polls(const struct hb__reader *reader);
/* Receives not stored after the last row, once there was no further one. */
uint64_t hb__script_last_skipped(const struct hb__reader *reader);
/* The end of the record is where the process ended by itself, not where the recording broke off. */
bool hb__script_complete(const struct hb__reader *reader);
/* Its process was killed, or crashed, while the thread was in no call: it began no further one. False where that is not known. */
bool hb__script_killed_outside(const struct hb__reader *reader);
/* ... and the thread was in a call that had not returned when its process came to its end. */
bool hb__script_inside(const struct hb__reader *reader);
uint64_t hb__script_events(const struct hb__reader *reader); /* how many there are in all */
/* Names, for reports. */
const char *hb__script_function(uint32_t function);
bool hb__script_argument(uint32_t function, uint32_t arg, char *ret_name, size_t size, int *ret_kind);
bool hb__script_site(uint32_t site, char *ret_path, size_t size, uint64_t *ret_offset);
const char *hb__script_text(int64_t number, char *to, size_t size); /* of the program's events; NULL: none */
bool hb__script_named(bool op, int64_t number, char *ret_name, size_t size);

/* ---- outcome.c: how each posting of the record ended ---- */
enum hb__ended { HB__UNKNOWN, HB__DONE, HB__MESSAGE, HB__CANCELLED };
struct hb__outcome {
	uint8_t ended; /* enum hb__ended */
	bool checked;  /* a collective: */
	uint16_t check;
	int32_t source, tag;
};
void hb__outcomes_learn(void);     /* by hb__script_open, but alone */
bool hb__outcomes_cancelled(void); /* of any */
struct hb__outcome hb__outcome(const struct hb__lane *lane, uint64_t posting);
struct hb__outcome hb__outcome_in(uint16_t lane, uint64_t posting); /* by the number of the lane */

/* ---- follow.c ---- */
struct hb__follow {
	struct hb__reader *reader;
	struct hb__row row; /* the row the current call follows */
	bool have;          /* row was read and not used yet */
	uint64_t polls;     /* that said no before the row: all of them, and those not repeated yet */
	uint64_t polls_left, skipped_left;
	bool polls_told;        /* more of them than were recorded */
	bool ended;             /* no row is left */
	bool free;              /* ... because the recording had stopped: the process goes on as it likes */
	bool over;              /* ... and that was said: the call that was under way then runs, no other */
	uint64_t event;         /* rows used */
	uint64_t passed;        /* ... of them by which the library of MPI talked, before the next one that is used */
	bool aborting;          /* a call was let through whose error handler is to abort */
	uint64_t surplus_since; /* nanoseconds; 0: no surplus poll since the last row */
	struct {
		struct hb__reader *reader; /* NULL: not asked for yet */
		uint64_t event, exit;      /* rows read; when the last of them was over */
	} timed;                           /* for other threads: how far it had come at a time */
};
/* Sets c->followed and the lane's row, or reports and stops. */
void hb__follow(struct hb__call *c);
/* The same for a call that is the next row by what was compared before, and did not fail. False: nothing was done. */
bool hb__follow_same(struct hb__call *c);
/* The next row is one of this function. */
bool hb__follow_comes(struct hb__call *c);
/* The same of an event of the program itself, about this channel (NULL: none): no library decides anything in it, so one that comes
 * otherwise is passed over, and no difference. */
void hb__follow_user(struct hb__call *c, const char *channel);
enum hb__answer { HB__FREE, HB__NO, HB__YES, HB__REST };
/* A call by which processes talk. may_say_no: it does not wait. HB__NO: so it did then; HB__YES: the next row is this call's, and is used;
 * HB__REST: it had not returned when the process came to its end. */
enum hb__answer hb__follow_talk(struct hb__call *c, bool may_say_no);
/* Operations of threads: the next row, when it is one; it has come; the operation is another one than the next row (reports). */
const struct hb__row *hb__follow_thread(struct hb__follow *f);
void hb__follow_used(struct hb__follow *f);
void hb__follow_differs(struct hb__call *c, const char *why);
/* No poll that says no stands before the next row; that is this call's, whose slot is known. */
bool hb__follow_polled(struct hb__follow *f);
bool hb__follow_fits(struct hb__call *c);
/* A poll: what it is answered. HB__FREE: as the library says. First without its slot, for most say no: */
bool hb__follow_says_no(struct hb__call *c); /* the record has a poll here that says no */
/* ... then, when it has none, with it. */
enum hb__answer hb__follow_poll(struct hb__call *c);
/* Replay: attaches the lane to its record. */
void hb__follow_lane(struct hb__lane *lane);
/* Alone: an event of this lane is over. Who stands outside the process - hbdb gdbserver - reads how many there were, and may ask to be
 * told of one: hb_alone_clock. */
void hb__alone_over(const struct hb__lane *lane);
/* ... with its row, which is made only where a log is wanted. */
void hb__alone_end(struct hb__call *c, int error);
/* The record of this lane ends, and the process did not: it goes no further. One that is gone back over has its end here, in the call that
 * it made; another one, and another thread, waits for the tool to end it. */
void hb__stand_at_end(const struct hb__lane *lane) __attribute__((noreturn));
/* A signal comes into the call that this lane is in: what the other threads had done by then is done again before, as long as they go on. */
void hb__follow_await_others(const struct hb__lane *lane);
/* The process is at its end: says what the record has beyond it. Nothing unless there is a record that is followed. */
void hb__follow_finish(void);
static inline const struct hb__row *hb__expected(const struct hb__call *c) { return &c->lane->follow->row; }

/* ---- bridges.c: calls that make worlds and meet others, at their roots ---- */
struct hb__bridged {
	unsigned kind; /* enum hb_bridge_kind */
	int64_t comm;  /* number of the communicator that it makes */
	int to; /* spawned: the number by which the replay knows rank 0 of the world; met: the same number at both sides; -1: not known */
	int world; /* spawned: the number of that world */
};
/* The one that this call does again. */
struct hb__bridged hb__bridge_ahead(const struct hb__call *c, unsigned kind);
void hb__bridge_passed(unsigned kind); /* it is done, without an error */
/* Who connects waits until the one that accepted it is about to accept again: a port answers whoever comes first. */
void hb__turn_comes(const struct hb__bridged *bridged);
void hb__turn_wait(const struct hb__bridged *bridged);

/* ---- report.c: docs/CONTRACTS.md, "Replay reports" ---- */
/* hbdb replay ends the job: what a handler of its signal calls now is no part of the run. */
bool hb__job_ends(void);
/* The call differs from `expected` (NULL: the record has no further call). `why` is a clause. */
void hb__report_difference(struct hb__call *c, const struct hb__row *expected, const char *why);
/* The program polled `now` times before a call, or is about to, and not as often as recorded. */
void hb__report_polls(struct hb__call *c, const struct hb__row *expected, uint64_t recorded, uint64_t now);
/* The record has a call that the program did not make; NULL: a receive that is not stored. */
void hb__report_missing(struct hb__lane *lane, const struct hb__row *expected);
/* The call's contents differ; both texts are clauses, of which `reason` may be NULL. */
void hb__report_contents(struct hb__call *c, const char *what, const char *reason);
/* The program asks at pc for something from outside otherwise than it did; lane: of the thread, or NULL. `what` says it, without a line's
 * end. */
void hb__report_input(const struct hb__lane *lane, const void *pc, const char *what);
/* Something of which differences of contents may come: told when there are any. */
void hb__report_suspect(struct hb__lane *lane, uint64_t event, const void *pc, const char *name);
/* The recording has other arguments of this function than this version of hbdb compares: told once. */
void hb__report_not_compared(const struct hb__fn *fn);
void hb__report_end(struct hb__call *c);
/* Alone: what came by this call is not there. stopped: the errno for which contents were not kept from here on, or 0. Waits for the end,
 * but for a difference where the user wants to go on. */
void hb__report_without(struct hb__call *c, int stopped);
/* Under warn: a wildcard cannot get what the record says, for nobody sent it. */
void hb__report_not_sent(struct hb__call *c, int source, int tag);
void hb__report_done(void);
/* How many calls were compared by their contents, and how many were not, by what is in the way: docs/CONTRACTS.md, "looked". */
enum hb__looked {
	HB__COMPARED,
	HB__DIFFERENT,
	HB__HOLES,
	HB__PERSISTENT,
	HB__UNREADABLE,
	HB__UNRECORDED,
	HB__ONE_SIDED,
	HB__FILED,
	HB__OWN_SAME, /* events of the program itself: came as recorded, did not come, came and were not recorded */
	HB__OWN_MISSING,
	HB__OWN_NEW,
	HB__INPUTS_GIVEN, /* answered as recorded; came otherwise, each kind once */
	HB__INPUTS_OTHER,
	HB__LOOKED
};
void hb__looked(enum hb__looked what, uint64_t n);
void hb__looked_tell(void); /* the numbers, for hbdb replay */
/* Waits for the end of the job, keeping the library going so that others can proceed. */
void hb__wait_here(const struct hb__lane *lane, const char *why) __attribute__((noreturn)); /* why: HB_CONTROL_... */

#pragma GCC visibility pop

#endif
