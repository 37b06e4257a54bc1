/* Calls without a choice: collectives, communicators, RMA, files, handles. */
#include "capture/mpi/wrap/step.h"
#include "capture/mpi/wrap/turns/turns.h"

int hb__on_plain(struct hb__call *c) { return hb__invoke_next(c); }

/* An event, up to the end of the call itself. */
static int begun(struct hb__call *c)
{
	hb__begin(c, false);
	return HB__GO(call, c);
}

/* Data of another process comes back: it has exposed its window when that is over. */
static void note_fetch(const struct hb__call *c)
{
	uint8_t does = c->fn->means->does;
	bool fetches = does == HB_DOES_GET || does == HB_DOES_GET_ACCUMULATE || does == HB_DOES_FETCH_AND_OP ||
		       does == HB_DOES_COMPARE_AND_SWAP;
	if (likely(!fetches) || hb__config.order || !hb__has(c, HB_R_WIN) || !hb__has(c, HB_R_DEST))
		return;
	int count = hb__role(c, HB_R_LAST_COUNT);
	if (count < 0 || c->a[count])
		hb__win_fetched(hb__arg(c, HB_R_WIN), (int)hb__arg(c, HB_R_DEST));
}

int hb__on_window_start(struct hb__call *c)
{
	int code = hb__on_event(c);
	if (code == MPI_SUCCESS && !hb__config.order)
		hb__win_started(hb__arg(c, HB_R_WIN));
	return code;
}

/* Its results: whom the epoch fetched data from. */
int hb__on_window_complete(struct hb__call *c)
{
	enum { MOST = 4096 };
	int code = begun(c);
	if (code == MPI_SUCCESS && !hb__config.order) {
		int *rank = hb__scratch(c->lane, MOST * sizeof *rank); /* not on the stack: a thread's may be small */
		int n = rank ? hb__win_completed(hb__arg(c, HB_R_WIN), rank, MOST) : 0;
		if (n && hb__window_world_ranks(hb__arg(c, HB_R_WIN), rank, n) && hb__results(c, (size_t)n))
			for (int i = 0; i < n; i++)
				hb__result(c, rank[i]);
	}
	hb__end(c, code);
	return code;
}

/* Not an event, but it has contents. */
int hb__on_moving(struct hb__call *c)
{
	if (unlikely(hb__way) && hb__way->passes)
		hb__way->passes(c);
	note_fetch(c);
	if (unlikely(hb__digests))
		hb__digests_begin(c);
	int code = HB__GO(move, c);
	if (unlikely(hb__digests))
		hb__digests_moved(c, code);
	return code;
}

int hb__on_event(struct hb__call *c)
{
	note_fetch(c);
	int code = begun(c);
	if (hb__has(c, HB_R_NEWREQ))
		hb__posted(c, code);
	hb__end(c, code);
	return code;
}

/* A poll without a request of ours behind it: Win_test, Parrived. */
int hb__on_poll(struct hb__call *c)
{
	int *flag = (int *)hb__arg(c, HB_R_FLAG);
	HB__NEED(flag);
	int code = HB__GO(poll, c, flag);
	if (code == MPI_SUCCESS && !*flag) {
		c->lane->control->polls++;
		return code;
	}
	hb__begin_poll(c);
	hb__end_poll(c, code);
	return code;
}

/* A buffer for MPI_Bsend; it is no event when it is given. */
int hb__on_buffer_attach(struct hb__call *c) { return HB__GO(attach, c); }

int hb__on_buffer_detach(struct hb__call *c)
{
	const uintptr_t *a = &c->a[c->fn->nargs - 2]; /* the address and the size are the last two */
	HB__NEED(a[0] && a[1]);
	hb__begin(c, false);
	int code = HB__GO(detach, c);
	hb__end(c, code);
	return code;
}

/* MPI_Comm_set_name, MPI_Type_set_name, MPI_Win_set_name. The name is asked back from MPI: in Fortran it was given otherwise. */
int hb__on_set_name(struct hb__call *c)
{
	int code = hb__invoke_next(c);
	if (code != MPI_SUCCESS)
		return code;
	if (hb__has(c, HB_R_COMM))
		hb__comm_named(hb__arg(c, HB_R_COMM));
	else if (hb__has(c, HB_R_TYPE))
		hb__type_named(hb__arg(c, HB_R_TYPE));
	else if (hb__has(c, HB_R_WIN))
		hb__win_named(hb__arg(c, HB_R_WIN));
	return code;
}

