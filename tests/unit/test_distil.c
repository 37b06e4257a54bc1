/* What is kept of a log: marked receives, everything else that MPI chose, and references counted anew. */
#include "check.h"
#include "calls/neutral.h"
#include "model/distil.h"
#include "model/event.h"
#include "random_log.h"

enum { RECV, IRECV, WAIT, WAITALL, WAITANY, IPROBE, WTIME, SEND, CANCEL };

static void function(struct raw_log *r, unsigned number, uint8_t cls, const char *name, bool args)
{
	bool messages = number == RECV || number == IRECV || number == IPROBE || number == SEND;
	uint8_t b[128], *p = hb_put_uv(b, number);
	*p++ = cls;
	p = raw_text(p, name);
	*p++ = args && messages ? 2 : 0;
	if (args && messages) {
		*p++ = 1;
		p = raw_text(p, number == SEND ? "dest" : "source");
		*p++ = 2;
		p = raw_text(p, "tag");
	}
	raw_definition(r, RAW_LANES, HB_DEF_FUNCTION, b, (size_t)(p - b));
}

static void functions(struct raw_log *r, bool args)
{
	static const char *const name[] = {"MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Waitany",
		"MPI_Iprobe", "MPI_Wtime", "MPI_Send", "MPI_Cancel"};
	static const uint8_t cls[] = {2, 2, 3, 3, 3, 4, 9, 1, 3};
	raw_lane(r, 0, 0);
	for (unsigned i = 0; i < sizeof cls; i++) {
		function(r, i, cls[i], name[i], args);
		if (!args)
			raw_slot(r, 0, i, i, 0, 0, 0, NULL);
	}
}

#define EVENT(r, slot, ...)                                                         \
	do {                                                                        \
		int64_t v_[] = {__VA_ARGS__};                                       \
		raw_event(r, 0, slot, 10, 5, 0, (int)(sizeof v_ / sizeof *v_), v_); \
	} while (0)

/* Numbers of the functions kept, their polls, what stands before them, and the postings they refer to. */
struct expected {
	unsigned function;
	uint64_t polls, skipped;
	int64_t posting, source; /* -1: none */
};

static bool rows_are(hb_log *log, const struct expected *x, size_t n)
{
	hb_events *events = NULL;
	hb_event ev;
	hb_error e;
	size_t i = 0;
	bool same = !hb_events_open(log, 0, &events, &e);
	while (same && hb_events_next(events, &ev, &e) == 1) {
		int64_t posting = ev.nanswers ? ev.answers[0].request.posting : -1;
		int64_t source = ev.source != HB_ABSENT                             ? ev.source
				 : ev.nanswers && ev.answers[0].source != HB_ABSENT ? ev.answers[0].source
										    : -1;
		same = i < n && !ev.malformed && ev.row->function == x[i].function && ev.row->polls == x[i].polls &&
		       ev.row->skipped == x[i].skipped && posting == x[i].posting && source == x[i].source &&
		       ev.row->nargs == 0 && ev.row->enter == 0 && ev.row->site == 0;
		if (!same)
			printf("  row %zu: function %u polls %d skipped %d posting %d source %d\n", i, ev.row->function,
				(int)ev.row->polls, (int)ev.row->skipped, (int)posting, (int)source);
		i++;
	}
	hb_events_close(events);
	return same && i == n;
}

static hb_log *opened(const char *path)
{
	hb_log *log = NULL;
	hb_error e = {0};
	if (hb_log_open(path, &log, &e))
		printf("  %s\n", e.message);
	return log;
}

/* What hb_distil makes of the log, with these events (0 ends them) and its marks. */
static hb_log *distilled(struct raw_log *r, const uint64_t *events, bool whole, hb_distilled *ret)
{
	hb_error e = {0};
	raw_save(r, check_path("raw"));
	hb_log *log = opened(check_path("raw"));
	hb_racers *racers = hb_racers_create(log);
	for (; events && *events; events++)
		hb_racers_add(racers, 0, *events);
	hb_racers_add(racers, 7, 1); /* not there */
	hb_racers_add(racers, 0, 1u << 30);
	hb_racers_add_marks(racers, log);
	hb_status status = hb_distil(log, check_path("kept"), whole ? NULL : racers, ret, &e);
	if (status)
		printf("  %s\n", e.message);
	hb_racers_free(racers);
	hb_log_close(log);
	return status ? NULL : opened(check_path("kept"));
}

