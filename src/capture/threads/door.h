/* Between libhbdb-threads.so, which stands in front of the functions by which threads order each other, and the recorder beside it. Both
 * are of the same build. */
#ifndef HBDB_CAPTURE_THREADS_DOOR_H
#define HBDB_CAPTURE_THREADS_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum hb_thread_function {
#define HB_THREAD_FUNCTION(name, version, kind, whose) HB_THREAD_##name,
#define HB_THREAD_OTHER(name, kind) HB_THREAD_##name,
#include "calls/threads/threads.def"
#undef HB_THREAD_FUNCTION
	HB_THREAD_FUNCTIONS
};
enum hb_thread_kind { HB_THREAD_TAKE, HB_THREAD_GIVE, HB_THREAD_TRY, HB_THREAD_ANSWER };

/* A thread whose operations are recorded, or follow a record: the recorder's. */
struct hb_actor;

/* Replay: what the record has of an operation. */
#define HB_THREAD_VALUES 2
struct hb_expected {
	bool row;        /* it has something */
	int64_t outcome; /* what it answers instead of what is usual, 0: as usual */
	int64_t value[HB_THREAD_VALUES];
	uint64_t position;
	int64_t results[4 + HB_THREAD_VALUES];
	unsigned n;
};

struct hb_threads_door {
	/* The library is there: the order between threads is wanted. */
	void (*opened)(void);
	/* Of a call made at pc: who makes it; NULL: it is none of ours. *ret_follows: it is to be as recorded. */
	struct hb_actor *(*enter)(const void *pc, bool *ret_follows);

	/* It is known by then that nothing is followed: took and unlocks, and who does it. takes returns `got`, so that it can be jumped to. */
	int (*takes)(const void *pc, enum hb_thread_function function, const void *object, int got);
	void (*frees)(const void *pc, enum hb_thread_function function, const void *object);

	/* Recording. The thread got what it asked `object` for; it is about to give it back, or to let others go on by it. */
	void (*took)(struct hb_actor *actor, enum hb_thread_function function, const void *object);
	void (*gives)(struct hb_actor *actor, enum hb_thread_function function, const void *object);
	/* As gives, of what it alone has: nothing is told when nothing has happened since it got it. */
	void (*unlocks)(struct hb_actor *actor, enum hb_thread_function function, const void *object);
	/* The operation was answered otherwise than usual; n values. */
	void (*told)(struct hb_actor *actor, enum hb_thread_function function, int64_t outcome, unsigned n,
		const int64_t *value);

	/* The same of a function that tells something at each call: 0 needs no row. */
	void (*answered)(struct hb_actor *actor, enum hb_thread_function function, int64_t outcome);

	/* Replay. There is a record to follow, and it has not ended. */
	bool (*follows)(const struct hb_actor *actor);
	/* Waits as the next operation will, if it is this one, and leaves it to be done. */
	void (*awaits)(struct hb_actor *actor, enum hb_thread_function function);
	/* Waits until all is done that has to be before this operation; then, when it is over: */
	void (*expect)(struct hb_actor *actor, enum hb_thread_function function, struct hb_expected *ret);
	void (*done)(struct hb_actor *actor, enum hb_thread_function function, const struct hb_expected *expected);
};

/* The recorder has it, by this name. */
#define HB_THREADS_DOOR "hb_threads_door_1"
extern const struct hb_threads_door hb_threads_door_1 __attribute__((visibility("default")));

#pragma GCC visibility pop

#endif
