/* Whether two stopped processes are in the same state: the one way to know that one is where the other one was, without a counter of
 * instructions. A program that ends is never in the same state twice. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../inside.h"

enum { PAGE = 4096, BLOCK = 64 * PAGE, STACK = 64 << 20, AROUND = 2 * PAGE /* more than saved registers take */ };

bool hb__same_registers(const hb_copy *b, const struct user_regs_struct *x, const struct user_regs_struct *y)
{
	if (x->rip != y->rip || x->rsp != y->rsp)
		return false;
	struct user_regs_struct p = *x, q = *y;
	p.orig_rax = q.orig_rax = 0;
	/* the resume flag is of the debugger */
	p.eflags &= ~0x10000ul, q.eflags &= ~0x10000ul;
	unsigned char code[2];
	/* a system call overwrites these two: before it they mean nothing, and one that was begun and taken back has overwritten them */
	if ((p.rcx != q.rcx || p.r11 != q.r11) && hb__read(b, x->rip, code, 2) == 2 && code[0] == 0x0f && code[1] == 5)
		p.rcx = q.rcx = p.r11 = q.r11 = 0;
	return !memcmp(&p, &q, sizeof p);
}

static bool same_floats(pid_t a, pid_t b)
{
	struct user_fpregs_struct x, y;
	if (ptrace(PTRACE_GETFPREGS, a, 0, &x) || ptrace(PTRACE_GETFPREGS, b, 0, &y))
		return false;
	return x.cwd == y.cwd && x.mxcsr == y.mxcsr && !memcmp(x.st_space, y.st_space, sizeof x.st_space) &&
	       !memcmp(x.xmm_space, y.xmm_space, sizeof x.xmm_space);
}

/* As same_range, of up to BLOCK bytes that are not the same in both: whether that comes from registers that were saved there. */
static bool means_the_same(const hb_copy *a, const hb_copy *b, uint64_t at, size_t size)
{
	static char x[BLOCK + 2 * AROUND], y[BLOCK + 2 * AROUND];
	size_t before = at % PAGE + AROUND, wanted = before + size + AROUND;
	size_t n = hb__read(a, at - before, x, wanted);
	if (n < before + size) {
		/* nothing is below the first page of a stack */
		before = at % PAGE;
		n = hb__read(a, at - before, x, before + size + AROUND);
	}
	size_t m = hb__read(b, at - before, y, n);
	return n >= before + size && m == n && hb__same_but_for_saved(x, y, n, at - before, before, before + size);
}

static bool same_range(hb_reverse *r, const hb_copy *a, const hb_copy *b, uint64_t at, size_t size)
{
	static char x[BLOCK], y[BLOCK];
	size_t n = hb__read(a, at, x, size);
	if (n != hb__read(b, at, y, size))
		return false;
	if (!memcmp(x, y, n) || (n == size && means_the_same(a, b, at, size)))
		return true;
	for (size_t i = 0; i < n; i += PAGE)
		if (memcmp(x + i, y + i, n - i < PAGE ? n - i : PAGE)) {
			r->differs = at + i;
			break;
		}
	return false;
}

typedef struct pages {
	int a, b; /* /proc/PID/pagemap */
} pages;

/* The part of [at, end) whose pages are not the same of the machine; *at is moved behind what was compared. */
static bool same_part(hb_reverse *r, const hb_copy *a, const hb_copy *b, pages *p, uint64_t *at, uint64_t end)
{
	static uint64_t x[BLOCK / PAGE], y[BLOCK / PAGE];
	const uint64_t frame = ((uint64_t)1 << 55) - 1, present = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62;
	size_t n = (end - *at < BLOCK ? end - *at : BLOCK) / PAGE;
	uint64_t from = *at;
	*at += n * PAGE;
	off_t place = (off_t)(from / PAGE * 8);
	if (pread(p->a, x, n * 8, place) != (ssize_t)(n * 8) || pread(p->b, y, n * 8, place) != (ssize_t)(n * 8))
		return same_range(r, a, b, from, n * PAGE);
	for (size_t i = 0; i < n;) {
		size_t k = i;
		while (k < n) {
			/* neither of them has touched it */
			bool none = !((x[k] | y[k]) & (present | swapped));
			bool one = x[k] & y[k] & present && (x[k] & frame) && (x[k] & frame) == (y[k] & frame);
			if (none || one)
				break;
			k++;
		}
		if (k > i && !same_range(r, a, b, from + i * PAGE, (k - i) * PAGE))
			return false;
		i = k + (k == i || k < n);
	}
	return true;
}

