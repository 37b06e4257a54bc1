/* Collectives on the quick way: contents that are not short, or not where they lay the last time, and calls that failed. */
#include "capture/mpi/wrap/step.h"

/* What lies in the buffer, 0: nothing, or it cannot be read. */
static uint16_t side(struct hb__slot *s, const struct hb__part *part, struct hb__seen *seen, uintptr_t buffer)
{
	if (!part->there || !buffer)
		return 0;
	if (hb__lies_there(seen, buffer) && hb__unchanged(s))
		return hb__told(hb__hash_tiny(buffer, seen->bytes));
	/* what is remembered is where the buffer lies */
	return part->from ? hb__contents((const uint8_t *)buffer + part->from, part->bytes)
			  : hb__contents_seen(s, seen, (const void *)buffer, part->bytes);
}

int hb__quick_cast_elsewhere(struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t buffer)
{
	return hb__quick_end(lane, s, exit, -1, side(s, s->in.there ? &s->in : &s->out, &s->seen, buffer));
}

int hb__quick_collected_elsewhere(struct hb__lane *lane, struct hb__slot *s, uint64_t exit, uintptr_t in, uintptr_t out)
{
	uint16_t check = side(s, &s->in, &s->seen, in);
	if (s->out.there && (const void *)out != MPI_IN_PLACE) {
		uint16_t got = side(s, &s->out, &s->got, out);
		check = s->in.there ? hb__contents_both(check, got) : got;
	}
	return hb__quick_end(lane, s, exit, -1, check);
}

int hb__quick_cast_failed(struct hb__lane *lane, struct hb__slot *slot, uintptr_t buffer, int code)
{
	return hb__quick_failed(lane, slot, side(slot, &slot->in, &slot->seen, buffer), NULL, code);
}

int hb__quick_collective_failed(struct hb__lane *lane, struct hb__slot *slot, uintptr_t in, uintptr_t out, int code)
{
	uint16_t check = side(slot, &slot->in, &slot->seen, in);
	if (slot->out.there && (const void *)out != MPI_IN_PLACE)
		check = slot->in.there ? hb__contents_both(check, 0) : 0;
	return hb__quick_failed(lane, slot, check, NULL, code);
}
