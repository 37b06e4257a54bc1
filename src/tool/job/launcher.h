/* What a command line is: a launcher with a program, a program, a script. */
#ifndef HBDB_JOB_LAUNCHER_H
#define HBDB_JOB_LAUNCHER_H

#include "family.h"

typedef enum hb_launcher_kind hb_launcher_kind;

typedef struct hb_command_line {
	hb_launcher_kind launcher;
	size_t launcher_at; /* index of the launcher's name in the command */
	size_t program_at;  /* index of the program's name; 0 with a launcher: not found */
	long processes;     /* asked for on the command line, 0 when it does not say */
	hb_program program; /* what stands there */
	const char *script; /* the file that it interprets, or NULL: points into the command */
	hb_mpi mpi;         /* the one to take */
	char *why;          /* how that was found, for people */
	bool assumed;       /* nothing in the command shows it */
} hb_command_line;

/* Reads a command. wanted: the user's --mpi, or HB_MPI_UNKNOWN. 0, or an exit
 * code after having said why. otherwise: what to take where the command does not show it, or HB_MPI_UNKNOWN. Free with hb__command_line_free. */
int hb__read_command_line(char **argv, hb_mpi wanted, hb_mpi otherwise, hb_command_line *ret);
/* Says that the MPI was only assumed, where it was: for those who record or debug nothing but MPI. */
void hb__say_assumed(const hb_command_line *line);
/* That of the mpirun in the PATH, or HB_MPI_UNKNOWN. */
hb_mpi hb__path_mpi(void);
/* The file that tells most about what runs: the script that is interpreted, else the program; NULL: none. */
const char *hb__program_file(const hb_command_line *line);
void hb__command_line_free(hb_command_line *line);

/* argv for running the command with these variables ("NAME=VALUE", NULL ended)
 * handed on to every process. For a launcher that carries them itself,
 * *ret_plain is false; else they belong into the environment. */
void hb__forward(const hb_command_line *line, char **argv, char **variables, hb_strings *ret_argv, bool *ret_plain);

#endif
