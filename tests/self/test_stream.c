/* Streams without a log: what each function does, its error numbers, the policies, filters, waiting. */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/self/stream.h"

static trace_event_id_t step, other;
static struct posix_trace_event_info info;
static unsigned char data[9000];
static size_t n;

static void creation(void)
{
	trace_attr_t a;
	trace_id_t trid, more[TRACE_SYS_MAX];
	struct timespec before, made;
	char name[TRACE_NAME_MAX];
	int policy;
	posix_trace_attr_init(&a);
	posix_trace_attr_setname(&a, "named");
	clock_gettime(CLOCK_REALTIME, &before);
	IS(posix_trace_create(getpid(), &a, &trid), 0);
	posix_trace_attr_setname(&a, "changed later");
	check(!posix_trace_get_attr(trid, &a) && !posix_trace_attr_getname(&a, name) && !strcmp(name, "named"),
		"get_attr: the name");
	check(!posix_trace_attr_getcreatetime(&a, &made) && made.tv_sec >= before.tv_sec &&
			made.tv_sec <= before.tv_sec + 60,
		"get_attr: the time of creation");
	check(!posix_trace_attr_getstreamfullpolicy(&a, &policy) && policy == POSIX_TRACE_LOOP,
		"without a log the policy is LOOP");
	struct posix_trace_status_info s = status_of(trid);
	check(s.posix_stream_status == POSIX_TRACE_SUSPENDED && s.posix_stream_full_status == POSIX_TRACE_NOT_FULL &&
			s.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"it is suspended, not full, without overrun");
	posix_trace_event(step, "x", 1);
	check(!next_of(trid, &info, data, sizeof data, &n), "a suspended stream has no events");
	IS(posix_trace_flush(trid), EINVAL);
	IS(posix_trace_rewind(trid), EINVAL);
	IS(posix_trace_close(trid), EINVAL);
	IS(posix_trace_shutdown(trid), 0);
	IS(posix_trace_shutdown(trid), EINVAL);
	IS(posix_trace_start(trid), EINVAL);
	IS(posix_trace_stop(trid), EINVAL);
	IS(posix_trace_clear(trid), EINVAL);
	IS(posix_trace_get_attr(trid, &a), EINVAL);
	IS(posix_trace_get_status(trid, &s), EINVAL);
	posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_FLUSH);
	IS(posix_trace_create(0, &a, &trid), EINVAL);
	posix_trace_attr_setstreamfullpolicy(&a, POSIX_TRACE_LOOP);
	posix_trace_attr_setstreamsize(&a, (size_t)1 << 40);
	IS(posix_trace_create(0, &a, &trid), ENOMEM);
	posix_trace_attr_destroy(&a);
	IS(posix_trace_create(0, &a, &trid), EINVAL);
	IS(posix_trace_create(getppid(), NULL, &trid), EPERM);
	pid_t gone = fork();
	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	IS(posix_trace_create(gone, NULL, &trid), ESRCH);
	int made_so_many = 0;
	for (int i = 0; i < TRACE_SYS_MAX; i++)
		made_so_many += !posix_trace_create(0, NULL, &more[i]);
	check(made_so_many == TRACE_SYS_MAX, "TRACE_SYS_MAX streams at a time");
	IS(posix_trace_create(0, NULL, &trid), EAGAIN);
	for (int i = 0; i < TRACE_SYS_MAX; i++)
		posix_trace_shutdown(more[i]);
}

