/* A farm that is wrong and ends well: nothing is printed but the last line. result_receiver loops up to nsegs, which data_generator has set - in
 * another process, which has a variable of its own. It belongs in init_master, which runs in both.
 *
 *   mpirun -n 8 ./nsegs --farm-topology=chain              # "0 segments of length 0"
 *   mpirun -n 8 ./nsegs right --farm-topology=chain        # nsegs set in init_master: 5 segments
 *   mpirun -n 6 ./nsegs --farm-host=one                    # one process, one variable: it happens to work */
#include <stdio.h>
#include <string.h>

#include <hbdb/farm.h>

static int nsegs, is_right;

static void init_master(int argc, char **argv)
{
	is_right = argc > 1 && !strcmp(argv[1], "right");
	if (is_right)
		nsegs = 5;
}

static void data_generator(void)
{
	nsegs = 5;
	for (int i = 0; i < nsegs; i++)
		hb_farm_do_task(&i, sizeof i);
}

static void compute(const void *task, size_t size, hb_farm_out *out)
{
	int number;
	memcpy(&number, task, size);
	double length = 0;
	for (int i = 0; i < 1000; i++)
		length += 1e-3 * (number + 1);
	hb_farm_put(out, &length, sizeof length);
}

static void result_receiver(void)
{
	double length = 0;
	for (int i = 0; i < nsegs; i++) {
		hb_farm_bytes result;
		if (!hb_farm_get_result(&result))
			break;
		length += *(const double *)result.data;
		printf("segment of length %.0f\n", *(const double *)result.data);
	}
	printf("%d segments of length %.0f\n", nsegs, length);
}

int main(int argc, char **argv)
{
	hb_farm_program program = {.init_master = init_master,
		.data_generator = data_generator,
		.compute = compute,
		.result_receiver = result_receiver};
	if (hb_farm_run(&program, &argc, &argv) < 0) {
		fputs(hb_farm_error(), stderr);
		return 1;
	}
	return 0;
}
