/* One thread beside the first one, and a clock that counts what the first one does. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

struct {
	uint64_t version;
	volatile uint64_t events, stop_at, spare[5];
} hb_alone_clock = {.version = 1};

void hb_alone_reached(void);
__attribute__((noinline)) void hb_alone_reached(void) { __asm__ volatile("" ::: "memory"); }

static void event(void)
{
	hb_alone_clock.events++;
	if (hb_alone_clock.events == hb_alone_clock.stop_at)
		hb_alone_reached();
}

static volatile int over, seen;

static void *other(void *arg)
{
	while (!over)
		seen++;
	return arg;
}

static void last(void) { over = 1; }

int main(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		event();
	if (pthread_create(&t, NULL, other, NULL))
		return 1;
	for (int i = 0; i < 5; i++)
		event();
	last();
	pthread_join(t, NULL);
	printf("done\n");
	return 0;
}
