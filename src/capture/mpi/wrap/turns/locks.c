/* Locks of windows. The turn is taken once the lock is granted: the library may put that off until the lock is needed, so that a flush
 * asks for it. What had been granted by then is what a replay waits for before it asks for the lock; that it waits at the call, and
 * only for what came before this call returned, is why it cannot wait for itself. Whoever was granted before and has not unlocked is
 * waited for by the library. */
#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

struct lock {
	struct hb__turns *turns;
	int rank; /* of the target; -1: MPI_Win_lock_all */
	bool exclusive, counted;
};

static struct lock lock_of(const struct hb__call *c)
{
	bool all = c->fn->means->does == HB_DOES_WINDOW_LOCK_ALL;
	struct lock l = {.turns = hb__turns_of(true, hb__arg(c, HB_R_WIN)), .rank = -1};
	unsigned assert_at = (unsigned)hb__role(c, HB_R_WIN) - 1; /* stands before the window */
	l.exclusive = !all && (int)c->a[0] == MPI_LOCK_EXCLUSIVE;
	if (!all)
		l.rank = (int)hb__arg(c, HB_R_DEST);
	if (!l.turns || (!all && (l.rank < 0 || l.rank >= l.turns->size))) {
		l.turns = NULL;
		return l;
	}
	l.counted = l.turns->there && !((int)c->a[assert_at] & MPI_MODE_NOCHECK);
	return l;
}

/* How many results its row has. */
static size_t results_of(const struct lock *l) { return l->exclusive ? 4 : 2; }

static void await(const struct lock *l, const int64_t *recorded)
{
	if (l->rank < 0) {
		hb__turn_await(l->turns, 0, HB__TURN_EVERY, (uint64_t)recorded[0], 0);
	} else {
		hb__turn_await(l->turns, l->rank, HB__TURN_LOCK, (uint64_t)recorded[0],
			l->exclusive ? (uint64_t)recorded[1] : 0);
		if (l->exclusive && recorded[3])
			hb__turn_await(l->turns, 0, HB__TURN_EVERY, 0, (uint64_t)recorded[3]);
	}
}

static void tell(struct hb__call *c, uint64_t word)
{
	hb__result(c, (int64_t)(word >> 32));
	hb__result(c, (int64_t)(uint32_t)word);
}

static void granted(struct hb__call *c, const struct lock *l)
{
	MPI_Win win = (MPI_Win)hb__arg(c, HB_R_WIN);
	if (!hb__results(c, results_of(l)))
		return;
	if (l->rank < 0)
		PMPI(Win_flush_all)(win);
	else
		PMPI(Win_flush)(l->rank, win);
	uint64_t one = l->exclusive ? HB__TURN_EXCLUSIVE : 1;
	if (l->rank >= 0)
		tell(c, hb__turn_add(l->turns, l->rank, HB__TURN_LOCK, one));
	if (l->rank < 0 || l->exclusive)
		tell(c, hb__turn_add(l->turns, 0, HB__TURN_EVERY, one));
}

static void note(struct hb__turns *t, int rank, enum hb__held held)
{
	if (!t)
		return;
	if (rank < 0)
		t->all = held != HB__HELD_NOT;
	else if (rank < t->size)
		t->held[rank] = (uint8_t)held;
}

/* Where only choices are stored: it is one. */
static bool tells(struct hb__call *c, const struct lock *l)
{
	if (hb__config.mode == HB__RECORD || !hb__config.order)
		return l->counted;
	return l->counted && hb__script_turns() && hb__follow_comes(c);
}

int hb__on_window_lock(struct hb__call *c)
{
	struct lock l = lock_of(c);
	hb__begin(c, tells(c, &l));
	if (l.counted && c->followed && hb__expected(c)->n == results_of(&l))
		await(&l, hb__expected(c)->results);
	int code = HB__GO(call, c);
	if (code == MPI_SUCCESS) {
		/* who does not want to be checked is not kept from others */
		note(l.turns, l.rank, l.exclusive && l.counted ? HB__HELD_EXCLUSIVE : HB__HELD_SHARED);
		if (l.counted && hb__turns_told())
			granted(c, &l);
	}
	hb__end(c, code);
	return code;
}

int hb__on_window_unlock(struct hb__call *c)
{
	bool all = c->fn->means->does == HB_DOES_WINDOW_UNLOCK_ALL;
	struct hb__turns *t = hb__turns_of(true, hb__arg(c, HB_R_WIN));
	int code = hb__on_event(c);
	if (code == MPI_SUCCESS && (all || (int)hb__arg(c, HB_R_DEST) >= 0))
		note(t, all ? -1 : (int)hb__arg(c, HB_R_DEST), HB__HELD_NOT);
	return code;
}
