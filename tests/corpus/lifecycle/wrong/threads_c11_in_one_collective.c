/* processes: 2
 * expect: HB-THREAD-COLLECTIVE
 * why: two threads of C11 of rank 0 wait in barriers of one communicator, until rank 1 comes to them */
#include <mpi.h>
#include <threads.h>
#include <unistd.h>

static int rank, begun;

static int meet(void *unused)
{
	__atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
	MPI_Barrier(MPI_COMM_WORLD);
	return unused != NULL;
}

int main(int argc, char **argv)
{
	int provided, go = 0;
	thrd_t a, b;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		thrd_create(&a, meet, NULL);
		thrd_create(&b, meet, NULL);
		while (begun < 2)
			usleep(1000);
		sleep(1);
		MPI_Send(&go, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
		thrd_join(a, NULL);
		thrd_join(b, NULL);
	} else {
		MPI_Recv(&go, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
