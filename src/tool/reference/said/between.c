/* What a process sent and received between two points: of its log, by what its trace says of where they are. */
#include <stdlib.h>
#include <string.h>

#include "../../show/source.h"
#include "between.h"
#include "calls/neutral.h"
#include "format/trace/trace.h"
#include "model/event.h"

#define PEERS_MOST 64
#define PLACES_MOST 4

struct exchange {
	struct peer {
		int64_t rank, comm;
		uint64_t sent, received;
	} peer[PEERS_MOST];
	size_t peers, more;
	uint64_t collectives, others; /* others: one-sided, files, completions of what was posted before */
	const char *place[PLACES_MOST];
	size_t places;
};

/* How many events the process had made at the ends of both constructs. */
static bool events_at(const char *path, const hb_point *from, const hb_point *to, uint64_t ret[2])
{
	hb_trace *trace;
	hb_trace_record r;
	bool have[2] = {false, false};
	if (hb_trace_open(path, &trace, NULL))
		return false;
	while (!(have[0] && have[1]) && hb_trace_next(trace, &r, NULL) > 0)
		for (int i = 0; i < 2 && r.kind == HB_TRACE_END; i++)
			if (hb_point_compare(&r.point, i ? to : from) == HB_POINT_EQUAL) {
				ret[i] = r.event;
				have[i] = true;
			}
	hb_trace_close(trace);
	return have[0] && have[1];
}

static void count(struct exchange *x, int64_t rank, int64_t comm, bool sent)
{
	if (rank == HB_PROC_NULL || rank == HB_ABSENT)
		return;
	size_t i = 0;
	while (i < x->peers && (x->peer[i].rank != rank || x->peer[i].comm != comm))
		i++;
	if (i == PEERS_MOST) {
		x->more++;
		return;
	}
	if (i == x->peers)
		x->peer[x->peers++] = (struct peer){.rank = rank, .comm = comm};
	x->peer[i].sent += sent;
	x->peer[i].received += !sent;
}

static void place(struct exchange *x, const hb_log *log, const hb_event *e)
{
	const hb_place *at = hb__place_of_site(log, e->row->site);
	for (size_t i = 0; at && i < x->places; i++)
		if (x->place[i] == at->text)
			at = NULL;
	if (at && x->places < PLACES_MOST)
		x->place[x->places++] = at->text;
}

static void take(struct exchange *x, const hb_log *log, const hb_event *e)
{
	uint8_t does = e->means->does;
	size_t before = x->peers + x->collectives + x->others;
	uint64_t messages = 0;
	for (size_t i = 0; i < x->peers; i++)
		messages += x->peer[i].sent + x->peer[i].received;
	if (does == HB_DOES_SEND) {
		count(x, e->peer, e->comm, true);
	} else if (does == HB_DOES_RECEIVE || does == HB_DOES_MATCHED_RECEIVE) {
		count(x, e->peer, e->comm, true); /* combined calls have a destination */
		count(x, e->source != HB_ABSENT ? e->source : e->from, e->comm, false);
	} else if (does == HB_DOES_COLLECTIVE) {
		x->collectives++;
	} else if (does == HB_DOES_COMPLETE || does == HB_DOES_START || does == HB_DOES_PUT || does == HB_DOES_GET ||
		   does == HB_DOES_ACCUMULATE || does == HB_DOES_WINDOW_FENCE) {
		x->others++;
	}
	uint64_t now = 0;
	for (size_t i = 0; i < x->peers; i++)
		now += x->peer[i].sent + x->peer[i].received;
	if (now != messages || x->peers + x->collectives + x->others != before)
		place(x, log, e);
}

static char *words(const struct exchange *x, int32_t rank)
{
	if (!x->peers && !x->collectives && !x->others)
		return hb__format("rank %d neither sends nor receives between these points", (int)rank);
	char *text = hb__format("between these points rank %d", (int)rank);
	for (size_t i = 0; i < x->peers && i < 4; i++) {
		const struct peer *p = &x->peer[i];
		char *comm = p->comm ? hb__format(" of communicator %lld", (long long)p->comm) : hb__copy("");
		char *to = !p->sent ? hb__copy("")
				    : hb__format(" sends %llu to rank %lld%s", (unsigned long long)p->sent,
					      (long long)p->rank, comm);
		char *from = !p->received ? hb__copy("")
			     : p->sent    ? hb__format(" and receives %llu from it", (unsigned long long)p->received)
				       : hb__format(" receives %llu from rank %lld%s", (unsigned long long)p->received,
						 (long long)p->rank, comm);
		char *longer = hb__format("%s%s%s%s", text, i ? "," : "", to, from);
		free(text);
		free(comm);
		free(to);
		free(from);
		text = longer;
	}
	if (x->peers > 4 || x->more || x->collectives || x->others) {
		char *longer = hb__format("%s%s%s", text, x->peers > 4 || x->more ? ", and others" : "",
			x->collectives ? &", takes part in collectives"[!x->peers]
			: x->others    ? &", completes or accesses what others have"[!x->peers]
				       : "");
		free(text);
		text = longer;
	}
	for (size_t i = 0; i < x->places; i++) {
		char *longer =
			hb__format("%s%s%s%s", text, i ? ", " : " (", x->place[i], i + 1 == x->places ? ")" : "");
		free(text);
		text = longer;
	}
	return text;
}

char *hb__between_words(const char *recording, int32_t rank, const hb_point *from, const hb_point *to)
{
	uint64_t at[2] = {0, 0};
	hb_log *log = NULL;
	hb_events *events;
	hb_event e;
	char *path = hb__format("%s/rank.%d.trace", recording, (int)rank), *text = NULL;
	bool known = events_at(path, from, to, at);
	free(path);
	path = hb__format("%s/rank.%d.log", recording, (int)rank);
	if (known && !hb_log_open(path, &log, NULL) && !hb_events_open_at(log, 0, at[0] + 1, &events, NULL)) {
		struct exchange *x = hb__alloc(sizeof *x);
		*x = (struct exchange){0};
		uint64_t last = at[0];
		while (last < at[1] && hb_events_next(events, &e, NULL) > 0) {
			last = e.row->number;
			if (last <= at[1] && e.function)
				take(x, log, &e);
		}
		/* of a log that does not reach so far nothing is known */
		text = last >= at[1] ? words(x, rank) : NULL;
		free(x);
		hb_events_close(events);
	}
	hb_log_close(log);
	free(path);
	return text;
}
