/* Doing again what the record says. A wildcard is asked for exactly what it got;
 * a request that was cancelled is never given to the library but replaced by a
 * receive that nothing can match; a persistent request whose activations got
 * different messages keeps its handle, and another request (its shadow) runs in
 * its place while it is active. */
#include "capture/mpi/family/family.h"
#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "capture/mpi/replay/replay.h"
#include "capture/mpi/slots/slots.h"

struct hb__recv_args {
	uintptr_t buf;
	int64_t count;
	MPI_Datatype type;
	bool own_type; /* a duplicate: the program may free its own */
	int source, tag;
	MPI_Comm comm;
};

/* Nobody sends on it. */
static MPI_Comm nowhere;

/* A library has so many communicators: none is taken from a program that cancels nothing. */
void hb__again_start(void)
{
	if (hb__outcomes_cancelled() && !hb__of_sessions)
		PMPI(Comm_dup)(hb__known.comm_self, &nowhere);
}

/* Looking is enough; MPICH looks no further than the process itself on a communicator of one. */
void hb__again_progress(void)
{
	int flag = 0, rank;
	MPI_Comm comm =
		hb__active && !hb__alone && !hb__began_alone() ? hb__comm_to_look_at(&rank) : hb__known.comm_null;
	if (comm != hb__known.comm_null)
		PMPI(Iprobe)(rank, 0, comm, &flag, MPI_STATUS_IGNORE);
}

static int never(MPI_Request *req) { return PMPI(Irecv)(NULL, 0, hb__known.byte, 0, 0, nowhere, req); }

static void ask_for(struct hb__call *c, int64_t source, int64_t tag)
{
	c->a[hb__role(c, HB_R_SOURCE)] = (uintptr_t)hb__library_rank(source);
	c->a[hb__role(c, HB_R_LAST_TAG)] = (uintptr_t)hb__library_tag(tag);
}

/* Under warn the program may have sent something else than the message that the wildcard got. False when that does not
 * come for a while and another one is there. */
static bool comes(struct hb__call *c, int tag_role, int64_t source, int64_t tag)
{
	MPI_Comm comm = (MPI_Comm)hb__arg(c, HB_R_COMM);
	uint64_t end = hb__system_ns(CLOCK_MONOTONIC) + 2000000000u;
	int recorded = 0, other = 0;
	if (source < 0)
		return true;
	while (!recorded && !other) {
		if (PMPI(Iprobe)(hb__library_rank(source), hb__library_tag(tag), comm, &recorded, MPI_STATUS_IGNORE) !=
			MPI_SUCCESS)
			return true;
		if (!recorded && hb__system_ns(CLOCK_MONOTONIC) > end)
			PMPI(Iprobe)
		((int)hb__arg(c, HB_R_SOURCE), (int)c->a[tag_role], comm, &other, MPI_STATUS_IGNORE);
	}
	if (other)
		hb__report_not_sent(c, (int)source, (int)tag);
	return recorded;
}

int hb__again_recv(struct hb__call *c)
{
	const struct hb__row *row = hb__expected(c);
	uintptr_t source = hb__arg(c, HB_R_SOURCE), tag = hb__arg(c, HB_R_LAST_TAG);
	bool sends = hb__has(c, HB_R_DEST); /* waiting before it would hold up what others wait for */
	if (row->n >= 3 &&
		(!hb__config.warn || sends || comes(c, hb__role(c, HB_R_LAST_TAG), row->results[0], row->results[1])))
		ask_for(c, row->results[0], row->results[1]);
	int code = hb__invoke_next(c);
	c->a[hb__role(c, HB_R_SOURCE)] = source;
	c->a[hb__role(c, HB_R_LAST_TAG)] = tag;
	return code;
}

int hb__again_post(struct hb__call *c)
{
	if (c->fn->flags & HB_PERSISTENT)
		return hb__invoke_next(c);
	struct hb__outcome how = hb__outcome(c->lane, c->lane->posted);
	if (how.ended == HB__CANCELLED)
		return never((MPI_Request *)hb__arg(c, HB_R_NEWREQ));
	bool untold = hb__known.sendrecv_untold && hb__has(c, HB_R_DEST);
	if (how.ended == HB__MESSAGE && hb__has(c, HB_R_SOURCE) && !untold)
		ask_for(c, how.source, how.tag);
	return hb__invoke_next(c);
}

