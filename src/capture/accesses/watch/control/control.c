/* Dynamic control: what may go wrong on other numbers of processes and threads, found in this run. README.md has the rules.
 *
 * What a thread does is numbered: each iteration of a parallel loop, and what it does outside of iterations between two barriers. Each element
 * remembers the numbers of who wrote and who read it last. Two accesses, one of which writes, are a dependence when nothing orders them:
 * iterations of one loop, or threads between two barriers - but for those under a lock, or atomic ones. */
#include <sched.h>
#include <string.h>

#include "capture/accesses/watch/watch.h"

/* ---- who does what ---- */

#define DOINGS (1u << 18)
struct doing {
	uint32_t serial, thread;
	uint64_t loop; /* the epoch of its loop; 0: it is no iteration */
	unsigned n;
	int64_t index[HB_DIMENSIONS];
};
static struct doing *doings;        /* by serial, the last DOINGS */
static uint32_t serials, first = 1; /* first: of this epoch */
static uint64_t epoch = 1;

/* Iterations of the loops around, the outermost first. */
#define NEST 32u
static struct {
	hb_construct_type type;
	unsigned n;
	int64_t index[HB_DIMENSIONS];
} nest[NEST];
static unsigned depth, parallel; /* constructs that are open, and how many of those are parallel ones */

bool hb__control_parallel(void) { return parallel != 0; }