static void with_marks(void)
{
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_RACING);
	functions(&r, false);
	EVENT(&r, RECV, 1, 5, -1);
	raw_polls(&r, 0, 3);
	EVENT(&r, WAIT, HB_ST_MESSAGE, 0, 2, 1, -1);                /* posting 0 */
	EVENT(&r, WAITANY, 1, HB_ST_MESSAGE, 8, 3, 1, -1);          /* posting 5 */
	EVENT(&r, RECV, 4, 5, -1);                                  /* marked */
	EVENT(&r, WAITALL, HB_ST_MESSAGE, 0, 2, 1, -1, HB_ST_NULL); /* posting 6 */
	raw_mark(&r, 0, 0, 4, 4, 77);
	raw_mark(&r, 0, 0, 4, UINT64_MAX, 0);
	EVENT(&r, WAITALL, HB_ST_CANCELLED, 0, HB_ST_MESSAGE, 2, 3, 1, -1); /* postings 7 and 9 */
	EVENT(&r, WTIME, 12345);
	raw_polls(&r, 0, 2);
	EVENT(&r, RECV, 2, 5, -1);
	hb_distilled n = {0}, counted = {0};
	hb_error e;
	hb_log *log = distilled(&r, NULL, false, &n);
	static const struct expected x[] = {
		{WAITANY, 3, 2, 5, 3}, {RECV, 0, 0, -1, 4}, {WAITALL, 0, 1, 7, -1}, {WTIME, 0, 0, -1, -1}};
	hb_lane_info lane = {0};
	check(log && rows_are(log, x, 4), "of a log with marks stays what raced and what is no receive");
	check(log && !hb_log_lane(log, 0, &lane) && lane.skipped == 1 && lane.polls == 2 && lane.events == 4,
		"what came after the last event that is kept belongs to the end of the lane");
	check(n.kept == 3 && n.skipped == 4 && log && !hb_distilled_count(log, &counted, &e) && counted.kept == 3 &&
			counted.skipped == 4,
		"kept and skipped receives add up: %d and %d", (int)n.kept, (int)n.skipped);
	hb_log_close(log);
	log = distilled(&r, NULL, true, &n);
	check(log && n.skipped == 0 && hb_log_get_info(log)->events == 8,
		"nothing is taken out when all is to be kept");
	hb_log_close(log);
	raw_free(&r);
}

static void asks(struct raw_log *r, unsigned slot, unsigned what, int64_t source, int64_t tag)
{
	raw_slot(r, 0, slot, what, 1, 0, 2, (int64_t[]){source, tag});
}

static void from_events(void)
{
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_EVENTS);
	functions(&r, true);
	asks(&r, 0, SEND, 3, 3);
	asks(&r, 1, IRECV, HB_ANY_SOURCE, 3);
	asks(&r, 2, IRECV, 1, HB_ANY_TAG);
	asks(&r, 3, IRECV, 2, 3);
	raw_slot(&r, 0, 4, WAIT, 1, 0, 0, NULL);
	asks(&r, 5, RECV, HB_ANY_SOURCE, 3);
	asks(&r, 6, RECV, 1, 2);
	asks(&r, 7, IPROBE, 1, 2);
	asks(&r, 8, RECV, HB_PROC_NULL, HB_ANY_TAG);
	for (unsigned i = 0; i < 4; i++)
		raw_event(&r, 0, i, 10, 5, 0, 0, NULL);
	EVENT(&r, 4, HB_ST_MESSAGE, 0, 1, 3, 8); /* event 5, posting 0: raced */
	EVENT(&r, 4, HB_ST_MESSAGE, 0, 1, 4, 8); /* posting 1, wildcard tag */
	EVENT(&r, 4, HB_ST_MESSAGE, 0, 2, 3, 8); /* posting 2, no wildcard: other size */
	raw_polls(&r, 0, 6);
	EVENT(&r, 6, 1, 2, 8);
	raw_event(&r, 0, 8, 10, 5, 0, 0, NULL);
	EVENT(&r, 5, 4, 3, 8); /* event 10: raced */
	EVENT(&r, 7, 1, 2, 8);
	hb_distilled n = {0};
	hb_log *log = distilled(&r, (uint64_t[]){5, 10, 0}, false, &n);
	static const struct expected x[] = {{WAIT, 0, 0, 0, 1}, {RECV, 6, 1, -1, 4}, {IPROBE, 0, 0, -1, 1}};
	check(log && rows_are(log, x, 3) && n.kept == 2 && n.skipped == 1,
		"of a log at level events stay the choices, without arguments, times and places");
	hb_log_close(log);
	log = distilled(&r, NULL, true, &n);
	static const struct expected all[] = {
		{WAIT, 0, 0, 0, 1}, {WAIT, 0, 0, 1, 1}, {RECV, 6, 0, -1, 4}, {IPROBE, 0, 0, -1, 1}};
	check(log && rows_are(log, all, 4), "all choices, as level order has them");
	hb_log_close(log);
	raw_free(&r);
}

