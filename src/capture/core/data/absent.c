/* Threads that a library makes in a process that is replayed alone.
 *
 * Most libraries do without them there: nobody is to be heard, so they do not run at all, and a process of one thread can be copied, which is how
 * hbdb debug --alone goes back. Others wait for their own thread while they begin (the PMIx of Open MPI 5). Where a layer says so such
 * threads run; and where the process is to be copied they are taken away as soon as each waits for the system, and begun anew where the library is
 * asked for something that needs them. What a thread has on its stack is lost by that: it must be one that waits in a loop of its first function. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "capture/core/data/data.h"

enum { MOST = 16, TRIES = 5000 /* of a millisecond each */ };

enum state { FREE, RUNS, AWAY, AGAIN };

static struct thread {
	void *(*start)(void *);
	void *argument;
	pthread_t handle, now; /* what the library has; the thread that runs in its place */
	pid_t tid;
	enum state state; /* of several threads: atomic */
} threads[MOST];

bool hb__library_threads;

static void *run(void *p)
{
	struct thread *t = p;
	hb__apart = HB__APART_THREAD;
	t->tid = (pid_t)syscall(SYS_gettid);
	void *result = t->start(t->argument);
	__atomic_store_n(&t->state, FREE, __ATOMIC_RELEASE);
	return result;
}

void *hb__library_thread(void *(*start)(void *), void *argument)
{
	if (!hb__library_threads)
		return NULL;
	for (struct thread *t = threads; t < threads + MOST; t++) {
		enum state none = FREE;
		if (!__atomic_compare_exchange_n(&t->state, &none, RUNS, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		t->start = start;
		t->argument = argument;
		t->handle = t->now = pthread_self();
		return run(t);
	}
	return start(argument); /* one that stays: then the process has several threads, which its debugger says */
}

void hb__library_thread_joined(pthread_t thread)
{
	for (struct thread *t = threads; t < threads + MOST; t++)
		if (t->now != t->handle && pthread_equal(t->handle, thread)) {
			int (*next)(pthread_t, void **) = (__typeof__(next))dlsym(RTLD_NEXT, "pthread_join");
			next(t->now, NULL);
			t->now = t->handle;
		}
}

#ifdef __x86_64__ /* there alone a process goes back */

static struct thread *leaving;
static uintptr_t waits_at;
static bool come; /* it was not where it was seen: atomic */

/* In the thread that is to go. One that was woken meanwhile is not where it was, or has another result. */
static void leave(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	const greg_t *r = at->uc_mcontext.gregs;
	(void)sig;
	(void)info;
	if (leaving && leaving->tid == (pid_t)syscall(SYS_gettid) && (uintptr_t)r[REG_RIP] == waits_at &&
		r[REG_RAX] == -EINTR) {
		__atomic_store_n(&leaving->state, AWAY, __ATOMIC_RELEASE);
		syscall(SYS_exit, 0); /* this thread alone, and nothing of it is put in order: as in a child of fork */
	}
	__atomic_store_n(&come, true, __ATOMIC_RELEASE);
}

/* Where a thread waits for descriptors; 0: it does not. */
static uintptr_t waits(pid_t tid)
{
	static const long calls[] = {SYS_epoll_wait, SYS_epoll_pwait, SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6};
	char path[64], line[256];
	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = 0;
	long call;
	unsigned long pc;
	if (sscanf(line, "%ld %*s %*s %*s %*s %*s %*s %*s %lx", &call, &pc) != 2)
		return 0;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (call == calls[i])
			return pc;
	return 0;
}

static void pause_a_little(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

static bool there(pid_t tid) { return syscall(SYS_tgkill, getpid(), tid, 0) == 0; }

static void take_away(struct thread *t)
{
	for (int i = 0; i < TRIES && __atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == RUNS; i++) {
		waits_at = waits(t->tid);
		if (!waits_at) {
			pause_a_little();
			continue;
		}
		leaving = t;
		__atomic_store_n(&come, false, __ATOMIC_RELEASE);
		if (syscall(SYS_tgkill, getpid(), t->tid, SIGURG))
			return;
		while (i++ < TRIES && there(t->tid) && !__atomic_load_n(&come, __ATOMIC_ACQUIRE))
			pause_a_little();
	}
}

void hb__library_threads_rest(void)
{
	struct sigaction before, mine = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
	uint8_t apart = hb__apart;
	hb__apart |= HB__APART_OURS;
	sigemptyset(&mine.sa_mask);
	sigaction(SIGURG, &mine, &before); /* which does nothing to a process when it comes late */
	for (struct thread *t = threads; t < threads + MOST; t++)
		if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == RUNS)
			take_away(t);
	leaving = NULL;
	sigaction(SIGURG, &before, NULL);
	hb__apart = apart;
}

#else

void hb__library_threads_rest(void) {}

#endif

void hb__library_threads_again(void)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
	for (struct thread *t = threads; t < threads + MOST; t++) {
		if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != AWAY)
			continue;
		if (!next)
			next = (__typeof__(next))dlsym(RTLD_NEXT, "pthread_create");
		__atomic_store_n(&t->state, AGAIN, __ATOMIC_RELEASE);
		next(&t->now, NULL, run, t);
	}
}
