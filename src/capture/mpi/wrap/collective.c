/* Collectives: what goes in and what comes out is digested, so that a replay can tell the process that gives something else from
 * those that only get it. */
#include "capture/mpi/wrap/step.h"

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
static void posted(struct hb__call *c, int code)
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
		posted(c, code);
	hb__end(c, code);
	return code;
}
