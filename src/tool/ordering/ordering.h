/* How two events of a recording are ordered, and the chain that proves it: what `hbdb order` says. */
#ifndef HBDB_ORDERING_ORDERING_H
#define HBDB_ORDERING_ORDERING_H

#include "../options.h"
#include "../run/events.h"

struct hb_ordering {
	hb_run run;
	const char *name; /* as the user gave it, NULL: not */
	hb_at a, b;
	hb_relation relation;
	bool strict, whole;
	hb_link *chain;
	hb_link_fact *fact; /* of each link */
	size_t n;
	uint32_t a_knows, b_knows; /* events of the other's line in the PAST */
	char a_name[HB_EVENT_NAME], b_name[HB_EVENT_NAME], a_line[HB_EVENT_NAME], b_line[HB_EVENT_NAME];
};

/* Whether the operands are two events and perhaps a recording: 0, or the exit code after having said why not. */
int hb__ordering_operands(const hb_args *args);
/* Answers for the events that the operands name; run, name and whole are filled in. Of a divided model: asked by all of its members. 0, or
 * the exit code after having said why. */
int hb__ordering_ask(struct hb_ordering *o, const hb_args *args);
/* On stdout. */
void hb__ordering_print(struct hb_ordering *o, const hb_args *args);
/* Closes the run, too. */
void hb__ordering_close(struct hb_ordering *o);

/* ---- text.c ---- */
void hb__ordering_text(struct hb_ordering *o, bool all);
const char *hb__ordering_collective(const struct hb_ordering *o, const hb_link_fact *fact);
/* The events at the ends of n links: the first one's from, then each one's to. Free it. */
hb_at *hb__ordering_events(const struct hb_ordering *o, size_t first, size_t n);

/* ---- json.c ---- */
void hb__ordering_json(struct hb_ordering *o);

#endif
