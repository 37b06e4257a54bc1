/* What MPI 4.1 has more: a buffer of a communicator, looking at several requests. With an older MPI the same in the old way. */
#include "expect.h"

#define LATER (MPI_VERSION * 100 + MPI_SUBVERSION >= 401)

static void send_buffered(int n)
{
	static char room[4 * (MPI_BSEND_OVERHEAD + sizeof(int))];
	void *was;
	int bytes;
#if LATER
	MPI_Comm_attach_buffer(WORLD, room, (int)sizeof room);
#else
	MPI_Buffer_attach(room, (int)sizeof room);
#endif
	for (int i = 0; i < n; i++)
		MPI_Bsend(&i, 1, MPI_INT, 0, i, WORLD);
#if LATER
	MPI_Comm_flush_buffer(WORLD);
	MPI_Comm_detach_buffer(WORLD, &was, &bytes);
#else
	MPI_Buffer_detach(&was, &bytes);
#endif
	if (was != room || bytes != (int)sizeof room)
		printf("%d: another buffer comes back\n", rank);
}

/* Whether all have come; what they are like is told before they are completed. */
static int all_there(MPI_Request *reqs, int n, MPI_Status *st)
{
	int flag = 0;
#if LATER
	int some = 0, any = 0, index, indices[3];
	MPI_Status one, several[3];
	MPI_Request_get_status_any(n, reqs, &index, &any, &one);
	MPI_Request_get_status_some(n, reqs, &some, indices, several);
	if (any && index >= 0 && (one.MPI_SOURCE != 1 || one.MPI_TAG != index))
		printf("%d: a wrong status of one\n", rank);
	for (int i = 0; i < some; i++)
		if (several[i].MPI_TAG != indices[i])
			printf("%d: a wrong status of some\n", rank);
	MPI_Request_get_status_all(n, reqs, &flag, st);
#else
	for (int i = 0, one = 1; i < n && one; i++, flag = one && i == n)
		MPI_Request_get_status(reqs[i], &one, &st[i]);
#endif
	return flag;
}

int main(int argc, char **argv)
{
	int values[3];
	MPI_Request reqs[3];
	MPI_Status st[3];

	Init(&argc, &argv);
	if (rank == 0) {
		for (int i = 0; i < 3; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, i, WORLD, &reqs[i]);
		while (!all_there(reqs, 3, st))
			;
		for (int i = 0, bytes; i < 3; i++) {
			MPI_Get_count(&st[i], MPI_BYTE, &bytes);
			printf("0: from %d tag %d bytes %d value %d\n", st[i].MPI_SOURCE, st[i].MPI_TAG, bytes,
				values[i]);
		}
		MPI_Waitall(3, reqs, st);
	} else if (rank == 1) {
		send_buffered(3);
	}
	Finalize();
	return 0;
}
