/* costs TASKS FROM EVERY: a farm of tasks that take no time, but each EVERYth of those from number FROM on, which takes five milliseconds. The receiver
 * tells how many of both kinds each rank has computed. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include <hbdb/farm.h>

enum { RANKS_MOST = 64, LONG_NS = 5000000 };

static long tasks, from, every;

struct result {
	int rank, is_long;
};

static void data_generator(void)
{
	for (long task = 0; task < tasks; task++)
		hb_farm_do_task(&task, sizeof task);
}

static void compute(const void *bytes, size_t size, hb_farm_out *out)
{
	long task = *(const long *)bytes;
	struct result r = {0, task >= from && task % every == 0};
	(void)size;
	MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
	if (r.is_long)
		nanosleep(&(struct timespec){0, LONG_NS}, NULL);
	hb_farm_put(out, &r, sizeof r);
}

static void result_receiver(void)
{
	long count[2][RANKS_MOST] = {{0}};
	int ranks;
	hb_farm_bytes bytes;
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	while (hb_farm_get_result(&bytes)) {
		const struct result *r = bytes.data;
		count[r->is_long][r->rank]++;
	}
	for (int is_long = 0; is_long < 2; is_long++) {
		printf(is_long ? "long" : "short");
		for (int rank = 0; rank < ranks; rank++)
			printf(" %ld", count[is_long][rank]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	hb_farm_program program = {
		.data_generator = data_generator, .compute = compute, .result_receiver = result_receiver};
	tasks = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	from = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	every = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
	if (hb_farm_run(&program, &argc, &argv) < 0) {
		fputs(hb_farm_error(), stderr);
		return 1;
	}
	return 0;
}
