/* Contents of messages and collectives against those of the record, and why they differ, as far as the bytes tell. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/memory/memory.h"
#include "capture/core/record/record.h"
#include "capture/mpi/replay/replay.h"
#include "capture/mpi/slots/slots.h"
#include "capture/mpi/track/track.h"

#define SAMPLE 1024 /* bytes that are searched for a reason */

/* ---- reasons ---- */

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `v` is the clock's value of a moment ago, in units of which there are `per` a second. Narrow: random bits are no times. */
static bool is_moment(double v, double now, double per, double ago)
{
	return v / per <= now + ago / 1000 && v / per >= now - ago;
}

/* Bytes that differ from those of the recording: is this value one that a clock of this process could have shown a moment ago? */
static const char *clock_in(const uint8_t *b, size_t left)
{
	int32_t word;
	int64_t wide = 0;
	double real = 0, now = seconds_of(CLOCK_REALTIME), up = seconds_of(CLOCK_MONOTONIC),
	       used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	memcpy(&word, b, sizeof word);
	if (is_moment(word, now, 1, 3600))
		return "what looks like the time of day";
	if (left < 8)
		return NULL;
	memcpy(&wide, b, sizeof wide);
	memcpy(&real, b, sizeof real);
	for (double per = 1; per <= 1e9; per *= 1e3)
		if (is_moment((double)wide, now, per, 3600))
			return "what looks like the time of day";
	if (is_moment(real, now, 1, 3600))
		return "what looks like the time of day";
	if (up > 1000 &&
		(is_moment((double)wide, up, 1e9, 10) || (real != (double)(int64_t)real && is_moment(real, up, 1, 10))))
		return "what looks like the time since the machine was started";
	if (used > 0.001 && (is_moment(real, used, 1, 0.001) || is_moment((double)wide, used, 1e6, 0.001)))
		return "what looks like the time of the processor that was used";
#if defined(__x86_64__)
	double ticks = (double)__builtin_ia32_rdtsc();
	if ((double)wide <= ticks && (double)wide > ticks * 0.999 && ticks > 1e9)
		return "what looks like the processor's counter of cycles";
#endif
	return NULL;
}

static bool is_text_with_tail(const uint8_t *b, size_t n)
{
	size_t end = 0, rest;
	while (end < n && (b[end] >= ' ' || b[end] == '\n' || b[end] == '\t') && b[end] < 0x7f)
		end++;
	for (rest = end; rest < n && !b[rest]; rest++)
		;
	return end >= 1 && end < n && !b[end] && rest < n;
}

static bool is_address(const uint8_t *b)
{
	uint64_t v;
	memcpy(&v, b, sizeof v);
	return v >> 47 == 0 && v > 1ull << 24 && hb__readable((const void *)(uintptr_t)v, 1);
}

/* What is in the bytes that two runs do not have in common; NULL: nothing that is known. */
static const char *reason(const void *p, int64_t bytes, char *text, size_t size)
{
	uint8_t b[SAMPLE];
	size_t n = bytes < SAMPLE ? (size_t)bytes : SAMPLE;
	const char *what = NULL;
	if (!hb__copy(b, p, n))
		return NULL;
	for (size_t at = 0; at + 4 <= n; at += 4)
		if ((what = clock_in(b + at, n - at))) {
			snprintf(text, size, "the data contains %s, %zu bytes from its beginning", what, at);
			return text;
		}
	if (is_text_with_tail(b, n))
		return "the data begins with a text that ends early: the bytes after it seem never to have been written";
	for (size_t at = 0; at + 4 <= n; at += 4) {
		int32_t v;
		memcpy(&v, b + at, sizeof v);
		if (v == getpid()) {
			snprintf(text, size, "the data contains the process number (pid), %zu bytes from its beginning",
				at);
			return text;
		}
		if (at + 8 <= n && is_address(b + at)) {
			snprintf(text, size,
				"the data contains an address, %zu bytes from its beginning: a pointer, or a remainder in bytes that were never written",
				at);
			return text;
		}
	}
	return NULL;
}

/* ---- comparing ---- */

/* fn: the call that gave or got them. what: a clause. */
static void different(
	struct hb__call *c, const struct hb__fn *fn, const char *what, const void *p, int64_t bytes, bool given)
{
	char text[160];
	if (hb__job_ends()) /* a handler of the signal that ends it */
		return;
	hb__looked(HB__DIFFERENT, 1);
	const char *why = p ? reason(p, bytes, text, sizeof text) : NULL;
	unsigned moves = fn->means->moves;
	if (!given && !why && (moves == HB_MOVES_REDUCE || moves == HB_MOVES_REDUCE_SCATTER))
		why = "the result of a reduction depends on the data of every process, and on the order in which the library combines it";
	else if (!given)
		why = "the data comes from another process";
	hb__report_contents(c, what, why);
}

