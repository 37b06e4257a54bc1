/* Streams that threads, handlers of signals and forked processes share; writers that never finish. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "lib/self/state.h"
#include "tests/self/stream.h"

enum { THREADS = 6, EACH = 20000, MANY = 20000 };

static trace_event_id_t step, handled;
static struct posix_trace_event_info info;
static size_t n;

struct said { /* what a writer says: long enough for several cells when it is odd */
	int who, number, sum;
	char more[100];
};

static void say(int who, int number)
{
	struct said s = {.who = who, .number = number, .sum = who * 7919 + number};
	memset(s.more, number, sizeof s.more);
	posix_trace_event(step, &s, number % 2 ? sizeof s : offsetof(struct said, more));
}

static bool is_whole(const struct said *s)
{
	bool good =
		s->sum == s->who * 7919 + s->number && n == (s->number % 2 ? sizeof *s : offsetof(struct said, more));
	for (size_t i = 0; good && s->number % 2 && i < sizeof s->more; i++)
		good = s->more[i] == (char)s->number;
	return good;
}

static _Atomic int finished;       /* writers */
static _Atomic bool enough = true; /* was read, or need not be */

static void *writer(void *who)
{
	for (int i = 0; i < EACH || (!enough && i < 20 * EACH); i++)
		say((int)(intptr_t)who, i);
	finished++;
	return NULL;
}

static void on_alarm(int signal)
{
	(void)signal;
	static int count;
	posix_trace_event(handled, &count, sizeof count);
	count++;
}

/* Threads write, handlers of signals write between, this one reads meanwhile. */
static void threads(int policy, const char *what)
{
	trace_id_t trid =
		stream_of(policy, policy == POSIX_TRACE_LOOP ? 4096 : 1 << 16, 0); /* a small ring comes around often */
	pthread_t thread[THREADS];
	int last[THREADS], got = 0, torn = 0, backwards = 0, signals = 0, unavailable = 0, waits = 0;
	uint64_t lost;
	finished = 0;
	enough = policy != POSIX_TRACE_LOOP;
	for (int i = 0; i < THREADS; i++)
		last[i] = -1;
	posix_trace_start(trid);
	const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}}, never = {0};
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, writer, (void *)(intptr_t)i);
	while (waits < 2) { /* once more when all have ended */
		struct said s;
		bool over = finished == THREADS;
		if (posix_trace_trygetnext_event(trid, &info, &s, sizeof s, &n, &unavailable))
			break;
		if (unavailable) {
			waits += over;
			sched_yield();
			continue;
		}
		signals += info.posix_event_id == handled;
		if (info.posix_event_id != step)
			continue;
		got++;
		enough = enough || got == MANY;
		if (!is_whole(&s)) {
			torn++;
			continue;
		}
		backwards += s.number <= last[s.who];
		last[s.who] = s.number;
	}
	enough = true;
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	hb_self_lost(trid, &lost);
	check(got > 0 && !torn && !backwards,
		"%s: %d events read while %d threads and handlers (%d) wrote: %d torn, %d out of order", what, got,
		THREADS, signals, torn, backwards);
	posix_trace_shutdown(trid);
}

