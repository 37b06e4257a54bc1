/* Digests of whole contents, of what a call gives and of what it gets: gathered while the call is under way, for a buffer may be another one
 * when it is over, and written before its row. */
#include <string.h>
#include <sys/mman.h>

#include "capture/core/layer.h"
#include "capture/core/memory/memory.h"
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"

bool hb__digests;

struct digest {
	uint32_t what;
	uint64_t value;
};
/* Of this thread. A callback of the program may make calls inside of one that has gathered some already: call.digests is where each begins. */
struct gathered {
	struct digest *at;
	uint32_t n, cap;
	uint32_t started;  /* requests that the call under way is about to start */
	MPI_Status status; /* of a read whose caller wants none: how much came stands in it */
};
static __thread void *gathered_at __attribute__((tls_model("initial-exec")));

static struct gathered *mine(void)
{
	return likely(gathered_at != NULL) ? gathered_at : hb__thread_room(&gathered_at, sizeof(struct gathered));
}

static bool more_room(struct gathered *g)
{
	uint32_t cap = g->cap ? 2 * g->cap : 64;
	struct digest *at = hb__pages(cap * sizeof *at);
	if (!at)
		return false;
	if (g->at) {
		memcpy(at, g->at, g->n * sizeof *at);
		munmap(g->at, g->cap * sizeof *at);
	}
	g->at = at;
	g->cap = cap;
	return true;
}

/* False: they cannot be read, or there are none. */
static bool digest_of(const struct hb__places *p, int64_t bytes, uint64_t *ret)
{
	bytes = bytes < p->bytes ? bytes : p->bytes;
	if (!p->n || bytes <= 0)
		return false;
	if (p->n == 1 && !p->place && !p->one.holes) {
		if (!hb__readable(p->one.at, (size_t)bytes))
			return false;
		*ret = hb__hash(p->one.at, (size_t)bytes, 0);
		return true;
	}
	uint8_t *room = hb__pages((size_t)bytes);
	bool good = room && hb__places_read(p, bytes, room);
	if (good)
		*ret = hb__hash(room, (size_t)bytes, 0);
	if (room)
		munmap(room, (size_t)bytes);
	return good;
}

static void gather(uint32_t what, const struct hb__places *places, int64_t bytes)
{
	struct gathered *g = hb__config.whole && hb__data_writes ? mine() : NULL;
	struct digest d = {.what = what};
	if (!g || !digest_of(places, bytes, &d.value) || (g->n == g->cap && !more_room(g)))
		return;
	g->at[g->n++] = d;
}

/* ---- what a call gives ---- */

static bool goes_nowhere(const struct hb__call *c)
{
	return hb__has(c, HB_R_DEST) && (int)hb__arg(c, HB_R_DEST) == MPI_PROC_NULL;
}

/* The first buffer with its count and datatype, which stand first among those. */
static void places_of_first(struct hb__call *c, struct hb__places *ret)
{
	enum hb_role buffer = hb__has(c, HB_R_SBUF) ? HB_R_SBUF : HB_R_RBUF;
	if (!hb__has(c, buffer) || !hb__has(c, HB_R_TYPE))
		return;
	int count = hb__role(c, HB_R_COUNT);
	int64_t n = count < 0 ? 1 : c->fn->wide ? (int64_t)c->a[count] : (int)c->a[count];
	hb__places_of_buffer(hb__arg(c, buffer), n, hb__arg(c, HB_R_TYPE), ret);
}

static void places_of_side(struct hb__call *c, struct hb__places *ret)
{
	const struct hb__slot *s = c->slot;
	if (!s)
		return;
	bool placed = hb__has(c, HB_R_SBUF) && (const void *)hb__arg(c, HB_R_SBUF) == MPI_IN_PLACE;
	hb__places_of_part(c, placed ? &s->in_place : &s->in, ret);
}

static void places_given(struct hb__call *c, struct hb__places *ret)
{
	*ret = (struct hb__places){.n = 0};
	if (c->fn->means->does == HB_DOES_PARTITIONED || goes_nowhere(c))
		return;
	if (c->fn->cls == HB_COLLECTIVE)
		places_of_side(c, ret);
	else if (c->fn->cls == HB_SEND || (c->fn->cls == HB_RECV && hb__has(c, HB_R_DEST)))
		places_of_first(c, ret);
	else if ((c->fn->cls == HB_RMA || c->fn->cls == HB_IO) && hb__has(c, HB_R_SBUF))
		places_of_first(c, ret);
}

void hb__digests_mark(struct hb__call *c)
{
	struct gathered *g = mine();
	c->digests = g ? g->n : 0;
	if (g)
		g->started = 0;
}

/* What a read got is as long as its status says. */
static void want_status(struct hb__call *c)
{
	struct gathered *g = mine();
	int at = hb__role(c, HB_R_STATUS);
	if (g && c->fn->cls == HB_IO && at >= 0 && (MPI_Status *)c->a[at] == MPI_STATUS_IGNORE)
		c->a[at] = (uintptr_t)&g->status;
}

void hb__digests_begin(struct hb__call *c)
{
	struct hb__places places;
	uint8_t *mark = c->lane->scratch;
	hb__digests_mark(c);
	want_status(c);
	if (c->fn->flags & HB_PERSISTENT) /* it is given when it is started */
		return;
	places_given(c, &places);
	gather(HB_DIGEST_GIVEN, &places, places.bytes);
	hb__scratch_release(c->lane, mark);
}

/* Of a persistent request, to be looked at when it is started. */
void hb__digests_places(struct hb__call *c, struct hb__places *ret) { places_given(c, ret); }

