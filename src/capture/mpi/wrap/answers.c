/* Level data: answers of calls that are no events, as `answers` in the table of calls names them. */
#include <string.h>

#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/wrap/step.h"

/* A group is its processes. */
static void group(struct hb__io *io, struct hb__call *c, uint32_t what, MPI_Group *made)
{
	int64_t n = 0;
	const int64_t *rank = NULL;
	if (!io->gives)
		rank = hb__group_members((uintptr_t)*made, c->lane, &n);
	hb__io_number(io, what, &n);
	int64_t *ranks = io->gives ? hb__scratch(c->lane, ((size_t)n + 1) * sizeof *ranks) : (int64_t *)rank;
	if (!ranks)
		n = 0;
	hb__io_numbers(io, what, ranks, (int)n);
	if (io->gives)
		*made = hb__group_stand_in(ranks, n);
}

/* How long a text may be that this library hands out, with the zero behind it. */
static size_t text_room(unsigned values)
{
	static const size_t rooms[] = {[HB_ANSWERS_PROCESSOR] = MPI_MAX_PROCESSOR_NAME,
		[HB_ANSWERS_VERSION] = MPI_MAX_LIBRARY_VERSION_STRING,
		[HB_ANSWERS_ERROR] = MPI_MAX_ERROR_STRING,
		[HB_ANSWERS_PORT] = MPI_MAX_PORT_NAME};
	return rooms[values];
}

static void answer(struct hb__io *io, struct hb__call *c, unsigned i)
{
	const struct hb__fn *fn = c->fn;
	unsigned arg = fn->answer[i].arg;
	void *p = (void *)c->a[arg];
	int n = fn->answer[i].length ? (int)c->a[fn->answer[i].length - 1] : 1;
	uint32_t what = arg + 1;
	if (!p || n <= 0 || p == (const void *)hb__known.unweighted)
		return;
	if (fn->answer[i].values == HB_ANSWERS_TOPOLOGY) {
		hb__io_topology(io, what, p);
		return;
	}
	switch (fn->param[arg].kind) {
	case HB_P_STR:
		hb__io_text(io, what, p, text_room(fn->answer[i].values));
		break;
	case HB_P_GROUPPTR:
		group(io, c, what, p);
		break;
	case HB_P_AINTPTR:
	case HB_P_CNTPTR:
	case HB_P_OFFSETPTR:
		hb__io_number(io, what, p);
		break;
	default:
		hb__io_ints(io, what, p, n, fn->answer[i].values == HB_ANSWERS_RANK);
		break;
	}
}

/* What is known of every communicator is not kept for each call. False: it is another question, or an invalid handle. */
static bool of_comm(struct hb__call *c, int **ret, int *ret_v)
{
	const struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	*ret = (int *)c->a[c->fn->nargs - 1];
	if (!comm || !*ret)
		return false;
	switch (c->fn->means->alone) {
	case HB_ALONE_RANK:
		*ret_v = comm->rank;
		return true;
	case HB_ALONE_SIZE:
		*ret_v = comm->size;
		return true;
	case HB_ALONE_REMOTE_SIZE:
		*ret_v = comm->remote_size;
		return comm->inter;
	case HB_ALONE_INTER:
		*ret_v = comm->inter;
		return true;
	default:
		return false;
	}
}

static int on_answer(struct hb__call *c)
{
	int *variable, v, code = MPI_SUCCESS;
	if (of_comm(c, &variable, &v)) {
		if (!hb__alone)
			return hb__invoke_next(c);
		*variable = v;
		return MPI_SUCCESS;
	}
	if (!hb__alone)
		code = hb__invoke_next(c);
	struct hb__io io;
	uint8_t *mark = c->lane->scratch;
	if (!hb__io_call(&io, hb__io_source(c->fn), 1 + 2 * c->fn->nanswers)) {
		if (hb__alone)
			hb__alone_without(c);
		return hb__alone ? hb__invoke_next(c) : code;
	}
	int64_t class = io.gives || code == MPI_SUCCESS ? 0 : hb__error_class(code);
	hb__io_number(&io, 0, &class);
	for (unsigned i = 0; !class && i < c->fn->nanswers; i++)
		answer(&io, c, i);
	hb__io_end(&io);
	hb__scratch_release(c->lane, mark);
	return io.gives ? hb__error_code(class) : code;
}

