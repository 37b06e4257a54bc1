/* The calls that are part of collectives, gathered over all processes. */
#ifndef HBDB_RULES_COLLECTIVES_PARTS_H
#define HBDB_RULES_COLLECTIVES_PARTS_H

#include "rules/finding.h"

#define HB__COLLECTIVE_ARGS 12

/* A call with its arguments: the same for all calls that share a slot of a log. */
struct hb__shape {
	uint32_t process, line, slot, era, site;
	const hb_function *function;
	int64_t arg[HB__COLLECTIVE_ARGS];
};

struct hb__part {
	uint32_t process, shape; /* shape: index */
	hb_at at;
};

struct hb__parts {
	struct hb__part *part; /* those of a collective in the order of processes */
	uint64_t *first;       /* by collective, and one more */
	struct hb__shape *shape;
	size_t shapes, shapes_room;
	uint32_t *cell; /* 1 + shape, by hash of line, slot and era */
	size_t cells;
};

hb_status hb__parts_gather(hb_model *model, struct hb__parts *ret, hb_error *err);
void hb__parts_free(struct hb__parts *parts);

/* The value of an argument; HB_ABSENT when the function has none of that name or it does not count at that process. */
int64_t hb__shape_argument(const struct hb__shape *shape, const char *name);

/* A collective with its parts, for the comparisons. */
struct hb__assembly {
	hb_case *c;
	const struct hb__parts *parts;
	uint32_t id;
	const hb_collective *collective;
	const hb_group *group;
	const struct hb__part *part;
	uint32_t n;
	hb_error *err;
};
const struct hb__shape *hb__shape_of(const struct hb__assembly *a, uint32_t part);
/* Its rank in MPI_COMM_WORLD. */
int32_t hb__rank_of(const struct hb__assembly *a, uint32_t part);
hb_log *hb__log_of(const struct hb__assembly *a, uint32_t part);
/* Place of a process in the communicator; HB_NO: none. */
uint32_t hb__place_of(const struct hb__assembly *a, uint32_t process);
/* "the 3rd collective on WORLD" */
const char *hb__which_collective(const struct hb__assembly *a, char ret[80]);
void hb__part_point(const struct hb__assembly *a, uint32_t part, hb_point *ret);

/* fit.c: counts and types of one collective. */
hb_status hb__collective_fit(const struct hb__assembly *a);

#endif
