/* Files of MPI: what was read, and how much was written. */
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"

/* A collective read in two halves: its buffer is known when it begins. One at a time for each file. */
static struct {
	uintptr_t file;
	struct hb__places places;
} begun[64];

static int place_of(uintptr_t file, bool new)
{
	int free = -1;
	for (int i = 0; i < 64; i++) {
		if (begun[i].file == file)
			return i;
		free = free < 0 && !begun[i].file ? i : free;
	}
	return new ? free : -1;
}

static bool is_half(const struct hb__call *c)
{
	return c->fn->role[HB_R_RBUF] && !hb__has(c, HB_R_NEWREQ) && !hb__has(c, HB_R_STATUS);
}

static void begin_half(struct hb__call *c)
{
	struct hb__places places;
	hb__places_of_fetch(c, &places);
	int i = places.n ? place_of(hb__arg(c, HB_R_FILE), true) : -1;
	if (places.n && i < 0)
		hb__row_note(
			"more than 64 collective reads in two halves at once: what the last ones read is not kept");
	if (i < 0 || !hb__places_keep(&places))
		return;
	begun[i].file = hb__arg(c, HB_R_FILE);
	begun[i].places = places;
}

/* Where the call reads to; begun earlier, or now. */
static void places_of(struct hb__call *c, struct hb__places *ret, int *ret_half)
{
	*ret_half = -1;
	hb__places_of_fetch(c, ret);
	if (ret->n || !c->fn->role[HB_R_RBUF])
		return;
	*ret_half = place_of(hb__arg(c, HB_R_FILE), false);
	if (*ret_half >= 0)
		*ret = begun[*ret_half].places;
}

bool hb__io_file(struct hb__io *io, struct hb__call *c, int *code)
{
	struct hb__places places;
	bool event = c->fn->flags & HB_EVENT;
	int half;
	MPI_Status own, *st;
	if (is_half(c))
		begin_half(c);
	if (!hb__has(c, HB_R_STATUS) || c->fn->flags & HB_NONBLOCKING)
		return true;
	st = (MPI_Status *)hb__arg(c, HB_R_STATUS); /* MPI_STATUS_IGNORE of Open MPI is a null pointer */
	st = st == MPI_STATUS_IGNORE ? &own : st;
	places_of(c, &places, &half);
	if (!(event ? hb__io_event(io, c, 2) : hb__io_call(io, hb__io_source(c->fn), 3)))
		return false;
	int64_t class = event || io->gives || *code == MPI_SUCCESS ? 0 : hb__error_class(*code);
	if (!event)
		hb__io_number(io, 0, &class);
	if (!class) {
		hb__io_status(io, hb__io_what(c, HB_R_STATUS), st);
		if (places.n)
			hb__io_places(io, hb__io_what(c, HB_R_RBUF), &places, hb__status_bytes(st));
	}
	if (io->gives && !event)
		*code = hb__error_code(class);
	hb__io_end(io);
	if (half >= 0) {
		hb__places_drop(&begun[half].places);
		begun[half].file = 0;
	}
	return !io->bad;
}
