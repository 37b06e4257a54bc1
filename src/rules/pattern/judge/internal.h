/* What the files of this folder share. */
#ifndef HBDB_RULES_PATTERN_JUDGE_INTERNAL_H
#define HBDB_RULES_PATTERN_JUDGE_INTERNAL_H

#include "base/grow.h"
#include "rules/pattern/judge/judge.h"

/* ---- memory that lasts as long as the judgement (judge.c). NULL: out of memory ---- */
void *hb__judge_alloc(struct hb__judging *g, size_t bytes);
const char *hb__judge_text(struct hb__judging *g, const char *text);
hb_status hb__judge_no_memory(hb_error *err);

/* How a process ended, or where it stands (fates.c). */
enum hb__fate_kind {
	HB__FATE_NONE, /* it did nothing that is known of */
	HB__FATE_CRASHED,
	HB__FATE_DIED,   /* first of all, and why is not known */
	HB__FATE_INSIDE, /* a call, which it never returned from */
	HB__FATE_BROKEN, /* its log just stops */
	HB__FATE_FINALIZED,
	HB__FATE_LEFT,
	HB__FATE_ABORTED,
	HB__FATE_MISSING, /* it has no log */
};
struct hb__fate {
	enum hb__fate_kind kind;
	int signal;        /* CRASHED; 0: not known */
	hb_at at;          /* its last event; line HB_NO: none */
	char function[64]; /* INSIDE */
};

/* A verdict that was kept: all but complete ones. */
struct hb__kept {
	hb_pattern_verdict v; /* next: the likeliest place to look first */
	uint32_t rank;        /* of that place: 0 a process that died in it, ... */
	uint64_t *signature;  /* what is alike in one story */
	uint32_t signatures;
	bool over; /* whoever could do what comes next has ended: it does not come, also where the run goes on */
};

/* Verdicts that are told once. */
struct hb__story {
	hb_finding_id id;
	size_t first;   /* in kept: the one that is told */
	uint64_t times; /* keys */
	size_t some[4]; /* the first ones */
	uint32_t rank;
	hb_at at; /* what orders it among the others; line HB_NO: nothing does */
};

/* An event that a verdict names. */
struct hb__seen {
	uint64_t id;
	size_t first, n; /* in events */
};

struct hb__judging {
	hb_judgement *judgement;
	hb_model *model;
	const hb_model_info *info;
	const hb_process *process;
	const hb_line *line;
	hb_pattern *pattern;
	const hb_pattern_binding *binding;
	uint32_t bindings;
	const hb_judge_options *options;
	hb_history *history;
	struct hb__fate *fate; /* by process */
	size_t kept, kept_room;
	struct hb__kept *keep;
	size_t stories, stories_room;
	struct hb__story *story;
	size_t seen;
	struct hb__seen *see;
	size_t events, events_room;
	hb_pattern_event *event;
	size_t findings_room, rows_room, doubts_room;
	struct hb__judge_block *blocks;
	bool no_memory;
	bool uncertain; /* logs are cut or missing, or matches are open: what is said may not be so */
};

/* ---- verdicts.c ---- */
bool hb__keep_verdict(void *judging, const hb_pattern_verdict *verdict); /* a visitor */
/* ---- fates.c ---- */
hb_status hb__judge_fates(struct hb__judging *g, hb_error *err);
/* ", which was killed by signal 11 (SIGSEGV)"; "" where nothing is to be said. */
const char *hb__fate_words(const struct hb__judging *g, uint32_t process, char *to, size_t size);
/* ---- events.c ---- */
hb_status hb__see_events(struct hb__judging *g, hb_error *err);
/* The event with this id that is about the key; NULL: none. */
const hb_pattern_event *hb__seen_event(const struct hb__judging *g, uint64_t id, const hb_pattern_verdict *of);
/* ---- stories.c ---- */
hb_status hb__make_stories(struct hb__judging *g, hb_error *err);
/* ---- words.c ---- */
/* "task 49, sub 2"; "the run". */
const char *hb__key_words(const struct hb__judging *g, const hb_pattern_verdict *v, char *to, size_t size);
/* "node 3 sends task(49) to node 4" */
const char *hb__half_words(const struct hb__judging *g, uint32_t binding, hb_pattern_half half, uint32_t process,
	int64_t peer, const hb_pattern_value *key, char *to, size_t size);
const char *hb__place_words(const struct hb__judging *g, const hb_pattern_next *next); /* the clause `in` */
/* ---- findings.c, rows.c, doubts.c ---- */
hb_status hb__judge_findings(struct hb__judging *g, hb_error *err);
hb_status hb__judge_rows(struct hb__judging *g, hb_error *err);
hb_status hb__judge_doubts(struct hb__judging *g, hb_error *err);

#endif
