/* The run done again with synchronous sends: its state, shared by potential.c and stuck.c. */
#ifndef HBDB_RULES_DEADLOCK_BUFFERING_REPLAY_H
#define HBDB_RULES_DEADLOCK_BUFFERING_REPLAY_H

#include "rules/deadlock/wait.h"

struct hb__replayed_line {
	const hb_op *ops, *sents;
	uint64_t op, nops, sent, nsents; /* the next ones */
	uint32_t event;                  /* at hand */
	uint32_t chain;                  /* of those that wait for the same: 1 + the next */
	bool entered, waits, over;
};

struct hb__replay {
	hb_model *m;
	uint32_t nlines;
	struct hb__replayed_line *line;
	uint32_t *queue;
	uint64_t begin, end;
	bool *begun, *buffered, *posted, *passed; /* sends, sends let through, receives, collectives let through */
	uint32_t *entered;
	uint32_t *for_send, *for_receive, *for_collective; /* 1 + the first line that waits for it */
};

/* The line waits at the operation for something that the line of the next step has not done yet. */
struct hb__replay_step {
	uint32_t line;
	const hb_op *op;
};

/* An operation that keeps a line from going on, from the *k-th of its event on; NULL: no more. */
const hb_op *hb__replay_obstacle(struct hb__replay *r, uint32_t line, uint64_t *k);

/* ---- stuck.c ---- */
/* A short cycle of lines that wait; *ret_n 0: there is none. ret_steps has room for all lines. */
hb_status hb__replay_cycle(struct hb__replay *r, struct hb__replay_step *ret_steps, uint32_t *ret_n);
hb_status hb__replay_report(
	struct hb__replay *r, hb_case *c, const struct hb__replay_step *step, uint32_t n, hb_error *err);

#endif
