/* Requests: what they bring is known when they are made, and is there when they are over. */
#include "capture/mpi/data/io.h"
#include "capture/mpi/family/family.h"
#include "capture/mpi/observe/observe.h"

struct hb__kept {
	struct hb__kept *next;    /* unused ones */
	struct hb__places places; /* n 0: it brings nothing */
	struct hb__places given;  /* digests: what a persistent one gives each time; n 0: nothing */
	int64_t part;             /* elements of a partition; 0: it has none */
	bool brought;             /* they are kept already; digests: theirs comes when it is over */
};
static struct hb__kept *unused;

static void keep_places(struct hb__call *c, struct hb__request *r)
{
	struct hb__places places, given = {.n = 0};
	uint8_t *mark = c->lane->scratch;
	if (!r || c->fn->flags & HB_START)
		return;
	hb__places_to_come(c, &places);
	if (unlikely(hb__digests) && c->fn->flags & HB_PERSISTENT)
		hb__digests_places(c, &given);
	if (!places.n && !given.n)
		return;
	bool kept = hb__places_keep(&places) && hb__places_keep(&given);
	hb__scratch_release(c->lane, mark);
	if (!kept)
		return;
	hb__track_lock();
	struct hb__kept *k = unused;
	if (k)
		unused = k->next;
	else
		k = hb__pool(sizeof *k);
	hb__track_unlock();
	if (k) {
		k->places = places;
		k->given = given;
		k->brought = false;
		k->part = c->fn->means->does == HB_DOES_PARTITIONED ? (int64_t)c->a[2] : 0;
	}
	r->kept = k;
}

static void drop_places(struct hb__request *r)
{
	struct hb__kept *k = r->kept;
	if (!k)
		return;
	hb__places_drop(&k->places);
	hb__places_drop(&k->given);
	r->kept = NULL;
	hb__track_lock();
	k->next = unused;
	unused = k;
	hb__track_unlock();
}

