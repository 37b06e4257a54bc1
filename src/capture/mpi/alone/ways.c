/* The way of each call when there are no other processes. */
#include <string.h>

#include "capture/core/control/control.h"
#include "capture/mpi/alone/alone.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/replay/replay.h"

/* A call that the record does not have is let through only where the user asked for it: it does nothing. */
static bool answered(const struct hb__call *c, int *ret_code)
{
	int64_t class = c->followed ? hb__expected(c)->code : c->deferred ? c->deferred_code : 0;
	*ret_code = hb__error_code(class);
	return c->followed || c->deferred;
}

/* The program's error handler runs as the library ran it. */
static void handle_error(struct hb__call *c, int code)
{
	/* No file is open: errors return unless the program has said otherwise of MPI_FILE_NULL, whose handler Open MPI calls for nobody. */
	if (c->fn->cls == HB_IO && !hb__has(c, HB_R_FILE))
		return;
	if (hb__has(c, HB_R_WIN))
		PMPI(Win_call_errhandler)((MPI_Win)hb__arg(c, HB_R_WIN), code);
	else if (hb__has(c, HB_R_FILE))
		PMPI(File_call_errhandler)((MPI_File)hb__arg(c, HB_R_FILE), code);
	else
		PMPI(Comm_call_errhandler)
	(hb__has(c, HB_R_COMM) && hb__comm_find(hb__arg(c, HB_R_COMM)) ? (MPI_Comm)hb__arg(c, HB_R_COMM)
								       : hb__known.comm_world,
		code);
}

/* A handler that calls MPI itself, whose rows stand before that of the call, has run when this one began. */
static int done(struct hb__call *c, int code)
{
	if (unlikely(code != MPI_SUCCESS && !c->own))
		handle_error(c, code);
	return code;
}

static void begin(struct hb__call *c)
{
	hb__replay_follow(c);
	const struct hb__follow *f = c->lane->follow;
	if (unlikely(f && f->over) && hb__config.backwards && !hb__calls_back(c->lane))
		hb__stand_at_end(c->lane);
	if (likely(!c->deferred) || !c->deferred_code)
		return;
	handle_error(c, hb__error_code(c->deferred_code));
	c->own = c;
	c->deferred = false;
	hb__replay_follow(c);
}

void hb__alone_empty(MPI_Status *st)
{
	int error = st->MPI_ERROR; /* only calls that answer with several statuses set it */
	memset(st, 0, sizeof *st);
	st->MPI_SOURCE = MPI_ANY_SOURCE;
	st->MPI_TAG = MPI_ANY_TAG;
	st->MPI_ERROR = error;
}

static void of_nobody(MPI_Status *st)
{
	hb__alone_empty(st);
	st->MPI_SOURCE = MPI_PROC_NULL;
}

/* ---- messages ---- */

static int send(struct hb__call *c)
{
	int code;
	answered(c, &code);
	return done(c, code);
}

static int post(struct hb__call *c, const struct hb__request *probe)
{
	int code;
	answered(c, &code);
	if (code == MPI_SUCCESS)
		*(MPI_Request *)hb__arg(c, HB_R_NEWREQ) = hb__alone_request();
	if (code == MPI_SUCCESS && probe)
		hb__alone_message_over((MPI_Message)probe->handle);
	if (code == MPI_SUCCESS && hb__has(c, HB_R_MESSAGE)) /* without a probe: of MPI_PROC_NULL */
		*(MPI_Message *)hb__arg(c, HB_R_MESSAGE) = hb__known.message_null;
	return done(c, code);
}

static int recv(struct hb__call *c, MPI_Status *st)
{
	int code;
	bool null = hb__has(c, HB_R_SOURCE) && (int)hb__arg(c, HB_R_SOURCE) == MPI_PROC_NULL;
	if (null)
		of_nobody(st);
	if (!answered(c, &code) || null || (code != MPI_SUCCESS && hb__error_class(code) != 15))
		return done(c, code);
	if (!hb__io_message(c, st))
		hb__alone_without(c);
	return done(c, code);
}

