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

static void (*teller(const struct hb__call *c))(const struct hb__call *)
{
	switch (c->fn->id) {
	case HB_FN_MPI_File_set_view:
		return hb__tell_view;
	case HB_FN_MPI_Neighbor_alltoallw:
	case HB_FN_MPI_Ineighbor_alltoallw:
		return hb__tell_neighbors;
	default:
		break;
	}
	if (c->fn->cls == HB_RECV && hb__has(c, HB_R_COMM) && hb__has(c, HB_R_RBUF) && hb__has(c, HB_R_LAST_TYPE))
		return hb__tell_received;
	bool buffer = hb__has(c, HB_R_SBUF) || hb__has(c, HB_R_RBUF);
	return hb__has(c, HB_R_FILE) && buffer && hb__has(c, HB_R_COUNT) ? hb__tell_moved : NULL;
}

void hb__tell(struct hb__call *c)
{
	if (c->fn->id == HB_FN_MPI_Cart_create || c->fn->id == HB_FN_MPI_File_set_view)
		see_all();
	if (!all_seen)
		return;
	void (*tells)(const struct hb__call *) = teller(c);
	bool frees = c->fn->id == HB_FN_MPI_Type_free;
	if (!tells && !frees)
		return;
	pthread_mutex_lock(&lock);
	if (frees)
		hb__tell_type_freed();
	else
		tells(c);
	pthread_mutex_unlock(&lock);
}
