/* The windows that turns are counted in. Making one is collective, as it is to make the window or file that it belongs to: it is done
 * then, over a communicator of our own, for neither attributes nor the error handler of the program's may have a part in it. */
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/layer.h"
#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

#define SPINS 200           /* looks before a wait sleeps between them */
#define NAP_NS 20000        /* the first sleep */
#define NAP_MOST_NS 1000000 /* and the longest */

enum {
#define HB_DATATYPE(name) TYPE_##name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
};
enum {
#define HB_OPERATION(name) OP_##name,
#include "calls/operations.def"
#undef HB_OPERATION
};

static struct hb__map turns_of[2]; /* by handle: files, windows */
static struct hb__turns *unused;

static MPI_Datatype word_type(void)
{
	uintptr_t handle = 0;
	hb__predefined_type(TYPE_UINT64_T, &handle);
	return (MPI_Datatype)handle;
}

static MPI_Op op_of(unsigned index)
{
	uintptr_t handle = 0;
	hb__predefined_op(index, &handle);
	return (MPI_Op)handle;
}

bool hb__turns_told(void) { return hb__config.mode == HB__RECORD || hb__script_turns(); }

/* ---- their life ---- */

/* A process of which the recording has nothing runs without us. */
static bool all_replayed(void)
{
	static int known = -1;
	char path[4200];
	if (known < 0) {
		known = 1;
		for (int i = 0; i < hb__size && hb__config.mode == HB__REPLAY && !hb__spawned; i++) {
			snprintf(path, sizeof path, "%s/rank.%d.log", hb__config.script, i);
			known = known && !access(path, R_OK);
		}
	}
	return known;
}

/* Which processes there are, all of them have to see alike: with those of another world, which may run without us, none are made. Nor are
 * any where calls are checked: a process that frees its window while another one still fences would stand in our call instead of where its
 * mistake leads it. */
static bool has_turns(const struct hb__comm *comm)
{
	if (!comm || hb__config.remarks || comm->inter || comm->size < 2 || (!hb__alone && !all_replayed()))
		return false;
	for (int i = 0; i < comm->size; i++)
		if (comm->member[i] < 0)
			return false;
	return true;
}

/* Errors of arguments are found without the others, who then may wait for ever: nobody waits for them here, too. */
static bool alone_in_it(bool win, int code)
{
	int class = code == MPI_SUCCESS ? 0 : hb__error_class(code);
	return class &&
	       (win || class == HB_ERR_COMM || class == HB_ERR_ARG || class == HB_ERR_AMODE || class == HB_ERR_INFO);
}

static bool make_window(MPI_Comm own, MPI_Win *ret)
{
	void *base = NULL;
	if (PMPI(Win_allocate)(HB__TURN_WORDS * sizeof(uint64_t), sizeof(uint64_t), hb__known.info_null, own, &base,
		    ret) != MPI_SUCCESS)
		return false;
	PMPI(Win_set_errhandler)(*ret, hb__known.errors_return);
	if (PMPI(Win_lock_all)(MPI_MODE_NOCHECK, *ret) != MPI_SUCCESS)
		return false;
	memset(base, 0, HB__TURN_WORDS * sizeof(uint64_t));
	PMPI(Win_sync)(*ret);
	return true;
}

/* By all processes of the communicator. */
static bool make(MPI_Comm comm, bool wanted, MPI_Win *ret)
{
	MPI_Errhandler was;
	MPI_Group group;
	MPI_Comm own = hb__known.comm_null;
	int made = 0, all = 0;
	uintptr_t type = 0;
	hb__predefined_type(TYPE_INT, &type);
	if (PMPI(Comm_get_errhandler)(comm, &was) != MPI_SUCCESS)
		return false;
	PMPI(Comm_set_errhandler)(comm, hb__known.errors_return);
	PMPI(Comm_group)(comm, &group);
	if (PMPI(Comm_create)(comm, group, &own) == MPI_SUCCESS) {
		PMPI(Comm_set_errhandler)(own, hb__known.errors_return);
		int first = wanted;
		if (PMPI(Allreduce)(&first, &all, 1, (MPI_Datatype)type, op_of(OP_MIN), own) == MPI_SUCCESS && all)
			made = make_window(own, ret);
		if (all && PMPI(Allreduce)(&made, &all, 1, (MPI_Datatype)type, op_of(OP_MIN), own) != MPI_SUCCESS)
			all = 0;
		PMPI(Comm_free)(&own);
	}
	PMPI(Group_free)(&group);
	PMPI(Comm_set_errhandler)(comm, was);
	PMPI(Errhandler_free)(&was);
	return all;
}

