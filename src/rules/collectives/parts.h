/* The calls that are part of collectives, gathered over all processes. */
#ifndef HBDB_RULES_COLLECTIVES_PARTS_H
#define HBDB_RULES_COLLECTIVES_PARTS_H

#include "model/event.h"
#include "rules/finding.h"
#include "rules/signature.h"

#define HB__COLLECTIVE_ARGS 12

/* A call with its arguments: the same for all calls that share a slot of a log. */
struct hb__call_shape {
	uint32_t process, line, site;
	const hb_function *function;
	const hb_meaning *means;
	bool remote; /* of an intercommunicator: the own group is hb_group.remote */
	bool given;  /* arguments may stand in a remark before the call */
	int64_t arg[HB__COLLECTIVE_ARGS];
};

/* What collective calls are numbered by: all processes make those of one scope in the same order. */
enum hb__scope_kind { HB__ON_COMM, HB__ON_WIN, HB__ON_FILE, HB__ON_START };
struct hb__scope {
	enum hb__scope_kind kind;
	uint32_t group;
	uint32_t object; /* the so many-th window or file made on the group; the number of the call that made a
			  * persistent request */
	uint32_t calls;  /* the most that a process made */
	uint32_t first;  /* its first collective */
	uint32_t begin;  /* the first number of which no ring gave up a part (hbdb record --ring) */
	bool unsure;     /* threads, or handles that can not be told apart: which call belongs to which is not known */
	bool refused;    /* a process made a call that returned an error at once, and that is not counted */
};

struct hb__collective_call {
	uint32_t process, shape; /* shape: index */
	hb_at at;
	int32_t error; /* class of the error that the call returned; 0: none */
};

/* A list of ranks, or of other numbers, of a process. */
struct hb__list {
	const int64_t *rank;
	uint32_t n;
};

/* Whom a process receives from [0] and sends to [1] in neighbourhood collectives of a communicator, by ranks in it. */
struct hb__topology {
	uint32_t process;
	int64_t comm; /* its number in the log */
	bool graph;   /* of MPI_Graph_create: the standard wants it symmetric */
	bool known[2];
	struct hb__list list[2];
};

/* A call of MPI_Comm_create_group that never returned. */
struct hb__maker {
	struct hb__collective_call part;
	uint32_t group;
};

struct hb__collective_calls {
	struct hb__scope *scope;
	size_t scopes, scopes_room;
	uint32_t *cell; /* 1 + scope, by hash */
	size_t cells;
	struct hb__collective_call *part; /* those of a collective in the order of processes */
	uint64_t *first;                  /* by collective, and one more */
	uint32_t collectives;
	struct hb__call_shape *shape;
	size_t shapes, shapes_room;
	const hb_remark **given; /* by place */
	size_t givens;
	const hb_remark **named; /* which file a call is about, which window it makes or frees; by place */
	size_t nameds;
	struct hb__topology *topology; /* by process and communicator */
	size_t topologies;
	struct hb__maker *maker;
	size_t makers, makers_room;
};

/* gather.c */
hb_status hb__parts_gather(const hb_case *c, struct hb__collective_calls *ret, hb_error *err);
/* parts.c */
void hb__parts_free(struct hb__collective_calls *parts);
/* The scope, made when it is new; HB_NO without memory. */
uint32_t hb__scope_for(struct hb__collective_calls *parts, enum hb__scope_kind kind, uint32_t group, uint32_t object);

/* The value of an argument; HB_ABSENT when the function has none of that name or it does not count at that process. */
int64_t hb__shape_argument(const struct hb__call_shape *shape, const char *name);

/* A collective with its parts, for the comparisons. */
struct hb__assembly {
	hb_case *c;
	const struct hb__collective_calls *parts;
	const struct hb__scope *scope;
	uint32_t number;
	const hb_group *group;
	const uint32_t *place; /* by process: its rank in its group of the communicator */
	const struct hb__collective_call *part;
	uint32_t n;
	hb_error *err;
};
const struct hb__call_shape *hb__call_shape_of(const struct hb__assembly *a, uint32_t part);
/* Its rank in MPI_COMM_WORLD. */
int32_t hb__rank_of(const struct hb__assembly *a, uint32_t part);
/* hb_process.name */
const char *hb__part_name(const struct hb__assembly *a, uint32_t part);
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
bool hb__never_comes(const hb_case *c, uint32_t process);

/* ---- fit.c: counts and types of one collective ---- */
hb_status hb__collective_fit(const struct hb__assembly *a, bool *ret_fits);
/* One end of what goes from one process to another. */
struct hb__end {
	uint32_t part;
	const char *does; /* "sends", "receives" */
	hb_data data;
};
/* What a part sends (else receives) from or into the piece at `place` of its buffer; false: not known. */
bool hb__end_data(const struct hb__assembly *a, uint32_t part, bool sends, uint32_t place, hb_data *ret);
/* *ret_fits is set to false, and said, when they do not fit; nothing can be said of datatypes that are not known. */
hb_status hb__ends_match(
	const struct hb__assembly *a, const struct hb__end *x, const struct hb__end *y, bool *ret_fits);
/* ---- neighbors.c: the same along the edges of a topology; and the edges ---- */
hb_status hb__neighbors_fit(const struct hb__assembly *a, bool *ret_fits);
hb_status hb__compare_edges(const struct hb__assembly *a, bool *ret_same);
/* ---- values.c: other arguments that have to be equal ---- */
hb_status hb__compare_values(const struct hb__assembly *a, bool *ret_same);
/* MPI_IN_PLACE at some processes where all have to give it. */
hb_status hb__compare_in_place(const struct hb__assembly *a);

/* ---- given.c: arguments that stand in remarks ---- */
bool hb__given_gather(struct hb__collective_calls *parts, const hb_case *c);
const hb_remark *hb__given(const struct hb__collective_calls *parts, hb_at at); /* NULL: none */
/* The number of the file or window that a call is about, where a remark tells it; -1: none does. */
int64_t hb__named_object(const struct hb__collective_calls *parts, hb_at at, bool file);
/* An array by its key; false: not known. */
bool hb__given_list(const struct hb__assembly *a, uint32_t part, const char *key, struct hb__list *ret);
void hb__list_text(const struct hb__list *list, char *ret, size_t size);
const struct hb__topology *hb__topology_of(const struct hb__collective_calls *parts, uint32_t process, int64_t comm);
hb_status hb__compare_given(const struct hb__assembly *a, bool *ret_same);

/* ---- groups.c: groups given to constructors ---- */
hb_status hb__compare_groups(const struct hb__assembly *a, bool *ret_same);
hb_status hb__compare_makers(hb_case *c, const struct hb__collective_calls *parts, hb_error *err);

#endif
