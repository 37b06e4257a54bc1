/* The process begins: traced, its addresses the same every time, its trapped calls chosen. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../inside.h"

extern char **environ;

/* In the child; what goes wrong goes up the pipe. */
static void child(const hb_reverse_setup *s, int go, int news)
{
	char c;
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	/* what is typed at gdb's terminal is gdb's */
	setpgid(0, 0);
	int why = 0;
	/* on until the parent traces us */
	if (read(go, &c, 1) != 1)
		_exit(127);
	if (dup2(s->in, 0) < 0 || dup2(s->out, 1) < 0)
		why = errno;
	/* where that is not allowed, addresses of the start differ between two starts; copies have them alike */
	int old = personality(0xffffffff);
	if (old >= 0)
		personality((unsigned long)old | ADDR_NO_RANDOMIZE);
	if (!why && hb__filter())
		why = errno;
	if (!why) {
		execvpe(s->argv[0], s->argv, s->environment ? s->environment : environ);
		why = errno;
	}
	ssize_t told = write(news, &why, sizeof why);
	_exit(told < 0 ? 126 : 127);
}

/* Lets the child run up to its new program. The errno of what failed, or 0. */
static int await_exec(pid_t pid, int news)
{
	for (;;) {
		int why = 0, status = hb__wait_for(pid);
		if (status < 0 || !WIFSTOPPED(status))
			return read(news, &why, sizeof why) == sizeof why && why ? why : ECHILD;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			/* out of the call, which writes its answer into a register at its end */
			ptrace(PTRACE_SYSCALL, pid, 0, 0);
			return hb__wait_for(pid) < 0 ? ECHILD : 0;
		}
		int signal = status >> 16 ? 0 : WSTOPSIG(status);
		ptrace(PTRACE_CONT, pid, 0, signal);
	}
}

int hb__launch_stopped(hb_reverse *r, pid_t *ret_pid)
{
	int go[2], news[2];
	if (pipe2(go, O_CLOEXEC))
		return errno;
	if (pipe2(news, O_CLOEXEC)) {
		int why = errno;
		close(go[0]), close(go[1]);
		return why;
	}
	pid_t pid = fork();
	if (!pid)
		child(&r->setup, go[0], news[1]);
	int why = pid < 0 ? errno : 0;
	close(go[0]), close(news[1]);
	long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
	if (!why && ptrace(PTRACE_SEIZE, pid, 0, options))
		why = errno;
	if (!why && write(go[1], "", 1) != 1)
		why = errno;
	close(go[1]);
	if (!why)
		why = await_exec(pid, news[0]);
	if (why && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, __WALL);
	}
	close(news[0]);
	*ret_pid = pid;
	return why;
}

uint64_t hb__find_gateway(const hb_copy *c)
{
	uint64_t at = hb__auxiliary(c->pid, AT_SYSINFO_EHDR);
	unsigned char code[16384];
	size_t n = at ? hb__read(c, at, code, sizeof code) : 0;
	if (at && !n)
		n = hb__read(c, at, code, 4096);
	for (size_t i = 0; i + 1 < n; i++)
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return at + i;
	return 0;
}

/* What Linux maps into each process to read its clocks without a call: without it they are read by calls, which are trapped. The loader
 * finds it by the vector behind the environment; the process stands at its first instruction. */
static void hide_clock_code(const hb_copy *c)
{
	struct user_regs_struct regs;
	uint64_t at, word[2];
	if (hb__registers(c->pid, &regs))
		return;
	at = regs.rsp + sizeof *word; /* behind the number of arguments */
	for (int lists = 0; lists < 2; at += sizeof *word) {
		if (hb__read(c, at, word, sizeof *word) != sizeof *word)
			return;
		lists += !word[0];
	}
	for (; hb__read(c, at, word, sizeof word) == sizeof word && word[0] != AT_NULL; at += sizeof word)
		if (word[0] == AT_SYSINFO_EHDR) {
			word[0] = AT_IGNORE;
			hb__write(c, at, word, sizeof *word);
		}
}

static void on_tick(int signal) { (void)signal; }

