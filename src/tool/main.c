/* hbdb: finds the command and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "options.h"

int main(int argc, char **argv)
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
		return hb__fail_with(HB_EXIT_USAGE, "there is no command '%s'; 'hbdb help' lists them all", argv[1]);
	hb_args args;
	bool done;
	int code = hb__parse(command, argv + 2, &args, &done);
	if (code || done)
		return code;
	return command->run(&args);
}
