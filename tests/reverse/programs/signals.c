/* Signals that it sends itself, one with a handler; with an argument, a child. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int handled, sender;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled = signal;
	sender = info->si_pid == getpid();
}

static void after(void) {}

int main(int argc, char **argv)
{
	(void)argv;
	struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	sigaction(SIGUSR1, &a, NULL);
	raise(SIGUSR1);
	after();
	printf("handled %d sender %d\n", handled, sender);
	fflush(stdout);
	after();
	if (argc > 1)
		return system("exit 7") >> 8;
	abort();
}
