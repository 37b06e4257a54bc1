/* Helpers for collectives without arrays of counts, and for constructors of communicators. */
#ifndef EXPECT_COLL_H
#define EXPECT_COLL_H

#include "expect.h"

/* Arguments that only the root's are read of: elsewhere hbdb does not look at them. */
#define HERE_NOT(count, type) count "=UNDEFINED, " type "=UNDEFINED"

MAYBE void Barrier(MPI_Comm c)
{
	int rc = MPI_Barrier(c);
	expect("MPI_Barrier(comm=%s)%s", comm_name(c), ending(rc));
}

MAYBE void Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c)
{
	int rc = MPI_Bcast(b, n, t, root, c);
	expect("MPI_Bcast(count=%ld, datatype=%s, root=%s, comm=%s)%s", COUNT_TYPE(n, t), rank_name(root), comm_name(c),
		ending(rc));
}

MAYBE void Reduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c)
{
	int rc = MPI_Reduce(s, r, n, t, o, root, c);
	expect("MPI_Reduce(count=%ld, datatype=%s, op=%s, root=%s, comm=%s)%s", COUNT_TYPE(n, t), op_name(o),
		rank_name(root), comm_name(c), ending(rc));
}

#define REDUCER(name)                                                                                           \
	MAYBE void name(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c)                    \
	{                                                                                                       \
		int rc = MPI_##name(s, r, n, t, o, c);                                                          \
		expect("MPI_" #name "(count=%ld, datatype=%s, op=%s, comm=%s)%s", COUNT_TYPE(n, t), op_name(o), \
			comm_name(c), ending(rc));                                                              \
	}
REDUCER(Allreduce)
REDUCER(Scan)
REDUCER(Exscan)

#define REDUCER_IN(name)                                                                                        \
	MAYBE void name(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request *q)    \
	{                                                                                                       \
		int rc = MPI_##name(s, r, n, t, o, c, q);                                                       \
		expect("MPI_" #name "(count=%ld, datatype=%s, op=%s, comm=%s)%s", COUNT_TYPE(n, t), op_name(o), \
			comm_name(c), ending(rc));                                                              \
		posted(q, false, 0, 0, 0, false);                                                               \
	}
REDUCER_IN(Iallreduce)
REDUCER_IN(Iscan)
REDUCER_IN(Iexscan)

MAYBE void Ibarrier(MPI_Comm c, MPI_Request *q)
{
	int rc = MPI_Ibarrier(c, q);
	expect("MPI_Ibarrier(comm=%s)%s", comm_name(c), ending(rc));
	posted(q, false, 0, 0, 0, false);
}

MAYBE void Ibcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *q)
{
	int rc = MPI_Ibcast(b, n, t, root, c, q);
	expect("MPI_Ibcast(count=%ld, datatype=%s, root=%s, comm=%s)%s", COUNT_TYPE(n, t), rank_name(root),
		comm_name(c), ending(rc));
	posted(q, false, 0, 0, 0, false);
}

/* Communicators */

MAYBE void Comm_dup(MPI_Comm c, MPI_Comm *ret_new)
{
	int rc = MPI_Comm_dup(c, ret_new);
	answer("comm=%s", made_comm(*ret_new));
	expect("MPI_Comm_dup(comm=%s)%s", comm_name(c), ending(rc));
}

MAYBE void Comm_split(MPI_Comm c, int color, int key, MPI_Comm *ret_new)
{
	int rc = MPI_Comm_split(c, color, key, ret_new);
	answer("comm=%s", made_comm(*ret_new));
	expect("MPI_Comm_split(comm=%s, color=%s, key=%d)%s", comm_name(c), number_name(color), key, ending(rc));
}

MAYBE void Comm_create(MPI_Comm c, MPI_Group g, MPI_Comm *ret_new)
{
	int rc = MPI_Comm_create(c, g, ret_new);
	answer("comm=%s", made_comm(*ret_new));
	expect("MPI_Comm_create(comm=%s)%s", comm_name(c), ending(rc));
}

MAYBE void Comm_free(MPI_Comm *c)
{
	MPI_Comm was = *c;
	const char *name = comm_name(was);
	int rc = MPI_Comm_free(c);
	expect("MPI_Comm_free(comm=%s)%s", name, ending(rc));
	gone_comm(was);
}

#endif
