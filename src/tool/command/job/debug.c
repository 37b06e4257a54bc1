/* hbdb debug */
#include "../../debug/debug.h"

const hb_option hb__debug_options[] = {
	{"attach", 'p', HB_OPTION_TEXT, "PID",
		"look into a job that runs without hbdb: the pid of mpirun or of one of its processes"},
	{"at", 'a', HB_OPTION_TEXT, "RANK:EVENT", "go there first: every process to where that event needs it"},
	{"command", 'x', HB_OPTION_TEXT, "FILE", "run the commands of a file; - reads standard input"},
	{"execute", 'c', HB_OPTION_TEXT, "COMMANDS", "run these commands, with ; between them"},
	{"json", 0, HB_OPTION_FLAG, NULL, "one JSON object per line, for each answer"},
	{"stdin", 0, HB_OPTION_TEXT, "FILE", "the standard input of the job; default: none"},
	{"output", 'o', HB_OPTION_RECORDING, "NEW.hbdb", "a live run: the name of the recording that it makes"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"listen", 0, HB_OPTION_TEXT, "ADDRESS",
		"for jobs over several machines: the address of this one to dial in at"},
	{0},
};

int hb__debug(const hb_args *args) { return hb__debug_main(args); }