static bool is_over(MPI_Request request)
{
	int flag = 0;
	return PMPI(Request_get_status)(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag;
}

/* A collective of one process is complete at once, and the library gives all of those one handle: when it is told to be over, nobody can say of
 * which of them. What it brings is there now. Alone the event has an item where it was so. */
static void bring_at_once(struct hb__call *c, struct hb__request *r)
{
	struct hb__io io;
	if (!hb__data_gives && !is_over((MPI_Request)r->handle))
		return;
	if (!hb__io_event(&io, c, 1))
		return;
	hb__io_places(&io, HB_DATA_REQUEST, &r->kept->places, r->kept->places.bytes);
	hb__io_end(&io);
	if (hb__digests)
		r->kept->brought = true;
	else if (!io.bad)
		drop_places(r);
}

static void posted(struct hb__call *c, struct hb__request *r, int code)
{
	if (code == MPI_SUCCESS)
		keep_places(c, r);
	if (code == MPI_SUCCESS && r && r->kept && c->fn->cls == HB_COLLECTIVE && !r->persistent)
		bring_at_once(c, r);
}

static void over(struct hb__call *c, struct hb__request *r, const MPI_Request *at, MPI_Status *st, int error)
{
	bool came = r->kept && error == MPI_SUCCESS && !((r->message || r->cancelling) && hb__status_cancelled(st));
	if (unlikely(hb__digests) && came)
		hb__digests_arrived(c, &r->kept->places, at, st);
	if (!r->persistent)
		drop_places(r);
}

static void starting(struct hb__call *c, struct hb__request *r)
{
	(void)c;
	if (hb__digests)
		hb__digests_starting(r && r->kept ? &r->kept->given : NULL);
}

static void freed(struct hb__call *c, struct hb__request *r, const MPI_Request *at)
{
	(void)c;
	(void)at;
	drop_places(r);
}

void hb__io_start_requests(void)
{
	static const struct hb__observer observer = {
		.posted = posted, .starting = starting, .over = over, .freed = freed};
	static bool observes;
	if (!observes)
		hb__observe(&observer);
	observes = true;
}

/* ---- completions ---- */

static bool has_places(const struct hb__request *r) { return r->kept && r->kept->places.n && !r->kept->brought; }

/* Whether something comes with it that the program did not know. Requests that are complete at once may share a handle: nothing
 * comes with those. */
static bool brings(const struct hb__request *r)
{
	return has_places(r) || r->cancelling || (r->receive && r->source != HB_PROC_NULL);
}

/* How many of those that the call has ended before this one had its handle. */
static unsigned alike_before(const struct hb__completion *k, int at)
{
	unsigned n = 0;
	for (int i = 0; k->indices ? k->indices[i] != at : i != at; i++)
		n += k->was[k->indices ? k->indices[i] : i] == k->was[at];
	return n;
}

static struct hb__request *ended(const struct hb__completion *k, int at)
{
	if ((MPI_Request)k->was[at] == hb__known.request_null)
		return NULL;
	struct hb__request *r = hb__request_find(k->was[at]);
	if (likely(!r || !r->chain || !k->at))
		return r;
	hb__track_lock();
	r = hb__request_of_variable(r, &k->at[at], k->index ? 0 : alike_before(k, at));
	hb__track_unlock();
	return r;
}

/* One that is over: its status, and what it brought. */
static void one(struct hb__io *io, struct hb__call *c, const struct hb__completion *k, int at, MPI_Status *st)
{
	struct hb__request *r = ended(k, at);
	uint32_t what = HB_DATA_REQUEST + (uint32_t)at;
	int64_t error = 0;
	if (!r || !r->active)
		return;
	if (k->code != MPI_SUCCESS && hb__error_class(k->code) == HB_ERR_IN_STATUS) {
		error = io->gives || st->MPI_ERROR == MPI_SUCCESS ? 0 : hb__error_class(st->MPI_ERROR);
		hb__io_number(io, what, &error);
		st->MPI_ERROR = io->gives ? hb__error_code(error) : st->MPI_ERROR;
	}
	if (error == HB_ERR_PENDING)
		return;
	/* of a send nothing in its status means anything */
	if (brings(r))
		hb__io_status(io, hb__io_what(c, hb__has(c, HB_R_STATUSES) ? HB_R_STATUSES : HB_R_STATUS), st);
	/* Open MPI leaves that unset in the statuses of files */
	bool cancelled = (r->message || r->cancelling) && hb__status_cancelled(st);
	if (has_places(r) && !cancelled) {
		const struct hb__places *p = &r->kept->places;
		hb__io_places(io, what, p, p->message ? hb__status_bytes(st) : p->bytes);
	} else if (r->plain && r->receive && !cancelled) {
		struct hb__places p = {.n = 1, .bytes = r->bytes, .one = {.at = r->into, .count = r->bytes, .unit = 1}};
		hb__io_places(io, what, &p, hb__status_bytes(st));
	}
}

/* A partition that has arrived may be read before the rest is there. */
bool hb__io_arrived(struct hb__call *c)
{
	struct hb__io io;
	struct hb__places places;
	const struct hb__request *r = c->fn->means->does == HB_DOES_ARRIVED ? hb__request_find(c->a[0]) : NULL;
	if (!r || !r->active || !r->kept || !r->kept->part)
		return true;
	const struct hb__place *all = &r->kept->places.one;
	MPI_Count lb = 0, extent = 0;
	PMPI(Type_get_extent_x)(all->type, &lb, &extent);
	hb__places_of_buffer((uintptr_t)all->at + (uintptr_t)((int)c->a[1] * r->kept->part * extent), r->kept->part,
		(uintptr_t)all->type, &places);
	if (!hb__io_event(&io, c, 1))
		return false;
	hb__io_places(&io, HB_DATA_REQUEST, &places, places.bytes);
	hb__io_end(&io);
	return !io.bad;
}

/* How many pieces there may be: three for each request, and three arguments. */
static unsigned most(const struct hb__completion *k) { return 3 * (unsigned)(k->n > 0 ? k->n : 0) + 3; }

static bool has_pieces(const struct hb__completion *k)
{
	if (k->index || k->indices || k->code != MPI_SUCCESS)
		return true;
	for (int i = 0; i < k->n; i++) {
		if ((MPI_Request)k->was[i] == hb__known.request_null)
			continue;
		const struct hb__request *r = hb__request_find(k->was[i]);
		/* of those that share a handle it may be any, by its variable */
		if (r && (brings(r) || r->chain))
			return true;
	}
	return false;
}

bool hb__io_completion(struct hb__call *c, struct hb__completion *k)
{
	struct hb__io io;
	if (!has_pieces(k)) {
		hb__io_shared(c);
		return true;
	}
	if (!hb__io_event(&io, c, most(k)))
		return false;
	if (k->index) {
		hb__io_ints(&io, hb__io_what(c, HB_R_INDEX), k->index, 1, false);
		if (*k->index >= 0 && *k->index < k->n)
			one(&io, c, k, *k->index, k->st);
	} else if (k->indices) {
		hb__io_ints(&io, hb__io_what(c, HB_R_OUTCOUNT), k->out, 1, false);
		int n = *k->out == MPI_UNDEFINED || *k->out > k->n ? 0 : *k->out;
		hb__io_ints(&io, hb__io_what(c, HB_R_INDICES), k->indices, n, false);
		for (int i = 0; i < n; i++)
			if (k->indices[i] >= 0 && k->indices[i] < k->n)
				one(&io, c, k, k->indices[i], &k->st[i]);
	} else {
		for (int i = 0; i < k->n; i++)
			one(&io, c, k, i, &k->st[i]);
	}
	hb__io_end(&io);
	hb__io_shared(c);
	return !io.bad;
}
