/* Processes whose recording ends before they do: rank 0 kills rank 1, or ends the job, for certain where it says.
 *
 * usage: cut receive|abort|finalize|compute|handler|deleted
 *        receive, abort: inside a receive; finalize: inside MPI_Finalize, or just before; compute: between two calls; handler: rank 1 itself,
 *        in the error handler of a receive; deleted: it crashes, in the function that is called as a communicator goes */
#include <mpi.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 10, WIDE = 1 << 20 };
static double total;
static int got[2], big[WIDE];
static char text[32];
static int *nowhere;

static void killed(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	(void)code;
	raise(SIGKILL);
}

static int gone(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	return *nowhere;
}

static double add(double a, double b) { return a + b; }

static void tell(const char *name) { close(open(name, O_CREAT | O_WRONLY, 0666)); }
static void wait_for(const char *name)
{
	while (access(name, F_OK))
		usleep(1000);
}

static void one(const char *how)
{
	MPI_Request request;
	MPI_Errhandler handler;
	MPI_Comm other;
	int pid = (int)getpid(), key;
	MPI_Send(&pid, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Recv(got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		total = add(total, got[0]);
	}
	int fd = open("input.txt", O_RDONLY);
	if (read(fd, text, sizeof text - 1) < 0)
		exit(9);
	close(fd);
	if (!strcmp(how, "receive") || !strcmp(how, "abort"))
		MPI_Irecv(big, WIDE, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
	if (!strcmp(how, "handler")) {
		MPI_Comm_create_errhandler(killed, &handler);
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	}
	if (!strcmp(how, "deleted")) {
		MPI_Comm_dup(MPI_COMM_SELF, &other);
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gone, &key, NULL);
		MPI_Comm_set_attr(other, key, text);
	}
	total = total * 2; /* the last store */
	tell("there");
	if (!strcmp(how, "finalize"))
		return;
	if (!strcmp(how, "compute")) {
		while (access("on", F_OK)) /* it does not sleep */
			;
		total = 1000; /* further than the recorded process came */
	}
	if (!strcmp(how, "deleted"))
		MPI_Comm_free(&other);
	MPI_Recv(got, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void zero(const char *how)
{
	int pid;
	MPI_Recv(&pid, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 1; i <= ROUNDS; i++)
		MPI_Send(&i, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
	wait_for("there");
	if (!strcmp(how, "receive") || !strcmp(how, "abort"))
		/* nobody takes it before rank 1 is inside of its last call, which moves its other requests on */
		MPI_Ssend(big, WIDE, MPI_INT, 1, 3, MPI_COMM_WORLD);
	if (!strcmp(how, "handler"))
		MPI_Send(big, 2, MPI_INT, 1, 4, MPI_COMM_WORLD); /* more than there is room for */
	if (!strcmp(how, "finalize"))
		sleep(1); /* where it is killed before, the recording says so */
	if (!strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (!strcmp(how, "receive") || !strcmp(how, "finalize") || !strcmp(how, "compute"))
		kill(pid, SIGKILL);
	pause(); /* the launcher ends it */
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc < 2)
		return 9;
	if (rank == 0)
		zero(argv[1]);
	else
		one(argv[1]);
	MPI_Finalize();
	return 0;
}
