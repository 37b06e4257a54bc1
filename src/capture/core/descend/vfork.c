/* vfork: until it begins another program the child runs in the memory of its parent, which stands meanwhile. Whatever it does there is
 * not the parent's: it closes descriptors that stay open, for example. So it has no lane, and makes no event. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/core/data/data.h"
#include "capture/core/descend/descend.h"

static __thread struct hb__lane *lane_of_parent __attribute__((tls_model("initial-exec")));
int32_t (*hb__vfork_made)(int32_t child, const void *pc, const void *cfa);

#if defined(__x86_64__)
/* While it is told of: a child that ends at once has its parent's handler run when the parent has its lane again, and has told of the child. The child has the
 * signals that its parent had: these, with one that nobody can hold back; 0: none are held. */
static __thread uint64_t signals_before __attribute__((tls_model("initial-exec")));
#define HELD ((uint64_t)1 << (SIGKILL - 1))

/* As the system has them, and not by its name in the C library: this is inside of vfork. */
static void set_signals(const uint64_t *now, uint64_t *ret_before)
{
	register long size __asm__("r10") = sizeof *now;
	long answer = SYS_rt_sigprocmask;
	__asm__ volatile("syscall"
			 : "+a"(answer)
			 : "D"((long)SIG_SETMASK), "S"(now), "d"(ret_before), "r"(size)
			 : "rcx", "r11", "memory");
}

static void hold_signals(void)
{
	const uint64_t all = ~(uint64_t)0;
	set_signals(&all, &signals_before);
	signals_before |= HELD;
}

/* ends: it is over for this process. */
static void let_signals_go(bool ends)
{
	if (signals_before)
		set_signals(&signals_before, NULL);
	if (ends)
		signals_before = 0;
}
#else
static void let_signals_go(bool ends) { (void)ends; }
static void hold_signals(void) {}
#endif

/* What the child has mapped, for its parent to unmap: a thread has little room, so lengths are counted in pages. */
#define LEFT 4
#define PAGE 4096u
static __thread void *left[LEFT] __attribute__((tls_model("initial-exec")));
static __thread uint32_t left_pages[LEFT] __attribute__((tls_model("initial-exec")));

void hb__vfork_leaves(void *pages, size_t bytes)
{
	for (unsigned i = 0; i < LEFT; i++)
		if (!left[i]) {
			left[i] = pages;
			left_pages[i] = (uint32_t)((bytes + PAGE - 1) / PAGE);
			return;
		}
}

static void clear_left(void)
{
	for (unsigned i = 0; i < LEFT; i++) {
		if (left[i])
			munmap(left[i], (size_t)left_pages[i] * PAGE);
		left[i] = NULL;
	}
}

/* One process alone makes no other one: who wants to know is asked before, of no child, what vfork returns in its place; 0: it is made. */
static __attribute__((used)) pid_t hb__vfork_answer(const void *pc, const void *cfa)
{
	if (!hb__vfork_made || hb__vforks)
		return 0;
	pid_t answer = unlikely(hb__alone) ? hb__vfork_made(0, pc, cfa) : 0;
	if (!answer)
		hold_signals();
	return answer;
}

/* What vfork, called at pc, returns, in the child (0) and then in the parent. */
static __attribute__((used)) pid_t hb__vforked(long got, const void *pc, const void *cfa)
{
	if (!got) {
		if (!hb__vforks++)
			lane_of_parent = hb__self;
		hb__self = NULL;
		if (hb__vforks == 1)
			let_signals_go(false);
		return 0;
	}
	if (got < 0) {
		if (!hb__vforks)
			let_signals_go(true);
		errno = (int)-got;
		return -1;
	}
	if (!--hb__vforks) {
		hb__self = lane_of_parent;
		clear_left();
	}
	if (hb__vforks)
		return (pid_t)got;
	if (unlikely(hb__vfork_made))
		got = hb__vfork_made((int32_t)got, pc, cfa);
	let_signals_go(true);
	return (pid_t)got;
}

#if defined(__x86_64__)
/* The place to return to stands on the stack, where the child writes: it waits in a register that the system leaves alone. */
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	movq (%rsp), %rdi\n"
	"	leaq 8(%rsp), %rsi\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call hb__vfork_answer\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	testl %eax, %eax\n"
	"	jne 1f\n"
	"	popq %rdi\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_register %rip, %rdi\n"
	"	movl $58, %eax\n"
	"	syscall\n"
	"	pushq %rdi\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rip, 0\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rax, %rdi\n"
	"	movq 8(%rsp), %rsi\n"
	"	leaq 16(%rsp), %rdx\n"
	"	call hb__vforked\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"1:	ret\n"
	"	.cfi_endproc\n"
	".size vfork, .-vfork\n");
#else
#include <unistd.h>
/* What the standard allows: the child has a memory of its own. */
HB__EXPORT pid_t vfork(void) { return fork(); }
#endif
