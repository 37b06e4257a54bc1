/* Worlds: which MPI_COMM_WORLD this process is of, and the processes of others that it meets. Those are its strangers,
 * numbered as they are met; who they are is found out from all logs together (hbdb-recording(5), WORLDS). No message is
 * sent for it: the other side may not be recorded. */
#include <string.h>

#include "capture/core/record/record.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/track/track.h"

#define PART 64

/* The remote group of a bridge, kept as long as the process: later communicators are made of its members. */
struct met {
	struct met *next;
	MPI_Group group;
	int size;
	int *number;
};

static struct met *all;
static int strangers;

void hb__world_define(void)
{
	struct hb__world world = {.maker_rank = -1};
	hb__family_world(&world);
	if (!hb__spawned)
		world.maker[0] = 0, world.maker_rank = -1;
	hb__define_process(&(struct hb__process_told){world.world, world.maker, world.maker_rank, hb__spawned, false});
}

/* Ranks of a group in that of a bridge, part by part. */
static void look_up(MPI_Group group, int n, const struct met *met, int *ret)
{
	int rank[PART], there[PART];
	for (int from = 0; from < n; from += PART) {
		int part = n - from < PART ? n - from : PART;
		for (int i = 0; i < part; i++)
			rank[i] = from + i;
		if (PMPI(Group_translate_ranks)(group, part, rank, met->group, there) != MPI_SUCCESS)
			return;
		for (int i = 0; i < part; i++)
			if (ret[from + i] == HB_NONE && there[i] != MPI_UNDEFINED && there[i] < met->size)
				ret[from + i] = met->number[there[i]];
	}
}

void hb__strangers_of(MPI_Group group, int n, int *ret)
{
	bool some = false;
	for (int i = 0; i < n && !some; i++)
		some = ret[i] == HB_NONE;
	for (const struct met *met = all; some && met; met = met->next)
		look_up(group, n, met, ret);
}

void hb__strangers_met(MPI_Comm bridge)
{
	MPI_Group group;
	int n = 0, inter = 0;
	if (PMPI(Comm_test_inter)(bridge, &inter) != MPI_SUCCESS || !inter ||
		PMPI(Comm_remote_group)(bridge, &group) != MPI_SUCCESS)
		return;
	PMPI(Comm_remote_size)(bridge, &n);
	hb__track_lock();
	struct met *met = hb__pool(sizeof *met);
	int *number = met ? hb__world_ranks(group, n) : NULL;
	for (int i = 0; number && i < n; i++)
		number[i] = number[i] == HB_NONE ? -2 - strangers++ : number[i];
	if (number) {
		*met = (struct met){all, group, n, number};
		all = met;
	}
	hb__track_unlock();
}

static const void *argument(const struct hb__call *c, enum hb_param kind)
{
	for (unsigned i = 0; i < c->fn->nargs; i++)
		if (c->fn->param[i].kind == kind)
			return &c->a[i];
	return NULL;
}

void hb__bridge_made(const struct hb__call *c, const struct hb__comm *parent, int number, uint64_t entered)
{
	unsigned kind = c->fn->means->bridge;
	const uintptr_t *root = argument(c, HB_P_ROOT), *port = argument(c, HB_P_CSTR);
	int rank = root ? (int)*root : -1;
	struct hb__bridge b = {.comm = number, .kind = kind, .root = -1, .entered = entered};
	if (parent && parent->member && rank >= 0 && rank < parent->size)
		b.root = parent->member[rank];
	b.returned = entered ? hb__system_ns(CLOCK_REALTIME) : 0;
	if (port && parent && rank == parent->rank && (kind == HB_BRIDGE_ACCEPTED || kind == HB_BRIDGE_CONNECTED))
		b.port = (const char *)*port; /* significant at the root alone */
	char name[200];
	if (kind == HB_BRIDGE_JOINED && hb__socket_name((int)c->a[0], name, sizeof name))
		b.port = name;
	hb__define_bridge(&b);
}
