/* Streams with a log: flushed, full, read again, cut by a kill or by a full disk. */
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <hbdb/self/log.h>

#include "tests/self/stream.h"

static trace_event_id_t step;
static struct posix_trace_event_info info;
static char data[9000];
static size_t n;

static trace_id_t log_of(const char *path, int stream_policy, int log_policy, size_t stream, size_t log, int *error)
{
	trace_attr_t a;
	trace_id_t trid = 0;
	posix_trace_attr_init(&a);
	if (stream_policy)
		posix_trace_attr_setstreamfullpolicy(&a, stream_policy);
	posix_trace_attr_setlogfullpolicy(&a, log_policy);
	posix_trace_attr_setstreamsize(&a, stream);
	posix_trace_attr_setlogsize(&a, log);
	posix_trace_attr_setname(&a, "logged");
	int file = open(path, O_RDWR | O_CREAT, 0666);
	*error = posix_trace_create_withlog(0, &a, file, &trid);
	close(file);
	return trid;
}

static trace_id_t opened(const char *path)
{
	trace_id_t trid = 0;
	int file = open(path, O_RDONLY), error = posix_trace_open(file, &trid);
	close(file);
	if (error)
		check(false, "the log %s is opened: %s", path, strerror(error));
	return trid;
}

/* Events of a log whose data are consecutive numbers: the first, how many; -1: they are not. stops: how many POSIX_TRACE_STOP by itself. */
static int numbers(trace_id_t trid, int *ret_first, int *ret_stops)
{
	int number, count = 0, expected = 0;
	trace_event_id_t id;
	*ret_stops = 0;
	while ((id = next_in(trid, &info, &number, sizeof number, &n))) {
		*ret_stops += id == POSIX_TRACE_STOP && number == 1;
		if (id != step)
			continue;
		if (!count)
			*ret_first = expected = number;
		if (number != expected++)
			return -1;
		count++;
	}
	return count;
}

static void say(int from, int to)
{
	for (int i = from; i < to; i++)
		posix_trace_event(step, &i, sizeof i);
}

