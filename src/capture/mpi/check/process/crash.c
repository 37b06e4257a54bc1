/* A signal that is about to end the process: noted in the header of the log, two plain stores. Then it does what it
 * would have done. */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/mpi/check/check.h"

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
#define FATALS (int)(sizeof fatal / sizeof *fatal)
static struct sigaction before[FATALS];
static pid_t owner;

static void about_to_die(int sig, siginfo_t *info, void *context)
{
	(void)context;
	struct hb__lane *lane = hb__self;
	if (getpid() == owner) /* not a child of the program's own */
		hb__log_signal((uint32_t)sig, lane ? lane->number + 1u : 0);
	for (int i = 0; i < FATALS; i++)
		if (fatal[i] == sig)
			sigaction(sig, &before[i], NULL);
	/* An instruction that faults does so again; what was sent has to be sent again. */
	if (info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), sig);
}

void hb__crash_start(void)
{
	struct sigaction mine = {.sa_sigaction = about_to_die, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack;
	owner = getpid();
	/* A stack that has overflown cannot take the handler. */
	if (!sigaltstack(NULL, &stack) && stack.ss_flags & SS_DISABLE) {
		stack = (stack_t){.ss_sp = hb__pages(65536), .ss_size = 65536};
		if (stack.ss_sp)
			sigaltstack(&stack, NULL);
	}
	sigemptyset(&mine.sa_mask);
	for (int i = 0; i < FATALS; i++)
		if (!sigaction(fatal[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &mine, NULL);
}
