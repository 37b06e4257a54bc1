/* Sensors and actuators, and what they tell. */
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/self/stream.h"

static trace_id_t trid;
static struct posix_trace_event_info info;
static char text[300];

/* The next event of a sensor as "NAME: text"; "": there is none. */
static const char *said(void)
{
	static char line[400];
	char name[TRACE_EVENT_NAME_MAX + 1];
	size_t n;
	trace_event_id_t id;
	while ((id = next_of(trid, &info, text, sizeof text - 1, &n)))
		if (id > POSIX_TRACE_UNNAMED_USEREVENT) {
			text[n] = 0;
			posix_trace_eventid_get_name(trid, id, name);
			snprintf(line, sizeof line, "%s: %s", name, text);
			return line;
		}
	return "";
}

static void is_said(const char *expected)
{
	const char *got = said();
	check(!strncmp(got, expected, strlen(expected)) && (*expected || !*got), "\"%s\" is told: \"%s\"", expected,
		got);
}

static int calls;
static double called_with;
static void call(hb_sensor *sensor, const char *name, double value, void *user)
{
	(void)sensor;
	(void)name;
	++*(int *)user;
	called_with = value;
}

static void values(void)
{
	hb_sensor *s = hb_self_value("load", 0, 100);
	IS(hb_self_on(s, HB_SELF_CALL, call, &calls), 0);
	hb_self_set(s, 50);
	is_said("");
	hb_self_set(s, 150);
	hb_self_set(s, 160);
	is_said("load: tripped value=150 low=0 high=100");
	is_said("");
	check(calls == 1 && called_with == 150 && hb_self_is_tripped(s) && hb_self_last(s) == 160,
		"what is attached is done once");
	hb_self_set(s, 100);
	is_said("load: recovered value=100");
	check(!hb_self_is_tripped(s), "it has recovered");
	hb_self_set(s, NAN);
	is_said("load: tripped value=");
	hb_sensor *a = hb_self_assertion("invariant");
	hb_self_on(a, HB_SELF_CALL, call, &calls);
	calls = 0;
	check(hb_self_assert(a, 1) == 1 && calls == 0, "an assertion that holds");
	check(hb_self_assert(a, 0) == 0 && hb_self_assert(a, 0) == 0 && calls == 2, "each one that does not");
	is_said("invariant: tripped");
	is_said("invariant: tripped");
	check(!hb_self_value("", 0, 1) && !hb_self_value("x", 2, 1) && !hb_self_value("x", NAN, 1) &&
			!hb_self_heartbeat("x", 0) && !hb_self_rate("x", 0, 1, -1) && !hb_self_value(NULL, 0, 1),
		"sensors that make no sense");
	hb_self_set(NULL, 1);
	hb_self_beat(NULL);
	hb_self_count(NULL, 1);
	hb_self_depth(NULL);
	check(hb_self_assert(NULL, 0) == 0 && !hb_self_is_tripped(NULL) && hb_self_last(NULL) == 0, "no sensor");
	IS(hb_self_on(NULL, HB_SELF_ABORT, NULL, NULL), EINVAL);
	IS(hb_self_on(s, 99, NULL, NULL), EINVAL);
	IS(hb_self_on(s, HB_SELF_CALL, NULL, NULL), EINVAL);
	for (int i = 1; i < 8; i++)
		hb_self_on(s, HB_SELF_CALL, call, &calls);
	IS(hb_self_on(s, HB_SELF_CALL, call, &calls), ENOSPC);
}

static int deep(hb_sensor *s, int levels)
{
	volatile char more[4000];
	more[0] = (char)levels;
	hb_self_depth(s);
	return levels ? deep(s, levels - 1) + more[0] : 0;
}

static double seconds_since(const struct timespec *begun)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) * 1e-9;
}

