/* processes: 2
 * why: types that look different and are alike, or may hold anything */
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

union word {
	double d;
	long l;
};
enum colour { RED, GREEN };
struct pair {
	double value;
	int index;
};
struct sum {
	double parts[2], total;
};

static void through(void *p, int n, MPI_Datatype t) { MPI_Bcast(p, n, t, 0, MPI_COMM_WORLD); }

int main(int argc, char **argv)
{
	char bytes[64] = {0};
	unsigned char *raw = calloc(8, sizeof(double));
	union word w = {0};
	enum colour c = RED;
	struct pair p = {1, 2}, q;
	struct sum s[4] = {{{0}}};
	double complex z[2] = {0};
	double parts[4] = {0};
	int32_t exact = 1;
	long number = 1;
	size_t size = 2;
	bool yes = true;
	int table[3][4] = {{0}}, (*rows)[4] = table;
	void *any = malloc(40);
	MPI_Init(&argc, &argv);
	MPI_Bcast(bytes, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(raw, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(&w, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(&c, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&p, &q, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	MPI_Bcast(s, 12, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(s, sizeof s, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Bcast(z, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Bcast(parts, 2, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
	MPI_Bcast(&exact, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&number, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
	MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	MPI_Bcast(&yes, 1, MPI_C_BOOL, 0, MPI_COMM_WORLD);
	MPI_Bcast(rows, 12, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&rows[1][2], 6, MPI_INT32_T, 0, MPI_COMM_WORLD);
	MPI_Bcast(any, 10, MPI_FLOAT, 0, MPI_COMM_WORLD);
	MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD);
	through(&number, 1, MPI_LONG);
	through(parts, 4, MPI_DOUBLE);
	free(any);
	free(raw);
	MPI_Finalize();
	return 0;
}
