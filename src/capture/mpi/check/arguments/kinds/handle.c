/* Handles that are null or no handles at all. Those that were freed are told by ../handles.c. */
#include "capture/mpi/check/arguments/look.h"

static const enum hb_what whats[HB_HANDLES] = {[HB_HANDLE_COMM] = HB_WHAT_COMM,
	[HB_HANDLE_DATATYPE] = HB_WHAT_DATATYPE,
	[HB_HANDLE_OP] = HB_WHAT_OP,
	[HB_HANDLE_GROUP] = HB_WHAT_GROUP,
	[HB_HANDLE_WIN] = HB_WHAT_WIN,
	[HB_HANDLE_FILE] = HB_WHAT_FILE,
	[HB_HANDLE_INFO] = HB_WHAT_INFO,
	[HB_HANDLE_ERRHANDLER] = HB_WHAT_ERRHANDLER,
	[HB_HANDLE_REQUEST] = HB_WHAT_REQUEST,
	[HB_HANDLE_MESSAGE] = HB_WHAT_MESSAGE};
static const char *const nouns[HB_HANDLES] = {[HB_HANDLE_COMM] = "communicator",
	[HB_HANDLE_DATATYPE] = "datatype",
	[HB_HANDLE_OP] = "operation",
	[HB_HANDLE_GROUP] = "group",
	[HB_HANDLE_WIN] = "window",
	[HB_HANDLE_FILE] = "file",
	[HB_HANDLE_INFO] = "info object",
	[HB_HANDLE_ERRHANDLER] = "error handler",
	[HB_HANDLE_REQUEST] = "request",
	[HB_HANDLE_MESSAGE] = "message"};
static const char *const null_names[HB_HANDLES] = {[HB_HANDLE_COMM] = "MPI_COMM_NULL",
	[HB_HANDLE_DATATYPE] = "MPI_DATATYPE_NULL",
	[HB_HANDLE_OP] = "MPI_OP_NULL",
	[HB_HANDLE_GROUP] = "MPI_GROUP_NULL",
	[HB_HANDLE_WIN] = "MPI_WIN_NULL",
	[HB_HANDLE_FILE] = "MPI_FILE_NULL",
	[HB_HANDLE_INFO] = "MPI_INFO_NULL",
	[HB_HANDLE_ERRHANDLER] = "MPI_ERRHANDLER_NULL",
	[HB_HANDLE_REQUEST] = "MPI_REQUEST_NULL",
	[HB_HANDLE_MESSAGE] = "MPI_MESSAGE_NULL"};

static uintptr_t null_of(enum hb__handle what)
{
	switch (what) {
	case HB_HANDLE_COMM:
		return (uintptr_t)hb__known.comm_null;
	case HB_HANDLE_DATATYPE:
		return (uintptr_t)hb__known.type_null;
	case HB_HANDLE_OP:
		return (uintptr_t)hb__known.op_null;
	case HB_HANDLE_GROUP:
		return (uintptr_t)hb__known.group_null;
	case HB_HANDLE_WIN:
		return (uintptr_t)hb__known.win_null;
	case HB_HANDLE_FILE:
		return (uintptr_t)hb__known.file_null;
	case HB_HANDLE_INFO:
		return (uintptr_t)hb__known.info_null;
	case HB_HANDLE_ERRHANDLER:
		return (uintptr_t)hb__known.errhandler_null;
	case HB_HANDLE_REQUEST:
		return (uintptr_t)hb__known.request_null;
	default:
		return (uintptr_t)hb__known.message_null;
	}
}

/* What the tables know to live. */
static bool lives(enum hb__handle what, uintptr_t handle)
{
	switch (what) {
	case HB_HANDLE_COMM:
		return hb__comm_find(handle) != NULL;
	case HB_HANDLE_DATATYPE:
		return hb__type_look(handle)->number != HB_NONE;
	case HB_HANDLE_REQUEST:
		return hb__request_find(handle) != NULL;
	default:
		return false;
	}
}

/* Its end is known: handles/ tells of its use. */
static bool ended(enum hb__handle what, uintptr_t handle)
{
	static const enum hb__what kinds[HB_HANDLES] = {[HB_HANDLE_COMM] = HB__H_COMM,
		[HB_HANDLE_DATATYPE] = HB__H_DATATYPE,
		[HB_HANDLE_OP] = HB__H_OP,
		[HB_HANDLE_GROUP] = HB__H_GROUP,
		[HB_HANDLE_WIN] = HB__H_WIN,
		[HB_HANDLE_FILE] = HB__H_FILE,
		[HB_HANDLE_INFO] = HB__H_INFO,
		[HB_HANDLE_ERRHANDLER] = HB__H_ERRHANDLER,
		[HB_HANDLE_REQUEST] = HB__H_REQUEST,
		[HB_HANDLE_MESSAGE] = HB__H_MESSAGE};
	return hb__handle_ended(kinds[what], handle);
}

