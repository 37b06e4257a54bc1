/* What the files of this rule share. */
#ifndef HBDB_RULES_RACE_PARTS_H
#define HBDB_RULES_RACE_PARTS_H

#include "rules/race/front.h"

/* A wildcard receive posted earlier whose message was sent because of something later: it still waits then, and
 * would take what a later receive could have had. */
struct hb__waiting {
	uint32_t receive, until; /* events of the line that its message's sender knew; HB_NO: its end is not known */
};

struct hb__racing {
	hb_model *m;
	unsigned flags;
	hb_race_visit *visit;
	void *user;
	hb_race_sum sum;
	struct hb__front front;
	struct hb__waiting *waiting;
	size_t nwaiting, waiting_room;
	hb_alternative *found;
	uint32_t nfound;
	size_t room;
	struct hb__weak *weak; /* with all */
	struct hb__acks *acks;
	bool *locks;        /* by process: it takes locks of windows, which may order more than is seen */
	uint32_t low, high; /* the receives that are looked at; probes by the receive behind them */
	bool last;          /* of several shares: choices and parts are looked at, too */
	bool open;          /* a receive without a known end may have taken what was found */
	bool stopped, no_memory;
};

uint32_t hb__matched_by(const hb_model *m, uint32_t receive, uint32_t done, bool sure);
bool hb__found(struct hb__racing *r, uint32_t send, bool dependent);
/* Shows the race that was found at the receive or probe, if any; counts it. */
void hb__race_told(struct hb__racing *r, hb_race *race);

/* ---- choice.c: Waitany and its kin ---- */
/* first, end: the receives of the process. */
void hb__race_choices(struct hb__racing *r, uint32_t process, uint32_t first, uint32_t end);

/* ---- ready.c: poll and its kin; chosen[low, high): those of one line ---- */
void hb__race_ready(struct hb__racing *r, const hb_chosen *chosen, uint32_t low, uint32_t high);

/* ---- chunks.c: reads of streams; first, end: the receives of the process ---- */
void hb__race_parts(struct hb__racing *r, uint32_t first, uint32_t end);

/* ---- ack.c: a synchronous send that completed tells its process that the receive was matched ---- */
/* Which pairs (message that could have been received instead, synchronous message that was) are asked for. First
 * all are collected, then one pass of the clocks answers them. */
struct hb__acks *hb__acks_new(hb_model *m);
void hb__acks_free(struct hb__acks *a);
/* Whether `other` was sent after the completion of the synchronous send `got`. While collecting: false. */
bool hb__acked(struct hb__acks *a, uint32_t got, uint32_t other);
bool hb__acks_answer(struct hb__acks *a, hb_error *err);
bool hb__acks_needed(const struct hb__acks *a);

/* ---- weak.c: what holds in other runs, too ---- */
/* Receives are unstable when they could get other messages in some run. Messages into them order nothing that is sure. */
struct hb__weak *hb__weak_new(hb_model *m, hb_error *err);
void hb__weak_free(struct hb__weak *w);
/* Going through the receives of a process in the order of posting, from the first process on. */
void hb__weak_again(struct hb__weak *w);
void hb__weak_process(struct hb__weak *w, uint32_t process);
void hb__weak_take(struct hb__weak *w, uint32_t receive);    /* its message is no longer in front */
void hb__weak_receive(struct hb__weak *w, uint32_t receive); /* it was looked at */
/* The messages of other senders that the receive or probe could get in some run; calls hb__found for those of
 * senders that are not among the found yet. */
void hb__weak_alternatives(struct hb__racing *r, const hb_race *race);

#endif
