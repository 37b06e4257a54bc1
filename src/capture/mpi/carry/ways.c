/* The way of a call whose messages have a prefix, and what becomes of the prefixes. */
#include "capture/mpi/carry/carry.h"
#include "capture/mpi/observe/observe.h"

int hb__carry_message(struct hb__call *c, const struct hb__request *probe, MPI_Status *st)
{
	struct hb__carried k;
	hb__carry_begin(c, probe, &k);
	int code = hb__invoke_next(c);
	hb__carry_invoked(c, &k);
	hb__carry_end(c, &k, probe, st, code);
	return code;
}

/* Its prefixes become the request's when that is known. */
static int post(struct hb__call *c, const struct hb__request *probe)
{
	struct hb__carried *k = c->own = hb__scratch(c->lane, sizeof *k);
	if (!k) {
		hb__say("out of memory for the information that a message has to carry; the receiver will not understand it");
		return hb__invoke_next(c);
	}
	hb__carry_begin(c, probe, k);
	int code = hb__invoke_next(c);
	hb__carry_invoked(c, k);
	return code;
}

static void posted(struct hb__call *c, struct hb__request *r, int code)
{
	if (c->own)
		hb__carry_posted(c, c->own, r, code);
	else if (c->fn->flags & HB_START)
		hb__carry_started(r);
}

static int call(struct hb__call *c)
{
	uint32_t number = hb__race_enter(c);
	int code = hb__invoke_next(c);
	if (number)
		hb__race_left(c->lane, number, code);
	return code;
}

static int free_request(struct hb__call *c, struct hb__request *r, MPI_Request *req)
{
	return r && hb__carry_adopt(r, req) ? MPI_SUCCESS : hb__invoke_next(c);
}

static void over(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error)
{
	(void)at;
	hb__carry_completed(c, r, st, error);
}

static void looked(struct hb__call *c, struct hb__request *r, uintptr_t handle, MPI_Status *st, int error)
{
	(void)c;
	(void)handle;
	hb__carry_look(r, st, error);
}

static void freed(struct hb__call *c, struct hb__request *r, const MPI_Request *at)
{
	(void)at;
	hb__carry_freed(c, r);
}

static void finalizing(struct hb__call *c)
{
	hb__race_finish(c);
	hb__carry_end_process();
}

void hb__carry_register(void)
{
	static const struct hb__way way = {.call = call,
		.send = hb__short_send,
		.post = post,
		.recv = hb__short_recv,
		.mrecv = hb__carry_message,
		.free = free_request,
		.attach = hb__carry_attach,
		.detach = hb__carry_detach};
	static const struct hb__observer observer = {.posted = posted,
		.starting = hb__carry_start,
		.over = over,
		.looked = looked,
		.freed = freed,
		.probed = hb__carry_probed,
		.matched = hb__carry_matched,
		.finalizing = finalizing};
	hb__way = &way;
	hb__observe(&observer);
}
