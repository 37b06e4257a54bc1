/* A child that is made between MPI_Init and the first mark, and makes marks of its own; and a thread that does. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hbdb/compare.h>
#include <mpi.h>

static void *other(void *name)
{
	hb_loop((const char *)name);
	hb_iteration(1);
	hb_loop_end((const char *)name);
	return NULL;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	pid_t child = fork();
	if (!child) {
		for (int i = 0; i < 5; i++)
			other((char *)"child's");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	other((char *)"mine");
	pthread_t thread;
	pthread_create(&thread, NULL, other, (char *)"thread's");
	pthread_join(thread, NULL);
	other((char *)"mine");
	MPI_Finalize();
	return 0;
}
