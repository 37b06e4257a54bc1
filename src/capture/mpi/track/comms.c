/* Communicators. A communicator is known everywhere by its parent, by how many
 * the parent had made before, and by the world rank of its rank 0: three facts
 * that every member has without a message. */
#include "capture/mpi/family/family.h"
#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "capture/mpi/track/track.h"

void (*hb__comm_outside)(struct hb__comm *comm);
void (*hb__topology_made)(MPI_Comm handle, const struct hb__comm *comm);
static struct hb__map comms;
MPI_Group hb__world_group;
/* The communicator found last; calls come in runs on one. Keyed by handle, dropped when one dies. */
static __thread uintptr_t last_handle __attribute__((tls_model("initial-exec")));
static __thread struct hb__comm *last_comm __attribute__((tls_model("initial-exec")));
static uint64_t deaths;
static __thread uint64_t last_deaths __attribute__((tls_model("initial-exec")));

int *hb__world_ranks(MPI_Group group, int n)
{
	int *at = hb__pool(sizeof(int) * (size_t)(2 * n + 2)), *own = at + n;
	if (!at)
		return NULL;
	for (int i = 0; i < n; i++)
		own[i] = i;
	if (n > 0 && PMPI(Group_translate_ranks)(group, n, own, hb__world_group, at) != MPI_SUCCESS)
		return NULL;
	for (int i = 0; i < n; i++)
		if (at[i] == MPI_UNDEFINED)
			at[i] = HB_NONE;
	hb__strangers_of(group, n, at);
	return at;
}

static void neighbors(MPI_Comm handle, struct hb__comm *c)
{
	int kind = MPI_UNDEFINED, weighted, dims;
	c->neighbors_in = c->neighbors_out = -1;
	c->topology = MPI_UNDEFINED;
	if (c->inter || PMPI(Topo_test)(handle, &kind) != MPI_SUCCESS)
		return;
	c->topology = kind;
	if (kind == MPI_CART && PMPI(Cartdim_get)(handle, &dims) == MPI_SUCCESS) {
		c->neighbors_in = c->neighbors_out = 2 * dims;
		c->nobodys = 0;
		for (int i = 0, side[2]; i < dims && i < 32; i++)
			if (PMPI(Cart_shift)(handle, i, 1, &side[0], &side[1]) == MPI_SUCCESS)
				c->nobodys |= (uint64_t)(side[0] == MPI_PROC_NULL) << (2 * i) |
					      (uint64_t)(side[1] == MPI_PROC_NULL) << (2 * i + 1);
	}
	if (kind == MPI_GRAPH && PMPI(Graph_neighbors_count)(handle, c->rank, &dims) == MPI_SUCCESS)
		c->neighbors_in = c->neighbors_out = dims;
	else if (kind == MPI_DIST_GRAPH)
		PMPI(Dist_graph_neighbors_count)(handle, &c->neighbors_in, &c->neighbors_out, &weighted);
}

static void describe(MPI_Comm handle, struct hb__comm *c)
{
	int inter = 0;
	MPI_Group group;
	PMPI(Comm_test_inter)(handle, &inter);
	c->inter = inter;
	PMPI(Comm_rank)(handle, &c->rank);
	PMPI(Comm_size)(handle, &c->size);
	PMPI(Comm_group)(handle, &group);
	c->member = hb__world_ranks(group, c->size);
	PMPI(Group_free)(&group);
	if (inter) {
		PMPI(Comm_remote_size)(handle, &c->remote_size);
		PMPI(Comm_remote_group)(handle, &group);
		c->remote = hb__world_ranks(group, c->remote_size);
		PMPI(Group_free)(&group);
	}
	c->leader = c->member && c->size > 0 && c->member[0] >= 0 ? c->member[0] : HB_NONE;
	neighbors(handle, c);
}

/* All members must come to the same answer: it rests on the groups and on the way the communicator was made. */
static bool carried(const struct hb__comm *parent, MPI_Comm handle, const struct hb__comm *c)
{
	bool root = handle == hb__known.comm_world || handle == hb__known.comm_self;
	if (!c->member || (c->inter && !c->remote) || !(root || (parent && parent->carried)))
		return false;
	for (int i = 0; i < c->size; i++)
		if (c->member[i] < 0)
			return false;
	for (int i = 0; i < c->remote_size; i++)
		if (c->remote[i] < 0)
			return false;
	return true;
}

/* Under the lock. Every process numbers the two that MPI_Init makes 0 and 1. */
static int add(int number, const struct hb__comm *parent, uint64_t index, MPI_Comm handle)
{
	struct hb__comm *c = hb__pool(sizeof *c);
	if (c) {
		c->handle = handle;
		c->number = number;
		c->parent = parent ? parent->number : HB_NONE;
		c->index = index;
		if (likely(!hb__alone))
			describe(handle, c);
		if (unlikely(hb__comm_outside))
			hb__comm_outside(c);
		c->carried = carried(parent, handle, c);
		if (hb__map_find(&comms, (uintptr_t)handle))
			hb__slots_outdated(); /* another thread's, who has not told yet that it is freed */
		hb__map_put(&comms, (uintptr_t)handle, c);
		deaths++; /* the handle may have been another communicator's */
		hb__define_comm(&(struct hb__comm_told){.number = c->number,
			.parent = c->parent,
			.leader = c->leader,
			.rank = c->rank,
			.index = c->index,
			.inter = c->inter,
			.size = c->size,
			.remote_size = c->remote_size,
			.member = c->member,
			.remote = c->remote});
		if (unlikely(hb__topology_made) && c->neighbors_in >= 0)
			hb__topology_made(handle, c);
	}
	return c ? number : HB_NONE;
}

