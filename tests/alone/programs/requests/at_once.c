/* at_once SEED [moved]: nonblocking collectives of one process, which are complete at once, so that the library may give all of them one handle;
 * they are waited for and tested in any order. moved: the requests change their places meanwhile. Prints what the buffers have, and what the
 * status of no request says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 8, ROUNDS = 20 };

static int in[N], out[N];
static MPI_Request request[N];
static unsigned seed;

static void begin(int i, MPI_Comm comm, MPI_Request *r)
{
	switch (rand_r(&seed) % 5) {
	case 0:
		MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, r);
		break;
	case 1:
		MPI_Ibarrier(comm, r);
		break;
	case 2:
		MPI_Iscan(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, r);
		break;
	case 3:
		MPI_Igather(&in[i], 1, MPI_INT, &out[i], 1, MPI_INT, 0, comm, r);
		break;
	default:
		MPI_Iexscan(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, r);
	}
}

/* Place of a request that is over; -1: none is. */
static int end_one(int left)
{
	int i = rand_r(&seed) % left, flag = 1;
	switch (rand_r(&seed) % 4) {
	case 0:
		MPI_Test(&request[i], &flag, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Wait(&request[i], MPI_STATUS_IGNORE);
		break;
	case 2:
		MPI_Testany(left, request, &i, &flag, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_Waitany(left, request, &i, MPI_STATUS_IGNORE);
	}
	return flag && i != MPI_UNDEFINED ? i : -1;
}

static int alive(void)
{
	int n = 0;
	for (int i = 0; i < N; i++)
		n += request[i] != MPI_REQUEST_NULL;
	return n;
}

static void none(void)
{
	MPI_Request no = MPI_REQUEST_NULL;
	MPI_Status a = {.MPI_ERROR = 17}, b = {.MPI_ERROR = 17};
	int flag, count;
	MPI_Request_get_status(no, &flag, &a);
	MPI_Wait(&no, &b);
	MPI_Get_count(&b, MPI_INT, &count);
	printf("none: %d %d %d, %d %d %d, %d %d\n", a.MPI_SOURCE, a.MPI_TAG, a.MPI_ERROR, b.MPI_SOURCE, b.MPI_TAG,
		b.MPI_ERROR, flag, count);
}

int main(int argc, char **argv)
{
	MPI_Comm other;
	int rank, moved = argc > 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_SELF, &other);
	seed = (unsigned)atoi(argv[1]) + 100 * (unsigned)rank;
	none();
	for (int round = 0; round < ROUNDS; round++) {
		long sum = 0;
		for (int i = 0; i < N; i++) {
			in[i] = 100 * round + i;
			out[i] = -1;
			begin(i, i % 2 ? other : MPI_COMM_SELF, &request[i]);
		}
		for (int left = N; left && alive();) {
			int i = end_one(left);
			if (i >= 0)
				out[i] += 7 * i; /* what was brought is the program's now */
			if (i >= 0 && moved) {
				request[i] = request[--left];
				request[left] = MPI_REQUEST_NULL;
			}
		}
		for (int i = 0; i < N; i++)
			sum = sum * 31 + out[i];
		printf("%ld\n", sum);
	}
	MPI_Comm_free(&other);
	MPI_Finalize();
	return 0;
}
