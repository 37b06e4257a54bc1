/* Which calls tell of arrays. Until the program has made a Cartesian communicator or set a view, calls go their usual ways. */
#include <pthread.h>

#include "capture/core/layer.h"
#include "capture/core/record/record.h"
#include "capture/mpi/tell/tell.h"

bool hb__telling;
static bool all_seen; /* every call comes here, also one that is made often */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void hb__tell_start(void) { hb__telling = hb__tracing && hb__tracing->spread && hb__config.mode == HB__RECORD; }

static void see_all(void)
{
	if (!all_seen)
		hb__lanes_special();
	all_seen = true;
}

/* Of neighbours in a grid, with a datatype for each. */
static bool takes_types(const struct hb__call *c)
{
	return c->fn->means->fit == HB_FIT_NEIGHBORS && c->fn->nargs > NEIGHBOR_TYPES &&
	       c->fn->param[NEIGHBOR_TYPES].kind == HB_P_DTYPES;
}

static void (*teller(const struct hb__call *c))(const struct hb__call *)
{
	if (c->fn->means->tells == HB_TELLS_FILE_VIEW)
		return hb__tell_view;
	if (takes_types(c))
		return hb__tell_neighbors;
	if (hb__tell_agrees(c))
		return hb__tell_agree;
	if (c->fn->cls == HB_RECV && hb__has(c, HB_R_COMM) && hb__has(c, HB_R_RBUF) && hb__has(c, HB_R_LAST_TYPE))
		return hb__tell_received;
	bool buffer = hb__has(c, HB_R_SBUF) || hb__has(c, HB_R_RBUF);
	return hb__has(c, HB_R_FILE) && buffer && hb__has(c, HB_R_COUNT) ? hb__tell_moved : NULL;
}

void hb__tell(struct hb__call *c)
{
	const hb_meaning *means = c->fn->means;
	if (means->tells == HB_TELLS_CART || means->tells == HB_TELLS_FILE_VIEW)
		see_all();
	if (means->tells == HB_TELLS_CART)
		hb__tell_grid(c);
	if (!all_seen)
		return;
	void (*tells)(const struct hb__call *) = teller(c);
	bool frees = means->frees && hb__has(c, HB_R_TYPEPTR);
	if (!tells && !frees)
		return;
	pthread_mutex_lock(&lock);
	if (frees)
		hb__tell_type_freed();
	else
		tells(c);
	pthread_mutex_unlock(&lock);
}
