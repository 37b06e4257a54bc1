/* What the files of this folder share. */
#ifndef HBDB_RULES_COMPARE_INTERNAL_H
#define HBDB_RULES_COMPARE_INTERNAL_H

#include "compare.h"

/* The first difference of a line. */
struct hb__candidate {
	bool there;
	hb_difference d;
};

/* What receivers say of the sends of a line: the first whose contents differ where they arrived. */
struct hb__blamed {
	uint32_t event; /* 0: none */
	bool told;      /* the sender's own line says whether it differs: by 64 bits */
	bool valued;
	hb_values_differ values;
	uint32_t event_b;
};

/* A line of the second run that is paired with one of the first. */
struct hb__pair {
	uint32_t a, b;     /* lines */
	uint64_t doubtful; /* contents given that were not compared by 64 bits */
};

struct hb__comparison {
	const hb_compare_run *run[2];
	const hb_tolerance *tolerance;
	hb_compared *sum;
	struct hb__candidate *candidate; /* by line of a */
	struct hb__blamed *blamed;
	struct hb__pair *pair; /* by line of a; b HB_NO: none */
	hb_progress *progress;
	void *progress_user;
	uint64_t done;
	hb_error *err;
};

/* ---- walk.c: one line of each run, in step ---- */

struct hb__side {
	const hb_compare_run *run;
	uint32_t line, process;
	hb_log *log;
	hb_contents *contents; /* NULL: none */
	bool kept;
	hb_events *events;
	hb_event ev;
	bool there, inside; /* ev is set; it never returned */
	hb_digests *digests;
	hb_digested next; /* digests read ahead */
	bool held;
	uint64_t passed, clocks;
};

struct hb__walk {
	struct hb__comparison *c;
	struct hb__pair *pair;
	struct hb__side side[2];
	const hb_op *op[2]; /* of both lines */
	uint64_t nop[2], at_op[2];
	bool other_message; /* in the pair at hand: what it got is not of the same message */
	bool given_differs; /* in the pair at hand, by an amount that nobody knows: with a tolerance */
};

hb_status hb__walk_line(struct hb__comparison *c, struct hb__pair *pair);
/* Notes the first difference of the line. kind, and what belongs to it, is set in *d. */
void hb__differ(struct hb__walk *w, hb_difference d, bool at_exit);

/* ---- call.c: function, arguments, answers. False: they differ, and the line ends here ---- */
bool hb__same_call(struct hb__walk *w);
bool hb__same_answers(struct hb__walk *w);

/* ---- contents.c ---- */
hb_status hb__diff_given(struct hb__walk *w);
hb_status hb__diff_got(struct hb__walk *w);
/* Calls that are no events, up to those behind event limit[i]. False: they differ. */
bool hb__same_accesses(struct hb__walk *w, const uint64_t limit[2], hb_status *status);

/* ---- sides.c: whether a call gives and gets something here, by what it is ---- */
void hb__sides_of(const struct hb__side *s, bool *ret_gives, bool *ret_gets);

/* ---- unseen.c: calls of windows and files of a process, whose contents nothing compares where there are no digests ---- */
uint64_t hb__unseen(const hb_log *log);
/* And its windows whose memory is shared, which nothing compares. */
uint64_t hb__shared_windows(const hb_log *log);

/* ---- values.c ---- */
/* Compares two contents value by value. ret->differing 0: they are the same. */
hb_status hb__diff_values(const struct hb__side side[2], const hb_content *a, const hb_content *b,
	const hb_tolerance *tolerance, hb_values_differ *ret, hb_error *err);
void hb__values_join(hb_values_differ *sum, const hb_values_differ *one);

/* ---- first.c: which candidates are causally first ---- */
hb_status hb__find_first(struct hb__comparison *c, hb_difference_visit *visit, void *user);

#endif
