/* tree TASKS ROUNDS: the same with the library; the time is that of the receiver, from init_master, before which all processes have met, to its last result. */
#include <mpi.h>

#include <hbdb/farm.h>

#include "work.h"

static long tasks, rounds;
static double start;

static void init_master(int argc, char **argv)
{
	(void)argc, (void)argv;
	start = now_ns();
}

static void data_generator(void)
{
	for (uint64_t i = 0; i < (uint64_t)tasks; i++)
		hb_farm_do_task(&i, sizeof i);
}

static void compute(const void *task, size_t size, hb_farm_out *out)
{
	uint64_t result = work(*(const uint64_t *)task, rounds);
	(void)size;
	hb_farm_put(out, &result, sizeof result);
}

static void result_receiver(void)
{
	hb_farm_bytes result;
	uint64_t sum = 0;
	while (hb_farm_get_result(&result))
		sum += *(const uint64_t *)result.data;
	report("task", (now_ns() - start) / (double)tasks / 1000, "us");
	report_check("sum", sum);
}

int main(int argc, char **argv)
{
	hb_farm_program program = {.init_master = init_master,
		.data_generator = data_generator,
		.compute = compute,
		.result_receiver = result_receiver};
	MPI_Init(&argc, &argv);
	tasks = argument(argc, argv, 1, 20000), rounds = argument(argc, argv, 2, 0);
	int failed = hb_farm_run(&program, &argc, &argv);
	fputs(hb_farm_error(), stderr);
	MPI_Finalize();
	return failed < 0;
}
