/* The ways of a run whose contents are kept: the library does everything, and what it brought is written down before the row of the
 * call. */
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/observe/observe.h"

static bool arrived(int code)
{
	return code == MPI_SUCCESS || hb__error_class(code) == 15 /* truncated: as much as there was room for */;
}

static void message(struct hb__call *c, MPI_Status *st, int code)
{
	bool null = hb__has(c, HB_R_SOURCE) && (int)hb__arg(c, HB_R_SOURCE) == MPI_PROC_NULL;
	if (!null && arrived(code))
		hb__io_message(c, st);
}

static int recv(struct hb__call *c, MPI_Status *st)
{
	int code = hb__invoke_next(c);
	message(c, st, code);
	return code;
}

static int mrecv(struct hb__call *c, const struct hb__request *probe, MPI_Status *st)
{
	(void)probe;
	return recv(c, st);
}

static int probe(struct hb__call *c, MPI_Status *st)
{
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS)
		hb__io_probed(c, st);
	return code;
}

static int iprobe(struct hb__call *c, MPI_Status *st, int *flag)
{
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS && *flag)
		hb__io_probed(c, st);
	return code;
}

/* ---- completion ---- */

static int wait(struct hb__call *c, MPI_Request *req, MPI_Status *st)
{
	uintptr_t was = (uintptr_t)*req;
	int code = hb__invoke_next(c);
	hb__io_completion(c, &(struct hb__completion){.n = 1, .was = &was, .at = req, .st = st, .code = code});
	return code;
}

static int test(struct hb__call *c, MPI_Request *req, MPI_Status *st, int *flag)
{
	uintptr_t was = (uintptr_t)*req;
	int code = hb__invoke_next(c);
	if (code != MPI_SUCCESS || *flag)
		hb__io_completion(c, &(struct hb__completion){.n = 1, .was = &was, .at = req, .st = st, .code = code});
	return code;
}

static int get_status(struct hb__call *c, MPI_Status *st, int *flag)
{
	uintptr_t was = c->a[0];
	int code = hb__invoke_next(c);
	if (code != MPI_SUCCESS || *flag)
		hb__io_completion(c, &(struct hb__completion){.n = 1, .was = &was, .st = st, .code = code});
	return code;
}

/* The handles before they are overwritten; NULL: memory is gone, and nothing is kept of this call. */
static uintptr_t *before(struct hb__call *c, int n, const MPI_Request *reqs)
{
	uintptr_t *was = hb__scratch(c->lane, ((size_t)n + 1) * sizeof *was);
	for (int i = 0; was && i < n; i++)
		was[i] = (uintptr_t)reqs[i];
	return was;
}

static int waitall(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st)
{
	const uintptr_t *was = before(c, n, reqs);
	int code = hb__invoke_next(c);
	if (was && (code == MPI_SUCCESS || hb__error_class(code) == HB_ERR_IN_STATUS))
		hb__io_completion(c, &(struct hb__completion){.n = n, .was = was, .at = reqs, .st = st, .code = code});
	return code;
}

static int testall(struct hb__call *c, int n, MPI_Request *reqs, MPI_Status *st, int *flag)
{
	const uintptr_t *was = before(c, n, reqs);
	int code = hb__invoke_next(c);
	if (was && ((code == MPI_SUCCESS && *flag) || hb__error_class(code) == HB_ERR_IN_STATUS))
		hb__io_completion(c, &(struct hb__completion){.n = n, .was = was, .at = reqs, .st = st, .code = code});
	return code;
}

static int n_of(const struct hb__call *c) { return (int)hb__arg(c, HB_R_NREQ); }
static MPI_Request *requests_of(const struct hb__call *c) { return (MPI_Request *)hb__arg(c, HB_R_REQS); }

static int waitany(struct hb__call *c, int *index, MPI_Status *st)
{
	int n = n_of(c);
	const uintptr_t *was = before(c, n, requests_of(c));
	int code = hb__invoke_next(c);
	if (was && (code == MPI_SUCCESS || hb__error_class(code) != HB_ERR_REQUEST))
		hb__io_completion(
			c, &(struct hb__completion){
				   .n = n, .was = was, .at = requests_of(c), .st = st, .index = index, .code = code});
	return code;
}

static int testany(struct hb__call *c, int *index, MPI_Status *st, int *flag)
{
	int n = n_of(c);
	const uintptr_t *was = before(c, n, requests_of(c));
	int code = hb__invoke_next(c);
	if (was && (code != MPI_SUCCESS || *flag))
		hb__io_completion(
			c, &(struct hb__completion){
				   .n = n, .was = was, .at = requests_of(c), .st = st, .index = index, .code = code});
	return code;
}

static int some(struct hb__call *c, int *out, int *indices, MPI_Status *st, bool waits)
{
	int n = n_of(c);
	const uintptr_t *was = before(c, n, requests_of(c));
	int code = hb__invoke_next(c);
	if (was && (code != MPI_SUCCESS || waits || *out))
		hb__io_completion(c, &(struct hb__completion){.n = n,
					     .was = was,
					     .at = requests_of(c),
					     .st = st,
					     .out = out,
					     .indices = indices,
					     .code = code});
	return code;
}

static int waitsome(struct hb__call *c, int *out, int *indices, MPI_Status *st)
{
	return some(c, out, indices, st, true);
}
static int testsome(struct hb__call *c, int *out, int *indices, MPI_Status *st)
{
	return some(c, out, indices, st, false);
}

/* How much was read is known from the status: where the program wants none, there is one all the same. */
static void need_status(struct hb__call *c, MPI_Status *own)
{
	if (c->fn->cls == HB_IO && hb__has(c, HB_R_STATUS) &&
		(MPI_Status *)hb__arg(c, HB_R_STATUS) == MPI_STATUS_IGNORE)
		c->a[hb__role(c, HB_R_STATUS)] = (uintptr_t)own;
}

static int call(struct hb__call *c)
{
	struct hb__io io;
	MPI_Status own;
	bool ends = c->fn->means->does == HB_DOES_WINDOW_FREE;
	uintptr_t win = ends ? (uintptr_t) * (MPI_Win *)hb__arg(c, HB_R_WINPTR) : 0;
	need_status(c, &own);
	int code = hb__invoke_next(c);
	if (code != MPI_SUCCESS)
		return code;
	if (ends)
		hb__window_gone(win);
	else if (hb__has(c, HB_R_WINPTR))
		hb__io_new_window(&io, c);
	else
		hb__io_outcome(&io, c);
	if (c->fn->cls == HB_COLLECTIVE)
		hb__io_shared(c);
	return code;
}

static int move(struct hb__call *c)
{
	struct hb__io io;
	MPI_Status own;
	need_status(c, &own);
	int code = hb__invoke_next(c);
	hb__io_move(&io, c, &code);
	return code;
}

static int poll(struct hb__call *c, int *flag)
{
	struct hb__io io;
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS && *flag && hb__has(c, HB_R_WIN))
		hb__io_outcome(&io, c);
	else if (code == MPI_SUCCESS && *flag)
		hb__io_arrived(c);
	return code;
}

void hb__keep_begin_process(void)
{
	static const struct hb__way way = {.call = call,
		.move = move,
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
		.testsome = testsome};
	hb__io_start_requests();
	hb__typemaps_wanted = true; /* contents of derived datatypes are shown as what they consist of */
	hb__way = &way;
}
