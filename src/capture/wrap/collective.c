/* Collectives: what goes in and what comes out is digested, so that a replay can tell the process that gives something else from
 * those that only get it. */
#include "capture/carry/carry.h"
#include "capture/wrap/step.h"

/* Both sides in sixteen bits: what goes in below. A side that nothing is known of is 0. */
static uint16_t both(uint16_t in, uint16_t out)
{
	uint16_t low = in & 0xff ? in & 0xff : in ? 1 : 0, high = out >> 8 ? out >> 8 : out ? 1 : 0;
	return (uint16_t)(high << 8 | low);
}

int hb__on_collective(struct hb__call *c)
{
	hb__begin(c, false);
	const struct hb__part *in = NULL, *out = NULL;
	uint16_t given = 0, got = 0;
	if (c->slot && c->slot->flags & HB_SLOT_CHECK) {
		const struct hb__slot *s = c->slot;
		bool placed = hb__has(c, HB_R_SBUF) && (const void *)hb__arg(c, HB_R_SBUF) == MPI_IN_PLACE;
		in = placed ? &s->in_place : &s->in;
		in = in->there ? in : NULL;
		out = s->out.there && (const void *)c->a[s->out.buf] != MPI_IN_PLACE ? &s->out : NULL;
		given = in ? hb__contents_part(c, in) : 0;
		c->check = out ? both(given, 0) : given;
		if (unlikely(c->followed && in))
			hb__compare(c, in, out ? HB__GIVEN_LOW : HB__GIVEN);
	}
	uint32_t epoch = unlikely(hb__carrying) ? hb__race_enter(c) : 0;
	int code = hb__invoke_next(c);
	if (unlikely(epoch))
		hb__race_left(c->lane, epoch, code);
	if (out) {
		got = code == MPI_SUCCESS ? hb__contents_part(c, out) : 0;
		c->check = in ? both(given, got) : got;
		if (unlikely(c->followed && code == MPI_SUCCESS))
			hb__compare(c, out, in ? HB__GOT_HIGH : HB__GOT);
	}
	if (hb__has(c, HB_R_NEWREQ))
		hb__posted(c, code);
	hb__end(c, code);
	return code;
}
