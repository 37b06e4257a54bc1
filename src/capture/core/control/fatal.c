/* A signal that is about to end the process: the session is told first and may look with
 * gdb. When it lets go, the signal does what it would have done without hbdb. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/control/control.h"

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
#define FATALS (int)(sizeof fatal / sizeof *fatal)
static struct sigaction before[FATALS];

static void restore(int sig)
{
	for (int i = 0; i < FATALS; i++)
		if (fatal[i] == sig)
			sigaction(sig, &before[i], NULL);
}

/* No MPI in here: it may be what crashed. */
static void about_to_die(int sig, siginfo_t *info, void *context)
{
	(void)context;
	static int dying;
	struct hb__lane *lane = hb__self;
	uint16_t number = lane ? lane->number : 0;
	if (hb__controlled && !__atomic_exchange_n(&dying, 1, __ATOMIC_RELAXED)) {
		uint64_t goes = hb__dial_goes(number);
		hb__dial_say("signal %d %u %llu", sig, number, lane ? (unsigned long long)lane->control->events : 0ull);
		while (hb__dial_goes(number) == goes && hb__dial_take(20))
			;
	}
	restore(sig);
	/* An instruction that faults does so again; what was sent has to be sent again. */
	if (info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), sig);
}

void hb__fatal_start(void)
{
	struct sigaction mine = {.sa_sigaction = about_to_die, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack;
	/* A stack that has overflown cannot take the handler. */
	if (!sigaltstack(NULL, &stack) && stack.ss_flags & SS_DISABLE) {
		stack = (stack_t){.ss_sp = hb__pages(65536), .ss_size = 65536};
		if (stack.ss_sp)
			sigaltstack(&stack, NULL);
	}
	sigemptyset(&mine.sa_mask);
	for (int i = 0; i < FATALS; i++)
		sigaction(fatal[i], &mine, &before[i]);
}