static int mrecv(struct hb__call *c, const struct hb__request *probe, MPI_Status *st)
{
	MPI_Message *message = (MPI_Message *)hb__arg(c, HB_R_MESSAGE);
	int code = MPI_SUCCESS;
	if (!probe) { /* of MPI_PROC_NULL */
		of_nobody(st);
		answered(c, &code);
	} else {
		code = recv(c, st);
		hb__alone_message_over((MPI_Message)probe->handle);
	}
	*message = hb__known.message_null;
	return code;
}

static int found(struct hb__call *c, MPI_Status *st)
{
	int code;
	bool nobody = (int)hb__arg(c, HB_R_SOURCE) == MPI_PROC_NULL;
	if (!answered(c, &code) || code != MPI_SUCCESS)
		return done(c, code);
	if (!hb__io_probed(c, st))
		hb__alone_without(c);
	if (hb__has(c, HB_R_NEWMSG))
		*(MPI_Message *)hb__arg(c, HB_R_NEWMSG) = nobody ? hb__known.message_no_proc : hb__alone_message();
	return code;
}

static int probe(struct hb__call *c, MPI_Status *st) { return found(c, st); }

/* Of a poll: whether it says yes. Past the end of the record nobody is there who could answer. */
static bool yes(struct hb__call *c)
{
	enum hb__answer answer = hb__replay_answer(c);
	if (answer == HB__FREE && !hb__job_ends())
		hb__stand_at_end(c->lane);
	return answer == HB__YES;
}

static int iprobe(struct hb__call *c, MPI_Status *st, int *flag)
{
	*flag = yes(c);
	if (*flag)
		return found(c, st);
	if (hb__has(c, HB_R_NEWMSG))
		*(MPI_Message *)hb__arg(c, HB_R_NEWMSG) = hb__known.message_null;
	return MPI_SUCCESS;
}

static int poll(struct hb__call *c, int *flag)
{
	int code = MPI_SUCCESS;
	struct hb__io io;
	*flag = yes(c);
	bool window = hb__has(c, HB_R_WIN);
	if (*flag && answered(c, &code) && code == MPI_SUCCESS &&
		!(window ? hb__io_outcome(&io, c) : hb__io_arrived(c)))
		hb__alone_without(c);
	return done(c, code);
}

/* ---- completion ---- */

/* What is empty in the status of no request differs from library to library, so that this one is asked. */
static bool none(uintptr_t handle) { return (MPI_Request)handle == hb__known.request_null; }

/* The program's own generalised requests are the library's: they are complete, or another thread will say so. */
static bool native(uintptr_t handle) { return !none(handle) && !hb__alone_is_ours((MPI_Request)handle); }

/* The request in a variable is over. */
static void end_request(uintptr_t was, MPI_Request *req, MPI_Status *st)
{
	if (native(was)) {
		PMPI(Wait)(req, st);
		return;
	}
	const struct hb__request *r = none(was) ? NULL : hb__request_find(was);
	if (r && r->active && r->receive && r->source == HB_PROC_NULL)
		of_nobody(st);
	if (!r || r->persistent || !r->active)
		return;
	*req = hb__known.request_null;
	hb__alone_request_over((MPI_Request)was);
}

static bool without(struct hb__call *c, struct hb__completion *k)
{
	if (hb__io_completion(c, k))
		return false;
	hb__alone_without(c);
	return true;
}

static int complete_one(struct hb__call *c, MPI_Request *req, MPI_Status *st)
{
	uintptr_t was = (uintptr_t)*req;
	struct hb__completion k = {.n = 1, .was = &was, .st = st};
	hb__alone_empty(st);
	if (!answered(c, &k.code) || without(c, &k))
		return k.code;
	if (none(was))
		PMPI(Wait)(req, st);
	else
		end_request(was, req, st);
	return done(c, k.code);
}

static int wait(struct hb__call *c, MPI_Request *req, MPI_Status *st) { return complete_one(c, req, st); }

static int test(struct hb__call *c, MPI_Request *req, MPI_Status *st, int *flag)
{
	*flag = yes(c);
	return *flag ? complete_one(c, req, st) : MPI_SUCCESS;
}

