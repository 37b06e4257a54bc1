/* Which wildcard receives raced, seen while the program runs.
 *
 * A wildcard receive r could have got another message m when m matches it too, went to a
 * receive posted later, comes from another sender, and was sent without knowing that r
 * was over. The last is what the vector that came with m tells: messages of this process are
 * numbered, and m's sender knew of the message after r's end or did not. (R. Netzer and
 * B. Miller, "Optimal tracing and replay for debugging message-passing parallel programs", 1992;
 * the paper marks the later receive, whose message would have to be held back. Here the earlier one
 * is marked: replay asks it for its sender.)
 *
 * What is not known counts as a race: too many marks cost bytes, too few cost the replay.
 * A process with several lanes needs no marks, for the tool keeps all its rows. */
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>

#include "capture/mpi/carry/carry.h"
#include "capture/mpi/family/family.h"
#include "capture/core/record/record.h"

#define LISTED_MAX 4096
#define PATIENCE 5000000000u /* nanoseconds that MPI_Finalize waits for the counts of the others */

/* Where a receive stands, and what this process had done when it was over. */
struct stand {
	uint64_t event; /* its number in the lane */
	uint64_t place; /* among the receives posted */
	uint32_t sent;  /* number of its message at the sender */
	uint32_t done;  /* messages that this process had sent then */
	uint32_t epoch; /* collectives of all processes that it had begun */
};

/* Wildcard receives that are over and got messages of one sender: `count` of them, each by `step` further than the one
 * before. So a loop that receives the same way over and over takes no more room than one receive. */
struct past {
	struct past *before, *after; /* by the time of their end */
	const struct hb__lane *lane;
	struct hb__asked asked; /* without place */
	bool known;             /* the sender is */
	int32_t from;
	uint32_t from_lane;
	uint64_t count;
	struct stand first, last, step;
};

static struct past *oldest, *newest;      /* not known to race */
static struct past *doomed, *doomed_last; /* raced; the mark is not written yet */
static struct past *unused;
static unsigned listed;
static struct hb__carry *first_pending, *last_pending; /* wildcard receives, in the order of posting */
static uint32_t epochs;                                /* collectives of all processes, begun by this one */
static uint64_t places;
static uint32_t messages;                 /* sent by this process */
static uint32_t *sent_to, *received_from; /* of each process; NULL without memory */

static bool several_lanes(void) { return hb__lanes && hb__lanes->next; }

void hb__race_begin_process(void)
{
	sent_to = hb__pages(8 * (size_t)hb__size);
	received_from = sent_to ? sent_to + hb__size : NULL;
}

uint64_t hb__race_place(void)
{
	return unlikely(hb__threaded) ? __atomic_add_fetch(&places, 1, __ATOMIC_RELAXED) : ++places;
}

uint32_t hb__race_send(int peer)
{
	hb__track_lock();
	if (messages < UINT32_MAX) /* from there on everything counts as a race */
		messages++;
	uint32_t number = messages;
	if (sent_to && peer >= 0)
		sent_to[peer]++;
	hb__track_unlock();
	return number;
}

/* ---- marks ---- */

static struct stand moved(struct stand s, struct stand step, uint64_t times)
{
	s.event += step.event * times;
	s.place += step.place * times;
	s.sent += step.sent * (uint32_t)times;
	s.done += step.done * (uint32_t)times;
	s.epoch += step.epoch * (uint32_t)times;
	return s;
}

static void put_mark(struct hb__lane *to, const struct past *p)
{
	if (!hb__row_room(to, 5 * HB_UV_MAX))
		return;
	uint8_t *w = to->w;
	*w++ = HB_ROW_MARK;
	w = hb_put_uv(w, p->lane->number);
	w = hb_put_uv(w, p->first.event);
	w = hb_put_uv(w, p->known ? (uint64_t)p->from : UINT64_MAX);
	w = hb_put_uv(w, p->known ? p->first.sent : 0);
	hb__row_commit(to, w);
}

