/* Level racing: blocking messages with something to carry, past the handlers. What is carried is the way's business (../../observe/). */
#include "capture/mpi/wrap/step.h"

/* The members that the way asks for, as its handler would have them. */
static inline __attribute__((always_inline)) void begin(struct hb__call *c, struct hb__lane *lane,
	const struct hb__fn *fn, uintptr_t *a, hb__function next, const struct hb__slot *slot)
{
	c->fn = fn;
	c->a = a;
	c->next = next;
	c->lane = lane;
	c->pc = c->cfa = NULL;
	c->slot = slot;
	c->choice = slot != NULL;
	c->followed = c->deferred = false;
	c->mark = lane->scratch;
	c->nresults = 0;
	c->own = NULL;
	hb__counted_begin(lane, fn->id);
}

int hb__carried_send(struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, hb__function next)
{
	struct hb__call c;
	begin(&c, lane, fn, a, next, NULL);
	return hb__counted_end(lane, hb__way->send(&c));
}

/* Its answer, when it was a choice. */
static void choice(struct hb__call *c, const MPI_Status *st, int code)
{
	int64_t results[3];
	int error = likely(code == MPI_SUCCESS) ? 0 : hb__error_class(code);
	c->results = results;
	if (likely(!error) || error == 15 /* truncated: there was a message */)
		hb__result_message(c, st);
	hb__row_choice(c, error);
	c->lane->control->inside = 0;
}

int hb__carried_recv(
	struct hb__lane *lane, const struct hb__fn *fn, uintptr_t *a, hb__function next, struct hb__slot *slot)
{
	struct hb__call c;
	MPI_Status own;
	begin(&c, lane, fn, a, next, slot);
	MPI_Status *st = hb__status(&c, &own);
	if (likely(slot != NULL))
		lane->control->inside = slot->inside;
	int code = hb__way->recv(&c, st);
	if (likely(slot != NULL))
		choice(&c, st, code);
	return hb__counted_end(lane, code);
}
