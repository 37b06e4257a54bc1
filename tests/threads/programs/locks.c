/* Four threads in each process whose results depend on which of them came first, by everything that the C library has for that; each part
 * tells what it computed. locks PART...: mutex trylock timed rwlock condition semaphore spin beside barrier once all. */
#include <mpi.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 4
#define TIMES 200

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin, two[2] __attribute__((aligned(16)));
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, slots;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t hash = 1469598103934665603u, failed;
static int queue[THREADS * TIMES], head, tail;
static __thread int me;
static int who_ran;

static void mix(uint64_t v) { hash = (hash ^ v) * 0x100000001b3u; }

/* Something of no fixed length, so that no two runs are alike. */
static void work(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (volatile long n = t.tv_nsec / 7 % 3000; n > 0; n--)
		;
	if (t.tv_nsec / 13 % 4 == 0) /* also where there are fewer processors than threads */
		nanosleep(&(struct timespec){0, t.tv_nsec / 11 % 60000}, NULL);
}

static void on_mutex(void)
{
	for (int i = 0; i < TIMES; i++) {
		work();
		pthread_mutex_lock(&mutex);
		mix((uint64_t)me + 1);
		pthread_mutex_unlock(&mutex);
	}
}

static void on_trylock(void)
{
	uint64_t misses = 0;
	for (int i = 0; i < TIMES; i++) {
		while (pthread_mutex_trylock(&mutex))
			misses++;
		mix((uint64_t)me * 3 + misses);
		work();
		pthread_mutex_unlock(&mutex);
	}
	__atomic_fetch_add(&failed, misses, __ATOMIC_RELAXED);
}

static void on_timed(void)
{
	for (int i = 0; i < TIMES / 10; i++) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 20000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
		if (pthread_mutex_timedlock(&mutex, &t) == ETIMEDOUT) {
			__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
			continue;
		}
		mix((uint64_t)me + 77);
		work();
		work();
		pthread_mutex_unlock(&mutex);
	}
}

static void on_rwlock(void)
{
	uint64_t seen = 0;
	for (int i = 0; i < TIMES; i++) {
		work();
		if ((i + me) % 3) {
			pthread_rwlock_rdlock(&rwlock);
			seen ^= hash;
		} else {
			pthread_rwlock_wrlock(&rwlock);
			mix((uint64_t)me + seen);
		}
		pthread_rwlock_unlock(&rwlock);
	}
}

/* Threads 0 and 1 fill the queue, 2 and 3 take from it. */
static void on_condition(void)
{
	for (int i = 0; i < TIMES; i++) {
		if (me < 2) {
			work();
			pthread_mutex_lock(&queue_lock);
			queue[head++] = me * TIMES + i;
			pthread_cond_signal(&filled);
			pthread_mutex_unlock(&queue_lock);
			continue;
		}
		pthread_mutex_lock(&queue_lock);
		while (head == tail)
			pthread_cond_wait(&filled, &queue_lock);
		mix((uint64_t)queue[tail++] * 5 + (uint64_t)me);
		pthread_mutex_unlock(&queue_lock);
	}
}

static void on_semaphore(void)
{
	for (int i = 0; i < TIMES; i++) {
		work();
		sem_wait(&semaphore);
		mix((uint64_t)me + 11);
		sem_post(&semaphore);
	}
	if (me == 0)
		for (int i = 0; i < 20; i++)
			sem_post(&slots);
	int got = 0;
	if (me == 1)
		while (got < 20)
			if (!sem_trywait(&slots))
				got++;
			else
				__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
}

static void on_spin(void)
{
	for (int i = 0; i < TIMES; i++) {
		work();
		pthread_spin_lock(&spin);
		mix((uint64_t)me + 5);
		pthread_spin_unlock(&spin);
	}
}

/* Two locks so close to each other that the recorder has one entry for both. */
static void on_beside(void)
{
	static uint64_t of[2];
	uint64_t *mine = &of[me % 2];
	for (int i = 0; i < TIMES; i++) {
		work();
		pthread_spin_lock(&two[me % 2]);
		*mine = (*mine ^ ((uint64_t)me + 5)) * 0x100000001b3u;
		pthread_spin_unlock(&two[me % 2]);
	}
	pthread_barrier_wait(&barrier); /* the other one with this lock is over, too */
	pthread_mutex_lock(&mutex);
	mix(*mine);
	pthread_mutex_unlock(&mutex);
}

static void on_barrier(void)
{
	for (int i = 0; i < 20; i++) {
		work();
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			mix((uint64_t)me + 9);
		pthread_barrier_wait(&barrier);
	}
}

static void run_once(void) { who_ran = me + 1; }

static void on_once(void)
{
	work();
	pthread_once(&once, run_once);
	pthread_mutex_lock(&mutex);
	mix((uint64_t)who_ran);
	pthread_mutex_unlock(&mutex);
}

static const struct {
	const char *name;
	void (*part)(void);
} parts[] = {{"mutex", on_mutex}, {"trylock", on_trylock}, {"timed", on_timed}, {"rwlock", on_rwlock},
	{"condition", on_condition}, {"semaphore", on_semaphore}, {"spin", on_spin}, {"beside", on_beside},
	{"barrier", on_barrier}, {"once", on_once}};

static void *thread(void *p)
{
	void *const *a = p;
	me = *(const int *)a[0];
	((void (*const *)(void))a[1])[0]();
	return NULL;
}

static void run(int rank, const char *name, void (*part)(void))
{
	pthread_t threads[THREADS];
	int number[THREADS];
	void *a[THREADS][2];
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		a[i][0] = &number[i];
		a[i][1] = &part;
		pthread_create(&threads[i], NULL, thread, a[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	uint64_t all[2] = {hash, failed}, sum[2];
	MPI_Reduce(all, sum, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("%s %016llx %llu\n", name, (unsigned long long)sum[0], (unsigned long long)sum[1]);
}

int main(int argc, char **argv)
{
	int rank, level;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	sem_init(&semaphore, 0, 1);
	sem_init(&slots, 0, 0);
	pthread_spin_init(&spin, 0);
	pthread_spin_init(&two[0], 0);
	pthread_spin_init(&two[1], 0);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		for (int k = 1; k < argc; k++)
			if (!strcmp(argv[k], parts[i].name) || !strcmp(argv[k], "all"))
				run(rank, parts[i].name, parts[i].part);
	MPI_Finalize();
	return 0;
}
