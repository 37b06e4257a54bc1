/* What each part prints depends on which process was first: turns.c PART. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 25, TICKETS = 120 };
static int rank, size, *memory;
static MPI_Win win;

static void linger(void)
{
	struct timespec now, t = {0, 0};
	clock_gettime(CLOCK_MONOTONIC, &now);
	t.tv_nsec = (now.tv_nsec / 1000 * 7919 + rank * 104729) % 300 * 1000;
	nanosleep(&t, NULL);
}

static void make(int n)
{
	MPI_Win_allocate((MPI_Aint)(n * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	memset(memory, 0, (size_t)n * sizeof(int));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void show(int n)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		for (int i = 0; i < n; i++)
			printf("%d%c", memory[i], i + 1 == n ? '\n' : ' ');
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

/* Each process stirs it in its own way: the result tells the order. */
static void stir(int at)
{
	int v;
	MPI_Get(&v, 1, MPI_INT, 0, at, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
	v = (v * 31 + rank + 1) % 1000003;
	MPI_Put(&v, 1, MPI_INT, 0, at, 1, MPI_INT, win);
	MPI_Win_flush(0, win);
}

static void stir_locked(void)
{
	linger();
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	stir(0);
	MPI_Win_unlock(0, win);
}

static void exclusive(void)
{
	make(1);
	for (int i = 0; i < ROUNDS; i++)
		stir_locked();
	show(1);
}

/* In every fifth round each process has one lock between two barriers: whoever is the first, there it goes from one to the other. Without,
 * one of them may be done with all of its locks before the next one begins. */
static void handed(void)
{
	make(1);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 5 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
		stir_locked();
		if (i % 5 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	show(1);
}

/* Process 0 writes, the others read: with locks of their own, or with all of them. */
static void readers(void)
{
	int v, sum = 0;
	make(1);
	for (int i = 0; i < ROUNDS; i++) {
		linger();
		if (rank == 0) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
			stir(0);
			MPI_Win_unlock(0, win);
			continue;
		}
		i % 3 ? MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win) : MPI_Win_lock_all(0, win);
		MPI_Get(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		i % 3 ? MPI_Win_unlock(0, win) : MPI_Win_unlock_all(win);
		sum = (sum * 31 + v) % 1000003;
	}
	printf("%d: %d\n", rank, sum);
	show(1);
}

static void tickets(void)
{
	int one = 1, v = 0, sum = 0;
	make(1);
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (;;) {
		MPI_Fetch_and_op(&one, &v, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		if (v >= TICKETS)
			break;
		sum = (sum * 31 + v) % 1000003;
		linger();
	}
	MPI_Win_unlock_all(win);
	printf("%d: %d\n", rank, sum);
	MPI_Win_free(&win);
}

static void spin(void)
{
	int me = rank + 1, zero = 0, old;
	make(2);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		linger();
		do {
			MPI_Compare_and_swap(&me, &zero, &old, MPI_INT, 0, 0, win);
			MPI_Win_flush(0, win);
		} while (old);
		stir(1);
		MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock_all(win);
	show(2);
}

static int fetch(int target, int at)
{
	int v;
	MPI_Fetch_and_op(NULL, &v, MPI_INT, target, at, MPI_NO_OP, win);
	MPI_Win_flush(target, win);
	return v;
}

static void store(int v, int target, int at)
{
	MPI_Accumulate(&v, 1, MPI_INT, target, at, 1, MPI_INT, MPI_REPLACE, win);
	MPI_Win_flush(target, win);
}

/* A queue of waiting processes (Mellor-Crummey, Scott): 0: has to wait, 1: who is next, 2: the last one, 3: what is stirred. */
static void mcs(void)
{
	int me = rank + 1, none = 0, before, last, next;
	make(4);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		linger();
		store(0, rank, 1);
		store(1, rank, 0);
		MPI_Fetch_and_op(&me, &before, MPI_INT, 0, 2, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
		if (before) {
			store(me, before - 1, 1);
			while (fetch(rank, 0))
				;
		}
		stir(3);
		MPI_Compare_and_swap(&none, &me, &last, MPI_INT, 0, 2, win);
		MPI_Win_flush(0, win);
		if (last == me)
			continue;
		while (!(next = fetch(rank, 1)))
			;
		store(0, next - 1, 0);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d\n", memory[3]);
	MPI_Win_free(&win);
}

/* A list at whose end everybody appends: the last element is found by following it (as in linked_list of MPICH's tests). 0: how many
 * elements the process has, 1 + i: 1 + process of the next one * 1000 + its number. */
static void list(void)
{
	int none = 0, found, at, target, own = 0;
	make(ROUNDS + 2);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		int mine = 1 + rank * 1000 + ++own;
		target = 0;
		at = 0;
		linger();
		for (;;) {
			MPI_Compare_and_swap(&mine, &none, &found, MPI_INT, target, at, win);
			MPI_Win_flush(target, win);
			if (!found)
				break;
			target = (found - 1) / 1000;
			at = (found - 1) % 1000;
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int next = fetch(0, 0); rank == 0 && next; next = fetch((next - 1) / 1000, (next - 1) % 1000))
		printf("%d ", next);
	MPI_Win_unlock_all(win);
	if (rank == 0)
		printf("\n");
	MPI_Win_free(&win);
}

/* Sums of numbers of different sizes are rounded as they come: with requests, too. */
static void sums(void)
{
	double *sum, part[4], got[4];
	MPI_Win_allocate(sizeof part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &sum, &win);
	memset(sum, 0, sizeof part);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request request;
		linger();
		for (int k = 0; k < 4; k++)
			part[k] = 1e16 / (double)((rank + 1) * (i + 1) * (k + 3)) * (i % 2 ? 1 : -1);
		if (i % 3 == 0) {
			MPI_Accumulate(part, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, MPI_SUM, win);
			MPI_Win_flush(0, win);
		} else if (i % 3 == 1) {
			MPI_Raccumulate(part, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, MPI_SUM, win, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		} else {
			MPI_Rget_accumulate(
				part, 4, MPI_DOUBLE, got, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, MPI_SUM, win, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		for (int k = 0; k < 4; k++)
			printf("%.17g\n", sum[k]);
	MPI_Win_free(&win);
}

static void file(void)
{
	MPI_File f;
	MPI_Request request;
	MPI_Status status;
	char line[9];
	int sum = 0;
	MPI_File_open(MPI_COMM_WORLD, "turns.log", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_File_set_size(f, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		linger();
		snprintf(line, sizeof line, "%3d %3d\n", rank, i);
		if (i % 3) {
			MPI_File_write_shared(f, line, 8, MPI_CHAR, MPI_STATUS_IGNORE);
		} else {
			MPI_File_iwrite_shared(f, line, 8, MPI_CHAR, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		linger();
		MPI_File_read_shared(f, line, 8, MPI_CHAR, &status);
		sum = (sum * 31 + atoi(line) * 1000 + atoi(line + 4)) % 1000003;
	}
	printf("%d: %d\n", rank, sum);
	MPI_File_close(&f);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} part[] = {{"exclusive", exclusive}, {"handed", handed}, {"readers", readers}, {"tickets", tickets},
		{"spin", spin}, {"mcs", mcs}, {"list", list}, {"sums", sums}, {"file", file}};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (argc > 1 && !strcmp(argv[1], part[i].name))
			part[i].run();
	MPI_Finalize();
	return 0;
}
