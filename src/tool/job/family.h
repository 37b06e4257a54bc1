/* Which MPI library a program file asks for. */
#ifndef HBDB_JOB_FAMILY_H
#define HBDB_JOB_FAMILY_H

#include <hbdb/mpis.h>

#include "../tool.h"

typedef enum hb_mpi_family hb_mpi;

const char *hb__mpi_name(hb_mpi mpi); /* Open MPI, MPICH */
const char *hb__mpi_key(hb_mpi mpi);  /* openmpi, mpich */
hb_mpi hb__mpi_from_key(const char *key);

typedef struct hb_program {
	char *path; /* as it will be run; NULL: there is no such program */
	bool elf, is_static, is_script;
	bool is_privileged; /* set-user-id or capabilities: the loader ignores LD_PRELOAD */
	bool sessions;      /* it starts MPI with MPI_Session_init and never with MPI_Init */
	bool sanitized;     /* it needs the runtime of the address sanitizer, which wants to be the first library */
	hb_mpi mpi;         /* HB_MPI_STANDARD: cannot be recorded yet */
	char library[128];  /* the library that told */
} hb_program;

/* The file that running `name` would run, or NULL. Owned by the caller. */
char *hb__find_program(const char *name);

/* Looks at the file and at the libraries it needs. ret->path is owned by the caller. */
void hb__look_at_program(const char *name, hb_program *ret);

#endif
