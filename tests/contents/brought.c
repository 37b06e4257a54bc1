/* Messages, collectives and requests of all shapes. Each process writes what came in, in the order of the events that brought it, as
 * hexadecimal lines to the file got.RANK: what hbdb dump --data has to show. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 5000

static FILE *out;
static int rank, size;

static void got(const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", ((const unsigned char *)p)[i]);
	fputc('\n', out);
}

struct particle {
	int id;
	double x[2];
	char tag[3];
};

static void got_particle(const struct particle *p)
{
	unsigned char b[23];
	memcpy(b, &p->id, 4);
	memcpy(b + 4, p->x, 16);
	memcpy(b + 20, p->tag, 3);
	got(b, sizeof b);
}

static MPI_Datatype particle(void)
{
	int n[] = {1, 2, 3};
	MPI_Aint at[] = {offsetof(struct particle, id), offsetof(struct particle, x), offsetof(struct particle, tag)};
	MPI_Datatype of[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, bare, type;
	MPI_Type_create_struct(3, n, at, of, &bare);
	MPI_Type_create_resized(bare, 0, sizeof(struct particle), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&bare);
	return type;
}

static void messages(int next, int before)
{
	static double mine[MANY], theirs[MANY];
	struct particle p = {rank, {0.5 * rank, -1}, "ab"}, q = {0};
	MPI_Datatype type = particle();
	MPI_Request r[3];
	MPI_Message m;
	long number = 1000L + rank, other;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++)
			mine[i] = rank + i / (round < 2 ? 8.0 : 3.0);
		MPI_Irecv(theirs, MANY, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&q, 1, type, before, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(mine, round == 1 ? 100 : MANY, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &r[2]);
		MPI_Send(&p, 1, type, next, 2, MPI_COMM_WORLD);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		got(theirs, (round == 1 ? 100 : MANY) * sizeof *theirs);
		got_particle(&q);
	}
	MPI_Sendrecv(&number, 1, MPI_LONG, next, 3, &other, 1, MPI_LONG, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	got(&other, sizeof other);
	MPI_Isend(&number, 1, MPI_LONG, next, 4, MPI_COMM_WORLD, &r[0]);
	MPI_Mprobe(before, 4, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
	MPI_Mrecv(&other, 1, MPI_LONG, &m, MPI_STATUS_IGNORE);
	got(&other, sizeof other);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Recv_init(&other, 1, MPI_LONG, before, 5, MPI_COMM_WORLD, &r[0]);
	for (int i = 0; i < 2; i++) {
		number += 7;
		MPI_Start(&r[0]);
		MPI_Send(&number, 1, MPI_LONG, next, 5, MPI_COMM_WORLD);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		got(&other, sizeof other);
	}
	MPI_Request_free(&r[0]);
	MPI_Type_free(&type);
}

static void collectives(void)
{
	int mine = 10 + rank, sum = 0, *all = malloc((size_t)size * sizeof *all);
	char text[32] = "";
	MPI_Request r;
	if (!rank)
		memcpy(text, "to all", 6);
	MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank)
		got(text, sizeof text);
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	got(&sum, sizeof sum);
	MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
	if (rank == 1)
		got(all, (size_t)size * sizeof *all);
	MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	got(&sum, sizeof sum);
	free(all);
}

int main(int argc, char **argv)
{
	char name[32];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof name, "got.%d", rank);
	out = fopen(name, "w");
	messages((rank + 1) % size, (rank + size - 1) % size);
	collectives();
	fclose(out);
	MPI_Finalize();
	return 0;
}
