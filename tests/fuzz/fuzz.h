/* What the fuzzers share: files for the library to open, reading all that can be read.
 *
 * A fuzzer is a function LLVMFuzzerTestOneInput. libFuzzer calls it with inputs it makes up (run.sh); in the
 * ordinary tests corpus_main.c calls it with the inputs in corpora/. It ends the process when something is wrong. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hbdb/format.h>

#include "../unit/compare.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The path of a file of this process, in memory. */
static inline const char *fuzz_path(const char *name)
{
	static char path[4][64];
	static int next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "/dev/shm/hbdb-fuzz.%ld.%s", (long)getpid(), name);
	return p;
}

static inline void fuzz_write(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || (n && fwrite(p, 1, n, f) != n) || fclose(f)) {
		perror(path);
		_exit(77);
	}
}

static inline void fuzz_must(int good, const char *what)
{
	if (!good) {
		fflush(stdout); /* compare.h says where */
		fprintf(stderr, "wrong: %s\n", what);
		abort();
	}
}

/* Rows of all lanes, at most `most`: a small file may stand for many. */
static inline uint64_t fuzz_read(hb_log *log, uint64_t most)
{
	uint64_t n = 0;
	hb_error e;
	for (uint32_t l = 0; l < hb_log_get_info(log)->lanes && n < most; l++) {
		hb_cursor *c;
		hb_row r;
		hb_lane_info lane;
		uint64_t number = 0;
		fuzz_must(!hb_log_lane(log, l, &lane), "a lane that there is");
		if (hb_cursor_open(log, l, 1, &c, &e))
			continue;
		while (n < most && hb_cursor_next(c, &r, &e) > 0) {
			n++;
			fuzz_must(r.number == ++number && r.lane == l && r.number <= lane.events, "rows are numbered");
			for (uint32_t i = 0; i < r.nresults; i++)
				n += (uint64_t)(r.results[i] == 42) >> 1;
		}
		hb_cursor_close(c);
		if (!hb_cursor_open(log, l, lane.events / 2 + 1, &c, &e)) {
			if (hb_cursor_next(c, &r, &e) > 0)
				fuzz_must(r.number == lane.events / 2 + 1, "seeking finds the event");
			if (lane.inside)
				hb_cursor_slot(c, lane.inside_slot, &r);
			hb_cursor_close(c);
		}
	}
	return n;
}

#endif