/* Why nothing can be said of the contents of a call that has some; or -1. */
static int in_the_way(const struct hb__call *c)
{
	const struct hb__fn *fn = c->fn;
	bool moves = hb__has(c, HB_R_SBUF) || hb__has(c, HB_R_RBUF);
	if (!moves || (fn->cls == HB_RECV && !hb__has(c, HB_R_DEST)))
		return -1;
	if (fn->cls == HB_RMA)
		return HB__ONE_SIDED;
	if (fn->cls == HB_IO)
		return HB__FILED;
	if (fn->cls != HB_SEND && fn->cls != HB_RECV && fn->cls != HB_COLLECTIVE)
		return -1;
	if (hb__has(c, HB_R_DEST) && (int)hb__arg(c, HB_R_DEST) == MPI_PROC_NULL)
		return -1;
	if (fn->cls == HB_COLLECTIVE && (c->slot->in.holes || c->slot->out.holes))
		return HB__HOLES;
	if (c->slot->flags & HB_SLOT_CHECK)
		return c->has_recorded ? -1 : (int)HB__UNRECORDED;
	if (fn->cls == HB_COLLECTIVE) /* nothing counts here, or it is compared when it is over */
		return -1;
	if (hb__has(c, HB_R_COUNT) && (int64_t)hb__arg(c, HB_R_COUNT) <= 0)
		return -1;
	return fn->flags & HB_PERSISTENT ? HB__PERSISTENT : HB__HOLES;
}

void hb__compare_passed(struct hb__call *c)
{
	const struct hb__follow *f = c->lane->follow;
	int way = f && !f->free && !hb__config.order ? in_the_way(c) : -1;
	if (way >= 0)
		hb__looked((enum hb__looked)way, 1);
}

void hb__compare_sent(struct hb__call *c)
{
	if (hb__config.order || !c->slot)
		return;
	int way = in_the_way(c);
	if (way >= 0)
		hb__looked((enum hb__looked)way, 1);
	if (!c->has_recorded || !c->slot->check_bytes)
		return;
	bool known = c->check && c->recorded;
	hb__looked(known ? HB__COMPARED : HB__UNREADABLE, 1);
	if (known && c->check != c->recorded)
		different(c, c->fn, "it sends different data than in the recording",
			(const void *)c->a[c->slot->check_arg], c->slot->check_bytes, true);
}

void hb__compare(struct hb__call *c, const struct hb__part *part, enum hb__side side)
{
	uint16_t now = c->check, then = c->recorded;
	if (!c->has_recorded)
		return;
	if (side == HB__GIVEN_LOW)
		now &= 0xff, then &= 0xff;
	else if (side == HB__GOT_HIGH)
		now >>= 8, then >>= 8;
	bool given = side == HB__GIVEN || side == HB__GIVEN_LOW;
	hb__looked(now && then ? HB__COMPARED : HB__UNREADABLE, 1);
	if (now && then && now != then)
		different(c, c->fn,
			given ? "its input data differs from the recording" : "its result differs from the recording",
			(const uint8_t *)c->a[part->buf] + part->from, part->blocks ? 8 : part->bytes, given);
}

static void awaited_side(struct hb__call *c, const struct hb__begun *begun, bool given, uint16_t now, uint16_t then)
{
	char what[200];
	hb__looked(now && then ? HB__COMPARED : HB__UNREADABLE, 1);
	if (!now || !then || now == then)
		return;
	snprintf(what, sizeof what, "the %s of the %s of event %llu differs from the recording",
		given ? "input data" : "result", begun->fn->name, (unsigned long long)begun->event);
	different(
		c, begun->fn, what, given ? begun->in : begun->out, given ? begun->in_bytes : begun->out_bytes, given);
}

void hb__compare_awaited(struct hb__call *c, const struct hb__request *r, const struct hb__begun *begun, uint16_t check)
{
	struct hb__outcome how = hb__outcome_in(r->lane, r->posting);
	if (!how.checked) {
		hb__looked(HB__UNRECORDED, 1);
		return;
	}
	bool both = begun->gives && begun->gets;
	if (begun->gives)
		awaited_side(c, begun, true, both ? check & 0xff : check, both ? how.check & 0xff : how.check);
	if (begun->gets)
		awaited_side(c, begun, false, both ? check >> 8 : check, both ? how.check >> 8 : how.check);
}

/* ---- buffers of pending sends ---- */

struct hb__sent {
	struct hb__sent *next; /* unused ones */
	const void *buf, *pc;
	int64_t bytes;
	uint64_t event;
	const char *name;
	uint16_t check;
};
static struct hb__sent *unused;

void hb__compare_posted(struct hb__call *c, struct hb__request *r)
{
	if (!c->slot || !c->slot->check_bytes || !c->check)
		return;
	hb__track_lock();
	struct hb__sent *s = unused;
	if (s)
		unused = s->next;
	else
		s = hb__pool(sizeof *s);
	hb__track_unlock();
	if (!s)
		return;
	*s = (struct hb__sent){.buf = (const void *)c->a[c->slot->check_arg],
		.pc = hb__site_of(c->pc, c->cfa),
		.bytes = c->slot->check_bytes,
		.event = c->lane->follow ? c->lane->follow->event : 0,
		.name = c->fn->name,
		.check = c->check};
	r->sent = s;
}

void hb__compare_completed(struct hb__call *c, struct hb__request *r)
{
	struct hb__sent *s = r->sent;
	uint16_t now = hb__contents(s->buf, s->bytes);
	if (now && now != s->check)
		hb__report_suspect(c->lane, s->event, s->pc, s->name);
	r->sent = NULL;
	hb__track_lock();
	s->next = unused;
	unused = s;
	hb__track_unlock();
}
