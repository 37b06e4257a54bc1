/* What the files of this folder share. */
#ifndef HBDB_RULES_PATTERN_HISTORY_INTERNAL_H
#define HBDB_RULES_PATTERN_HISTORY_INTERNAL_H

#include "model/contents/contents.h"
#include "model/event.h"
#include "rules/pattern/history/history.h"

/* ---- packed.c: halves of events as bytes ---- */
struct hb__packed {
	uint8_t *at;
	size_t n, room;
};
/* What a declaration says of an event. Of a message the halves share it. */
struct hb__told {
	uint32_t event;   /* of its line */
	uint32_t binding; /* HB_NO: those of a message end here */
	hb_pattern_half half;
	bool exit;    /* the point is the exit of the event */
	int64_t peer; /* -1: none */
	hb_pattern_value *key;
};
/* Behind the others; `before`: the event of the one before it. False: out of memory. */
bool hb__pack_told(struct hb__packed *to, uint32_t before, const struct hb__told *told, uint32_t nkeys);
/* The one at byte *at, which is moved behind it; told->event is that of the one before it. told->key has room. */
void hb__unpack_told(
	const struct hb__packed *from, size_t *at, const hb_pattern_binding *binding, struct hb__told *told);

/* ---- state ---- */

/* A line while it is read, and while it is fed. */
struct hb__history_line {
	struct hb__packed told; /* what its own events say */
	size_t at;
	struct hb__told next; /* the one at `at`; binding HB_NO: no more */
	uint32_t before;      /* event of the one behind which it is packed */
	uint32_t counted;     /* the last event that was fed */
	uint64_t op, reached; /* reached: id of the point up to which it was fed */
	hb_events *events;    /* reader of messages.c, forwards */
	uint32_t read;        /* its last event */
};

/* What a function of a log is to the declarations. */
struct hb__named_function {
	bool known, span;  /* known: looked up */
	uint32_t first, n; /* in hb_history.named */
	uint32_t name;     /* of a span */
};
struct hb__named {
	uint32_t binding;
	hb_pattern_half half;
};

struct hb_history {
	hb_model *model;
	const hb_model_info *info;
	const hb_process *process;
	const hb_line *line;
	const hb_send *send;
	const hb_receive *receive;
	const hb_channel *channel;
	const hb_group *group;
	hb_pattern *pattern;
	const hb_pattern_binding *binding;
	uint32_t bindings, most_keys;
	bool messages, contents; /* some declaration is about them */
	struct hb__history_line *lines;
	struct hb__packed packed; /* of messages, and where those of each send begin; 0: no declaration names it */
	uint64_t *of_send;
	hb_pattern_value *keys; /* most_keys, twice */
	hb_history_contents *ask_contents;
	void *user;
	hb_history_sum sum;
	hb_error *err;
	/* while it is fed */
	hb_history_visit *visit;
	void *visit_user;
	hb_status status;
	hb_reach now;
	uint64_t now_from; /* the clock at hand is that of the points of its line behind this one */
};

static inline uint64_t hb__history_id(hb_at at, bool exit)
{
	return (uint64_t)at.line << 33 | (uint64_t)at.event << 1 | exit;
}

hb_status hb__history_no_memory(hb_error *err);
/* ---- history.c ---- */
/* Visits a half of a message, of all declarations that name it, at a point. */
bool hb__message_half(
	hb_history *h, hb_at at, uint32_t send, hb_pattern_half half, hb_history_visit *visit, void *user);
/* The next one that a line tells itself: lines[].next. */
void hb__next_told(hb_history *h, uint32_t line);
bool hb__visit_told(hb_history *h, uint32_t line, hb_history_visit *visit, void *user);
/* ---- values.c: what events have, by the names that clauses use ---- */
bool hb__value_of_number(int64_t number, hb_pattern_value *ret);
bool hb__value_of_text(hb_history *h, const char *text, hb_pattern_value *ret);
/* An integer where it is one, else a text. */
bool hb__value_of_real(hb_history *h, double real, hb_pattern_value *ret);
/* An argument or value of an event, by its name. */
bool hb__value_of_event(
	hb_history *h, uint32_t process, const hb_event *event, const char *name, hb_pattern_value *ret);
/* int32, int64, byte, real64 at a byte of what came. */
bool hb__value_of_contents(hb_history *h, hb_contents *contents, const hb_content *content, const char *name,
	int64_t offset, hb_pattern_value *ret);
bool hb__is_of_contents(const char *name);

/* ---- messages.c, own.c ---- */
hb_status hb__history_messages(hb_history *h);
hb_status hb__history_own(hb_history *h);

#endif