/* With a log nothing is lost, whoever flushes. */
static void threads_logged(void)
{
	trace_id_t trid, log;
	trace_attr_t a;
	const char *path = check_path("threads");
	pthread_t thread[THREADS];
	int last[THREADS], got = 0, wrong = 0;
	uint64_t lost;
	posix_trace_attr_init(&a);
	posix_trace_attr_setlogfullpolicy(&a, POSIX_TRACE_APPEND);
	posix_trace_attr_setstreamsize(&a, 1 << 21);
	IS(hb_self_open(path, &a, &trid), 0);
	for (int i = 0; i < THREADS; i++) {
		last[i] = -1;
		pthread_create(&thread[i], NULL, writer, (void *)(intptr_t)i);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	hb_self_lost(trid, &lost);
	IS(posix_trace_shutdown(trid), 0);
	int file = open(path, O_RDONLY);
	IS(posix_trace_open(file, &log), 0);
	close(file);
	struct said s;
	trace_event_id_t id;
	while ((id = next_in(log, &info, &s, sizeof s, &n))) {
		if (id != step)
			continue;
		got++;
		wrong += !is_whole(&s) || s.number <= last[s.who];
		last[s.who] = s.number;
	}
	check((uint64_t)got + lost == THREADS * EACH && !wrong && got > 0,
		"the log has %d of %d, %llu found no room, %d wrong", got, THREADS * EACH, (unsigned long long)lost,
		wrong);
	posix_trace_close(log);
}

/* ---- writers that are stopped, and go on ---- */

static char *page;              /* two pages; the second one faults */
static size_t page_bytes;       /* of each */
static void (*meanwhile)(void); /* what others do until the writer goes on */

static void on_fault(int signal)
{
	(void)signal;
	meanwhile();
	if (mprotect(page, 2 * page_bytes, PROT_READ | PROT_WRITE))
		abort();
}

/* An event whose writer is stopped when it has `before` bytes of the data, until the others are done. */
static void say_stopped(int number, size_t before, void (*others)(void))
{
	struct said s = {.who = 1, .number = number, .sum = 7919 + number};
	memset(s.more, number, sizeof s.more);
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, 2 * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page + page_bytes - before, &s, sizeof s);
	mprotect(page + page_bytes, page_bytes, PROT_NONE);
	meanwhile = others;
	signal(SIGSEGV, on_fault);
	posix_trace_event(step, page + page_bytes - before, number % 2 ? sizeof s : offsetof(struct said, more));
	signal(SIGSEGV, SIG_DFL);
	munmap(page, 2 * page_bytes);
}

static trace_id_t stopped_in;
static uint64_t stopped_at; /* its position */

/* A reader goes on after a while. */
static void read_past(void)
{
	struct said s;
	int unavailable;
	say(0, 2);
	check(!posix_trace_getnext_event(stopped_in, &info, &s, sizeof s, &n, &unavailable) && s.who == 0 &&
			s.number == 2 && is_whole(&s),
		"a reader goes on without an event whose writer is stopped");
}

static void flush_past(void)
{
	while (HB__LOAD(hb__streams[stopped_in & 255].head->head) <= stopped_at)
		if (posix_trace_flush(stopped_in) || usleep(1000)) /* each flush is two events */
			abort();
}

static void late(void)
{
	struct said s;
	uint64_t lost;
	for (int odd = 0; odd < 2; odd++)
		for (int more = 0; more <= odd; more++) { /* in the first cell, in a further one */
			stopped_in = stream_of(0, 4096, 0);
			posix_trace_start(stopped_in);
			next_of(stopped_in, &info, &s, sizeof s, &n);
			say_stopped(4 + odd, more ? HB_CELL_DATA : 0, read_past);
			hb_self_lost(stopped_in, &lost);
			check(next_of(stopped_in, &info, &s, sizeof s, &n) == step && s.number == 4 + odd &&
					is_whole(&s) && !lost && !next_of(stopped_in, &info, &s, sizeof s, &n),
				"the event comes once when its writer goes on (%d, %d), %llu lost", odd, more,
				(unsigned long long)lost);
			posix_trace_shutdown(stopped_in);
		}
}

/* The same where a flush goes on: a log has all that it was told. */
static void late_logged(void)
{
	const char *path = check_path("late");
	trace_id_t log;
	trace_attr_t a;
	struct said s;
	uint64_t lost;
	int got = 0, wrong = 0;
	posix_trace_attr_init(&a);
	posix_trace_attr_setlogfullpolicy(&a, POSIX_TRACE_APPEND);
	IS(hb_self_open(path, &a, &stopped_in), 0);
	for (int i = 0; i < 4; i++) {
		stopped_at = hb__streams[stopped_in & 255].head->tail;
		say_stopped(i, 0, flush_past);
	}
	hb_self_lost(stopped_in, &lost);
	IS(posix_trace_shutdown(stopped_in), 0);
	int file = open(path, O_RDONLY);
	IS(posix_trace_open(file, &log), 0);
	close(file);
	for (trace_event_id_t id; (id = next_in(log, &info, &s, sizeof s, &n));) {
		if (id != step)
			continue;
		wrong += !is_whole(&s) || s.number != got;
		got++;
	}
	check(got == 4 && !wrong && !lost, "the log has %d of 4, %llu found no room, %d wrong", got,
		(unsigned long long)lost, wrong);
	posix_trace_close(log);
}

/* The writer of a cell is stopped, and so is one who comes around the ring to it, before he takes it. A reader passes both: the second one must not take
 * the cell when the first one has gone on. */
