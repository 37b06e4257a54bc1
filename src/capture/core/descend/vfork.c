/* vfork: until it begins another program the child runs in the memory of its parent, which stands meanwhile. Whatever it does there is
 * not the parent's: it closes descriptors that stay open, for example. So it has no lane, and makes no event. */
#include <errno.h>
#include <sys/mman.h>

#include "capture/core/data/data.h"
#include "capture/core/descend/descend.h"

static __thread struct hb__lane *lane_of_parent __attribute__((tls_model("initial-exec")));
int32_t (*hb__vfork_made)(int32_t child, const void *pc, const void *cfa);

static __thread struct {
	void *pages;
	size_t bytes;
} left[4] __attribute__((tls_model("initial-exec")));

void hb__vfork_leaves(void *pages, size_t bytes)
{
	for (unsigned i = 0; i < sizeof left / sizeof *left; i++)
		if (!left[i].pages) {
			left[i].pages = pages;
			left[i].bytes = bytes;
			return;
		}
}

static void clear_left(void)
{
	for (unsigned i = 0; i < sizeof left / sizeof *left; i++) {
		if (left[i].pages)
			munmap(left[i].pages, left[i].bytes);
		left[i].pages = NULL;
	}
}

/* One process alone makes no other one: who wants to know is asked before, of no child, what vfork returns in its place; 0: it is made. */
static __attribute__((used)) pid_t hb__vfork_answer(const void *pc, const void *cfa)
{
	return unlikely(hb__alone) && hb__vfork_made && !hb__vforks ? hb__vfork_made(0, pc, cfa) : 0;
}

/* What vfork, called at pc, returns, in the child (0) and then in the parent. */
static __attribute__((used)) pid_t hb__vforked(long got, const void *pc, const void *cfa)
{
	if (!got) {
		if (!hb__vforks++)
			lane_of_parent = hb__self;
		hb__self = NULL;
		return 0;
	}
	if (got < 0) {
		errno = (int)-got;
		return -1;
	}
	if (!--hb__vforks) {
		hb__self = lane_of_parent;
		clear_left();
	}
	if (unlikely(hb__vfork_made) && !hb__vforks)
		return hb__vfork_made((int32_t)got, pc, cfa);
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
