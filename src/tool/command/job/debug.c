/* hbdb debug */
#include "../../debug/debug.h"

const hb_option hb__debug_options[] = {
	{"alone", 0, HB_OPTION_TEXT, "PROCESS",
		"of a recording of level data: this one process, without the others; it goes backwards, too"},
	{"task", 0, HB_OPTION_TEXT, "TASK[.PART][:SPAN]",
		"the process that worked on this task alone, stopped where the task's function begins"},
	{"checkpoints", 0, HB_OPTION_TEXT, "SIZE",
		"with --alone and --task: how much memory the copies of the process may take, as in 512M or 2G (512M)"},
	{"attach", 'p', HB_OPTION_TEXT, "PID",
		"attach to a job that was started without hbdb: the pid of mpirun or of one of its processes"},
	{"event", 0, HB_OPTION_TEXT, "N",
		"where event N of the manager's happened: attach to its process, or go to the end of it in its recording"},
	{"database", 0, HB_OPTION_TEXT, "FILE",
		"with --event: the manager's database; default: where hbdb manager keeps it"},
	{"at", 'a', HB_OPTION_TEXT, "EVENT|POINT",
		"first run to this event (RANK:EVENT), every process as far as the event needs it, or to this point (point:13.E)"},
	{"command", 'x', HB_OPTION_TEXT, "FILE", "run the commands in a file; - reads standard input"},
	{"execute", 'c', HB_OPTION_TEXT, "COMMANDS", "run these commands, separated by ;"},
	{"json", 0, HB_OPTION_FLAG, NULL, "print one JSON object per line, one for each answer"},
	{"trust", 0, HB_OPTION_FLAG, NULL,
		"run the command of a recording that may come from somebody else, without asking"},
	{"stdin", 0, HB_OPTION_TEXT, "FILE", "the standard input of the job; default: none"},
	{"output", 'o', HB_OPTION_RECORDING, "NEW.hbdb", "with a COMMAND: the recording to write"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"local", 0, HB_OPTION_TEXT, "FOLDER|off",
		"of a command that runs on several nodes: the folder on each for what its processes write and follow; off: they use that of the recording, which all see; default: /tmp"},
	{"listen", 0, HB_OPTION_TEXT, "ADDRESS",
		"for jobs on several machines: the address of this machine that the processes connect to"},
	{0},
};

int hb__debug(const hb_args *args) { return hb__debug_main(args); }
