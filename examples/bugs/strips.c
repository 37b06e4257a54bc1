/* A wrong result: the rows of a picture, put together in the order in which they came.
 *
 * Process 0 hands a row to each of the others, takes as many answers, and so on until the picture is done. It hands the rows out some
 * milliseconds apart, so the answers come in the order of the ranks. Almost always.
 *
 * usage: mpirun -n 3 strips */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TAG_ROW = 1, TAG_PIXELS, TAG_STOP };
enum { ROWS = 8, COLUMNS = 64 };

/* A row of the Mandelbrot set, a letter for each point. */
static void draw(int row, char *pixels)
{
	for (int column = 0; column < COLUMNS; column++) {
		double a = -2.1 + 2.8 * column / (COLUMNS - 1), b = -1.2 + 2.4 * (row + 0.5) / ROWS, x = 0, y = 0;
		int steps = 0;
		for (; steps < 1000; steps++) {
			double next = x * x - y * y + a;
			y = 2 * x * y + b;
			x = next;
			if (x * x + y * y > 4 && steps < 24)
				break;
		}
		pixels[column] = steps >= 24 ? '#' : " .:-=+*"[steps * 6 / 24];
	}
}

static void work(void)
{
	int row;
	char pixels[COLUMNS];
	MPI_Status status;
	for (;;) {
		MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG == TAG_STOP)
			return;
		draw(row, pixels);
		MPI_Send(pixels, COLUMNS, MPI_CHAR, 0, TAG_PIXELS, MPI_COMM_WORLD);
	}
}

static void manage(int workers, char picture[ROWS][COLUMNS])
{
	for (int first = 0; first < ROWS; first += workers) {
		int last = first + workers < ROWS ? first + workers : ROWS;
		for (int row = first; row < last; row++) {
			usleep(2000); /* it looks up what is to be drawn */
			MPI_Send(&row, 1, MPI_INT, 1 + row - first, TAG_ROW, MPI_COMM_WORLD);
		}
		for (int row = first; row < last; row++)
			MPI_Recv(picture[row], COLUMNS, MPI_CHAR, MPI_ANY_SOURCE, TAG_PIXELS, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
	}
	for (int worker = 1; worker <= workers; worker++)
		MPI_Send(NULL, 0, MPI_INT, worker, TAG_STOP, MPI_COMM_WORLD);
}

/* Prints the picture, and which of its rows are not what they should be. */
static void check(char picture[ROWS][COLUMNS])
{
	char pixels[COLUMNS];
	for (int row = 0; row < ROWS; row++) {
		draw(row, pixels);
		printf("%.*s|%s\n", COLUMNS, picture[row], memcmp(pixels, picture[row], COLUMNS) ? " <- wrong" : "");
	}
}

int main(int argc, char **argv)
{
	int rank, size;
	static char picture[ROWS][COLUMNS];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		manage(size - 1, picture);
		check(picture);
	} else
		work();
	MPI_Finalize();
	return 0;
}
