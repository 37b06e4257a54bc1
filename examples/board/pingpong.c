/* Two boards that talk over a serial line, without an operating system or a C library: Arm's Versatile Express with a Cortex-A9, as qemu-system-arm
 * has it. Built with -DLEFT it asks, else it answers. Serial line 0 goes to hbdb (subordinate.h), serial line 1 to the other board.
 *
 * A message is a line: its number and a value, in hexadecimal digits. Both boards tell the value as an event, so that who got which message can be checked
 * against what the messages carried. */
#include "subordinate.h"

#ifdef LEFT
#define NAME "left"
#define SENT "left-right"
#define CAME "right-left"
#else
#define NAME "right"
#define SENT "right-left"
#define CAME "left-right"
#endif
#ifndef ROUNDS
#define ROUNDS 200u
#endif
#ifndef BURST
#define BURST 0 /* events told at once, before the line is given time: more than the ring holds are dropped */
#endif
#define AHEAD 4u /* messages on their way */

/* ---- the machine ---- */

#define UART(n) ((volatile uint32_t *)(0x10009000u + 0x1000u * (n))) /* PL011: 0 is data, 6 flags */
#define UART_EMPTY 0x10u
#define UART_FULL 0x20u
#define TIMER ((volatile uint32_t *)0x1e000200u) /* the global timer of the processor: 64 bits, at 100 MHz in qemu */
#define HERTZ 100000000u

static int put(unsigned n, unsigned char byte)
{
	if (UART(n)[6] & UART_FULL)
		return 0;
	UART(n)[0] = byte;
	return 1;
}

static int get(unsigned n) { return UART(n)[6] & UART_EMPTY ? -1 : (int)(UART(n)[0] & 255); }

int hb_line_put(unsigned char byte) { return put(0, byte); }
int hb_line_get(void) { return get(0); }

uint64_t hb_line_clock(void)
{
	uint32_t high, low;
	do {
		high = TIMER[1];
		low = TIMER[0];
	} while (high != TIMER[1]);
	return (uint64_t)high << 32 | low;
}

/* The compiler may call these, also where no library has them. */
void *memset(void *to, int byte, unsigned long n)
{
	for (volatile unsigned char *p = to; n--; p++)
		*p = (unsigned char)byte;
	return to;
}

void *memcpy(void *to, const void *from, unsigned long n)
{
	const unsigned char *f = from;
	for (volatile unsigned char *p = to; n--; p++)
		*p = *f++;
	return to;
}

/* ---- the program ---- */

static volatile uint32_t sent, received, wrong;
static const struct hb_counter counters[] = {{"sent", &sent}, {"received", &received}, {"wrong", &wrong}, {0, 0}};

static uint32_t next_value(uint32_t v) { return v * 1664525u + 1013904223u; } /* Numerical Recipes' generator */

static void send_message(uint32_t number, uint32_t value)
{
	struct hb_words w = {"m", 1};
	hb_add_number(&w, number);
	hb_add_number(&w, value);
	hb_add(&w, "\n");
	hb_tell("event", "said", value);
	hb_tell_message("send", SENT, number, w.n);
	for (uint32_t i = 0; i < w.n; i++)
		while (!put(1, (unsigned char)w.at[i]))
			hb_poll();
	sent++;
}

static uint32_t number_at(const char **at)
{
	uint32_t v = 0;
	while (**at == ' ')
		++*at;
	for (; **at > ' '; ++*at)
		v = v << 4 | (uint32_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
	return v;
}

/* Waits for a message; its number and value. */
static uint32_t receive_message(uint32_t *ret_value)
{
	char line[64];
	uint32_t n = 0;
	for (int byte = 0; byte != '\n';) {
		hb_poll();
		byte = get(1);
		if (byte >= 0 && n < sizeof line - 1)
			line[n++] = (char)byte;
	}
	line[n] = 0;
	const char *at = line + 1;
	uint32_t number = number_at(&at);
	*ret_value = number_at(&at);
	hb_tell_message("receive", CAME, number, n);
	hb_tell("event", "heard", *ret_value);
	wrong += number != ++received;
	return number;
}

static void talk(void)
{
	uint32_t value = sizeof NAME, came;
#ifdef LEFT
	for (uint32_t i = 1; i <= ROUNDS + AHEAD; i++) {
		if (i > AHEAD)
			receive_message(&came);
		if (i <= ROUNDS)
			send_message(i, value = next_value(value));
	}
#else
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		uint32_t number = receive_message(&came);
		hb_tell("begin", "answer", number);
		value = next_value(value ^ came);
		send_message(number, value);
		hb_tell("end", "answer", number);
	}
#endif
}

void program(void)
{
	for (unsigned n = 0; n < 2; n++)
		UART(n)[12] = 0x301; /* on, both ways */
	TIMER[2] = 1;
	hb_hello(NAME, HERTZ, counters);
	for (int i = 0; i < BURST; i++)
		hb_tell("event", "burst", i);
	hb_tell("begin", "talk", ROUNDS);
	talk();
	hb_tell("end", "talk", wrong);
	for (;;)
		hb_poll();
}

__asm__(".section .start, \"ax\"\n.arm\n.global _start\n_start:\nldr sp, =0x60800000\nldr r0, =program\nbx r0\n.ltorg\n.text\n");
