/* The layer of MPI, and its library in this process.
 *
 * A call goes: generated wrapper -> hb__wrap (nesting, counting) -> the handler of its class (wrap/) -> the next definition of the
 * same function. Handlers ask replay/ what to answer and give the core what was answered; track/ knows the handles that are alive. */
#ifndef HBDB_CAPTURE_MPI_LIBRARY_H
#define HBDB_CAPTURE_MPI_LIBRARY_H

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>

#include "capture/core/core.h"
#include "mpi_ids.h"

#pragma GCC visibility push(hidden)

/* The process runs on the other family's library: every call goes straight through. */
extern bool hb__foreign;

/* The functions of the library, past every wrapper: PMPI(Comm_rank)(comm, &rank). */
enum hb__entry { HB_ENTRY_MPI, HB_ENTRY_PMPI };
extern hb__function hb__next[2][HB_FN_COUNT]; /* by the name under which it was called */
extern const struct hb__fn *const hb__fns[HB_FN_COUNT];
#define PMPI(name) ((__typeof__(&MPI_##name))hb__next[HB_ENTRY_PMPI][HB_FN_MPI_##name])

/* ---- library.c ---- */
bool hb__library_there(void); /* one is loaded */
bool hb__find_library(void);  /* fills hb__next; false: no MPI, or the other one */
/* Whether the program has functions for attributes, which the library calls as communicators come and go, and at its end. */
bool hb__calls_back(const struct hb__lane *lane);
/* For the header of the log: which it is, 0: none, and its version. */
uint32_t hb__library_about(char *text, size_t size);
/* Not every version of a library has every function. fn may be NULL: the header does not have it either. */
bool hb__library_has(const struct hb__fn *fn);
/* MPI_BUFFER_AUTOMATIC, which only later versions have: no buffer, an impossible address. */
static inline bool hb__buffer_automatic(uintptr_t buffer) { return (intptr_t)buffer < 0 && (intptr_t)buffer > -4096; }

/* ---- start.c ---- */
void hb__begin_process(int thread_level); /* after MPI_Init */
/* The same in a process without MPI_Init, when it has made its first communicator from a group of a session. */
void hb__begin_sessions(void);
extern bool hb__of_sessions; /* it began so */
int hb__sessions_open(void); /* how many there are now */

#pragma GCC visibility pop

#endif
