/* A model divided among the members of a team: each reads the logs of some processes, has their receives with all that was
 * sent to them, and the components of the clocks that stand for their lines. No member has all rows, all messages or whole clocks.
 *
 * Which processes exist, their lines and their communicators every member knows. What a member does not have looks
 * empty: another one has it. hb_races on it finds the races of what it covers (hb_model_covers); the races of all members, one after the
 * other, are those of the whole model in their order.
 *
 * Clocks: the components of a vector clock do not need each other. So each member runs the pass over the operations of all lines, with the
 * components of its own processes alone; the operations come in pieces from whom their line belongs to (acts.c, columns.c). Who receives a
 * message is who asks what its sender knew of him, and has that component: no clock is ever sent.
 *
 * Ownership, threads: as of any model. The team must last as long as the model. */
#ifndef HBDB_MODEL_PART_PART_H
#define HBDB_MODEL_PART_PART_H

#include "model/model.h"

/* The other members. All of them call the same functions in the same order; nobody returns with an error: what carries the
 * data ends the program when it cannot. */
typedef struct hb_team {
	uint32_t size, rank;
	void *user;
	/* bytes[i] bytes for each member i stand one after the other in data; returns what all have for this one, likewise, and
	 * ret_bytes[i] from member i. Free it. NULL: no memory. */
	void *(*exchange)(void *user, const void *data, const size_t *bytes, size_t *ret_bytes);
	/* The same data for everybody. */
	void *(*gather)(void *user, const void *data, size_t bytes, size_t *ret_bytes);
	/* data of member `from` becomes that of all. */
	void (*broadcast)(void *user, uint32_t from, void *data, size_t bytes);
} hb_team;

/* Like hb_model_build, by all members together and with the same sources. All return the same status, that of the first process whose log
 * cannot be read. HB_E_ARGUMENT: the recording has something that cannot be divided; the message says what. The troubles are those
 * of the whole model, the same for all members. `info` counts what this member has. */
hb_status hb_model_build_part(
	const hb_source *sources, size_t n, const hb_team *team, hb_model **ret_model, hb_error *err);

/* The call site of the message's send, a number in the log of the sender. Of a divided model only. */
uint32_t hb_part_send_site(const hb_model *model, uint32_t send);
const hb_team *hb_model_team(const hb_model *model); /* NULL: it is not divided */

#endif
