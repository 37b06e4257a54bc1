/* What replay has to say, as files in the session folder. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/control/control.h"
#include "capture/core/record/record.h"
#include "capture/core/follow/follow.h"
#include "capture/core/layer.h"

#define MOST 100 /* differences told by a process that goes on after them */
#define FIRST 1  /* difference of contents of a process: the others follow from it */

/* Text of a report, cut at the end of the buffer. */
struct out {
	char text[4096];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct out *o, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(o->text + o->n, sizeof o->text - o->n, format, args);
	va_end(args);
	if (n > 0)
		o->n = o->n + (size_t)n < sizeof o->text ? o->n + (size_t)n : sizeof o->text - 1;
}

/* The tool only waits for the name: where no file can be written (full disk, no descriptor left) a folder
 * has to do, and the text goes to stderr. */
static void publish_bare(const char *name, const char *temporary, const struct out *o)
{
	unlink(temporary);
	hb__say("%.*s", (int)o->n - 1, o->text);
	if (mkdir(name, 0777) && errno != EEXIST)
		hb__say("cannot report to hbdb replay: %s: %s", name, strerror(errno));
}

bool hb__job_ends(void)
{
	char name[4300];
	snprintf(name, sizeof name, "%s/ending", hb__config.dir);
	return access(name, F_OK) == 0;
}

/* Of a process that is gone back over, what it reported before must not come into its memory: what is appended again comes to the same place. */
static bool append(const char *name, const struct out *o)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	bool whole = fd >= 0 && write(fd, o->text, o->n) == (ssize_t)o->n;
	if (fd >= 0)
		close(fd);
	return whole;
}

/* Under warn reports add up in one file; it is always whole, for it is renamed into place. */
static void publish(const char *kind, const struct out *o)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char name[4300], temporary[4300];
	static char before[65536];
	ssize_t had = 0;
	snprintf(name, sizeof name, "%s/%s.%d", hb__config.dir, kind, hb__replayed_as());
	snprintf(temporary, sizeof temporary, "%s/.%s.%d", hb__config.dir, kind, hb__replayed_as());
	if (hb__config.backwards && append(name, o))
		return;
	pthread_mutex_lock(&lock);
	int old = open(name, O_RDONLY | O_CLOEXEC);
	if (old >= 0) {
		had = read(old, before, sizeof before);
		close(old);
	}
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bool whole = fd >= 0 && (had <= 0 || write(fd, before, (size_t)had) == had) &&
		     write(fd, o->text, o->n) == (ssize_t)o->n;
	if (fd >= 0)
		close(fd);
	if (!whole || rename(temporary, name))
		publish_bare(name, temporary, o);
	pthread_mutex_unlock(&lock);
}

static void rank_value(struct out *o, int64_t v)
{
	if (v == HB_ANY_SOURCE || v == HB_PROC_NULL || v == HB_ROOT)
		add(o, "%s", v == HB_ANY_SOURCE ? "ANY" : v == HB_PROC_NULL ? "PROC_NULL" : "ROOT");
	else
		add(o, "%" PRId64, v);
}

/* The recording names only what it uses; the program may use another one now. */
static const char *predefined(bool op, int64_t v)
{
	static const char *const types[] = {
#define HB_DATATYPE(name) "MPI_" #name,
#include "calls/datatypes.def"
#undef HB_DATATYPE
	};
	static const char *const ops[] = {
#define HB_OPERATION(name) "MPI_" #name,
#include "calls/operations.def"
#undef HB_OPERATION
	};
	int64_t n = op ? sizeof ops / sizeof *ops : sizeof types / sizeof *types;
	return v >= 0 && v < n ? (op ? ops : types)[v] : NULL;
}

static void value(struct out *o, int kind, int64_t v)
{
	char name[128];
	bool op = kind == HB_RECORDED_OP, named = op || kind == HB_RECORDED_DATATYPE;
	if (v == HB_UNDEFINED)
		add(o, "UNDEFINED");
	else if (kind == HB_RECORDED_RANK)
		rank_value(o, v);
	else if (kind == HB_RECORDED_TAG && v == HB_ANY_TAG)
		add(o, "ANY");
	else if (kind == HB_RECORDED_COMM && v <= 1)
		add(o, "%s", v == 0 ? "WORLD" : v == 1 ? "SELF" : "NULL");
	else if (named && (v < 0 || predefined(op, v)))
		add(o, "%s", v < 0 ? "NULL" : predefined(op, v));
	else if (named && hb__script_named(op, v, name, sizeof name))
		add(o, "%s", name);
	else if (kind == HB_RECORDED_DIGEST || kind == HB_RECORDED_DIGEST_TYPES)
		add(o, "~%" PRIx64, (uint64_t)v);
	else
		add(o, "%" PRId64, v);
}

