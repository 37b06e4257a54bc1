/* A processor farm: how many primes there are below a number, counted in pieces. As many nodes as there are, whatever the tree:
 *
 *   mpirun -n 6 ./primes 2000000 --farm-topology=chain */
#include <stdio.h>
#include <stdlib.h>

#include <hbdb/farm.h>

enum { PIECE = 10000 };

static long limit = 1000000; /* set in both processes, by init_master */

static void init_master(int argc, char **argv)
{
	if (argc > 1)
		limit = strtol(argv[1], NULL, 10);
}

static void data_generator(void)
{
	for (long first = 0; first < limit; first += PIECE) {
		long piece[2] = {first, first + PIECE < limit ? first + PIECE : limit};
		if (hb_farm_do_task(piece, sizeof piece))
			return;
	}
}

static int is_prime(long n)
{
	for (long d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return n > 1;
}

static void compute(const void *task, size_t size, hb_farm_out *out)
{
	const long *piece = task;
	long found = 0;
	(void)size;
	for (long n = piece[0]; n < piece[1]; n++)
		found += is_prime(n);
	hb_farm_put(out, &found, sizeof found);
}

static void result_receiver(void)
{
	hb_farm_bytes result;
	long found = 0, pieces = 0;
	while (hb_farm_get_result(&result)) {
		found += *(const long *)result.data;
		pieces++;
	}
	printf("%ld primes below %ld, in %ld pieces\n", found, limit, pieces);
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
