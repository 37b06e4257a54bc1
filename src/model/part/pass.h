/* The pass of clock/clocks.c over the acts of all lines, with some components of the clocks: its state. */
#ifndef HBDB_MODEL_PART_PASS_H
#define HBDB_MODEL_PART_PASS_H

#include "model/clock/clock.h"
#include "model/part/inside.h"

#define HB__NOT_SENT 0u
#define HB__NOT_KEPT UINT32_MAX

struct hb__runner_of {
	uint32_t *clock;
	uint32_t version; /* HB_NO: the clock changed since */
	uint32_t event;
	uint32_t next, chain, starters;
	bool begun, ended, queued;
};

/* Messages of a process that are under way: 1 + the version that each carries, from its first that is on. */
struct hb__under_way {
	VEC(uint32_t) at;
	size_t head; /* before it all are over */
	uint32_t base;
};

struct hb__posted {
	uint32_t version;
};

struct hb__gathering {
	uint32_t entered[2], known[2], left, sleepers, root_version;
	bool root_entered;
	uint32_t *scan; /* by place in the group: 1 + version */
};

struct hb__pass {
	hb_model *m;
	struct hb__part *p;
	struct hb__acts *acts;
	uint32_t low, high; /* the lines whose components are here */
	struct hb__versions versions;
	struct hb__runner_of *lines;
	uint32_t *clocks;
	struct hb__under_way *under_way; /* by process */
	struct hb__table waiting;        /* by message, posting or edge that is not there yet: the line that waits */
	struct hb__table posted, edges;  /* 1 + version */
	struct hb__gathering **gatherings;
	uint32_t *next_send, *first_send; /* by line: sends to own processes, chained */
	const hb_ask *asks;               /* by send: numbers of the whole */
	size_t nasks;
	uint32_t *answers;
	bool set_seen;
	uint32_t *seen; /* by send: set in the place of hb_send.seen; NULL */
	const bool *drop_receive, *drop_probe;
	uint32_t first, last, ended;
	uint32_t moved; /* since the queue went round */
	bool no_memory;
};

static inline bool hb__here(const struct hb__pass *s, uint32_t line) { return line >= s->low && line < s->high; }
void hb__pass_wake(struct hb__pass *s, uint32_t line);
void hb__pass_wake_chain(struct hb__pass *s, uint32_t *chain);
void hb__pass_learn(struct hb__pass *s, uint32_t line, uint32_t version);
/* A version of the line's clock with one more reference; HB_NO without memory. */
uint32_t hb__pass_version(struct hb__pass *s, uint32_t line);

/* ---- gatherings.c ---- */
void hb__gathering_entered(struct hb__pass *s, uint32_t line, uint32_t id);
bool hb__gathering_left(struct hb__pass *s, uint32_t line, uint32_t id); /* false: the line sleeps */
void hb__gatherings_close(struct hb__pass *s);

#endif
