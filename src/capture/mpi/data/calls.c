/* What the events bring that are neither messages nor completions, and what the calls of windows and files bring that are no events. */
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"

/* Where the result of a collective is going to lie. */
static void result_of(struct hb__call *c, struct hb__places *ret)
{
	const struct hb__part *out = &c->slot->out;
	*ret = (struct hb__places){.n = 0};
	if ((out->there || out->holes) && (const void *)c->a[out->buf] != MPI_IN_PLACE)
		hb__places_of_part(c, out, ret);
}

/* Behind the buffer stand its count, unless it is one, and its datatype. */
void hb__places_of_fetch(struct hb__call *c, struct hb__places *ret)
{
	*ret = (struct hb__places){.n = 0};
	int at = hb__role(c, HB_R_RBUF), nargs = c->fn->nargs;
	const struct hb__param *p = c->fn->param;
	if (at < 0 || at + 1 >= nargs)
		return;
	if (p[at + 1].kind == HB_P_DTYPE)
		hb__places_of_buffer(c->a[at], 1, c->a[at + 1], ret);
	else if (at + 2 < nargs && p[at + 1].kind == HB_P_COUNT && p[at + 2].kind == HB_P_DTYPE)
		hb__places_of_buffer(
			c->a[at], c->fn->wide ? (int64_t)c->a[at + 1] : (int)c->a[at + 1], c->a[at + 2], ret);
}

void hb__places_to_come(struct hb__call *c, struct hb__places *ret)
{
	*ret = (struct hb__places){.n = 0};
	switch (c->fn->cls) {
	case HB_RECV:
		hb__places_of_message(c, ret);
		break;
	case HB_COLLECTIVE:
		if (c->slot)
			result_of(c, ret);
		break;
	case HB_RMA:
		hb__places_of_fetch(c, ret);
		break;
	case HB_IO:
		hb__places_of_fetch(c, ret);
		ret->message = true;
		break;
	default:
		break;
	}
}

bool hb__io_message(struct hb__call *c, MPI_Status *st)
{
	struct hb__io io;
	struct hb__places places;
	if (!hb__io_event(&io, c, 2))
		return false;
	hb__places_of_message(c, &places);
	hb__io_status(&io, hb__io_what(c, HB_R_STATUS), st);
	hb__io_places(&io, hb__io_what(c, HB_R_RBUF), &places, hb__status_bytes(st));
	hb__io_end(&io);
	hb__io_shared(c);
	return !io.bad;
}

bool hb__io_probed(struct hb__call *c, MPI_Status *st)
{
	struct hb__io io;
	if (!hb__io_event(&io, c, 1))
		return false;
	hb__io_status(&io, hb__io_what(c, HB_R_STATUS), st);
	hb__io_end(&io);
	return !io.bad;
}

static bool collective(struct hb__io *io, struct hb__call *c)
{
	struct hb__places places;
	if (c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT) || !c->slot)
		return true;
	result_of(c, &places);
	if (!places.n)
		return true;
	if (!hb__io_event(io, c, 1))
		return false;
	hb__io_places(io, (uint32_t)c->slot->out.buf + 1, &places, places.bytes);
	hb__io_end(io);
	return !io->bad;
}

static bool one_sided(struct hb__io *io, struct hb__call *c)
{
	if (hb__has(c, HB_R_WIN) && !hb__has(c, HB_R_NEWREQ))
		return hb__io_window(io, c, hb__arg(c, HB_R_WIN));
	return true;
}

bool hb__io_outcome(struct hb__io *io, struct hb__call *c)
{
	int code = MPI_SUCCESS;
	*io = (struct hb__io){.gives = hb__data_gives};
	switch (c->fn->cls) {
	case HB_COLLECTIVE:
		return collective(io, c);
	case HB_IO:
		return hb__io_file(io, c, &code);
	case HB_RMA:
		return one_sided(io, c);
	default:
		return hb__io_arrived(c);
	}
}

