/* What `hbdb diff` says of two recordings: text and JSON. */
#ifndef HBDB_TOOL_COMPARE_H
#define HBDB_TOOL_COMPARE_H

#include <stdio.h>

#include "../run/events.h"
#include "rules/compare/compare.h"

/* A recording that is compared. */
struct hb_compared_side {
	const char *name; /* as the user gave it */
	hb_run run;
	hb_data **data; /* by process of the model */
	hb_contents **contents;
	bool *kept;
	hb_facts *facts;
	bool whole, level_data; /* as its manifest says */
	uint32_t died_first;    /* process of the model; HB_NO: none, or not known */
};

struct hb_comparison {
	struct hb_compared_side side[2];
	hb_tolerance tolerance;
	hb_difference *at;
	size_t n;
	hb_compared sum;
	bool all;    /* the consequences, too */
	bool forced; /* the second run is one in the order of the first */
};

/* Opens a recording with its contents; 0, 3 when something of it is missing (and side->run.model is set where it can be compared all the
 * same), or another exit code, after having said why. */
int hb__open_compared(const char *name, const char *path, struct hb_compared_side *ret);
void hb__close_compared(struct hb_compared_side *side);

/* A sentence for a difference, without a line feed. Free it. */
char *hb__difference_sentence(const struct hb_comparison *c, const hb_difference *d);
/* What to do about it, or what it means; NULL: nothing is to be said. Free it. */
char *hb__difference_advice(const struct hb_comparison *c, const hb_difference *d);
/* The function of an event; "" where there is none. */
const char *hb__compared_function(const struct hb_compared_side *s, hb_at at);
/* Its place; NULL: not known. */
const hb_place *hb__compared_place(struct hb_compared_side *s, hb_at at);
extern const char *const hb__difference_words[HB_DIFFERENCES];

/* Whether nothing differs, as far as was looked. */
bool hb__is_same(const struct hb_comparison *c);
void hb__compared_text(struct hb_comparison *c, FILE *to, bool colour);
void hb__compared_json(struct hb_comparison *c, hb_output *out);

#endif
