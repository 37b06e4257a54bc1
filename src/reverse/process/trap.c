/* System calls that are trapped: those that tell the process its number, which differs from copy to copy; random bytes, which do, too
 * (malloc draws some); those that print, and those that change what is waited for in a set of epoll, which all copies share: these must happen once; those that open files to append to; the one that follows the loading of a library; and the one that ends it. A filter of seccomp chooses them: the others cost nothing. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "../inside.h"

#define TRAP BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define TRAP_IF(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), TRAP

int hb__filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		TRAP_IF(SYS_getpid),
		TRAP_IF(SYS_gettid),
		TRAP_IF(SYS_set_tid_address),
		TRAP_IF(SYS_kill),
		TRAP_IF(SYS_tkill),
		TRAP_IF(SYS_tgkill),
		TRAP_IF(SYS_rt_sigqueueinfo),
		TRAP_IF(SYS_rt_tgsigqueueinfo),
		TRAP_IF(SYS_exit_group),
		TRAP_IF(SYS_getrandom),
		TRAP_IF(SYS_clock_gettime),
		TRAP_IF(SYS_gettimeofday),
		TRAP_IF(SYS_time),
		TRAP_IF(SYS_epoll_ctl),
		TRAP_IF(SYS_mprotect),
		TRAP_IF(SYS_sched_getaffinity),
		TRAP_IF(SYS_exit),
		/* the kernel writes the number of the processor there, which differs from run to run */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rseq, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		/* files to append to */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_APPEND, 0, 1),
		TRAP,
		ALLOW,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_APPEND, 0, 1),
		TRAP,
		ALLOW,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_writev, 1, 0),
		ALLOW,
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		TRAP_IF(1),
		TRAP_IF(2),
		ALLOW,
	};
	struct sock_fprog program = {sizeof code / sizeof code[0], code};
	/* needed by whoever is not root; a traced process gets no rights from files anyway */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -1 : 0;
}

static void answer(pid_t tid, struct user_regs_struct *regs, int64_t value)
{
	regs->orig_rax = (uint64_t)-1;
	regs->rax = (uint64_t)value;
	hb__set_registers(tid, regs);
}

/* Lets the call happen, up to its end. */
static int64_t let(pid_t tid)
{
	struct user_regs_struct regs;
	if (hb__resume(tid, PTRACE_SYSCALL) < 0 || hb__registers(tid, &regs))
		return -EINTR;
	return (int64_t)regs.rax;
}

/* What was done once is not done again. True: the call is over. */
static bool print(hb_reverse *r, pid_t tid, struct user_regs_struct *regs)
{
	/* an offshoot prints, but is not what happened */
	if (!r->before.pid && r->now.prints < r->nprinted) {
		answer(tid, regs, r->printed[r->now.prints++]);
		return false;
	}
	if (r->searching) {
		/* the search has gone too far: nothing of it is kept */
		answer(tid, regs, -EIO);
		return false;
	}
	int64_t got = let(tid);
	/* interrupted by a signal: the call comes again */
	if (got <= -512 && got >= -516)
		return true;
	if (r->before.pid || !HB_GROW(r->printed, r->printed_room, r->nprinted + 1))
		return true;
	r->printed[r->nprinted++] = got;
	r->now.prints++;
	return true;
}

/* How many bytes such a call has put where. */
static size_t drawn_by(const struct user_regs_struct *regs, int64_t got, uint64_t *ret_at)
{
	*ret_at = regs->orig_rax == SYS_clock_gettime ? regs->rsi : regs->rdi;
	if (got < 0 || !*ret_at)
		return 0;
	return regs->orig_rax == SYS_getrandom       ? (size_t)got
	       : regs->orig_rax == SYS_clock_gettime ? sizeof(struct timespec)
	       : regs->orig_rax == SYS_gettimeofday  ? sizeof(struct timeval)
						     : sizeof(time_t);
}

/* The same random bytes, and the same time, each time. True: the call is over. */
static bool draw(hb_reverse *r, pid_t tid, struct user_regs_struct *regs)
{
	uint64_t at;
	if (r->now.draws < r->ndrawn) {
		const hb_drawn *d = &r->drawn[r->now.draws++];
		drawn_by(regs, d->answer, &at);
		hb__write(&r->now, at, d->bytes, d->size);
		answer(tid, regs, d->answer);
		return false;
	}
	int64_t got = let(tid);
	size_t size = drawn_by(regs, got, &at);
	if (got < 0 || r->before.pid || r->searching || !HB_GROW(r->drawn, r->drawn_room, r->ndrawn + 1))
		return true;
	hb_drawn d = {.bytes = malloc(size + 1), .size = size, .answer = got};
	if (d.bytes && hb__read(&r->now, at, d.bytes, d.size) == d.size) {
		r->drawn[r->ndrawn++] = d;
		r->now.draws++;
	} else {
		free(d.bytes);
	}
	return true;
}

bool hb__told_time(hb_reverse *r, pid_t tid)
{
	struct user_regs_struct regs;
	unsigned char code[3];
	if (hb__registers(tid, &regs) || hb__read(&r->now, regs.rip, code, 3) != 3 || code[0] != 0x0f)
		return false;
	bool with_processor = code[1] == 0x01 && code[2] == 0xf9;
	if (code[1] != 0x31 && !with_processor)
		return false;
	if (r->now.times == r->ntimes) {
		if (!HB_GROW(r->times, r->times_room, r->ntimes + 1))
			return false;
		r->times[r->ntimes++] = __builtin_ia32_rdtsc();
	}
	uint64_t time = r->times[r->now.times++];
	regs.rax = time & 0xffffffff;
	regs.rdx = time >> 32;
	if (with_processor)
		regs.rcx = 0;
	regs.rip += with_processor ? 3 : 2;
	/* set by the fault, for the instruction that is done now */
	regs.eflags &= ~0x10000ul;
	return !hb__set_registers(tid, &regs);
}

