/* The commands of hbdb-mpi, with the options of hbdb. */
#include "../options.h"

static int nothing(const hb_args *args)
{
	(void)args;
	return HB_EXIT_USAGE;
}

const hb_command hb__commands[] = {
	{"races", "[NAME]", HB_OPERANDS_RECORDING, "list the receives that could have got a different message", HB_LONG,
		hb__races_options, nothing},
	{"order", "A B [NAME]", HB_OPERANDS_WORDS, "show which of two events happened before the other, and why",
		HB_LONG, hb__order_options, nothing},
	{"check", "[NAME]", HB_OPERANDS_BOTH, "report the errors in a run, and what would go wrong elsewhere", HB_LONG,
		hb__check_options, nothing},
	{0},
};
