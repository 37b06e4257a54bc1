/* hbdb order */
#include <signal.h>
#include <stdlib.h>

#include "../ordering/ordering.h"
#include "../store/find.h"

int hb__order(const hb_args *args)
{
	struct hb_ordering o = {0};
	char *recording = NULL;
	signal(SIGPIPE, SIG_IGN);
	int code = hb__ordering_operands(args);
	code = code ? code : hb__find_recording(args->nwords > 2 ? args->word[2] : NULL, &recording);
	if (code) {
		free(recording);
		return code;
	}
	code = hb__open_run(recording, &o.run);
	if (o.run.model) {
		o.whole = !code && hb__is_whole(&o.run);
		o.name = args->nwords > 2 ? args->word[2] : NULL;
		int failed = hb__ordering_ask(&o, args);
		if (!failed)
			hb__ordering_print(&o, args);
		code = failed ? failed : code;
	}
	hb__ordering_close(&o);
	free(recording);
	return code;
}
