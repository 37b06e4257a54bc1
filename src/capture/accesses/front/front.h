/* libhbdb-accesses.so: marks of the program and constructs of OpenMP become the trace of the process, and points events in its log. The
 * recorder's rules hold here, too (capture/core/core.h).
 *
 * The first thread - the one that makes the first mark, or begins the first parallel region - has the nest of constructs, and numbers the points.
 * What it knows of it is read by the other threads only while they are inside of a parallel construct, in which it does not change. */
#ifndef HBDB_CAPTURE_ACCESSES_FRONT_H
#define HBDB_CAPTURE_ACCESSES_FRONT_H

#ifndef HB_TYPES_ALONE
#define HB_TYPES_ALONE
#endif
#include <hbdb/compare.h>

#include "capture/accesses/access.h"
#include "capture/accesses/door.h"

#pragma GCC visibility push(hidden)

#define SEEN __attribute__((visibility("default")))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

/* ---- front.c ---- */

extern const struct hb_accesses_door *hb__door; /* never NULL while a trace is written */
enum { HB__TRACE_UNKNOWN, HB__TRACE_ON, HB__TRACE_OFF };
extern int hb__tracing_state;
extern bool hb__mute;        /* points are told to the recorder, and nothing is written */
bool hb__trace_starts(void); /* whether a trace is written; looks when nobody has */
extern hb_trace_settings hb__wanted;
extern uint32_t hb__threads_seen;
/* The first thread of the trace, which this one becomes where there is none. NULL: another one is, or there is no trace. As hb__thread_here. */
struct hb__thread *hb__first_here(void);
extern struct hb__thread *hb__first;  /* NULL: there is none yet */
struct hb__thread *hb__threads(void); /* all, by `next` */
void hb__trace_stop(void);            /* nothing is written any more; why has been said */
uint64_t hb__now(void);               /* ns of CLOCK_MONOTONIC */
/* Zeroed memory that is never given back: small pieces. NULL: none. */
void *hb__room_for(size_t bytes);
char *hb__text_copy(const char *s, size_t most);
const char *hb__last_part(const char *path);

/* ---- file.c: buffers and blocks ---- */

#define HB__BUFFER 65536u
#define HB__RECORD_MOST 16384u /* bytes of a record, at most */

/* Room for a record of at most this many bytes, or NULL. detail: of what may be left out when its iteration turns out not to be among the last ones.
 * Write from t->w on, then hb__put_done. */
bool hb__put_begin(struct hb__thread *t, size_t most, bool detail);
static inline void hb__put_done(struct hb__thread *t) { __atomic_store_n(&t->complete, t->w, __ATOMIC_RELEASE); }
void hb__file_named(const char *log, int rank, int size);
void hb__file_over(void);
bool hb__file_is_there(void);
void hb__file_forget(void); /* in a child */
/* Writes what a thread has, behind what the first one has. */
void hb__flush(struct hb__thread *t);
void hb__flush_all(void);
void hb__flush_others(struct hb__thread *first); /* where they have something */
/* A definition: what a thread other than the first one defines is there for all from now on. */
void hb__define(struct hb__thread *t, const uint8_t *record, size_t bytes);
/* The recording's folder, "" as long as it is not known. */
const char *hb__file_folder(char *to, size_t size);
void hb__file_stem(char *to, size_t size); /* "3" of rank.3.trace */
int hb__file_size(void);                   /* processes of the world; 0: not known */

/* What is held back until it is known whether it is among the last iterations of a loop. */
struct hb__ring {
	uint64_t *at;          /* where each of the last `most` iterations begins among what is held */
	uint64_t most, n;      /* n: begun so far */
	struct hb__thread *of; /* NULL: of all threads */
	struct hb__ring *next;
};
void hb__ring_open(struct hb__ring *ring, uint64_t most, struct hb__thread *of);
void hb__ring_turn(struct hb__ring *ring); /* an iteration begins */
void hb__ring_close(struct hb__ring *ring);

/* ---- records, inline ---- */

