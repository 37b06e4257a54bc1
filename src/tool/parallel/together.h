/* The processes of hbdb-mpi as one team: what they tell each other, over MPI. */
#ifndef HBDB_PARALLEL_TOGETHER_H
#define HBDB_PARALLEL_TOGETHER_H

#include "../options.h"
#include "../show/out.h"
#include "model/part/part.h"

/* Starts MPI. Returns 0, or the exit code after having said why it cannot be done: the program was started by the mpirun of another
 * MPI, and each process would be alone. */
int hb__team_begin(int *argc, char ***argv, hb_team *ret);
void hb__team_end(void);
/* One process cannot go on, and the others wait for it: ends all. */
_Noreturn void hb__team_abort(int code);
/* The greatest code of all: the same for everybody. */
int hb__team_code(const hb_team *team, int code);
/* What all but the first have written to a file, one after the other, goes to `to` of the first. fd: of this process. */
void hb__team_pour(const hb_team *team, int fd, hb_output *to);

/* ---- races.c ---- */
int hb__races_together(const hb_args *args, const hb_team *team);

#endif
