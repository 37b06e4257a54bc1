/* Following: each call of the program against the next row of its record. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"

#define LOOK_AHEAD 32
#define STILL_MS 1000         /* threads that make no event for so long are not waited for */
#define PATIENCE 20000000000u /* nanoseconds of surplus polls before they count as a difference */

/* By it the library of MPI talked, where that was recorded, too (layers mpi and sockets). What it does inside of a call, and how often, is its own affair: the call itself is
 * done again, and so are those by which the program talks. */
static bool of_library(const struct hb__row *row)
{
	char path[1024];
	uint64_t offset;
	return hb__config.inside && row->slot->fn && HB_IS_SOCKET(row->slot->fn->cls) && !hb__began_alone() &&
	       hb__script_site(row->slot->site, path, sizeof path, &offset) && !hb__path_talks(path);
}

static bool fetch(struct hb__follow *f)
{
	if (f->have)
		return true;
	if (f->ended)
		return false;
	f->polls = f->skipped_left = 0;
	for (bool more = true; more;) {
		f->have = hb__script_next(f->reader, &f->row);
		f->polls += f->have ? f->row.polls : hb__script_last_polls(f->reader);
		f->skipped_left += f->have ? f->row.skipped : hb__script_last_skipped(f->reader);
		more = f->have && of_library(&f->row);
		f->event += more;
		f->passed += more;
	}
	f->ended = !f->have;
	f->polls_left = f->polls;
	return f->have;
}

static bool of_user(const struct hb__row *row) { return row->slot->fn && HB_IS_USER(row->slot->fn->cls); }

/* A row of the program's own, which no call of MPI can be, is passed over. Polls before it are polls before the next one. */
static bool fetch_call(struct hb__follow *f)
{
	uint64_t polls = 0, left = 0;
	while (fetch(f) && of_user(&f->row)) {
		polls += f->polls;
		left += f->polls_left;
		f->have = false;
		f->event++;
		hb__looked(HB__OWN_MISSING, 1);
	}
	f->polls += polls;
	f->polls_left += left;
	return f->have;
}

static void use(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	f->have = false;
	f->event++;
	if (unlikely(f->passed) && !*hb__config.replay_log) /* who looks at where it stands counts all of them */
		c->lane->control->events += f->passed;
	f->passed = 0;
	f->surplus_since = 0;
	f->polls_told = false;
	c->followed = true;
	c->has_recorded = f->row.has_check;
	c->recorded = f->row.check;
}

/* Where threads of the program talk to each other beside MPI, how often one of
 * them polls before the next call is not in MPI's hand: a few polls more are
 * told no, a few less are let pass, as long as the other calls are the same. */
static bool surplus_poll(struct hb__follow *f)
{
	if (!hb__many_threads)
		return false;
	uint64_t now = hb__system_ns(CLOCK_MONOTONIC);
	if (!f->surplus_since)
		f->surplus_since = now;
	hb__progress();
	return now - f->surplus_since < PATIENCE;
}

/* The recording was made by another version of hbdb, which kept more or fewer arguments of this function: those that both know
 * are compared, by their names. */
static const char *difference_by_name(const struct hb__call *c, const struct hb__script_slot *recorded)
{
	char name[128];
	int kind;
	for (uint32_t i = 0; i < recorded->nargs; i++) {
		if (!hb__script_argument(recorded->function, i, name, sizeof name, &kind))
			return "the arguments";
		for (unsigned k = 0; k < c->slot->nargs; k++)
			if (!strcmp(c->fn->recorded[k].name, name) && c->slot->arg[k] != recorded->arg[i])
				return c->fn->recorded[k].name;
	}
	hb__report_not_compared(c->fn);
	return NULL;
}

static const char *difference_in_order(const struct hb__call *c, const struct hb__script_slot *recorded)
{
	for (unsigned i = 0; i < c->slot->nargs; i++)
		if (recorded->arg[i] != c->slot->arg[i])
			return c->fn->recorded[i].name;
	return NULL;
}

/* What differs, or NULL. A pair of slots that was compared once need not be again. */
static const char *difference(const struct hb__call *c, const struct hb__row *row)
{
	struct hb__slot *s = (struct hb__slot *)c->slot;
	if (row->slot->fn != c->fn)
		return "another function";
	if (row->slot->definition && s->followed == row->slot->definition)
		return NULL;
	const char *what =
		row->slot->nargs == s->nargs ? difference_in_order(c, row->slot) : difference_by_name(c, row->slot);
	if (!what)
		s->followed = row->slot->definition;
	return what;
}

