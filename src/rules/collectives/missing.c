/* Processes that take no part in a collective of their communicator, and never will. */
#include <stdio.h>
#include <string.h>

#include "rules/collectives/parts.h"

enum { NAMED = 12 };

/* In MPI_Finalize a process does nothing else any more. */
static bool finalizes(const hb_case *c, const hb_process *p)
{
	const hb_line *line = &hb_model_lines(c->model)[p->first_line];
	hb_events *events;
	hb_event e;
	hb_error err;
	if (!p->nlines || !line->inside || hb_events_open(p->log, 0, &events, &err))
		return false;
	while (hb_events_next(events, &e, &err) == 1)
		;
	bool yes = hb_events_inside(events, &e) == 1 && e.means->does == HB_DOES_FINALIZE;
	hb_events_close(events);
	return yes;
}

/* The process can not come any more: it has ended, or is about to, and all that it did is recorded. */
bool hb__never_comes(const hb_case *c, uint32_t process)
{
	const hb_process *p = process == HB_NO ? NULL : &hb_model_processes(c->model)[process];
	if (!p || !p->log)
		return false;
	if (p->ending == HB_ENDING_FINALIZED)
		return !p->cut;
	/* the others may have made it leave: an abort ends all processes */
	if (p->ending == HB_ENDING_LEFT)
		return !p->cut && !c->died;
	return p->ending == HB_ENDING_NONE && finalizes(c, p);
}

/* MPI_Comm_free at the end that others leave out: a leak there. */
static bool only_frees(const struct hb__assembly *a)
{
	return hb__call_shape_of(a, 0)->means->does == HB_DOES_FREE_COMM;
}

static void add_missing(
	const struct hb__assembly *a, const uint32_t *member, uint32_t size, uint32_t *missing, uint32_t *n)
{
	/* it may be a member by another intercommunicator, of which not all members are known */
	bool doubtful = a->group->remote_size && hb_model_get_info(a->c->model)->strange;
	for (uint32_t i = 0; !doubtful && i < size && *n < NAMED; i++)
		if (member[i] != HB_NO && hb__part_by(a, member[i]) == HB_NO && hb__never_comes(a->c, member[i]) &&
			hb_model_shares(a->c->model, a->scope->group, member[i]))
			missing[(*n)++] = member[i];
}

static void name_them(const struct hb__assembly *a, const uint32_t *missing, uint32_t n, char *ret, size_t size)
{
	const hb_process *p = hb_model_processes(a->c->model);
	size_t used = (size_t)snprintf(ret, size, n == 1 ? "rank " : "ranks ");
	for (uint32_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(ret + used, size - used, "%s%s",
			i == 0       ? ""
			: i + 1 == n ? " and "
				     : ", ",
			p[missing[i]].name);
	if (n == NAMED && used < size)
		snprintf(ret + used, size - used, ", ...");
}

hb_status hb__compare_members(const struct hb__assembly *a, bool *ret_all)
{
	const hb_group *g = a->group;
	uint32_t all = g->size + g->remote_size, missing[NAMED], n = 0;
	*ret_all = true;
	/* a communicator of unknown origin, made with spawned or joined processes: who belongs to it is not known */
	if (a->n >= all || a->scope->refused || only_frees(a) || *g->name == '?')
		return HB_OK;
	add_missing(a, g->member, g->size, missing, &n);
	add_missing(a, g->remote, g->remote_size, missing, &n);
	if (!n)
		return HB_OK;
	*ret_all = false;
	char which[160], who[120];
	hb_point point[2];
	uint32_t points = 1;
	hb__part_point(a, 0, &point[0]);
	snprintf(point[0].role, sizeof point[0].role, "%u of %u processes take part", a->n, all);
	const hb_process *p = &hb_model_processes(a->c->model)[missing[0]];
	const hb_line *line = &hb_model_lines(a->c->model)[p->first_line];
	if (p->nlines && line->events) {
		point[points] = (hb_point){.process = missing[0], .at = {p->first_line, line->events}};
		snprintf(point[points].role, sizeof point[points].role, "its last call");
		points++;
	}
	name_them(a, missing, n, who, sizeof who);
	return hb__finding(a->c, HB_COLLECTIVE_MISSING, false, "Call it on every process of the communicator.", point,
		points, a->err, "%s never %s part in %s, where rank %s calls %s", who, n == 1 ? "takes" : "take",
		hb__which_collective(a, which), hb__part_name(a, 0), point[0].function);
}
