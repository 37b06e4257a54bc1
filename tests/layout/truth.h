/* Where everything stands, found the slow and plain way: every question looks at everything. */
#ifndef TESTS_LAYOUT_TRUTH_H
#define TESTS_LAYOUT_TRUTH_H

#include "view/layout/layout.h"

struct fact {
	double enter[2], exit[2], until[2]; /* by axis; until: the last enter of another that its exit needed */
	const char *function;
	uint8_t kind;
	bool failed, inside, races;
	size_t first_op;
};

struct alternative {
	hb_at done;
	uint32_t send;
};

struct truth {
	hb_model *model;
	const hb_model_info *info;
	struct fact **fact; /* by line, by event from 0 */
	struct alternative *alternative;
	size_t alternatives, room;
};

bool truth_open(struct truth *t, hb_model *model, const int64_t *shift_ns);
void truth_close(struct truth *t);
static inline struct fact *fact_of(const struct truth *t, hb_at at) { return &t->fact[at.line][at.event - 1]; }

/* The names are those of the layout. */
bool truth_event_wanted(
	const struct truth *t, hb_at at, const hb_layout_filter *f, const char *const *names, uint32_t n);
/* *ret_from, *ret_to: its ends; to.event 0: nobody received it. False: it was cancelled. */
bool truth_message(const struct truth *t, uint32_t send, hb_at *ret_from, hb_at *ret_to);
bool truth_message_wanted(
	const struct truth *t, uint32_t send, const hb_layout_filter *f, const char *const *names, uint32_t n);

#endif
