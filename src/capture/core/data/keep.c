/* Streams of threads: items and their pieces, as they come. */
#include <string.h>

#include "capture/core/data/data.h"
#include "capture/core/record/record.h"
#include "format/data/raw.h"

#define INLINE 32u     /* bytes up to here stand in the item itself */
#define PIECE_MOST 64u /* ... and a piece takes no more than this */
#define SOURCES 2048u
#define BYTES_BLOCKS 16u /* of an extent of contents, 1 MiB, once there were some smaller ones */

struct stream {
	struct hb_data_extent *items, *bytes;
	uint8_t *w, *end;         /* items */
	uint8_t *free, *free_end; /* contents */
	uint64_t free_at;         /* place of `free` in the file */
	struct hb__large large;
	uint64_t behind; /* of the contents referred to last */
	uint64_t event, thread;
	uint32_t extents, blocks;
	unsigned left, pieces;         /* of the item that is open: that may come, that came */
	uint8_t *count;                /* where their number stands */
	unsigned width;                /* its bytes */
	const struct hb__source *adds; /* whose contents the last item has, which may get more: */
	uint8_t *adds_w, *adds_length; /* where it ends, and where its length stands */
	uint32_t added;
	uint64_t told[SOURCES / 64];
};

static __thread struct stream *self __attribute__((tls_model("initial-exec")));
static __thread struct stream *other
	__attribute__((tls_model("initial-exec"))); /* of handlers, or of the thread in one */
static __thread bool aside __attribute__((tls_model("initial-exec")));

static struct stream *stream_of_this_thread(void)
{
	if (unlikely(!self)) {
		self = hb__pages(sizeof *self);
		if (self)
			self->thread = hb__thread_identity() ^ (aside ? HB__ASIDE : 0);
	}
	return self;
}

/* Room for so many bytes of items. */
static bool room(struct stream *s, size_t need)
{
	uint64_t at;
	if (likely((size_t)(s->end - s->w) >= need))
		return true;
	struct hb_data_extent *x = hb__data_extent(HB_DATA_ITEMS, need, s->extents < 4 ? 1 : 4, &at);
	if (!x)
		return false;
	hb__data_extent_done(s->items);
	x->thread = s->thread;
	x->before = s->extents++;
	s->items = x;
	s->w = (uint8_t *)x + HB_DATA_HEAD;
	s->end = (uint8_t *)x + (size_t)x->blocks * HB_DATA_BLOCK;
	return true;
}

/* What stands there so far is an item. */
static void commit(struct stream *s)
{
	HB_STORE(s->items, valid, (uint64_t)(s->w - (uint8_t *)s->items) - HB_DATA_HEAD, __ATOMIC_RELEASE);
}

static struct stream *begin(bool wanted, unsigned n)
{
	struct stream *s = wanted ? stream_of_this_thread() : NULL;
	if (!s)
		return NULL;
	hb__data_hold();
	if (room(s, 4 * HB_UV_MAX + 128 + (size_t)n * PIECE_MOST))
		return s;
	hb__data_release();
	return NULL;
}

static void over(struct stream *s)
{
	commit(s);
	hb__data_release();
}

/* The number of pieces is known when the item ends: it gets as many bytes as the largest one may need. */
static void put_count(struct stream *s)
{
	uint8_t *p = s->count;
	unsigned v = s->pieces;
	for (unsigned i = 0; i < s->width; i++, v >>= 7)
		p[i] = (uint8_t)((v & 0x7f) | (i + 1 < s->width ? 0x80 : 0));
}

static void begun(struct stream *s, unsigned n)
{
	s->left = n;
	s->pieces = 0;
	s->count = s->w;
	s->width = n < 1u << 7 ? 1 : n < 1u << 14 ? 2 : 5;
	s->w += s->width;
	if (!n)
		hb__data_end();
}

void hb__data_end(void)
{
	struct stream *s = self;
	if (!s || !s->count)
		return;
	put_count(s);
	s->count = NULL;
	s->left = 0;
	over(s);
}

bool hb__data_event(struct hb__lane *lane, unsigned n)
{
	struct stream *s = begin(hb__data_keeps, n);
	uint64_t event = lane->control->events + 1;
	if (!s)
		return false;
	s->w = hb_put_uv(s->w, HB_DATA_EVENT);
	s->w = hb_put_uv(s->w, event - s->event);
	s->event = event;
	begun(s, n);
	return true;
}

