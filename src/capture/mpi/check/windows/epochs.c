/* Epochs of a window, as this process begins and ends them. */
#include "capture/mpi/check/windows/windows.h"
#include "capture/mpi/family/family.h"

#include <stdarg.h>

void hb__epoch_wrong(
	struct hb__call *c, const struct hb__window *w, enum hb_misuse error, int target, const char *format, ...)
{
	char text[300];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	hb__remark(c, EPOCH, .error = error, .win = w->number, .target = target, .text = text);
}

/* With the place of an earlier call. */
__attribute__((format(printf, 5, 6))) static void wrong_since(
	struct hb__call *c, const struct hb__window *w, enum hb_misuse error, uint32_t site, const char *format, ...)
{
	char text[300];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	hb__remark(c, EPOCH, .error = error, .win = w->number, .target = -1, .made = site, .text = text);
}

static void synced(struct hb__call *c, struct hb__window *w, enum hb_sync kind, int rank)
{
	hb__remark(c, WINSYNC, .kind = kind, .win = w->number, .rank = rank);
	hb__locals_synced(c, w, rank);
}

static bool in_group(const struct hb__window *w, int rank) { return rank >= 0 && rank < w->n; }

/* ---- access ---- */

/* Which epoch an access belongs to, told when there is none. A lock of the target comes first: whether the last fence began another
 * epoch only its assertions could tell (MPI_MODE_NOSUCCEED), and they may be left out. */
enum hb_epoch hb__epoch_use(struct hb__call *c, struct hb__window *w, int target, bool *ret_exclusive)
{
	*ret_exclusive = false;
	if (!in_group(w, target))
		return HB_EPOCH_NONE;
	if (w->lock[target]) {
		*ret_exclusive = w->lock[target] == HB__LOCK_EXCLUSIVE;
		w->mixed_site = w->lock_site[target];
		return HB_EPOCH_LOCK;
	}
	if (w->lock_all) {
		w->mixed_site = w->all_site;
		return HB_EPOCH_ALL;
	}
	if (w->started && w->started_to[target])
		return HB_EPOCH_PSCW;
	if (w->fence_open && !w->started && !w->nlocks) {
		w->fence_ops++;
		return HB_EPOCH_FENCE;
	}
	if (w->started)
		wrong_since(
			c, w, HB_MISUSE_NONE, w->start_site, "rank %d is not in the group of MPI_Win_start", target);
	else if (w->nlocks)
		hb__epoch_wrong(
			c, w, HB_MISUSE_NONE, target, "rank %d is not locked, other ranks of the window are", target);
	else
		hb__epoch_wrong(c, w, HB_MISUSE_NONE, target,
			"no epoch is open: no MPI_Win_fence, MPI_Win_start or MPI_Win_lock before");
	return HB_EPOCH_NONE;
}

/* ---- fence ---- */

static void on_fence(struct hb__call *c, struct hb__window *w)
{
	int assert = (int)c->a[0];
	if (w->nlocks)
		hb__epoch_wrong(c, w, HB_MISUSE_TWICE, -1, "MPI_Win_fence while a lock is held");
	else if (w->lock_all)
		wrong_since(c, w, HB_MISUSE_TWICE, w->all_site, "MPI_Win_fence inside MPI_Win_lock_all");
	else if (w->started)
		wrong_since(c, w, HB_MISUSE_TWICE, w->start_site,
			"MPI_Win_fence between MPI_Win_start and MPI_Win_complete");
	else if (w->posted)
		wrong_since(c, w, HB_MISUSE_TWICE, w->post_site, "MPI_Win_fence between MPI_Win_post and MPI_Win_wait");
	else if (assert & MPI_MODE_NOPRECEDE && w->fence_ops)
		wrong_since(c, w, HB_MISUSE_ASSERT, w->fence_site,
			"MPI_Win_fence asserts MPI_MODE_NOPRECEDE although accesses of this process precede it");
	else if (w->fence_open && w->mixed_site && !(assert &MPI_MODE_NOPRECEDE) && !w->mixed_told) {
		wrong_since(c, w, HB_MISUSE_MIXED, w->mixed_site,
			"accesses under a lock came between this MPI_Win_fence and the one before it, and neither asserts that none of its own do: "
			"then the two fences make an epoch around that of the lock");
		w->mixed_told = true;
	}
	synced(c, w, HB_SYNC_FENCE, -1);
	w->fence_ops = 0;
	w->mixed_site = 0;
	w->fence_open = !(assert &MPI_MODE_NOSUCCEED);
	w->fence_site = hb__check_site(c);
}

