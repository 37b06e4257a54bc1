/* What is known of the elements of arrays, for dynamic control. */
#include <string.h>

#include "capture/accesses/watch/watch.h"

static struct hb__shadow *spare, *live; /* by the lock */
static int busy;

static void lock(void)
{
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		;
}

static void unlock(void) { __atomic_store_n(&busy, 0, __ATOMIC_RELEASE); }

/* ---- registered arrays: what lies beside them ---- */

static struct hb__array *registered[256];
static unsigned nregistered;

void hb__shadow_registered(struct hb__array *array)
{
	lock();
	bool known = array->flags & HB_TRACE_ARRAY_OWN;
	for (unsigned i = 0; i < nregistered; i++)
		known |= registered[i] == array;
	if (!known && nregistered < sizeof registered / sizeof *registered)
		registered[nregistered++] = array;
	unlock();
}

/* Bytes of a slab of the slowest dimension: an index that is one too far there is as far away. */
static uintptr_t slab_of(const struct hb__array *a)
{
	unsigned d = a->as.columns ? a->as.rank - 1 : 0;
	int64_t extent = a->as.below[d] + a->as.count[d] + a->as.above[d];
	uintptr_t slab = extent > 0 ? (a->high - a->low) / (uintptr_t)extent : 0;
	return slab > 64 ? slab : 64;
}

struct hb__array *hb__shadow_beside(uintptr_t at, uint64_t *ret_element)
{
	struct hb__array *found = NULL;
	lock();
	for (unsigned i = 0; i < nregistered && !found; i++) {
		struct hb__array *a = registered[i];
		uintptr_t slab = slab_of(a);
		if (at + slab < a->low || at >= a->high + slab)
			continue;
		found = a;
		*ret_element = (uint64_t)((int64_t)(at - a->low) / (int64_t)hb_element_bytes(a->as.type));
	}
	unlock();
	return found;
}

/* ---- making ---- */

static bool has_halo(const struct hb__array *a)
{
	bool has = false;
	for (unsigned d = 0; d < a->as.rank; d++)
		has |= a->as.below[d] || a->as.above[d];
	return has && !(a->flags & HB_TRACE_ARRAY_OWN) && !a->strange;
}

static uint8_t place_of(const hb_array *as, uint64_t element)
{
	int64_t index[HB_DIMENSIONS];
	bool owned, within = true;
	hb_array_index(as, (int64_t)element, index, &owned);
	for (unsigned d = 0; d < as->rank; d++)
		within &= index[d] >= 0 && index[d] < as->global[d];
	return owned ? SHADOW_OWNED : within ? SHADOW_HALO : SHADOW_BORDER;
}

/* The elements of the halo, numbered. */
static bool make_halo(struct hb__array *a, struct hb__shadow *s)
{
	unsigned size = hb_element_bytes(a->as.type);
	s->place = hb__trace_pages(s->n);
	s->slot = hb__trace_pages(s->n * sizeof *s->slot);
	if (!s->place || !s->slot)
		return false;
	for (uint64_t i = 0; i < s->n; i++)
		if ((s->place[i] = place_of(&a->as, i)) == SHADOW_HALO)
			s->slot[i] = s->halos++;
	uint64_t room = s->halos ? s->halos : 1;
	s->halo = hb__trace_pages(room * sizeof *s->halo);
	s->fresh = hb__trace_pages(room * sizeof *s->fresh);
	s->had = hb__trace_pages(room * size);
	if (!s->halo || !s->fresh || !s->had)
		return false;
	for (uint64_t i = 0; i < s->n; i++)
		if (s->place[i] == SHADOW_HALO)
			s->halo[s->slot[i]] = i;
	return true;
}

/* One of an array that is gone, if it is not much too large: numbers of its time are too old to matter. */
static struct hb__shadow *used_again(uint64_t n)
{
	for (struct hb__shadow **p = &spare; *p; p = &(*p)->next)
		if ((*p)->room >= n && (*p)->room / 4 <= n) {
			struct hb__shadow *s = *p;
			*p = s->next;
			return s;
		}
	return NULL;
}

