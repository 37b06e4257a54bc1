/* The records of a unit that is about to be given up. The process wrote them itself: what does not fit is its memory gone wrong, and
 * ends the unit. */
#include <string.h>
#include <sys/mman.h>

#include "capture/core/ring/ring.h"

struct bytes {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t uv(struct bytes *b)
{
	uint64_t v = 0;
	const uint8_t *p = b->bad ? NULL : hb_get_uv(b->p, b->end, &v);
	b->bad = !p;
	b->p = p ? p : b->p;
	return p ? v : 0;
}
static int64_t sv(struct bytes *b) { return hb_unzigzag(uv(b)); }

static void skip(struct bytes *b, uint64_t n)
{
	if (b->bad || n > (uint64_t)(b->end - b->p))
		b->bad = true;
	else
		b->p += n;
}

static void slot(struct hb__past *past, struct bytes *b)
{
	b->p += b->p < b->end; /* its kind: a lane defines nothing else */
	uint64_t n = uv(b);
	struct bytes body = {b->p, b->p, b->bad};
	skip(b, n);
	body.end = b->bad ? body.p : b->p;
	uint64_t number = uv(&body);
	if (body.bad || number >= HB__SLOTS)
		return;
	struct hb__past_slot s = {.function = (uint32_t)uv(&body),
		.site = (uint32_t)uv(&body),
		.flags = (uint32_t)uv(&body),
		.nargs = (uint8_t)uv(&body),
		.defined = true};
	for (unsigned i = 0; i < s.nargs && i < HB_MAX_RECORDED; i++)
		s.arg[i] = sv(&body);
	if (body.bad || s.nargs > HB_MAX_RECORDED)
		return;
	past->slot[number] = s;
	if (number >= past->slots)
		past->slots = (uint32_t)number + 1;
}

static void argument(struct hb__past *past, struct bytes *b)
{
	uint64_t number = uv(b), i = uv(b);
	int64_t value = sv(b);
	if (!b->bad && number < HB__SLOTS && i < HB_MAX_RECORDED)
		past->slot[number].arg[i] = value;
}

static bool room(struct hb__past *past, size_t need)
{
	if (need <= past->told_room)
		return true;
	size_t more = past->told_room ? past->told_room : 512;
	while (more < need)
		more *= 2;
	int64_t *p = hb__pages(more * sizeof *p);
	if (!p)
		return false;
	if (past->ntold)
		memcpy(p, past->told, past->ntold * sizeof *p);
	if (past->told)
		munmap(past->told, past->told_room * sizeof *p);
	past->told = p;
	past->told_room = more;
	return true;
}

static void results(struct hb__past *past, struct bytes *b)
{
	uint64_t n = uv(b);
	if (b->bad || n > (uint64_t)(b->end - b->p) || !room(past, past->ntold + n)) {
		b->bad = true;
		return;
	}
	for (uint64_t i = 0; i < n; i++)
		past->told[past->ntold++] = sv(b);
}

static void event(struct hb__past *past, struct bytes *b, uint64_t w, int64_t error)
{
	const struct hb__past_slot *s = w >> 1 < HB__SLOTS ? &past->slot[w >> 1] : NULL;
	const struct hb__fn *fn = s && s->defined ? hb__ring_function_of(s->function) : NULL;
	past->tick += uv(b);
	past->tick += uv(b);
	if (s && s->flags & HB_SLOT_CHECK)
		skip(b, 2);
	if (w & 1)
		results(past, b);
	past->events++;
	if (fn && !b->bad)
		hb__fold_event(&(struct hb__past_event){past, fn, s, error, past->told, past->ntold, 0});
	else
		hb__count_broken();
	past->ntold = 0;
}

void hb__fold_unit(struct hb__past *past, const struct hb_unit_header *unit)
{
	const uint8_t *payload = (const uint8_t *)unit + HB_UNIT_PAYLOAD;
	struct bytes b = {payload, payload + unit->committed, false};
	int64_t error = 0;
	past->tick = unit->base_tick;
	while (!b.bad && b.p < b.end) {
		uint64_t v = uv(&b);
		if (v >= HB_ROW_EVENT) {
			event(past, &b, v - HB_ROW_EVENT, error);
			error = 0;
		} else if (v == HB_ROW_DEF) {
			slot(past, &b);
		} else if (v == HB_ROW_ARGUMENT) {
			argument(past, &b);
		} else if (v == HB_ROW_RESULT) {
			error = sv(&b);
		} else if (v == HB_ROW_RESULTS) {
			results(past, &b);
		} else if (v == HB_ROW_NOTE) {
			skip(&b, uv(&b));
		} else if (v == HB_ROW_POLLS) {
			uv(&b);
		} else {
			b.bad = true;
		}
	}
	if (b.bad)
		hb__count_broken();
	past->first = unit->seq + 1;
}
