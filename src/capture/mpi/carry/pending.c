/* Requests with a prefix: its memory lives until the request is over. */
#include "capture/mpi/carry/carry.h"
#include "capture/mpi/family/family.h"

/* Unused ones: of receives the longest unused first, for programs post the same ones again in the same order. */
static struct hb__carry *first[2], *last[2];

#define SEARCH 8 /* unused ones that are looked at for a type */

static size_t header_bytes(void) { return (sizeof(struct hb__carry) + 15) & ~(size_t)15; }

static struct hb__carry *take(bool receive, const void *buf, int64_t bytes)
{
	struct hb__carry *before = NULL, *m = first[receive];
	for (int i = 0; receive && m && i < SEARCH && (m->kept_buf != buf || m->kept_bytes != bytes); i++)
		before = m, m = m->after;
	if (!m || m->kept_buf != buf || m->kept_bytes != bytes)
		before = NULL, m = first[receive];
	if (!m)
		return NULL;
	*(before ? &before->after : &first[receive]) = m->after;
	if (last[receive] == m)
		last[receive] = before;
	return m;
}

struct hb__carry *hb__carry_new(bool receive, const void *buf, int64_t bytes)
{
	size_t size = header_bytes() + hb__prefix_bytes + HB__BEHIND;
	hb__track_lock();
	struct hb__carry *m = take(receive, buf, bytes);
	if (!m && (m = hb__pool(size - (receive ? HB__BEHIND : 0))))
		m->kept = hb__known.type_null;
	hb__track_unlock();
	if (!m)
		return NULL;
	*m = (struct hb__carry){.prefix = (void *)((char *)m + header_bytes()),
		.type = hb__known.type_null,
		.room = -1,
		.kept_buf = m->kept_buf,
		.kept_bytes = m->kept_bytes,
		.kept = m->kept};
	return m;
}

void hb__carry_give_back(struct hb__carry *m, bool receive)
{
	if (!m)
		return;
	if (m->type != hb__known.type_null)
		PMPI(Type_free)(&m->type);
	if (m->stage)
		hb__stage_end(m);
	hb__track_lock();
	m->after = NULL;
	*(last[receive] ? &last[receive]->after : &first[receive]) = m;
	last[receive] = m;
	hb__track_unlock();
}

/* ---- sends that the program freed ---- */

static struct hb__carry *oldest_orphan, *newest_orphan;

static struct hb__carry *orphan_next(void)
{
	hb__track_lock();
	struct hb__carry *m = oldest_orphan;
	if (m && !(oldest_orphan = m->after))
		newest_orphan = NULL;
	hb__track_unlock();
	return m;
}

static void orphan_add(struct hb__carry *m)
{
	hb__track_lock();
	m->after = NULL;
	*(newest_orphan ? &newest_orphan->after : &oldest_orphan) = m;
	newest_orphan = m;
	hb__track_unlock();
}

/* The memory of the prefix is needed until the send is over, and only its request tells. */
bool hb__carry_adopt(struct hb__request *r, MPI_Request *req)
{
	struct hb__carry *m = r->out;
	if (!m || r->in || !r->active)
		return false;
	m->orphan = *req;
	*req = hb__known.request_null;
	r->out = NULL;
	orphan_add(m);
	for (int i = 0; i < 4 && (m = orphan_next()); i++) {
		int over = 0;
		PMPI(Test)(&m->orphan, &over, MPI_STATUS_IGNORE);
		if (!over) {
			orphan_add(m);
			continue;
		}
		if (m->orphan != hb__known.request_null) /* persistent */
			PMPI(Request_free)(&m->orphan);
		hb__carry_give_back(m, false);
	}
	return true;
}

/* MPICH tells the user of types that are left over. */
void hb__carry_end_process(void)
{
	hb__track_lock();
	for (struct hb__carry *m = first[1]; m; m = m->after)
		if (m->kept != hb__known.type_null)
			PMPI(Type_free)(&m->kept);
	first[1] = last[1] = NULL;
	hb__track_unlock();
	for (struct hb__carry *m; (m = orphan_next());)
		PMPI(Request_free)(&m->orphan);
}

void hb__carry_start(struct hb__call *c, struct hb__request *r)
{
	if (r && r->out)
		hb__prefix_fill(c, r->out->prefix, r->out->peer);
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
	hb__carry_give_back(r->out, false);
	hb__carry_give_back(r->in, true);
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

void hb__carry_matched(struct hb__call *c, struct hb__request *r)
{
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	r->carried = comm && comm->carried;
	r->place = hb__race_place();
	r->comm = comm ? comm->number : HB_NONE;
}
