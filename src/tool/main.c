/* hbdb: finds the command and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "terminal.h"

static int run(int argc, char **argv)
{
	if (argc < 2) {
		hb__print_help(NULL);
		return HB_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("hbdb %s\n", HBDB_VERSION);
		return HB_EXIT_OK;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		hb__print_help(NULL);
		return HB_EXIT_OK;
	}
	const hb_command *command = hb__command(argv[1]);
	if (!command)
		return hb__no_command(argv[1]);
	hb_args args;
	bool done;
	int code = hb__parse(command, argv + 2, &args, &done);
	if (code || done)
		return code;
	return command->run(&args);
}

int main(int argc, char **argv)
{
	hb__terminal_begin();
	return hb__terminal_end(run(argc, argv));
}
