/* What is searched for: words that an event must all fulfil. */
#ifndef HBDB_VIEW_ANSWER_SEARCH_QUERY_H
#define HBDB_VIEW_ANSWER_SEARCH_QUERY_H

#include "view/server.h"

#define HB_WORDS_MOST 16

enum hb_word_kind {
	HB_WORD_FUNCTION,
	HB_WORD_TAG,
	HB_WORD_COMM,
	HB_WORD_PEER,
	HB_WORD_LINE,
	HB_WORD_RANK,
	HB_WORD_RACING
};

struct hb_word {
	enum hb_word_kind kind;
	const char *text; /* behind the colon */
	int64_t number;   /* TAG, PEER, RANK ... */
	bool named;       /* ... which is the name of a process, in the text */
};

struct hb_query {
	hb_view_server *server;
	char text[1024];
	struct hb_word word[HB_WORDS_MOST];
	int n;
	bool racing; /* one of them is */
	bool *name;  /* by name of the layout: may match; NULL: every name does */
	/* ---- of the process at hand ---- */
	uint32_t process;
	bool *function; /* by number in the log: may match */
	uint8_t *site;  /* by number: 0 not asked yet, 1 matches, 2 does not; NULL: no matter */
	uint32_t functions, sites;
	hb_at last;  /* the event looked at last, ... */
	uint64_t op; /* ... and the first operation of it or after it */
};

/* Splits the query of a request. False: it was refused. */
bool hb__query_read(struct hb_request *request, struct hb_query *ret);
/* The next event of a line from `event` on whose name and races do not speak against it; HB_NO: none up to `last`. */
uint32_t hb__query_candidate(const struct hb_query *query, uint32_t line, uint32_t event, uint32_t last);
void hb__query_free(struct hb_query *query);
/* Prepares for the events of a line; the lock must be held. False: none of them can match. */
bool hb__query_line(struct hb_query *query, uint32_t line);
/* Whether an event of that line matches; the lock must be held. */
bool hb__query_event(struct hb_query *query, hb_at at, const hb_event *event);
/* A few words on a hit: the call, its peer and tag, its place. */
void hb__query_describe(struct hb_query *query, const hb_event *event, hb_text *ret);

#endif
