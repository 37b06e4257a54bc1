/* Requests with a prefix: its memory lives until the request is over. */
#include "capture/carry/carry.h"
#include "capture/mpi/family.h"

static struct hb__carry *unused;

static size_t header_bytes(void) { return (sizeof(struct hb__carry) + 15) & ~(size_t)15; }

struct hb__carry *hb__carry_new(void)
{
	hb__track_lock();
	struct hb__carry *m = unused;
	if (m)
		unused = m->after;
	else
		m = hb__pool(header_bytes() + hb__prefix_bytes);
	hb__track_unlock();
	if (m)
		*m = (struct hb__carry){.prefix = (void *)((char *)m + header_bytes()), .type = hb__known.type_null};
	return m;
}

void hb__carry_give_back(struct hb__carry *m)
{
	if (!m)
		return;
	if (m->type != hb__known.type_null)
		PMPI(Type_free)(&m->type);
	if (m->stage)
		hb__stage_end(m);
	hb__track_lock();
	m->after = unused;
	unused = m;
	hb__track_unlock();
}

void hb__carry_start(struct hb__call *c, struct hb__request *r)
{
	if (r && r->out)
		hb__prefix_fill(c, r->out);
	if (r && r->in)
		r->in->prefix->magic = 0;
}

void hb__carry_started(struct hb__request *r)
{
	if (!r->in)
		return;
	r->in->asked.place = hb__race_place();
	hb__race_pending(r->in);
}

static void gone(struct hb__request *r)
{
	hb__carry_give_back(r->out);
	hb__carry_give_back(r->in);
	r->out = r->in = NULL;
}

void hb__carry_completed(struct hb__call *c, struct hb__request *r, MPI_Status *st, int error)
{
	if (r->in) {
		hb__race_over(r->in);
		hb__carry_received(c, r->in, "done", r, st, error);
	} else if (r->receive && r->wild && hb__config.racing && !hb__status_cancelled(st)) {
		hb__race_untold(c);
	}
	if (!r->persistent)
		gone(r);
}

/* What is active goes on without us: its prefix is still sent or received, no one says until when. */
void hb__carry_freed(struct hb__call *c, struct hb__request *r)
{
	if (r->in && r->active)
		hb__race_unknown(c, r->in);
	if (!r->active)
		gone(r);
}

void hb__carry_matched(const struct hb__call *c, struct hb__request *r)
{
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	r->carried = comm && comm->carried;
	r->place = hb__race_place();
	r->comm = comm ? comm->number : HB_NONE;
}
