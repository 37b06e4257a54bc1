/* What is read and written of the process as it is now. Writing makes an offshoot: what it was is put aside first. */
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "../inside.h"

static pid_t real(const hb_reverse *r, pid_t thread) { return thread == r->pid || !thread ? r->now.pid : thread; }

int hb_reverse_registers(hb_reverse *r, pid_t thread, struct user_regs_struct *ret)
{
	if (hb__registers(real(r, thread), ret))
		return -1;
	/* the resume flag is of the debugger */
	ret->eflags &= ~0x10000ul;
	return 0;
}

int hb_reverse_floats(hb_reverse *r, pid_t thread, void *ret, size_t *size)
{
	struct iovec io = {ret, *size};
	if (ptrace(PTRACE_GETREGSET, real(r, thread), NT_X86_XSTATE, &io))
		return -1;
	*size = io.iov_len;
	return 0;
}

/* What it is goes on as it was, aside. A process with several threads cannot be copied: it is changed for good. */
static void branch(hb_reverse *r)
{
	hb_copy aside;
	if (r->before.pid || HB_MULTITHREADED(r) || hb__copy_of(r, &r->now, &aside))
		return;
	/* the copy stays; what is now has its files, and goes on with the old ones */
	hb__note_files(&aside);
	aside.born = hb__when(r);
	r->before = aside;
	r->before_steps = r->steps;
}

int hb_reverse_set_registers(hb_reverse *r, pid_t thread, const struct user_regs_struct *regs)
{
	branch(r);
	r->now.ends = HB_ENDS_NOT;
	return hb__set_registers(real(r, thread), regs);
}

int hb_reverse_set_floats(hb_reverse *r, pid_t thread, const void *area, size_t size)
{
	branch(r);
	struct iovec io = {(void *)area, size};
	return ptrace(PTRACE_SETREGSET, real(r, thread), NT_X86_XSTATE, &io) ? -1 : 0;
}

size_t hb_reverse_read(hb_reverse *r, uint64_t at, void *ret, size_t size) { return hb__read(&r->now, at, ret, size); }

int hb_reverse_write(hb_reverse *r, uint64_t at, const void *from, size_t size)
{
	if (!size)
		return 0;
	branch(r);
	return hb__write(&r->now, at, from, size);
}
