/* Copies of a stopped process, by a fork that it is made to call. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "../inside.h"

static int open_memory(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* The child of a clone that `pid` is about to call, stopped. */
static pid_t child_of(pid_t pid)
{
	unsigned long child = 0;
	int status = hb__resume(pid, PTRACE_CONT);
	if (status < 0 || status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8) ||
		ptrace(PTRACE_GETEVENTMSG, pid, 0, &child))
		return -1;
	status = hb__wait_for((pid_t)child);
	/* out of the call, which writes its answer into a register at its end */
	hb__resume(pid, PTRACE_SYSCALL);
	return status < 0 || !WIFSTOPPED(status) ? -1 : (pid_t)child;
}

static bool copy_files(hb_copy *to, const hb_copy *from)
{
	to->files = from->nfiles ? malloc(from->nfiles * sizeof *to->files) : NULL;
	to->nfiles = 0;
	if (from->nfiles && !to->files)
		return false;
	for (; to->nfiles < from->nfiles; to->nfiles++)
		to->files[to->nfiles] = from->files[to->nfiles];
	return true;
}

int hb__copy_of(hb_reverse *r, const hb_copy *from, hb_copy *ret)
{
	struct user_regs_struct saved, regs;
	double began = hb_seconds();
	/* it would inherit that */
	hb__pin(r, false);
	if (hb__registers(from->pid, &saved))
		return -1;
	saved.orig_rax = (uint64_t)-1;
	regs = saved;
	regs.rip = r->gateway;
	regs.rax = SYS_clone;
	/* its parent is ours, as that of all copies: so it asks for its parent with the same answer */
	regs.rdi = CLONE_PARENT | SIGCHLD;
	regs.rsi = regs.rdx = regs.r10 = regs.r8 = 0;
	if (hb__set_registers(from->pid, &regs))
		return -1;
	pid_t child = child_of(from->pid);
	hb__set_registers(from->pid, &saved);
	if (child < 0)
		return -1;
	hb__set_registers(child, &saved);
	*ret = *from;
	ret->pid = child;
	ret->memory = open_memory(child);
	if (!copy_files(ret, from) || ret->memory < 0) {
		hb__drop(ret);
		return -1;
	}
	double took = hb_seconds() - began;
	r->fork_seconds = r->fork_seconds > 0 ? 0.8 * r->fork_seconds + 0.2 * took : took;
	return 0;
}

/* One line of /proc/PID/fdinfo/N. */
static bool file_of(pid_t pid, int fd, hb_open_file *ret)
{
	char path[64];
	struct stat st;
	long long offset = -1;
	unsigned flags = 0;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, fd);
	FILE *f = fopen(path, "re");
	bool good = f && fscanf(f, "pos: %lld flags: %o", &offset, &flags) == 2;
	if (f)
		fclose(f);
	if (!good || flags & O_PATH)
		return false;
	*ret = (hb_open_file){.fd = fd, .offset = offset, .close_on_exec = flags & O_CLOEXEC};
	/* what is appended again goes to the same place as before */
	if (flags & O_APPEND)
		ret->offset = st.st_size;
	/* by the name that is opened anew the file is found through a link: shm_open asks that there be none */
	ret->flags = (int)(flags & ~(unsigned)(O_APPEND | O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW));
	return true;
}

void hb__note_files(hb_copy *c)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd", (int)c->pid);
	DIR *dir = opendir(path);
	free(c->files);
	c->files = NULL;
	c->nfiles = 0;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		hb_open_file file;
		int fd = atoi(e->d_name);
		/* its outputs are one for all copies: what was printed is not printed again (trap.c) */
		if (e->d_name[0] == '.' || fd == 1 || fd == 2 || !file_of(c->pid, fd, &file))
			continue;
		hb_open_file *more = realloc(c->files, (c->nfiles + 1) * sizeof *more);
		if (!more)
			break;
		c->files = more;
		c->files[c->nfiles++] = file;
	}
	if (dir)
		closedir(dir);
}

