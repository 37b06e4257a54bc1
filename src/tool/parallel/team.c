/* The team over MPI. Errors of MPI end the program: that is what its error handler does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "together.h"

#define PIECE ((size_t)64 << 20) /* bytes of one message: counts are ints */
#define POURED ((size_t)1 << 20)

/* Each variable is set for every process by the launcher of that MPI, and by no other one. */
static const struct {
	const char *mpi, *launcher, *size, *rank;
} launchers[] = {{"openmpi", "Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"mpich", "MPICH", "PMI_SIZE", "PMI_RANK"}};

/* A process that finds itself alone in the job of another MPI would read everything by itself, as would all the others. */
static int check_launcher(void)
{
	for (size_t own = 0; own < 2; own++)
		if (!strcmp(launchers[own].mpi, HBDB_MPI_NAME) && getenv(launchers[own].size))
			return 0;
	for (size_t i = 0; i < 2; i++) {
		const char *size = getenv(launchers[i].size), *rank = getenv(launchers[i].rank);
		if (!strcmp(launchers[i].mpi, HBDB_MPI_NAME) || !size || atoi(size) < 2)
			continue;
		if (rank && atoi(rank))
			hb__hush();
		return hb__fail_with(HB_EXIT_USAGE,
			"this program is built for %s, and was started by %s's launcher: its %s processes would not know each other; start hbdb-mpi.%s instead, or use mpirun.%s",
			launchers[!i].launcher, launchers[i].launcher, size, launchers[i].mpi, launchers[!i].mpi);
	}
	return 0;
}

static void pass(const void *out, size_t out_bytes, int to, void *in, size_t in_bytes, int from)
{
	for (size_t at = 0; at < out_bytes || at < in_bytes; at += PIECE) {
		size_t send = at < out_bytes ? out_bytes - at : 0, receive = at < in_bytes ? in_bytes - at : 0;
		/* a side with nothing left is not waiting for an empty message */
		MPI_Sendrecv(send ? (const char *)out + at : NULL, (int)(send < PIECE ? send : PIECE), MPI_BYTE,
			send ? to : MPI_PROC_NULL, 0, receive ? (char *)in + at : NULL,
			(int)(receive < PIECE ? receive : PIECE), MPI_BYTE, receive ? from : MPI_PROC_NULL, 0,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* Where the bytes of each member begin; *ret_all: of all. */
static size_t *begins(const size_t *bytes, uint32_t n, size_t *ret_all)
{
	size_t *at = hb__alloc(n * sizeof *at);
	*ret_all = 0;
	for (uint32_t i = 0; i < n; *ret_all += bytes[i++])
		at[i] = *ret_all;
	return at;
}

static void *exchange(void *user, const void *data, const size_t *bytes, size_t *ret_bytes)
{
	const hb_team *t = user;
	size_t all;
	MPI_Alltoall(bytes, sizeof *bytes, MPI_BYTE, ret_bytes, sizeof *bytes, MPI_BYTE, MPI_COMM_WORLD);
	size_t *from = begins(bytes, t->size, &all), *to = begins(ret_bytes, t->size, &all);
	char *came = malloc(all + 1);
	for (uint32_t k = 0; came && k < t->size; k++) {
		uint32_t next = (t->rank + k) % t->size, last = (t->rank + t->size - k) % t->size;
		pass((const char *)data + from[next], bytes[next], (int)next, came + to[last], ret_bytes[last],
			(int)last);
	}
	free(from);
	free(to);
	return came;
}

static void broadcast(void *user, uint32_t from, void *data, size_t bytes)
{
	(void)user;
	for (size_t at = 0; at < bytes; at += PIECE)
		MPI_Bcast((char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, (int)from,
			MPI_COMM_WORLD);
}

static void *gather(void *user, const void *data, size_t bytes, size_t *ret_bytes)
{
	const hb_team *t = user;
	size_t all;
	MPI_Allgather(&bytes, sizeof bytes, MPI_BYTE, ret_bytes, sizeof bytes, MPI_BYTE, MPI_COMM_WORLD);
	size_t *at = begins(ret_bytes, t->size, &all);
	char *came = malloc(all + 1);
	if (came && bytes)
		memcpy(came + at[t->rank], data, bytes);
	for (uint32_t i = 0; came && i < t->size; i++)
		broadcast(user, i, came + at[i], ret_bytes[i]);
	free(at);
	return came;
}

/* srun starts processes that know nothing of each other when it is not told how that MPI wants it: each would do all of the work. */
static int check_alone(int size)
{
	const char *steps = getenv("SLURM_STEP_NUM_TASKS"), *first = getenv("SLURM_PROCID");
	if (size > 1 || !steps || atoi(steps) < 2)
		return 0;
	if (first && atoi(first))
		hb__hush();
	return hb__fail_with(HB_EXIT_USAGE,
		"srun started %s processes that do not know of each other; %s wants srun --mpi=%s (srun --mpi=list shows what there is), or use mpirun",
		steps, !strcmp(HBDB_MPI_NAME, "mpich") ? "MPICH" : "Open MPI",
		!strcmp(HBDB_MPI_NAME, "mpich") ? "pmi2" : "pmix");
}

int hb__team_begin(int *argc, char ***argv, hb_team *ret)
{
	int code = check_launcher(), rank, size;
	bool launched = false; /* by a launcher that says so, be it one process only */
	for (size_t i = 0; i < 2; i++)
		launched = launched || getenv(launchers[i].size);
	if (code)
		return code;
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	*ret = (hb_team){(uint32_t)size, (uint32_t)rank, ret, exchange, gather, broadcast};
	if (rank)
		hb__hush();
	code = launched ? 0 : check_alone(size);
	if (code)
		MPI_Finalize();
	return code;
}

/* The first writes what may be much, to a launcher that needs a processor to pass it on: the others sleep until then, where MPI would have them spin
 * (8 processes on 2 processors: 2.6 MB took two minutes). */
void hb__team_end(void)
{
	struct timespec pause = {.tv_nsec = 1000000};
	MPI_Request all;
	int over = 0;
	MPI_Ibarrier(MPI_COMM_WORLD, &all);
	for (MPI_Test(&all, &over, MPI_STATUS_IGNORE); !over; MPI_Test(&all, &over, MPI_STATUS_IGNORE))
		nanosleep(&pause, NULL);
	MPI_Finalize();
}

_Noreturn void hb__team_abort(int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
	_exit(code);
}

int hb__team_code(const hb_team *team, int code)
{
	int most = code;
	(void)team;
	MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

/* One that cannot read again what it wrote ends all: the answer would have a hole. */
static void pour_own(int fd, char *room)
{
	for (off_t at = 0;;) {
		ssize_t n = pread(fd, room, POURED, at);
		if (n < 0)
			hb__team_abort(HB_EXIT_RECORDING);
		MPI_Send(room, (int)n, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
		if (!n)
			return;
		at += n;
	}
}

void hb__team_pour(const hb_team *team, int fd, hb_output *to)
{
	char *room = hb__alloc(POURED);
	if (team->rank)
		pour_own(fd, room);
	for (uint32_t i = 1; !team->rank && i < team->size; i++)
		for (int n = 1; n;) {
			MPI_Status status;
			MPI_Recv(room, (int)POURED, MPI_BYTE, (int)i, 1, MPI_COMM_WORLD, &status);
			MPI_Get_count(&status, MPI_BYTE, &n);
			hb__put(to, room, (size_t)n);
		}
	free(room);
}
