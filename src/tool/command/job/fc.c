/* hbdb fc */
#include "../../building/building.h"
#include "../../options.h"

const hb_option hb__fc_options[] = {
	{0},
};

int hb__fc(const hb_args *args) { return hb__build("fc", args->rest); }