/* ---- communicators ---- */

int hb__on_comm(struct hb__call *c)
{
	struct hb__comm *parent = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	MPI_Comm *made = (MPI_Comm *)hb__arg(c, HB_R_NEWCOMM);
	unsigned bridge = c->fn->means->bridge;
	uint64_t entered = bridge ? hb__system_ns(CLOCK_REALTIME) : 0;
	int code = bridge ? hb__bridge(c, parent) : begun(c);
	if (code == MPI_SUCCESS) {
		/* MPI_Comm_create_group is not called by all of the parent */
		bool apart = c->fn->means->does == HB_DOES_BIRTH_OF_GROUP && made;
		uint64_t index =
			apart ? hb__comm_index_apart(parent, *made, (int)hb__arg(c, HB_R_TAG)) : hb__comm_index(parent);
		struct hb__origin from = hb__origin_made(HB__COMMS);
		if (c->fn->flags & HB_NONBLOCKING) {
			struct hb__request *r = hb__posted(c, code);
			if (r) {
				r->idup = made;
				r->idup_parent = parent;
				r->idup_index = index;
				r->idup_from = from;
			}
		} else {
			if (bridge && made && *made != hb__known.comm_null)
				hb__strangers_met(*made);
			int number = made ? hb__comm_add(parent, index, from, *made) : HB_NONE;
			if (bridge)
				hb__bridge_made(c, parent, number, entered);
			if (!hb__config.order && hb__results(c, 1))
				hb__result(c, number);
		}
	}
	hb__end(c, code);
	return code;
}

int hb__on_comm_free(struct hb__call *c)
{
	MPI_Comm *comm = (MPI_Comm *)hb__arg(c, HB_R_COMMPTR);
	uintptr_t was = comm ? (uintptr_t)*comm : 0;
	const struct hb__comm *known = hb__comm_find(was);
	hb__begin(c, false);
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS)
		hb__comm_remove(was, known);
	hb__end(c, code);
	return code;
}

/* ---- handles that other calls refer to ---- */

static bool copies(const struct hb__call *c) { return c->fn->means->does == HB_DOES_COPY_TYPE; }
static bool is_lent(const struct hb__call *c) { return c->fn->param[hb__role(c, HB_R_NEWTYPE)].kind == HB_P_LENT; }

/* Predefined ones that are handed out, and copies of committed ones. */
static bool born_committed(const struct hb__call *c)
{
	if (copies(c))
		return hb__type_look(hb__arg(c, HB_R_TYPE))->committed;
	return is_lent(c);
}

int hb__on_newtype(struct hb__call *c)
{
	int code = hb__invoke_next(c);
	MPI_Datatype *made = (MPI_Datatype *)hb__arg(c, HB_R_NEWTYPE);
	if (code == MPI_SUCCESS && made && *made != hb__known.type_null)
		hb__type_add(*made, born_committed(c), !is_lent(c));
	return code;
}

/* Known from its constructor, but for one that MPI_Type_get_contents handed out. */
int hb__on_type_commit(struct hb__call *c)
{
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS)
		hb__type_add(*(MPI_Datatype *)hb__arg(c, HB_R_TYPEPTR), true, false);
	return code;
}

int hb__on_type_free(struct hb__call *c)
{
	MPI_Datatype *type = (MPI_Datatype *)hb__arg(c, HB_R_TYPEPTR);
	uintptr_t was = type ? (uintptr_t)*type : 0;
	const struct hb__type *known = hb__type_look(was);
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS)
		hb__type_remove(was, known);
	return code;
}

int hb__on_op_free(struct hb__call *c)
{
	MPI_Op *op = (MPI_Op *)hb__arg(c, HB_R_OPPTR);
	uintptr_t was = op ? (uintptr_t)*op : 0;
	const struct hb__made *known = hb__made_look(HB__OPS, was);
	int code = hb__invoke_next(c);
	if (code == MPI_SUCCESS)
		hb__made_remove(HB__OPS, was, known);
	return code;
}

int hb__on_newop(struct hb__call *c)
{
	int code = hb__invoke_next(c);
	MPI_Op *made = (MPI_Op *)hb__arg(c, HB_R_OPPTR);
	if (code == MPI_SUCCESS && made)
		hb__made_add(HB__OPS, (uintptr_t)*made);
	return code;
}