/* ---- attributes that the library has set ---- */

static const int of_comms[] = {
	MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_LASTUSEDCODE, MPI_APPNUM};
static const int of_windows[] = {MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL};

/* The value of one that the library sets: an int, but the size of a window an MPI_Aint. */
static int set_by_library(struct hb__call *c, size_t which, bool aint)
{
	static MPI_Aint given[sizeof of_comms / sizeof *of_comms];
	void **value = (void **)c->a[2];
	int *flag = (int *)c->a[3], code = hb__alone ? MPI_SUCCESS : hb__invoke_next(c);
	struct hb__io io;
	if (code != MPI_SUCCESS)
		return code;
	if (!hb__io_call(&io, hb__io_source(c->fn), 2)) {
		if (hb__alone)
			hb__alone_without(c);
		return hb__alone ? hb__invoke_next(c) : code;
	}
	int64_t there = io.gives ? 0 : *flag, v = 0;
	if (!io.gives && there)
		v = aint ? *(MPI_Aint *)*value : *(int *)*value;
	hb__io_number(&io, 4, &there);
	hb__io_number(&io, 3, &v);
	hb__io_end(&io);
	if (io.gives) {
		memcpy(&given[which], aint ? (void *)&v : (void *)&(int){(int)v}, aint ? sizeof v : sizeof(int));
		*flag = there != 0;
		if (there)
			*value = &given[which];
	}
	return code;
}

static int on_attribute(struct hb__call *c)
{
	bool win = hb__has(c, HB_R_WIN);
	const int *all = win ? of_windows : of_comms;
	size_t which = 0, n = win ? sizeof of_windows / sizeof *of_windows : sizeof of_comms / sizeof *of_comms;
	int key = (int)c->a[1];
	if (!c->a[2] || !c->a[3])
		return hb__invoke_next(c);
	if (win && hb__alone && key == MPI_WIN_BASE)
		return hb__window_base(hb__arg(c, HB_R_WIN), (void **)c->a[2], (int *)c->a[3]);
	while (which < n && all[which] != key)
		which++;
	return which == n ? hb__invoke_next(c) : set_by_library(c, which, key == MPI_WIN_SIZE && win);
}

/* What this process has of a window whose memory is shared: alone the library does not know the others. */
static int on_shared_query(struct hb__call *c)
{
	MPI_Aint *bytes = (MPI_Aint *)c->a[2];
	void *unit = (void *)c->a[3];
	int narrow = 1;
	bool wide = c->fn->param[3].kind == HB_P_AINTPTR;
	if (!hb__alone || !bytes || !unit || !c->a[4] ||
		!hb__window_query(hb__arg(c, HB_R_WIN), (int)c->a[1], bytes, &narrow, (void *)c->a[4]))
		return hb__invoke_next(c);
	if (wide)
		*(MPI_Aint *)unit = narrow;
	else
		*(int *)unit = narrow;
	return MPI_SUCCESS;
}

void hb__answers_start(void)
{
	for (int i = 0; i < HB_FN_COUNT; i++) {
		const struct hb__fn *fn = hb__fns[i];
		bool beside = fn && (fn->cls == HB_RMA || fn->cls == HB_IO) && hb__handlers[i] == hb__on_plain;
		if (fn && fn->nanswers)
			hb__handlers[i] = on_answer;
		else if (fn && fn->means->alone == HB_ALONE_ATTRIBUTE)
			hb__handlers[i] = on_attribute;
		else if (fn && fn->means->alone == HB_ALONE_SEGMENT)
			hb__handlers[i] = on_shared_query;
		else if (beside)
			hb__handlers[i] = hb__on_moving;
	}
}
