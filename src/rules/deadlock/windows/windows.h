/* What the recorder's remarks tell of windows and files, for calls on them that do not return. */
#ifndef HBDB_DEADLOCK_WINDOWS_H
#define HBDB_DEADLOCK_WINDOWS_H

#include "rules/deadlock/wait.h"

struct hb__lock {
	int64_t rank; /* of the window; -1: all, shared */
	bool exclusive;
	uint32_t times; /* locked again, without an unlock */
};

/* A window or a file, as one process has it. */
struct hb__object {
	uint32_t process;
	uint32_t id, group; /* of the collective that made it; the same at all its processes; HB_NO: not known */
	bool file;
	int64_t number;        /* in its remarks */
	uint32_t calls;        /* collective ones on it, with the one under way */
	const hb_remark *last; /* of these */
	struct hb__lock *lock; /* held, or waited for */
	uint32_t locks;
	size_t room;
	struct hb__lock unlocked; /* by the last unlock; times 0: none */
	const hb_remark **epoch;  /* starts, posts, completes, in their order */
	uint32_t epochs;
	size_t epoch_room;
};

struct hb__objects {
	struct hb__graph *g;
	hb_remarks *own; /* read here */
	struct hb__object *at;
	size_t n, room;
	uint32_t *first; /* by process: of `at`, which stands in the order of processes */
	bool no_memory;
};

bool hb__objects_read(struct hb__graph *g, struct hb__objects *ret, hb_error *err);
void hb__objects_free(struct hb__objects *o);
/* The same one at another process; NULL: not known. */
struct hb__object *hb__object_at(const struct hb__objects *o, uint32_t process, const struct hb__object *same);
/* That a line is inside a call on; NULL: not known. */
struct hb__object *hb__object_of(const struct hb__objects *o, const struct hb__wait *w);

/* The remark stands before the call that its line is inside of. */
bool hb__under_way(const struct hb__graph *g, const hb_remark *r);

/* ---- locks.c: adds the needs; false: they are not known ---- */
bool hb__need_locks(struct hb__objects *o, struct hb__wait *w, const struct hb__object *x);

#endif
