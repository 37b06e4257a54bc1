/* Items and pieces, in both directions. */
#include "capture/mpi/data/io.h"

#include <string.h>

#include "capture/core/follow/follow.h"
#include "capture/core/memory/memory.h"
#include "capture/mpi/family/family.h"

bool hb__io_event(struct hb__io *io, struct hb__call *c, unsigned n)
{
	*io = (struct hb__io){.gives = hb__data_gives};
	if (io->gives)
		io->open = c->followed && (io->item = hb__data_of_event(c->lane->follow->event));
	else
		io->open = hb__data_event(c->lane, n);
	return io->open;
}

struct hb__source *hb__io_source(const struct hb__fn *fn)
{
	static struct hb__source source[HB_FN_COUNT];
	static char name[HB_FN_COUNT][48];
	struct hb__source *s = &source[fn->id];
	if (unlikely(!s->name)) {
		snprintf(name[fn->id], sizeof name[0], "mpi:%s", fn->name);
		__atomic_store_n(&s->name, name[fn->id], __ATOMIC_RELEASE);
	}
	return s;
}

bool hb__io_call(struct hb__io *io, struct hb__source *source, unsigned n)
{
	*io = (struct hb__io){.gives = hb__data_gives};
	if (!io->gives)
		io->open = hb__data_call(source, n);
	else if ((io->item = hb__data_look("mpi:")) && !strcmp(io->item->name, source->name))
		io->open = hb__data_take("mpi:");
	return io->open;
}

void hb__io_end(struct hb__io *io)
{
	if (io->open && !io->gives)
		hb__data_end();
	io->open = false;
}

/* The next piece, which has to be this one. */
static bool given(struct hb__io *io, uint32_t what, struct hb__piece *ret)
{
	if (!io->open || io->bad || !hb__item_piece(io->item, ret) || ret->what != what) {
		io->bad = true;
		return false;
	}
	return true;
}

void hb__io_numbers(struct hb__io *io, uint32_t what, int64_t *v, int n)
{
	struct hb__piece piece;
	n = n > 0 ? n : 0;
	if (!io->gives) {
		uint8_t *room = hb__data_room((size_t)n * HB_UV_MAX), *p = room;
		for (int i = 0; room && i < n; i++)
			p = hb_put_sv(p, v[i]);
		hb__data_packed(what, (size_t)(p - room));
		return;
	}
	if (!given(io, what, &piece))
		return;
	const uint8_t *p = piece.p, *end = p + piece.bytes;
	for (int i = 0; i < n && p; i++)
		p = hb_get_sv(p, end, &v[i]);
	io->bad = io->bad || !p;
}

void hb__io_number(struct hb__io *io, uint32_t what, int64_t *v) { hb__io_numbers(io, what, v, 1); }

void hb__io_ints(struct hb__io *io, uint32_t what, int *v, int n, bool ranks)
{
	struct hb__piece piece;
	n = n > 0 ? n : 0;
	if (!io->gives) {
		uint8_t *room = hb__data_room((size_t)n * HB_UV_MAX), *p = room;
		for (int i = 0; room && i < n; i++)
			p = hb_put_sv(p, ranks ? hb__neutral_rank(v[i]) : v[i]);
		hb__data_packed(what, (size_t)(p - room));
		return;
	}
	if (!given(io, what, &piece))
		return;
	const uint8_t *p = piece.p, *end = p + piece.bytes;
	for (int i = 0; i < n && p; i++) {
		int64_t one = 0;
		p = hb_get_sv(p, end, &one);
		if (p)
			v[i] = ranks && one < 0 && one >= HB_ROOT ? hb__library_rank(one) : (int)one;
	}
	io->bad = io->bad || !p;
}

void hb__io_bytes(struct hb__io *io, uint32_t what, void *p, size_t *bytes, size_t room)
{
	struct hb__piece piece;
	if (!io->gives) {
		hb__data_piece(what, p, *bytes);
	} else if (given(io, what, &piece)) {
		*bytes = piece.bytes < room ? piece.bytes : room;
		memcpy(p, piece.p, *bytes);
	}
}

void hb__io_text(struct hb__io *io, uint32_t what, char *text, size_t room)
{
	size_t n = io->gives ? 0 : strnlen(text, room - 1);
	hb__io_bytes(io, what, text, &n, room - 1);
	if (io->gives && !io->bad)
		text[n] = 0;
}

static void not_readable(void)
{
	static bool told;
	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		hb__row_note(
			"contents that came into memory which only the MPI library can read (GPU memory, perhaps) are not kept: this process cannot be replayed alone");
}

/* Contents in one piece are copied once; others are put together where they stay. */
void hb__io_places(struct hb__io *io, uint32_t what, const struct hb__places *places, int64_t bytes)
{
	struct hb__piece piece;
	bytes = bytes < places->bytes ? bytes : places->bytes;
	bytes = bytes > 0 ? bytes : 0;
	if (io->gives) {
		/* nothing is there of what could not be read, or had no room */
		if (given(io, what, &piece) && (int64_t)piece.bytes == bytes)
			hb__places_write(places, bytes, piece.p);
		else
			io->bad = true;
		return;
	}
	bool plain = places->n == 1 && !places->place && !places->one.holes;
	if (!bytes) {
		hb__data_piece(what, NULL, 0);
	} else if (plain && hb__readable(places->one.at, (size_t)bytes)) {
		hb__data_piece(what, places->one.at, (size_t)bytes);
	} else {
		uint8_t *room = hb__data_room((size_t)bytes);
		bool good = room && hb__places_read(places, bytes, room);
		if (room && !good)
			not_readable();
		hb__data_packed(what, good ? (size_t)bytes : 0);
	}
}

void hb__io_status(struct hb__io *io, uint32_t what, MPI_Status *st)
{
	int64_t v[4] = {0};
	if (!io->gives) {
		v[0] = hb__neutral_rank(st->MPI_SOURCE);
		v[1] = hb__neutral_tag(st->MPI_TAG);
		v[2] = hb__status_bytes(st);
		v[3] = hb__status_cancelled(st);
	}
	hb__io_numbers(io, what, v, 4);
	if (io->gives && !io->bad) {
		hb__status_set_cancelled(st, v[3] != 0);
		hb__status_set_bytes(st, v[2]);
		st->MPI_SOURCE = hb__library_rank(v[0]);
		st->MPI_TAG = hb__library_tag(v[1]);
	}
}