/* ---- post, start, complete, wait ---- */

/* An epoch of accesses begins while another one is open. */
static void check_open(struct hb__call *c, struct hb__window *w, const char *call)
{
	if (w->started)
		wrong_since(
			c, w, HB_MISUSE_TWICE, w->start_site, "%s after MPI_Win_start without MPI_Win_complete", call);
	else if (w->lock_all)
		wrong_since(c, w, HB_MISUSE_TWICE, w->all_site, "%s after MPI_Win_lock_all without MPI_Win_unlock_all",
			call);
	else if (w->fence_open && w->fence_ops)
		wrong_since(c, w, HB_MISUSE_TWICE, w->fence_site,
			"%s in the epoch that MPI_Win_fence began, which accesses have used and no fence has ended",
			call);
}

#define RANKS_TOLD 96 /* of more it is not told which they are */

/* Ranks in the window of the group that post or start is given. */
static void with_group(struct hb__call *c, struct hb__window *w, enum hb_sync kind, bool start)
{
	MPI_Group group = (MPI_Group)c->a[0];
	int n = 0, from[64], to[64];
	int64_t ranks[RANKS_TOLD];
	uint32_t used = 0;
	bool known = w->has_group && group != hb__known.group_null &&
		     !hb__handle_ended(HB__H_GROUP, (uintptr_t)group) && PMPI(Group_size)(group, &n) == MPI_SUCCESS;
	for (int at = 0; known && at < n; at += 64) {
		int part = n - at < 64 ? n - at : 64;
		for (int i = 0; i < part; i++)
			from[i] = at + i;
		known = PMPI(Group_translate_ranks)(group, part, from, w->group, to) == MPI_SUCCESS;
		for (int i = 0; known && i < part; i++) {
			if (start && in_group(w, to[i]))
				w->started_to[to[i]] = 1;
			if (used < RANKS_TOLD)
				ranks[used++] = to[i];
			else
				known = false;
		}
	}
	if (start && !known)
		memset(w->started_to, 1, (size_t)w->n);
	hb__remark(c, WINSYNC, .kind = kind, .win = w->number, .rank = -1, .ranks = {known ? used : 0, ranks});
}

static void on_start(struct hb__call *c, struct hb__window *w)
{
	check_open(c, w, c->fn->name);
	if (!w->started && !w->lock_all && w->nlocks)
		hb__epoch_wrong(c, w, HB_MISUSE_TWICE, -1, "MPI_Win_start while a lock is held");
	if (!w->started)
		with_group(c, w, HB_SYNC_START, true); /* now: it may wait for their posts */
}

static void on_post(struct hb__call *c, struct hb__window *w)
{
	if (w->posted)
		wrong_since(
			c, w, HB_MISUSE_TWICE, w->post_site, "MPI_Win_post after MPI_Win_post without MPI_Win_wait");
	else if (w->fence_open && w->fence_ops)
		wrong_since(c, w, HB_MISUSE_TWICE, w->fence_site,
			"MPI_Win_post in the epoch that MPI_Win_fence began, which accesses have used and no fence has ended");
}

