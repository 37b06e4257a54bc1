/* Writing the raw log: docs/man/hbdb-recording.5 says what the bytes mean. */
#ifndef HBDB_CAPTURE_RECORD_RECORD_H
#define HBDB_CAPTURE_RECORD_RECORD_H

#include "capture/capture.h"
#include "capture/record/clock.h"

/* ---- log.c: the file and its units ---- */

/* Creates the log of this process. `discard`: rows are thrown away, only the
 * header and the lane controls are kept (replay without a record of its own).
 * False: recording is not possible, said on stderr; lanes still work. */
bool hb__log_create(const char *dir, bool discard);
void hb__log_finish(uint32_t state);
void hb__log_state(uint32_t state);
void hb__log_thread_level(int level);
/* The next unit of the file, zeroed, or NULL when recording had to stop. */
void *hb__log_unit(void);
void hb__log_unit_done(struct hb_unit_header *unit);
void hb__log_lost(void);
bool hb__log_discards(void);

/* ---- lane.c ---- */
struct hb__lane *hb__lane_create(uint64_t thread);
extern struct hb__lane *hb__lanes;
/* Scratch of a call: stays valid until hb__scratch_release(mark). NULL only when memory is gone. */
void *hb__scratch(struct hb__lane *lane, size_t bytes);
static inline void hb__scratch_release(struct hb__lane *lane, uint8_t *mark)
{
	/* A mark in an older region: this region was begun inside the call that ends. */
	bool here = mark >= lane->scratch_base && mark <= lane->scratch_end;
	lane->scratch = here ? mark : lane->scratch_base;
}

/* ---- rows.c ---- */

/* Makes room for a record of at most `need` bytes; false when nothing can be stored. */
bool hb__row_room(struct hb__lane *lane, size_t need);
/* Makes what was written visible: one store. */
static inline void hb__row_commit(struct hb__lane *lane, uint8_t *w)
{
	lane->w = w;
	__atomic_store_n(&lane->unit->committed, (uint32_t)(w - (uint8_t *)lane->unit - HB_UNIT_PAYLOAD), __ATOMIC_RELEASE);
}
/* The event of a call that returned `code`: its rows, once it is over. */
void hb__row_event(struct hb__call *c, uint64_t exit, int code);
void hb__row_note(const char *text);

/* ---- slots.c: calls with the same function, place and arguments share a slot ---- */
struct hb__slot {
	const struct hb__fn *fn;
	const void *pc;
	uint64_t epoch;
	uint32_t site;
	uint8_t nargs, flags;
	uint32_t next;             /* in its bucket: 1 + slot, 0 at the end */
	uint32_t bucket;
	int64_t bytes;             /* of one buffer of the first (for receives: last) count; -1 unknown */
	bool dense;                /* the contents sent lie in one piece: */
	uint8_t check_arg;         /* ... from this argument on */
	int64_t check_bytes;
	int comm;                  /* number of the communicator, -1 when unknown or none */
	uintptr_t key[HB_MAX_RECORDED];
	int64_t arg[HB_MAX_RECORDED]; /* neutral */
	uint64_t followed;         /* replay: a record's slot that was found equal, + 1 */
};
/* Finds or defines the slot of a call. Never NULL once the lane exists. */
const struct hb__slot *hb__slot_find(struct hb__call *c, uint32_t *ret_id);
/* Fills `slot->arg` and friends from the call, in neutral values. */
void hb__slot_fill(struct hb__call *c, struct hb__slot *slot);
/* A handle died or changed its meaning: slots made before are not reused. */
void hb__slots_outdated(void);
struct hb__slots *hb__slots_create(void);

/* ---- define.c: definitions of the whole process ---- */
void hb__define_function(const struct hb__fn *fn);
void hb__define_datatype(int number, uint64_t size, const char *name);
void hb__define_op(int number, const char *name);
struct hb__comm;
void hb__define_comm(const struct hb__comm *comm);
uint32_t hb__define_site(const void *pc);
void hb__define_finish(void);

/* ---- site.c ---- */
/* The program's call site: `pc` itself, or past the frames of language bindings. */
const void *hb__site_of(const void *pc, const void *cfa);
/* True for an address inside the MPI library (not its language bindings). */
bool hb__in_library(const void *pc);
void hb__learn_modules(void);
/* Path and load address of the module of an address; false when there is none. */
const char *hb__build_id(uintptr_t base);
bool hb__module_of(const void *pc, const char **ret_path, uintptr_t *ret_base, uintptr_t *ret_end);

#endif