static inline uint8_t *hb__uv(uint8_t *w, uint64_t v)
{
	while (v >= 128) {
		*w++ = (uint8_t)v | 128;
		v >>= 7;
	}
	*w++ = (uint8_t)v;
	return w;
}
static inline uint8_t *hb__sv(uint8_t *w, int64_t v) { return hb__uv(w, (uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }
uint8_t *hb__str(uint8_t *w, const char *s); /* at most HB__TEXT_MOST bytes of it */
uint8_t *hb__point(uint8_t *w, const hb_point *point);
#define HB__TEXT_MOST 1000u
#define HB__UV 10u /* bytes of a number, at most */

/* ---- constructs.c: what a program consists of ---- */

struct hb__construct {
	uint32_t number;
	hb_construct_type type;
	struct hb__construct *parent;
	const char *name, *file, *function;
	uint32_t line, rank;
	hb_trace_level level; /* that holds in it */
	const hb_construct_wanted *wanted;
	uint64_t cost[5];                 /* as hb_trace_record has it; counted in a dry run, by all threads */
	const char *name_at, *file_at;    /* as they were given the last time */
	char event[224];                  /* what its events are called */
	struct hb__construct *next, *all; /* in its bucket; in the order of their numbers */
};
/* The one at this place of the nest, defined in the trace when it is new. NULL: no memory. */
struct hb__construct *hb__construct_of(struct hb__thread *t, struct hb__construct *parent, hb_construct_type type,
	const char *name, const char *file, int line, const char *function);
void hb__constructs_cost(struct hb__thread *t);

/* ---- marks.c: the nest, points ---- */

#define HB__NEST 64u
struct hb__open {
	struct hb__construct *construct;
	hb_point point; /* its begin; number 0: it has none */
	bool quiet;     /* nothing in it has a point */
	bool ignored;   /* it is no construct: of a library of the system */
	bool within;    /* details are wanted here, by start and finish */
	bool skips;     /* its iteration is not traced */
	bool in_task;
	uint64_t task, inner;
	uint64_t iterations;
	struct hb__ring own; /* of the first thread */
};
extern struct hb__open hb__nest[HB__NEST];
extern unsigned hb__depth;        /* of the nest; may be more than HB__NEST */
extern uint64_t hb__parallel;     /* begins of parallel constructs so far, also of such without a point */
extern bool hb__iterations;       /* somebody wants to know of iterations */
extern bool hb__details;          /* accesses and iterations are traced, as far as the first thread is concerned */
extern struct hb__open *hb__team; /* the parallel loop whose iterations other threads do; NULL: none */
static inline struct hb__open *hb__innermost(void) { return hb__depth ? &hb__nest[hb__depth - 1] : NULL; }
hb_trace_level hb__level_now(void);
/* A construct begins, ends. pc: what the first thread returns to; cfa: its frame there. */
void hb__begin(struct hb__thread *t, hb_construct_type type, const char *name, const char *file, int line,
	const char *function, const void *pc, const void *cfa);
void hb__begin_ignored(struct hb__thread *t);
void hb__end(struct hb__thread *t, hb_construct_type type, const char *name, const void *pc, const void *cfa);
void hb__look_again(void); /* what is wanted follows from the nest */

/* ---- limits.c: iterations ---- */
void hb__iterate(struct hb__thread *t, unsigned n, const int64_t *index);
/* Several iterations were told at once, and what follows is of one of them, which is not known. */
void hb__iteration_unknown(struct hb__thread *thread);
bool hb__loop_limited(const struct hb__open *open);
void hb__loop_begins(struct hb__open *open);
void hb__loop_ends(struct hb__open *open);

/* ---- arrays.c ---- */
void hb__array_told(struct hb__thread *t, const hb_array *array, const char *file, int line);
/* The first thread's alone: the program told MPI of it. In the place of one that begins there and that nobody registered, if that is there. room: bytes from
 * its address to where the memory ends, 0: not known; begins: nothing of that memory is before it. NULL: the program has registered an array there, or the description
 * makes no sense. */
struct hb__array *hb__array_spread(struct hb__thread *t, const char *name, const char *file, uint32_t line,
	const hb_array *as, size_t room, bool begins);
bool hb__same_array(const hb_array *a, const hb_array *b); /* but for the name */
void hb__array_ends(struct hb__thread *t, const void *at);
struct hb__array *hb__array_from(const void *at); /* that begins there */
/* The first thread's alone: all that are registered, by `next`. */
struct hb__array *hb__arrays_all(void);
/* What the construct touches, of any kind, by `touched_next`; some may be gone. */
struct hb__array *hb__arrays_touched(void);
struct hb__array *hb__array_named(const hb_array_id *id); /* the same; file NULL: any, else with its line */
/* Its number, defined in the trace when that has not been done. */
uint64_t hb__array_number(struct hb__thread *t, struct hb__array *array);
/* A number for one that is not there. */
uint64_t hb__array_missing(struct hb__thread *t, const hb_array_id *id);
void hb__arrays_untouched(void);

/* ---- sums.c ---- */
void hb__checksums(struct hb__thread *t, const struct hb__open *open);

/* ---- save.c ---- */
void hb__save_at(struct hb__thread *t, const hb_point *point);

/* ---- reductions.c ---- */
void hb__reduction_told(struct hb__thread *t, const char *name, hb_reduction how, hb_element type, const void *at,
	const char *file, int line);
void hb__reduction_complete(struct hb__thread *t, const void *at);
void hb__reductions_end(struct hb__thread *t, const struct hb__construct *of);

#pragma GCC visibility pop

#endif
