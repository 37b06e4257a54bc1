/* What the files of this folder share. */
#ifndef HBDB_MODEL_PART_INSIDE_H
#define HBDB_MODEL_PART_INSIDE_H

#include "model/internal.h"
#include "model/part/part.h"

/* Where each line and each process stands, of all members. */
struct hb__place_of_process {
	uint32_t sends, receives; /* of the processes before it: the number of its first */
	uint32_t nsends, nreceives;
};

/* A collective as the pass needs it, the same at all members. */
struct hb__meeting {
	uint32_t group, root, enters, exits;
	uint32_t from[2];     /* processes of each side of an intercommunicator that enter */
	uint8_t order, inter; /* hb_order */
	bool both_sides, root_enters;
	uint32_t number, function, process; /* as in hb_collective */
};

/* What became of a send: only of those that were not received, or that wait for their receive. */
struct hb__fate {
	uint32_t send; /* its number in the whole */
	uint32_t receive, line, post;
	bool taken, kept, elsewhere;
	bool dropped; /* in the pass at hand its receive orders nothing */
};

/* An operation with all that the pass needs of what it is about: it goes to all members. Numbers of sends, receives, collectives and
 * edges are those of the whole. */
typedef enum hb__act_kind {
	HB__ACT_SEND,     /* id: send; line: process that it goes to */
	HB__ACT_POST,     /* id: receive */
	HB__ACT_AWAIT,    /* id: receive, which was posted at line, at */
	HB__ACT_RECEIVED, /* id: send, of line, at */
	HB__ACT_ENTER,    /* id: collective */
	HB__ACT_LEAVE,
	HB__ACT_TELL, /* id: edge */
	HB__ACT_TOLD, /* id: edge, which begins at line, at */
	HB__ACT_END,  /* event: the last one of the line */
} hb__act_kind;
enum {
	HB__ACT_KEPT = 1, /* SEND: somebody will ask for it */
	HB__ACT_LAST = 2, /* RECEIVED, AWAIT: nobody asks for it again */
};
struct hb__act {
	uint32_t event;
	uint16_t kind, flags;
	uint32_t id, line, at;
};

struct hb__part {
	const hb_team *team;
	uint32_t *main, *last; /* by process: the first and the last member that read it; the first speaks for it */
	uint64_t *weight;      /* by process: of all before it; one more at the end */
	uint32_t first, end;   /* processes that this member reads */
	uint32_t spoken;       /* the first of these for which it speaks */
	struct hb__place_of_process *places;
	/* what was read of the own processes, numbered as it was */
	VEC(hb_send) own;
	VEC(hb_op) * ops;                         /* by line */
	uint32_t skipped_sends, skipped_receives; /* of a process for which another member speaks */
	uint32_t *collective;                     /* by own number: that of the whole */
	struct hb__meeting *meetings;
	uint32_t nmeetings, edges_before, edges;
	uint64_t differ, absent;    /* collectives: whose calls differ; that not all have entered */
	VEC(struct hb__fate) fates; /* of own sends, by number */
	/* by send of the model: what came from all members */
	uint32_t *send_number, *send_site;
};

/* ---- share.c ---- */
bool hb__part_divide(hb_model *m, struct hb__part *p);
/* Whether this member speaks for the process. */
static inline bool hb__speaks(const struct hb__part *p, uint32_t process) { return p->main[process] == p->team->rank; }

/* ---- gather.c: what all have to know ---- */
hb_status hb__part_agree(const struct hb__part *p, hb_status status, hb_error *err);
uint64_t hb__part_sum(const struct hb__part *p, uint64_t value);
bool hb__part_lines(hb_model *m, struct hb__part *p);
/* ---- meetings.c ---- */
bool hb__part_collectives(hb_model *m, struct hb__part *p);
/* ---- messages.c ---- */
bool hb__part_send_out(hb_model *m, struct hb__part *p);
bool hb__part_fates(hb_model *m, struct hb__part *p);
/* What became of an own send, by its number; NULL: nothing that would have to be known. */
struct hb__fate *hb__fate_of(const struct hb__part *p, uint32_t send);
/* Tells the senders of synchronous messages which of their receives order nothing (by receive). */
bool hb__part_drop(hb_model *m, struct hb__part *p, const bool *receive);

/* The numbers in the whole of what was read of processes that this member speaks for. */
static inline uint32_t hb__whole_send(const struct hb__part *p, uint32_t own)
{
	return p->places[p->spoken].sends + own - p->skipped_sends;
}
static inline uint32_t hb__whole_receive(const struct hb__part *p, uint32_t own)
{
	return p->places[p->spoken].receives + own - p->skipped_receives;
}

static inline uint32_t hb__own_receive(const struct hb__part *p, uint32_t whole)
{
	return whole - p->places[p->spoken].receives + p->skipped_receives;
}

/* ---- acts.c ---- */
struct hb__acts;
/* The operations of all lines, but for messages into receives and probes that order nothing (by number; NULL: all do). */
struct hb__acts *hb__acts_open(const hb_model *m, const bool *drop_receive, const bool *drop_probe);
/* The next one of a line, which stays until hb__act_done: all members call it in the same order. NULL: no memory. */
const struct hb__act *hb__act(struct hb__acts *a, uint32_t line);
void hb__act_done(struct hb__acts *a, uint32_t line);
void hb__acts_close(struct hb__acts *a);

#endif
