/* Operations, windows and files. Predefined operations have the numbers of their list in calls/; files as they are
 * first used, windows as they are made. */
#include "capture/mpi/family/family.h"
#include "capture/core/record/record.h"
#include "capture/mpi/track/track.h"

#define USER_OP 64

struct hb__made {
	int number; /* HB_NONE: not used yet */
	bool named;
	bool started;   /* a window between start and complete: */
	uint32_t words; /* ranks of the window that it fetched data from, bit by bit */
	uint64_t *fetched;
	struct hb__origin from;
	struct hb__made *unused;
};

static struct hb__map maps[HB__NUMBERED];
static struct hb__made *unused;
static const char *const op_names[] = {
#define HB_OPERATION(name) "MPI_" #name,
#include "calls/operations.def"
#undef HB_OPERATION
};
#define GIVEN (int)(sizeof op_names / sizeof *op_names)

static struct hb__made *made_new(enum hb__numbered kind, uintptr_t handle, struct hb__origin from)
{
	struct hb__made *m = unused, room = {0};
	if (m)
		room = *m, unused = m->unused;
	else
		m = hb__pool(sizeof *m);
	if (!m)
		return NULL;
	*m = (struct hb__made){.number = HB_NONE, .from = from, .words = room.words, .fetched = room.fetched};
	hb__map_put(&maps[kind], handle, m);
	return m;
}

void hb__ops_start(void)
{
	uintptr_t handle;
	struct hb__made *m;
	for (int i = 0; i < GIVEN; i++)
		if (hb__predefined_op((unsigned)i, &handle) &&
			(m = made_new(HB__OPS, handle, (struct hb__origin){0, 0})))
			m->number = i;
}

void hb__made_add(enum hb__numbered kind, uintptr_t handle)
{
	hb__track_lock();
	if (hb__map_find(&maps[kind], handle))
		hb__slots_outdated(); /* another thread's, who has not told yet that it is freed */
	made_new(kind, handle, hb__origin_made(kind));
	hb__track_unlock();
}

const struct hb__made *hb__made_look(enum hb__numbered kind, uintptr_t handle)
{
	hb__track_lock();
	const struct hb__made *m = hb__map_find(&maps[kind], handle);
	hb__track_unlock();
	return m;
}

void hb__made_remove(enum hb__numbered kind, uintptr_t handle, const struct hb__made *was)
{
	if (!was)
		return;
	hb__track_lock();
	struct hb__made *m = (struct hb__made *)was;
	if (hb__map_find(&maps[kind], handle) == m)
		hb__map_remove(&maps[kind], handle);
	m->unused = unused;
	unused = m;
	hb__slots_outdated();
	hb__track_unlock();
}

static void tell_win(int number, uintptr_t handle)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	int n = 0;
	if (PMPI(Win_get_name)((MPI_Win)handle, name, &n) == MPI_SUCCESS)
		hb__name_note("win", number, name);
}

static void first_use(enum hb__numbered kind, uintptr_t handle, struct hb__made *m)
{
	m->number = hb__number(kind, m->from);
	if (kind == HB__OPS) {
		char name[24];
		snprintf(name, sizeof name, "op#%d", m->number - USER_OP);
		hb__define_op(m->number, name);
	}
	if (unlikely(m->named))
		tell_win(m->number, handle);
}

int hb__made_number(enum hb__numbered kind, uintptr_t handle)
{
	static bool told[USER_OP];
	hb__track_lock();
	struct hb__made *m = hb__map_find(&maps[kind], handle);
	if (!m)
		m = made_new(kind, handle, (struct hb__origin){0, 0});
	if (m && m->number == HB_NONE) {
		first_use(kind, handle, m);
	} else if (m && kind == HB__OPS && m->number < GIVEN && !told[m->number]) {
		told[m->number] = true;
		hb__define_op(m->number, op_names[m->number]);
	}
	hb__track_unlock();
	return m ? m->number : HB_NONE;
}

int hb__op_look(uintptr_t handle)
{
	const struct hb__made *m = hb__made_look(HB__OPS, handle);
	return m && m->number < GIVEN ? m->number : HB_NONE;
}

void hb__win_named(uintptr_t handle)
{
	hb__track_lock();
	struct hb__made *m = hb__map_find(&maps[HB__WINS], handle);
	if (!m)
		m = made_new(HB__WINS, handle, (struct hb__origin){0, 0});
	if (m)
		m->named = true;
	if (m && m->number != HB_NONE)
		tell_win(m->number, handle);
	hb__track_unlock();
}

/* ---- whom an epoch fetched data from: those have posted when it is complete ---- */

void hb__win_started(uintptr_t handle)
{
	hb__track_lock();
	struct hb__made *m = hb__map_find(&maps[HB__WINS], handle);
	if (m)
		m->started = true;
	for (uint32_t i = 0; m && i < m->words; i++)
		m->fetched[i] = 0;
	hb__track_unlock();
}

void hb__win_fetched(uintptr_t handle, int rank)
{
	hb__track_lock();
	struct hb__made *m = rank >= 0 ? hb__map_find(&maps[HB__WINS], handle) : NULL;
	uint32_t word = (uint32_t)rank / 64;
	if (m && m->started && word >= m->words) {
		uint64_t *more = hb__pool(2 * ((size_t)word + 1) * sizeof *more);
		for (uint32_t i = 0; more && i < 2 * (word + 1); i++)
			more[i] = i < m->words ? m->fetched[i] : 0;
		m->fetched = more ? more : m->fetched;
		m->words = more ? 2 * (word + 1) : m->words;
	}
	if (m && m->started && word < m->words)
		m->fetched[word] |= UINT64_C(1) << rank % 64;
	hb__track_unlock();
}

int hb__win_completed(uintptr_t handle, int *ret_rank, int most)
{
	int n = 0;
	hb__track_lock();
	struct hb__made *m = hb__map_find(&maps[HB__WINS], handle);
	for (uint32_t i = 0; m && m->started && i < m->words; i++)
		for (uint64_t bits = m->fetched[i]; bits; bits &= bits - 1, n++)
			if (n < most)
				ret_rank[n] = (int)(64 * i) + __builtin_ctzll(bits);
	if (m)
		m->started = false;
	hb__track_unlock();
	return n < most ? n : most;
}