void hb__control_barrier(void)
{
	__atomic_store_n(&first, __atomic_load_n(&serials, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&epoch, 1, __ATOMIC_RELEASE);
}

static unsigned push(int64_t *to, unsigned n, const int64_t *from, unsigned more)
{
	for (unsigned i = 0; i < more && n < HB_DIMENSIONS; i++)
		to[n++] = from[i];
	return n;
}

/* The loops around the innermost parallel one, and `n` indices of that. */
static unsigned nest_of(int64_t index[HB_DIMENSIONS], unsigned n, const int64_t *own)
{
	unsigned all = 0;
	for (unsigned i = 0; i < depth && i < NEST; i++)
		if (nest[i].type != HB_CONSTRUCT_PARALLEL)
			all = push(index, all, nest[i].index, nest[i].n);
	return push(index, all, own, n);
}

static void does(struct hb__watch *w, uint64_t loop, unsigned n, const int64_t *index)
{
	w->epoch = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
	w->serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
	if (!doings && !(doings = hb__trace_pages(DOINGS * sizeof *doings)))
		return;
	struct doing *d = &doings[w->serial % DOINGS];
	d->serial = w->serial;
	d->thread = w->thread->number;
	d->loop = loop;
	d->n = loop ? nest_of(d->index, n, index) : 0;
}

static inline uint32_t serial_of(struct hb__watch *w)
{
	if (w->epoch != __atomic_load_n(&epoch, __ATOMIC_ACQUIRE))
		does(w, 0, 0, NULL);
	return w->serial;
}

static const struct doing *doing_of(uint32_t serial)
{
	const struct doing *d = doings ? &doings[serial % DOINGS] : NULL;
	return d && d->serial == serial ? d : NULL;
}

static __attribute__((noinline)) bool nothing_orders(uint32_t mine, uint32_t other, bool carries)
{
	const struct doing *a = doing_of(mine), *b = doing_of(other);
	if (!a || !b)
		return false; /* too long ago to say */
	return a->thread != b->thread ? !hb__orders_unknown() : carries && a->loop && a->loop == b->loop;
}

/* Whether nothing orders what `other` did and what is done as `mine`. carries: iterations that one thread does one after the other depend on each
 * other by that. */
static inline bool apart(uint32_t mine, uint32_t other, bool carries)
{
	return other != mine && other >= __atomic_load_n(&first, __ATOMIC_RELAXED) &&
	       nothing_orders(mine, other, carries);
}

void hb__control_begins(struct hb__thread *t, hb_construct_type type)
{
	(void)t;
	if (type == HB_CONSTRUCT_POINT)
		return;
	if (depth < NEST) {
		nest[depth].type = type;
		nest[depth].n = 0;
	}
	depth++;
	if (type == HB_CONSTRUCT_PARALLEL) {
		parallel++;
		hb__orders_begin();
		hb__control_barrier();
	}
}

void hb__control_iterates(struct hb__watch *w, hb_construct_type type, unsigned n, const int64_t *index)
{
	if (type == HB_CONSTRUCT_PARALLEL)
		does(w, __atomic_load_n(&epoch, __ATOMIC_ACQUIRE), n, index);
	if (w->thread->number == 0 && depth && depth <= NEST) {
		nest[depth - 1].n = 0;
		nest[depth - 1].n = push(nest[depth - 1].index, 0, index, n);
	}
}

/* ---- findings ---- */

static struct {
	struct hb__array *array;
	uint64_t place, other;
	uint32_t finding; /* 0: free, else one more than it is */
} found[8192];
static int finding;
static unsigned nfound;

/* Whether it is new; an entry stays. */
static bool is_new(hb_control_finding kind, struct hb__array *array, uint64_t place, uint64_t other)
{
	const unsigned n = sizeof found / sizeof *found;
	uint64_t hash = ((uint64_t)(uintptr_t)array >> 4) * 0x9e3779b97f4a7c15 + place * 0xc2b2ae3d27d4eb4f +
			other * 0x165667b19e3779f9 + kind;
	bool fresh = false;
	while (__atomic_exchange_n(&finding, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	for (unsigned i = (unsigned)(hash >> 40) % n, k = 0; k < n && nfound < n / 2; k++, i = (i + 1) % n) {
		if (found[i].finding == (uint32_t)kind + 1 && found[i].array == array && found[i].place == place &&
			found[i].other == other)
			break;
		if (found[i].finding)
			continue;
		found[i].array = array;
		found[i].place = place;
		found[i].other = other;
		found[i].finding = (uint32_t)kind + 1;
		nfound++;
		fresh = true;
		break;
	}
	__atomic_store_n(&finding, 0, __ATOMIC_RELEASE);
	return fresh;
}

void hb__control_found(struct hb__thread *t, struct hb__watch *w, hb_control_finding kind, struct hb__array *array,
	uint64_t element, uint64_t place, uint64_t other, uint32_t serial)
{
	if (!is_new(kind, array, place, other))
		return;
	const struct doing *d = parallel ? doing_of(serial_of(w)) : NULL, *o = serial ? doing_of(serial) : NULL;
	int64_t index[HB_DIMENSIONS];
	unsigned n = 0;
	if (!d || !d->loop) /* no iteration of a parallel loop: of the others around */
		n = nest_of(index, 0, NULL);
	hb__put_control(t, kind, array, element, place, other, n || !d ? n : d->n, n || !d ? index : d->index,
		o ? o->n : 0, o ? o->index : NULL);
	if (nfound == sizeof found / sizeof *found / 2)
		hb__put_trouble(t, HB_TROUBLE_ROOM, 0, "there are more findings of dynamic control than are told");
}

/* ---- reductions ---- */

static struct {
	const void *at;
	size_t bytes;
	unsigned depth; /* of its construct; 0: that has ended */
} reductions[64];
static unsigned nreductions;

void hb__control_reduction(const void *at, hb_element type)
{
	hb__control_reduced(at);
	if (nreductions < sizeof reductions / sizeof *reductions) {
		reductions[nreductions].at = at;
		reductions[nreductions].bytes = hb_element_bytes(type);
		reductions[nreductions++].depth = depth;
	}
}

void hb__control_reduced(const void *at)
{
	for (unsigned i = 0; i < nreductions; i++)
		if (reductions[i].at == at)
			reductions[i--] = reductions[--nreductions];
}

/* A variable of a reduction is read and then written: x += y. Who reads it and does not write it uses it before it is complete. True: it is one. */
static bool of_reduction(
	struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, uintptr_t at, uint8_t access)
{
	for (unsigned i = 0; i < nreductions; i++) {
		if (at - (uintptr_t)reductions[i].at >= reductions[i].bytes)
			continue;
		if (access == HB_ACCESS_WRITE) {
			w->half = NULL;
			return true;
		}
		if (w->half == reductions[i].at)
			hb__control_found(t, w, HB_CONTROL_REDUCTION, e->array, 0, w->half_at, 0, 0);
		w->half = reductions[i].depth ? reductions[i].at : NULL;
		w->half_at = hb__seen_number(t, e);
		if (!reductions[i].depth)
			hb__control_found(t, w, HB_CONTROL_REDUCTION, e->array, 0, w->half_at, 0, 0);
		return true;
	}
	return false;
}

void hb__control_ends(struct hb__thread *t, hb_construct_type type)
{
	if (type == HB_CONSTRUCT_POINT || !depth)
		return;
	for (unsigned i = 0; i < nreductions; i++)
		if (reductions[i].depth == depth)
			reductions[i].depth = 0;
	for (struct hb__watch *w = hb__watches(); w; w = w->next) {
		if (w->half)
			hb__control_found(t, w, HB_CONTROL_REDUCTION, NULL, 0, w->half_at, 0, 0);
		w->half = NULL;
	}
	depth--;
	if (type == HB_CONSTRUCT_PARALLEL) {
		hb__shadows_end();
		parallel -= parallel != 0;
		hb__control_barrier();
	}
}

/* ---- accesses ---- */

/* Who accessed it before, and who does now. */
static inline void order(struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, struct hb__cell *c,
	uint64_t element, uint8_t access, bool held)
{
	uint32_t mine = serial_of(w), place = (uint32_t)hb__seen_number(t, e), here = place | (held ? SHADOW_HELD : 0);
	uint32_t writer = c->writer, written_at = c->written_at;
	/* memory that nobody registered is each process's own: iterations that write it over, each for itself, do not meet */
	bool carries = access == HB_ACCESS_READ || !(e->array->flags & HB_TRACE_ARRAY_OWN);
	if (apart(mine, writer, carries) && !(held && written_at & SHADOW_HELD))
		hb__control_found(
			t, w, HB_CONTROL_DEPENDENCE, e->array, element, place, written_at & ~SHADOW_HELD, writer);
	if (access == HB_ACCESS_READ) {
		/* two that differ are kept: whoever writes then is another one than one of them */
		int i = c->reader[0] != mine && c->reader[0] >= __atomic_load_n(&first, __ATOMIC_RELAXED);
		c->reader[i] = mine;
		c->read_at[i] = here;
		return;
	}
	for (int i = 0; i < 2; i++) {
		uint32_t reader = c->reader[i], read_at = c->read_at[i];
		if (apart(mine, reader, carries) && !(held && read_at & SHADOW_HELD))
			hb__control_found(
				t, w, HB_CONTROL_DEPENDENCE, e->array, element, place, read_at & ~SHADOW_HELD, reader);
	}
	c->writer = mine;
	c->written_at = here;
}

/* Who computes a neighbour's elements himself, as the neighbour does, has them up to date when the construct ends; what sets an array for the first
 * time may set its halo, too. */
static void of_halo(struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, struct hb__shadow *s,
	uint64_t element, uint8_t access)
{
	uint64_t place = hb__seen_number(t, e);
	if (access == HB_ACCESS_WRITE) {
		if (parallel && s->version)
			hb__control_found(t, w, HB_CONTROL_SHADOW_WRITE, e->array, element, place, 0, 0);
		/* outside: what was received is put where it belongs */
		s->fresh[s->slot[element]] = s->version + (parallel != 0);
		if (!parallel)
			s->brought = s->version;
	} else if (hb__shadow_stale(e->array, s, element))
		hb__control_found(
			t, w, parallel ? HB_CONTROL_SHADOW_STALE : HB_CONTROL_REMOTE, e->array, element, place, 0, 0);
}

static inline void of_element(struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, struct hb__shadow *s,
	uint64_t element, uint8_t access, bool held, bool bulk)
{
	bool halo = s->place && s->place[element] == SHADOW_HALO;
	if (halo && !bulk) /* who copies or clears all of an array does not mean its halo */
		of_halo(t, w, e, s, element, access);
	else if (access == HB_ACCESS_WRITE && parallel && !halo)
		s->changed = true;
	if (parallel)
		order(t, w, e, &s->cell[element], element, access, held);
}

void hb__control(struct hb__thread *t, struct hb__watch *w, struct hb__seen_place *e, uintptr_t at, size_t n,
	uint8_t access, bool atomic)
{
	if (e->array)
		w->looked[access == HB_ACCESS_WRITE] += (n >> e->shift) + !(n >> e->shift);
	struct hb__array *a = e->array;
	if (nreductions && of_reduction(t, w, e, at, access))
		return;
	if (access == HB_ACCESS_READ && hb__is_painted(at, n)) {
		uint64_t element = a ? (at - a->low) >> e->shift : 0;
		hb__control_found(t, w, a ? HB_CONTROL_UNWRITTEN : HB_CONTROL_UNWRITTEN_LOCAL, a, element,
			hb__seen_number(t, e), 0, 0);
	}
	if (!a) {
		uint64_t element;
		struct hb__array *beside = e->nothing ? hb__shadow_beside(at, &element) : NULL;
		if (beside)
			hb__control_found(t, w, HB_CONTROL_NOT_LOCAL, beside, element, hb__seen_number(t, e), 0, 0);
		return;
	}
	struct hb__shadow *s = hb__shadow_of(a);
	uint64_t from = (at - a->low) >> e->shift, to = (at - a->low + n - 1) >> e->shift;
	if (a->as.read_only && access == HB_ACCESS_WRITE)
		hb__control_found(t, w, HB_CONTROL_READ_ONLY, a, from, hb__seen_number(t, e), 0, 0);
	for (uint64_t i = from; s && i <= to && i < s->n; i++)
		of_element(t, w, e, s, i, access, atomic || hb__orders_held, n > 16);
}