static void on_complete(struct hb__call *c, struct hb__window *w)
{
	if (!w->started)
		hb__epoch_wrong(c, w, HB_MISUSE_END, -1, "MPI_Win_complete without MPI_Win_start");
	synced(c, w, HB_SYNC_COMPLETE, -1);
	w->started = false;
	memset(w->started_to, 0, (size_t)w->n);
}

static void on_wait(struct hb__call *c, struct hb__window *w)
{
	static uintptr_t told; /* a poll says it once */
	if (w->posted || (c->fn->flags & HB_POLL && told == w->handle))
		return;
	told = c->fn->flags & HB_POLL ? w->handle : 0;
	hb__epoch_wrong(c, w, HB_MISUSE_END, -1, "%s without MPI_Win_post", c->fn->name);
}

/* ---- locks ---- */

static void on_lock(struct hb__call *c, struct hb__window *w)
{
	int rank = (int)c->a[1];
	check_open(c, w, c->fn->name);
	if (!in_group(w, rank))
		return;
	if (w->lock[rank])
		wrong_since(c, w, HB_MISUSE_TWICE, w->lock_site[rank],
			"MPI_Win_lock of rank %d, which this process has locked already", rank);
	else if (w->posted && rank == w->rank)
		wrong_since(c, w, HB_MISUSE_TWICE, w->post_site,
			"MPI_Win_lock of the own memory between MPI_Win_post and MPI_Win_wait");
	w->nlocks += !w->lock[rank];
	w->lock[rank] = (int)c->a[0] == MPI_LOCK_EXCLUSIVE ? HB__LOCK_EXCLUSIVE : HB__LOCK_SHARED;
	w->lock_site[rank] = hb__check_site(c);
	hb__remark(c, WINSYNC, .kind = HB_SYNC_LOCK, .win = w->number, .rank = rank,
		.x = w->lock[rank] == HB__LOCK_EXCLUSIVE);
}

static void on_lock_all(struct hb__call *c, struct hb__window *w)
{
	check_open(c, w, c->fn->name);
	if (!w->lock_all && w->nlocks)
		hb__epoch_wrong(c, w, HB_MISUSE_TWICE, -1, "MPI_Win_lock_all while a lock of one rank is held");
	w->lock_all = true;
	w->all_site = hb__check_site(c);
	hb__remark(c, WINSYNC, .kind = HB_SYNC_LOCK_ALL, .win = w->number, .rank = -1);
}

static void on_unlock(struct hb__call *c, struct hb__window *w)
{
	int rank = (int)c->a[0];
	if (!in_group(w, rank))
		return;
	if (!w->lock[rank])
		hb__epoch_wrong(c, w, HB_MISUSE_END, rank,
			"MPI_Win_unlock of rank %d, which this process has not locked%s", rank,
			w->lock_all ? " (MPI_Win_lock_all ends with MPI_Win_unlock_all)" : "");
	synced(c, w, HB_SYNC_UNLOCK, rank);
	w->nlocks -= w->lock[rank] != 0;
	w->lock[rank] = HB__LOCK_NONE;
}

static void on_unlock_all(struct hb__call *c, struct hb__window *w)
{
	if (!w->lock_all)
		hb__epoch_wrong(c, w, HB_MISUSE_END, -1, "MPI_Win_unlock_all without MPI_Win_lock_all%s",
			w->nlocks ? " (MPI_Win_lock ends with MPI_Win_unlock)" : "");
	synced(c, w, HB_SYNC_UNLOCK_ALL, -1);
	w->lock_all = false;
}

static void on_flush(struct hb__call *c, struct hb__window *w, enum hb_sync kind, bool all)
{
	int rank = all ? -1 : (int)c->a[0];
	if (!all && !in_group(w, rank))
		return;
	if (!w->lock_all && (all ? !w->nlocks : !w->lock[rank]))
		hb__epoch_wrong(c, w, HB_MISUSE_NONE, rank,
			"%s outside of an epoch that MPI_Win_lock or MPI_Win_lock_all began", c->fn->name);
	synced(c, w, kind, rank);
}

