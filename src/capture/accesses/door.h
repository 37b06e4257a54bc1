/* Between libhbdb-accesses.so, which writes the trace of a process, and the recorder beside it. Both are of the same build. */
#ifndef HBDB_CAPTURE_ACCESSES_DOOR_H
#define HBDB_CAPTURE_ACCESSES_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct hb_value;
struct hb__spread;
struct hb__spread_halo;
struct hb__spread_saying;

/* What the library wants to hear; see struct hb__tracing of core/layer.h. */
struct hb_accesses_front {
	void (*named)(const char *log, int rank, int size);
	void (*over)(void);
	void (*received)(const void *p, size_t bytes); /* NULL: it does not */
	void (*spread)(const struct hb__spread *spread, const void *pc);
	void (*halo)(const struct hb__spread_halo *halo, const void *pc);
	void (*says)(struct hb__spread_saying *ret);
	void (*said)(const struct hb__spread_saying *saying, uint32_t processes);
};

struct hb_accesses_door {
	/* The library is there; which of the two begins first is the loader's choice. */
	void (*opened)(const struct hb_accesses_front *front);
	/* This process is recorded; else it writes no trace. Known when both have begun. */
	bool (*records)(void);
	/* It is replayed, events and all: points are told as they were, and no trace is written. */
	bool (*replays)(void);
	/* The process is one without MPI, or another layer that would tell when a variable is complete on all of its processes. */
	bool (*alone)(void);
	/* How many events this thread has made. */
	uint64_t (*events)(void);
	/* An event in the name of the program, which called us at pc. */
	void (*event)(
		int kind, const char *name, unsigned n, const struct hb_value *value, const void *pc, const void *cfa);
	/* XXH3 of these bytes, as fast as the processor can. */
	uint64_t (*hash)(const void *p, size_t bytes, uint64_t seed);
	/* Plain loads of these bytes do not fault. */
	bool (*readable)(const void *p, size_t bytes);
	/* What this thread calls from now on is not the program's; returns what `back` is to be given. */
	uint8_t (*aside)(void);
	void (*back)(uint8_t before);
	void *(*pages)(size_t bytes);
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* The recorder has it, by this name. */
#define HB_ACCESSES_DOOR "hb_accesses_door_1"
extern const struct hb_accesses_door hb_accesses_door_1 __attribute__((visibility("default")));

#pragma GCC visibility pop

#endif