static bool has_attributes(const struct hb__fn *fn)
{
	return fn->cls == HB_COMM || fn->role[HB_R_WINPTR] || fn->means->does == HB_DOES_FINALIZE;
}

/* Rows stand in the order of return: what the delete function of an attribute
 * or an error handler calls stands before the call that ran it. True when the
 * row of such a call comes a little later; it is compared when the call is over. */
static bool comes_after_callbacks(struct hb__call *c)
{
	if (c->deferred)
		return false;
	bool attributes = has_attributes(c->fn);
	struct hb__row row;
	struct hb__reader *ahead = hb__script_fork(c->lane->follow->reader);
	bool found = false;
	for (int i = 0; ahead && !found && i < LOOK_AHEAD && hb__script_next(ahead, &row); i++)
		found = (attributes || row.code) && !difference(c, &row);
	c->deferred_code = found ? row.code : 0;
	hb__script_close(ahead);
	return found;
}

/* Under warn the program may have left calls out: goes on where the record fits again. */
static bool catch_up(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	struct hb__row row;
	struct hb__reader *ahead = hb__script_fork(f->reader);
	int skip = -1;
	for (int i = 0; ahead && skip < 0 && i < LOOK_AHEAD && hb__script_next(ahead, &row); i++)
		if (!difference(c, &row))
			skip = i;
	hb__script_close(ahead);
	/* A call of the same function in its place: its arguments were changed. */
	if (skip < 0)
		return f->row.slot->fn == c->fn;
	for (int i = 0; i <= skip; i++) {
		f->have = false;
		fetch(f);
		f->event++;
	}
	f->polls_left = f->skipped_left = 0;
	return f->have;
}

/* Level racing: receives that could have got no other message are not stored. They run free, and those that are
 * asked for with wildcards get the same again. True: this call is one of them. */
static bool unstored(const struct hb__call *c)
{
	const struct hb__fn *fn = c->fn;
	bool receives = fn->cls == HB_RECV && !(fn->flags & (HB_NONBLOCKING | HB_PERSISTENT | HB_MATCHED));
	struct hb__follow *f = c->lane->follow;
	bool waits = fn->means->does == HB_DOES_COMPLETE && !fn->means->chooses; /* for all of its requests */
	if (!f->skipped_left || !(receives || waits))
		return false;
	f->skipped_left--;
	return true;
}

static const char *left_out(const struct hb__follow *f)
{
	return f->skipped_left ? "the recorded run received more often with a wildcard before it" : NULL;
}

/* Calls made while the job is being ended go on without their record. */
static bool let_go(struct hb__follow *f)
{
	f->free = f->free || hb__job_ends();
	return f->free;
}

/* The record has no further row for this call. */
static void past_the_end(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	if (let_go(f))
		return;
	if (hb__script_complete(f->reader)) {
		hb__report_difference(c, NULL, "the recorded process made no further call");
		f->over = true; /* only when told to go on */
		return;
	}
	if (f->over)
		hb__stand_at_end(c->lane);
	/* of one that is gone back over, where it stands tells all that a report would */
	bool told = hb__config.backwards && !c->lane->thread;
	if (!told)
		hb__report_end(c);
	f->over = true;
	/* a message that it did not send any more others could receive */
	if (!hb__config.warn && hb__script_killed_outside(f->reader))
		hb__stand_at_end(c->lane);
	/* what ended it may be in a function of the program that the call runs */
	if (hb__config.backwards && !(told && has_attributes(c->fn)))
		hb__stand_at_end(c->lane);
	/* Another process may need messages that this one sent after its recording had stopped. */
	f->free = hb__script_stopped();
}

/* Nothing is followed (any more). */
static bool is_free(const struct hb__follow *f) { return !f || f->free || (f->over && hb__config.warn); }

bool hb__follow_comes(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	return !is_free(f) && fetch_call(f) && f->row.slot->fn == c->fn;
}

bool hb__follow_same(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	if (unlikely(!f || f->free || f->over || !fetch(f)))
		return false;
	const struct hb__script_slot *s = f->row.slot;
	/* a call of the library has no row of another layer; 0: a slot that nobody has compared */
	if (unlikely(s->fn != c->fn || c->slot->followed != s->definition || !s->definition || f->polls_left ||
		     f->skipped_left || f->row.code))
		return false;
	use(c);
	return true;
}

bool hb__follow_polled(struct hb__follow *f) { return !is_free(f) && fetch(f) && !f->polls_left; }

bool hb__follow_fits(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	return !is_free(f) && fetch_call(f) && !difference(c, &f->row);
}

