/* Threads that end requests at one time. The library gives out the handle of a request again as soon as the request is over, and then two are alive under
 * it: the one whose end we have not yet heard of, and the new one. Who is about to end requests says so before, therefore. */
#include <string.h>

#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

static hb__handler *rest[HB_FN_COUNT]; /* the handler of the function beside this */

static int on_completion(struct hb__call *c)
{
	bool many = hb__has(c, HB_R_REQS);
	const MPI_Request *reqs = (const MPI_Request *)hb__arg(c, many ? HB_R_REQS : HB_R_REQUEST);
	int n = many ? (int)hb__arg(c, HB_R_NREQ) : 1;
	uint8_t *mark = c->lane->scratch;
	MPI_Request *was = reqs && n > 0 ? hb__scratch(c->lane, (size_t)n * sizeof *was) : NULL;
	if (!was)
		return rest[c->fn->id](c);
	memcpy(was, reqs, (size_t)n * sizeof *was);
	hb__requests_claim(reqs, n);
	int code = rest[c->fn->id](c);
	hb__requests_unclaim(was, n);
	hb__scratch_release(c->lane, mark);
	return code;
}

void hb__claims_start(void)
{
	for (unsigned i = 0; hb__threaded && i < HB_FN_COUNT; i++) {
		if (!hb__fns[i] || hb__fns[i]->means->does != HB_DOES_COMPLETE)
			continue;
		rest[i] = hb__handlers[i];
		hb__handlers[i] = on_completion;
	}
}