void hb__trap_time(hb_reverse *r, const hb_copy *c, bool on)
{
	hb__call(r, c, SYS_prctl, (uint64_t[6]){PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE});
}

/* A signal to itself goes to the copy. */
static void send(const hb_reverse *r, struct user_regs_struct *regs, pid_t tid)
{
	pid_t own = r->now.pid;
	struct user_regs_struct told = *regs;
	if ((pid_t)regs->rdi == r->pid)
		regs->rdi = (uint64_t)own;
	else if ((pid_t)regs->rdi == -r->pid)
		regs->rdi = (uint64_t)-own;
	bool two = regs->orig_rax == SYS_tgkill || regs->orig_rax == SYS_rt_tgsigqueueinfo;
	if (two && (pid_t)regs->rsi == r->pid)
		regs->rsi = (uint64_t)own;
	hb__set_registers(tid, regs);
	/* what it passed stays in its registers */
	int64_t got = let(tid);
	if (hb__registers(tid, regs))
		return;
	regs->rdi = told.rdi;
	regs->rsi = told.rsi;
	regs->rax = (uint64_t)got;
	hb__set_registers(tid, regs);
}

/* Back to before the call, which has done nothing yet: it may be copied there. */
static void take_back(hb_reverse *r, pid_t tid, struct user_regs_struct *regs)
{
	r->now.ends = hb__cut(r, &r->now) ? HB_ENDS_WITH_RECORD : HB_ENDS_BY_EXIT;
	r->now.status = (int)(regs->rdi & 0xff);
	regs->rip -= 2;
	regs->rax = regs->orig_rax;
	regs->orig_rax = (uint64_t)-1;
	hb__set_registers(tid, regs);
	hb__resume(tid, PTRACE_SINGLESTEP);
}

/* Opens a file to append to. When that is done again, what is appended goes to where it went the first time. */
static void open_to_append(hb_reverse *r, pid_t tid, struct user_regs_struct *regs)
{
	bool again = r->now.appends < r->nappended;
	unsigned long long *flags = regs->orig_rax == SYS_open ? &regs->rsi : &regs->rdx;
	unsigned long long told = *flags;
	if (again) {
		*flags &= ~(unsigned long long)O_APPEND;
		hb__set_registers(tid, regs);
	}
	int64_t fd = let(tid);
	if (again && !hb__registers(tid, regs)) {
		*flags = told;
		hb__set_registers(tid, regs);
	}
	if (fd < 0)
		return;
	char path[64];
	struct stat st = {0};
	if (again) {
		uint64_t end = r->appended[r->now.appends++];
		hb__call(r, &r->now, SYS_lseek, (uint64_t[6]){(uint64_t)fd, end, SEEK_SET});
		return;
	}
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, (int)fd);
	if (stat(path, &st) || !HB_GROW(r->appended, r->appended_room, r->nappended + 1))
		return;
	r->appended[r->nappended++] = (uint64_t)st.st_size;
	r->now.appends++;
}

/* On which processors it may run: not what we did to it. */
static void tell_processors(hb_reverse *r, pid_t tid, const struct user_regs_struct *regs)
{
	uint64_t at = regs->rdx;
	bool own = !regs->rdi || (pid_t)regs->rdi == r->pid;
	int64_t got = let(tid);
	const cpu_set_t *mask = r->now.entered ? &r->its : &r->mask;
	if (own && got > 0 && (r->pinned || !r->now.entered))
		hb__write(&r->now, at, mask, (size_t)got < sizeof *mask ? (size_t)got : sizeof *mask);
}

hb_trapped hb__trapped(hb_reverse *r, pid_t tid)
{
	struct user_regs_struct regs;
	if (hb__registers(tid, &regs))
		return HB_TRAPPED_BEFORE;
	long number = (long)regs.orig_rax;
	bool first = tid == r->now.pid;
	if (number == SYS_exit_group || (number == SYS_exit && !HB_MULTITHREADED(r))) {
		take_back(r, tid, &regs);
		return HB_TRAPPED_END;
	}
	r->now.calls++;
	if (number == SYS_write || number == SYS_writev || number == SYS_epoll_ctl)
		return print(r, tid, &regs) ? HB_TRAPPED_AFTER : HB_TRAPPED_BEFORE;
	if (number == SYS_open || number == SYS_openat) {
		open_to_append(r, tid, &regs);
		return HB_TRAPPED_AFTER;
	}
	if (number == SYS_getrandom || number == SYS_clock_gettime || number == SYS_gettimeofday || number == SYS_time)
		return draw(r, tid, &regs) ? HB_TRAPPED_AFTER : HB_TRAPPED_BEFORE;
	if (number == SYS_getpid || (first && (number == SYS_gettid || number == SYS_set_tid_address))) {
		answer(tid, &regs, r->pid);
		return HB_TRAPPED_BEFORE;
	}
	if (number == SYS_exit)
		return HB_TRAPPED_BEFORE;
	if (number == SYS_gettid || number == SYS_set_tid_address || number == SYS_mprotect)
		let(tid);
	else if (number == SYS_sched_getaffinity)
		tell_processors(r, tid, &regs);
	else
		send(r, &regs, tid);
	/* a library may be there that was not when the points were planted */
	if (number == SYS_mprotect)
		hb__plant_rest(r);
	return HB_TRAPPED_AFTER;
}
