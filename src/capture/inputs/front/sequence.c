/* Numbers that are asked for often and change little: clocks above all. They are kept as differences, one behind the other in one item
 * as long as nothing else comes into the thread and it makes no event. A difference is an sv; the byte 0 says that the number was the
 * same again, and five bytes behind it how often.
 *
 * A loop that does nothing but ask a clock for the time would fill the disk in hours. After a while such a loop gets a coarser clock:
 * the same value again for as long as it is late by less than a 16384th of the time that the loop has gone on, and by less than a
 * millisecond. It is told by its place: the same one, often, and nothing else in between. */
#include <string.h>

#include "capture/inputs/front/front.h"

#define POLLS 4096 /* so often in a row from one place is a loop that waits */
#define PART 14    /* it is late by one part in 2^PART at most */
#define RUN_BYTES 5u
#define RUN_MOST ((UINT64_C(1) << 7 * RUN_BYTES) - 1)

struct place {
	int64_t last;
	/* recording */
	uint8_t *run; /* how often the last one came again */
	uint64_t runs;
	const void *pc; /* where it was asked from last, and how often in a row, and since when */
	uint64_t polls;
	int64_t since;
	/* replay */
	const uint8_t *at, *end;
	uint64_t left; /* how often the last one comes again */
	uint64_t event;
	int64_t extra; /* what the real one said when it was first asked for more than is recorded */
	bool beyond;
};

/* Of the thread, and of its handlers. */
static __thread struct place *places[2] __attribute__((tls_model("initial-exec")));

static struct place *place_of(const struct hb__sequence *s)
{
	struct place **of = &places[hb__in_handler];
	if (unlikely(!*of))
		*of = hb__door->pages(HB__SEQUENCES * sizeof **of);
	return *of ? *of + s->index : NULL;
}

/* ---- recording ---- */

static void put_run(uint8_t *p, uint64_t n)
{
	for (unsigned i = 0; i < RUN_BYTES; i++, n >>= 7)
		p[i] = (uint8_t)((n & 0x7f) | (i + 1 < RUN_BYTES ? 0x80 : 0));
}

static int64_t as_polled(struct place *k, const struct hb__sequence *s, int64_t now, const void *pc, bool same)
{
	if (!same || k->pc != pc) {
		k->pc = pc;
		k->polls = 0;
		k->since = now;
		return now;
	}
	if (likely(++k->polls <= POLLS))
		return now;
	int64_t late = (now - k->since) >> PART, most = late < s->per_ms ? late : s->per_ms;
	return now >= k->last && now - k->last < most ? k->last : now;
}

int64_t hb__sequence_keep(struct hb__sequence *s, int64_t now, const void *pc)
{
	struct place *k = place_of(s);
	uint8_t bytes[1 + HB_UV_MAX];
	if (unlikely(!k))
		return now;
	bool same = hb__door->adds(&s->source);
	if (s->per_ms)
		now = as_polled(k, s, now, pc, same);
	if (now == k->last && same && k->run && k->runs < RUN_MOST) {
		put_run(k->run, ++k->runs);
		return now;
	}
	if (now == k->last) {
		bytes[0] = 0;
		put_run(bytes + 1, k->runs = 1);
		k->run = hb__door->add(&s->source, bytes, 1 + RUN_BYTES);
		k->run += k->run ? 1 : 0;
		return now;
	}
	size_t n = (size_t)(hb_put_sv(bytes, now - k->last) - bytes);
	k->run = NULL;
	k->last = now;
	hb__door->add(&s->source, bytes, n);
	return now;
}

/* ---- replay ---- */

/* The next number; false: there is none in this item. */
static bool decode(struct place *k)
{
	uint64_t v;
	while (!k->left) {
		const uint8_t *p = k->at < k->end ? hb_get_uv(k->at, k->end, &v) : NULL;
		if (p && v) {
			k->at = p;
			k->last += hb_unzigzag(v);
			return true;
		}
		p = p ? hb_get_uv(p, k->end, &k->left) : NULL;
		if (!p) {
			k->at = k->end;
			k->left = 0;
			return false;
		}
		k->at = p;
	}
	k->left--;
	return true;
}

static bool next_item(struct place *k, const struct hb__sequence *s)
{
	struct hb__item item;
	struct hb__piece piece;
	if (!hb__door->next(s->source.name, &item) || !hb__door->item_piece(&item, &piece))
		return false;
	k->at = piece.p;
	k->end = piece.p + piece.bytes;
	k->event = item.event;
	return true;
}

/* Past the recording the clock goes on from where it was, as the real one does. */
static int64_t beyond(struct place *k, const struct hb__sequence *s, int64_t now, const void *pc)
{
	hb__called_more(&s->source, s->kind, pc);
	if (!s->per_ms)
		return now;
	if (!k->beyond)
		k->extra = now;
	k->beyond = true;
	return k->last + (now - k->extra);
}

int64_t hb__sequence_give(struct hb__sequence *s, int64_t now, const void *pc)
{
	struct place *k = place_of(s);
	if (unlikely(!k))
		return now;
	for (;;) {
		bool have = k->left || k->at < k->end;
		if (!have && !next_item(k, s))
			return beyond(k, s, now, pc);
		enum hb__where where = hb__position(k->event);
		if (where == HB__AHEAD)
			return beyond(k, s, now, pc);
		if (where == HB__HERE && decode(k))
			break;
		/* what was not asked for any more counts for the differences behind it */
		bool passed = false;
		while (where == HB__PASSED && decode(k))
			passed = true;
		if (passed)
			hb__called_less(&s->source, s->kind, pc);
	}
	k->beyond = false;
	hb__door->given();
	return k->last;
}
