/* From a call of MPI to its slot: what tells it apart, its arguments in neutral values, where its contents lie. */
#ifndef HBDB_CAPTURE_MPI_SLOTS_H
#define HBDB_CAPTURE_MPI_SLOTS_H

#include "capture/core/record/record.h"
#include "capture/mpi/library.h"

#pragma GCC visibility push(hidden)

struct hb__comm;
struct hb__request;

/* ---- slots.c ---- */
/* The slot of a call that is not the one that came after the last one before; and of one with another tag than before. */
const struct hb__slot *hb__slot_of_another(struct hb__call *c);
const struct hb__slot *hb__slot_with_tags(struct hb__call *c, struct hb__slot *slot, uint32_t changed);

/* Finds or defines the slot of a call. Never NULL once the lane exists. */
static inline const struct hb__slot *hb__slot_find(struct hb__call *c)
{
	uint32_t changed;
	struct hb__slot *s = hb__slot_guess(c, &changed);
	if (unlikely(!s))
		return hb__slot_of_another(c);
	return likely(!changed) ? s : hb__slot_with_tags(c, s, changed);
}

/* What a receive or a probe tells in its row, slot->answers: nothing (of MPI_PROC_NULL; every other call); the message, when it is not
 * as long as there was room for; the message. */
enum { HB__TELLS_NOTHING, HB__TELLS_OTHER_SIZE, HB__TELLS_MESSAGE };

/* ---- fill.c: the arguments in neutral values, and what belongs to them ---- */
void hb__slot_fill(struct hb__call *c, struct hb__slot *slot);
/* What it answers, by its arguments in neutral values. */
void hb__slot_answers(struct hb__slot *slot);

/* ---- sides.c: in, in_place and out of a collective, and the flag check when there is any ---- */
void hb__sides(const struct hb__call *c, const struct hb__comm *comm, struct hb__slot *slot);

/* ---- contents.c: what a buffer holds ---- */
/* A short digest of contents; 0: they cannot be read. */
uint16_t hb__contents(const void *p, int64_t bytes);
/* The same, and remembers in one of the slot's `seen` where they lay (tiny.h). */
uint16_t hb__contents_seen(struct hb__slot *slot, struct hb__seen *seen, const void *p, int64_t bytes);
uint16_t hb__contents_part(const struct hb__call *c, const struct hb__part *part);
/* Both sides of a collective in sixteen bits, what goes in below. 0: nothing is known of a side. */
static inline uint16_t hb__contents_both(uint16_t in, uint16_t out)
{
	unsigned low = in & 0xff, high = out >> 8;
	low += in && !low;
	high += out && !high;
	return (uint16_t)(high << 8 | low);
}
/* A collective that is over later: its sides (NULL: none) are looked at then. */
struct hb__begun {
	const struct hb__fn *fn;
	uint64_t event;   /* of the call that made the request */
	bool gives, gets; /* both: the check is of both */
	const void *in, *out;
	int64_t in_bytes, out_bytes; /* of their first pieces */
};
void hb__await(struct hb__call *c, struct hb__request *r, const struct hb__part *in, const struct hb__part *out);
uint16_t hb__awaited_now(struct hb__request *r, struct hb__begun *ret);
void hb__awaited_drop(struct hb__request *r);
extern unsigned hb__awaiting; /* so many collectives are looked at when they are over */
/* Which of those that share their handle is over is not known, for it came in another's variable: whether the contents of any of them are
 * there, and still there, is not, either. */
void hb__awaited_unsure(struct hb__request *r);

#pragma GCC visibility pop

#endif
