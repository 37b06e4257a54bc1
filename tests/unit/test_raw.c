/* The raw reader: exact rows, records across units, logs that grow, processes that are killed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "compare.h"
#include "rawlog.h"

static hb_log *opened(const char *path)
{
	hb_log *log = NULL;
	hb_error e = {0};
	if (hb_log_open(path, &log, &e))
		printf("  %s\n", e.message);
	return log;
}

static bool row_is(const hb_row *r, uint64_t number, unsigned function, uint64_t enter, uint64_t exit, uint64_t polls,
	int64_t result, unsigned nresults)
{
	return r->number == number && r->function == function && r->enter == enter && r->exit == exit &&
	       r->polls == polls && r->result == result && r->nresults == nresults;
}

static void rows_of(hb_log *log)
{
	hb_cursor *c = NULL;
	hb_row r;
	check(!hb_cursor_open(log, 0, 1, &c, NULL), "cursor");
	check(hb_cursor_next(c, &r, NULL) == 1 && row_is(&r, 1, 3, 1010, 1030, 0, 0, 2) && r.results[0] == -7 &&
			r.results[1] == INT64_MIN && r.nargs == 2 && r.arg[0] == 41 && r.arg[1] == -1 && r.site == 9 &&
			r.has_digest && r.digest == 0xbeef,
		"first row");
	check(hb_cursor_next(c, &r, NULL) == 1 && row_is(&r, 2, 4, 1030, 1031, 12, -19, 0) && !r.has_digest &&
			r.nargs == 0,
		"second row: polls that add up, an error class");
	check(hb_cursor_next(c, &r, NULL) == 1 && row_is(&r, 3, 4, 1036, 1043, 0, 0, 4) && r.results[0] == 8 &&
			r.results[1] == 8 && r.results[2] == 1 && r.results[3] == 2,
		"third row: results that stand before it come first");
	check(hb_cursor_next(c, &r, NULL) == 1 && row_is(&r, 4, 6, 1044, 1046, 0, 0, 0) && r.arg[0] == 77,
		"fourth row: the slot was defined again");
	check(hb_cursor_next(c, &r, NULL) == 0 && hb_cursor_next(c, &r, NULL) == 0, "the end, again and again");
	check(!hb_cursor_slot(c, 2, &r) && r.function == 3 && r.arg[0] == 41, "a slot at the end");
	check(hb_cursor_slot(c, 900, &r) == HB_E_ARGUMENT, "no such slot");
	hb_cursor_close(c);
	check(hb_cursor_open(log, 1, 1, &c, NULL) == HB_E_ARGUMENT, "no such lane");
	check(!hb_cursor_open(log, 0, 4, &c, NULL) && hb_cursor_next(c, &r, NULL) == 1 && r.number == 4 &&
			r.function == 6,
		"seeking");
	hb_cursor_close(c);
	check(!hb_cursor_open(log, 0, 400, &c, NULL) && hb_cursor_next(c, &r, NULL) == 0, "seeking past the end");
	hb_cursor_close(c);
}

static void exact(void)
{
	struct raw_log r;
	int64_t one[] = {41, -1}, other[] = {77}, res[] = {-7, INT64_MIN}, more[] = {1, 2};
	raw_begin(&r, HB_LEVEL_EVENTS);
	r.lane[0].tick = 1000;
	raw_lane(&r, 0, 5);
	raw_function(&r, 3, 1, "Send", 2);
	raw_slot(&r, 0, 2, 3, 9, HB_SLOT_CHECK, 2, one);
	raw_slot(&r, 0, 3, 4, 0, 0, 0, NULL);
	raw_event(&r, 0, 2, 10, 20, 0xbeef, 2, res);
	raw_polls(&r, 0, 5);
	raw_polls(&r, 0, 7);
	raw_result(&r, 0, -19);
	raw_event(&r, 0, 3, 0, 1, 0, 0, NULL);
	raw_early_results(&r, 0, 2, 8);
	raw_event(&r, 0, 3, 5, 7, 0, 2, more);
	raw_note(&r, 0, "here");
	raw_slot(&r, 0, 3, 6, 1, 0, 1, other);
	raw_event(&r, 0, 3, 1, 2, 0, 0, NULL);
	raw_polls(&r, 0, 3);
	struct hb_lane_control *k = raw_control(&r, 0);
	k->polls = 100;
	k->inside = 3;
	k->inside_enter = 2000;
	k->calls[3] = 17;
	raw_save(&r, check_path("raw"));
	hb_log *log = opened(check_path("raw"));
	hb_lane_info l;
	const hb_note *n = log ? hb_log_note(log, 0) : NULL;
	check(log && !hb_log_lane(log, 0, &l) && l.thread == 5 && l.polls == 103 && l.inside && l.inside_slot == 2 &&
			l.inside_enter == 2000 && l.events == 4,
		"state of the lane");
	check(n && n->lane == 0 && n->event == 4 && strcmp(n->text, "here") == 0, "a note before event 4");
	const hb_function *f = log ? hb_log_function(log, 3) : NULL;
	check(f && f->calls == 17 && f->nargs == 2 && strcmp(f->name, "Send") == 0 && !hb_log_function(log, 2),
		"a function and its calls");
	if (log)
		rows_of(log);
	hb_log_close(log);
	raw_free(&r);
}

/* Arguments that change between rows: each row has what held when it was written, wherever the reading begins. */
static void changing(void)
{
	struct raw_log r;
	int64_t arg[] = {1, -2};
	enum { ROWS = 9000 }; /* several units */
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_header(&r)->incompatible = HB_LOG_INCOMPAT_ARGUMENTS;
	raw_lane(&r, 0, 5);
	raw_function(&r, 3, 1, "Send", 2);
	raw_slot(&r, 0, 1, 3, 9, 0, 2, arg);
	for (int i = 1; i <= ROWS; i++) {
		if (i % 3 == 0)
			raw_argument(&r, 0, 1, 1, i);
		raw_event(&r, 0, 1, 1, 1, 0, 0, NULL);
	}
	raw_argument(&r, 0, 1, 0, -77);
	raw_control(&r, 0)->inside = 2;
	raw_save(&r, check_path("changing"));
	hb_log *log = opened(check_path("changing"));
	uint64_t from[] = {1, 2, 3, 4, 4500, ROWS, ROWS + 1};
	for (unsigned k = 0; log && k < sizeof from / sizeof *from; k++) {
		hb_cursor *c = NULL;
		hb_row row;
		uint64_t n = from[k];
		uint32_t era = 0;
		bool good = !hb_cursor_open(log, 0, n, &c, NULL);
		for (; good && hb_cursor_next(c, &row, NULL) == 1; n++) {
			int64_t want = n < 3 ? -2 : (int64_t)(n - n % 3);
			good = row.number == n && row.arg[0] == 1 && row.arg[1] == want && row.site == 9 &&
			       (n == from[k] || (row.era == era) == (n % 3 != 0));
			era = row.era;
		}
		good = good && n == ROWS + 1 && !hb_cursor_slot(c, 1, &row) && row.arg[0] == -77 && row.arg[1] == ROWS;
		check(good, "arguments that change, read from event %d on", (int)from[k]);
		hb_cursor_close(c);
	}
	hb_log_close(log);
	raw_argument(&r, 0, 1, 2, 5); /* it has two */
	raw_event(&r, 0, 1, 1, 1, 0, 0, NULL);
	raw_save(&r, check_path("changing"));
	log = opened(check_path("changing"));
	hb_lane_info l;
	check(log && !hb_log_lane(log, 0, &l) && l.events == ROWS && hb_log_get_info(log)->recovered,
		"an argument that the slot does not have ends the lane");
	hb_log_close(log);
	raw_free(&r);
}

