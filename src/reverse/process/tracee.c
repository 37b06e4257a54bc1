/* One stopped process: registers, memory, system calls that it makes for us. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../inside.h"

int hb__registers(pid_t pid, struct user_regs_struct *ret) { return ptrace(PTRACE_GETREGS, pid, 0, ret) ? -1 : 0; }

int hb__set_registers(pid_t pid, const struct user_regs_struct *regs)
{
	return ptrace(PTRACE_SETREGS, pid, 0, regs) ? -1 : 0;
}

size_t hb__read(const hb_copy *c, uint64_t at, void *ret, size_t size)
{
	size_t n = 0;
	while (n < size) {
		ssize_t got = pread(c->memory, (char *)ret + n, size - n, (off_t)(at + n));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n;
}

int hb__write(const hb_copy *c, uint64_t at, const void *from, size_t size)
{
	for (size_t n = 0; n < size;) {
		ssize_t put = pwrite(c->memory, (const char *)from + n, size - n, (off_t)(at + n));
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		n += (size_t)put;
	}
	return 0;
}

int hb__wait_for(pid_t tid)
{
	int status;
	for (;;) {
		pid_t got = waitpid(tid, &status, __WALL);
		if (got == tid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
	}
}

int hb__resume(pid_t tid, int request)
{
	int status;
	do {
		if (ptrace((enum __ptrace_request)request, tid, 0, 0))
			return -1;
		status = hb__wait_for(tid);
		/* it was told to stop when it had stopped already: that comes now, and means nothing */
	} while (status >= 0 && status >> 16 == PTRACE_EVENT_STOP);
	return status;
}

int64_t hb__call(hb_reverse *r, const hb_copy *c, long number, const uint64_t argument[6])
{
	struct user_regs_struct saved, regs;
	if (hb__registers(c->pid, &saved))
		return -ESRCH;
	regs = saved;
	regs.rip = r->gateway;
	regs.rax = (uint64_t)number;
	/* no system call is under way that might be begun again */
	regs.orig_rax = (uint64_t)-1;
	regs.rdi = argument[0], regs.rsi = argument[1], regs.rdx = argument[2];
	regs.r10 = argument[3], regs.r8 = argument[4], regs.r9 = argument[5];
	if (hb__set_registers(c->pid, &regs))
		return -ESRCH;
	int status = hb__resume(c->pid, PTRACE_SINGLESTEP);
	if (status < 0 || !WIFSTOPPED(status) || hb__registers(c->pid, &regs))
		return -ESRCH;
	saved.orig_rax = (uint64_t)-1;
	hb__set_registers(c->pid, &saved);
	return (int64_t)regs.rax;
}

uint64_t hb__processor_time(pid_t pid)
{
	clockid_t id;
	struct timespec t;
	if (clock_getcpuclockid(pid, &id) || clock_gettime(id, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool hb__maps(pid_t pid, char **ret_text)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	FILE *f = fopen(path, "re");
	size_t room = 0;
	*ret_text = NULL;
	if (!f)
		return false;
	ssize_t n = getdelim(ret_text, &room, 0, f);
	fclose(f);
	return n > 0;
}

uint64_t hb__auxiliary(pid_t pid, uint64_t type)
{
	char path[64];
	uint64_t pair[2];
	snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
	FILE *f = fopen(path, "re");
	uint64_t found = 0;
	while (f && !found && fread(pair, sizeof pair, 1, f) == 1 && pair[0])
		if (pair[0] == type)
			found = pair[1];
	if (f)
		fclose(f);
	return found;
}

void hb__dispositions(pid_t pid, uint64_t *ret_caught, uint64_t *ret_ignored)
{
	char path[64], line[256];
	unsigned long long set;
	*ret_caught = *ret_ignored = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "SigCgt: %llx", &set) == 1)
			*ret_caught = set;
		if (sscanf(line, "SigIgn: %llx", &set) == 1)
			*ret_ignored = set;
	}
	if (f)
		fclose(f);
}

bool hb__fatal(pid_t pid, int signal)
{
	uint64_t caught, ignored;
	if (signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT || signal == SIGTSTP ||
		signal == SIGTTIN || signal == SIGTTOU || signal == SIGSTOP || signal == SIGTRAP)
		return false;
	hb__dispositions(pid, &caught, &ignored);
	return !((caught | ignored) >> (signal - 1) & 1);
}

bool hb__sleeps(pid_t tid)
{
	char path[64], text[512] = "";
	snprintf(path, sizeof path, "/proc/%d/stat", (int)tid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	/* its name, in parentheses, may have any character */
	const char *state = strrchr(text, ')');
	return state && !strncmp(state, ") S", 3);
}
