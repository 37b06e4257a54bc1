/* Events of your program in a recording of hbdb, beside its calls of MPI or without any.
 *
 *   hb_event("restart");
 *   HB_EVENT("tile", hb_integer("x", x), hb_real("error", e), hb_text("kind", "border"));
 *   hb_begin("solve");  ...  hb_end("solve");
 *   hb_sent("ring", number, bytes);  ...  hb_received("ring", number, bytes);
 *
 * This header is all there is: nothing to link (with a C library older than glibc 2.34: -ldl). Without the recorder each of
 * these costs a load and a branch, and the arguments are not even computed; so they must not have effects of their own.
 *
 * A name is the event's kind: what stands in `hbdb dump -f NAME`, in SQL, in the page. Take few and short ones (at most 200
 * bytes) and give what varies as values; at most 16 values are recorded, and 1024 bytes of a text. Names and texts are
 * copied. Spans of one thread may lie in each other.
 *
 * Messages: any transport that MPI does not see - a queue between threads, a ring in shared memory, RDMA, a library for
 * GPUs. Call hb_sent before the message can be taken and hb_received after it was taken: then whatever came before the one
 * happened before whatever comes after the other. The k-th message received with a channel and key is the k-th one sent with
 * these: in the same process, where each process received as many of them as it sent (a queue between its threads), else in any.
 * Several threads that use the same key make that uncertain, so give each message a key of its own in its channel where you
 * can: its number in the queue, its address and version. Processes of a job share the names of channels.
 *
 * May be called by any thread at any time, not in a handler of signals. Errors: none; what cannot be recorded is left out
 * (after MPI_Finalize: docs/events.md). C99 and C++; hbdb/event.f90 is the same for Fortran. */
#ifndef HBDB_EVENT_H
#define HBDB_EVENT_H

#include <dlfcn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hb_value {
	const char *name;
	int type; /* HB_VALUE_INTEGER and so on */
	union {
		int64_t integer;
		double real;
		const char *text;
	} as;
} hb_value;
enum { HB_VALUE_INTEGER, HB_VALUE_REAL, HB_VALUE_TEXT };

/* What the recorder offers; made known by the name hb_recorder_1. */
enum { HB_KIND_EVENT, HB_KIND_BEGIN, HB_KIND_END, HB_KIND_SENT, HB_KIND_RECEIVED };
struct hb_recorder {
	void (*event)(int kind, const char *name, unsigned n, const hb_value *value);
	void (*message)(int kind, const char *channel, uint64_t key, uint64_t bytes);
};

/* One for all files of a program or library that include this. NULL: nobody records. */
__attribute__((weak, visibility("hidden"))) const struct hb_recorder *hb_recorder_here;

__attribute__((constructor(101))) static void hb_find_recorder(void)
{
	if (!hb_recorder_here)
		hb_recorder_here = (const struct hb_recorder *)dlsym((void *)0, "hb_recorder_1");
}

/* Whether somebody may record: 1 or 0. */
static inline int hb_is_recorded(void)
{
	return __builtin_expect(hb_recorder_here != (const struct hb_recorder *)0, 0);
}

static inline hb_value hb_integer(const char *name, int64_t value)
{
	hb_value v;
	v.name = name;
	v.type = HB_VALUE_INTEGER;
	v.as.integer = value;
	return v;
}

static inline hb_value hb_real(const char *name, double value)
{
	hb_value v;
	v.name = name;
	v.type = HB_VALUE_REAL;
	v.as.real = value;
	return v;
}

static inline hb_value hb_text(const char *name, const char *value)
{
	hb_value v;
	v.name = name;
	v.type = HB_VALUE_TEXT;
	v.as.text = value;
	return v;
}

/* Macros, so that the place of an event is the program's line. */
#define hb_event(name) HB_SAY(event, (HB_KIND_EVENT, (name), 0, (const hb_value *)0))
#define hb_begin(name) HB_SAY(event, (HB_KIND_BEGIN, (name), 0, (const hb_value *)0))
#define hb_end(name) HB_SAY(event, (HB_KIND_END, (name), 0, (const hb_value *)0))
#define hb_sent(channel, key, bytes) HB_SAY(message, (HB_KIND_SENT, (channel), (uint64_t)(key), (uint64_t)(bytes)))
#define hb_received(channel, key, bytes) \
	HB_SAY(message, (HB_KIND_RECEIVED, (channel), (uint64_t)(key), (uint64_t)(bytes)))
#define HB_SAY(how, arguments) ((void)(hb_is_recorded() ? (hb_recorder_here->how arguments, 0) : 0))

/* With values: a name and 1 to 16 of hb_integer, hb_real, hb_text. */
#define HB_EVENT(name, ...) HB_WITH_VALUES(HB_KIND_EVENT, name, __VA_ARGS__)
#define HB_BEGIN(name, ...) HB_WITH_VALUES(HB_KIND_BEGIN, name, __VA_ARGS__)
#define HB_END(name, ...) HB_WITH_VALUES(HB_KIND_END, name, __VA_ARGS__)
#define HB_WITH_VALUES(kind, name, ...)                                                                      \
	do {                                                                                                 \
		if (hb_is_recorded()) {                                                                      \
			const hb_value hb_values_[] = {__VA_ARGS__};                                         \
			hb_recorder_here->event(                                                             \
				kind, name, (unsigned)(sizeof hb_values_ / sizeof *hb_values_), hb_values_); \
		}                                                                                            \
	} while (0)

#ifdef __cplusplus
}
#endif
#endif
