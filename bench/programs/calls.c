/* calls time BATCHES: time per call of single MPI functions, in batches.
 * calls count N: N turns of each, then 2 N turns, between marks for strace
 * (an access() of /bench/NAME/TURNS), callgrind (a dump of that name) and the
 * counter of allocations in alloc.c. What two times N cost more than N is the
 * cost of N turns, without anything that happens once. One process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS ((void)0)
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

#include <hbdb/event.h>

#include "bench.h"

enum { BATCH = 500 };

static void comm_rank(void)
{
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void iprobe_no(void)
{
	int flag;
	MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void send_null(void)
{
	int value = 1;
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

/* A program that numbers its messages: the arguments are never the same for long. */
static void send_tags(void)
{
	static int value;
	value = (value + 1) % 30000;
	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, value, MPI_COMM_WORLD);
}

static void recv_null(void)
{
	int value;
	MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void test_null(void)
{
	int flag;
	MPI_Request request = MPI_REQUEST_NULL;
	MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void bcast_self(void)
{
	static int value;
	MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
}

static void allreduce_self(void)
{
	static double in[2], out[2];
	MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void barrier_self(void) { MPI_Barrier(MPI_COMM_SELF); }

/* Three calls: a send to oneself has to be received. */
static void self_message(void)
{
	int out = 1, in;
	MPI_Request request;
	MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
	MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void self_wildcard(void)
{
	int out = 1, in;
	MPI_Request requests[2];
	MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[0]);
	MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Of the program itself: with the recorder against without it. */
static void own_event(void) { hb_event("step"); }

static void own_value(void)
{
	static int i;
	HB_EVENT("value", hb_integer("i", i++));
}

static void own_sent(void)
{
	static uint64_t key;
	hb_sent("channel", key++, 8);
}

static const struct operation {
	const char *name;
	void (*run)(void);
	int calls;
} operations[] = {
	{"comm_rank", comm_rank, 1},
	{"iprobe_no", iprobe_no, 1},
	{"send_null", send_null, 1},
	{"send_tags", send_tags, 1},
	{"recv_null", recv_null, 1},
	{"test_null", test_null, 1},
	{"bcast_self", bcast_self, 1},
	{"allreduce_self", allreduce_self, 1},
	{"barrier_self", barrier_self, 1},
	{"self_message", self_message, 3},
	{"self_wildcard", self_wildcard, 3},
	{"own_event", own_event, 1},
	{"own_value", own_value, 1},
	{"own_sent", own_sent, 1},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

__attribute__((noinline)) void measured(const struct operation *op, long n)
{
	for (long i = 0; i < n; i++)
		op->run();
}

static void time_all(long batches)
{
	double *samples = malloc((size_t)batches * sizeof *samples);
	for (int o = 0; o < OPERATIONS; o++) {
		const struct operation *op = &operations[o];
		measured(op, BATCH);
		for (long b = 0; b < batches; b++) {
			double start = now_ns();
			measured(op, BATCH);
			samples[b] = (now_ns() - start) / BATCH / op->calls;
		}
		report_percentiles(op->name, samples, (int)batches, "ns");
	}
	free(samples);
}

static void count_turns(const struct operation *op, long n, const char *turns)
{
	/* Given by alloc.c when that is preloaded. */
	unsigned long (*allocations)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "bench_allocations");
	char mark[96], line[96];
	snprintf(mark, sizeof mark, "/bench/%s/%s", op->name, turns);
	snprintf(line, sizeof line, "%s.allocations.%s", op->name, turns);
	unsigned long before = allocations ? allocations() : 0;
	access(mark, F_OK);
	CALLGRIND_ZERO_STATS;
	measured(op, n);
	CALLGRIND_DUMP_STATS_AT(mark);
	access("/bench/end", F_OK);
	if (allocations)
		report(line, (double)(allocations() - before), "1");
}

static void count_all(long n)
{
	for (int o = 0; o < OPERATIONS; o++) {
		const struct operation *op = &operations[o];
		char name[96];
		measured(op, 1000);
		count_turns(op, n, "N");
		count_turns(op, 2 * n, "2N");
		snprintf(name, sizeof name, "%s.calls", op->name);
		report(name, op->calls, "1");
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	if (argc > 1 && !strcmp(argv[1], "count"))
		count_all(argument(argc, argv, 2, 1000));
	else
		time_all(argument(argc, argv, 2, 1000));
	report_end();
	MPI_Finalize();
	return 0;
}
