/* A raw log, the same sealed, the sealed one back to raw, all say the same; any event is found by seeking. */
#include <string.h>

#include "check.h"
#include "compare.h"
#include "random_log.h"

static hb_log *opened(const char *path)
{
	hb_log *log = NULL;
	hb_error e = {0};
	if (hb_log_open(path, &log, &e))
		printf("  %s\n", e.message);
	return log;
}

static bool seeks(hb_log *a, hb_log *b, uint64_t seed)
{
	uint64_t state = seed + 99;
	for (int i = 0; i < 6; i++) {
		hb_lane_info lane;
		uint32_t l = (uint32_t)below(&state, hb_log_get_info(a)->lanes);
		if (hb_log_lane(a, l, &lane) || !same_rows(a, b, l, 1 + below(&state, lane.events + 1)))
			return false;
	}
	return true;
}

static bool right_numbers(hb_log *log, const struct raw_log *r)
{
	hb_lane_info lane;
	for (uint32_t l = 0; l < hb_log_get_info(log)->lanes; l++)
		if (hb_log_lane(log, l, &lane) || lane.events != r->lane[l].events)
			return false;
	return !hb_log_get_info(log)->recovered;
}

static bool verifies(const char *path, uint64_t events)
{
	uint64_t n = 0;
	hb_error e = {0};
	if (hb_log_verify(path, &n, &e) || n != events) {
		printf("  %s\n", e.message);
		return false;
	}
	return true;
}

static void round_trip(uint64_t seed, int level, int lanes, long events, bool wild)
{
	struct raw_log r;
	hb_error e = {0};
	const char *raw = check_path("raw"), *sealed = check_path("sealed"), *back = check_path("back");
	random_log(&r, seed, level, lanes, events, wild);
	raw_save(&r, raw);
	bool good = !hb_log_seal(raw, sealed, NULL, NULL, &e) && !hb_log_unseal(sealed, back, UINT64_MAX, &e);
	hb_log *a = opened(raw), *b = opened(sealed), *c = opened(back);
	good = good && a && b && c && right_numbers(a, &r) && same_logs(a, b) && same_logs(b, a) && same_logs(a, c) &&
	       same_logs(c, b) && seeks(a, b, seed) && seeks(b, a, seed) && seeks(c, b, seed);
	if (good) {
		uint64_t n = hb_log_get_info(a)->events;
		good = verifies(raw, n) && verifies(sealed, n) && verifies(back, n) && hb_log_get_info(b)->sealed &&
		       !hb_log_get_info(c)->sealed;
	}
	check(good, "round trip %d: level %d, %d lanes, %ld events%s %s", (int)seed, level, lanes, events,
		wild ? ", wild" : "", e.message);
	hb_log_close(a);
	hb_log_close(b);
	hb_log_close(c);
	raw_free(&r);
}

static void progress_counts(void *user, double share) { *(double *)user = share; }

/* A folder that does not exist: an error, and nothing left behind. Progress ends at 1. */
static void edges(void)
{
	struct raw_log r;
	hb_error e = {0};
	double share = 0;
	random_log(&r, 7, HB_LEVEL_EVENTS, 2, 3000, false);
	raw_save(&r, check_path("raw"));
	check(!hb_log_seal(check_path("raw"), check_path("sealed"), progress_counts, &share, &e) && share == 1,
		"progress ends at 1");
	check(hb_log_seal(check_path("raw"), check_path("none/sealed"), NULL, NULL, &e) == HB_E_SYSTEM && e.sys,
		"sealing into no folder: %s", e.message);
	check(hb_log_seal(check_path("none"), check_path("sealed"), NULL, NULL, &e) == HB_E_SYSTEM,
		"sealing no file: %s", e.message);
	check(hb_log_seal(check_path("sealed"), check_path("again"), NULL, NULL, &e) == HB_OK, "sealing a sealed log");
	hb_log *a = opened(check_path("raw")), *b = opened(check_path("again"));
	check(a && b && same_logs(a, b), "a log sealed twice says the same");
	hb_log_close(a);
	hb_log_close(b);
	raw_free(&r);
}

/* Up to an event of the first lane: so many events of it, the first ones, and the other lanes whole. */
static void shortened(uint64_t until)
{
	struct raw_log r;
	hb_error e = {0};
	hb_lane_info of_a = {0}, of_b = {0}, other_a = {0}, other_b = {0};
	random_log(&r, 9, HB_LEVEL_EVENTS, 2, 3000, true);
	raw_save(&r, check_path("raw"));
	check(!hb_log_seal(check_path("raw"), check_path("sealed"), NULL, NULL, &e) &&
			!hb_log_unseal(check_path("sealed"), check_path("back"), until, &e),
		"unsealing up to event %d %s", (int)until, e.message);
	hb_log *a = opened(check_path("raw")), *b = opened(check_path("back"));
	bool good = a && b && !hb_log_lane(a, 0, &of_a) && !hb_log_lane(b, 0, &of_b) && !hb_log_lane(a, 1, &other_a) &&
		    !hb_log_lane(b, 1, &other_b) && other_a.events == other_b.events &&
		    of_b.events == (until < of_a.events ? until : of_a.events) &&
		    (until >= of_a.events || hb_log_get_info(b)->state == HB_STATE_RUNNING);
	hb_cursor *c = NULL, *d = NULL;
	good = good && !hb_cursor_open(a, 0, 1, &c, &e) && !hb_cursor_open(b, 0, 1, &d, &e);
	hb_row x, y;
	for (uint64_t i = 0; good && i < of_b.events; i++)
		good = hb_cursor_next(c, &x, &e) == 1 && hb_cursor_next(d, &y, &e) == 1 && x.exit == y.exit &&
		       x.nresults == y.nresults;
	check(good && hb_cursor_next(d, &y, &e) == 0, "it has the first %d events of the first lane %s", (int)until,
		e.message);
	hb_cursor_close(c);
	hb_cursor_close(d);
	hb_log_close(a);
	hb_log_close(b);
	raw_free(&r);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 16; seed++)
		round_trip(seed,
			seed % 5 == 0 ? HB_LEVEL_RACING
			: seed % 3    ? HB_LEVEL_EVENTS
				      : HB_LEVEL_ORDER,
			1 + (int)(seed % 4), 200 * (long)seed, seed % 2);
	round_trip(100, HB_LEVEL_EVENTS, 1, 0, false);
	round_trip(101, HB_LEVEL_ORDER, 1, 1, true);
	round_trip(102, HB_LEVEL_EVENTS, 2, 140000, false);
	round_trip(103, HB_LEVEL_EVENTS, 1, 20000, true);
	round_trip(104, HB_LEVEL_ORDER, 3, 10000, true);
	round_trip(105, HB_LEVEL_RACING, 1, 0, false);
	round_trip(106, HB_LEVEL_RACING, 2, 30000, false);
	round_trip(107, HB_LEVEL_RACING, 3, 8000, true);
	edges();
	shortened(0);
	shortened(1);
	shortened(777);
	shortened(1u << 30);
	check_clean();
	return check_end();
}
