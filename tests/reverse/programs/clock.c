/* A recorder's clock, without a recorder: events of about the same length, each of which changes some of a large memory.
 * clock EVENTS MEGABYTES WORK [LATE]: work is done WORK times in each event; LATE times something else between the count and the look at what is asked. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct {
	uint64_t version;
	volatile uint64_t events, stop_at, spare[5];
} hb_alone_clock = {.version = 1};

void hb_alone_reached(void);
__attribute__((noinline)) void hb_alone_reached(void) { __asm__ volatile("" ::: "memory"); }

static uint64_t value, late;
static unsigned char *memory;

/* As a recorder does for each event: it uses more of the stack than the call above. */
__attribute__((noinline)) static void record(void)
{
	char row[512];
	memset(row, (int)hb_alone_clock.events, sizeof row);
	__asm__ volatile("" : : "r"(row) : "memory");
}

static void event(void)
{
	record();
	hb_alone_clock.events++;
	for (volatile uint64_t i = 0; i < late; i++)
		;
	if (hb_alone_clock.events == hb_alone_clock.stop_at)
		hb_alone_reached();
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	uint64_t size = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) << 20;
	uint64_t work = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000;
	late = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	memory = malloc(size);
	memset(memory, 1, size);
	uint64_t x = 1;
	for (uint64_t e = 1; e <= events; e++) {
		value = 0;
		for (uint64_t i = 0; i < work; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			memory[(x >> 33) % 4 * 4096 + (e % (size >> 20)) * 262144] += (unsigned char)x;
			value += x >> 60;
		}
		value = value * events + e;
		event();
	}
	printf("last %lu\n", (unsigned long)value);
	fflush(stdout);
	abort();
}