bool hb__io_move(struct hb__io *io, struct hb__call *c, int *code)
{
	*io = (struct hb__io){.gives = hb__data_gives};
	if (c->fn->cls == HB_IO)
		return hb__io_file(io, c, code);
	switch (c->fn->means->does) {
	case HB_DOES_WINDOW_SYNC:
		return hb__io_window(io, c, hb__arg(c, HB_R_WIN));
	case HB_DOES_WINDOW_ATTACH:
		hb__window_range(hb__arg(c, HB_R_WIN), 0, (void *)c->a[1], (int64_t)c->a[2]);
		return true;
	case HB_DOES_WINDOW_DETACH:
		hb__window_no_range(hb__arg(c, HB_R_WIN), (const void *)c->a[1]);
		return true;
	default:
		hb__window_fetches(c);
		return true;
	}
}

/* ---- windows come ---- */

/* Memory that the processes of a window share: each segment by its place relative to this process's own. */
struct segment {
	int64_t bytes, unit, offset;
};

static int size_of_comm(const struct hb__call *c)
{
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	return comm ? comm->size : 0;
}

static void query(struct hb__call *c, MPI_Win win, int rank, struct segment *s)
{
	MPI_Aint bytes = 0;
	int unit = 1;
	uint8_t *base = NULL, *own = *(uint8_t **)c->a[c->fn->nargs - 2];
	PMPI(Win_shared_query)(win, rank, &bytes, &unit, &base);
	*s = (struct segment){bytes, unit, base - own};
}

/* All of them in one piece of memory, in the same order and distances: programs step from one segment into the next. */
static uint8_t *room_for(const struct segment *s, int n)
{
	int64_t low = 0, high = 1;
	for (int i = 0; i < n; i++) {
		low = s[i].bytes && s[i].offset < low ? s[i].offset : low;
		high = s[i].bytes && s[i].offset + s[i].bytes > high ? s[i].offset + s[i].bytes : high;
	}
	low &= ~(int64_t)0xfff;
	uint8_t *p = hb__pages((size_t)(high - low));
	return p ? p - low : NULL;
}

static bool shared_window(struct hb__io *io, struct hb__call *c, MPI_Win *win)
{
	int n = size_of_comm(c);
	struct segment *s = hb__scratch(c->lane, ((size_t)n + 1) * sizeof *s);
	uint8_t **base = (uint8_t **)c->a[c->fn->nargs - 2];
	if (!s || !hb__io_event(io, c, 1))
		return false;
	for (int i = 0; i < n && !io->gives; i++)
		query(c, *win, i, &s[i]);
	hb__io_numbers(io, (uint32_t)c->fn->nargs - 1, (int64_t *)s, 3 * n);
	hb__io_end(io);
	if (io->gives) {
		*base = room_for(s, n);
		if (!*base)
			return false;
	}
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	hb__window_new((uintptr_t)*win, comm ? comm->rank : 0, true);
	for (int i = 0; i < n; i++)
		hb__window_segment((uintptr_t)*win, i, *base + s[i].offset, s[i].bytes, (int)s[i].unit, true);
	return true;
}

bool hb__io_new_window(struct hb__io *io, struct hb__call *c)
{
	MPI_Win *win = (MPI_Win *)hb__arg(c, HB_R_WINPTR);
	const struct hb__fn *fn = c->fn;
	unsigned flavor = fn->means->flavor;
	if (flavor == HB_FLAVOR_SHARED)
		return shared_window(io, c, win);
	const struct hb__comm *comm = hb__comm_find(hb__arg(c, HB_R_COMM));
	int rank = comm ? comm->rank : 0;
	hb__window_new((uintptr_t)*win, rank, false);
	if (flavor == HB_FLAVOR_CREATE)
		hb__window_range((uintptr_t)*win, rank, (void *)c->a[0], (int64_t)c->a[1]);
	else if (flavor == HB_FLAVOR_ALLOCATE)
		hb__window_segment((uintptr_t)*win, rank, *(void **)c->a[fn->nargs - 2], (int64_t)c->a[0], 1, true);
	return true;
}