/* A request that was to be cancelled is told at level order even when it was not; then no wait can be left out. */
static void cancelled(void)
{
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_EVENTS);
	functions(&r, true);
	asks(&r, 0, IRECV, HB_ANY_SOURCE, 3);
	asks(&r, 1, IRECV, 1, 3);
	raw_slot(&r, 0, 2, CANCEL, 1, 0, 0, NULL);
	raw_slot(&r, 0, 3, WAIT, 1, 0, 0, NULL);
	raw_event(&r, 0, 0, 10, 5, 0, 0, NULL);
	raw_event(&r, 0, 1, 10, 5, 0, 0, NULL);
	EVENT(&r, 2, 2);                          /* posting 1 */
	EVENT(&r, 3, HB_ST_AS_POSTED, -2);        /* posting 1 */
	EVENT(&r, 3, HB_ST_MESSAGE, -4, 1, 3, 8); /* posting 0 */
	raw_control(&r, 0)->calls[CANCEL] = 1;
	hb_distilled n = {0};
	hb_log *log = distilled(&r, NULL, false, &n);
	static const struct expected x[] = {{WAIT, 0, 0, 1, -1}, {WAIT, 0, 0, 0, 1}};
	check(log && rows_are(log, x, 2), "waits of a process that cancels are kept");
	hb_log_close(log);
	raw_free(&r);
}

/* Calls of an error handler stand before the call that failed. */
static void failed(void)
{
	struct raw_log r;
	hb_distilled n = {0};
	raw_begin(&r, HB_LEVEL_RACING);
	functions(&r, false);
	EVENT(&r, RECV, 1, 5, -1);
	raw_result(&r, 0, 15);
	EVENT(&r, WAIT, HB_ST_ERROR, 0, 15, 1, 5, -1);
	hb_log *log = distilled(&r, NULL, false, &n);
	check(log && hb_log_get_info(log)->events == 2, "where a wait failed all is kept");
	hb_log_close(log);
	raw_free(&r);
}

static void contradictions(void)
{
	struct raw_log r;
	hb_distilled n;
	raw_begin(&r, HB_LEVEL_RACING);
	functions(&r, false);
	EVENT(&r, WAIT, 17, 0);
	check(!distilled(&r, NULL, false, &n), "an event that is not understood is an error");
	raw_free(&r);
}

/* Logs of noise: an error, or a log that reads back. */
static void noise(void)
{
	unsigned good = 0, errors = 0, bad = 0;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct raw_log r;
		hb_distilled n = {0};
		hb_error e = {0};
		uint64_t events = 0;
		random_log(&r, seed, (int)(seed % 3), 1 + (int)(seed % 2), 20 + (long)seed, seed % 5 == 0);
		raw_save(&r, check_path("raw"));
		hb_log *log = opened(check_path("raw"));
		hb_racers *racers = log ? hb_racers_create(log) : NULL;
		if (racers)
			hb_racers_add_marks(racers, log);
		hb_status status =
			log ? hb_distil(log, check_path("kept"), seed % 7 ? racers : NULL, &n, &e) : HB_E_MEMORY;
		if (!status && !hb_log_verify(check_path("kept"), &events, &e))
			good++;
		else if (status == HB_E_DAMAGED)
			errors++;
		else
			bad++;
		hb_racers_free(racers);
		hb_log_close(log);
		raw_free(&r);
	}
	check(!bad && good + errors == 60, "logs of noise are refused or read back: %u and %u", errors, good);
}

int main(void)
{
	with_marks();
	from_events();
	cancelled();
	failed();
	contradictions();
	noise();
	check_clean();
	return check_end();
}