/* The window or file in a variable of the program. */
static uintptr_t handle_at(bool win, uintptr_t variable)
{
	const MPI_Win *w = (const MPI_Win *)variable;
	const MPI_File *f = (const MPI_File *)variable;
	return win ? (uintptr_t)w[0] : (uintptr_t)f[0];
}

/* Windows and files that come: events, as all of their calls. */
int hb__on_newhandle(struct hb__call *c)
{
	bool win = hb__has(c, HB_R_WINPTR);
	int code = begun(c);
	uintptr_t made = hb__arg(c, win ? HB_R_WINPTR : HB_R_FILEPTR), handle = made ? handle_at(win, made) : 0;
	if (code == MPI_SUCCESS && made)
		hb__made_add(win ? HB__WINS : HB__FILES, handle);
	if (hb__has(c, HB_R_COMM))
		hb__turns_come(win, handle, hb__arg(c, HB_R_COMM), made ? code : MPI_ERR_ARG);
	/* which of its windows this is could not be told from the order in which it uses them */
	if (code == MPI_SUCCESS && win && made && !hb__config.order && hb__results(c, 1))
		hb__result(c, hb__win_number(handle));
	hb__end(c, code);
	return code;
}

/* Win_free and File_close: events, and the end of a handle. */
int hb__on_handle_free(struct hb__call *c)
{
	HB__NEED(hb__has(c, HB_R_WINPTR) ? hb__arg(c, HB_R_WINPTR) : hb__arg(c, HB_R_FILEPTR));
	enum hb__numbered kind = hb__has(c, HB_R_WINPTR) ? HB__WINS : HB__FILES;
	bool win = kind == HB__WINS;
	uintptr_t was = handle_at(win, hb__arg(c, win ? HB_R_WINPTR : HB_R_FILEPTR));
	const struct hb__made *known = hb__made_look(kind, was);
	struct hb__turns *turns = hb__turns_go(win, was);
	int code = hb__on_event(c);
	hb__turns_gone(turns, win, was, code);
	if (code == MPI_SUCCESS)
		hb__made_remove(kind, was, known);
	return code;
}

/* ---- collectives: what goes in and what comes out is digested, so that a replay can tell the process that gives something else from
 * those that only get it ---- */

/* The sides of this call, NULL: there is nothing to look at. */
static void sides(const struct hb__call *c, const struct hb__part **ret_in, const struct hb__part **ret_out)
{
	const struct hb__slot *s = c->slot;
	bool placed = hb__has(c, HB_R_SBUF) && (const void *)hb__arg(c, HB_R_SBUF) == MPI_IN_PLACE;
	const struct hb__part *in = placed ? &s->in_place : &s->in;
	*ret_in = in->there ? in : NULL;
	*ret_out = s->out.there && (const void *)c->a[s->out.buf] != MPI_IN_PLACE ? &s->out : NULL;
}

/* What is given in place is gone when it is over. */
static void collective_posted(struct hb__call *c, int code)
{
	const struct hb__part *in = NULL, *out = NULL;
	struct hb__request *r = hb__posted(c, code);
	if (!r || !c->slot)
		return;
	sides(c, &in, &out);
	if (!(c->fn->flags & HB_PERSISTENT) || in == &c->slot->in_place)
		in = NULL;
	if (in || out)
		hb__await(c, r, in, out);
}

int hb__on_collective(struct hb__call *c)
{
	hb__begin(c, false);
	bool later = c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT);
	const struct hb__part *in = NULL, *out = NULL;
	uint16_t given = 0, got = 0;
	if (c->slot && c->slot->flags & HB_SLOT_CHECK) {
		sides(c, &in, &out);
		out = later ? NULL : out;
		given = in ? hb__contents_part(c, in) : 0;
		c->check = out ? hb__contents_both(given, 0) : given;
		if (in)
			HB__TELL(contents, c, in, out ? HB__GIVEN_LOW : HB__GIVEN);
	}
	int code = HB__GO(call, c);
	if (out) {
		got = code == MPI_SUCCESS ? hb__contents_part(c, out) : 0;
		c->check = in ? hb__contents_both(given, got) : got;
		if (code == MPI_SUCCESS)
			HB__TELL(contents, c, out, in ? HB__GOT_HIGH : HB__GOT);
	}
	if (hb__has(c, HB_R_NEWREQ))
		collective_posted(c, code);
	hb__end(c, code);
	return code;
}