static void looked_at(void)
{
	struct timespec begun;
	clock_gettime(CLOCK_MONOTONIC, &begun);
	/* a second, so that it stands for a beat and a look behind it also where this process has to wait for a processor */
	hb_sensor *rate = hb_self_rate("requests", 1, 1e9, 0), *beat = hb_self_heartbeat("loop", 1);
	usleep(10000);
	hb_self_count(rate, 5);
	hb_self_check();
	check(hb_self_last(rate) > 1 && !hb_self_is_tripped(rate), "a rate: %g in a second", hb_self_last(rate));
	usleep(1080000);
	check(hb_self_check() >= 2, "what is looked at is counted");
	double since = 0, most = seconds_since(&begun);
	const char *tripped = said(); /* the newest sensor is looked at first */
	check(sscanf(tripped, "loop: tripped value=%lf", &since) == 1 && since > 1 && since < most + 0.1,
		"the heartbeat stands since %g s of %g: \"%s\"", since, most, tripped);
	is_said("requests: tripped value=0 low=1");
	hb_self_beat(beat);
	hb_self_check();
	is_said("loop: recovered");
	hb_sensor *memory = hb_self_memory("memory", 1), *enough = hb_self_memory("enough", 1e15);
	hb_self_check();
	is_said("memory: tripped value=");
	check(hb_self_last(memory) > 100000 && fabs(hb_self_last(enough) - hb_self_last(memory)) < 1e8,
		"memory: %g bytes", hb_self_last(memory));
	hb_sensor *stack = hb_self_stack("stack", 100000);
	deep(stack, 5);
	is_said("");
	double before = hb_self_last(stack);
	deep(stack, 50);
	is_said("stack: tripped value=");
	check(hb_self_last(stack) - before > 40 * 4000, "stack: %g bytes, before %g", hb_self_last(stack), before);
	hb_self_depth(stack);
	is_said("stack: recovered");
	/* a thread looks */
	IS(hb_self_watch(-1), EINVAL);
	IS(hb_self_watch(1e-9), EINVAL);
	IS(hb_self_watch(0.005), 0);
	const char *line = "";
	for (int i = 0; i < 3000 && !*line; i++) { /* the heartbeat stops; it is seen within some intervals */
		usleep(10000);
		line = said();
	}
	check(!strncmp(line, "loop: tripped", 13), "a thread looks at the heartbeat: \"%s\"", line);
	IS(hb_self_watch(0), 0);
}

/* ---- what is sent ---- */

static int listener(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	int file = socket(AF_UNIX, SOCK_DGRAM, 0);
	if (bind(file, (struct sockaddr *)&address, sizeof address))
		check(false, "a socket at %s", path);
	return file;
}

/* The next line that came, with the PID as PID. */
static const char *came(int file, pid_t pid)
{
	static char line[600], out[700];
	struct pollfd p = {.fd = file, .events = POLLIN};
	ssize_t n = poll(&p, 1, 60000) == 1 ? recv(file, line, sizeof line - 1, 0) : 0;
	line[n > 0 ? n : 0] = 0;
	char number[32];
	snprintf(number, sizeof number, " %d ", (int)pid);
	char *at = strstr(line, number);
	if (!at)
		return line;
	snprintf(out, sizeof out, "%.*s PID %s", (int)(at - line), line, at + strlen(number));
	return out;
}

static void came_is(int file, pid_t pid, const char *expected)
{
	const char *line = came(file, pid);
	check(!strcmp(line, expected), "the line \"%s\" comes: \"%s\"", expected, line);
}

static void notified(int file)
{
	IS(hb_self_notify("state", "my name", 1.5, "two\nlines"), 0);
	came_is(file, getpid(), "hbdb-self 1 PID state my_name 1.5 two lines");
	hb_sensor *s = hb_self_value("told", 0, 1);
	hb_self_on(s, HB_SELF_NOTIFY, NULL, NULL);
	hb_self_set(s, 2);
	came_is(file, getpid(), "hbdb-self 1 PID tripped told 2 ");
	hb_self_set(s, 1);
	came_is(file, getpid(), "hbdb-self 1 PID recovered told 1 ");
	const char *path = strdup(getenv("HBDB_SELF_NOTIFY"));
	unsetenv("HBDB_SELF_NOTIFY");
	IS(hb_self_notify("state", "x", 0, NULL), ENOENT);
	setenv("HBDB_SELF_NOTIFY", check_path("nobody"), 1);
	IS(hb_self_notify("state", "x", 0, NULL), ENOENT);
	setenv("HBDB_SELF_NOTIFY", path, 1);
	free((void *)path);
}

/* ---- what is done ---- */

static _Atomic int gone_on;
static void *stopped(void *sensor)
{
	hb_self_set(sensor, 2);
	gone_on = 1;
	return NULL;
}

