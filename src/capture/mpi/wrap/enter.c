/* From the wrapper to the handler: nesting, counting, and threads seen first. */
#include "capture/mpi/check/check.h"
#include "capture/core/control/control.h"
#include "capture/core/layer.h"
#include "capture/mpi/tell/tell.h"
#include "capture/mpi/wrap/step.h"

/* Calls made before MPI_Init or after MPI_Finalize; told with the first lane. */
uint64_t hb__early_calls[HB_FN_COUNT];
uint8_t hb__plain[HB_FN_COUNT];

static hb__function next_of(const struct hb__fn *fn, enum hb__entry entry)
{
	if (unlikely(!hb__next[entry][fn->id]))
		hb__find_library();
	return hb__next[entry][fn->id];
}

/* `special` false: nothing is asked for beside recording or replay. */
static inline __attribute__((always_inline)) int run(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a,
	hb__function next, const void *pc, const void *cfa, bool special)
{
	const unsigned id = fn->id;
	struct hb__call c; /* set up member by member: hb__begin and the handlers fill the rest */
	c.fn = fn;
	c.a = a;
	c.next = next;
	c.lane = lane;
	c.pc = pc;
	c.cfa = cfa;
	c.slot = NULL;
	c.followed = c.deferred = false;
	c.nresults = 0;
	c.enter = 0;
	lane->depth = 1;
	if (unlikely(lane->control->calls[id]++ == 0)) {
		hb__define_function(fn); /* a count needs a name */
		__atomic_store_n(&hb__plain[id], hb__handlers[id] == hb__on_plain, __ATOMIC_RELEASE);
	}
	if (special && hb__controlled && hb__handlers[id] != hb__on_plain && hb__handlers[id] != hb__on_moving)
		hb__control_look(lane, true);
	if (unlikely(hb__telling))
		hb__tell(&c);
	bool checked = special && hb__checking, passes = false;
	if (checked) {
		lane->checked = &c;
		passes = hb__check_passes(&c);
	}
	if (checked && unlikely(!passes))
		hb__check_enter(&c);
	int code = hb__handlers[id](&c);
	if (checked) {
		passes ? hb__check_passed(&c, code) : hb__check_leave(&c, code);
		lane->checked = NULL;
	}
	if (special)
		hb__control_check(lane);
	lane->depth = 0;
	if (unlikely(hb__after_event))
		hb__after_event();
	return code;
}

/* A call below another one is the library's own, or that of another tool, which stands between us and the library and
 * calls PMPI_X, or a callback's: then it is the program's. A Fortran callback calls PMPI_X, too, by its binding. */
static __attribute__((noinline)) int below(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a,
	enum hb__entry entry, hb__function next, const void *pc, const void *cfa)
{
	if (hb__in_library(pc) || (entry == HB_ENTRY_PMPI && !hb__in_binding(pc)))
		return fn->invoke(next, a);
	uint16_t depth = lane->depth;
	struct hb__call *around = lane->checked;
	lane->nested++;
	int code = run(lane, fn, a, next, pc, cfa, lane->special);
	lane->nested--;
	lane->depth = depth;
	lane->checked = around;
	return code;
}

static int call_outside(const struct hb__fn *fn, uintptr_t *a, enum hb__entry entry, const void *pc, const void *cfa)
{
	hb__function next = next_of(fn, entry);
	if (!next) {
		hb__say("%s was called, but no MPI library is loaded", fn->name);
		return MPI_ERR_OTHER;
	}
	if (fn->means->does == HB_DOES_INIT) {
		struct hb__call c = {.fn = fn, .a = a, .next = next, .pc = pc, .cfa = cfa};
		if (unlikely(hb__finished && hb__config.remarks))
			hb__check_outside(fn, pc, cfa);
		return hb__on_init(&c);
	}
	if (!hb__active || hb__began_alone()) {
		bool session = fn->means->does == HB_DOES_SESSION_INIT || fn->means->does == HB_DOES_SESSION_END ||
			       hb__session_makes(fn);
		struct hb__call c = {.fn = fn, .a = a, .next = next, .pc = pc, .cfa = cfa};
		if (unlikely(hb__config.remarks)) {
			hb__check_outside(fn, pc, cfa);
			if (hb__finished)
				return hb__check_freed_late(fn, a, next);
		}
		if (unlikely(session && !hb__finished && !hb__began_alone()))
			return hb__on_early_session(&c);
		hb__early_calls[fn->id]++;
		return fn->invoke(next, a);
	}
	struct hb__lane *lane = hb__in_library(pc) ? NULL : hb__lane_of_this_thread();
	return lane ? run(lane, fn, a, next, pc, cfa, lane->special) : fn->invoke(next, a);
}

