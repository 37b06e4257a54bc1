/* Windows and groups that are known to live: only these may be asked about. */
#include "capture/mpi/check/arguments/look.h"

/* Groups: how many handles of the same value were handed out, for a library may give one group twice. Windows: 1 + size. */
static struct hb__map groups, windows;

static void hold(uintptr_t handle)
{
	uintptr_t n = (uintptr_t)hb__map_find(&groups, handle);
	hb__map_put(&groups, handle, (void *)(n + 1));
}

static void let_go(uintptr_t handle)
{
	uintptr_t n = (uintptr_t)hb__map_find(&groups, handle);
	if (n > 1)
		hb__map_put(&groups, handle, (void *)(n - 1));
	else if (n)
		hb__map_remove(&groups, handle);
}

static uintptr_t at(const struct hb__call *c, int i)
{
	uintptr_t p = c->a[i];
	return !p ? 0 : sizeof(MPI_Group) == 4 ? (uintptr_t) * (const int *)p : *(const uintptr_t *)p;
}

static __thread uintptr_t freed __attribute__((tls_model("initial-exec"))); /* read before the call makes it null */

/* Of a communicator or a session, not of the process. */
static bool of_another(const struct hb__call *c)
{
	return c->fn->param[0].kind == HB_P_COMM || c->fn->param[0].kind == HB_P_SESSION;
}

static int group_param(const struct hb__fn *fn)
{
	for (unsigned i = 0; i < fn->nargs; i++)
		if (fn->param[i].kind == HB_P_GROUPPTR)
			return (int)i;
	return -1;
}

static bool frees_group(const struct hb__fn *fn) { return fn->means->frees && !group_param(fn); }

void hb__live_enter(struct hb__call *c)
{
	if (c->fn->means->does == HB_DOES_WINDOW_FREE)
		freed = at(c, hb__role(c, HB_R_WINPTR));
	else if (frees_group(c->fn))
		freed = at(c, 0);
}

static int64_t attached = -1;
static bool elsewhere; /* a communicator or a session has a buffer of its own: what there is in all is not known */
int64_t hb__attached(void) { return elsewhere ? INT64_MAX : attached; }

static void buffer(const struct hb__call *c)
{
	if (c->fn->means->does == HB_DOES_ATTACH_BUFFER && of_another(c)) {
		elsewhere = true;
	} else if (c->fn->means->does == HB_DOES_ATTACH_BUFFER) {
		attached = hb__buffer_automatic(c->a[0]) ? INT64_MAX : c->fn->wide ? (int64_t)c->a[1] : (int)c->a[1];
	} else if (c->fn->means->does == HB_DOES_DETACH_BUFFER && !of_another(c)) {
		attached = -1;
		hb__slots_outdated();
	}
}

void hb__live_leave(struct hb__call *c)
{
	buffer(c);
	int win = hb__role(c, HB_R_WINPTR);
	int group = c->fn->cls == HB_LOCAL ? group_param(c->fn) : -1;
	if (win < 0 && group < 0)
		return;
	hb__track_lock();
	if (c->fn->means->does == HB_DOES_WINDOW_FREE) {
		hb__map_remove(&windows, freed);
	} else if (win >= 0 && hb__has(c, HB_R_COMM)) {
		const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
		hb__map_put(&windows, at(c, win), (void *)(uintptr_t)(1 + (comm ? comm->size : 0)));
	} else if (frees_group(c->fn)) {
		let_go(freed);
	} else if (group >= 0) {
		hold(at(c, group));
	}
	hb__track_unlock();
}

int hb__group_size(uintptr_t handle)
{
	int size = -1;
	hb__track_lock();
	bool known = hb__map_find(&groups, handle) != NULL;
	hb__track_unlock();
	if (known && PMPI(Group_size)((MPI_Group)handle, &size) != MPI_SUCCESS)
		size = -1;
	return size;
}

int hb__window_size(const struct hb__look *l)
{
	hb__track_lock();
	uintptr_t n = (uintptr_t)hb__map_find(&windows, hb__arg(l->c, HB_R_WIN));
	hb__track_unlock();
	return n ? (int)n - 1 : 0;
}