static void recorded_call(struct out *o, const struct hb__row *row)
{
	char name[128];
	int kind;
	const struct hb__script_slot *s = row->slot;
	add(o, "    %s(", hb__script_function(s->function));
	for (uint32_t i = 0; i < s->nargs && hb__script_argument(s->function, i, name, sizeof name, &kind); i++) {
		add(o, "%s%s=", i ? ", " : "", name);
		value(o, kind, s->arg[i]);
	}
	char path[1024];
	uint64_t offset;
	add(o, ")");
	if (hb__script_site(s->site, path, sizeof path, &offset))
		add(o, "  @%s+0x%" PRIx64 "@", path, offset);
	add(o, "\n");
}

static void place(struct out *o, const void *pc)
{
	const char *path;
	uintptr_t base, end;
	if (hb__module_of(pc, &path, &base, &end))
		add(o, "  @%s+0x%" PRIxPTR "@", path, (uintptr_t)pc - base);
}

static void program_call(struct out *o, const struct hb__call *c)
{
	add(o, "    %s(", c->fn->name);
	for (unsigned i = 0; c->slot && i < c->slot->nargs; i++) {
		add(o, "%s%s=", i ? ", " : "", c->fn->recorded[i].name);
		value(o, c->fn->recorded[i].kind, c->slot->arg[i]);
	}
	add(o, ")");
	place(o, hb__site_of(c->pc, c->cfa));
	add(o, "\n");
}

static void where(struct out *o, const struct hb__lane *lane, uint64_t event)
{
	char name[HB__CALLED];
	add(o, "%s, ", hb__process_name(name));
	if (lane->number)
		add(o, "lane %d, ", lane->number);
	add(o, "event %" PRIu64, event);
}

/* Under warn the file is written anew each time: no more of them. */
static bool many(int *ret_number)
{
	static int reports;
	*ret_number = hb__config.warn ? __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED) : 0;
	return *ret_number > MOST;
}

static void both_calls(struct out *o, const struct hb__call *c, const struct hb__row *expected)
{
	add(o, "  recorded:\n");
	recorded_call(o, expected);
	add(o, "  now:\n");
	program_call(o, c);
}

static void publish_difference(struct hb__call *c, struct out *o, int number)
{
	if (number == MOST)
		add(o, "  (further differences of this process are not reported)\n");
	publish("divergence", o);
	if (!hb__config.warn)
		hb__wait_here(c->lane, HB_CONTROL_DIFFERS);
}

void hb__report_difference(struct hb__call *c, const struct hb__row *expected, const char *why)
{
	int number;
	struct out o = {.n = 0};
	if (many(&number))
		return;
	where(&o, c->lane, c->lane->follow->event + 1);
	if (expected) {
		add(&o, ": the program differs from the recording (%s)\n", why);
		both_calls(&o, c, expected);
	} else {
		add(&o, ": %s, the program makes one:\n", why);
		program_call(&o, c);
	}
	publish_difference(c, &o, number);
}

void hb__report_polls(struct hb__call *c, const struct hb__row *expected, uint64_t recorded, uint64_t now)
{
	int number;
	struct out o = {.n = 0};
	if (many(&number))
		return;
	where(&o, c->lane, c->lane->follow->event + 1);
	if (now > recorded)
		add(&o,
			": the program polls longer than in the recording: the %" PRIu64
			" recorded %s (%s and the like that were answered no) before the next call %s used up\n",
			recorded, recorded == 1 ? "poll" : "polls", hb__layers_polls(), recorded == 1 ? "is" : "are");
	else
		add(&o,
			": the program polls less than in the recording: of the %" PRIu64
			" recorded %s (%s and the like that were answered no) before this call it made %" PRIu64 "\n",
			recorded, recorded == 1 ? "poll" : "polls", hb__layers_polls(), now);
	both_calls(&o, c, expected);
	add(&o,
		"  Every poll was answered as in the recording, so something else than these calls ends this loop: it seems to depend on a "
		"clock (a time limit, a timer, a counter of cycles).\n"
		"  hbdb repeats the values of %s and of no other clock: take the time from %s, or end the loop after a number of polls.\n",
		hb__layers_clock(), hb__layers_clock());
	if (!hb__config.warn)
		add(&o, "  To see what comes after it as the program is: hbdb replay --on-divergence warn\n");
	publish_difference(c, &o, number);
}

void hb__report_missing(struct hb__lane *lane, const struct hb__row *expected)
{
	struct out o = {.n = 0};
	where(&o, lane, lane->follow->event + 1);
	add(&o, ": the program ends here, but the recording goes on with\n");
	if (expected)
		recorded_call(&o, expected);
	else
		add(&o, "    a receive with a wildcard\n");
	publish("divergence", &o);
	if (!hb__config.warn)
		hb__wait_here(lane, HB_CONTROL_DIFFERS);
}