static void events(void)
{
	trace_id_t trid = stream_of(0, 65536, 0), second = stream_of(0, 65536, 0);
	struct timespec before, after;
	int flag = -1, unavailable;
	IS(posix_trace_start(trid), 0);
	IS(posix_trace_start(trid), 0);
	clock_gettime(CLOCK_REALTIME, &before);
	posix_trace_event(step, "hello", 5);
	clock_gettime(CLOCK_REALTIME, &after);
	posix_trace_event(POSIX_TRACE_STOP, NULL, 0);
	IS(posix_trace_stop(trid), 0);
	IS(posix_trace_stop(trid), 0);
	posix_trace_event(step, "lost", 4);
	check(next_of(trid, &info, data, sizeof data, &n) == POSIX_TRACE_START && n == sizeof(trace_event_set_t),
		"the first is START, once");
	check(next_of(trid, &info, data, sizeof data, &n) == step && n == 5 && !memcmp(data, "hello", 5),
		"then the event with its data");
	check(info.posix_pid == getpid() && pthread_equal(info.posix_thread_id, pthread_self()) &&
			info.posix_prog_address && info.posix_truncation_status == POSIX_TRACE_NOT_TRUNCATED,
		"process, thread, address, truncation");
	long long from = before.tv_sec * 1000000000ll + before.tv_nsec,
		  to = after.tv_sec * 1000000000ll + after.tv_nsec,
		  at = info.posix_timestamp.tv_sec * 1000000000ll + info.posix_timestamp.tv_nsec;
	check(at > from - 1000000 && at < to + 1000000, "its time is that of CLOCK_REALTIME: %lld ns of %lld",
		at - from, to - from);
	check(next_of(trid, &info, &flag, sizeof flag, &n) == POSIX_TRACE_STOP && n == sizeof flag && !flag,
		"then STOP, once, which was asked for; no event of the program is one of the system");
	check(!next_of(trid, &info, data, sizeof data, &n), "then none");
	IS(posix_trace_trygetnext_event(trid + 4096, &info, data, sizeof data, &n, &unavailable), EINVAL);
	IS(posix_trace_getnext_event(trid + 4096, &info, data, sizeof data, &n, &unavailable), EINVAL);
	posix_trace_start(second);
	posix_trace_start(trid);
	posix_trace_event(step, NULL, 0);
	check(next_of(trid, &info, data, sizeof data, &n) == POSIX_TRACE_START &&
			next_of(trid, &info, data, sizeof data, &n) == step &&
			next_of(second, &info, data, sizeof data, &n) == POSIX_TRACE_START &&
			next_of(second, &info, data, sizeof data, &n) == step && n == 0,
		"an event is in all streams that run");
	posix_trace_shutdown(second);
	posix_trace_shutdown(trid);
}

/* Data of every size, up to the most and beyond. */
static void sizes(void)
{
	trace_attr_t a;
	trace_id_t trid;
	posix_trace_attr_init(&a);
	posix_trace_attr_setmaxdatasize(&a, 3000);
	posix_trace_create(0, &a, &trid);
	posix_trace_start(trid);
	next_of(trid, &info, data, sizeof data, &n);
	unsigned char given[4000];
	bool good = true;
	for (size_t i = 0; i < sizeof given; i++)
		given[i] = (unsigned char)(i * 7 + i / 256);
	for (size_t size = 0; good && size <= 3100; size += size < 200 ? 1 : 97) {
		posix_trace_event(step, given, size);
		size_t most = size < 3000 ? size : 3000;
		good = next_of(trid, &info, data, sizeof data, &n) == step && n == most && !memcmp(data, given, n) &&
		       info.posix_truncation_status ==
			       (size > 3000 ? POSIX_TRACE_TRUNCATED_RECORD : POSIX_TRACE_NOT_TRUNCATED);
		if (!good)
			check(false, "%zu bytes of data", size);
	}
	check(good, "data of all sizes, cut at max-data-size (TRUNCATED_RECORD)");
	posix_trace_event(step, given, 100);
	check(next_of(trid, &info, data, 10, &n) == step && n == 10 && !memcmp(data, given, 10) &&
			info.posix_truncation_status == POSIX_TRACE_TRUNCATED_READ,
		"a buffer that is too small: TRUNCATED_READ");
	posix_trace_shutdown(trid);
}