static void around(void)
{
	struct hb_stream_head *h = hb__streams[stopped_in & 255].head;
	struct said s;
	uint64_t at = h->tail - 1;
	for (read_past(); h->tail < at + h->cells;) {
		say(0, 4);
		next_of(stopped_in, &info, &s, sizeof s, &n);
	}
	stopped_at = HB__ADD(h->tail, 1); /* what the second one has done */
	read_past();
}

static void late_twice(void)
{
	struct said s;
	stopped_in = stream_of(POSIX_TRACE_UNTIL_FULL, 4096, 0);
	posix_trace_start(stopped_in);
	next_of(stopped_in, &info, &s, sizeof s, &n);
	say_stopped(6, 0, around);
	const struct hb__stream *stream = &hb__streams[stopped_in & 255];
	const struct hb_cell *cell = &stream->ring[stopped_at & (stream->head->cells - 1)];
	check(cell->state == (stopped_at << 8 | HB_CELL_VOID), "the cell that both wanted is void for the second one");
	check(next_of(stopped_in, &info, &s, sizeof s, &n) == step && s.number == 6, "the first one's event comes");
	posix_trace_shutdown(stopped_in);
}

/* ---- fork ---- */

static void forked(void)
{
	trace_id_t both = stream_of(0, 1 << 16, 1), mine = stream_of(0, 1 << 16, 0);
	int status, of_child = 0, of_parent = 0;
	struct said s;
	posix_trace_start(both);
	posix_trace_start(mine);
	pid_t pid = fork();
	if (!pid) {
		trace_id_t own;
		for (int i = 0; i < 100; i++)
			say(1, i);
		int wrong = posix_trace_stop(both) != EINVAL || posix_trace_shutdown(both) != EINVAL ||
			    posix_trace_trygetnext_event(both, &info, &s, sizeof s, &n, &status) != EINVAL ||
			    posix_trace_start(mine) != EINVAL;
		wrong |= posix_trace_create(0, NULL, &own) || posix_trace_start(own) || posix_trace_shutdown(own);
		_exit(wrong);
	}
	for (int i = 0; i < 100; i++)
		say(0, i);
	waitpid(pid, &status, 0);
	check(!status, "in a child its parent's identifiers are invalid; it may make streams of its own");
	trace_event_id_t id;
	bool good = true;
	while ((id = next_of(both, &info, &s, sizeof s, &n))) {
		if (id != step)
			continue;
		good = good && is_whole(&s) && info.posix_pid == (s.who ? pid : getpid());
		of_child += s.who;
		of_parent += !s.who;
	}
	check(good && of_child == 100 && of_parent == 100,
		"INHERITED: parent's %d and child's %d events, by their PIDs", of_parent, of_child);
	of_child = of_parent = 0;
	while ((id = next_of(mine, &info, &s, sizeof s, &n))) {
		of_child += id == step && s.who;
		of_parent += id == step && !s.who;
	}
	check(of_child == 0 && of_parent == 100, "CLOSE_FOR_CHILD: the parent's alone");
	posix_trace_shutdown(mine);
	posix_trace_shutdown(both);
}