int hb__comm_add(const struct hb__comm *parent, uint64_t index, struct hb__origin from, MPI_Comm handle)
{
	if (handle == hb__known.comm_null)
		return HB_NONE;
	hb__track_lock();
	int number = add(hb__number(HB__COMMS, from), parent, index, handle);
	hb__track_unlock();
	return number;
}

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t h, uint64_t more)
{
	h = (h ^ more) + 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
	h = (h ^ h >> 27) * 0x94d049bb133111ebu;
	return h ^ h >> 31;
}

/* The members of a new communicator as ranks of its parent: those of different worlds have these in common, and no others. NULL:
 * not known. */
static const int *ranks_in(const struct hb__comm *parent, MPI_Group group, int n)
{
	MPI_Group all;
	int *at = hb__pool(sizeof(int) * (size_t)(2 * n + 2)), *own = at + n;
	if (!at || PMPI(Comm_group)(parent->handle, &all) != MPI_SUCCESS)
		return NULL;
	for (int i = 0; i < n; i++)
		own[i] = i;
	bool known = PMPI(Group_translate_ranks)(group, n, own, all, at) == MPI_SUCCESS;
	PMPI(Group_free)(&all);
	return known ? at : NULL;
}

/* A parent by what all its members know of it: world ranks where it is of one world. */
static uint64_t known_of(const struct hb__comm *parent)
{
	bool crosses = !parent->member;
	for (int i = 0; !crosses && i < parent->size; i++)
		crosses = parent->member[i] < 0;
	return mix(parent->index, (uint64_t)(crosses ? -1 - parent->size : parent->leader));
}

uint64_t hb__comm_index_apart(const struct hb__comm *parent, MPI_Comm made, int tag)
{
	static struct hb__map earlier; /* digest -> how many */
	MPI_Group group;
	int n = 0;
	if (!parent || hb__alone || made == hb__known.comm_null || PMPI(Comm_group)(made, &group) != MPI_SUCCESS)
		return 0;
	PMPI(Group_size)(group, &n);
	hb__track_lock();
	const int *member = ranks_in(parent, group, n);
	uint64_t h = mix(known_of(parent), (uint64_t)(uint32_t)tag);
	for (int i = 0; member && i < n; i++)
		h = mix(h, (uint64_t)member[i]);
	uintptr_t times = (uintptr_t)hb__map_find(&earlier, (uintptr_t)(h | 1));
	hb__map_put(&earlier, (uintptr_t)(h | 1), (void *)(times + 1));
	hb__track_unlock();
	PMPI(Group_free)(&group);
	/* As wide as it can be: two communicators that agree by chance are taken for one. Of 100,000 two do in one of 2e9 runs. */
	return UINT64_C(1) << 63 | mix(h, times) >> 1;
}

void hb__comms_world(void)
{
	hb__track_lock();
	add(0, NULL, 0, hb__known.comm_world);
	add(1, NULL, 0, hb__known.comm_self);
	hb__track_unlock();
}

MPI_Comm hb__comm_to_look_at(int *ret_rank)
{
	*ret_rank = hb__rank;
	if (likely(!hb__of_sessions))
		return hb__known.comm_world;
	const struct hb__comm *best = NULL;
	hb__track_lock();
	for (uint32_t i = 0; i < comms.size; i++) {
		const struct hb__comm *c = comms.value[i];
		if (c && !c->inter && c->size > 1)
			best = c;
	}
	hb__track_unlock();
	*ret_rank = best ? best->rank : 0;
	return best ? best->handle : hb__known.comm_null;
}

void hb__comms_start(void)
{
	const struct hb__origin none = {0, 0};
	hb__number(HB__COMMS, none);
	hb__number(HB__COMMS, none);
	if (unlikely(hb__of_sessions))
		return;
	PMPI(Comm_group)(hb__known.comm_world, &hb__world_group);
	hb__comms_world();
	MPI_Comm parent = hb__known.comm_null;
	if (unlikely(hb__spawned) && PMPI(Comm_get_parent)(&parent) == MPI_SUCCESS && parent != hb__known.comm_null) {
		hb__strangers_met(parent);
		struct hb__bridge b = {
			.comm = hb__comm_add(NULL, 0, none, parent), .kind = HB_BRIDGE_MAKER, .root = -1};
		hb__define_bridge(&b);
	}
}

struct hb__comm *hb__comm_find(uintptr_t handle)
{
	if (likely(handle == last_handle && last_deaths == deaths))
		return last_comm;
	hb__track_lock();
	struct hb__comm *c = hb__map_find(&comms, handle);
	last_handle = handle;
	last_comm = c;
	last_deaths = deaths;
	hb__track_unlock();
	return c;
}

void hb__comm_named(uintptr_t handle)
{
	char name[MPI_MAX_OBJECT_NAME + 1] = "";
	int n = 0;
	const struct hb__comm *c = hb__comm_find(handle);
	if (c && PMPI(Comm_get_name)((MPI_Comm)handle, name, &n) == MPI_SUCCESS)
		hb__name_note("comm", c->number, name);
}

void hb__comm_remove(uintptr_t handle, const struct hb__comm *was)
{
	hb__track_lock();
	if (was) {
		if (hb__map_find(&comms, handle) == was)
			hb__map_remove(&comms, handle);
		deaths++;
		hb__slots_outdated();
	}
	hb__track_unlock();
}