void hb__digests_starting(const struct hb__places *given)
{
	struct gathered *g = mine();
	if (g && given)
		gather(HB_DIGEST_STARTED + g->started, given, given->bytes);
	if (g)
		g->started++;
}

/* ---- what it gets ---- */

/* Whoever follows the memory of the program hears where something came. */
static void tell(const struct hb__places *places, int64_t bytes)
{
	if (hb__tracing && hb__tracing->received)
		hb__places_each(places, bytes, hb__tracing->received);
}

void hb__digests_arrived(
	const struct hb__call *c, const struct hb__places *places, const MPI_Request *at, MPI_Status *st)
{
	const MPI_Request *first = hb__has(c, HB_R_REQS) ? (const MPI_Request *)hb__arg(c, HB_R_REQS) : at;
	uint32_t which = at && first ? (uint32_t)(at - first) : 0;
	int64_t bytes = places->message ? hb__status_bytes(st) : places->bytes;
	gather(HB_DATA_REQUEST + which, places, bytes);
	tell(places, bytes);
}

static MPI_Status *status_of(const struct hb__call *c)
{
	MPI_Status *st = hb__has(c, HB_R_STATUS) ? (MPI_Status *)hb__arg(c, HB_R_STATUS) : NULL;
	return st == MPI_STATUS_IGNORE ? NULL : st;
}

static void got(struct hb__call *c)
{
	struct hb__places places = {.n = 0};
	const MPI_Status *st = status_of(c);
	if (c->fn->flags & (HB_NONBLOCKING | HB_PERSISTENT | HB_START))
		return;
	if (c->fn->cls == HB_RECV || c->fn->cls == HB_COLLECTIVE || (c->fn->cls == HB_IO && hb__has(c, HB_R_RBUF)))
		hb__places_to_come(c, &places);
	bool told = c->fn->cls == HB_COLLECTIVE || st;
	int64_t bytes = st && c->fn->cls != HB_COLLECTIVE ? hb__status_bytes(st) : places.bytes;
	if (places.n && told)
		gather(HB_DIGEST_GOT, &places, bytes);
	tell(&places, bytes);
}

/* ---- what is asked for, and comes with a later call ---- */

static struct hb__fetches asked;

static bool is_asking(const struct hb__call *c)
{
	return hb__has(c, HB_R_RBUF) && !hb__has(c, HB_R_NEWREQ) &&
	       (c->fn->cls == HB_RMA || (c->fn->cls == HB_IO && !hb__has(c, HB_R_STATUS)));
}

static void ask(struct hb__call *c)
{
	struct hb__places places;
	if (c->fn->cls == HB_RMA) {
		hb__fetches_window(&asked, c);
		return;
	}
	hb__places_of_fetch(c, &places);
	hb__fetches_add(&asked, hb__arg(c, HB_R_FILE), 0, &places);
}

static void came(struct hb__call *c)
{
	struct hb__fetch *all = NULL;
	uint32_t what = HB_DATA_REQUEST;
	const MPI_Status *st = status_of(c);
	if (c->fn->cls == HB_RMA && hb__has(c, HB_R_WIN))
		all = hb__fetches_take(&asked, hb__arg(c, HB_R_WIN), hb__completed_targets(c));
	else if (c->fn->cls == HB_IO && hb__has(c, HB_R_RBUF) && st && !hb__has(c, HB_R_TYPE))
		all = hb__fetches_take(&asked, hb__arg(c, HB_R_FILE), HB__OF_ALL);
	for (const struct hb__fetch *f = all; f; f = f->next)
		if (st)
			gather(HB_DIGEST_GOT, &f->places, hb__status_bytes(st));
		else
			gather(what++, &f->places, f->places.bytes);
	hb__fetches_drop(all);
}

static void write_down(struct hb__call *c, struct hb__source *next, struct hb__source *own)
{
	struct gathered *g = mine();
	if (!g || g->n <= c->digests)
		return;
	if (hb__data_digests(next, own, g->n - c->digests))
		for (uint32_t i = c->digests; i < g->n; i++)
			hb__data_digest(g->at[i].what, g->at[i].value);
	g->n = c->digests;
}

static void arrived(struct hb__call *c)
{
	if (is_asking(c)) {
		ask(c);
	} else {
		got(c);
		came(c);
	}
}

void hb__digests_end(struct hb__call *c, int code)
{
	static struct hb__source next = {.name = HB_DIGEST_LAYER "next"}, own = {.name = HB_DIGEST_LAYER "event"};
	uint8_t *mark = c->lane->scratch;
	if (code == MPI_SUCCESS)
		arrived(c);
	hb__scratch_release(c->lane, mark);
	write_down(c, &next, &own);
}

void hb__digests_moved(struct hb__call *c, int code)
{
	static struct hb__source source[HB_FN_COUNT];
	static char name[HB_FN_COUNT][48];
	struct hb__source *s = &source[c->fn->id];
	if (unlikely(!s->name)) {
		snprintf(name[c->fn->id], sizeof name[0], HB_DIGEST_LAYER "%s", c->fn->name);
		__atomic_store_n(&s->name, name[c->fn->id], __ATOMIC_RELEASE);
	}
	if (code == MPI_SUCCESS)
		arrived(c);
	write_down(c, s, NULL);
}

void hb__digests_start(void)
{
	hb__digests = (hb__config.whole && hb__data_writes) || (hb__tracing && hb__tracing->received);
	if (hb__digests)
		hb__io_start_requests();
}