/* A pointer fits its register exactly; an integer handle of 32 bits may have come widened with its sign. */
static uintptr_t plain(uintptr_t handle) { return sizeof(MPI_Comm) == 4 ? (uint32_t)handle : handle; }

static void fault(struct hb__look *l, unsigned i, int place, enum hb__handle what, const char *value, const char *text)
{
	l->lost |= what == HB_HANDLE_COMM || what == HB_HANDLE_WIN || what == HB_HANDLE_FILE;
	l->faulty = true;
	if (hb__fault_enough(l->c, HB_REMARK_ARG_HANDLE, i))
		return;
	char arg[80];
	hb__remark(l->c, ARG_HANDLE, .arg = hb__argument(l, i, place, arg, sizeof arg), .value = value, .comm = -1,
		.what = whats[what], .text = text);
}

void hb__look_handle(struct hb__look *l, unsigned i, int place, enum hb__handle what, uintptr_t handle)
{
	char value[32], text[80];
	if (lives(what, handle))
		return;
	bool word = sizeof(MPI_Comm) == 4 && what != HB_HANDLE_FILE;
	if ((word ? plain(handle) == plain(null_of(what)) : handle == null_of(what))) {
		snprintf(text, sizeof text, "it needs a %s", nouns[what]);
		if (strchr("aeiou", nouns[what][0]))
			snprintf(text, sizeof text, "it needs an %s", nouns[what]);
		fault(l, i, place, what, null_names[what], text);
	} else if (!ended(what, handle) && !hb__handle_plausible(what, handle)) {
		snprintf(value, sizeof value, "0x%llx", (unsigned long long)(word ? plain(handle) : handle));
		snprintf(text, sizeof text, "that is no %s", nouns[what]);
		fault(l, i, place, what, value, text);
	}
}

/* ---- what may be null ---- */

/* MPI_NO_OP reads nothing of the origin: its buffer, count and datatype do not count (MPI 4.0, 12.3.4). */
static bool of_no_origin(const struct hb__look *l, unsigned i)
{
	int op = l->fn->means->does == HB_DOES_GET_ACCUMULATE ? hb__find_kind(l, HB_P_OP) : -1;
	return op >= 0 && hb__named(l, i, "origin_datatype") && hb__op_look(l->c->a[op]) == HB__NO_OP;
}

/* It gets, sets or calls an error handler. */
static bool of_errhandler(const struct hb__look *l)
{
	return l->fn->means->does == HB_DOES_CALL_HANDLER || hb__find_kind(l, HB_P_ERRH) >= 0 ||
	       hb__find_kind(l, HB_P_ERRHPTR) >= 0;
}

static bool null_allowed(const struct hb__look *l, unsigned i, enum hb__handle what, uintptr_t handle)
{
	if (handle != null_of(what))
		return false;
	switch (what) {
	case HB_HANDLE_INFO: /* everywhere but where the info itself is worked on */
		return hb__kind(l, i) != HB_P_KEYS;
	case HB_HANDLE_ERRHANDLER: /* of what a new communicator gets */
		return l->fn->cls == HB_COMM;
	case HB_HANDLE_FILE: /* stands for the default error handler of files */
		return of_errhandler(l);
	case HB_HANDLE_COMM:
	case HB_HANDLE_WIN:
	case HB_HANDLE_DATATYPE: /* predefined handles have names, null ones too */
		return l->fn->means->does == HB_DOES_GET_NAME;
	default:
		return false;
	}
}

static void one(struct hb__look *l, unsigned i, enum hb__handle what, uintptr_t handle)
{
	if (hb__significant(l->c, i, l->comm) && !null_allowed(l, i, what, handle) &&
		!(what == HB_HANDLE_DATATYPE && of_no_origin(l, i)))
		hb__look_handle(l, i, -1, what, handle);
}

/* Handles that are freed, committed or closed: behind a pointer. */
static void behind(struct hb__look *l, unsigned i, enum hb__handle what)
{
	uintptr_t at = l->c->a[i];
	if (!at || !(l->fn->means->frees || l->fn->flags & HB_MATCHED || hb__kind(l, i) == HB_P_TYPEPTR))
		return;
	bool word = sizeof(MPI_Comm) == 4 && what != HB_HANDLE_FILE;
	hb__look_handle(l, i, -1, what, word ? (uintptr_t) * (const int *)at : *(const uintptr_t *)at);
}