/* So that a wait ends now and then. */
static void begin_ticks(void)
{
	struct sigaction a = {.sa_handler = on_tick};
	sigaction(SIGALRM, &a, NULL);
	struct itimerval every = {.it_interval.tv_usec = 5000, .it_value.tv_usec = 5000};
	setitimer(ITIMER_REAL, &every, NULL);
}

static void end_ticks(void)
{
	struct itimerval never = {0};
	setitimer(ITIMER_REAL, &never, NULL);
}

static hb_reverse *fail(hb_reverse *r, char **ret_why, const char *what, int error)
{
	if (ret_why && asprintf(ret_why, "%s%s%s", what, error ? ": " : "", error ? strerror(error) : "") < 0)
		*ret_why = NULL;
	if (r)
		hb_reverse_end(r);
	return NULL;
}

hb_reverse *hb_reverse_start(const hb_reverse_setup *setup, char **ret_why)
{
	hb_reverse *r = calloc(1, sizeof *r);
	if (!r || !(r->threads = calloc(HB_THREADS_MAX, sizeof *r->threads)) ||
		!(r->points = calloc(HB_POINTS_MAX, sizeof *r->points)) ||
		!(r->marks = calloc(HB_MARKS_MAX, sizeof *r->marks)))
		return fail(r, ret_why, "no memory", 0);
	r->setup = *setup;
	r->now.memory = -1;
	pid_t pid;
	int why = hb__launch_stopped(r, &pid);
	if (why)
		return fail(r, ret_why, setup->argv[0], why);
	hb_mark *first = &r->marks[0];
	first->copy.pid = r->pid = pid;
	first->keep = true;
	first->steps = -1;
	r->nmarks = 1;
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	first->copy.memory = open(path, O_RDWR | O_CLOEXEC);
	if (first->copy.memory < 0)
		return fail(r, ret_why, "cannot read the memory of the process", errno);
	r->gateway = hb__find_gateway(&first->copy);
	if (!r->gateway)
		return fail(r, ret_why, "no system call found in the code that Linux maps into each process (vdso)", 0);
	if (r->setup.clocks)
		hide_clock_code(&first->copy);
	hb__trap_time(r, &first->copy, true);
	cpu_set_t one;
	CPU_ZERO(&one);
	r->loading = sched_getcpu();
	CPU_SET((unsigned)r->loading, &one);
	sched_getaffinity(pid, sizeof r->mask, &r->mask);
	sched_setaffinity(pid, sizeof one, &one);
	hb__note_files(&first->copy);
	r->entry = hb__auxiliary(pid, AT_ENTRY);
	/* the process itself is the first checkpoint and never runs: its number is not given to another one */
	if (hb__from_mark(r, 0))
		return fail(r, ret_why, "the process cannot be copied by fork", 0);
	begin_ticks();
	/* naps of microseconds are that short */
	prctl(PR_SET_TIMERSLACK, 1);
	return r;
}

void hb_reverse_end(hb_reverse *r)
{
	end_ticks();
	if (r->now.pid)
		hb__become(r, &(hb_copy){.memory = -1}, true);
	if (r->before.pid)
		hb__drop(&r->before);
	for (size_t i = 0; r->marks && i < r->nmarks; i++)
		hb__drop(&r->marks[i].copy);
	free(r->marks);
	free(r->points);
	free(r->threads);
	free(r->printed);
	for (size_t i = 0; i < r->ndrawn; i++)
		free(r->drawn[i].bytes);
	free(r->drawn);
	free(r->times);
	free(r->appended);
	free(r);
}

void hb__note(hb_reverse *r, const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (r->setup.note)
		r->setup.note(r->setup.user, text);
}

pid_t hb_reverse_pid(const hb_reverse *r) { return r->pid; }
pid_t hb_reverse_real(const hb_reverse *r) { return r->now.pid; }

size_t hb_reverse_threads(const hb_reverse *r, pid_t *ret, size_t room)
{
	for (size_t i = 0; i < r->nthreads && i < room; i++)
		ret[i] = i ? r->threads[i].tid : r->pid;
	return r->nthreads;
}