static int get_status(struct hb__call *c, MPI_Status *st, int *flag)
{
	uintptr_t was = c->a[0];
	struct hb__completion k = {.n = 1, .was = &was, .st = st};
	*flag = yes(c);
	if (!*flag)
		return MPI_SUCCESS;
	if (native(was) || none(was))
		return hb__invoke_next(c);
	hb__alone_empty(st);
	if (answered(c, &k.code))
		without(c, &k);
	return done(c, k.code);
}

static uintptr_t *before(struct hb__call *c, int n, const MPI_Request *reqs)
{
	uintptr_t *was = hb__scratch(c->lane, ((size_t)n + 1) * sizeof *was);
	for (int i = 0; was && i < n; i++)
		was[i] = (uintptr_t)reqs[i];
	return was;
}

static int complete_all(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st)
{
	struct hb__completion k = {.n = n, .was = before(c, n, reqs), .st = st};
	bool has = answered(c, &k.code);
	for (int i = 0; i < n; i++)
		hb__alone_empty(&st[i]);
	bool each = k.code != MPI_SUCCESS && hb__error_class(k.code) == HB_ERR_IN_STATUS;
	if (!has || !k.was || (k.code != MPI_SUCCESS && !each) || without(c, &k))
		return done(c, k.code);
	for (int i = 0; i < n; i++)
		if (!each || st[i].MPI_ERROR != MPI_ERR_PENDING)
			end_request(k.was[i], &reqs[i], &st[i]);
	return done(c, k.code);
}

static int waitall(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st)
{
	return complete_all(c, n, reqs, st);
}

static int testall(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st, int *flag)
{
	*flag = yes(c);
	return *flag ? complete_all(c, n, reqs, st) : MPI_SUCCESS;
}

static int complete_any(struct hb__call *c, int *index, MPI_Status *st)
{
	int n = (int)hb__arg(c, HB_R_NREQ);
	MPI_Request *reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	struct hb__completion k = {.n = n, .was = before(c, n, reqs), .st = st, .index = index};
	hb__alone_empty(st);
	*index = MPI_UNDEFINED;
	if (!answered(c, &k.code) || !k.was || (k.code != MPI_SUCCESS && hb__error_class(k.code) == HB_ERR_REQUEST) ||
		without(c, &k))
		return done(c, k.code);
	if (*index >= 0 && *index < n)
		end_request(k.was[*index], &reqs[*index], st);
	return done(c, k.code);
}

static int waitany(struct hb__call *c, int *index, MPI_Status *st) { return complete_any(c, index, st); }

static int testany(struct hb__call *c, int *index, MPI_Status *st, int *flag)
{
	*flag = yes(c);
	*index = MPI_UNDEFINED;
	return *flag ? complete_any(c, index, st) : MPI_SUCCESS;
}

static int complete_some(struct hb__call *c, int *out, int *indices, MPI_Status *st)
{
	int n = (int)hb__arg(c, HB_R_NREQ);
	MPI_Request *reqs = (MPI_Request *)hb__arg(c, HB_R_REQS);
	struct hb__completion k = {.n = n, .was = before(c, n, reqs), .st = st, .out = out, .indices = indices};
	for (int i = 0; i < n; i++)
		hb__alone_empty(&st[i]);
	*out = MPI_UNDEFINED;
	if (!answered(c, &k.code) || !k.was || without(c, &k))
		return done(c, k.code);
	for (int i = 0; *out != MPI_UNDEFINED && i < *out && i < n; i++)
		if (indices[i] >= 0 && indices[i] < n)
			end_request(k.was[indices[i]], &reqs[indices[i]], &st[i]);
	return done(c, k.code);
}

static int waitsome(struct hb__call *c, int *out, int *indices, MPI_Status *st)
{
	return complete_some(c, out, indices, st);
}

static int testsome(struct hb__call *c, int *out, int *indices, MPI_Status *st)
{
	*out = 0;
	return yes(c) ? complete_some(c, out, indices, st) : MPI_SUCCESS;
}

/* ---- the life of requests ---- */

static int start(struct hb__call *c, MPI_Request *req)
{
	(void)req;
	return send(c);
}

