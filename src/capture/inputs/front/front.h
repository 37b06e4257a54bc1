/* libhbdb-inputs.so: in front of the functions of the C library by which something comes into the process. Each asks at the door what is
 * to become of the call, and passes it on, keeps what came, or answers as recorded.
 *
 * It is loaded beside the recorder at level data and in replays of such recordings, and nowhere else. The recorder's rules hold here,
 * too (capture/core/core.h). */
#ifndef HBDB_CAPTURE_INPUTS_FRONT_H
#define HBDB_CAPTURE_INPUTS_FRONT_H

#include <stdarg.h>

#include "capture/core/front.h"
#include "capture/inputs/door.h"
#include "capture/inputs/front/next.h"

#pragma GCC visibility push(hidden)

#define SEEN __attribute__((visibility("default")))
#define CALLER hb__caller(__builtin_extract_return_addr(__builtin_return_address(0)))

/* The layer of sockets stands in front of us; NULL: it is not there. */
extern const struct hb_front *hb__sockets;
/* Who made a call that came from there, as it says. */
static inline __attribute__((always_inline)) const void *hb__caller(const void *pc)
{
	bool there = hb__sockets && (const char *)pc >= hb__sockets->low && (const char *)pc < hb__sockets->high;
	return unlikely(there) ? hb__sockets->caller() : pc;
}

extern const struct hb_inputs_door *hb__door; /* NULL: the recorder is not there (yet) */

static inline __attribute__((always_inline)) enum hb_inputs hb__enter(const void *pc)
{
	return likely(hb__door && pc) ? hb__door->enter(pc) : HB_INPUTS_PASS;
}

/* The layer of sockets is there: what goes through sockets and pipes, and waiting for it, is its own. */
static inline bool hb__talks(int fd) { return hb__sockets && hb__sockets->takes(fd); }
static inline __attribute__((always_inline)) enum hb_inputs hb__enter_talk(const void *pc, int fd)
{
	return hb__talks(fd) ? HB_INPUTS_PASS : hb__enter(pc);
}

/* ... and a call that waits for descriptors, or talks to a command, whichever they are. */
static inline __attribute__((always_inline)) enum hb_inputs hb__enter_wait(const void *pc)
{
	return hb__sockets ? HB_INPUTS_PASS : hb__enter(pc);
}

/* A call that may wait: handlers of the program may run in it, and may jump out of it. */
#define WAITING(what, call)                         \
	__extension__({                             \
		if ((what) != HB_INPUTS_PASS)       \
			hb__door->outside();        \
		__typeof__(call) waited_for = call; \
		if ((what) != HB_INPUTS_PASS)       \
			hb__door->again();          \
		waited_for;                         \
	})

/* What differs is told once for each of them. */
enum hb__kind {
	HB__CLOCKS,
	HB__RANDOM,
	HB__PROCESS,
	HB__ENVIRONMENT,
	HB__FILES,
	HB__STREAMS,
	HB__WAITS,
	HB__SIGNALS,
	HB__KINDS
};
__attribute__((format(printf, 3, 4))) void hb__differs(enum hb__kind kind, const void *pc, const char *format, ...);

/* This thread is in a handler of the program, which may have come in the middle of anything here. */
extern __thread bool hb__in_handler __attribute__((tls_model("initial-exec")));

/* ---- answer.c: a call and its answer ---- */
struct hb__answer {
	int64_t result;
	int error;        /* errno, when it failed */
	const uint8_t *p; /* what it wrote */
	size_t bytes;
	const uint8_t *more; /* and what came with it */
	size_t more_bytes;
	int flags; /* and what was said of it */
};
void hb__keep(struct hb__source *source, int64_t result, int error, const void *p, size_t bytes);
/* The next one of this function. False: it is made where the recording has none, which is told. */
bool hb__give(struct hb__source *source, enum hb__kind kind, const void *pc, struct hb__answer *ret);
/* The name behind the layer's. */
static inline const char *hb__called(const struct hb__source *source) { return source->name + sizeof "inputs:" - 1; }
/* Where the items of a function stand, against this thread's events. */
enum hb__where { HB__HERE, HB__PASSED, HB__AHEAD };
enum hb__where hb__position(uint64_t event);
/* The same function was called less, or more often, between two events than in the recording. */
void hb__called_less(const struct hb__source *source, enum hb__kind kind, const void *pc);
void hb__called_more(const struct hb__source *source, enum hb__kind kind, const void *pc);

/* ---- sequence.c: numbers that are asked for often and change little ---- */
enum { HB__SEQUENCES = 32 };
struct hb__sequence {
	struct hb__source source;
	unsigned index; /* of its state in a thread */
	int64_t per_ms; /* of a clock: how much it grows in a millisecond; 0: no clock that is polled */
	enum hb__kind kind;
};
/* Keeps it. Returns what the program is to get. */
int64_t hb__sequence_keep(struct hb__sequence *sequence, int64_t now, const void *pc);
/* now: what the real one says, for where the recording has nothing. */
int64_t hb__sequence_give(struct hb__sequence *sequence, int64_t now, const void *pc);

#pragma GCC visibility pop

#endif
