/* hbdb-mpi: analyses of hbdb by the processes of an MPI job. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../terminal.h"
#include "together.h"

static const char usage[] = "usage: mpirun -n N hbdb-mpi races [OPTION...] [NAME]\n"
			    "       mpirun -n N hbdb-mpi order [OPTION...] A B [NAME]\n"
			    "       mpirun -n N hbdb-mpi check [OPTION...] [NAME]\n"
			    "Does what hbdb does, by N processes, and prints the same.\n"
			    "The manual page is hbdb-mpi(1).\n";

/* What hbdb can do, and this program cannot. */
static int not_divided(const char *word)
{
	static const char *const whole[] = {"cone", "info", "dump", "sql", "view", "graph"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (!strcmp(whole[i], word))
			return hb__fail_with(HB_EXIT_USAGE,
				"%s is not divided among processes; use hbdb %s, without mpirun", word, word);
	return hb__fail_with(HB_EXIT_USAGE, "'%s' is no command of hbdb-mpi; it has: races, order, check", word);
}

static const struct {
	const char *name;
	int (*run)(const hb_args *args, const hb_team *team);
} commands[] = {{"races", hb__races_together}, {"order", hb__order_together}, {"check", hb__check_together}};

static int run(int argc, char **argv, const hb_team *team)
{
	if (argc < 2 || !strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		if (!team->rank)
			fputs(usage, argc < 2 ? stderr : stdout);
		return argc < 2 ? HB_EXIT_USAGE : HB_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		if (!team->rank)
			printf("hbdb-mpi %s\n", HBDB_VERSION);
		return HB_EXIT_OK;
	}
	const hb_command *command = hb__command(argv[1]);
	if (!command)
		return not_divided(argv[1]);
	hb_args args;
	bool done = false;
	int nowhere = team->rank ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	if (nowhere >= 0) /* the first prints */
		dup2(nowhere, 1);
	hb__want_pager(false);
	hb__want_colour(
		"never"); /* a launcher may give a terminal to a process whose output goes to a file; --color asks for it */
	int code = hb__parse(command, argv + 2, &args, &done);
	if (code || done)
		return code;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(commands[i].name, command->name))
			return commands[i].run(&args, team);
	return HB_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	hb_team team;
	hb__terminal_begin();
	int code = hb__team_begin(&argc, &argv, &team);
	if (code)
		return code;
	code = run(argc, argv, &team);
	fflush(stdout);
	hb__team_end();
	/* the launchers make one status of those of all, and some complain of each that is not 0 */
	return team.rank ? 0 : code;
}