/* A mark stands after the row that it names. */
static inline void put_marks(struct hb__lane *to)
{
	while (unlikely(doomed != NULL) && doomed->lane->control->events >= doomed->first.event) {
		struct past *p = doomed;
		put_mark(to, p);
		p->first = moved(p->first, p->step, 1);
		if (--p->count)
			continue;
		doomed = p->after;
		p->after = unused;
		unused = p;
	}
}

static void doom(struct past *p)
{
	p->after = NULL;
	if (doomed)
		doomed_last->after = p;
	else
		doomed = p;
	doomed_last = p;
}

static void unlist(struct past *p)
{
	*(p->before ? &p->before->after : &oldest) = p->after;
	*(p->after ? &p->after->before : &newest) = p->before;
	listed--;
}

static struct past *past_new(void)
{
	struct past *p = unused;
	if (p)
		unused = p->after;
	else if (!(p = hb__pool(sizeof *p)))
		hb__row_note("level racing: out of memory for the list of messages that may race");
	return p;
}

/* The receive `in` of this lane comes after those of `run` as they come after each other: it is now one of them. */
static bool extends(struct past *run, const struct hb__lane *lane, const struct hb__carry *in, const struct stand *b)
{
	const struct stand *a = &run->last;
	if (run->lane != lane || !run->known || run->from != in->prefix->rank || run->from_lane != in->prefix->lane ||
		run->asked.comm != in->asked.comm || run->asked.source != in->asked.source ||
		run->asked.tag != in->asked.tag || b->place <= a->place || b->sent < a->sent)
		return false;
	struct stand step = {
		b->event - a->event, b->place - a->place, b->sent - a->sent, b->done - a->done, b->epoch - a->epoch};
	if (run->count == 1)
		run->step = step;
	else if (step.event != run->step.event || step.place != run->step.place || step.sent != run->step.sent ||
		 step.done != run->step.done || step.epoch != run->step.epoch)
		return false;
	run->last = *b;
	run->count++;
	return true;
}

static void list(struct past *p)
{
	p->before = newest;
	p->after = NULL;
	*(newest ? &newest->after : &oldest) = p;
	newest = p;
	if (++listed > LISTED_MAX) {
		p = oldest;
		unlist(p);
		doom(p);
	}
}

/* Those of a run from number k on. */
static void doom_from(struct past *run, uint64_t k)
{
	struct past *p = k ? past_new() : NULL;
	if (!p) {
		unlist(run);
		doom(run);
		return;
	}
	*p = *run;
	p->first = moved(run->first, run->step, k);
	p->count = run->count - k;
	run->count = k;
	run->last = moved(run->first, run->step, k - 1);
	doom(p);
}

/* The first of `count` numbers that is not less than `wanted`; count when none is. */
static uint64_t reaches(uint32_t first, uint32_t step, uint64_t count, uint32_t wanted)
{
	if (first >= wanted)
		return 0;
	uint64_t n = step ? ((uint64_t)wanted - first + step - 1) / step : count;
	return n < count ? n : count;
}

/* ---- receives that are not over ---- */

void hb__race_pending(struct hb__carry *in)
{
	in->rival = in->rivals = false;
	if (!hb__config.racing || !in->asked.wild)
		return;
	hb__track_lock();
	in->pending = true;
	in->before = last_pending;
	in->after = NULL;
	*(last_pending ? &last_pending->after : &first_pending) = in;
	last_pending = in;
	hb__track_unlock();
}

void hb__race_over(struct hb__carry *in)
{
	if (!in->pending)
		return;
	hb__track_lock();
	in->pending = false;
	*(in->before ? &in->before->after : &first_pending) = in->after;
	*(in->after ? &in->after->before : &last_pending) = in->before;
	hb__track_unlock();
}

/* ---- a message came ---- */

