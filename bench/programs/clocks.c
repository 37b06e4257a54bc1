/* clocks: what the machine itself charges: a clock read, a store into a cache
 * line that nobody else wants, the first touch of a page of a mapped file. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include "bench.h"

enum { BATCH = 1000, BATCHES = 2000, PAGES = 4096, PAGE = 4096 };

static volatile uint64_t sink;

static void read_tsc(void) { sink = __rdtsc(); }

static void read_tscp(void)
{
	unsigned core;
	sink = __rdtscp(&core);
}

static void read_monotonic(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	sink = (uint64_t)t.tv_nsec;
}

static void store(void) { sink = 1; }

static void store_release_pair(void)
{
	static uint64_t data, committed;
	__atomic_store_n(&data, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&committed, 1, __ATOMIC_RELEASE);
}

static void locked_add(void)
{
	static uint64_t counter;
	__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}

static void nothing(void) { __asm__ volatile(""); }

static void measure(const char *name, void (*run)(void))
{
	static double samples[BATCHES];
	for (int b = 0; b < BATCHES; b++) {
		double start = now_ns();
		for (int i = 0; i < BATCH; i++)
			run();
		samples[b] = (now_ns() - start) / BATCH;
	}
	report_percentiles(name, samples, BATCHES, "ns");
}

/* Pages of a shared file mapping, as a log that grows writes them. */
static void measure_pages(void)
{
	static double samples[PAGES];
	char path[] = "bench-pages-XXXXXX";
	int file = mkstemp(path);
	unlink(path);
	if (file < 0 || ftruncate(file, (off_t)PAGES * PAGE))
		return;
	char *map = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (map == MAP_FAILED)
		return;
	double all = now_ns();
	for (int i = 0; i < PAGES; i++) {
		double start = now_ns();
		*(volatile char *)(map + (size_t)i * PAGE) = 1;
		samples[i] = now_ns() - start;
	}
	report("page_first_touch.mean", (now_ns() - all) / PAGES, "ns");
	report_percentiles("page_first_touch", samples, PAGES, "ns");
}

int main(void)
{
	measure("empty_call", nothing);
	measure("rdtsc", read_tsc);
	measure("rdtscp", read_tscp);
	measure("clock_gettime", read_monotonic);
	measure("store", store);
	measure("store_and_commit", store_release_pair);
	measure("locked_add", locked_add);
	measure_pages();
	return 0;
}
