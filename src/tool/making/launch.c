/* From a command to its processes. */
#include "launch.h"

#include <string.h>

/* MPI's launchers end a job when one of its processes dies. */
static void keep_the_others(const hb_command_line *line, hb_strings *argv)
{
	if (line->launcher == HB_LAUNCHER_ORTE)
		hb__insert(argv, line->launcher_at + 1, "--enable-recovery");
	else if (line->launcher == HB_LAUNCHER_HYDRA)
		hb__insert(argv, line->launcher_at + 1, "-disable-auto-cleanup");
}

int hb__launch(const hb_launch *l, hb_job_end *ret_end, hb_started **ret_started)
{
	hb_setup setup = l->setup;
	bool mpi = l->line->launcher != HB_LAUNCHER_NONE || l->line->program.mpi;
	if (!setup.alone)
		setup.without_mpi = !(mpi && (setup.layers & HB_LAYER_MPI));
	hb_strings variables, argv;
	bool plain;
	setup.mpi = l->line->mpi;
	setup.out = l->out;
	setup.sanitized = l->line->program.sanitized;
	if (ret_started)
		*ret_started = NULL;
	int code = hb__setup(&setup, &variables);
	if (code)
		return code;
	hb__forward(l->line, l->command, variables.at, &argv, &plain);
	if (l->keep_others)
		keep_the_others(l->line, &argv);
	hb_job job = {.argv = argv.at,
		.variables = plain ? variables.at : NULL,
		.launcher = l->line->launcher,
		.input = l->input,
		.out = l->out,
		.aslr = l->aslr,
		.watch = l->watch,
		.ending = l->ending,
		.user = l->user};
	if (l->starting)
		l->starting(l->user);
	if (ret_started)
		*ret_started = hb__job_start(&job, ret_end);
	else
		hb__run(&job, ret_end);
	if (ret_end->error)
		hb__say("cannot run %s: %s", l->command[0], strerror(ret_end->error));
	/* the processes have copies of them */
	hb__strings_free(&variables);
	hb__strings_free(&argv);
	return 0;
}
