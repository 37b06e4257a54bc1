/* Where a process that has no rank stands in the tree of creation, and which one of the recording that makes it. */
#ifndef HBDB_CAPTURE_PLACE_H
#define HBDB_CAPTURE_PLACE_H

#include "capture/core/record/record.h"

#pragma GCC visibility push(hidden)

/* ---- place.c ---- */
struct hb__place {
	struct hb__ancestor at[HB__ANCESTORS_MOST]; /* from the process that hbdb started to this one */
	unsigned n;                                 /* 0: not known */
};
void hb__place_now(struct hb__place *ret_place);
/* Writes it into the log. */
void hb__find_place(void);

/* ---- claim.c ---- */
/* Replay: which record this process follows; sets hb__own_number and hb__own_name. A run under control: what it is called. False, said: the
 * recording has none for it. */
bool hb__claim(void);
/* Replay: the number by which the process is known that fork made and that had this one in the recorded run; -1: none. */
int hb__claim_number(uint32_t pid);
/* Replay: how many ranks the record has; -1: it does not tell, as it has no process without a rank. */
int hb__claim_ranks(void);
/* ... and which process without a rank it has, if there is one and no other; -1: else. */
int hb__claim_only(void);
/* ... and those of this program that nobody follows yet: the next one from *at on, which starts at 0; -1: there is none any more. */
int hb__claim_next(const char *program, size_t *at);

#pragma GCC visibility pop

#endif