static void until_full(void)
{
	trace_id_t trid = stream_of(POSIX_TRACE_UNTIL_FULL, 100 * 64, 0);
	int flag = 0, steps = 0;
	uint64_t lost;
	posix_trace_start(trid);
	for (int i = 0; i < 1000; i++)
		posix_trace_event(step, &i, sizeof i);
	struct posix_trace_status_info s = status_of(trid);
	check(s.posix_stream_status == POSIX_TRACE_SUSPENDED && s.posix_stream_full_status == POSIX_TRACE_FULL &&
			s.posix_stream_overrun_status == POSIX_TRACE_OVERRUN,
		"UNTIL_FULL: suspended, full, overrun");
	check(status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"get_status takes the overrun back");
	check(!hb_self_lost(trid, &lost) && lost > 800 && lost < 904, "%d events found no room", (int)lost);
	posix_trace_start(trid);
	posix_trace_stop(trid);
	check(status_of(trid).posix_stream_full_status == POSIX_TRACE_FULL,
		"start and stop leave a full stream as it is");
	check(next_of(trid, &info, data, sizeof data, &n) == POSIX_TRACE_START, "START");
	while (next_of(trid, &info, &flag, sizeof flag, &n) == step && flag == steps)
		steps++;
	check(steps >= 97 && info.posix_event_id == POSIX_TRACE_STOP && flag == 1, "%d events, then STOP by itself",
		steps);
	check(next_of(trid, &info, data, sizeof data, &n) == POSIX_TRACE_START, "empty: it goes on, which START says");
	posix_trace_event(step, &flag, sizeof flag);
	s = status_of(trid);
	check(s.posix_stream_status == POSIX_TRACE_RUNNING && s.posix_stream_full_status == POSIX_TRACE_NOT_FULL &&
			next_of(trid, &info, data, sizeof data, &n) == step,
		"and records");
	for (int i = 0; i < 1000; i++)
		posix_trace_event(step, &i, sizeof i);
	IS(posix_trace_clear(trid), 0);
	s = status_of(trid);
	check(s.posix_stream_full_status == POSIX_TRACE_NOT_FULL && s.posix_stream_status == POSIX_TRACE_RUNNING &&
			next_of(trid, &info, data, sizeof data, &n) == POSIX_TRACE_START &&
			!next_of(trid, &info, data, sizeof data, &n),
		"clear empties a full stream, which goes on");
	posix_trace_shutdown(trid);
}

static void loop(void)
{
	trace_id_t trid = stream_of(POSIX_TRACE_LOOP, 100 * 64, 0);
	int first = -1, last = -1, i;
	bool order = true;
	posix_trace_start(trid);
	for (i = 0; i < 1000; i++)
		posix_trace_event(step, &i, sizeof i);
	struct posix_trace_status_info s = status_of(trid);
	check(s.posix_stream_status == POSIX_TRACE_RUNNING && s.posix_stream_full_status == POSIX_TRACE_FULL,
		"LOOP: running and full");
	while (next_of(trid, &info, &i, sizeof i, &n) == step) {
		order = order && (first < 0 || i == last + 1);
		first = first < 0 ? i : first;
		last = i;
	}
	check(order && last == 999 && first > 800 && first <= 900, "the newest are kept, in order: %d to %d", first,
		last);
	check(status_of(trid).posix_stream_full_status == POSIX_TRACE_NOT_FULL, "read, it is not full");
	/* records of several cells, around the end of the ring again and again */
	char text[200], expected[200];
	for (i = 0; i < 500; i++) {
		snprintf(text, sizeof text, "%0*d", 20 + i % 150, i);
		posix_trace_event(other, text, strlen(text));
	}
	bool good = true;
	int got = 0;
	while (next_of(trid, &info, text, sizeof text - 1, &n)) {
		text[n] = 0;
		int number = atoi(text);
		snprintf(expected, sizeof expected, "%0*d", 20 + number % 150, number);
		good = good && !strcmp(text, expected) && (!got || number == last + 1);
		last = number;
		got++;
	}
	check(good && last == 499 && got > 20, "records of several cells are whole: %d of them", got);
	posix_trace_event(step, NULL, 0);
	IS(posix_trace_clear(trid), 0);
	check(!next_of(trid, &info, data, sizeof data, &n) &&
			status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING,
		"clear: nothing is left, it runs still");
	posix_trace_shutdown(trid);
}