void hb__again_posted(struct hb__call *c, struct hb__request *r)
{
	if (!(c->fn->flags & HB_PERSISTENT))
		return;
	struct hb__recv_args *p = hb__pool(sizeof *p);
	if (!p)
		return;
	r->args = p;
	if (!hb__has(c, HB_R_SOURCE))
		return;
	*p = (struct hb__recv_args){
		.buf = hb__arg(c, HB_R_RBUF),
		.count = (int64_t)hb__arg(c, HB_R_COUNT),
		.type = (MPI_Datatype)hb__arg(c, HB_R_TYPE),
		.source = (int)hb__arg(c, HB_R_SOURCE),
		.tag = (int)hb__arg(c, HB_R_LAST_TAG),
		.comm = (MPI_Comm)hb__arg(c, HB_R_COMM),
	};
	if (r->wild && hb__type_find((uintptr_t)p->type)->number >= 1024)
		p->own_type = PMPI(Type_dup)(p->type, &p->type) == MPI_SUCCESS;
}

int hb__again_start_one(struct hb__lane *lane, MPI_Request *req)
{
	struct hb__request *r = hb__request_find((uintptr_t)*req);
	if (!r || !r->args)
		return PMPI(Start)(req);
	struct hb__outcome how = hb__outcome(lane, lane->posted);
	int code;
	if (how.ended == HB__CANCELLED)
		code = never(&r->shadow);
	else if (how.ended == HB__MESSAGE && r->receive && r->wild)
		code = PMPI(Irecv)((void *)r->args->buf, (int)r->args->count, r->args->type,
			hb__library_rank(how.source), hb__library_tag(how.tag), r->args->comm, &r->shadow);
	else
		return PMPI(Start)(req);
	r->has_shadow = code == MPI_SUCCESS;
	return code;
}

int hb__again_probe(struct hb__call *c, MPI_Status *st)
{
	const struct hb__row *row = hb__expected(c);
	int source = (int)hb__arg(c, HB_R_SOURCE), tag = (int)hb__arg(c, HB_R_TAG);
	if (row->n >= 3 && (!hb__config.warn || comes(c, hb__role(c, HB_R_TAG), row->results[0], row->results[1]))) {
		source = hb__library_rank(row->results[0]);
		tag = source == MPI_PROC_NULL ? tag : hb__library_tag(row->results[1]);
	}
	MPI_Comm comm = (MPI_Comm)hb__arg(c, HB_R_COMM);
	if (hb__has(c, HB_R_NEWMSG))
		return PMPI(Mprobe)(source, tag, comm, (MPI_Message *)hb__arg(c, HB_R_NEWMSG), st);
	return PMPI(Probe)(source, tag, comm, st);
}

static struct hb__request *shadowed(MPI_Request req)
{
	if (req == hb__known.request_null)
		return NULL;
	struct hb__request *r = hb__request_find((uintptr_t)req);
	return r && r->has_shadow ? r : NULL;
}

int hb__again_wait(MPI_Request *req, MPI_Status *st)
{
	struct hb__request *r = shadowed(*req);
	if (!r)
		return PMPI(Wait)(req, st);
	r->has_shadow = false;
	return PMPI(Wait)(&r->shadow, st);
}

/* Length of a status among results. */
static size_t status_length(const int64_t *p, size_t left)
{
	if (!left || p[0] == HB_ST_NULL || p[0] == HB_ST_UNKNOWN)
		return 1;
	size_t n = 1 + (left > 1 && p[1] & 1 ? 2 : 1);
	return n + (p[0] == HB_ST_MESSAGE ? 3 : p[0] == HB_ST_ERROR ? 4 : p[0] == HB_ST_CONTENTS ? 1 : 0);
}

/* In the recorded run some requests failed and others were still pending: only what was complete is waited for. */
int hb__again_waitall_failed(const struct hb__row *row, int n, MPI_Request *reqs, MPI_Status *st)
{
	size_t at = 0;
	for (int i = 0; i < n && at < row->n; i++) {
		const int64_t *p = row->results + at;
		size_t length = status_length(p, row->n - at), reference = length > 2 && p[1] & 1 ? 2 : 1;
		bool pending = p[0] == HB_ST_ERROR && 1 + reference < length && p[1 + reference] == 18;
		st[i].MPI_ERROR = pending ? MPI_ERR_PENDING : MPI_SUCCESS;
		if (!pending) {
			int code = hb__again_wait(&reqs[i], &st[i]);
			st[i].MPI_ERROR = code;
		}
		at += length;
	}
	return MPI_ERR_IN_STATUS;
}

