/* hbdb order, by several processes: all walk through the past of the events, of which each has a part; the first prints. */
#include <signal.h>
#include <stdlib.h>

#include "../ordering/ordering.h"
#include "../store/find.h"
#include "together.h"

int hb__order_together(const hb_args *args, const hb_team *team)
{
	struct hb_ordering o = {0};
	char *recording = NULL;
	bool alone;
	signal(SIGPIPE, SIG_IGN);
	int code = hb__ordering_operands(args);
	code = hb__find_together(code, args->nwords > 2 ? args->word[2] : NULL, team, &recording);
	if (!code) {
		code = hb__open_together(recording, team, &o.run, &alone);
		o.whole = !code && o.run.ended;
		o.name = args->nwords > 2 ? args->word[2] : NULL;
		int failed = o.run.model ? hb__ordering_ask(&o, args) : 0;
		if (failed == HB_EXIT_RECORDING && !alone) /* no memory, which the others wait for */
			hb__team_abort(failed);
		if (o.run.model && !failed && !team->rank)
			hb__ordering_print(&o, args);
		code = failed ? failed : code;
	}
	hb__ordering_close(&o);
	free(recording);
	return code;
}
