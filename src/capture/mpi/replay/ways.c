/* The way of each call in a replay: as the record says where it says something, else as the library does. */
#include "capture/core/data/data.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/observe/observe.h"
#include "capture/mpi/replay/replay.h"

void hb__replay_follow(struct hb__call *c)
{
	hb__follow(c);
	if (c->followed)
		hb__compare_sent(c);
}

enum hb__answer hb__replay_answer(struct hb__call *c)
{
	if (hb__follow_says_no(c))
		return HB__NO;
	if (c->lane->follow)
		c->slot = hb__slot_find(c);
	return hb__follow_poll(c);
}

/* ---- messages ---- */

static int post(struct hb__call *c, const struct hb__request *probe)
{
	(void)probe;
	if (c->fn->flags & HB_MATCHED)
		return hb__invoke_next(c);
	if (!hb__has(c, HB_R_SOURCE))
		return hb__again_post(c);
	uintptr_t source = hb__arg(c, HB_R_SOURCE), tag = hb__arg(c, HB_R_LAST_TAG);
	int code = hb__again_post(c);
	c->a[hb__role(c, HB_R_SOURCE)] = source; /* it may have asked for less */
	c->a[hb__role(c, HB_R_LAST_TAG)] = tag;
	return code;
}

static void posted(struct hb__call *c, struct hb__request *r, int code)
{
	(void)code;
	if (!r || c->fn->flags & (HB_START | HB_MATCHED) || !r->message)
		return;
	if (hb__alone) /* nobody reads what is pending any more */
		return;
	hb__again_posted(c, r);
	if (c->fn->cls == HB_SEND)
		hb__compare_posted(c, r);
}

static int recv(struct hb__call *c, MPI_Status *st)
{
	(void)st;
	return c->followed ? hb__again_recv(c) : hb__invoke_next(c);
}

static int probe(struct hb__call *c, MPI_Status *st)
{
	return c->followed ? hb__again_probe(c, st) : hb__invoke_next(c);
}

static int iprobe(struct hb__call *c, MPI_Status *st, int *flag)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*flag = answer == HB__YES;
	if (*flag)
		return hb__again_probe(c, st);
	if (hb__has(c, HB_R_NEWMSG))
		*(MPI_Message *)hb__arg(c, HB_R_NEWMSG) = hb__known.message_null;
	return MPI_SUCCESS;
}

static int poll(struct hb__call *c, int *flag)
{
	enum hb__answer answer = hb__replay_answer(c);
	int code = MPI_SUCCESS;
	*flag = 0;
	if (answer != HB__NO)
		code = hb__invoke_next(c);
	while (answer == HB__YES && code == MPI_SUCCESS && !*flag)
		code = hb__invoke_next(c);
	return code;
}

/* ---- completion ---- */

/* A tool behind us sees the call, too, where nothing runs in the request's place. */
static int wait(struct hb__call *c, MPI_Request *req, MPI_Status *st)
{
	return hb__again_shadowed(*req) ? hb__again_wait(req, st) : hb__invoke_next(c);
}

static int test(struct hb__call *c, MPI_Request *req, MPI_Status *st, int *flag)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*flag = answer == HB__YES;
	return *flag ? hb__again_wait(req, st) : MPI_SUCCESS;
}

static int get_status(struct hb__call *c, MPI_Status *st, int *flag)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*flag = answer == HB__YES;
	return *flag ? hb__again_get_status(c, st) : MPI_SUCCESS;
}

static int waitall(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st)
{
	if (c->followed && hb__expected(c)->code == HB_ERR_IN_STATUS && hb__expected(c)->n)
		return hb__again_waitall_failed(hb__expected(c), n, reqs, st);
	return hb__again_waitall(c->lane, n, reqs, st);
}

static int testall(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st, int *flag)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*flag = answer == HB__YES;
	return *flag ? hb__again_waitall(c->lane, n, reqs, st) : MPI_SUCCESS;
}

static int waitany(struct hb__call *c, int *index, MPI_Status *st)
{
	return c->followed ? hb__again_waitany(c, index, st) : hb__invoke_next(c);
}

static int testany(struct hb__call *c, int *index, MPI_Status *st, int *flag)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*flag = answer == HB__YES;
	*index = MPI_UNDEFINED;
	return *flag ? hb__again_waitany(c, index, st) : MPI_SUCCESS;
}

static int waitsome(struct hb__call *c, int *outcount, int *indices, MPI_Status *st)
{
	return c->followed ? hb__again_waitsome(c, outcount, indices, st) : hb__invoke_next(c);
}

static int testsome(struct hb__call *c, int *outcount, int *indices, MPI_Status *st)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE)
		return hb__invoke_next(c);
	*outcount = 0;
	return answer == HB__YES ? hb__again_waitsome(c, outcount, indices, st) : MPI_SUCCESS;
}

static void over(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error)
{
	(void)at;
	(void)st;
	(void)error;
	if (r->sent)
		hb__compare_completed(c, r);
}

/* ---- the life of requests ---- */

static int start(struct hb__call *c, MPI_Request *req) { return hb__again_start_one(c->lane, req); }

static int startall(struct hb__call *c, int n, MPI_Request *reqs)
{
	uint64_t before = c->lane->posted;
	int code = MPI_SUCCESS;
	for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
		c->lane->posted = before + (uint64_t)i;
		code = hb__again_start_one(c->lane, &reqs[i]);
	}
	c->lane->posted = before;
	return code;
}

static int free_request(struct hb__call *c, struct hb__request *r, MPI_Request *req)
{
	(void)req;
	return hb__again_free(c, r);
}

/* ---- collectives ---- */

static void contents(struct hb__call *c, const struct hb__part *part, enum hb__side side)
{
	if (c->followed)
		hb__compare(c, part, side);
}

static void awaited(struct hb__call *c, const struct hb__request *r, const struct hb__begun *begun, uint16_t check)
{
	if (c->followed)
		hb__compare_awaited(c, r, begun, check);
}

void hb__replay_observe(void)
{
	static const struct hb__observer observer = {
		.posted = posted, .over = over, .contents = contents, .awaited = awaited};
	hb__observe(&observer);
}

void hb__replay_begin_process(void)
{
	static const struct hb__way way = {.begin = hb__replay_follow,
		.passes = hb__compare_passed,
		.post = post,
		.recv = recv,
		.probe = probe,
		.iprobe = iprobe,
		.poll = poll,
		.wait = wait,
		.test = test,
		.get_status = get_status,
		.waitall = waitall,
		.testall = testall,
		.waitany = waitany,
		.testany = testany,
		.waitsome = waitsome,
		.testsome = testsome,
		.real = hb__again_real,
		.start = start,
		.startall = startall,
		.cancel = hb__again_cancel,
		.free = free_request};
	hb__again_start();
	hb__way = &way;
	hb__replay_observe();
}
