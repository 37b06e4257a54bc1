/* Programs that call the system by its numbers (libuv): what we stand in front of goes the same way. */
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>

#include "capture/sockets/front/front.h"

typedef long next_syscall(long, ...);

/* The program's own end, by the function in whose place the recorder stands: the log is told. */
extern void leaves(int status) __asm__("_exit") __attribute__((noreturn));

/* As syscall: -1 and errno. */
#define CASE(name, call) \
	case SYS_##name: \
		return call;
#define P(i) ((void *)(uintptr_t)a[i])

static long by_name(long number, const long a[6], bool *ret_known)
{
	*ret_known = true;
	switch (number) {
#if defined(__x86_64__) /* newer systems have their general forms alone */
		CASE(fork, fork())
		CASE(vfork, fork())
		CASE(poll, poll(P(0), (nfds_t)a[1], (int)a[2]))
		CASE(accept, accept((int)a[0], P(1), P(2)))
		CASE(dup2, dup2((int)a[0], (int)a[1]))
		CASE(pipe, pipe(P(0)))
#endif
		CASE(dup, dup((int)a[0]))
		CASE(read, read((int)a[0], P(1), (size_t)a[2]))
		CASE(write, write((int)a[0], P(1), (size_t)a[2]))
		CASE(readv, readv((int)a[0], P(1), (int)a[2]))
		CASE(writev, writev((int)a[0], P(1), (int)a[2]))
		CASE(sendto, sendto((int)a[0], P(1), (size_t)a[2], (int)a[3], P(4), (socklen_t)a[5]))
		CASE(recvfrom, recvfrom((int)a[0], P(1), (size_t)a[2], (int)a[3], P(4), P(5)))
		CASE(sendmsg, sendmsg((int)a[0], P(1), (int)a[2]))
		CASE(recvmsg, recvmsg((int)a[0], P(1), (int)a[2]))
		CASE(sendmmsg, sendmmsg((int)a[0], P(1), (unsigned)a[2], (int)a[3]))
		CASE(recvmmsg, recvmmsg((int)a[0], P(1), (unsigned)a[2], (int)a[3], P(4)))
		CASE(connect, connect((int)a[0], P(1), (socklen_t)a[2]))
		CASE(accept4, accept4((int)a[0], P(1), P(2), (int)a[3]))
		CASE(listen, listen((int)a[0], (int)a[1]))
		CASE(shutdown, shutdown((int)a[0], (int)a[1]))
		CASE(close, close((int)a[0]))
		CASE(socket, socket((int)a[0], (int)a[1], (int)a[2]))
		CASE(dup3, dup3((int)a[0], (int)a[1], (int)a[2]))
		CASE(pipe2, pipe2(P(0), (int)a[1]))
		CASE(socketpair, socketpair((int)a[0], (int)a[1], (int)a[2], P(3)))
		CASE(epoll_pwait, epoll_pwait((int)a[0], P(1), (int)a[2], (int)a[3], P(4)))
		CASE(bind, bind((int)a[0], P(1), (socklen_t)a[2]))
		CASE(splice, splice((int)a[0], P(1), (int)a[2], P(3), (size_t)a[4], (unsigned)a[5]))
		CASE(sendfile, sendfile((int)a[0], (int)a[1], P(2), (size_t)a[3]))
		CASE(ppoll, ppoll(P(0), (nfds_t)a[1], P(2), P(3)))
		CASE(pselect6, pselect((int)a[0], P(1), P(2), P(3), P(4), a[5] ? *(const sigset_t **)P(5) : NULL))
		CASE(wait4, wait4((pid_t)a[0], P(1), (int)a[2], P(3)))
		CASE(epoll_ctl, epoll_ctl((int)a[0], (int)a[1], (int)a[2], P(3)))
	case SYS_exit_group:
		leaves((int)a[0]);
	case SYS_clone: /* with a memory and a stack of its own */
		if (!((unsigned long)a[0] & CLONE_VM) && !a[1] && !((unsigned long)a[0] & ~0xfful))
			return fork();
		__attribute__((fallthrough));
	default:
		*ret_known = false;
		return 0;
	}
}

SEEN long syscall(long number, ...)
{
	static next_syscall *next;
	bool known = false;
	long a[6], got = 0;
	va_list more;
	va_start(more, number);
	for (int i = 0; i < 6; i++) /* as many as there may be: the C library takes them likewise */
		a[i] = va_arg(more, long);
	va_end(more);
	if (hb__door && hb__door->is_program(CALLER)) {
		hb__from = CALLER;
		got = by_name(number, a, &known);
		hb__from = NULL;
	}
	if (known)
		return got;
	if (!next)
		next = (next_syscall *)dlsym(RTLD_NEXT, "syscall");
	bool filters = hb__door && (number == SYS_seccomp || (number == SYS_prctl && a[0] == PR_SET_SECCOMP));
	if (unlikely(filters))
		hb__door->filter(false);
	got = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (unlikely(filters && !got))
		hb__door->filter(true);
	return got;
}