/* There is no lane that says that the thread is inside a call. */
static __attribute__((noinline)) int outside(
	const struct hb__fn *fn, uintptr_t *a, enum hb__entry entry, const void *pc, const void *cfa)
{
	uint8_t apart = hb__apart;
	hb__apart |= HB__APART_CALL;
	int code = call_outside(fn, a, entry, pc, cfa);
	hb__apart = apart;
	return code;
}

static __attribute__((noinline)) int unusual(const struct hb__fn *fn, uintptr_t *a, const hb__function *at,
	const void *pc, const void *cfa, struct hb__lane *lane)
{
	enum hb__entry entry = at < hb__next[HB_ENTRY_PMPI] ? HB_ENTRY_MPI : HB_ENTRY_PMPI;
	if (!lane || hb__began_alone()) /* with a lane of MPI's the library was found */
		return outside(fn, a, entry, pc, cfa);
	return below(lane, fn, a, entry, *at, pc, cfa);
}

static __attribute__((noinline)) int special(const struct hb__fn *fn, uintptr_t *a, const hb__function *next,
	const void *pc, const void *cfa, struct hb__lane *lane)
{
	/* the lanes of a process that began without MPI are special */
	if (unlikely(!lane || lane->depth || hb__began_alone()))
		return unusual(fn, a, next, pc, cfa, lane);
	return run(lane, fn, a, *next, pc, cfa, true);
}

int hb__wrap(const struct hb__fn *fn, uintptr_t *a, const hb__function *next, const void *pc, const void *cfa)
{
	struct hb__lane *lane = hb__self;
	if (unlikely(!lane || lane->unusual))
		return special(fn, a, next, pc, cfa, lane);
	return run(lane, fn, a, *next, pc, cfa, false);
}

/* ---- functions that return a value ---- */

hb__function hb__value_enter(const struct hb__fn *fn, enum hb__entry entry, const void *pc, const void *cfa)
{
	(void)pc;
	(void)cfa;
	struct hb__lane *lane = hb__self;
	hb__function next = next_of(fn, entry);
	if (unlikely(hb__began_alone()))
		return next;
	if (lane && !lane->depth && lane->control->calls[fn->id]++ == 0)
		hb__define_function(fn);
	else if (!lane)
		hb__early_calls[fn->id]++;
	return next;
}

/* The clock is one more thing that MPI answers: recorded, and in replay the same again. */
static double clock_value(struct hb__lane *lane, const struct hb__fn *fn, double value, const void *pc, const void *cfa)
{
	struct hb__call c = {.fn = fn, .lane = lane, .pc = pc, .cfa = cfa};
	uint64_t bits;
	lane->depth = 1;
	hb__begin(&c, true);
	if (c.followed && hb__expected(&c)->n == 1) {
		bits = lane->last_wtime + (uint64_t)hb__expected(&c)->results[0];
		memcpy(&value, &bits, sizeof value);
	}
	memcpy(&bits, &value, sizeof bits);
	if (hb__results(&c, 1))
		hb__result(&c, (int64_t)(bits - lane->last_wtime));
	lane->last_wtime = bits;
	hb__end(&c, MPI_SUCCESS);
	hb__control_check(lane);
	lane->depth = 0;
	return value;
}

double hb__double_leave(const struct hb__fn *fn, double value, const void *pc, const void *cfa)
{
	struct hb__lane *lane = hb__self;
	if (!lane || lane->depth || fn->means->shape != HB_SHAPE_CLOCK || hb__began_alone())
		return value;
	return clock_value(lane, fn, value, pc, cfa);
}

MPI_Aint hb__aint_leave(const struct hb__fn *fn, MPI_Aint value, const void *pc, const void *cfa)
{
	(void)fn;
	(void)pc;
	(void)cfa;
	return value;
}
