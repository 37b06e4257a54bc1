/* What the events bring that are neither messages nor completions. */
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

/* The buffer of a call of one-sided communication or of files that gets data. */
static void buffer_of(struct hb__call *c, struct hb__places *ret)
{
	*ret = (struct hb__places){.n = 0};
	int at = hb__role(c, HB_R_RBUF);
	if (at < 0 || at + 2 >= c->fn->nargs)
		return;
	int64_t count = c->fn->wide ? (int64_t)c->a[at + 1] : (int)c->a[at + 1];
	if (c->fn->param[at + 1].kind == HB_P_COUNT && c->fn->param[at + 2].kind == HB_P_DTYPE)
		hb__places_of_buffer(c->a[at], count, c->a[at + 2], ret);
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
		buffer_of(c, ret);
		break;
	case HB_IO:
		buffer_of(c, ret);
		ret->message = true;
		break;
	default:
		break;
	}
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
	return !io->bad;
}

/* A call of files that is over when it returns. */
static bool file(struct hb__io *io, struct hb__call *c)
{
	struct hb__places places;
	bool status = hb__has(c, HB_R_STATUS);
	if (c->fn->flags & HB_NONBLOCKING || !status)
		return true;
	MPI_Status own, *st = (MPI_Status *)hb__arg(c, HB_R_STATUS);
	st = st == MPI_STATUS_IGNORE ? &own : st;
	buffer_of(c, &places);
	if (!hb__io_event(io, c, 2))
		return false;
	hb__io_status(io, hb__io_what(c, HB_R_STATUS), st);
	if (places.n)
		hb__io_places(io, hb__io_what(c, HB_R_RBUF), &places, hb__status_bytes(st));
	return !io->bad;
}

bool hb__io_outcome(struct hb__io *io, struct hb__call *c)
{
	*io = (struct hb__io){.gives = hb__data_gives};
	bool good = c->fn->cls == HB_COLLECTIVE ? collective(io, c) : c->fn->cls == HB_IO ? file(io, c) : true;
	hb__io_end(io);
	return good;
}