static int startall(struct hb__call *c, int n, MPI_Request *reqs)
{
	(void)n;
	(void)reqs;
	return send(c);
}

static int cancelled(struct hb__call *c)
{
	MPI_Request *req = (MPI_Request *)hb__arg(c, HB_R_REQUEST);
	return native((uintptr_t)*req) ? hb__invoke_next(c) : send(c);
}

static int freed(struct hb__call *c, struct hb__request *r, MPI_Request *req)
{
	int code;
	if (native((uintptr_t)*req))
		return hb__invoke_next(c);
	if (answered(c, &code) && code == MPI_SUCCESS && r) {
		hb__alone_request_over(*req);
		*req = hb__known.request_null;
	}
	return done(c, code);
}

/* ---- the rest ---- */

/* Windows and files that come and go are real ones, of this process alone. */
static int make(struct hb__call *c)
{
	struct hb__io io;
	bool own = c->fn->means->flavor == HB_FLAVOR_ALLOCATE;
	int code = hb__has(c, HB_R_FILEPTR) ? hb__alone_file(c) : own ? hb__invoke_next(c) : hb__alone_window(c);
	if (code == MPI_SUCCESS && hb__has(c, HB_R_WINPTR) && !hb__io_new_window(&io, c))
		hb__alone_without(c);
	return code;
}

static int end(struct hb__call *c)
{
	uintptr_t win = hb__has(c, HB_R_WINPTR) ? (uintptr_t) * (MPI_Win *)hb__arg(c, HB_R_WINPTR) : 0;
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS && hb__has(c, HB_R_WINPTR))
		hb__window_gone(win);
	return code;
}

/* A copy of a communicator fails where a function of the program that copies an attribute does: it runs again, and the library says what
 * becomes of the handle. */
static int failed_copy(struct hb__call *c, int code)
{
	MPI_Comm *made = (MPI_Comm *)hb__arg(c, HB_R_NEWCOMM);
	if (hb__alone_comm(c) != MPI_SUCCESS)
		return code; /* its error handler ran, too */
	if (made && *made != hb__known.comm_null)
		PMPI(Comm_free)(made);
	return done(c, code);
}

static int call(struct hb__call *c)
{
	struct hb__io io;
	int code;
	if (c->fn->means->alone == HB_ALONE_LIBRARY && c->fn->cls != HB_COMM)
		return hb__invoke_next(c);
	bool known = answered(c, &code);
	if (known && code != MPI_SUCCESS && c->fn->cls == HB_COMM && c->fn->means->alone == HB_ALONE_LIBRARY &&
		!(c->fn->flags & HB_NONBLOCKING) && !c->own)
		return failed_copy(c, code);
	if (!known || code != MPI_SUCCESS)
		return done(c, code);
	if (c->fn->cls == HB_COMM)
		return hb__alone_comm(c);
	if (hb__has(c, HB_R_WINPTR) || hb__has(c, HB_R_FILEPTR))
		return c->fn->means->frees ? end(c) : make(c);
	if (hb__has(c, HB_R_NEWREQ))
		*(MPI_Request *)hb__arg(c, HB_R_NEWREQ) = hb__alone_request();
	else if (!hb__io_outcome(&io, c))
		hb__alone_without(c);
	if (c->fn->cls == HB_COLLECTIVE)
		hb__io_shared(c);
	return code;
}

/* Of windows and files, and no event. What is put elsewhere goes nowhere. */
static int move(struct hb__call *c)
{
	struct hb__io io;
	int code = MPI_SUCCESS;
	if (!hb__io_move(&io, c, &code))
		hb__alone_without(c);
	return done(c, code);
}

void hb__alone_begin_process(void)
{
	static const struct hb__way way = {.begin = begin,
		.passes = hb__compare_passed,
		.call = call,
		.move = move,
		.send = send,
		.post = post,
		.recv = recv,
		.mrecv = mrecv,
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
		.start = start,
		.startall = startall,
		.cancel = cancelled,
		.free = freed};
	hb__replay_observe();
	hb__io_start_requests();
	hb__way = &way;
	hb__alone_start_quick();
}
