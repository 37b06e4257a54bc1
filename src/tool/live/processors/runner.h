/* Processes of other processors, which a program of this machine runs (docs/system/processors.md): gdb would see that program in their place. What runs them has a
 * stub for the gdb that knows them, where the variable HBDB_STUBS names a folder. */
#ifndef HBDB_LIVE_RUNNER_H
#define HBDB_LIVE_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "../../tool.h"

/* Why gdb is not to be attached to a process of this machine, and what to do in its place: free it. NULL: nothing speaks against it. */
char *hb__beyond_gdb(int32_t pid);

/* The same of a process that executes this program, a path, on whatever machine. */
char *hb__beyond_gdb_of(const char *program);

/* A process that waits at its stub. Texts are its own. */
typedef struct hb_stub_found {
	int32_t pid;
	char *gdb, *address;
	char *root, *program; /* where its libraries are; NULL: not known */
} hb_stub_found;
/* That of a file in a folder of stubs: hb__stub_free. False: it is none, or not ready yet. */
bool hb__stub_read(const char *folder, const char *file, hb_stub_found *ret);
void hb__stub_free(hb_stub_found *stub);

#endif
