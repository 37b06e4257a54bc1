/* What each function does to the order of events, by its name: docs/man/hbdb-order.1 has it in words. */
#include <strings.h>

#include "model/internal.h"

static const struct named {
	const char *base;
	uint8_t does, order;
	bool empty_is_nothing, rooted;
} table[] = {
	{"Send", HB__SEND, 0, false, false},
	{"Bsend", HB__SEND, 0, false, false},
	{"Ssend", HB__SEND, 0, false, false},
	{"Rsend", HB__SEND, 0, false, false},
	{"Recv", HB__RECV, 0, false, false},
	{"Sendrecv", HB__RECV, 0, false, false},
	{"Sendrecv_replace", HB__RECV, 0, false, false},
	{"Mrecv", HB__MRECV, 0, false, false},
	{"Probe", HB__PROBE, 0, false, false},
	{"Mprobe", HB__MPROBE, 0, false, false},
	{"Start", HB__START, 0, false, false},
	{"Startall", HB__START, 0, false, false},
	{"Wait", HB__COMPLETE, 0, false, false},
	{"Waitall", HB__COMPLETE, 0, false, false},
	{"Waitany", HB__COMPLETE, 0, false, false},
	{"Waitsome", HB__COMPLETE, 0, false, false},
	{"Test", HB__COMPLETE, 0, false, false},
	{"Testall", HB__COMPLETE, 0, false, false},
	{"Testany", HB__COMPLETE, 0, false, false},
	{"Testsome", HB__COMPLETE, 0, false, false},
	{"Request_get_status", HB__GET_STATUS, 0, false, false},
	{"Request_free", HB__FREE, 0, false, false},
	{"Cancel", HB__CANCEL, 0, false, false},
	{"Psend", HB__UNMATCHED, 0, false, false},
	{"Precv", HB__UNMATCHED, 0, false, false},
	{"Init", HB__INIT, 0, false, false},
	{"Init_thread", HB__INIT, 0, false, false},
	{"Barrier", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Allgather", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Allgatherv", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Allreduce", HB__COLLECTIVE, HB_ORDER_ALL, true, false},
	{"Alltoall", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Alltoallv", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Alltoallw", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Reduce_scatter", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Reduce_scatter_block", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Bcast", HB__COLLECTIVE, HB_ORDER_OUT, true, true},
	{"Scatter", HB__COLLECTIVE, HB_ORDER_OUT, false, true},
	{"Scatterv", HB__COLLECTIVE, HB_ORDER_OUT, false, true},
	{"Gather", HB__COLLECTIVE, HB_ORDER_IN, false, true},
	{"Gatherv", HB__COLLECTIVE, HB_ORDER_IN, false, true},
	{"Reduce", HB__COLLECTIVE, HB_ORDER_IN, true, true},
	{"Scan", HB__COLLECTIVE, HB_ORDER_SCAN, true, false},
	{"Exscan", HB__COLLECTIVE, HB_ORDER_EXSCAN, true, false},
	{"Neighbor_allgather", HB__COLLECTIVE, HB_ORDER_NONE, false, false},
	{"Neighbor_allgatherv", HB__COLLECTIVE, HB_ORDER_NONE, false, false},
	{"Neighbor_alltoall", HB__COLLECTIVE, HB_ORDER_NONE, false, false},
	{"Neighbor_alltoallv", HB__COLLECTIVE, HB_ORDER_NONE, false, false},
	{"Neighbor_alltoallw", HB__COLLECTIVE, HB_ORDER_NONE, false, false},
	{"Comm_create", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Comm_dup", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Comm_dup_with_info", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Comm_split", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Comm_split_type", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Cart_create", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Cart_sub", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Graph_create", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Dist_graph_create", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Dist_graph_create_adjacent", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Intercomm_merge", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Comm_spawn", HB__COLLECTIVE, HB_ORDER_ALL, false, true},
	{"Comm_spawn_multiple", HB__COLLECTIVE, HB_ORDER_ALL, false, true},
	{"Comm_accept", HB__COLLECTIVE, HB_ORDER_ALL, false, true},
	{"Comm_connect", HB__COLLECTIVE, HB_ORDER_ALL, false, true},
	{"Comm_create_group", HB__BIRTH, HB_ORDER_ALL, false, false},
	{"Comm_create_from_group", HB__BIRTH, HB_ORDER_ALL, false, false},
	{"Intercomm_create", HB__BIRTH, HB_ORDER_ALL, false, false},
	{"Intercomm_create_from_groups", HB__BIRTH, HB_ORDER_ALL, false, false},
	{"File_open", HB__COLLECTIVE, HB_ORDER_ALL, false, false},
	{"Win_create", HB__WINDOW, HB_ORDER_ALL, false, false},
	{"Win_create_dynamic", HB__WINDOW, HB_ORDER_ALL, false, false},
	{"Win_allocate", HB__WINDOW, HB_ORDER_ALL, false, false},
	{"Win_allocate_shared", HB__WINDOW, HB_ORDER_ALL, false, false},
	{"Win_fence", HB__FENCE, HB_ORDER_ALL, false, false},
	{"Win_free", HB__FENCE, HB_ORDER_ALL, false, false},
};

static int8_t place(const hb_function *f, const char *name)
{
	for (uint32_t i = 0; i < f->nargs && i < 127; i++)
		if (!strcmp(f->arg_name[i], name))
			return (int8_t)i;
	return -1;
}

static bool strip(const char *name, size_t *length, const char *end)
{
	size_t n = strlen(end);
	if (*length <= n || strncmp(name + *length - n, end, n) != 0)
		return false;
	*length -= n;
	return true;
}

static const struct named *look_up(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strlen(table[i].base) == length && !strncasecmp(table[i].base, name, length))
			return &table[i];
	return NULL;
}

void hb__know(const hb_function *f, struct hb__function *ret)
{
	*ret = (struct hb__function){
		.known = true, .root = place(f, "root"), .win = place(f, "win"), .dest = place(f, "dest")};
	hb_behaviour behaviour = hb_behaviour_of(f->name, f->cls);
	const char *underscore = strchr(f->name, '_'), *name = underscore ? underscore + 1 : f->name;
	size_t length = strlen(name);
	strip(name, &length, "_c");
	const struct named *n = look_up(name, length);
	ret->posts = behaviour.posts != HB_POSTS_NONE;
	ret->polls = behaviour.polls;
	if (!n && length > 5 && strip(name, &length, "_init")) {
		ret->persistent = true;
		n = look_up(name, length);
	}
	if (!n && name[0] == 'I')
		n = look_up(name + 1, length - 1);
	if (!n && length > 5 && !strncmp(name, "Comm_idup", 9))
		n = look_up("Comm_dup", 8);
	if (!n)
		return;
	ret->does = n->does;
	ret->order = n->order;
	ret->empty_is_nothing = n->empty_is_nothing;
	ret->rooted = n->rooted;
	ret->both_sides = !strncmp(n->base, "Comm_", 5) || !strncmp(n->base, "Intercomm_", 10);
	ret->base = (uint16_t)(n - table);
	ret->synchronous = n->does == HB__SEND && !strcmp(n->base, "Ssend");
	ret->ready = n->does == HB__SEND && !strcmp(n->base, "Rsend");
	ret->buffered = n->does == HB__SEND && !strcmp(n->base, "Bsend");
	ret->chooses = behaviour.shape == HB_SHAPE_ANY || behaviour.shape == HB_SHAPE_SOME;
}