/* Source and tag may be wildcards on both sides. */
static bool matches(const struct hb__asked *a, int comm, int32_t source, int32_t tag)
{
	return a->comm == comm && (a->source == HB_ANY_SOURCE || source == HB_ANY_SOURCE || a->source == source) &&
	       (a->tag == HB_ANY_TAG || tag == HB_ANY_TAG || a->tag == tag);
}

static void rival(struct hb__carry *in, bool known, const struct hb__prefix *p)
{
	if (!known || (in->rival && (in->rival_rank != p->rank || in->rival_lane != p->lane))) {
		in->rivals = true;
		return;
	}
	in->rival = true;
	in->rival_rank = p->rank;
	in->rival_lane = p->lane;
}

/* The receives posted before `in` that could have got its message. */
static inline __attribute__((always_inline)) void compete(
	const struct hb__carry *in, bool known, int32_t source, int32_t tag)
{
	const struct hb__prefix *p = in->prefix;
	uint32_t seen = known ? p->known[hb__rank] : 0, epoch = known ? p->epoch : 0;
	struct past *before;
	for (struct past *r = newest; r; r = before) {
		before = r->before;
		/* Sent in the knowledge of a message, or of a collective, that this process began after their end. */
		if (r->last.done < seen || r->last.epoch < epoch)
			break;                                                      /* and all before are older */
		bool same = known && r->from == p->rank && r->from_lane == p->lane; /* they keep their order */
		if (same || !matches(&r->asked, in->asked.comm, source, tag))
			continue;
		uint64_t k = reaches(r->first.done, r->step.done, r->count, seen);
		uint64_t l = reaches(r->first.epoch, r->step.epoch, r->count, epoch);
		k = k > l ? k : l;
		if (moved(r->first, r->step, k).place < in->asked.place)
			doom_from(r, k);
	}
	for (struct hb__carry *r = first_pending; r && r->asked.place < in->asked.place; r = r->after)
		if (matches(&r->asked, in->asked.comm, source, tag))
			rival(r, known, p);
}

/* in: NULL, of a receive without a prefix. known: the sender of its message is. */
static inline __attribute__((always_inline)) void over(struct hb__call *c, const struct hb__carry *in, bool known)
{
	const struct hb__prefix *from = in ? in->prefix : NULL;
	struct stand now = {.event = c->lane->control->events + 1,
		.place = in ? in->asked.place : 0,
		.sent = in ? from->sent : 0,
		.done = messages,
		.epoch = epochs};
	bool another =
		in && (in->rivals || (in->rival && (in->rival_rank != from->rank || in->rival_lane != from->lane)));
	/* The rows of callbacks stand before that of the call that ran them: replay needs them to know which is which. */
	bool races = !known || another || c->lane->nested;
	if (!races && newest && extends(newest, c->lane, in, &now))
		return;
	struct past *p = past_new();
	if (!p)
		return;
	*p = (struct past){.lane = c->lane, .known = known, .count = 1, .first = now, .last = now};
	if (in) {
		p->asked = in->asked;
		p->from = from->rank;
		p->from_lane = from->lane;
	}
	if (races)
		doom(p);
	else
		list(p);
}

void hb__race_received(struct hb__call *c, struct hb__carry *in, int32_t source, int32_t tag)
{
	bool known = hb__prefix_came(in) && in->prefix->rank >= 0 && in->prefix->rank < hb__size;
	hb__track_lock();
	if (received_from && known)
		received_from[in->prefix->rank]++;
	if (!several_lanes()) {
		put_marks(c->lane);
		compete(in, known, source, tag);
		if (in->asked.wild)
			over(c, in, known);
	}
	hb__track_unlock();
}

void hb__race_unknown(struct hb__call *c, struct hb__carry *in)
{
	hb__track_lock();
	hb__race_over(in);
	if (!several_lanes()) {
		put_marks(c->lane);
		compete(in, false, in->asked.source, in->asked.tag);
	}
	hb__track_unlock();
}

