/* hbdb record */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../job/run.h"
#include "../../job/setup.h"
#include "../../options.h"
#include "../../store/find.h"
#include "../../store/logs.h"
#include "../../store/manifest.h"

const hb_option hb__record_options[] = {
	{"output", 'o', HB_OPTION_RECORDING, "NAME.hbdb",
		"the recording to write; default: the program's name, a dash and a number"},
	{"level", 'l', HB_OPTION_CHOICE, "order|racing|events",
		"what to store: only the choices, enough to replay; of these only what raced; or every call (default)"},
	{"mpi", 0, HB_OPTION_CHOICE, "auto|openmpi|mpich",
		"the MPI library of the program; default: found from launcher and program"},
	{"shake", 0, HB_OPTION_NUMBER, "USEC", "delay every send by a random time below this, to provoke rare orders"},
	{"no-contents", 0, HB_OPTION_FLAG, NULL, "do not store a check of the contents sent"},
	{"check", 0, HB_OPTION_FLAG, NULL, "record also what hbdb check needs: arguments, handles, buffers, types"},
	{"keep-raw", 0, HB_OPTION_FLAG, NULL, "leave the logs as the processes wrote them, do not seal them"},
	{"aslr", 0, HB_OPTION_FLAG, NULL, "leave address space randomisation on"},
	{0},
};

#define SHAKE_MAX_US 10000000

/* Why a run left no log, as far as can be told from outside. */
static void say_nothing_recorded(const hb_command_line *line, const hb_job_end *end)
{
	const hb_program *p = &line->program;
	const char *path = p->path ? p->path : "the program";
	if (end->error)
		hb__say("nothing was recorded");
	else if (p->elf && p->is_static)
		hb__say("nothing was recorded: %s is linked statically; hbdb records programs that "
			"load libmpi as a shared library",
			path);
	else if (p->is_privileged)
		hb__say("nothing was recorded: %s runs with changed privileges, so the system loads nothing into it; "
			"run it as its owner",
			path);
	else if (p->elf && !p->mpi)
		hb__say("nothing was recorded: no process called MPI_Init (%s needs no MPI library itself; "
			"is it an MPI program?)",
			path);
	else if (end->status)
		hb__say("nothing was recorded: no process called MPI_Init before the command ended with status %d",
			end->status);
	else
		hb__say("nothing was recorded: no process called MPI_Init of %s (%s)", hb__mpi_name(line->mpi),
			line->why);
}

/* After the job: what it left, sealed and said. */
static void finish(const char *recording, bool seal, const hb_command_line *line, const hb_job_end *end, hb_manifest *m)
{
	hb_sum sum;
	hb__finish_logs(recording, seal, &sum);
	if (!sum.processes && !sum.damaged) {
		hb__remove_folder(recording);
		say_nothing_recorded(line, end);
		hb__sum_free(&sum);
		return;
	}
	m->processes = sum.processes;
	m->finished = true;
	m->exit_status = end->status;
	m->seconds = end->seconds;
	if (hb__manifest_write(m, recording))
		hb__say("%s/manifest.json: %s", recording, strerror(errno));
	hb__remember(recording);
	if (end->signal)
		hb__say("the command was killed by signal %d (%s)", end->signal, strsignal(end->signal));
	if (line->processes && sum.size && line->processes != sum.size)
		hb__say("the command asked for %ld processes, MPI_COMM_WORLD has %d: is %s a program of %s?",
			line->processes, sum.size, line->program.path ? line->program.path : "it",
			hb__mpi_name(line->mpi));
	hb__print_sum(recording, &sum);
	hb__sum_free(&sum);
}

static int run(const hb_args *args, const hb_command_line *line, const char *recording, hb_manifest *m)
{
	hb_setup setup = {.mpi = line->mpi,
		.mode = "record",
		.folder = recording,
		.level = m->level,
		.check = m->contents,
		.remarks = hb__value(args, "check") != NULL,
		.sanitized = line->program.sanitized,
		.shake_us = m->shake_us};
	hb_strings variables, argv;
	bool plain;
	int code = hb__setup(&setup, &variables);
	if (code) {
		hb__remove_folder(recording);
		return code;
	}
	hb__forward(line, args->rest, variables.at, &argv, &plain);
	hb_job job = {
		.argv = argv.at, .variables = plain ? variables.at : NULL, .launcher = line->launcher, .aslr = m->aslr};
	hb_job_end end;
	if (hb__manifest_write(m, recording))
		hb__say("%s/manifest.json: %s", recording, strerror(errno));
	hb__run(&job, &end);
	if (end.error)
		hb__say("cannot run %s: %s", args->rest[0], strerror(end.error));
	if (end.random)
		hb__say("the system does not allow to switch off address space randomisation: "
			"a replay may differ where the program sends or sorts by addresses");
	finish(recording, !hb__value(args, "keep-raw"), line, &end, m);
	hb__strings_free(&variables);
	hb__strings_free(&argv);
	return end.status;
}

int hb__record(const hb_args *args)
{
	if (!args->rest)
		return hb__fail_with(
			HB_EXIT_USAGE, "record needs the command to run, e.g. hbdb record -- mpirun -n 4 ./program");
	uint64_t shake = hb__number(args, "shake", 0);
	if (shake > SHAKE_MAX_US)
		return hb__fail_with(HB_EXIT_USAGE, "record --shake takes at most %d microseconds", SHAKE_MAX_US);
	hb_command_line line;
	hb__clean_environment();
	int code = hb__read_command_line(args->rest, hb__mpi_from_key(hb__value(args, "mpi")), &line);
	char *recording = NULL;
	const char *program = hb__program_file(&line);
	const char *name = line.script ? line.script : program ? program : args->rest[line.program_at];
	if (!code)
		code = hb__new_recording(hb__value(args, "output"), name, &recording);
	if (code) {
		hb__command_line_free(&line);
		return code;
	}
	const char *level = hb__value(args, "level");
	hb_manifest m = {.mpi = hb__copy(hb__mpi_key(line.mpi)),
		.level = hb__copy(level ? level : "events"),
		.contents = !hb__value(args, "no-contents"),
		.aslr = hb__value(args, "aslr") != NULL,
		.shake_us = shake};
	hb__manifest_begin(&m, args->rest);
	hb__digest_program(program, &m.program);
	code = run(args, &line, recording, &m);
	hb__manifest_free(&m);
	hb__command_line_free(&line);
	free(recording);
	return code;
}
