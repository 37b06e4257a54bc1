/* Arrays: their identity, and which one lies at an address. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "capture/accesses/front/front.h"

#define NAME_MOST 200u
#define BUCKETS 1024u

/* All arrays of one name and place. */
struct kind {
	char *name, *file;
	uint32_t line, arrays;
	struct kind *next;
};

uint64_t hb__arrays_turn = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kind *kinds[BUCKETS];
static struct hb__array *all;     /* registered ones, the newest first, without those that are gone */
static struct hb__array *touched; /* in the construct that the first thread is in; perhaps some that are gone */
static struct hb__array **live;   /* by address; they do not overlap */
static size_t nlive, live_room;
static uint64_t numbers;
static struct hb__array *left, *spare; /* gone, and perhaps in somebody's hand until the next point; to be used again */

static void turn(void) { __atomic_fetch_add(&hb__arrays_turn, 1, __ATOMIC_RELEASE); }

/* ---- by address ---- */

/* The first one that ends behind p. */
static size_t place_of(uintptr_t p)
{
	size_t low = 0, high = nlive;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (live[middle]->high <= p)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct hb__array *hb__array_at(const void *p, uint64_t *ret_turn)
{
	pthread_mutex_lock(&lock);
	*ret_turn = hb__arrays_turn;
	size_t i = place_of((uintptr_t)p);
	struct hb__array *a = i < nlive && live[i]->low <= (uintptr_t)p ? live[i] : NULL;
	pthread_mutex_unlock(&lock);
	return a;
}

static void insert(struct hb__array *a)
{
	if (!(a->flags & HB_TRACE_ARRAY_OWN)) {
		a->back = &all;
		a->next = all;
		if (all)
			all->back = &a->next;
		all = a;
	}
	if (a->low == a->high || !HB_GROW(live, live_room, nlive + 1))
		return;
	size_t i = place_of(a->low);
	memmove(live + i + 1, live + i, (nlive - i) * sizeof *live);
	live[i] = a;
	nlive++;
}

static void take_out(struct hb__array *a)
{
	if (a->back)
		*a->back = a->next;
	if (a->back && a->next)
		a->next->back = a->back;
	size_t i = place_of(a->low);
	if (i < nlive && live[i] == a)
		memmove(live + i, live + i + 1, (--nlive - i) * sizeof *live);
}

/* ---- definitions ---- */

static struct kind *kind_of(const char *name, const char *file, uint32_t line)
{
	uint64_t h = line;
	for (unsigned i = 0; i < NAME_MOST && name[i]; i++)
		h = (h ^ (uint8_t)name[i]) * 0x100000001b3u;
	struct kind **at = &kinds[(h ^ h >> 32) % BUCKETS], *k = *at;
	while (k && (k->line != line || strncmp(k->name, name, NAME_MOST) || strcmp(k->file, file)))
		k = k->next;
	if (!k && (k = hb__room_for(sizeof *k))) {
		k->name = hb__text_copy(name, NAME_MOST);
		k->file = hb__text_copy(file, HB__TEXT_MOST);
		k->line = line;
		k->next = *at;
		if (!k->name || !k->file)
			return NULL;
		*at = k;
	}
	return k;
}

static uint8_t *put_extents(uint8_t *w, const hb_array *a)
{
	for (unsigned i = 0; i < a->rank; i++) {
		w = hb__sv(w, a->base[i]);
		const int64_t *part[] = {
			a->global, a->first, a->count, a->below, a->above, a->block, a->over, a->place};
		for (unsigned k = 0; k < sizeof part / sizeof *part; k++)
			w = k == 1 ? hb__sv(w, part[k][i]) : hb__uv(w, (uint64_t)part[k][i]);
	}
	return w;
}

static void define(struct hb__thread *t, const struct hb__array *a)
{
	uint8_t record[2 * HB__TEXT_MOST + (9 * HB_DIMENSIONS + 12) * HB__UV], *w = hb__uv(record, HB_TRACE_ARRAY);
	w = hb__uv(w, a->number);
	w = hb__str(w, a->id.name);
	w = hb__str(w, a->id.file);
	w = hb__uv(w, a->id.line);
	w = hb__uv(w, a->id.ordinal);
	w = hb__uv(w, a->as.type);
	w = hb__uv(w, a->as.rank);
	w = hb__uv(w, a->flags);
	w = hb__uv(w, (uint64_t)(uintptr_t)a->as.at);
	w = put_extents(w, &a->as);
	hb__define(t, record, (size_t)(w - record));
}

uint64_t hb__array_number(struct hb__thread *t, struct hb__array *array)
{
	uint64_t number = __atomic_load_n(&array->number, __ATOMIC_ACQUIRE);
	if (likely(number))
		return number;
	static pthread_mutex_t defining = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&defining);
	if (!array->number) {
		struct hb__array copy = *array;
		copy.number = ++numbers;
		define(t, &copy);
		__atomic_store_n(&array->number, copy.number, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&defining);
	return array->number;
}

uint64_t hb__array_missing(struct hb__thread *t, const hb_array_id *id)
{
	static struct hb__array *missing;
	for (struct hb__array *a = missing; a; a = a->next)
		if (!strcmp(a->id.name, id->name) && a->id.line == id->line && a->id.ordinal == id->ordinal &&
			!strcmp(a->id.file, hb__last_part(id->file)))
			return a->number;
	struct hb__array *a = hb__room_for(sizeof *a);
	if (!a)
		return 0;
	a->id = (hb_array_id){.name = hb__text_copy(id->name, NAME_MOST),
		.file = hb__text_copy(hb__last_part(id->file), HB__TEXT_MOST),
		.line = id->line,
		.ordinal = id->ordinal};
	if (!a->id.name || !a->id.file)
		return 0;
	a->as.rank = 1;
	a->flags = HB_TRACE_ARRAY_OWN;
	a->next = missing;
	missing = a;
	return hb__array_number(t, a);
}

/* ---- coming and going ---- */

static void put_gone(struct hb__thread *t, const struct hb__array *a)
{
	uint8_t record[2 * HB__UV], *w = hb__uv(record, HB_TRACE_GONE);
	w = hb__uv(w, a->number);
	if (a->number)
		hb__define(t, record, (size_t)(w - record));
}

/* With the lock. */
static void goes(struct hb__thread *t, struct hb__array *a)
{
	if (hb__watcher.gone)
		hb__watcher.gone(a);
	take_out(a);
	a->gone = true;
	turn();
	put_gone(t, a);
	a->next = left;
	left = a;
}

/* What was known of this memory is no more; of what lay there only with a part of it something is said. */
static void make_room(struct hb__thread *t, const struct hb__array *for_it)
{
	for (size_t i = place_of(for_it->low); i < nlive && live[i]->low < for_it->high;) {
		struct hb__array *a = live[i];
		if (a->low != for_it->low && !(a->flags & (HB_TRACE_ARRAY_OWN | HB_TRACE_ARRAY_TOLD)))
			hb__put_trouble(t, HB_TROUBLE_ARRAY, a->number,
				"array \"%s\" (%s:%u) lies in memory of array \"%s\" (%s:%u), which is taken for gone",
				for_it->id.name, for_it->id.file, (unsigned)for_it->id.line, a->id.name, a->id.file,
				(unsigned)a->id.line);
		goes(t, a);
	}
}

/* With the lock. What was summed of the array before holds of any with the same contents. */
static struct hb__array *take_spare(void)
{
	struct hb__array *a = spare;
	if (!a)
		return hb__room_for(sizeof *a);
	spare = a->next;
	*a = (struct hb__array){.summed = a->summed};
	return a;
}

static struct hb__array *comes(
	struct hb__thread *t, struct kind *kind, const hb_array *as, uint32_t flags, size_t bytes)
{
	struct hb__array *a = kind ? take_spare() : NULL;
	if (!a)
		return NULL;
	a->id = (hb_array_id){.name = kind->name, .file = kind->file, .line = kind->line, .ordinal = kind->arrays++};
	a->as = *as;
	a->as.name = kind->name;
	a->flags = flags;
	a->low = (uintptr_t)as->at;
	a->high = a->low + bytes;
	make_room(t, a);
	insert(a);
	turn();
	return a;
}

/* Bytes of the storage; false: they cannot be that many. */
static bool storage(const hb_array *a, size_t *ret)
{
	size_t n = hb_element_bytes(a->type);
	for (unsigned i = 0; i < a->rank; i++) {
		int64_t extent = a->below[i] + a->count[i] + a->above[i];
		if (extent < 0 || __builtin_mul_overflow(n, (size_t)extent, &n))
			return false;
	}
	*ret = n;
	return n < (size_t)1 << 47;
}

static uint32_t flags_of(const hb_array *a)
{
	return (a->columns ? HB_TRACE_ARRAY_COLUMNS : 0) | (a->replicated ? HB_TRACE_ARRAY_REPLICATED : 0) |
	       (a->read_only ? HB_TRACE_ARRAY_READ_ONLY : 0);
}

static void fill_counts(hb_array *a)
{
	bool none = true;
	for (unsigned i = 0; i < a->rank; i++)
		none = none && !a->count[i] && !a->block[i];
	for (unsigned i = 0; i < a->rank && none; i++)
		a->count[i] = a->global[i];
}

/* With the lock: whether some of the memory is of an array with one of these flags; 0: of one that the program registered. */
static bool holds(uintptr_t low, uintptr_t high, uint32_t flags)
{
	for (size_t i = place_of(low); i < nlive && live[i]->low < high; i++) {
		bool registered = !(live[i]->flags & (HB_TRACE_ARRAY_OWN | HB_TRACE_ARRAY_TOLD));
		if (flags ? (live[i]->flags & flags) != 0 : registered)
			return true;
	}
	return false;
}

static struct hb__array *same(const struct kind *kind, const void *at)
{
	for (struct hb__array *a = all; a; a = a->next)
		if (a->as.at == at && a->id.name == kind->name && a->id.file == kind->file && a->id.line == kind->line)
			return a;
	return NULL;
}

bool hb__same_array(const hb_array *a, const hb_array *b)
{
	hb_array as = *a;
	as.name = b->name;
	return !memcmp(&as, b, sizeof as);
}

static void changes(struct hb__thread *t, struct hb__array *a, const hb_array *as, uint32_t flags, size_t bytes)
{
	const char *name = a->as.name;
	if (hb__same_array(as, &a->as) && flags == a->flags)
		return;
	take_out(a);
	a->as = *as;
	a->as.name = name;
	a->flags = flags;
	a->high = a->low + bytes;
	make_room(t, a);
	insert(a);
	turn();
	if (a->number)
		define(t, a);
}

void hb__array_told(struct hb__thread *t, const hb_array *array, const char *file, int line)
{
	hb_array as = *array;
	size_t bytes = 0;
	const char *name = as.name ? as.name : "", *why = NULL;
	if (as.rank < 1 || as.rank > HB_DIMENSIONS || (unsigned)as.type >= HB_ELEMENTS) {
		hb__put_trouble(t, HB_TROUBLE_ARRAY, 0,
			"array \"%s\" (%s:%d) has %u dimensions, and elements of type %d", name, hb__last_part(file),
			line, as.rank, (int)as.type);
		return;
	}
	fill_counts(&as);
	why = !storage(&as, &bytes) ? "its storage is larger than memory can be"
	      : bytes && !as.at     ? "it has no address"
				    : hb_array_trouble(&as);
	uint8_t before = hb__door->aside();
	pthread_mutex_lock(&lock);
	struct kind *kind = kind_of(name, hb__last_part(file), (uint32_t)line);
	struct hb__array *a = kind ? same(kind, as.at) : NULL;
	if (a)
		changes(t, a, &as, flags_of(&as), why ? 0 : bytes);
	else
		a = comes(t, kind, &as, flags_of(&as), why ? 0 : bytes);
	pthread_mutex_unlock(&lock);
	if (a) {
		a->strange = why;
		hb__array_number(t, a);
		if (why)
			hb__put_trouble(t, HB_TROUBLE_ARRAY, a->number, "array \"%s\" (%s:%d): %s", name,
				hb__last_part(file), line, why);
		else if (hb__watcher.array)
			hb__watcher.array(a);
	}
	hb__door->back(before);
}

struct hb__array *hb__array_own(struct hb__thread *t, const char *name, const char *file, uint32_t line,
	uint32_t ordinal, hb_element type, const void *at, size_t bytes)
{
	int64_t n = (int64_t)(bytes / hb_element_bytes(type));
	hb_array as = {.at = at, .type = type, .rank = 1, .global = {n}, .count = {n}};
	pthread_mutex_lock(&lock);
	bool told = holds((uintptr_t)at, (uintptr_t)at + bytes, HB_TRACE_ARRAY_TOLD);
	struct kind *kind = kind_of(name, hb__last_part(file), line);
	struct hb__array *a = told ? NULL : comes(t, kind, &as, HB_TRACE_ARRAY_OWN, bytes);
	if (a && ordinal != HB__ORDINAL_NEXT) {
		a->id.ordinal = ordinal;
		kind->arrays = kind->arrays - 1 > ordinal ? kind->arrays - 1 : ordinal + 1;
	}
	pthread_mutex_unlock(&lock);
	return a;
}

struct hb__array *hb__array_spread(struct hb__thread *t, const char *name, const char *file, uint32_t line,
	const hb_array *as, size_t room, bool begins)
{
	size_t bytes = 0;
	if (!storage(as, &bytes) || !bytes || (room && bytes > room) || hb_array_trouble(as))
		return NULL;
	bytes = begins && room ? room : bytes;
	pthread_mutex_lock(&lock);
	size_t i = place_of((uintptr_t)as->at);
	struct hb__array *a = i < nlive && live[i]->low == (uintptr_t)as->at ? live[i] : NULL;
	if (holds((uintptr_t)as->at, (uintptr_t)as->at + bytes, 0))
		a = NULL;
	else if (a)
		changes(t, a, as, flags_of(as) | HB_TRACE_ARRAY_TOLD, bytes);
	else
		a = comes(t, kind_of(name, file, line), as, flags_of(as) | HB_TRACE_ARRAY_TOLD, bytes);
	pthread_mutex_unlock(&lock);
	return a;
}

static void all_from(struct hb__thread *t, const void *at)
{
	for (struct hb__array *a = all, *next; a; a = next) {
		next = a->next;
		if (a->as.at == at)
			goes(t, a);
	}
}

void hb__array_freed(struct hb__thread *t, const void *at)
{
	pthread_mutex_lock(&lock);
	size_t i = place_of((uintptr_t)at);
	if (i < nlive && live[i]->low == (uintptr_t)at)
		goes(t, live[i]);
	pthread_mutex_unlock(&lock);
}

void hb__array_ends(struct hb__thread *t, const void *at)
{
	pthread_mutex_lock(&lock);
	all_from(t, at);
	pthread_mutex_unlock(&lock);
}

/* ---- for the first thread ---- */

struct hb__array *hb__array_from(const void *at)
{
	struct hb__array *a = all;
	while (a && a->as.at != at)
		a = a->next;
	return a;
}

struct hb__array *hb__arrays_all(void) { return all; }

static bool is(const struct hb__array *a, const hb_array_id *id)
{
	bool place = !id->file || (!strcmp(a->id.file, hb__last_part(id->file)) && a->id.line == id->line);
	return place && a->id.ordinal == id->ordinal && id->name && !strcmp(a->id.name, id->name);
}

struct hb__array *hb__array_named(const hb_array_id *id)
{
	struct hb__array *a = all;
	while (a && !is(a, id))
		a = a->next;
	for (size_t i = 0; !a && i < nlive; i++)
		if (is(live[i], id))
			a = live[i];
	return a;
}

/* ---- what a construct touches ---- */

void hb__touch_more(struct hb__array *array, uint8_t access)
{
	if (__atomic_fetch_or(&array->touched, access, __ATOMIC_RELAXED))
		return;
	array->touched_next = __atomic_load_n(&touched, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		&touched, &array->touched_next, array, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

struct hb__array *hb__arrays_touched(void) { return __atomic_load_n(&touched, __ATOMIC_ACQUIRE); }

void hb__arrays_untouched(void)
{
	for (struct hb__array *a = __atomic_exchange_n(&touched, NULL, __ATOMIC_ACQUIRE), *next; a; a = next) {
		next = a->touched_next;
		__atomic_store_n(&a->touched, 0, __ATOMIC_RELEASE);
	}
	if (!left)
		return;
	pthread_mutex_lock(&lock);
	while (left) {
		struct hb__array *a = left;
		left = a->next;
		a->next = spare;
		spare = a;
	}
	pthread_mutex_unlock(&lock);
}
