/* For who stands outside of a process that runs alone (src/reverse): how many events are over, a place where it can be stopped behind a chosen one, and its end. */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"

HB__EXPORT struct {
	uint64_t version;
	volatile uint64_t events, stop_at, cut;
	volatile uint64_t spare[4];
} hb_alone_clock = {.version = 1};

/* A breakpoint stands here. */
HB__EXPORT __attribute__((noinline)) void hb_alone_reached(void);
void hb_alone_reached(void) { __asm__ volatile("" ::: "memory"); }

/* Whether the event that was counted last is asked for. What is asked changes while the process stands, and its state is to be the same whatever
 * that is: registers and flags know of it in this function alone, where no checkpoint is made, and a call is made from the same place in any case, for
 * where it was to return to stays on the stack, in what the program may not have written when it is in use again. */
HB__EXPORT __attribute__((noinline)) void hb_alone_look(void);
#if defined(__x86_64__)
_Static_assert(offsetof(__typeof__(hb_alone_clock), events) == 8 && offsetof(__typeof__(hb_alone_clock), stop_at) == 16,
	"as the instructions below have them");
__attribute__((alias("hb_alone_reached"), visibility("hidden"))) void hb__alone_reached(void);
__attribute__((naked)) void hb_alone_look(void)
{
	__asm__("mov hb_alone_clock@GOTPCREL(%rip), %rdx\n\t"
		"lea 1f(%rip), %rax\n\t"
		"lea hb__alone_reached(%rip), %rcx\n\t"
		"mov 16(%rdx), %rsi\n\t"
		"cmp 8(%rdx), %rsi\n\t"
		"cmove %rcx, %rax\n\t"
		"call *%rax\n\t"
		"xor %eax, %eax\n\t"
		"xor %esi, %esi\n\t"
		"ret\n"
		"1:\n\t"
		"ret");
}
#else /* nobody goes backwards there */
void hb_alone_look(void)
{
	if (hb_alone_clock.stop_at == hb_alone_clock.events)
		hb_alone_reached();
}
#endif

void hb__alone_end(struct hb__call *c, int error)
{
	struct hb__lane *lane = c->lane;
	if (unlikely(*hb__config.replay_log)) {
		hb__row_event(c, hb__tick(), error);
	} else {
		lane->control->polls = 0;
		lane->control->events++;
	}
	hb__alone_over(lane);
}

void hb__stand_at_end(const struct hb__lane *lane)
{
	if (!hb__config.backwards || lane->thread)
		hb__wait_here(lane, HB_CONTROL_END);
	hb_alone_clock.cut = 1;
	/* its end for who stands outside, who does not let it happen; none of its own functions is to run any more */
	for (;;)
		syscall(SYS_exit_group, 0);
}

void hb__alone_over(const struct hb__lane *lane)
{
	if (!lane->follow)
		return;
	/* there is no log whose rows would be counted, and the inputs are found by this number: a signal, where it came */
	if (hb__config.backwards)
		lane->control->events = lane->follow->event;
	if (lane->thread)
		return;
	if (hb__config.backwards && unlikely(lane->follow->over))
		hb__stand_at_end(lane);
	hb_alone_clock.events = lane->follow->event;
	hb_alone_look();
}
