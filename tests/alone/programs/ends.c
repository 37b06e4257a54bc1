/* Processes that do not come to their end, or err: what each does alone is what it did.
 *
 * usage: ends HOW AT: rank 1 does it when AT messages have come, of AT + 50 that rank 0 sends. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* As the signal itself tells it: no debugger has a part in it. */
static void told(int number, siginfo_t *about, void *context)
{
	const ucontext_t *u = context;
	char text[200];
	int n = snprintf(text, sizeof text, "signal %d: address %p, instruction %p, accumulator %llx\n", number,
		about->si_addr, (void *)u->uc_mcontext.gregs[REG_RIP], u->uc_mcontext.gregs[REG_RAX]);
	if (write(1, text, (size_t)n) != n)
		_exit(9);
	signal(number, SIG_DFL);
}

static volatile uint64_t sum;

__attribute__((noinline)) static void err(const char *how, uint64_t from)
{
	if (!strcmp(how, "segv"))
		sum += *(volatile uint64_t *)(from & 0xffff0);
	else if (!strcmp(how, "kill"))
		raise(SIGKILL);
	else if (!strcmp(how, "leave"))
		_exit(5);
	else if (!strcmp(how, "over")) { /* an address sanitizer sees it, and memcheck */
		volatile char *p = malloc(16);
		p[16 + (from & 1)] = 1;
		free((void *)p);
		/* a message on a page whose first bytes were never written: no error */
		int *wide = malloc(1 << 14);
		wide[1500] = from;
		MPI_Allreduce(&wide[1500], &wide[1501], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
		free(wide);
	}
}

int main(int argc, char **argv)
{
	int rank, at = argc > 2 ? atoi(argv[2]) : 10;
	uint64_t v[64];
	struct sigaction act = {.sa_sigaction = told, .sa_flags = SA_SIGINFO};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		sigaction(SIGSEGV, &act, NULL);
	for (int i = 0; i < at + 50; i++) {
		if (rank == 0) {
			for (int k = 0; k < 64; k++)
				v[k] = 0x9e3779b97f4a7c15u * (uint64_t)(i * 64 + k + 1);
			MPI_Send(v, 64, MPI_UINT64_T, 1, i % 3, MPI_COMM_WORLD);
		} else if (rank == 1) {
			MPI_Recv(v, 64, MPI_UINT64_T, MPI_ANY_SOURCE, i % 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			for (int k = 0; k < 64; k++)
				sum += v[k];
			if (i + 1 == at) {
				printf("sum %llx\n", (unsigned long long)sum);
				fflush(stdout);
				err(argv[1], sum);
			}
		}
	}
	printf("rank %d: sum %llx\n", rank, (unsigned long long)sum);
	MPI_Finalize();
	return 0;
}