void hb__race_untold(struct hb__call *c)
{
	hb__track_lock();
	if (!several_lanes()) {
		put_marks(c->lane);
		over(c, NULL, false);
	}
	hb__track_unlock();
}

/* ---- what collectives tell ---- */

/* Only those in which all processes meet, with the same processes each time: then all processes call them in the same order, and
 * count them alike. */
uint32_t hb__race_enter(const struct hb__call *c)
{
	const struct hb__comm *comm = hb__has(c, HB_R_COMM) ? hb__comm_find(hb__arg(c, HB_R_COMM)) : NULL;
	if (!hb__config.racing || !comm || !comm->carried || comm->inter || comm->size != hb__size)
		return 0;
	if (!c->fn->means->meets)
		return 0;
	if (c->fn->means->empty &&
		((int64_t)hb__arg(c, HB_R_COUNT) <= 0 || hb__type_look(hb__arg(c, HB_R_TYPE))->size <= 0))
		return 0; /* without data nobody waits for anybody */
	return __atomic_add_fetch(&epochs, 1, __ATOMIC_RELAXED);
}

void hb__race_left(struct hb__lane *lane, uint32_t number, int code)
{
	if (code == MPI_SUCCESS && number > lane->epoch)
		lane->epoch = number;
}

/* ---- the end ---- */

/* How many messages each process has sent to this one; false when not all processes say so. */
static bool told_counts(uint32_t *ret_counts)
{
	MPI_Request all;
	int done = 0;
	if (PMPI(Ialltoall)(sent_to, 4, hb__known.byte, ret_counts, 4, hb__known.byte, hb__known.comm_world, &all) !=
		MPI_SUCCESS)
		return false;
	uint64_t end = hb__system_ns(CLOCK_MONOTONIC) + PATIENCE;
	while (!done && hb__system_ns(CLOCK_MONOTONIC) < end) {
		if (PMPI(Test)(&all, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return false;
		if (!done)
			sched_yield();
	}
	return done;
}

/* Receives what nobody received. MPICH 4.2 ends a job in MPI_Finalize for a message that is there and was not received; alone it
 * often would not have been there yet, but the exchange of counts has let it come. All processes are in MPI_Finalize. */
static void take_what_is_left(void)
{
	uint64_t end = hb__system_ns(CLOCK_MONOTONIC) + PATIENCE;
	MPI_Comm world = hb__known.comm_world;
	for (int there = 1; there;) {
		MPI_Message message;
		MPI_Request request;
		MPI_Status status;
		if (PMPI(Improbe)(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &there, &message, &status) != MPI_SUCCESS ||
			!there)
			return;
		int64_t bytes = hb__status_bytes(&status);
		void *room = bytes <= INT_MAX ? hb__pages((size_t)bytes + 1) : NULL;
		if (!room || PMPI(Imrecv)(room, (int)bytes, hb__known.byte, &message, &request) != MPI_SUCCESS)
			return;
		int done = 0;
		while (!done && hb__system_ns(CLOCK_MONOTONIC) < end)
			if (PMPI(Test)(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
				return;
		if (!done) /* the room stays, as it may still come */
			return;
		munmap(room, (size_t)bytes + 1);
	}
}

/* A message that nobody received races with every receive that it matches: none can be told from the others any more. */
void hb__race_finish(struct hb__call *c)
{
	if (!hb__config.racing)
		return;
	uint32_t *counts = sent_to ? hb__pages(4 * (size_t)hb__size) : NULL;
	bool told = counts && told_counts(counts), equal = told;
	for (int i = 0; equal && i < hb__size; i++)
		equal = counts[i] == received_from[i];
	if (!told)
		hb__row_note("level racing: not all processes reported how many messages they had sent");
	hb__track_lock();
	while (!equal && oldest) {
		struct past *p = oldest;
		unlist(p);
		doom(p);
	}
	put_marks(c->lane);
	hb__track_unlock();
	if (told && !equal)
		take_what_is_left();
}
