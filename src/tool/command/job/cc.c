/* hbdb cc */
#include "../../building/building.h"
#include "../../options.h"

const hb_option hb__cc_options[] = {
	{0},
};

int hb__cc(const hb_args *args) { return hb__build("cc", args->rest); }
