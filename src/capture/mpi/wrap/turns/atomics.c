/* What several processes may do at one time and the library does one after the other: atomic operations on the memory of a process, and
 * accesses through the shared pointer of a file. Each takes the next turn of the process, or of the file, waits until those before it are
 * over, and is over itself before the next one begins: which came first could not be told otherwise, for two that meet the same value
 * may have done so in either order. A replay gives each the turn that it had.
 *
 * These calls are events where they take a turn, and else, as in recordings of earlier versions, not. */
#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

/* Without turns: as the table says. */
static int as_ever(struct hb__call *c) { return c->fn->flags & HB_NONBLOCKING ? hb__on_event(c) : hb__on_moving(c); }

static int done(struct hb__call *c)
{
	if (!(c->fn->flags & HB_NONBLOCKING))
		return HB__GO(move, c);
	int code = HB__GO(call, c);
	hb__posted(c, code);
	return code;
}

/* Rank: whose turns they are. win: the operation has to be over, not only begun, before the next one. */
static int in_turn(struct hb__call *c, struct hb__turns *t, int rank, bool win)
{
	hb__begin(c, true);
	bool replay = hb__config.mode == HB__REPLAY;
	bool takes = t->there && (!replay || (c->followed && hb__expected(c)->n == 1));
	int64_t turn = takes && replay ? hb__expected(c)->results[0] : 0;
	if (takes && replay)
		hb__turn_take(t, rank, (uint64_t)turn);
	else if (takes)
		turn = (int64_t)hb__turn_next(t, rank);
	int code = done(c);
	if (takes && win && code == MPI_SUCCESS)
		PMPI(Win_flush)(rank, (MPI_Win)hb__arg(c, HB_R_WIN));
	if (takes) {
		hb__turn_over(t, rank);
		if (hb__results(c, 1))
			hb__result(c, turn);
	}
	hb__end(c, code);
	return code;
}

/* A replay takes its word from the record, in which the window of ours may have failed. */
static bool has_row(struct hb__call *c, const struct hb__turns *t)
{
	return hb__config.mode == HB__RECORD ? t->there : hb__script_turns() && hb__follow_comes(c);
}

/* Only while a lock of the target is held that others may hold, too, are there others, and may it be flushed. */
int hb__on_atomic(struct hb__call *c)
{
	struct hb__turns *t = hb__turns_of(true, hb__arg(c, HB_R_WIN));
	int rank = (int)hb__arg(c, HB_R_DEST);
	bool shared = t && rank >= 0 && rank < t->size && (t->all || t->held[rank] == HB__HELD_SHARED);
	return shared && has_row(c, t) ? in_turn(c, t, rank, true) : as_ever(c);
}

int hb__on_shared_pointer(struct hb__call *c)
{
	struct hb__turns *t = hb__turns_of(false, hb__arg(c, HB_R_FILE));
	return t && has_row(c, t) ? in_turn(c, t, 0, false) : as_ever(c);
}
