/* The commands of hbdb, and hbdb help */
#include <string.h>

#include "findings/findings.h"
#include "options.h"
#include "terminal.h"

const hb_command hb__commands[] = {
#define COMMAND(name, operands, kind, summary, length) \
	{#name, operands, kind, summary, length, hb__##name##_options, hb__##name},
#include "commands.def"
#undef COMMAND
	{0},
};

const hb_option hb__help_options[] = {{0}};

int hb__help(const hb_args *args)
{
	const hb_command *command = NULL;
	hb__page();
	if (args->operand && (!strncasecmp(args->operand, "HB-", 3) || !strcmp(args->operand, "findings")))
		return hb__finding_help(args->operand);
	if (args->operand && !(command = hb__command(args->operand)))
		return hb__no_command(args->operand);
	hb__print_help(command);
	return HB_EXIT_OK;
}