/* ---- a process that writes while we read, and is killed ---- */

struct shared {
	_Atomic uint64_t committed; /* events that the writer has finished */
};

static uint64_t value_of(uint64_t number) { return number * number % 100003; }

/* Writes units through a shared mapping as a recorded process does, for ever. */
static void write_for_ever(const char *path, struct shared *shared)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_header(&r)->state = HB_STATE_RUNNING;
	raw_lane(&r, 0, 0);
	raw_slot(&r, 0, 1, 0, 0, 0, 0, NULL);
	size_t first = r.units * HB_UNIT_SIZE;
	if (fd < 0 || ftruncate(fd, (off_t)first) || pwrite(fd, r.image, first, 0) != (ssize_t)first)
		_exit(9);
	struct hb_log_header *h = mmap(NULL, HB_UNIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint64_t number = 0;
	for (uint32_t seq = 1; seq < 60; seq++) {
		off_t at = (off_t)(h->units * HB_UNIT_SIZE);
		if (ftruncate(fd, at + HB_UNIT_SIZE))
			_exit(9);
		struct hb_unit_header *u = mmap(NULL, HB_UNIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
		if (u == MAP_FAILED)
			_exit(9);
		h->units++;
		*u = (struct hb_unit_header){.magic = HB_UNIT_MAGIC,
			.kind = HB_UNIT_ROWS,
			.seq = seq,
			.events_before = number,
			.base_tick = number};
		uint8_t *start = (uint8_t *)(u + 1), *w = start;
		while (w - start < HB_UNIT_SIZE - 200) {
			w = hb_put_uv(w, HB_ROW_EVENT + 2 + 1);
			w = hb_put_uv(w, 1);
			w = hb_put_uv(w, 0);
			w = hb_put_uv(w, 1);
			w = hb_put_sv(w, (int64_t)value_of(++number));
			__atomic_store_n(&u->committed, (uint32_t)(w - start), __ATOMIC_RELEASE);
			shared->committed = number;
		}
		u->checksum = XXH3_64bits(start, u->committed);
		u->closed = 1;
		munmap(u, HB_UNIT_SIZE);
		usleep(2000);
	}
	pause();
	_exit(0);
}

/* Every event is there and right; returns how many. */
static uint64_t read_all(hb_log *log, bool *ret_good)
{
	hb_cursor *c = NULL;
	hb_row r;
	uint64_t n = 0;
	*ret_good = hb_log_get_info(log)->lanes == 1 && !hb_cursor_open(log, 0, 1, &c, NULL);
	while (*ret_good && hb_cursor_next(c, &r, NULL) == 1) {
		n++;
		*ret_good = r.number == n && r.nresults == 1 && r.results[0] == (int64_t)value_of(n) && r.exit == n;
	}
	if (n != hb_log_get_info(log)->events || hb_log_get_info(log)->recovered)
		*ret_good = false;
	hb_cursor_close(c);
	return n;
}

static void live(void)
{
	struct shared *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *path = check_path("live");
	pid_t child = fork();
	if (child == 0)
		write_for_ever(path, shared);
	while (!shared->committed && waitpid(child, NULL, WNOHANG) == 0)
		usleep(1000);
	bool good = true;
	uint64_t last = 0;
	int rounds = 0;
	for (; good && rounds < 10; rounds++) {
		uint64_t before = shared->committed;
		hb_log *log = opened(path);
		uint64_t n = log ? read_all(log, &good) : 0;
		good = good && log && n >= before && n >= last;
		if (!good)
			printf("  %" PRIu64 " read, %" PRIu64 " committed: %s\n", n, before,
				log ? hb_log_get_info(log)->trouble : "");
		last = n;
		hb_log_close(log);
		usleep(2000);
	}
	check(good && last > 0, "a log that grows while it is read");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	hb_log *log = opened(path);
	uint64_t n = log ? read_all(log, &good) : 0;
	check(good && n >= shared->committed && n <= shared->committed + 1, "all events of a killed process");
	hb_log_close(log);
	hb_error e = {0};
	check(!hb_log_seal(path, check_path("sealed"), NULL, NULL, &e), "the log of a killed process seals %s",
		e.message);
	log = opened(check_path("sealed"));
	check(log && read_all(log, &good) == n && good && hb_log_get_info(log)->state == HB_STATE_RUNNING,
		"and says the same");
	hb_log_close(log);
	munmap(shared, 4096);
	unlink(path);
}

static void large(void)
{
	struct raw_log r;
	int64_t res[] = {3, 7, 400};
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_lane(&r, 0, 0);
	raw_slot(&r, 0, 1, 0, 0, 0, 3, res);
	for (long i = 0; i < 300000; i++)
		raw_event(&r, 0, 1, 10 + (i & 7), 100 + (i % 300), 0, 3, res);
	raw_save(&r, check_path("raw"));
	raw_free(&r);
	hb_log *log = opened(check_path("raw"));
	hb_cursor *c = NULL;
	hb_row row;
	bool good = log && hb_log_get_info(log)->events == 300000;
	for (uint64_t at = 299999; good && at > 40000; at -= 39991) {
		good = !hb_cursor_open(log, 0, at, &c, NULL) && hb_cursor_next(c, &row, NULL) == 1 && row.number == at;
		hb_cursor_close(c);
	}
	check(good, "many events, and any of them by seeking");
	hb_log_close(log);
}

static bool same(struct hb_sequence a, struct hb_sequence b)
{
	return a.digest == b.digest && a.elements == b.elements;
}

/* A signature of a datatype in a log, raw and sealed, and one that contradicts the format. */
static void signature_read(bool good)
{
	static const uint64_t fields[] = {1024, 6, 77, 2, 4, 2, 7, 3}; /* five of the six elements are listed */
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_datatype(&r, 1024, 20, "type#0");
	uint8_t b[100], *p = b;
	for (unsigned i = 0; i < 8; i++)
		p = hb_put_uv(p, i == 7 && !good ? 5 : fields[i]);
	raw_definition(&r, RAW_LANES, HB_DEF_SIGNATURE, b, (size_t)(p - b));
	raw_save(&r, check_path("raw"));
	raw_free(&r);
	hb_log *log = opened(check_path("raw"));
	const hb_datatype *d = log ? hb_log_datatype(log, 1024) : NULL;
	const hb_signature *s = d ? d->signature : NULL;
	if (!good) {
		check(log && hb_log_get_info(log)->recovered && !s,
			"a signature with more than its elements is refused");
	} else {
		check(s && s->elements == 6 && s->digest == 77 && s->n == 2 && !s->complete && s->run[1].basic == 7 &&
				s->run[1].elements == 3,
			"a signature is read");
		hb_log_close(log);
		log = hb_log_seal(check_path("raw"), check_path("sealed"), NULL, NULL, NULL)
			      ? NULL
			      : opened(check_path("sealed"));
		d = log ? hb_log_datatype(log, 1024) : NULL;
		check(d && d->signature && d->signature->n == 2, "and kept when the log is sealed");
	}
	hb_log_close(log);
}

/* Digests: what follows from the parts is what the whole gives. */
static void signatures(void)
{
	struct hb_sequence once = hb_signature_then(hb_signature_repeat(hb_signature_one(7), 2), hb_signature_one(4));
	struct hb_sequence all = {0, 0}, none = {0, 0};
	for (unsigned i = 0; i < 60; i++)
		all = hb_signature_then(all, hb_signature_one(i % 3 == 2 ? 4 : 7));
	check(same(hb_signature_repeat(once, 20), all), "a digest of a repetition");
	check(same(hb_signature_repeat(hb_signature_repeat(once, 4), 5), all), "a digest of repetitions of one");
	check(same(hb_signature_repeat(once, 0), none), "a digest of nothing");
	check(!same(hb_signature_repeat(once, 19), all), "a digest of less is another");
	check(same(hb_signature_repeat(once, 1ull << 40),
		      hb_signature_repeat(hb_signature_repeat(once, 1u << 20), 1u << 20)),
		"a digest of more than can be listed");
	signature_read(true);
	signature_read(false);
}

int main(void)
{
	exact();
	changing();
	signatures();
	live();
	large();
	check_clean();
	return check_end();
}
