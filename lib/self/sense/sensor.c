/* Sensors: what they watch, when they trip, and the events that say so. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sense.h"

static _Atomic(struct hb_sensor *) sensors; /* all there are; none is freed */

static struct hb_sensor *new_sensor(const char *name, enum hb__kind kind, double low, double high)
{
	size_t n = name ? strnlen(name, HB_TRACE_EVENT_NAME_MAX + 1) : 0;
	struct hb_sensor *s = n && n <= HB_TRACE_EVENT_NAME_MAX && low <= high ? calloc(1, sizeof *s) : NULL;
	if (!s)
		return NULL;
	memcpy(s->name, name, n);
	if (hb_posix_trace_eventid_open(name, &s->id)) {
		free(s);
		return NULL;
	}
	s->kind = kind;
	s->low = low;
	s->high = high;
	s->beat = s->from = hb__ns(CLOCK_MONOTONIC);
	pthread_mutex_init(&s->lock, NULL);
	s->next = atomic_load(&sensors);
	while (!atomic_compare_exchange_weak(&sensors, &s->next, s))
		;
	return s;
}

hb_sensor *hb_self_assertion(const char *name) { return new_sensor(name, HB__ASSERTION, 0, 0); }
hb_sensor *hb_self_value(const char *name, double low, double high) { return new_sensor(name, HB__VALUE, low, high); }

hb_sensor *hb_self_rate(const char *name, double low, double high, double seconds)
{
	struct hb_sensor *s = seconds >= 0 ? new_sensor(name, HB__RATE, low, high) : NULL;
	if (s)
		s->seconds = seconds;
	return s;
}

hb_sensor *hb_self_heartbeat(const char *name, double seconds)
{
	return seconds > 0 ? new_sensor(name, HB__HEARTBEAT, 0, seconds) : NULL;
}

hb_sensor *hb_self_memory(const char *name, double most) { return new_sensor(name, HB__MEMORY, 0, most); }
hb_sensor *hb_self_stack(const char *name, double most) { return new_sensor(name, HB__STACK, 0, most); }

/* ---- good and bad ---- */

static void say(struct hb_sensor *s, const char *what, double value)
{
	char text[160];
	int n = s->kind == HB__ASSERTION
			? snprintf(text, sizeof text, "%s", what)
			: snprintf(text, sizeof text, "%s value=%.9g low=%.9g high=%.9g", what, value, s->low, s->high);
	hb__put_all(s->id, text, (size_t)n, __builtin_return_address(0));
}

static __attribute__((noinline)) void changed(struct hb_sensor *s, bool bad, double value)
{
	if (atomic_exchange(&s->tripped, bad) == (uint32_t)bad)
		return; /* another thread was first */
	say(s, bad ? "tripped" : "recovered", value);
	if (bad)
		hb__act(s, value);
	else
		hb__act_recovered(s, value);
}

static inline void set(struct hb_sensor *s, double value)
{
	bool bad = !(value >= s->low && value <= s->high);
	atomic_store_explicit(&s->value, value, memory_order_relaxed);
	if (__builtin_expect((uint32_t)bad != atomic_load_explicit(&s->tripped, memory_order_relaxed), 0))
		changed(s, bad, value);
}

int hb_self_assert(hb_sensor *s, int condition)
{
	if (s && __builtin_expect(!condition, 0)) {
		atomic_store(&s->tripped, 1);
		say(s, "tripped", 0);
		hb__act(s, 0);
	}
	return condition;
}

void hb_self_set(hb_sensor *s, double value)
{
	if (s)
		set(s, value);
}

void hb_self_count(hb_sensor *s, uint64_t n)
{
	if (s)
		atomic_fetch_add_explicit(&s->count, n, memory_order_relaxed);
}

void hb_self_beat(hb_sensor *s)
{
	if (s)
		atomic_store_explicit(&s->beat, hb__ns(CLOCK_MONOTONIC_COARSE), memory_order_relaxed);
}

double hb_self_last(const hb_sensor *s) { return s ? atomic_load(&s->value) : 0; }
int hb_self_is_tripped(const hb_sensor *s) { return s && atomic_load(&s->tripped) != 0; }

/* ---- what is looked at now and then ---- */

/* Where the stack of this thread begins: its highest address. */
static uintptr_t stack_top(void)
{
	static __thread uintptr_t top;
	pthread_attr_t attr;
	void *low;
	size_t size;
	if (top)
		return top;
	if (pthread_getattr_np(pthread_self(), &attr))
		return 0;
	if (!pthread_attr_getstack(&attr, &low, &size))
		top = (uintptr_t)low + size;
	pthread_attr_destroy(&attr);
	return top;
}

void hb_self_depth(hb_sensor *s)
{
	uintptr_t top = stack_top(), here = (uintptr_t)__builtin_frame_address(0);
	if (s && top > here) /* a handler with a stack of its own is elsewhere */
		set(s, (double)(top - here));
}

/* Bytes of memory in use, below 0: not known. */
static double resident(void)
{
	char text[128];
	unsigned long pages;
	int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
	if (file >= 0)
		close(file);
	text[n > 0 ? n : 0] = 0;
	return sscanf(text, "%*u %lu", &pages) == 1 ? (double)pages * (double)sysconf(_SC_PAGESIZE) : -1;
}

static void look_at_rate(struct hb_sensor *s, uint64_t now)
{
	pthread_mutex_lock(&s->lock);
	double seconds = (double)(now - s->from) / 1e9, rate = 0;
	bool enough = now > s->from && seconds >= s->seconds;
	if (enough) {
		uint64_t count = atomic_load(&s->count);
		rate = (double)(count - s->counted) / seconds;
		s->from = now;
		s->counted = count;
	}
	pthread_mutex_unlock(&s->lock);
	if (enough)
		set(s, rate);
}

int hb_self_check(void)
{
	int tripped = 0;
	for (struct hb_sensor *s = atomic_load(&sensors); s; s = s->next) {
		uint64_t now = hb__ns(CLOCK_MONOTONIC);
		double bytes = 0;
		if (s->kind == HB__RATE)
			look_at_rate(s, now);
		else if (s->kind == HB__HEARTBEAT)
			set(s, now > s->beat ? (double)(now - s->beat) / 1e9 : 0);
		else if (s->kind == HB__MEMORY && (bytes = resident()) >= 0)
			set(s, bytes);
		tripped += (int)atomic_load(&s->tripped);
	}
	return tripped;
}
