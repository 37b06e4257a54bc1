/* The processes of hbdb-mpi as one team: what they tell each other, over MPI. */
#ifndef HBDB_PARALLEL_TOGETHER_H
#define HBDB_PARALLEL_TOGETHER_H

#include "../options.h"
#include "../run/run.h"
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

/* ---- open.c ---- */
/* hb__find_recording by all; *ret: of this process. The code is that of all: 0 when each finds one, which need not be the same. before: a code that is
 * not 0 ends it. */
int hb__find_together(int before, const char *operand, const hb_team *team, char **ret);
/* Opens a recording, and builds its model, of which each has a part. Returns as hb__open_run does. *ret_alone: it has something that is not
 * divided: the first process has the whole model, the others have none, and nothing is to be asked of them any more. */
int hb__open_together(const char *recording, const hb_team *team, hb_run *run, bool *ret_alone);
/* The same without the model. */
int hb__begin_together(const char *recording, const hb_team *team, hb_run *run);
/* Something that is not divided was found: says why, and gives the first process the whole model and the others none. Called by all. */
int hb__go_alone(hb_run *run, const hb_team *team, const char *why);

/* ---- the commands ---- */
int hb__races_together(const hb_args *args, const hb_team *team);
int hb__order_together(const hb_args *args, const hb_team *team);
int hb__check_together(const hb_args *args, const hb_team *team);

#endif
