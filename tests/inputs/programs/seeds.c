/* Prints what the system told it: the same again in a replay. `more`: asks a clock once more. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int rank;

static long long ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void clocks(void)
{
	struct timeval t;
	struct timespec g;
	struct tms tms;
	struct rusage usage;
	gettimeofday(&t, NULL);
	timespec_get(&g, TIME_UTC);
	getrusage(RUSAGE_SELF, &usage);
	printf("%d: time %ld, %ld.%06ld, %ld.%09ld, clock %ld, times %ld, faults %ld\n", rank, (long)time(NULL),
		(long)t.tv_sec, (long)t.tv_usec, (long)g.tv_sec, g.tv_nsec, (long)clock(), (long)times(&tms),
		usage.ru_minflt);
	for (clockid_t c = CLOCK_REALTIME; c <= CLOCK_BOOTTIME; c++)
		printf("%d: clock %d: %lld\n", rank, (int)c, ns(c));
}

static void chance(void)
{
	unsigned char a[40], b[16], c[8];
	unsigned sum = 0;
	if (getrandom(a, sizeof a, 0) != sizeof a || getentropy(b, sizeof b))
		MPI_Abort(MPI_COMM_WORLD, 1);
	arc4random_buf(c, sizeof c);
	for (size_t i = 0; i < sizeof a; i++)
		sum += a[i] * (unsigned)(i + 1);
	srandom((unsigned)time(NULL));
	printf("%d: random %u %02x%02x %02x%02x %u %u %ld\n", rank, sum, b[0], b[15], c[0], c[7], arc4random(),
		arc4random_uniform(1000), random());
}

static void names(void)
{
	struct utsname u;
	char host[100], folder[1000];
	uname(&u);
	gethostname(host, sizeof host);
	printf("%d: pid %d parent %d thread %d on %s %s, %ld processors, in %s, HB_SAID=%s\n", rank, (int)getpid(),
		(int)getppid(), (int)gettid(), u.nodename, host, sysconf(_SC_NPROCESSORS_ONLN),
		getcwd(folder, sizeof folder), getenv("HB_SAID") ? getenv("HB_SAID") : "nothing");
	setenv("HB_SAID", "by itself", 1);
	printf("%d: HB_SAID=%s\n", rank, getenv("HB_SAID"));
}

static void *thread(void *is)
{
	for (int i = 0; i < 3; i++)
		((long long *)is)[i] = ns(CLOCK_MONOTONIC) + (i == 2 ? gettid() : 0);
	return NULL;
}

static void wait_for_it(void)
{
	long long begin = ns(CLOCK_MONOTONIC), n = 0, now;
	while ((now = ns(CLOCK_MONOTONIC)) - begin < 20000000)
		n++;
	int mine = (int)(n % 1000), sum;
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("%d: polled %lld times, to %lld, sum %d\n", rank, n, now - begin, sum);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long long first = ns(CLOCK_MONOTONIC), of_thread[3];
	pthread_t t;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("%d: before MPI_Init %lld\n", rank, first);
	clocks();
	chance();
	names();
	pthread_create(&t, NULL, thread, of_thread);
	pthread_join(t, NULL);
	printf("%d: a thread %lld %lld %lld\n", rank, of_thread[0], of_thread[1], of_thread[2]);
	wait_for_it();
	for (int i = 0; i < 20; i++) {
		long long begin = ns(CLOCK_MONOTONIC);
		MPI_Barrier(MPI_COMM_WORLD);
		printf("%d: a barrier took %lld\n", rank, ns(CLOCK_MONOTONIC) - begin);
	}
	if (!strcmp(how, "more"))
		ns(CLOCK_MONOTONIC);
	MPI_Finalize();
	printf("%d: after MPI_Finalize %lld\n", rank, ns(CLOCK_REALTIME));
	return 0;
}
