/* What the files of this folder share. */
#ifndef HBDB_MODEL_CLOCK_CLOCK_H
#define HBDB_MODEL_CLOCK_CLOCK_H

#include "model/internal.h"

/* ---- versions.c ---- */
struct hb__versions {
	uint32_t width; /* components, a multiple of 8 */
	uint32_t free;
	uint64_t used;
	VEC(uint32_t *) chunks;
	VEC(uint32_t) references; /* of a free one: the next free one */
};
void hb__versions_open(struct hb__versions *v, uint32_t width);
void hb__versions_close(struct hb__versions *v);
uint32_t *hb__version(const struct hb__versions *v, uint32_t id);
/* A copy of the clock, with one reference; HB_NO without memory. */
uint32_t hb__version_new(struct hb__versions *v, const uint32_t *clock);
static inline uint32_t hb__version_share(struct hb__versions *v, uint32_t id)
{
	v->references.at[id]++;
	return id;
}
void hb__version_drop(struct hb__versions *v, uint32_t id); /* HB_NO is let pass */
/* into = the maximum of both; n is a multiple of 8. */
void hb__clock_merge(uint32_t *into, const uint32_t *from, uint32_t n);

/* ---- cone.c ---- */
/* The first operation of an event not before this one. */
size_t hb__first_op(const struct hb__line *line, uint32_t event);

/* ---- which enters the exit of a call needs (needs.c) ---- */

/* Calls visit for each process whose enter into the collective the exit of `process` needs. */
typedef bool hb__enter_visit(void *user, uint32_t process);
void hb__collective_needs(const hb_model *m, uint32_t collective, uint32_t process, hb__enter_visit *visit, void *user);
/* The same of a collective that is not the model's: its group, order, root and both_sides tell. */
void hb__order_needs(const hb_model *m, const hb_collective *c, uint32_t process, hb__enter_visit *visit, void *user);
/* The place of a process in a group, and which of two groups it is in; HB_NO: none. */
uint32_t hb__place_in(const hb_model *m, const hb_group *g, uint32_t process, bool *ret_remote);
#endif