static void stops(int file)
{
	pthread_t thread;
	int status;
	hb_sensor *s = hb_self_value("thread", 0, 1);
	hb_self_on(s, HB_SELF_STOP_THREAD, NULL, NULL);
	pthread_create(&thread, NULL, stopped, s);
	came_is(file, getpid(), "hbdb-self 1 PID stopped-thread thread 2 ");
	usleep(20000);
	check(!gone_on, "the thread is stopped");
	while (!hb_self_go())
		usleep(1000);
	pthread_join(thread, NULL);
	check(gone_on, "hb_self_go lets it go on");
	static const int what[] = {HB_SELF_STOP_PROCESS, HB_SELF_DEBUG};
	static const char *const line[] = {
		"hbdb-self 1 PID stopped process 2 ", "hbdb-self 1 PID debug process 2 waits for a debugger"};
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();
		if (!pid) {
			s = hb_self_value("process", 0, 1);
			hb_self_on(s, what[i], NULL, NULL);
			hb_self_set(s, 2);
			_exit(7);
		}
		waitpid(pid, &status, WUNTRACED);
		check(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "the process is stopped");
		came_is(file, pid, line[i]);
		kill(pid, SIGCONT);
		waitpid(pid, &status, 0);
		check(WIFEXITED(status) && WEXITSTATUS(status) == 7, "and goes on");
	}
	pid_t pid = fork();
	if (!pid) {
		s = hb_self_value("dies", 0, 1);
		hb_self_on(s, HB_SELF_ABORT, NULL, NULL);
		signal(SIGABRT, SIG_DFL);
		hb_self_set(s, 2);
		_exit(7);
	}
	waitpid(pid, &status, 0);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "the process is aborted");
	came_is(file, pid, "hbdb-self 1 PID abort dies 2 ");
}

/* Nobody listens: the command that attaches is printed. */
static void printed(void)
{
	int out[2], status;
	check(!pipe(out), "a pipe");
	hb_sensor *s;
	pid_t pid = fork();
	if (!pid) {
		unsetenv("HBDB_SELF_NOTIFY");
		dup2(out[1], 2);
		s = hb_self_value("alone", 0, 1);
		hb_self_on(s, HB_SELF_DEBUG, NULL, NULL);
		hb_self_set(s, 2);
		_exit(0);
	}
	waitpid(pid, &status, WUNTRACED);
	ssize_t n = read(out[0], text, sizeof text - 1);
	text[n > 0 ? n : 0] = 0;
	char expected[200];
	snprintf(expected, sizeof expected,
		"hbdb-self: alone tripped (2); process %d waits for a debugger: gdb -p %d\n", (int)pid, (int)pid);
	check(!strcmp(text, expected), "who listens to nobody prints: %s", text);
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
}

/* This program begins again: the second time it was told so. */
static int again(const char *log)
{
	const char *restarts = getenv("HBDB_SELF_RESTARTS");
	if (restarts)
		return strcmp(restarts, "1") != 0;
	trace_id_t t;
	hb_self_open(log, NULL, &t);
	hb_sensor *s = hb_self_value("restarts", 0, 1);
	hb_self_on(s, HB_SELF_RESTART, NULL, NULL);
	hb_self_set(s, 2);
	return 9;
}

static void restarted(int file, const char *program)
{
	const char *log = check_path("restarted");
	int status;
	pid_t pid = fork();
	if (!pid) {
		execl(program, program, log, "a b", (char *)NULL);
		_exit(8);
	}
	waitpid(pid, &status, 0);
	check(!status, "a program begins again, with its arguments: %x", (unsigned)status);
	came_is(file, pid, "hbdb-self 1 PID restart restarts 2 1");
	int fd = open(log, O_RDONLY), told = 0;
	trace_id_t t;
	IS(posix_trace_open(fd, &t), 0);
	close(fd);
	size_t n;
	trace_event_id_t id, last = 0;
	while ((id = next_in(t, &info, text, sizeof text, &n))) {
		told += n > 7 && !memcmp(text, "tripped", 7);
		last = id;
	}
	check(told == 1 && last == POSIX_TRACE_STOP, "the log from before was closed");
	posix_trace_close(t);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return strcmp(argv[2], "a b") ? 5 : again(argv[1]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	char path[100];
	snprintf(path, sizeof path, "%s", check_path("notify"));
	setenv("HBDB_SELF_NOTIFY", path, 1);
	int file = listener(path);
	trid = stream_of(0, 1 << 16, 0);
	posix_trace_start(trid);
	values();
	looked_at();
	notified(file);
	stops(file);
	printed();
	restarted(file, "/proc/self/exe");
	close(file);
	posix_trace_shutdown(trid);
	check_clean();
	return check_end();
}
