/* The commands of hbdb. */
#include "options.h"

const hb_command hb__commands[] = {
#define COMMAND(name, operands, kind, summary, length) \
	{#name, operands, kind, summary, length, hb__##name##_options, hb__##name},
#include "commands.def"
#undef COMMAND
	{0},
};