bool hb__again_shadowed(MPI_Request req) { return shadowed(req) != NULL; }

MPI_Request hb__again_real(MPI_Request req)
{
	struct hb__request *r = shadowed(req);
	return r ? r->shadow : req;
}

int hb__again_waitall(struct hb__lane *lane, int n, MPI_Request *reqs, MPI_Status *st)
{
	bool any = false;
	for (int i = 0; i < n; i++)
		any |= shadowed(reqs[i]) != NULL;
	if (!any)
		return PMPI(Waitall)(n, reqs, st);
	MPI_Request *real = hb__scratch(lane, sizeof *real * (size_t)n);
	struct hb__request **who = hb__scratch(lane, sizeof *who * (size_t)n);
	if (!real || !who)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < n; i++) {
		who[i] = shadowed(reqs[i]);
		real[i] = who[i] ? who[i]->shadow : reqs[i];
	}
	int code = PMPI(Waitall)(n, real, st);
	for (int i = 0; i < n; i++) {
		if (who[i])
			who[i]->has_shadow = false;
		else
			reqs[i] = real[i];
	}
	return code;
}

int hb__again_waitany(struct hb__call *c, int *index, MPI_Status *st)
{
	const struct hb__row *row = hb__expected(c);
	int n = (int)hb__arg(c, HB_R_NREQ);
	if (row->n < 1 || row->results[0] < 0 || row->results[0] >= n)
		return hb__invoke_next(c); /* none was active: it says so again */
	*index = (int)row->results[0];
	return hb__again_wait((MPI_Request *)hb__arg(c, HB_R_REQS) + *index, st);
}

int hb__again_waitsome(struct hb__call *c, int *outcount, int *indices, MPI_Status *st)
{
	const struct hb__row *row = hb__expected(c);
	int n = (int)hb__arg(c, HB_R_NREQ);
	MPI_Request *reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	if (row->n < 1 || row->results[0] < 0 || row->results[0] > n)
		return hb__invoke_next(c);
	int k = 0, some = (int)row->results[0];
	MPI_Request *chosen = hb__scratch(c->lane, sizeof *chosen * (size_t)(some + 1));
	if (!chosen)
		return MPI_ERR_NO_MEM;
	for (size_t at = 1; k < some && at < row->n; k++) {
		int64_t i = row->results[at++];
		if (i < 0 || i >= n)
			break;
		indices[k] = (int)i;
		chosen[k] = reqs[i];
		at += status_length(row->results + at, row->n - at);
	}
	*outcount = k;
	int code = hb__again_waitall(c->lane, k, chosen, st);
	for (int j = 0; j < k; j++)
		reqs[indices[j]] = chosen[j];
	return code;
}

int hb__again_get_status(struct hb__call *c, MPI_Status *st)
{
	struct hb__request *r = shadowed((MPI_Request)c->a[0]);
	MPI_Request req = r ? r->shadow : (MPI_Request)c->a[0];
	int flag = 0, code = MPI_SUCCESS;
	while (!flag && code == MPI_SUCCESS)
		code = PMPI(Request_get_status)(req, &flag, st);
	return code;
}

int hb__again_cancel(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	struct hb__request *r = hb__request_find((uintptr_t)*req);
	enum hb__ended how = HB__UNKNOWN;
	for (struct hb__lane *lane = hb__lanes; r && lane; lane = lane->next)
		if (lane->number == r->lane)
			how = hb__outcome(lane, r->posting).ended;
	if (r && r->message && (how == HB__DONE || how == HB__MESSAGE))
		return MPI_SUCCESS; /* it came too late in the recorded run */
	return r && r->has_shadow ? PMPI(Cancel)(&r->shadow) : hb__invoke_next(c);
}

int hb__again_free(struct hb__call *c, struct hb__request *r)
{
	if (r && r->has_shadow)
		PMPI(Request_free)(&r->shadow);
	if (r && r->args && r->args->own_type)
		PMPI(Type_free)(&r->args->type);
	return hb__invoke_next(c);
}
