/* Constructs of OpenMP, for GCC's library and for LLVM's. */
#ifndef HBDB_CAPTURE_ACCESSES_OMP_H
#define HBDB_CAPTURE_ACCESSES_OMP_H

#include "capture/accesses/front/front.h"

#pragma GCC visibility push(hidden)

/* Where a construct is in the source. */
struct hb__source {
	const char *function, *file; /* without debugging information the module and the offset in it, and "" */
	int line;
	bool foreign; /* of a library whose loops are not the program's: it makes as many as it has threads, or none */
};
/* code: an address in the construct. Looked up once. */
const struct hb__source *hb__source_of(const void *code);

/* A parallel region begins or ends on this thread. Only the outermost one of the first thread is a construct. pc, cfa: its return address and
 * frame. step: of the iterations of a loop that begins with it. */
void hb__region_begins(const void *code, long step, const void *pc, const void *cfa);
void hb__region_ends(const void *pc, const void *cfa);

#pragma GCC visibility pop

#endif
