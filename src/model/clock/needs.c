/* Which processes' enters into a collective the exit of a process needs: the classes of hb_order. */
#include "model/clock/clock.h"

uint32_t hb__place_in(const hb_model *m, const hb_group *g, uint32_t process, bool *ret_remote)
{
	int32_t rank = m->processes.at[process].rank;
	*ret_remote = false;
	if (rank >= 0 && (uint32_t)rank < g->size && g->member[rank] == process)
		return (uint32_t)rank;
	for (uint32_t i = 0; i < g->size; i++)
		if (g->member[i] == process)
			return i;
	*ret_remote = true;
	for (uint32_t i = 0; i < g->remote_size; i++)
		if (g->remote[i] == process)
			return i;
	return HB_NO;
}

static bool visit_all(const uint32_t *member, uint32_t n, hb__enter_visit *visit, void *user)
{
	for (uint32_t i = 0; i < n; i++)
		if (member[i] != HB_NO && !visit(user, member[i]))
			return false;
	return true;
}

/* The standard lets a process leave a collective as soon as its own part is done, whatever the library does inside: only data that it
 * gets makes it wait. MPI_Bcast: all for the root; MPI_Reduce: the root for all; a scan: for the ranks before; between two groups data
 * comes from the other side alone, unless the call says otherwise (both_sides: MPI_Barrier). */
void hb__order_needs(const hb_model *m, const hb_collective *c, uint32_t process, hb__enter_visit *visit, void *user)
{
	const hb_group *g = &m->groups.at[c->group];
	bool remote = false;
	uint32_t place = c->order == HB_ORDER_NONE ? 0 : hb__place_in(m, g, process, &remote);
	switch (c->order) {
	case HB_ORDER_NONE:
		return;
	case HB_ORDER_OUT:
		if (c->root != HB_NO)
			visit(user, c->root);
		return;
	case HB_ORDER_SCAN:
	case HB_ORDER_EXSCAN:
		if (place != HB_NO)
			visit_all(g->member, place, visit, user);
		return;
	case HB_ORDER_IN:
		if (c->root != process)
			return;
		break;
	case HB_ORDER_ALL:
		break;
	}
	bool inter = g->remote_size != 0;
	if (!inter || remote || c->both_sides)
		if (!visit_all(g->member, g->size, visit, user))
			return;
	if (inter && (!remote || c->both_sides))
		visit_all(g->remote, g->remote_size, visit, user);
}

void hb__collective_needs(const hb_model *m, uint32_t id, uint32_t process, hb__enter_visit *visit, void *user)
{
	hb__order_needs(m, &m->collectives.at[id], process, visit, user);
}