/* Of a log: its types, what it may not be given to, and its end. */
static void refused_in_log(trace_id_t log)
{
	int types = 0, unavailable;
	char text[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;
	while (!posix_trace_eventtypelist_getnext_id(log, &id, &unavailable) && !unavailable)
		types++;
	check(types == 11 && !posix_trace_eventtypelist_rewind(log), "its types: %d", types);
	check(posix_trace_eventid_equal(log, step, step), "eventid_equal in a log");
	IS(posix_trace_eventid_get_name(log, 1000, text), EINVAL);
	IS(posix_trace_start(log), EINVAL);
	IS(posix_trace_stop(log), EINVAL);
	IS(posix_trace_clear(log), EINVAL);
	IS(posix_trace_flush(log), EINVAL);
	IS(posix_trace_shutdown(log), EINVAL);
	IS(posix_trace_trid_eventid_open(log, "x", &id), EINVAL);
	IS(posix_trace_trygetnext_event(log, &info, data, sizeof data, &n, &unavailable), EINVAL);
	IS(posix_trace_close(log), 0);
	IS(posix_trace_close(log), EINVAL);
	IS(posix_trace_rewind(log), EINVAL);
	IS(posix_trace_getnext_event(log, &info, data, sizeof data, &n, &unavailable), EINVAL);
}

static void written_and_read(void)
{
	const char *path = check_path("plain");
	int error, first, stops, unavailable;
	struct posix_trace_status_info s;
	trace_attr_t a;
	char text[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;
	trace_id_t trid = log_of(path, 0, POSIX_TRACE_APPEND, 65536, 0, &error), log;
	check(!error, "create_withlog");
	posix_trace_get_attr(trid, &a);
	int policy;
	check(!posix_trace_attr_getstreamfullpolicy(&a, &policy) && policy == POSIX_TRACE_FLUSH,
		"with a log the policy is FLUSH");
	posix_trace_start(trid);
	say(0, 10);
	IS(posix_trace_trygetnext_event(trid, &info, data, sizeof data, &n, &unavailable), EINVAL);
	IS(posix_trace_getnext_event(trid, &info, data, sizeof data, &n, &unavailable), EINVAL);
	IS(posix_trace_rewind(trid), EINVAL);
	IS(posix_trace_close(trid), EINVAL);
	IS(posix_trace_flush(trid), 0);
	check(status_of(trid).posix_stream_flush_status == POSIX_TRACE_NOT_FLUSHING &&
			!status_of(trid).posix_stream_flush_error,
		"flushed, without an error");
	say(10, 100000); /* many times what the stream holds: it flushes itself */
	trace_event_id_t late;
	posix_trace_eventid_open("named late", &late);
	posix_trace_event(late, "text", 4);
	check(status_of(trid).posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN, "nothing is lost");
	IS(posix_trace_shutdown(trid), 0);
	log = opened(path);
	check(next_in(log, &info, data, sizeof data, &n) == POSIX_TRACE_START, "the log begins with START");
	check(numbers(log, &first, &stops) == 100000 && first == 0 && !stops, "it has all events, in order");
	check(!posix_trace_getnext_event(log, &info, data, sizeof data, &n, &unavailable) && unavailable,
		"at its end nothing is available");
	IS(posix_trace_rewind(log), 0);
	check(numbers(log, &first, &stops) == 100000 && first == 0, "rewind: once more");
	posix_trace_rewind(log);
	int starts = 0, ends = 0, named = 0;
	while ((id = next_in(log, &info, data, sizeof data, &n))) {
		starts += id == POSIX_TRACE_FLUSH_START;
		ends += id == POSIX_TRACE_FLUSH_STOP;
		named += !posix_trace_eventid_get_name(log, id, text) && !strcmp(text, "named late") && n == 4 &&
			 !memcmp(data, "text", 4);
	}
	check(starts > 1 && ends > 1 && named == 1,
		"FLUSH_START %d, FLUSH_STOP %d; a type that got its name late has it", starts, ends);
	check(id == 0 && info.posix_event_id == POSIX_TRACE_STOP && info.posix_pid == getpid(), "the last is STOP");
	check(!posix_trace_get_attr(log, &a) && !posix_trace_attr_getname(&a, text) && !strcmp(text, "logged"),
		"its attributes");
	check(!posix_trace_get_status(log, &s) && s.posix_stream_status == POSIX_TRACE_SUSPENDED &&
			s.posix_log_full_status == POSIX_TRACE_NOT_FULL,
		"its status");
	refused_in_log(log);
}

static void descriptors(void)
{
	trace_id_t trid;
	int pair[2];
	IS(posix_trace_create_withlog(0, NULL, -5, &trid), EBADF);
	IS(posix_trace_create_withlog(0, NULL, 1000, &trid), EBADF);
	int file = open(check_path("reading"), O_RDONLY | O_CREAT, 0666);
	IS(posix_trace_create_withlog(0, NULL, file, &trid), EBADF);
	IS(posix_trace_open(file, &trid), EINVAL);
	close(file);
	check(!pipe(pair), "a pipe");
	IS(posix_trace_create_withlog(0, NULL, pair[1], &trid), EINVAL);
	IS(posix_trace_open(pair[0], &trid), EINVAL);
	close(pair[0]);
	close(pair[1]);
	IS(posix_trace_open(-1, &trid), EINVAL);
	const char *path = check_path("text");
	FILE *f = fopen(path, "w");
	for (int i = 0; i < 20000; i++)
		fputs("no log\n", f);
	fclose(f);
	file = open(path, O_RDONLY);
	IS(posix_trace_open(file, &trid), EINVAL);
	close(file);
	/* open for writing only, and at the end */
	path = check_path("writing");
	int first, stops;
	file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	IS(posix_trace_create_withlog(0, NULL, file, &trid), 0);
	close(file);
	posix_trace_start(trid);
	say(0, 50000);
	IS(posix_trace_shutdown(trid), 0);
	trid = opened(path);
	check(numbers(trid, &first, &stops) > 10000 && first + 10000 < 50000,
		"a descriptor for writing only, with O_APPEND");
	posix_trace_close(trid);
}

static void policies(void)
{
	int error, first = -1, stops, count;
	const char *path = check_path("loop");
	trace_id_t trid = log_of(path, 0, POSIX_TRACE_LOOP, 8192, 1000 * 64, &error), log;
	posix_trace_start(trid);
	say(0, 20000);
	posix_trace_flush(trid);
	check(status_of(trid).posix_log_full_status == POSIX_TRACE_FULL &&
			status_of(trid).posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"a log that loops: full, no overrun");
	posix_trace_shutdown(trid);
	log = opened(path);
	count = numbers(log, &first, &stops);
	check(count > 500 && count < 1000 && first + count == 20000, "it has the newest %d", count);
	posix_trace_close(log);
	struct stat st;
	check(!stat(path, &st) && st.st_size < 300000, "and is no greater than was asked for: %lld bytes",
		(long long)st.st_size);
	path = check_path("until");
	trid = log_of(path, 0, POSIX_TRACE_UNTIL_FULL, 8192, 1000 * 64, &error);
	posix_trace_start(trid);
	say(0, 20000);
	posix_trace_flush(trid);
	struct posix_trace_status_info s = status_of(trid);
	check(s.posix_log_full_status == POSIX_TRACE_FULL && s.posix_log_overrun_status == POSIX_TRACE_OVERRUN &&
			s.posix_stream_status == POSIX_TRACE_SUSPENDED,
		"a log until full: full, overrun, its stream stopped");
	check(status_of(trid).posix_log_overrun_status == POSIX_TRACE_NO_OVERRUN,
		"get_status takes the log's overrun back");
	posix_trace_shutdown(trid);
	log = opened(path);
	count = numbers(log, &first, &stops);
	check(count > 900 && count < 1000 && first == 0 && stops == 1 && info.posix_event_id == POSIX_TRACE_STOP,
		"it has the oldest %d, and STOP at its end", count);
	posix_trace_close(log);
}

static void more_policies(void)
{
	int error, first = -1, stops, count;
	const char *path = check_path("cleared");
	trace_id_t log, trid = log_of(path, 0, POSIX_TRACE_UNTIL_FULL, 8192, 1000 * 64, &error);
	posix_trace_start(trid);
	say(0, 500);
	posix_trace_flush(trid);
	say(500, 510);
	IS(posix_trace_clear(trid), 0);
	say(7000, 7010);
	posix_trace_shutdown(trid);
	log = opened(path);
	check(numbers(log, &first, &stops) == 10 && first == 7000, "clear empties stream and log");
	posix_trace_close(log);
	/* a stream that loops, or stops, and a log that has what was flushed */
	path = check_path("looping");
	trid = log_of(path, POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 64 * 64, 0, &error);
	posix_trace_start(trid);
	say(0, 1000);
	posix_trace_flush(trid);
	posix_trace_shutdown(trid);
	log = opened(path);
	count = numbers(log, &first, &stops);
	check(count > 50 && count <= 128 && first + count == 1000, "a stream LOOP: the newest %d are in its log",
		count);
	posix_trace_close(log);
	path = check_path("stopping");
	trid = log_of(path, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 64 * 64, 0, &error);
	posix_trace_start(trid);
	say(0, 1000);
	check(status_of(trid).posix_stream_full_status == POSIX_TRACE_FULL, "a stream UNTIL_FULL with a log is full");
	posix_trace_flush(trid);
	check(status_of(trid).posix_stream_status == POSIX_TRACE_RUNNING, "flushed, it goes on");
	posix_trace_shutdown(trid);
	log = opened(path);
	count = numbers(log, &first, &stops);
	check(count > 50 && count < 128 && first == 0 && stops == 1, "its log has the oldest %d, and a STOP", count);
	posix_trace_close(log);
}

/* ---- killed ---- */

static void killed(int stream_policy, int log_policy, const char *what)
{
	const char *path = check_path(what);
	int error, first = -1, stops, status, ready[2], said = -1;
	check(!pipe(ready), "a pipe");
	pid_t pid = fork();
	if (!pid) {
		posix_trace_start(log_of(path, stream_policy, log_policy, 65536, 200000, &error));
		for (int i = 0;; i++) {
			posix_trace_event(step, &i, sizeof i);
			if (i == 30000 && write(ready[1], &i, sizeof i) != sizeof i)
				_exit(1);
		}
	}
	close(ready[1]);
	check(read(ready[0], &said, sizeof said) == sizeof said && said == 30000, "%s: it runs", what);
	close(ready[0]);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	trace_id_t log = opened(path);
	int count = numbers(log, &first, &stops);
	check(WIFSIGNALED(status) && count > 500 && first + count > 30000, "%s: killed, its log has %d events up to %d",
		what, count, first + count - 1);
	check(log_policy != POSIX_TRACE_APPEND || first == 0, "%s: from %d on", what, first);
	posix_trace_close(log);
}

/* ---- no room ---- */

static void no_room(void)
{
	int status, error;
	const char *path = check_path("big");
	pid_t pid = fork();
	if (!pid) { /* a limit on files is for this process alone */
		trace_id_t trid = log_of(path, 0, POSIX_TRACE_APPEND, 65536, 0, &error);
		posix_trace_start(trid);
		struct rlimit limit = {200 * 1024, 200 * 1024};
		setrlimit(RLIMIT_FSIZE, &limit);
		say(0, 100000); /* SIGXFSZ would end it */
		int flushed = posix_trace_flush(trid);
		struct posix_trace_status_info s = status_of(trid), again = status_of(trid);
		int good = flushed == EFBIG && s.posix_stream_flush_error == EFBIG && !again.posix_stream_flush_error &&
			   s.posix_stream_overrun_status == POSIX_TRACE_OVERRUN &&
			   s.posix_stream_full_status == POSIX_TRACE_FULL;
		_exit(good && posix_trace_shutdown(trid) == EFBIG ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	check(!status, "a file that may not grow: flush, status and shutdown say EFBIG, the program goes on");
	int first, stops;
	trace_id_t log = opened(path);
	check(numbers(log, &first, &stops) > 500 && first == 0, "what is in it is read");
	posix_trace_close(log);
	/* a disk that is full: where this test may make one */
	const char *disk = check_path("disk");
	if (mkdir(disk, 0777) || mount("none", disk, "tmpfs", 0, "size=256k")) {
		printf("a full disk was not tried: no file system may be mounted here\n");
		return;
	}
	char inside[200];
	snprintf(inside, sizeof inside, "%s/log", disk);
	log_of(inside, 0, POSIX_TRACE_APPEND, 1 << 20, 0, &error);
	check(error == ENOSPC, "a disk without room for the stream: create_withlog says ENOSPC: %s", strerror(error));
	trace_id_t trid = log_of(inside, 0, POSIX_TRACE_APPEND, 8192, 0, &error);
	check(!error, "a small one fits");
	posix_trace_start(trid);
	say(0, 100000);
	IS(posix_trace_flush(trid), ENOSPC);
	check(status_of(trid).posix_stream_flush_error == ENOSPC, "the status says so, too");
	IS(posix_trace_shutdown(trid), ENOSPC);
	umount(disk);
}

/* A log of some megabytes, and its file is emptied while it is being read: what is gone is not there, and the reader lives. */
static void shortened(void)
{
	enum { EVENTS = 50000 };
	int error, first, stops;
	const char *path = check_path("shortened");
	trace_id_t trid = log_of(path, 0, POSIX_TRACE_APPEND, 1 << 16, 0, &error);
	posix_trace_start(trid);
	say(0, EVENTS);
	IS(posix_trace_flush(trid), 0);
	trace_id_t log = opened(path);
	check(numbers(log, &first, &stops) == EVENTS && first == 0, "a log of many pieces is read");
	IS(posix_trace_rewind(log), 0);
	check(numbers(log, &first, &stops) == EVENTS && first == 0, "and again");
	IS(posix_trace_rewind(log), 0);
	for (int i = 0; i < 100; i++)
		next_in(log, &info, data, sizeof data, &n);
	IS(posix_trace_clear(trid), 0);
	check(numbers(log, &first, &stops) < EVENTS,
		"a log that is emptied meanwhile: its reader goes on without what is gone");
	posix_trace_close(log);
	posix_trace_shutdown(trid);
}

/* One file, one stream. */
static void shared(void)
{
	int error, first, stops, status = -1;
	const char *path = check_path("shared");
	trace_id_t other, trid = log_of(path, 0, POSIX_TRACE_APPEND, 4096, 0, &error);
	posix_trace_start(trid);
	say(0, 10);
	log_of(path, 0, POSIX_TRACE_APPEND, 4096, 0, &error);
	check(error == EBUSY, "another stream in the same file: EBUSY: %s", strerror(error));
	pid_t child = fork();
	if (!child)
		_exit(hb_self_open(path, NULL, &other) != EBUSY);
	waitpid(child, &status, 0);
	check(!status, "of another process, too");
	say(10, 20);
	IS(posix_trace_shutdown(trid), 0);
	trace_id_t log = opened(path);
	check(numbers(log, &first, &stops) == 20 && first == 0, "the first one goes on undisturbed");
	posix_trace_close(log);
	trid = log_of(path, 0, POSIX_TRACE_APPEND, 4096, 0, &error);
	check(!error, "when it was shut down the file is free: %s", strerror(error));
	posix_trace_shutdown(trid);
}

/* A child that has no part in a stream gives a name to a type; then its parent does. */
static void named_by_child(void)
{
	int error, status = -1;
	const char *path = check_path("named");
	char name[TRACE_EVENT_NAME_MAX + 1] = "";
	trace_event_id_t type = 0;
	trace_id_t trid = log_of(path, 0, POSIX_TRACE_APPEND, 4096, 0, &error);
	posix_trace_start(trid);
	pid_t child = fork();
	if (!child)
		_exit(posix_trace_eventid_open("of both", &type));
	waitpid(child, &status, 0);
	posix_trace_eventid_open("of both", &type);
	posix_trace_event(type, "", 0);
	posix_trace_shutdown(trid);
	trace_id_t log = opened(path);
	check(!status && !posix_trace_eventid_get_name(log, type, name) && !strcmp(name, "of both"),
		"a name that a child used first is in its parent's log, too: '%s'", name);
	posix_trace_close(log);
}

/* For how long the rate of ticks was measured, as the head in the file says. */
static uint64_t measured(const char *path)
{
	struct hb_stream_head head;
	int file = open(path, O_RDONLY);
	bool all = read(file, &head, sizeof head) == (ssize_t)sizeof head;
	close(file);
	return all ? head.mono1 - head.mono0 : 0;
}

/* A stream that nobody reads or flushes, of a program that is killed: the times of its last events depend on what its first moments made of the rate,
 * unless that is measured again. */
static void measured_again(void)
{
	int error;
	const char *path = check_path("measured");
	trace_id_t trid = log_of(path, POSIX_TRACE_LOOP, POSIX_TRACE_LOOP, 4096, 1 << 20, &error);
	posix_trace_start(trid);
	uint64_t before = measured(path), ns = 4 * before;
	struct timespec wait = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	nanosleep(&wait, NULL);
	say(0, 1);
	uint64_t after = measured(path);
	/* where the processor has no counter that can be used, ticks are nanoseconds */
	check(after >= ns || before == 1000000, "the rate of ticks was measured for %llu us, then for %llu",
		(unsigned long long)before / 1000, (unsigned long long)after / 1000);
	posix_trace_shutdown(trid);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	posix_trace_eventid_open("step", &step);
	measured_again(); /* first: it waits for some times what the library has lived */
	written_and_read();
	descriptors();
	policies();
	more_policies();
	killed(POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, "flush, append");
	killed(POSIX_TRACE_LOOP, POSIX_TRACE_LOOP, "loop");
	killed(POSIX_TRACE_FLUSH, POSIX_TRACE_LOOP, "flush, loop");
	shortened();
	shared();
	named_by_child();
	no_room();
	check_clean();
	return check_end();
}