void hb__report_contents(struct hb__call *c, const char *what, const char *reason)
{
	static int reports;
	bool stop = hb__config.on_contents == HB__CONTENTS_STOP;
	if (hb__config.on_contents == HB__CONTENTS_IGNORE)
		return;
	if (!stop && __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED) > FIRST) /* one cause, many messages */
		return;
	struct out o = {.n = 0};
	where(&o, c->lane, c->lane->follow->event);
	add(&o, ": the same call, but %s\n", what);
	program_call(&o, c);
	if (reason)
		add(&o, "  %s\n", reason);
	else
		add(&o, "  the data itself shows no reason; possible reasons are a clock, random numbers, addresses, %sor bytes that were never written\n",
			hb__threaded ? "memory that threads share without a lock, " : "");
	publish(stop ? "divergence" : "contents", &o);
	if (stop)
		hb__wait_here(c->lane, HB_CONTROL_DIFFERS);
}

void hb__report_input(const struct hb__lane *lane, const void *pc, const char *what)
{
	struct out o = {.n = 0};
	char name[HB__CALLED];
	if (lane)
		where(&o, lane, lane->control->events);
	else
		add(&o, "%s, %s", *hb__process_name(name) ? name : "a process",
			hb__finished ? "at its end" : "before its first event");
	add(&o, ": %s", what);
	place(&o, pc);
	add(&o, "\n");
	publish("inputs", &o);
}

void hb__report_suspect(struct hb__lane *lane, uint64_t event, const void *pc, const char *name)
{
	static int reports;
	if (hb__config.on_contents == HB__CONTENTS_IGNORE || __atomic_add_fetch(&reports, 1, __ATOMIC_RELAXED) > FIRST)
		return;
	struct out o = {.n = 0};
	where(&o, lane, event);
	add(&o, ": the buffer of %s changed while its send was pending, so either the old or the new data may arrive",
		name);
	place(&o, pc);
	add(&o, "\n");
	publish("suspect", &o);
}

static uint64_t looked[HB__LOOKED];

void hb__looked(enum hb__looked what, uint64_t n)
{
	if (likely(!hb__many_threads && !hb__threaded)) /* a locked addition takes as long as thirty others */
		looked[what] += n;
	else
		__atomic_add_fetch(&looked[what], n, __ATOMIC_RELAXED);
}

void hb__looked_tell(void)
{
	struct out o = {.n = 0};
	if (hb__config.order)
		return;
	for (unsigned i = 0; i < HB__LOOKED; i++)
		add(&o, "%" PRIu64 "%c", looked[i], i + 1 < HB__LOOKED ? ' ' : '\n');
	publish("looked", &o);
}

void hb__report_not_compared(const struct hb__fn *fn)
{
	static bool told;
	struct out o = {.n = 0};
	if (__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		return;
	add(&o, "the recording was made by another version of hbdb: arguments that only one of the two versions records (first seen in a call of %s) are not compared\n",
		fn->name);
	publish("note", &o);
}

void hb__report_end(struct hb__call *c)
{
	struct out o = {.n = 0};
	where(&o, c->lane, c->lane->follow->event);
	add(&o, ": the recording ends here; the next call is\n");
	program_call(&o, c);
	publish("end", &o);
	hb__looked_tell();
}

void hb__report_without(struct hb__call *c, int stopped)
{
	int number = 0;
	struct out o = {.n = 0};
	if (!stopped && many(&number))
		return;
	if (stopped && hb__config.backwards && !c->lane->thread)
		hb__stand_at_end(c->lane); /* and that tells it */
	where(&o, c->lane, c->lane->follow->event);
	if (stopped)
		add(&o, ": what comes into this process was kept up to here only (%s), so it cannot go on alone; the next call is\n",
			strerror(stopped));
	else
		add(&o, ": what this call brought is not in the recording: the program is another one, or the file of contents is damaged\n");
	program_call(&o, c);
	if (!stopped) {
		publish_difference(c, &o, number);
		return;
	}
	publish("end", &o);
	hb__looked_tell();
	hb__stand_at_end(c->lane);
}

void hb__report_not_sent(struct hb__call *c, int source, int tag)
{
	struct out o = {.n = 0};
	where(&o, c->lane, c->lane->follow->event);
	add(&o, ": the recorded message, from %d with tag %d, does not arrive; a different one is received by\n",
		source, tag);
	program_call(&o, c);
	publish("divergence", &o);
}

void hb__report_done(void)
{
	struct out o = {.n = 0};
	hb__looked_tell();
	add(&o, "%d\n", hb__replayed_as());
	publish("done", &o);
}

void hb__wait_here(const struct hb__lane *lane, const char *why)
{
	hb__control_stands(lane, why);
	for (;;) {
		hb__progress();
		struct timespec t = {0, 1000000};
		nanosleep(&t, NULL);
	}
}
