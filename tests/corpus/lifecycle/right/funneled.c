/* why: other threads compute, and ask for what any thread may ask */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
#include <stddef.h>

static void *work(void *nothing)
{
	int flag;
	MPI_Initialized(&flag);
	MPI_Is_thread_main(&flag);
	usleep(1000);
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;
	pthread_t thread;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	pthread_create(&thread, NULL, work, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
