/* The calls that are part of collectives, gathered over all processes. */
#ifndef HBDB_RULES_COLLECTIVES_PARTS_H
#define HBDB_RULES_COLLECTIVES_PARTS_H

#include "model/event.h"
#include "rules/finding.h"

#define HB__COLLECTIVE_ARGS 12

/* A call with its arguments: the same for all calls that share a slot of a log. */
struct hb__shape {
	uint32_t process, line, site,
		base; /* base: number of the function, the same in all logs and for large counts */
	const hb_function *function;
	bool remote; /* of an intercommunicator: the own group is hb_group.remote */
	int64_t arg[HB__COLLECTIVE_ARGS];
};

/* What collective calls are numbered by: all processes make those of one arena in the same order. */
enum hb__arena_kind { HB__ON_COMM, HB__ON_WIN, HB__ON_FILE, HB__ON_START };
struct hb__arena {
	enum hb__arena_kind kind;
	uint32_t group;
	uint32_t object; /* the so many-th window or file made on the group; the number of the call that made a
			  * persistent request */
	uint32_t calls;  /* the most that a process made */
	uint32_t first;  /* its first collective */
	bool unsure;     /* threads, or handles that can not be told apart: which call belongs to which is not known */
};

struct hb__part {
	uint32_t process, shape; /* shape: index */
	hb_at at;
	int32_t error; /* class of the error that the call returned; 0: none */
};

struct hb__parts {
	struct hb__arena *arena;
	size_t arenas, arenas_room;
	uint32_t *cell; /* 1 + arena, by hash */
	size_t cells;
	struct hb__part *part; /* those of a collective in the order of processes */
	uint64_t *first;       /* by collective, and one more */
	uint32_t collectives;
	struct hb__shape *shape;
	size_t shapes, shapes_room;
	const char **base; /* names */
	size_t bases, bases_room;
};

/* gather.c; remarked: all logs have remarks */
hb_status hb__parts_gather(hb_model *model, bool remarked, struct hb__parts *ret, hb_error *err);
/* parts.c */
void hb__parts_free(struct hb__parts *parts);
/* The arena, made when it is new; HB_NO without memory. */
uint32_t hb__arena_for(struct hb__parts *parts, enum hb__arena_kind kind, uint32_t group, uint32_t object);

/* The value of an argument; HB_ABSENT when the function has none of that name or it does not count at that process. */
int64_t hb__shape_argument(const struct hb__shape *shape, const char *name);

/* A collective with its parts, for the comparisons. */
struct hb__assembly {
	hb_case *c;
	const struct hb__parts *parts;
	const struct hb__arena *arena;
	uint32_t number;
	const hb_group *group;
	const uint32_t *place; /* by process: its rank in its group of the communicator */
	const struct hb__part *part;
	uint32_t n;
	hb_error *err;
};
const struct hb__shape *hb__shape_of(const struct hb__assembly *a, uint32_t part);
/* Its rank in MPI_COMM_WORLD. */
int32_t hb__rank_of(const struct hb__assembly *a, uint32_t part);
hb_log *hb__log_of(const struct hb__assembly *a, uint32_t part);
uint32_t hb__place_of(const struct hb__assembly *a, uint32_t part);
/* The part of a process; HB_NO: it takes no part. */
uint32_t hb__part_by(const struct hb__assembly *a, uint32_t process);
/* The part that a rank means at `part`: of an intercommunicator one of the other group. HB_NO: none. */
uint32_t hb__part_of_rank(const struct hb__assembly *a, uint32_t part, int64_t rank);
/* Of an intercommunicator: both are in the same group. Of others: true. */
bool hb__same_side(const struct hb__assembly *a, uint32_t x, uint32_t y);
/* "the 3rd collective on WORLD" */
const char *hb__which_collective(const struct hb__assembly *a, char ret[160]);
void hb__part_point(const struct hb__assembly *a, uint32_t part, hb_point *ret);

/* ---- camps.c: who says what, when not all say the same ---- */

/* What a part says, in words; false: nothing. */
typedef bool hb__saying(const struct hb__assembly *a, uint32_t part, const void *user, char *ret, size_t size);
/* "rank 3 HAS x, ranks 0-2, 4-7 HAVE y: the 3rd collective on WORLD", those that are fewest first. */
struct hb__camps {
	hb_finding_id id;
	const char *before, *has, *have, *advice; /* before: "MPI_Bcast: " */
	hb__saying *saying;
	const void *user;
};
hb_status hb__tell_camps(const struct hb__assembly *a, const struct hb__camps *camps);

/* ---- roots.c ---- */
hb_status hb__compare_roots(const struct hb__assembly *a, bool *ret_same);
hb_status hb__compare_operations(const struct hb__assembly *a, bool *ret_same);

/* ---- missing.c: processes that take no part and never will ---- */
hb_status hb__compare_members(const struct hb__assembly *a, bool *ret_all);

/* ---- fit.c: counts and types of one collective ---- */
hb_status hb__collective_fit(const struct hb__assembly *a, bool *ret_fits);
/* ---- values.c: other arguments that have to be equal ---- */
hb_status hb__compare_values(const struct hb__assembly *a, bool *ret_same);

#endif