void hb__follow(struct hb__call *c)
{
	if (likely(hb__follow_same(c)))
		return;
	struct hb__follow *f = c->lane->follow;
	if (is_free(f))
		return;
	bool have = fetch_call(f);
	if (unstored(c))
		return;
	if (!have) {
		past_the_end(c);
		return;
	}
	const char *why = left_out(f);
	if (!why)
		why = difference(c, &f->row);
	bool fewer = !why && f->polls_left && !hb__many_threads;
	if (fewer)
		why = "polls";
	if (why && comes_after_callbacks(c)) {
		c->deferred = true;
		return;
	}
	/* The recorded call failed and its error handler aborted: it has no row of its own. */
	if (why && f->row.slot->fn && f->row.slot->fn->means->does == HB_DOES_ABORT && !f->aborting) {
		f->aborting = true;
		return;
	}
	if (why && let_go(f))
		return;
	if (fewer) {
		hb__report_polls(c, &f->row, f->polls, f->polls - f->polls_left);
	} else if (why) {
		hb__report_difference(c, &f->row, why);
		if (!catch_up(c)) /* reached only under warn: a call too many is let through */
			return;
	}
	use(c);
}

/* What the program says of itself is the same when it has the same name, and a message the same channel. */
static bool said_again(const struct hb__call *c, const char *channel, const struct hb__row *row)
{
	const struct hb__fn *fn = row->slot->fn;
	char text[256];
	if (!fn || fn->cls != c->fn->cls || strcmp(fn->name, c->fn->name))
		return false;
	const char *recorded =
		channel && row->slot->nargs ? hb__script_text(row->slot->arg[0], text, sizeof text) : NULL;
	return !channel || (recorded && !strncmp(recorded, channel, sizeof text - 1));
}

void hb__follow_user(struct hb__call *c, const char *channel)
{
	struct hb__follow *f = c->lane->follow;
	if (!f || f->free || f->over)
		return;
	if (!fetch(f)) {
		hb__looked(HB__OWN_NEW, 1);
		return;
	}
	/* How many of the rows ahead are the program's own and were not said in this run. */
	int skip = said_again(c, channel, &f->row) ? 0 : -1;
	struct hb__row row = f->row;
	struct hb__reader *ahead = skip ? hb__script_fork(f->reader) : NULL;
	for (int i = 1; ahead && skip < 0 && i < LOOK_AHEAD && of_user(&row) && hb__script_next(ahead, &row); i++)
		if (said_again(c, channel, &row))
			skip = i;
	hb__script_close(ahead);
	for (int i = 0; i <= skip; i++) {
		uint64_t polls = f->polls, left = f->polls_left;
		f->have = false;
		f->event++;
		if (fetch(f) || f->ended) {
			f->polls += polls;
			f->polls_left += left;
		}
	}
	c->followed = skip >= 0;
	hb__looked(c->followed ? HB__OWN_SAME : HB__OWN_NEW, 1);
	if (skip > 0)
		hb__looked(HB__OWN_MISSING, (uint64_t)skip);
}

/* How often a call that does not wait was told no may differ: a call that comes again once more gets its answer. */
enum hb__answer hb__follow_talk(struct hb__call *c, bool may_say_no)
{
	struct hb__follow *f = c->lane->follow;
	if (is_free(f))
		return HB__FREE;
	bool have = fetch_call(f);
	if (f->polls_left && may_say_no) {
		f->polls_left--;
		return HB__NO;
	}
	if (!have && !f->over && hb__script_inside(f->reader))
		return HB__REST;
	if (!have) {
		past_the_end(c);
		return HB__FREE;
	}
	if (f->row.slot->fn != c->fn) {
		if (let_go(f))
			return HB__FREE;
		hb__report_difference(c, &f->row, "another function");
		if (!catch_up(c))
			return HB__FREE;
	}
	use(c);
	return HB__YES;
}

/* ---- operations of threads: what belongs to which the layer knows ---- */

const struct hb__row *hb__follow_thread(struct hb__follow *f)
{
	return fetch(f) && f->row.slot->fn && f->row.slot->fn->cls == HB_THREAD ? &f->row : NULL;
}

void hb__follow_used(struct hb__follow *f)
{
	f->have = false;
	f->event++;
	f->surplus_since = 0;
	f->polls_told = false;
}

void hb__follow_differs(struct hb__call *c, const char *why)
{
	hb__report_difference(c, &c->lane->follow->row, why);
	hb__follow_used(c->lane->follow);
}