static void filters(void)
{
	trace_id_t trid = stream_of(0, 65536, 0);
	trace_event_set_t set, got, both[2];
	int is;
	check(!posix_trace_get_filter(trid, &got) && !posix_trace_eventset_ismember(step, &got, &is) && !is,
		"get_filter: empty at first");
	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(step, &set);
	IS(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), 0);
	posix_trace_start(trid);
	posix_trace_event(step, NULL, 0);
	posix_trace_event(other, NULL, 0);
	check(next_of(trid, &info, &got, sizeof got, &n) == POSIX_TRACE_START && !memcmp(&got, &set, sizeof set),
		"START has the filter");
	check(next_of(trid, &info, data, sizeof data, &n) == other, "what is filtered out is not recorded");
	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(other, &set);
	IS(posix_trace_set_filter(trid, &set, POSIX_TRACE_ADD_EVENTSET), 0);
	posix_trace_event(step, NULL, 0);
	posix_trace_event(other, NULL, 0);
	check(next_of(trid, &info, both, sizeof both, &n) == POSIX_TRACE_FILTER && n == sizeof both &&
			!posix_trace_eventset_ismember(other, &both[0], &is) && !is &&
			!posix_trace_eventset_ismember(other, &both[1], &is) && is,
		"a filter that is changed while it runs is an event: the old one and the new one");
	check(!next_of(trid, &info, data, sizeof data, &n), "ADD_EVENTSET: neither is recorded");
	IS(posix_trace_set_filter(trid, &set, POSIX_TRACE_SUB_EVENTSET), 0);
	posix_trace_event(step, NULL, 0);
	posix_trace_event(other, NULL, 0);
	check(next_of(trid, &info, data, sizeof data, &n) == POSIX_TRACE_FILTER &&
			next_of(trid, &info, data, sizeof data, &n) == other,
		"SUB_EVENTSET: the other one is");
	posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
	posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
	next_of(trid, &info, data, sizeof data, &n);
	posix_trace_stop(trid);
	posix_trace_start(trid);
	check(!next_of(trid, &info, data, sizeof data, &n), "events of the system can be filtered out, too");
	IS(posix_trace_set_filter(trid, &set, 99), EINVAL);
	IS(posix_trace_set_filter(trid + 4096, &set, POSIX_TRACE_SET_EVENTSET), EINVAL);
	IS(posix_trace_get_filter(trid + 4096, &set), EINVAL);
	posix_trace_shutdown(trid);
}

/* ---- waiting ---- */

static trace_id_t waited;

static void *wait_for_one(void *code)
{
	int unavailable;
	struct posix_trace_event_info i;
	size_t bytes;
	char buffer[8];
	*(int *)code = posix_trace_getnext_event(waited, &i, buffer, sizeof buffer, &bytes, &unavailable);
	return NULL;
}

static void nothing(int signal) { (void)signal; }

static void waiting(void)
{
	pthread_t thread;
	int code = -1, unavailable;
	struct timespec until;
	waited = stream_of(0, 65536, 0);
	pthread_create(&thread, NULL, wait_for_one, &code);
	usleep(20000);
	posix_trace_start(waited);
	pthread_join(thread, NULL);
	check(code == 0, "getnext_event waits for an event");
	pthread_create(&thread, NULL, wait_for_one, &code);
	usleep(20000);
	posix_trace_shutdown(waited);
	pthread_join(thread, NULL);
	check(code == EINVAL, "getnext_event ends with EINVAL when the stream is shut down");
	waited = stream_of(0, 65536, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 30000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	IS(posix_trace_timedgetnext_event(waited, &info, data, sizeof data, &n, &unavailable, &until), ETIMEDOUT);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	check(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec),
		"and not before");
	until.tv_nsec = 1000000000;
	IS(posix_trace_timedgetnext_event(waited, &info, data, sizeof data, &n, &unavailable, &until), EINVAL);
	posix_trace_start(waited);
	IS(posix_trace_timedgetnext_event(waited, &info, data, sizeof data, &n, &unavailable, &until), 0);
	IS(posix_trace_timedgetnext_event(waited + 4096, &info, data, sizeof data, &n, &unavailable, &until), EINVAL);
	signal(SIGALRM, nothing);
	const struct itimerval often = {.it_interval = {.tv_usec = 3000}, .it_value = {.tv_usec = 3000}}, never = {0};
	setitimer(ITIMER_REAL, &often, NULL); /* again and again: one may come between two waits */
	IS(posix_trace_getnext_event(waited, &info, data, sizeof data, &n, &unavailable), EINTR);
	setitimer(ITIMER_REAL, &never, NULL);
	posix_trace_shutdown(waited);
}

int main(void)
{
	posix_trace_eventid_open("step", &step);
	posix_trace_eventid_open("other", &other);
	creation();
	events();
	sizes();
	until_full();
	loop();
	filters();
	waiting();
	return check_end();
}