/* The file anew, at the same place, under the same number. path: of memory where its name may be written. */
static int open_anew(hb_reverse *r, const hb_copy *c, const hb_open_file *file, uint64_t path)
{
	char name[48];
	snprintf(name, sizeof name, "/proc/self/fd/%d", file->fd);
	if (hb__write(c, path, name, strlen(name) + 1))
		return -1;
	int64_t fd = hb__call(r, c, SYS_open, (uint64_t[6]){path, (uint64_t)(file->flags | O_CLOEXEC)});
	if (fd < 0)
		return -1;
	hb__call(r, c, SYS_lseek, (uint64_t[6]){(uint64_t)fd, (uint64_t)file->offset, SEEK_SET});
	int64_t put = hb__call(
		r, c, SYS_dup3, (uint64_t[6]){(uint64_t)fd, (uint64_t)file->fd, file->close_on_exec ? O_CLOEXEC : 0});
	hb__call(r, c, SYS_close, (uint64_t[6]){(uint64_t)fd});
	return put < 0 ? -1 : 0;
}

static void say_shared(hb_reverse *r, const hb_copy *c, int fd)
{
	char path[64], name[256];
	uint64_t bit = (uint64_t)1 << (fd & 63);
	if (r->told_files & bit)
		return;
	r->told_files |= bit;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)c->pid, fd);
	ssize_t n = readlink(path, name, sizeof name - 1);
	name[n > 0 ? n : 0] = 0;
	hb__note(r,
		"%s, file %d of the process, could not be opened again for a copy: what the copy reads or writes there moves the "
		"place in the file for the other copies, too.",
		name, fd);
}

int hb__running_copy_of(hb_reverse *r, const hb_copy *from, hb_copy *ret)
{
	if (hb__copy_of(r, from, ret))
		return -1;
	struct user_regs_struct regs;
	char saved[64];
	if (!ret->nfiles)
		return 0;
	/* below what a function may use without moving its stack pointer (128 bytes, by the ABI) */
	uint64_t path = hb__registers(ret->pid, &regs) ? 0 : (regs.rsp - 512) & ~(uint64_t)63;
	bool there = hb__read(ret, path, saved, sizeof saved) == sizeof saved;
	for (size_t i = 0; i < ret->nfiles; i++)
		if (!there || open_anew(r, ret, &ret->files[i], path))
			say_shared(r, ret, ret->files[i].fd);
	if (there)
		hb__write(ret, path, saved, sizeof saved);
	return 0;
}

void hb__drop(hb_copy *c)
{
	/* whoever waits for any process next hears of its end */
	if (c->pid > 0)
		kill(c->pid, SIGKILL);
	if (c->memory >= 0)
		close(c->memory);
	free(c->files);
	*c = (hb_copy){.memory = -1};
}

void hb__become(hb_reverse *r, const hb_copy *c, bool kill_old)
{
	if (kill_old && r->now.pid) {
		for (size_t i = 0; i < r->nothers; i++)
			kill(r->others[i], SIGKILL);
		for (size_t i = 0; i < r->nearly; i++)
			kill(r->early[i], SIGKILL);
		hb__drop(&r->now);
	}
	r->nothers = r->nearly = 0;
	r->now = *c;
	r->planted = r->sharing = false;
	r->nthreads = c->pid ? 1 : 0;
	r->threads[0] = (hb_thread){.tid = c->pid};
	r->told_threads = false;
	for (size_t i = 0; i < r->npoints; i++)
		r->points[i].planted = false;
	hb_point *entry = hb__point(r, HB_POINT_CODE, r->entry, 1, HB_FOR_ENTRY, false);
	if (c->entered && entry)
		hb__forget(r, entry, HB_FOR_ENTRY);
	else if (c->pid && !c->entered && r->entry)
		hb__point(r, HB_POINT_CODE, r->entry, 1, HB_FOR_ENTRY, true);
}
