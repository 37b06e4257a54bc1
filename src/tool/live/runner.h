/* Processes of other processors, which a program of this machine runs (docs/system/processors.md): gdb would see that program in their place. What runs them has a
 * stub for the gdb that knows them, where the variable HBDB_STUBS names a folder. */
#ifndef HBDB_LIVE_RUNNER_H
#define HBDB_LIVE_RUNNER_H

#include <stdint.h>

#include "../tool.h"

/* Why gdb is not to be attached to a process of this machine, and what to do in its place: free it. NULL: nothing speaks against it. */
char *hb__beyond_gdb(int32_t pid);

/* The same of a process that executes this program, a path, on whatever machine. */
char *hb__beyond_gdb_of(const char *program);

/* Processes that have a stub now, whether a gdb is connected to it or not. Free the array. */
size_t hb__stubs(int32_t **ret_pids);

/* The command that attaches a gdb to the stub of such a process: free it. NULL: it has none. */
char *hb__stub_command(int32_t pid);

#endif
