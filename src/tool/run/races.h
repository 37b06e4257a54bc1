/* Races by the source line of the receive. */
#ifndef HBDB_RUN_RACES_H
#define HBDB_RUN_RACES_H

#include <stdio.h>

#include "../options.h"
#include "events.h"
#include "rules/race.h"

/* A race that is shown, with the first of its alternatives. */
struct hb_kept {
	hb_race race;
	uint32_t nalternatives;
	hb_alternative *alternative;
	char *text, *name; /* one that another process has put into words (parallel/), and its event; else NULL */
};

/* The races at one place in one function. */
struct hb_raced {
	char *place, *function;
	uint64_t calls; /* wildcard receives, probes or choices made there that got a message */
	uint64_t races, dependent, uncertain, same_sender;
	struct hb_kept *kept; /* those of the same sender apart, in the second */
	size_t nkept;
	struct hb_kept *late;
	size_t nlate;
};

struct hb_races {
	hb_run run;
	unsigned flags; /* of hb_races */
	bool whole;
	uint64_t limit;           /* races kept for each place; 0: all */
	const char *line, *ranks; /* filters, or NULL */
	const char *name;         /* of the recording, as it was given; NULL: the last one */
	bool line_found;          /* a call that may race is at that line ... */
	const char **places;      /* ... and these are elsewhere */
	uint8_t *phase;           /* where each of those was met: at a receive, a probe, a choice */
	size_t nplaces;
	uint8_t now;
	hb_output *out; /* JSON, or NULL */
	uint64_t found;
	struct hb_raced *groups;
	size_t ngroups;
	uint32_t *group_of_spec; /* HB_NO: none yet; HB_NO - 1: not asked for */
	void *by_site;           /* tree: the groups of choices */
	hb_facts *facts;
};

/* What was asked for; path and run are still to be filled in. */
struct hb_races hb__races_asked(const hb_args *args);
/* Counts the calls at each place. */
void hb__begin_races(struct hb_races *races);
void hb__end_races(struct hb_races *races);
/* Of the type hb_race_visit. */
bool hb__keep_race(void *races, const hb_race *race);

/* Looks for the races of a run that is open, of one process, and prints them. code: of opening it. Returns that of all. */
int hb__races_answer(struct hb_races *races, const hb_args *args, int code);

/* What the receive got, and what it could have got: a line each. */
void hb__put_race(FILE *to, struct hb_races *races, const struct hb_kept *kept);

/* All of it, on stdout. */
void hb__put_races(struct hb_races *races, const hb_race_sum *sum);
/* No call that can race stands at --line: says so, and where there are some. Returns the exit code. */
int hb__no_such_line(const struct hb_races *races);
/* The races at a place in a function: a new one, when there are none yet. */
struct hb_raced *hb__raced_at(struct hb_races *races, const char *place, const char *function);

const hb_place *hb__send_place(struct hb_races *races, uint32_t send);

#endif