static void array(struct hb__look *l, unsigned i)
{
	const MPI_Datatype *types = (const MPI_Datatype *)l->c->a[i];
	int count = hb__find_param(l, "count"), counts = (int)i - 2; /* sendcounts, sdispls, sendtypes */
	bool collective = l->fn->cls == HB_COLLECTIVE;
	int64_t n = collective ? hb__length(l, i) : count >= 0 ? hb__value(l, (unsigned)count) : 0;
	if (!types || !hb__significant(l->c, i, l->comm))
		return;
	for (int64_t k = 0; k < n; k++) {
		if (collective && (!l->c->a[counts] || hb__element(l, (unsigned)counts, k) == 0))
			continue;
		hb__look_handle(l, i, (int)k, HB_HANDLE_DATATYPE, (uintptr_t)types[k]);
	}
}

/* The communicator comes first: what else is significant rests on it. */
static void communicator(struct hb__look *l)
{
	if (!hb__has(l->c, HB_R_COMM))
		return;
	unsigned i = (unsigned)hb__role(l->c, HB_R_COMM);
	one(l, i, HB_HANDLE_COMM, l->c->a[i]);
	if (!l->lost)
		l->comm = hb__comm_find(l->c->a[i]);
}

/* The communicator first: ranks, roots and lengths of the other arguments are judged by it. */
void hb__look_handles(struct hb__look *l)
{
	static const int8_t by_kind[HB_P_KINDS] = {[HB_P_COMM] = 1 + HB_HANDLE_COMM,
		[HB_P_DTYPE] = 1 + HB_HANDLE_DATATYPE,
		[HB_P_OP] = 1 + HB_HANDLE_OP,
		[HB_P_GROUP] = 1 + HB_HANDLE_GROUP,
		[HB_P_WIN] = 1 + HB_HANDLE_WIN,
		[HB_P_FILE] = 1 + HB_HANDLE_FILE,
		[HB_P_INFO] = 1 + HB_HANDLE_INFO,
		[HB_P_KEYS] = 1 + HB_HANDLE_INFO,
		[HB_P_ERRH] = 1 + HB_HANDLE_ERRHANDLER,
		[HB_P_REQVAL] = 1 + HB_HANDLE_REQUEST};
	static const int8_t by_pointer[HB_P_KINDS] = {[HB_P_COMMPTR] = 1 + HB_HANDLE_COMM,
		[HB_P_TYPEPTR] = 1 + HB_HANDLE_DATATYPE,
		[HB_P_OPPTR] = 1 + HB_HANDLE_OP,
		[HB_P_GROUPPTR] = 1 + HB_HANDLE_GROUP,
		[HB_P_WINPTR] = 1 + HB_HANDLE_WIN,
		[HB_P_FILEPTR] = 1 + HB_HANDLE_FILE,
		[HB_P_INFOPTR] = 1 + HB_HANDLE_INFO,
		[HB_P_ERRHPTR] = 1 + HB_HANDLE_ERRHANDLER,
		[HB_P_MESSAGE] = 1 + HB_HANDLE_MESSAGE};
	communicator(l);
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		unsigned kind = hb__kind(l, i);
		if (by_kind[kind] && (int)i != hb__role(l->c, HB_R_COMM))
			one(l, i, (enum hb__handle)(by_kind[kind] - 1), l->c->a[i]);
		else if (by_pointer[kind])
			behind(l, i, (enum hb__handle)(by_pointer[kind] - 1));
		else if (kind == HB_P_DTYPES)
			array(l, i);
	}
}

/* ---- requests ---- */

/* Waited for, tested: may be null. Started, cancelled, freed: may not. */
static void request(struct hb__look *l, unsigned i, int place, uintptr_t handle)
{
	bool completes = l->fn->cls == HB_COMPLETE && l->fn->means->does != HB_DOES_FREE_REQUEST;
	if (completes && handle == (uintptr_t)hb__known.request_null)
		return;
	hb__look_handle(l, i, place, HB_HANDLE_REQUEST, handle);
}

void hb__look_requests(struct hb__look *l)
{
	int64_t n = 1;
	hb__look_pointers(l);
	if (hb__has(l->c, HB_R_NREQ)) {
		n = (int)hb__arg(l->c, HB_R_NREQ);
		if (n < 0)
			hb__fault_number(l, HB_REMARK_ARG_COUNT, (unsigned)hb__role(l->c, HB_R_NREQ), -1, n,
				"a number of requests cannot be negative");
	}
	for (unsigned i = 0; i < l->fn->nargs; i++) {
		unsigned kind = hb__kind(l, i);
		if (kind == HB_P_REQVAL)
			request(l, i, -1, l->c->a[i]);
		if (!l->c->a[i] || (kind != HB_P_REQUEST && kind != HB_P_REQS))
			continue;
		const MPI_Request *at = (const MPI_Request *)l->c->a[i];
		for (int64_t k = 0; k < n; k++)
			request(l, i, kind == HB_P_REQS ? (int)k : -1, (uintptr_t)at[k]);
	}
}