/* Children are killed anywhere in what they write. */
static void killed(void)
{
	trace_id_t both = stream_of(0, 1 << 16, 1);
	int got = 0, torn = 0;
	struct said s;
	_Atomic int *wrote = mmap(NULL, sizeof *wrote, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	posix_trace_start(both);
	for (int i = 0; i < 20; i++) {
		*wrote = 0;
		pid_t pid = fork();
		if (!pid)
			for (int k = 0;; k++) {
				say(2, k);
				*wrote = k;
			}
		while (*wrote < 10) /* it may have to wait for a processor */
			usleep(1000);
		usleep(137 * (unsigned)i);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		say(0, i);
	}
	for (int waits = 0; waits < 2;) {
		if (!next_of(both, &info, &s, sizeof s, &n)) {
			usleep(150000); /* longer than a reader waits for one that does not finish */
			waits++;
			continue;
		}
		waits = 0;
		got += info.posix_event_id == step;
		torn += info.posix_event_id == step && !is_whole(&s);
	}
	munmap((void *)wrote, sizeof *wrote);
	check(got > 100 && !torn, "20 children killed while they write: %d events read, %d torn", got, torn);
	say(0, 4711);
	check(next_of(both, &info, &s, sizeof s, &n) == step && s.number == 4711, "and the stream goes on");
	posix_trace_shutdown(both);
}

/* A child dies while it reads or flushes, and nobody has waited for it yet: its turn is over all the same. */
static void dead_owner(void)
{
	trace_id_t trid = stream_of(0, 1 << 16, 1);
	int ready[2];
	char byte;
	check(!pipe(ready), "a pipe");
	posix_trace_start(trid);
	pid_t pid = fork();
	if (!pid) { /* as one that was killed in a flush leaves it */
		struct hb_stream_head *h = hb__streams[trid & 255].head;
		h->owner = (uint64_t)getpid() << 32 | (uint32_t)getpid();
		_exit(write(ready[1], "x", 1) != 1);
	}
	check(read(ready[0], &byte, 1) == 1, "the child was there");
	struct said s;
	check(next_of(trid, &info, &s, sizeof s, &n) == POSIX_TRACE_START, "what it had taken is free");
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	posix_trace_shutdown(trid);
}

/* ---- writers that leave ---- */

static sigjmp_buf out;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

/* Reading the data faults in the middle of a record: the handler leaves by longjmp, and the record is never finished. */
static void left(void)
{
	trace_id_t trid = stream_of(0, 64 * 64, 0);
	struct said s;
	int unavailable;
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, leave);
	posix_trace_start(trid);
	say(0, 0);
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(out, 1))
			posix_trace_event(step, page, 8);
	say(0, 2);
	check(next_of(trid, &info, &s, sizeof s, &n) == POSIX_TRACE_START &&
			next_of(trid, &info, &s, sizeof s, &n) == step && s.number == 0,
		"what stands before a record that was left is read");
	check(!posix_trace_getnext_event(trid, &info, &s, sizeof s, &n, &unavailable) && info.posix_event_id == step &&
			s.number == 2,
		"a reader that waits passes over it");
	int last = 0, torn = 0;
	for (int i = 0; i < 1000; i++) /* many times around: its cells are left alone */
		say(0, i);
	while (next_of(trid, &info, &s, sizeof s, &n)) {
		torn += !is_whole(&s);
		last = s.number;
	}
	check(last == 999 && !torn, "the stream goes on around it: the last is %d, %d torn", last, torn);
	signal(SIGSEGV, SIG_DFL);
	posix_trace_shutdown(trid);
	munmap(page, 4096);
}

/* All cells belong to writers that left: there is no room, and both ends of that are told. */
static void overflow(void)
{
	trace_id_t trid = stream_of(0, 64, 0);
	uint64_t lost = 0;
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, leave);
	posix_trace_start(trid);
	for (volatile int i = 0; i < 64; i++)
		if (!sigsetjmp(out, 1))
			posix_trace_event(step, page, 8);
	say(0, 2);
	hb_self_lost(trid, &lost);
	check(lost > 0 && status_of(trid).posix_stream_overrun_status == POSIX_TRACE_OVERRUN,
		"no cell is free: %llu lost, overrun", (unsigned long long)lost);
	signal(SIGSEGV, SIG_DFL);
	posix_trace_shutdown(trid);
	munmap(page, 4096);
}

/* Streams come and go while threads write. */
static _Atomic bool over;

static void *chatter(void *unused)
{
	for (int i = 0; !over; i++)
		say(3, i);
	return unused;
}

static void coming_and_going(void)
{
	pthread_t thread[3];
	bool good = true;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, chatter, NULL);
	for (int i = 0; i < 300; i++) {
		trace_id_t trid =
			stream_of(i % 3 ? POSIX_TRACE_LOOP : POSIX_TRACE_UNTIL_FULL, (size_t)4096 << i % 4, 0);
		struct said s;
		good = good && !posix_trace_start(trid);
		while (good && next_of(trid, &info, &s, sizeof s, &n) == step)
			good = is_whole(&s);
		good = good && !posix_trace_shutdown(trid);
	}
	over = true;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	check(good, "300 streams come and go while 3 threads write");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	posix_trace_eventid_open("step", &step);
	posix_trace_eventid_open("handled", &handled);
	threads(POSIX_TRACE_LOOP, "LOOP");
	threads(POSIX_TRACE_UNTIL_FULL, "UNTIL_FULL");
	threads_logged();
	late();
	late_logged();
	late_twice();
	forked();
	killed();
	dead_owner();
	left();
	overflow();
	coming_and_going();
	check_clean();
	return check_end();
}
