/* Messages with what was said of them where they were sent and received. */
#ifndef HBDB_RULES_MESSAGES_MESSAGES_H
#define HBDB_RULES_MESSAGES_MESSAGES_H

#include "model/event.h"
#include "rules/finding.h"
#include "rules/signature.h"

/* A call that sends or receives, with its data: the same for all calls that share a slot of a log. */
struct hb__letter_call {
	uint32_t line, slot, era;
	const hb_function *function;
	hb_data sent, room; /* type HB_ABSENT: it has none */
	int64_t peer, tag;
};

/* A call of MPI_Psend_init or MPI_Precv_init. */
struct hb__letter_part {
	bool sends;
	hb_at at;
	uint32_t process, group, peer; /* peer: the process at the other end */
	int64_t tag, partitions;
	hb_data data; /* of all partitions */
};

struct hb__letters {
	hb_case *c;
	hb_model *m;
	const hb_model_info *info;
	const hb_process *process;
	const hb_line *line;
	const hb_send *send;
	const hb_receive *receive;
	const hb_channel *channel;
	const hb_spec *spec;
	uint32_t *send_call, *receive_call; /* by send and receive: the call that tells its data; HB_NO not known */
	struct hb__letter_call *call;
	size_t calls, calls_room;
	uint32_t *cell; /* 1 + call, by hash of line, slot and era */
	size_t cells;
	hb_at *nameless; /* receives that failed because of a longer message, of which nothing else is known */
	uint32_t *nameless_call;
	size_t n_nameless, nameless_room;
	struct hb__letter_part *part; /* in the order in which each process made them */
	size_t parts, parts_room;
	bool loose; /* communicators may be taken for others */
	bool *late; /* by send: an answer that came too late, and was told */
	hb_error *err;
};

/* ---- calls.c ---- */
hb_status hb__letters_gather(hb_case *c, struct hb__letters *ret, hb_error *err);
/* The same in two steps: what the model tells, and the calls. */
void hb__letters_begin(hb_case *c, struct hb__letters *ret, hb_error *err);
hb_status hb__letters_read(struct hb__letters *l);
void hb__letters_free(struct hb__letters *l);
/* What was sent, and what there is room for; false: not known. */
bool hb__letter_sent(const struct hb__letters *l, uint32_t send, hb_data *ret);
bool hb__letter_room(const struct hb__letters *l, uint32_t receive, hb_data *ret);
/* "MPI_Send" */
const char *hb__letter_send_name(const struct hb__letters *l, uint32_t send);
const char *hb__letter_receive_name(const struct hb__letters *l, uint32_t receive);
/* A send that the program promises to be expected (MPI_Rsend and its like). */
bool hb__letter_is_ready(const struct hb__letters *l, uint32_t send);
/* The message was taken by a matched probe, and no receive of it is known. */
bool hb__letter_is_probe(const struct hb__letters *l, uint32_t receive);

/* ---- partitions.c: requests that send and receive in partitions ---- */
bool hb__letter_part(struct hb__letters *l, uint32_t line, uint32_t event, const hb_event *e); /* false: no memory */

/* ---- near.c: what was meant, when two do not meet ---- */
const char *hb__letter_name(const struct hb__letters *l, uint32_t process); /* "-1": not recorded */
/* "rank 3", "any rank" */
const char *hb__letter_from(const struct hb__letters *l, const hb_spec *s, char ret[32]);
/* "tag 7", "any tag" */
const char *hb__letter_tag(int32_t tag, char ret[32]);
/* "", or " on WORLD.2": a communicator worth naming */
const char *hb__letter_on(const struct hb__letters *l, uint32_t group, char ret[64]);
hb_point hb__letter_send_point(const struct hb__letters *l, uint32_t send, const char *role);
hb_point hb__letter_post_point(const struct hb__letters *l, uint32_t receive, const char *role);
/* Whether the process will send and receive nothing more: it is in MPI_Finalize, or past it. */
bool hb__letter_over(const struct hb__letters *l, uint32_t process);
bool hb__letter_matches(const hb_spec *s, const hb_channel *c);
/* The receive that waits for nothing and is most like the message, and the message that nobody took and is most like the
 * receive; HB_NO: none is near. told: receives that come last. ret: in which way it differs. */
uint32_t hb__letter_near_receive(const struct hb__letters *l, uint32_t send, const bool *told, char ret[200]);
uint32_t hb__letter_near_send(const struct hb__letters *l, uint32_t receive, char ret[200]);
/* Receives that may have taken the message: those without an end, and those that do not say what they got. */
bool hb__letter_maybe_taken(const struct hb__letters *l, uint32_t send);
bool hb__letter_maybe_came(const struct hb__letters *l, uint32_t receive);

/* ---- the rules ---- */
hb_status hb__letters_fit(struct hb__letters *l);   /* fit.c: types and lengths */
hb_status hb__letters_short(struct hb__letters *l); /* short.c: shorter than their receive */
hb_status hb__letters_parts(struct hb__letters *l); /* partitions.c */
hb_status hb__letters_late(struct hb__letters *l);  /* late.c: answers after a time-out */
hb_status hb__letters_alone(struct hb__letters *l); /* alone.c: lost and missing */
hb_status hb__letters_ready(struct hb__letters *l); /* ready.c */
hb_status hb__letters_datagrams(
	struct hb__letters *l);                     /* datagrams.c: that came twice, and that nobody was there for */
hb_status hb__letters_raced(struct hb__letters *l); /* raced.c */

#endif