static struct hb__shadow *make(struct hb__array *a)
{
	uint64_t n = (a->high - a->low) / hb_element_bytes(a->as.type);
	struct hb__shadow *s = has_halo(a) ? NULL : used_again(n);
	if (!s && (!(s = hb__trace_pages(sizeof *s)) || !(s->cell = hb__trace_pages(n * sizeof *s->cell))))
		return NULL;
	if (!s->room)
		s->room = n;
	s->n = n;
	if (has_halo(a) && !make_halo(a, s))
		return NULL;
	s->next = live;
	live = s;
	s->array = a;
	return s;
}

struct hb__shadow *hb__shadow_of(struct hb__array *array)
{
	struct hb__shadow *s = __atomic_load_n(&array->watch, __ATOMIC_ACQUIRE);
	if (likely(s))
		return s;
	lock();
	if (!(s = array->watch) && (s = make(array)) != NULL)
		__atomic_store_n(&array->watch, s, __ATOMIC_RELEASE);
	unlock();
	return s;
}

void hb__shadow_gone(struct hb__array *array)
{
	lock();
	for (unsigned i = 0; i < nregistered; i++)
		if (registered[i] == array)
			registered[i--] = registered[--nregistered];
	struct hb__shadow *s = array->watch, **p = &live;
	while (s && *p && *p != s)
		p = &(*p)->next;
	if (s && *p) {
		*p = s->next;
		s->next = spare;
		s->array = NULL;
		if (!s->place)
			spare = s;
	}
	array->watch = NULL;
	unlock();
}

/* ---- halos ---- */

void hb__shadows_end(void)
{
	lock();
	for (struct hb__shadow *s = live; s; s = s->next) {
		unsigned size = s->changed ? hb_element_bytes(s->array->as.type) : 0;
		if (!s->changed)
			continue;
		s->changed = false;
		s->version++;
		for (uint32_t i = 0; i < s->halos; i++)
			memcpy(s->had + (size_t)i * size, (const char *)s->array->low + s->halo[i] * size, size);
	}
	unlock();
}

bool hb__shadow_stale(struct hb__array *array, struct hb__shadow *s, uint64_t element)
{
	uint32_t i = s->slot[element];
	unsigned size = hb_element_bytes(array->as.type);
	if (s->fresh[i] >= s->version)
		return false;
	/* somebody whose writes we do not see, such as MPI, has brought another value */
	if (memcmp(s->had + (size_t)i * size, (const char *)array->low + element * size, size) != 0) {
		s->fresh[i] = s->version;
		return false;
	}
	return true;
}

/* Whether the halo element lies on sides that were all exchanged: below and above of each dimension. */
static bool on_sides(const hb_array *as, uint64_t element, const unsigned char *sides)
{
	int64_t index[HB_DIMENSIONS];
	bool owned, good = true;
	hb_array_index(as, (int64_t)element, index, &owned);
	for (unsigned d = 0; d < as->rank; d++) {
		if (index[d] < as->first[d])
			good &= sides[2 * d] != 0;
		else if (index[d] >= as->first[d] + as->count[d])
			good &= sides[2 * d + 1] != 0;
	}
	return good;
}

void hb__shadow_exchanged(struct hb__array *array, const unsigned char *sides)
{
	struct hb__shadow *s = hb__shadow_of(array);
	/* of what we have seen to come we know better than the program says which elements it was */
	if (s && s->version && s->brought == s->version)
		return;
	for (uint32_t i = 0; s && i < s->halos; i++)
		if (!sides || on_sides(&array->as, s->halo[i], sides))
			s->fresh[i] = s->version;
}

void hb__shadow_received(const void *p, size_t bytes)
{
	uintptr_t from = (uintptr_t)p, to = from + bytes;
	lock();
	for (struct hb__shadow *s = live; s; s = s->next) {
		const struct hb__array *a = s->array;
		if (!s->halos || from >= a->high || to <= a->low)
			continue;
		unsigned size = hb_element_bytes(a->as.type);
		uint64_t first = from > a->low ? (from - a->low) / size : 0,
			 last = to < a->high ? (to - 1 - a->low) / size : s->n - 1;
		for (uint64_t i = first; i <= last && i < s->n; i++)
			if (s->place[i] == SHADOW_HALO) {
				s->fresh[s->slot[i]] = s->version;
				s->brought = s->version;
			}
	}
	unlock();
}

/* ---- what nobody has written ---- */

bool hb__is_painted_whole(const void *p, size_t n)
{
	static const uint32_t paint[4] = {HB__PAINT, HB__PAINT, HB__PAINT, HB__PAINT};
	return n <= sizeof paint && !memcmp(p, paint, n);
}
