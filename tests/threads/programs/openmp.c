/* What OpenMP leaves to chance, by calls of its library: which thread gets which chunk, who is first in a critical section. */
#include <mpi.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static uint64_t hash = 1469598103934665603u;
static void mix(uint64_t v) { hash = (hash ^ v) * 0x100000001b3u; }

static void work(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (volatile long n = t.tv_nsec / 7 % 3000; n > 0; n--)
		;
	if (t.tv_nsec / 13 % 4 == 0) /* also where there are fewer processors than threads */
		nanosleep(&(struct timespec){0, t.tv_nsec / 11 % 60000}, NULL);
}

static void tell(int rank, const char *name)
{
	uint64_t sum;
	MPI_Reduce(&hash, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%s %016llx\n", name, (unsigned long long)sum);
}

static int owner[300];
static omp_lock_t lock;

static void critical(void)
{
	static uint64_t named;
#pragma omp parallel
	for (int i = 0; i < 100; i++) {
		work();
#pragma omp critical
		mix((uint64_t)omp_get_thread_num() + 1);
#pragma omp critical(named)
		named = named * 31 + (uint64_t)omp_get_thread_num();
	}
	mix(named);
}

static void locks(void)
{
#pragma omp parallel
	for (int i = 0; i < 50; i++) {
		work();
		omp_set_lock(&lock);
		mix((uint64_t)omp_get_thread_num() + 1);
		omp_unset_lock(&lock);
		while (!omp_test_lock(&lock))
			;
		mix((uint64_t)omp_get_thread_num() + 20);
		omp_unset_lock(&lock);
	}
}

static void dynamic(void)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < 300; i++) {
		work();
		owner[i] = omp_get_thread_num();
	}
	for (int i = 0; i < 300; i++)
		mix((uint64_t)owner[i]);
}

static void guided(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(guided)
		for (long long i = 0; i < 300; i++) {
			work();
			owner[i] = omp_get_thread_num();
		}
#pragma omp for schedule(runtime) nowait
		for (unsigned long long i = 0; i < 300; i++) {
			work();
			owner[i] = owner[i] * 4 + omp_get_thread_num();
		}
	}
	for (int i = 0; i < 300; i++)
		mix((uint64_t)owner[i]);
}

/* Two numbers are added up under a lock of the library; one alone is not (docs/threads.md). */
static void reduction(void)
{
	double a = 0, b = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : a, b)
	for (int i = 1; i < 300; i++) {
		work();
		a += 1.0 / i;
		b += 1.0 / (i * i);
	}
	mix((uint64_t)(a * 1e15));
	mix((uint64_t)(b * 1e16));
}

static void single(void)
{
	int who = 0, copied = 0;
#pragma omp parallel firstprivate(copied)
	for (int i = 0; i < 20; i++) {
		work();
#pragma omp single
		who = who * 4 + omp_get_thread_num();
#pragma omp single copyprivate(copied)
		copied = omp_get_thread_num();
#pragma omp sections
		{
#pragma omp section
			owner[0] = omp_get_thread_num();
#pragma omp section
			owner[1] = omp_get_thread_num();
#pragma omp section
			owner[2] = omp_get_thread_num();
		}
#pragma omp master
		mix((uint64_t)(who + copied * 7 + owner[0] + owner[1] * 4 + owner[2] * 16));
#pragma omp barrier
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*part)(void);
	} parts[] = {{"critical", critical}, {"locks", locks}, {"dynamic", dynamic}, {"guided", guided},
		{"reduction", reduction}, {"single", single}};
	int rank, level;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	omp_set_num_threads(4);
	omp_init_lock(&lock);
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		parts[i].part();
		tell(rank, parts[i].name);
	}
	MPI_Finalize();
	return 0;
}