/* ---- all ---- */

void hb__epochs_enter(struct hb__call *c, struct hb__window *w)
{
	switch (c->fn->means->does) {
	case HB_DOES_WINDOW_FENCE:
		on_fence(c, w);
		break;
	case HB_DOES_WINDOW_START:
		on_start(c, w);
		break;
	case HB_DOES_WINDOW_POST:
		on_post(c, w);
		break;
	case HB_DOES_WINDOW_COMPLETE:
		on_complete(c, w);
		break;
	case HB_DOES_WINDOW_WAIT:
		on_wait(c, w);
		break;
	case HB_DOES_WINDOW_LOCK:
		on_lock(c, w);
		break;
	case HB_DOES_WINDOW_LOCK_ALL:
		on_lock_all(c, w);
		break;
	case HB_DOES_WINDOW_UNLOCK:
		on_unlock(c, w);
		break;
	case HB_DOES_WINDOW_UNLOCK_ALL:
		on_unlock_all(c, w);
		break;
	case HB_DOES_WINDOW_FLUSH:
		on_flush(c, w, HB_SYNC_FLUSH, false);
		break;
	case HB_DOES_WINDOW_FLUSH_ALL:
		on_flush(c, w, HB_SYNC_FLUSH_ALL, true);
		break;
	case HB_DOES_WINDOW_FLUSH_LOCAL:
		on_flush(c, w, HB_SYNC_FLUSH_LOCAL, false);
		break;
	case HB_DOES_WINDOW_FLUSH_LOCAL_ALL:
		on_flush(c, w, HB_SYNC_FLUSH_LOCAL_ALL, true);
		break;
	default:
		break;
	}
}

void hb__epochs_leave(struct hb__call *c, struct hb__window *w, int code)
{
	if (code != MPI_SUCCESS)
		return;
	switch (c->fn->means->does) {
	case HB_DOES_WINDOW_START:
		w->started = true;
		w->start_site = hb__check_site(c);
		break;
	case HB_DOES_WINDOW_POST:
		w->posted = true;
		w->post_site = hb__check_site(c);
		with_group(c, w, HB_SYNC_POST, false);
		break;
	case HB_DOES_WINDOW_WAIT:
		if (c->fn->flags & HB_POLL && !*(int *)hb__arg(c, HB_R_FLAG))
			break;
		w->posted = false;
		hb__remark(c, WINSYNC, .kind = HB_SYNC_WAIT, .win = w->number, .rank = -1);
		break;
	default:
		break;
	}
}

void hb__epochs_over(struct hb__call *c, struct hb__window *w)
{
	const char *call = c->fn->means->does == HB_DOES_FINALIZE ? "MPI_Finalize is called" : "the window is freed";
	if (w->started)
		wrong_since(c, w, HB_MISUSE_OPEN, w->start_site, "MPI_Win_start has no MPI_Win_complete when %s", call);
	if (w->posted)
		wrong_since(c, w, HB_MISUSE_OPEN, w->post_site, "MPI_Win_post has no MPI_Win_wait when %s", call);
	if (w->lock_all)
		wrong_since(
			c, w, HB_MISUSE_OPEN, w->all_site, "MPI_Win_lock_all has no MPI_Win_unlock_all when %s", call);
	for (int i = 0; i < w->n && w->nlocks; i++)
		if (w->lock[i]) {
			wrong_since(c, w, HB_MISUSE_OPEN, w->lock_site[i],
				"MPI_Win_lock of rank %d has no MPI_Win_unlock when %s", i, call);
			break;
		}
	if (w->fence_open && w->fence_ops)
		wrong_since(c, w, HB_MISUSE_OPEN, w->fence_site,
			"accesses follow the last MPI_Win_fence and no other one ends their epoch when %s", call);
}