/* What lies below the stack pointer, and below what a function may use without moving it (128 bytes, by the ABI), is no part of the state:
 * the loader leaves times of the processor there. The page in which it begins has been compared before. */
static uint64_t begin_of_state(uint64_t from, uint64_t to, uint64_t stack)
{
	uint64_t begin = (stack - 128 + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	return stack >= from && stack < to && begin > from ? begin : from;
}

typedef struct region {
	uint64_t from, to;
	char rights[5];
	const char *name;
	size_t length; /* of the name */
} region;

/* The next region of the text; those that only follow each other are one: whether the system joins them depends on the past of a copy. */
static bool next_region(const char **text, region *ret)
{
	region part;
	*ret = (region){0};
	while (**text) {
		unsigned long long from, to;
		int n = 0;
		if (sscanf(*text, "%llx-%llx %4s %*s %*s %*s%n", &from, &to, part.rights, &n) < 3 || !n)
			return false;
		part.name = *text + n;
		part.length = strcspn(part.name, "\n");
		bool joins = ret->to == from && !strcmp(ret->rights, part.rights) && ret->length == part.length &&
			     !memcmp(ret->name, part.name, part.length);
		if (ret->to && !joins)
			return true;
		if (!ret->to) {
			*ret = part;
			ret->from = from;
		}
		ret->to = to;
		*text = part.name + part.length + (part.name[part.length] == '\n');
	}
	return ret->to != 0;
}

static bool same_memory(
	hb_reverse *r, const hb_copy *a, const hb_copy *b, const char *maps[2], pages *p, uint64_t stack)
{
	region x, y;
	for (;;) {
		bool more = next_region(&maps[0], &x);
		if (more != next_region(&maps[1], &y) ||
			(more && (x.from != y.from || x.to != y.to || strcmp(x.rights, y.rights))))
			return false;
		if (!more)
			return true;
		/* what is shared is one for all copies */
		if (x.rights[1] != 'w' || x.rights[3] == 's' || x.rights[0] != 'r')
			continue;
		for (uint64_t at = begin_of_state(x.from, x.to, stack); at < x.to;)
			if (!same_part(r, a, b, p, &at, x.to))
				return false;
	}
}

static int pagemap(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/pagemap", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool same_state(hb_reverse *r, const hb_copy *a, const hb_copy *b)
{
	struct user_regs_struct x, y;
	if (a->calls != b->calls || hb__registers(a->pid, &x) || hb__registers(b->pid, &y) ||
		!hb__same_registers(b, &x, &y) || !same_floats(a->pid, b->pid))
		return false;
	/* the stack, and what made the difference the last time, change most often */
	uint64_t used = x.rsp - 128;
	size_t rest = PAGE - used % PAGE;
	bool below = r->differs < used && r->differs > used - STACK;
	if (!same_range(r, a, b, used, rest) ||
		(r->differs && !below && !same_range(r, a, b, r->differs, PAGE - r->differs % PAGE)))
		return false;
	char *m, *n;
	bool good = hb__maps(a->pid, &m);
	good = hb__maps(b->pid, &n) && good;
	pages p = {.a = pagemap(a->pid), .b = pagemap(b->pid)};
	good = good && same_memory(r, a, b, (const char *[2]){m, n}, &p, x.rsp);
	if (p.a >= 0)
		close(p.a);
	if (p.b >= 0)
		close(p.b);
	free(m);
	free(n);
	return good;
}

bool hb__same(hb_reverse *r, const hb_copy *a, const hb_copy *b)
{
	uint64_t asked = hb__asked(r, a);
	if (asked)
		hb__stop_at(r, a, 0);
	bool same = same_state(r, a, b);
	if (asked)
		hb__stop_at(r, a, asked);
	return same;
}
