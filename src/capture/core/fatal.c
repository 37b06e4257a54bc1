/* A signal that is about to end the process: who asked is told, then it does what it would have done without hbdb. */
#include "capture/core/fatal.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TOLD 4

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
#define FATALS (int)(sizeof fatal / sizeof *fatal)
static struct sigaction before[FATALS];
static hb__fatal_told *told[TOLD];
static pid_t owner;

static void about_to_die(int sig, siginfo_t *info, void *context)
{
	(void)context;
	for (int i = 0; i < TOLD && told[i] && getpid() == owner; i++) /* not in a child of the program's own */
		told[i](sig, hb__self);
	for (int i = 0; i < FATALS; i++)
		if (fatal[i] == sig)
			sigaction(sig, &before[i], NULL);
	/* An instruction that faults does so again; what was sent has to be sent again. */
	if (info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), sig);
}

static void take_signals(void)
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
	for (int i = 0; i < FATALS; i++) /* what the program ignores does not end it */
		if (!sigaction(fatal[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &mine, NULL);
}

void hb__fatal_tell(hb__fatal_told *who)
{
	int n = 0;
	while (n < TOLD && told[n])
		n++;
	if (n == TOLD)
		return;
	told[n] = who;
	if (n == 0)
		take_signals();
}
