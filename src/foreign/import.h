/* What an import has put together so far: what the readers of the kinds of files share. */
#ifndef HBDB_FOREIGN_IMPORT_H
#define HBDB_FOREIGN_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "foreign/foreign.h"
#include "foreign/known/known.h"
#include "format/draft/draft.h"

struct hb_import {
	const char *path, *from;
	bool spans;           /* as hb_import_told */
	const uint8_t *bytes; /* the file */
	size_t size;
	hb_import_options options;
	hb_draft **draft; /* by process */
	uint32_t *pid;    /* likewise: the number in its name */
	size_t drafts, drafts_cap, pids_cap;
	const char *host;       /* where it was, when the file tells ... */
	uint32_t next_pid;      /* ... and the number of the process that is added next; 0: they are counted */
	struct hb__known known; /* of options.with */
	uint64_t first, last;   /* nanoseconds since the epoch */
	char cut[256];
	char **note;
	size_t notes, notes_cap;
};

/* Fills *err (may be NULL) and returns status. */
hb_status hb__import_fail(hb_error *err, hb_status status, const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
hb_status hb__import_no_memory(const hb_import *import, hb_error *err);
/* Adds a sentence on what is not known; false: out of memory. */
bool hb__import_note(hb_import *import, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reading ends here, before the end of the file; the first reason is kept. */
void hb__import_cut(hb_import *import, uint64_t offset, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a process; NULL: out of memory. origin: nanoseconds since the epoch at tick 0. here: it is of the host that options.with is of. */
hb_draft *hb__import_process(hb_import *import, const char *program, uint64_t origin, bool here);

/* The readers: what comes in import->bytes becomes drafts. */
hb_status hb__import_packets(hb_import *import, hb_error *err);
hb_status hb__import_spans(hb_import *import, hb_error *err);
hb_status hb__import_stream(hb_import *import, hb_error *err);
hb_status hb__import_boards(hb_import *import, hb_error *err);

#endif
