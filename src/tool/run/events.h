/* Events of a run by their names and places: what the model does not keep. */
#ifndef HBDB_RUN_EVENTS_H
#define HBDB_RUN_EVENTS_H

#include <sys/types.h>

#include "../show/source.h"
#include "run.h"

/* Reads RANK:EVENT, RANK.LANE:EVENT; a process that was spawned: RANK@PID:EVENT. Returns 0, or the exit code after
 * having said what is wrong with it. */
int hb__read_event(const hb_run *run, const char *text, hb_at *ret);
/* The same without a word: *ret_why says what is wrong with it; free it. */
int hb__find_event(const hb_run *run, const char *text, hb_at *ret, char **ret_why);
/* Only whether it is written like one: 0, or the exit code. */
int hb__check_event(const char *text);
/* The name of an event, as hb__read_event takes it. */
#define HB_EVENT_NAME 48
const char *hb__event_name(const hb_run *run, hb_at at, char buffer[HB_EVENT_NAME]);
/* The name of a line: RANK, RANK.LANE or RANK@PID. */
const char *hb__line_name(const hb_run *run, uint32_t line, char buffer[HB_EVENT_NAME]);

/* "tag 7, " or "key 7, " of a channel; empty where messages have none. */
#define HB_TAG_WORDS 32
const char *hb__tag_words(const hb_model *model, uint32_t channel, char buffer[HB_TAG_WORDS]);

/* The lines of `hbdb dump` for n events, in their order, without line feeds; with json, the objects of `hbdb dump --json`.
 * Every line of the model that has some of the events is read once. Free with hb__free_texts. */
char **hb__event_texts(hb_run *run, const hb_at *at, size_t n, bool json);
void hb__free_texts(char **texts, size_t n);

/* What was put out since `from`, without the line feed at its end. It may have been flushed in between: out->fd is a file. Free it. */
char *hb__taken(hb_output *out, off_t from);
/* The same of an event that was read, of the log of the view. out->fd: a file, of which nothing but this is asked. Free it. */
char *hb__event_text(hb_output *out, hb_view *view, const hb_event *event, bool json);
/* The call that a line never returned from; the reader stands behind all others. row: room for what *ret_event points to. */
bool hb__event_inside(hb_events *events, const hb_line *line, hb_row *row, hb_event *ret_event);

/* ---- what a row says, of any event: read in pieces, and kept ---- */

typedef struct hb_fact {
	uint64_t enter, exit; /* ticks */
	uint32_t function, site;
	bool returned;
} hb_fact;

typedef struct hb_facts hb_facts;
/* The model must stay open. */
hb_facts *hb__facts_open(const hb_model *model);
/* False: there is no such event, or its log is not readable there. */
bool hb__fact(hb_facts *facts, hb_at at, hb_fact *ret);
void hb__facts_close(hb_facts *facts);

/* The place of a call site of a process; NULL: not known. */
const hb_place *hb__process_place(hb_run *run, uint32_t process, uint32_t site);

#endif
