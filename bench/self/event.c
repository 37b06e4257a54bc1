/* event FILE: nanoseconds of an event of libhbdb-self, of a clock read, and of what else is called often: the least of many short batches each,
 * the batches of all in turn, so that a disturbance spoils a batch of each. Lines "NAME NANOSECONDS". */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <hbdb/self.h>

enum { BATCH = 20000, ROUNDS = 300 };

static volatile uint64_t sink;
static hb_trace_event_id_t step;
static hb_trace_id_t loop, logged;
static hb_sensor *sensor, *beat;
static char data[256];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define CASE(name, call)                          \
	static void name(void)                    \
	{                                         \
		for (int i = 0; i < BATCH; i++) { \
			call;                     \
		}                                 \
	}
#if defined(__x86_64__)
CASE(counter, sink = __rdtsc())
#else
CASE(counter, struct timespec t; clock_gettime(CLOCK_REALTIME, &t); sink = (uint64_t)t.tv_nsec)
#endif
CASE(clock_gettime_, struct timespec t; clock_gettime(CLOCK_REALTIME, &t); sink = (uint64_t)t.tv_nsec)
CASE(event_4, hb_posix_trace_event(step, &i, sizeof i))
CASE(event_22, hb_posix_trace_event(step, data, 22))
CASE(event_100, hb_posix_trace_event(step, data, 100))
CASE(set, hb_self_set(sensor, 1))
CASE(beats, hb_self_beat(beat))

static void start_loop(void) { hb_posix_trace_start(loop); }
static void start_log(void) { hb_posix_trace_start(logged); }
static void stop(void)
{
	hb_posix_trace_stop(loop);
	hb_posix_trace_stop(logged);
}

static const struct {
	const char *name;
	void (*begin)(void), (*run)(void);
} kind[] = {{"a counter read", stop, counter}, {"clock_gettime", stop, clock_gettime_},
	{"an event, no stream runs", stop, event_4}, {"an event of 4 bytes", start_loop, event_4},
	{"an event of 22 bytes", start_loop, event_22}, {"an event of 100 bytes", start_loop, event_100},
	{"an event of 4 bytes, flushed", start_log, event_4}, {"hb_self_set", stop, set},
	{"hb_self_beat", stop, beats}};
enum { KINDS = sizeof kind / sizeof *kind };

int main(int argc, char **argv)
{
	double least[KINDS], sum[KINDS] = {0};
	if (argc != 2 || hb_posix_trace_create(0, NULL, &loop) || hb_self_open(argv[1], NULL, &logged))
		return 2;
	hb_posix_trace_eventid_open("step", &step);
	sensor = hb_self_value("sensor", 0, 2);
	beat = hb_self_heartbeat("beat", 1e9);
	for (int round = 0; round < ROUNDS; round++)
		for (int k = 0; k < KINDS; k++) {
			stop();
			kind[k].begin();
			double from = now();
			kind[k].run();
			double took = (now() - from) / BATCH;
			least[k] = !round || took < least[k] ? took : least[k];
			sum[k] += took;
		}
	for (int k = 0; k < KINDS; k++)
		printf("%s\t%.1f\t%.1f\n", kind[k].name, least[k], sum[k] / ROUNDS);
	hb_posix_trace_shutdown(loop);
	return hb_posix_trace_shutdown(logged);
}