bool hb__follow_says_no(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	if (is_free(f))
		return false;
	/* What the program says between polls is said again between them. */
	if (!(fetch(f) && of_user(&f->row) && f->polls_left))
		fetch_call(f);
	if (!f->polls_left)
		return false;
	/* Requests move on only inside the library: it gets its share of the polls. */
	if ((f->polls_left-- & 63) == 0)
		hb__progress();
	return true;
}

enum hb__answer hb__follow_poll(struct hb__call *c)
{
	struct hb__follow *f = c->lane->follow;
	if (is_free(f))
		return HB__FREE;
	bool have = f->have;
	if (!have) {
		past_the_end(c);
		if (!hb__config.warn && !f->free && !hb__script_complete(f->reader))
			hb__stand_at_end(c->lane); /* it polled when its record ended */
		return HB__FREE;
	}
	const char *why = left_out(f);
	if (!why)
		why = difference(c, &f->row);
	if (why && surplus_poll(f))
		return HB__NO;
	if (why && let_go(f))
		return HB__FREE;
	if (why && f->polls) { /* under warn it is told once, and MPI answers */
		if (!f->polls_told)
			hb__report_polls(c, &f->row, f->polls, f->polls + 1);
		f->polls_told = true;
		return HB__FREE;
	}
	if (why) {
		hb__report_difference(c, &f->row, why);
		if (!catch_up(c))
			return HB__FREE;
	}
	use(c);
	/* Until what it asks about is so it is inside of its event, as a call that waits. */
	c->outer_inside = c->lane->control->inside;
	c->lane->control->inside = c->slot->inside;
	return HB__YES;
}

void hb__follow_lane(struct hb__lane *lane)
{
	struct hb__reader *reader = hb__script_reader(lane->thread);
	struct hb__follow *f = reader ? hb__pages(sizeof *f) : NULL;
	if (!f) {
		hb__say("a thread calls MPI that made no MPI call in the recorded run; it is not compared");
		return;
	}
	f->reader = reader;
	lane->follow = f;
}

/* A process may come to its end while other threads of it go on, and how far these get is not in anybody's hand. */
static bool goes_on(const struct hb__lane *lane) { return lane->thread && hb__follow_thread(lane->follow); }

/* How many events of a lane were over by then; UINT64_MAX: at the end. */
static uint64_t events_by(struct hb__follow *f, uint64_t tick)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct hb__row row;
	if (tick == UINT64_MAX)
		return hb__script_events(f->reader);
	pthread_mutex_lock(&lock);
	if (!f->timed.reader)
		f->timed.reader = hb__script_reader(hb__script_reader_thread(f->reader));
	while (f->timed.reader && f->timed.exit < tick && hb__script_next(f->timed.reader, &row)) {
		f->timed.event++;
		f->timed.exit = row.exit;
	}
	uint64_t n = f->timed.event - (f->timed.event && f->timed.exit >= tick);
	pthread_mutex_unlock(&lock);
	return n;
}

/* Until the other threads have done again what they had done by then, as long as they go on with it. */
static void await_threads(uint64_t tick)
{
	const struct timespec slice = {0, 1000000};
	uint64_t before = UINT64_MAX;
	for (int still = 0; still < STILL_MS && !hb__job_ends(); still++) {
		uint64_t left = 0;
		for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next)
			if (lane != hb__self && lane->follow && !lane->follow->over) {
				uint64_t all = events_by(lane->follow, tick),
					 done = __atomic_load_n(&lane->follow->event, __ATOMIC_RELAXED);
				left += all > done ? all - done : 0;
			}
		if (!left)
			return;
		still = left == before ? still : 0;
		before = left;
		syscall(SYS_nanosleep, &slice, NULL);
	}
}

/* It came before the first event of its handler, or before the call returned that it ended. */
void hb__follow_await_others(const struct hb__lane *lane)
{
	struct hb__follow *f = lane ? lane->follow : NULL;
	if (is_free(f) || !fetch(f))
		return;
	bool ended = f->row.n && f->row.results[0] == -EINTR;
	await_threads(ended ? f->row.exit : f->row.enter);
}

void hb__follow_finish(void)
{
	if (hb__config.mode != HB__REPLAY || hb__job_ends())
		return;
	if (hb__descends)
		await_threads(UINT64_MAX);
	for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next)
		if (lane->follow && !lane->follow->over && (fetch_call(lane->follow) || lane->follow->skipped_left) &&
			!goes_on(lane)) {
			hb__report_missing(lane, lane->follow->have ? &lane->follow->row : NULL);
			return;
		}
	hb__report_done();
}