static void add(bool win, uintptr_t handle, const struct hb__turns *made)
{
	hb__track_lock();
	struct hb__turns **at = &unused;
	while (*at && (*at)->size < made->size)
		at = &(*at)->unused;
	struct hb__turns *t = *at;
	if (t)
		*at = t->unused;
	else if ((t = hb__pool(sizeof *t)) && !(t->held = hb__pool((size_t)made->size)))
		t = NULL;
	if (t) {
		uint8_t *held = t->held;
		*t = *made;
		t->held = held;
		memset(held, 0, (size_t)made->size);
		hb__map_put(&turns_of[win], handle, t);
	}
	hb__track_unlock();
}

void hb__turns_come(bool win, uintptr_t handle, uintptr_t comm, int code)
{
	static bool told;
	const struct hb__comm *over = hb__comm_find(comm);
	struct hb__turns t = {.ours = hb__known.win_null};
	if (!has_turns(over) || alone_in_it(win, code))
		return;
	t.size = over->size;
	if (!hb__alone)
		t.there = make((MPI_Comm)comm, code == MPI_SUCCESS, &t.ours);
	if (code != MPI_SUCCESS)
		return;
	if (!t.there && !hb__alone && !told) {
		told = true;
		hb__row_note(
			"windows, files: the MPI library made no window to count turns in: a replay does not enforce the order of locks, atomic operations and shared pointers of one");
	}
	add(win, handle, &t);
}

struct hb__turns *hb__turns_of(bool win, uintptr_t handle)
{
	hb__track_lock();
	struct hb__turns *t = hb__map_find(&turns_of[win], handle);
	hb__track_unlock();
	return t;
}

/* The library may give its handle to another thread's at once. */
struct hb__turns *hb__turns_go(bool win, uintptr_t handle)
{
	hb__track_lock();
	struct hb__turns *t = hb__map_find(&turns_of[win], handle);
	if (t)
		hb__map_remove(&turns_of[win], handle);
	hb__track_unlock();
	return t;
}

void hb__turns_gone(struct hb__turns *t, bool win, uintptr_t handle, int code)
{
	if (!t)
		return;
	if (code == MPI_SUCCESS && t->there) {
		PMPI(Win_unlock_all)(t->ours);
		PMPI(Win_free)(&t->ours);
	}
	hb__track_lock();
	if (code != MPI_SUCCESS) {
		hb__map_put(&turns_of[win], handle, t);
	} else {
		t->there = false;
		t->unused = unused;
		unused = t;
	}
	hb__track_unlock();
}

/* ---- counting ---- */

static uint64_t fetch(struct hb__turns *t, int rank, enum hb__turn_word word, uint64_t add, unsigned op)
{
	uint64_t before = 0;
	PMPI(Fetch_and_op)(&add, &before, word_type(), rank, (MPI_Aint)word, op_of(op), t->ours);
	PMPI(Win_flush)(rank, t->ours);
	return before;
}

uint64_t hb__turn_add(struct hb__turns *t, int rank, enum hb__turn_word word, uint64_t add)
{
	return fetch(t, rank, word, add, OP_SUM);
}

/* Who waits for a turn may wait for a process that needs the processor. */
static void nap(unsigned *looks, bool replay)
{
	if (++*looks < SPINS) {
		sched_yield();
		return;
	}
	long ns = NAP_NS * (long)(*looks / SPINS);
	struct timespec t = {0, ns < NAP_MOST_NS ? ns : NAP_MOST_NS};
	if (replay)
		hb__progress();
	nanosleep(&t, NULL);
}

void hb__turn_await(struct hb__turns *t, int rank, enum hb__turn_word word, uint64_t upper, uint64_t lower)
{
	for (unsigned looks = 0;;) {
		uint64_t now = fetch(t, rank, word, 0, OP_NO_OP);
		if (now >> 32 >= upper && (uint32_t)now >= lower)
			return;
		nap(&looks, true);
	}
}

void hb__turn_take(struct hb__turns *t, int rank, uint64_t turn)
{
	unsigned looks = 0;
	while (fetch(t, rank, HB__TURN_DONE, 0, OP_NO_OP) < turn)
		nap(&looks, hb__config.mode == HB__REPLAY);
}

uint64_t hb__turn_next(struct hb__turns *t, int rank)
{
	uint64_t turn = 0, one = 1, done = 0;
	PMPI(Fetch_and_op)(&one, &turn, word_type(), rank, HB__TURN_NEXT, op_of(OP_SUM), t->ours);
	PMPI(Fetch_and_op)(&one, &done, word_type(), rank, HB__TURN_DONE, op_of(OP_NO_OP), t->ours);
	PMPI(Win_flush)(rank, t->ours);
	if (done < turn)
		hb__turn_take(t, rank, turn);
	return turn;
}

void hb__turn_over(struct hb__turns *t, int rank)
{
	uint64_t one = 1;
	PMPI(Accumulate)(&one, 1, word_type(), rank, HB__TURN_DONE, 1, word_type(), op_of(OP_SUM), t->ours);
	PMPI(Win_flush)(rank, t->ours);
}
