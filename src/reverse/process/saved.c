/* The registers of the processor where they were saved in memory (Intel's manual, volume 1, chapter 13): by the system for a signal's
 * handler (XSAVE), and by the loader around the search for a function that is called the first time (XSAVEC). Whether a part whose values
 * are the initial ones counts as in use depends on interrupts: two runs of one program have different marks of use there, and XSAVEC does
 * not write a part that is not in use. Both lie on the stack long after, in variables that nobody has set. */
#include <cpuid.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/ucontext.h>

#include "../inside.h"

enum {
	XMM = 160,
	XMM_END = 416, /* nothing is written behind it, up to what the system tells about the area */
	TOLD = 464,
	HEADER = 512, /* XSTATE_BV: the parts in use; XCOMP_BV: those of the compact form; 48 bytes of zero */
	HEADER_END = 576,
	SSE = 1, /* number of this part; 0: x87, that is always written */
	PARTS = 63,
	AREA_MAX = 1 << 16
};
#define COMPACT ((uint64_t)1 << 63)

static bool all_zero(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Where part i >= 2 is in the form that is not compact. */
static bool place_of(unsigned i, size_t *ret_at, size_t *ret_size)
{
	unsigned size, at, c, d;
	if (!__get_cpuid_count(0xd, i, &size, &at, &c, &d) || !size)
		return false;
	*ret_at = at;
	*ret_size = size;
	return true;
}

/* What is initial, and what nobody defines, is zero in `area` then, and counts as not in use. */
static void make_plain(char *area, size_t size)
{
	uint64_t used, kept;
	memset(area + XMM_END, 0, TOLD - XMM_END);
	char *plain = size < HEADER_END ? NULL : calloc(1, size);
	if (!plain)
		return;
	memcpy(&used, area + HEADER, sizeof used);
	if (!(used >> SSE & 1))
		memset(area + XMM, 0, XMM_END - XMM);
	memcpy(plain, area, HEADER);
	kept = used & 1;
	if (!all_zero(area + XMM, XMM_END - XMM))
		kept |= used & 1 << SSE;
	for (unsigned i = 2; i < PARTS; i++) {
		size_t at, length;
		if (!(used >> i & 1) || !place_of(i, &at, &length) || at + length > size || all_zero(area + at, length))
			continue;
		memcpy(plain + at, area + at, length);
		kept |= (uint64_t)1 << i;
	}
	memcpy(plain + HEADER, &kept, sizeof kept);
	memcpy(area, plain, size);
	free(plain);
}

bool hb__has_handler(const hb_reverse *r, int signal)
{
	uint64_t caught, ignored;
	hb__dispositions(r->now.pid, &caught, &ignored);
	return caught >> (signal - 1) & 1;
}

void hb__handler_entered(hb_reverse *r, pid_t tid)
{
	struct user_regs_struct regs;
	struct _fpx_sw_bytes told;
	uint64_t at = 0;
	if (hb__registers(tid, &regs))
		return;
	/* behind the address to return to */
	uint64_t pointer = regs.rsp + 8 + offsetof(ucontext_t, uc_mcontext.fpregs);
	if (hb__read(&r->now, pointer, &at, sizeof at) != sizeof at || !at ||
		hb__read(&r->now, at + TOLD, &told, sizeof told) != sizeof told)
		return;
	size_t size = told.magic1 == FP_XSTATE_MAGIC1 ? told.xstate_size : HEADER;
	if (size < HEADER || size > AREA_MAX)
		return;
	char *area = malloc(size);
	if (area && hb__read(&r->now, at, area, size) == size) {
		make_plain(area, size);
		hb__write(&r->now, at, area, size);
	}
	free(area);
}

/* A part that one of x and y has in use and the other one has not: whether it was written with its initial values, which are zero. */
static bool initial(const char *x, const char *y, bool x_used, size_t at, size_t size)
{
	return all_zero((x_used ? x : y) + at, size);
}

/* The end of the area of the compact form at x, if x and y are two of them that mean the same; 0: they are not. `limit`: bytes at x and y. */
static size_t same_area(const char *x, const char *y, size_t limit)
{
	uint64_t used[2], form[2];
	if (limit < HEADER_END)
		return 0;
	memcpy(&used[0], x + HEADER, 8), memcpy(&used[1], y + HEADER, 8);
	memcpy(&form[0], x + HEADER + 8, 8), memcpy(&form[1], y + HEADER + 8, 8);
	uint64_t differ = used[0] ^ used[1];
	if (form[0] != form[1] || !(form[0] & COMPACT) || (used[0] | used[1]) & ~form[0] || !differ || differ & 1 ||
		!all_zero(x + HEADER + 16, HEADER_END - HEADER - 16) ||
		!all_zero(y + HEADER + 16, HEADER_END - HEADER - 16) || memcmp(x, y, XMM) ||
		memcmp(x + XMM_END, y + XMM_END, HEADER - XMM_END))
		return 0;
	bool sse = differ >> SSE & 1 ? initial(x, y, used[0] >> SSE & 1, XMM, XMM_END - XMM)
				     : !memcmp(x + XMM, y + XMM, XMM_END - XMM);
	size_t at = HEADER_END;
	if (!sse)
		return 0;
	for (unsigned i = 2; i < PARTS; i++) {
		unsigned size, b, c, d;
		if (!(form[0] >> i & 1))
			continue;
		if (!__get_cpuid_count(0xd, i, &size, &b, &c, &d))
			return 0;
		size_t from = c & 2 ? (at + 63) & ~(size_t)63 : at;
		if (from + size > limit || memcmp(x + at, y + at, from - at))
			return 0;
		at = from + size;
		if (differ >> i & 1 ? !initial(x, y, used[0] >> i & 1, from, size)
				    : memcmp(x + from, y + from, size) != 0)
			return 0;
	}
	return at;
}

bool hb__same_but_for_saved(const char *x, const char *y, size_t size, uint64_t at, size_t from, size_t to)
{
	size_t i = from;
	while (i < to) {
		if (x[i] == y[i]) {
			i++;
			continue;
		}
		/* an area begins at a multiple of 64 */
		size_t first = i - (at + i) % 64, end = 0;
		for (size_t back = 0; !end && back <= AREA_MAX && back <= first; back += 64) {
			end = same_area(x + first - back, y + first - back, size - (first - back));
			end = end && first - back + end > i ? first - back + end : 0;
		}
		if (!end)
			return false;
		i = end;
	}
	return true;
}
