/* Communicators: what a process finds out of a new one, for it has no others to ask when it is alone. */
#include "capture/mpi/data/io.h"

/* Topologies have other numbers in each library. */
static const int topologies[] = {MPI_UNDEFINED, MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};

static int64_t topology_number(int kind)
{
	for (int i = 1; i < 4; i++)
		if (topologies[i] == kind)
			return i;
	return 0;
}

void hb__io_topology(struct hb__io *io, uint32_t what, int *kind)
{
	int64_t v = io->gives ? 0 : topology_number(*kind);
	hb__io_number(io, what, &v);
	*kind = topologies[v & 3];
}

static int *members(struct hb__io *io, int *member, int64_t n)
{
	int64_t known = io->gives || member ? 1 : 0;
	hb__io_number(io, 0, &known);
	if (io->gives && known)
		member = hb__pool(((size_t)n + 1) * sizeof *member);
	if (known && member)
		hb__io_ints(io, 0, member, (int)n, false);
	return known ? member : NULL;
}

void hb__io_comm(struct hb__comm *comm)
{
	static struct hb__source source = {.name = "mpi:communicator"};
	struct hb__io io;
	int64_t v[8] = {comm->rank, comm->size, comm->remote_size, comm->inter, comm->neighbors_in, comm->neighbors_out,
		(int64_t)comm->nobodys, topology_number(comm->topology)};
	if (!hb__io_call(&io, &source, 5)) {
		/* kept: what was found out of it holds all the same */
		if (!io.gives)
			return;
		hb__say("the recording does not have what this process found out of communicator %d (it stopped keeping contents, or the program makes another one): it cannot go on alone",
			comm->number);
		comm->size = 1;
		return;
	}
	hb__io_numbers(&io, 0, v, 8);
	*comm = (struct hb__comm){.handle = comm->handle,
		.number = comm->number,
		.parent = comm->parent,
		.index = comm->index,
		.member = comm->member,
		.remote = comm->remote,
		.rank = (int)v[0],
		.size = (int)v[1],
		.remote_size = (int)v[2],
		.inter = v[3] != 0,
		.neighbors_in = (int)v[4],
		.neighbors_out = (int)v[5],
		.nobodys = (uint64_t)v[6],
		.topology = topologies[v[7] & 3]};
	comm->member = members(&io, comm->member, comm->size);
	comm->remote = members(&io, comm->remote, comm->remote_size);
	comm->leader = comm->member && comm->size > 0 && comm->member[0] >= 0 ? comm->member[0] : HB_NONE;
	hb__io_end(&io);
}