static uint32_t number_of(struct hb__source *source)
{
	static uint32_t given;
	uint32_t number = __atomic_load_n(&source->number, __ATOMIC_RELAXED), none = 0;
	if (likely(number))
		return number;
	number = __atomic_add_fetch(&given, 1, __ATOMIC_RELAXED);
	/* of two threads one wins, and a number stays unused */
	return __atomic_compare_exchange_n(&source->number, &none, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
		       ? number
		       : none;
}

static void tell_name(struct stream *s, const struct hb__source *source, uint32_t number)
{
	if (likely(number < SOURCES && s->told[number / 64] >> number % 64 & 1))
		return;
	if (number < SOURCES)
		s->told[number / 64] |= UINT64_C(1) << number % 64;
	s->w = hb_put_uv(s->w, HB_DATA_NAME);
	s->w = hb_put_uv(s->w, number);
	s->w = hb_put_str(s->w, source->name, strnlen(source->name, 100));
}

static void begin_call(struct stream *s, struct hb__source *source)
{
	const struct hb__lane *lane = hb__lane_so_far();
	uint64_t event = lane ? lane->control->events : 0;
	uint32_t number = number_of(source);
	tell_name(s, source, number);
	s->w = hb_put_uv(s->w, HB_DATA_CALL);
	s->w = hb_put_uv(s->w, number);
	s->w = hb_put_uv(s->w, event > s->event ? event - s->event : 0);
	s->event = event > s->event ? event : s->event;
}

bool hb__data_call(struct hb__source *source, unsigned n)
{
	struct stream *s = begin(hb__data_keeps, n);
	if (!s)
		return false;
	begin_call(s, source);
	begun(s, n);
	return true;
}

bool hb__data_digests(struct hb__source *next, struct hb__source *own, unsigned n)
{
	struct stream *s = n ? begin(hb__data_writes, n) : NULL;
	if (!s)
		return false;
	const struct hb__lane *lane = hb__lane_so_far();
	begin_call(s, own && lane && s->event > lane->control->events ? own : next);
	begun(s, n);
	return true;
}

/* A piece begins. NULL: nothing is kept any more. */
static struct stream *piece(uint32_t what, size_t bytes)
{
	struct stream *s = self;
	if (!s || !s->left)
		return NULL;
	s->w = hb_put_uv(s->w, what);
	s->w = hb_put_uv(s->w, bytes);
	return s;
}

static void ended(struct stream *s)
{
	s->pieces++;
	if (!--s->left)
		hb__data_end();
}

static void inline_bytes(struct stream *s, const void *p, size_t bytes)
{
	if (!bytes)
		return;
	*s->w++ = 0;
	memcpy(s->w, p, bytes);
	s->w += bytes;
}

void hb__data_digest(uint32_t what, uint64_t digest)
{
	struct stream *s = piece(what, sizeof digest);
	if (!s)
		return;
	digest = hb_little64(digest);
	inline_bytes(s, &digest, sizeof digest);
	ended(s);
}

static void refer(struct stream *s, uint64_t at, size_t bytes)
{
	s->w = hb_put_uv(s->w, 1 + hb_zigzag((int64_t)(at - s->behind)));
	s->behind = at + bytes;
}

static bool contents_room(struct stream *s, size_t bytes)
{
	uint64_t at;
	if (likely((size_t)(s->free_end - s->free) >= bytes))
		return true;
	s->blocks = !s->blocks ? 1 : s->blocks < BYTES_BLOCKS ? 2 * s->blocks : BYTES_BLOCKS;
	struct hb_data_extent *x = hb__data_extent(HB_DATA_BYTES, bytes, s->blocks, &at);
	if (!x)
		return false;
	hb__data_extent_done(s->bytes);
	s->bytes = x;
	s->free = (uint8_t *)x + HB_DATA_HEAD;
	s->free_at = at + HB_DATA_HEAD;
	s->free_end = (uint8_t *)x + (size_t)x->blocks * HB_DATA_BLOCK;
	return true;
}

/* The bytes at s->free stay. */
static void take(struct stream *s, size_t bytes)
{
	s->free += bytes;
	s->free_at += bytes;
	HB_STORE(s->bytes, valid, (uint64_t)(s->free - (uint8_t *)s->bytes) - HB_DATA_HEAD, __ATOMIC_RELEASE);
}

void hb__data_piece(uint32_t what, const void *p, size_t bytes)
{
	struct stream *s = self;
	uint64_t there;
	if (bytes >= HB__DATA_LARGE && s && s->left && hb__data_large(&s->large, p, bytes, &there)) {
		piece(what, bytes);
		refer(s, there, bytes);
		hb__data_came(bytes);
		ended(s);
		return;
	}
	/* without room the piece is there, and empty: what gives it back finds that it has not the bytes it needs */
	bool fits = s && s->left && (bytes <= INLINE || contents_room(s, bytes));
	s = piece(what, fits ? bytes : 0);
	if (!s)
		return;
	if (fits && bytes > INLINE) {
		uint64_t at = hb__data_known(p, bytes, s->free_at);
		if (at == s->free_at) {
			memcpy(s->free, p, bytes);
			take(s, bytes);
		}
		refer(s, at, bytes);
	} else if (fits) {
		inline_bytes(s, p, bytes);
	}
	hb__data_came(fits ? bytes : 0);
	ended(s);
}

void hb__data_number(uint32_t what, int64_t v)
{
	uint8_t bytes[HB_UV_MAX];
	hb__data_piece(what, bytes, (size_t)(hb_put_sv(bytes, v) - bytes));
}

void *hb__data_room(size_t bytes)
{
	struct stream *s = self;
	return s && s->left && contents_room(s, bytes) ? s->free : NULL;
}

void hb__data_packed(uint32_t what, size_t bytes)
{
	struct stream *s = piece(what, bytes);
	if (!s)
		return;
	if (bytes > INLINE) {
		uint64_t at = hb__data_known(s->free, bytes, s->free_at);
		if (at == s->free_at)
			take(s, bytes);
		refer(s, at, bytes);
	} else {
		inline_bytes(s, s->free, bytes);
	}
	hb__data_came(bytes);
	ended(s);
}

/* ---- contents that add up ---- */

#define LENGTH 3u /* bytes of the length, so that it can grow where it stands */
#define ADDED_MOST 30000u

static void put_length(uint8_t *p, uint32_t n)
{
	p[0] = (uint8_t)(n | 0x80);
	p[1] = (uint8_t)(n >> 7 | 0x80);
	p[2] = (uint8_t)(n >> 14 & 0x7f);
}

bool hb__data_adds(const struct hb__source *source)
{
	const struct stream *s = self;
	const struct hb__lane *lane = likely(hb__self != NULL) ? hb__self : hb__lane_so_far();
	return s && s->adds == source && s->w == s->adds_w && hb__data_keeps &&
	       (!lane || lane->control->events <= s->event);
}

/* A length that is told before its bytes are there ends the stream for a reader; the other way round bytes would be taken for an item. */
uint8_t *hb__data_add(struct hb__source *source, const uint8_t *p, size_t bytes)
{
	struct stream *s = self;
	if (likely(hb__data_adds(source) && s->added + bytes <= ADDED_MOST && (size_t)(s->end - s->w) >= bytes)) {
		hb__data_hold();
	} else {
		s = begin(hb__data_keeps, 1);
		if (!s)
			return NULL;
		begin_call(s, source);
		s->w = hb_put_uv(s->w, 1); /* piece, */
		s->w = hb_put_uv(s->w, 0); /* with this number */
		s->adds_length = s->w;
		s->w += LENGTH;
		*s->w++ = 0; /* its bytes follow */
		s->adds = source;
		s->added = 0;
	}
	uint8_t *at = s->w;
	memcpy(at, p, bytes);
	s->w = s->adds_w = at + bytes;
	s->added += (uint32_t)bytes;
	put_length(s->adds_length, s->added);
	hb__data_came(bytes);
	over(s);
	return at;
}

/* This thread is the only one of a child, and what it has is its parent's. */
void hb__streams_forked(void)
{
	self = other = NULL;
	aside = false;
}

bool hb__data_aside(bool on)
{
	if (aside == on || hb__data_holds())
		return false;
	struct stream *s = self;
	aside = on;
	self = other;
	other = s;
	return true;
}
