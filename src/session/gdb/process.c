/* Starting gdb and ending it. Nothing may stay behind when this process dies, however that happens: gdb then gets an end of
 * file and a SIGHUP, and lets go of what it has; gdbserver ends with it (--once).
 *
 * Both have gdb quit in its event loop, where nothing is half done, SIGHUP also while a function of the program is being called.
 * SIGTERM interrupts gdb wherever it is, the letting go as well: breakpoints then stay in processes, or one is left in the middle
 * of a step over a breakpoint. It is for a gdb that has not ended long after that. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

extern char **environ;

hb_status hb__gdb_fail(hb_error *err, hb_status status, const char *format, ...)
{
	if (err) {
		va_list ap;
		*err = (hb_error){.status = status, .sys = status == HB_E_SYSTEM ? errno : 0};
		va_start(ap, format);
		vsnprintf(err->message, sizeof err->message, format, ap);
		va_end(ap);
		for (char *p = err->message; *p; p++)
			if (*p == '\n')
				*p = ' ';
	}
	return status;
}

/* ---- what is started ---- */

/* The path of a program; NULL: not there. */
static char *find_program(const char *name)
{
	char *path = NULL;
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : strdup(name);
	const char *folders = getenv("PATH");
	for (const char *p = folders ? folders : "/usr/bin:/bin"; *p; p += *p == ':') {
		size_t n = strcspn(p, ":");
		if (asprintf(&path, "%.*s%s%s", (int)n, p, n ? "/" : "", name) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
		p += n;
	}
	return NULL;
}

static bool left_out(const char *variable)
{
	static const char *const names[] = {"LD_PRELOAD=", "HBDB_", "DEBUGINFOD_URLS=", "LANGUAGE=", "LC_",
		"LANG=", "COLUMNS=", "LINES=", "PYTHON"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

/* The environment for gdb: English, UTF-8, nothing that is meant for the program. Strings are environ's. */
char **hb__gdb_environment(void)
{
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	char **copy = malloc((n + 2) * sizeof *copy);
	for (size_t i = 0; copy && i < n; i++)
		if (!left_out(environ[i]))
			copy[k++] = environ[i];
	if (copy) {
		static char language[] = "LC_ALL=C.UTF-8";
		copy[k++] = language;
		copy[k] = NULL;
	}
	return copy;
}

/* ---- starting ---- */

struct birth {
	hb_gdb *gdb;
	const char *program;
	char **environment;
	int end; /* of the socket, for gdb */
	pthread_mutex_t lock;
	pthread_cond_t born;
	bool done;
	int trouble;
};

static void become_gdb(const struct birth *b)
{
	static char name[] = "gdb", nx[] = "-nx", quiet[] = "-q", interpreter[] = "--interpreter=mi3";
	char *argv[] = {name, nx, quiet, interpreter, NULL};
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	for (int i = 1; i < 32; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid(); /* keys pressed at the terminal are not for it */
	dup2(b->end, 0);
	dup2(b->end, 1);
	dup2(b->end, 2);
	close_range(3, ~0U, 0);
	execve(b->program, argv, b->environment);
	_exit(127);
}

/* The thread that starts gdb and lives as long as it does: the death of the thread that forked, not of the whole process, is what
 * a child is told of (PR_SET_PDEATHSIG). */
static void *keep(void *birth)
{
	struct birth *b = birth;
	siginfo_t how;
	pid_t pid = fork();
	if (!pid)
		become_gdb(b);
	pthread_mutex_lock(&b->lock);
	b->gdb->pid = pid;
	b->gdb->process = pid < 0 ? -1 : pidfd_open(pid, 0);
	b->trouble = pid < 0 || b->gdb->process < 0 ? errno : 0;
	b->done = true;
	pthread_cond_signal(&b->born);
	pthread_mutex_unlock(&b->lock); /* b is gone from here on */
	while (pid > 0 && waitid(P_PID, (id_t)pid, &how, WEXITED) && errno == EINTR)
		;
	return NULL;
}

static hb_status give_birth(hb_gdb *gdb, const char *program, int end, hb_error *err)
{
	struct birth b = {.gdb = gdb, .program = program, .environment = hb__gdb_environment(), .end = end};
	sigset_t all, before;
	if (!b.environment)
		return hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
	pthread_mutex_init(&b.lock, NULL);
	pthread_cond_init(&b.born, NULL);
	sigfillset(&all); /* the keeper handles no signals of the program's */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int trouble = pthread_create(&gdb->keeper, NULL, keep, &b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!trouble) {
		gdb->kept = true;
		pthread_mutex_lock(&b.lock);
		while (!b.done)
			pthread_cond_wait(&b.born, &b.lock);
		pthread_mutex_unlock(&b.lock);
		trouble = b.trouble;
	}
	pthread_cond_destroy(&b.born);
	pthread_mutex_destroy(&b.lock);
	free(b.environment);
	errno = trouble;
	return trouble ? hb__gdb_fail(err, HB_E_SYSTEM, "cannot start %s: %s", program, strerror(trouble)) : HB_OK;
}

bool hb__gdb_watch(hb_gdb *gdb, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	return !epoll_ctl(gdb->inner, EPOLL_CTL_ADD, fd, &e);
}

/* The file descriptors that the world is waited for with; gdb itself comes later. */
static bool make_waiting(hb_gdb *gdb)
{
	gdb->inner = epoll_create1(EPOLL_CLOEXEC);
	gdb->waiting = epoll_create1(EPOLL_CLOEXEC);
	gdb->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	gdb->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct epoll_event e = {.events = EPOLLIN};
	return gdb->inner >= 0 && gdb->waiting >= 0 && gdb->news >= 0 && gdb->timer >= 0 &&
	       !epoll_ctl(gdb->waiting, EPOLL_CTL_ADD, gdb->inner, &e) &&
	       !epoll_ctl(gdb->waiting, EPOLL_CTL_ADD, gdb->news, &e) && hb__gdb_watch(gdb, gdb->timer);
}

/* A thread in gdb that ends it some time after this process has died, where it still has not come back to its event loop: from a
 * command in Python that does not return. A gdb without Python has no such commands. */
static const char guard[] = "-interpreter-exec console \"python exec('import _thread, os, select, signal, time\\\\n"
			    "def guard():\\\\n"
			    " hung_up = select.poll()\\\\n"
			    " hung_up.register(0, 0)\\\\n"
			    " hung_up.poll()\\\\n"
			    " for last in signal.SIGTERM, signal.SIGKILL:\\\\n"
			    "  time.sleep(10)\\\\n"
			    "  os.kill(os.getpid(), last)\\\\n"
			    "mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\\\\n"
			    "_thread.start_new_thread(guard, ())\\\\n"
			    "signal.pthread_sigmask(signal.SIG_SETMASK, mask)', {})\"";

/* First settings. Those that some version of gdb does not know are left as they are there. */
static hb_status settle(hb_gdb *gdb, hb_error *err)
{
	static const char *const settings[] = {"debuginfod enabled off", "confirm off", "pagination off", "width 0",
		"height 0", "sysroot /", "startup-with-shell off", "schedule-multiple off", "print thread-events off",
		"print inferior-events off", "breakpoint pending off", "unwindonsignal on",
		"unwind-on-terminating-exception on", "exec-file-mismatch off", "print elements 200",
		"print repeats 10", "remotetimeout 10", "print finish on", "history save off",
		"index-cache enabled off"};
	/* Calls of MPI are stepped over, also into hbdb's library, which has lines. */
	static const char skip[] = "-interpreter-exec console \"skip -rfu ^P?MPI_[A-Z]\"";
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		hb__gdb_send(gdb, "-gdb-set %s", settings[i]);
	hb__gdb_send(gdb, "%s", skip);
	hb__gdb_send(gdb, "%s", guard);
	/* one that goes back stands and goes as a whole */
	hb_status status = gdb->one ? HB_OK : hb__gdb_ask(gdb, err, "-gdb-set non-stop on");
	return status ? status : hb__gdb_ask(gdb, err, "-gdb-set mi-async on");
}

hb_status hb__gdb_start(hb_gdb *gdb, const char *program, hb_error *err)
{
	int ends[2] = {-1, -1};
	hb_status status = HB_OK;
	if (!make_waiting(gdb) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		status = hb__gdb_fail(err, HB_E_SYSTEM, "cannot talk to gdb: %s", strerror(errno));
	else
		status = give_birth(gdb, program, ends[1], err);
	gdb->socket = ends[0];
	if (ends[1] >= 0)
		close(ends[1]);
	if (!status && (!hb__gdb_watch(gdb, gdb->socket) || !hb__gdb_watch(gdb, gdb->process)))
		status = hb__gdb_fail(err, HB_E_SYSTEM, "cannot talk to gdb: %s", strerror(errno));
	return status ? status : settle(gdb, err);
}

static hb_status missing(hb_error *err, const char *name, const char *package)
{
	errno = ENOENT;
	return hb__gdb_fail(err, HB_E_SYSTEM,
		"%s was not found; it is needed to stop processes and to look into them: apt-get install %s", name,
		package);
}

/* A filter of system calls, as containers have one, lets nobody trace: gdbserver would hang. Of a process that is not traced ptrace
 * answers ESRCH. */
static bool tracing_is_forbidden(void)
{
	errno = 0;
	return ptrace(PTRACE_PEEKUSER, getpid(), NULL, NULL) < 0 &&
	       (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static hb_gdb *new_gdb(hb_error *err)
{
	hb_gdb *gdb = calloc(1, sizeof *gdb);
	if (!gdb) {
		hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
		return NULL;
	}
	gdb->socket = gdb->waiting = gdb->inner = gdb->timer = gdb->news = gdb->process = gdb->server_life = -1;
	gdb->patience = 10;
	return gdb;
}

hb_status hb_gdb_open_served(
	const char *gdb_name, int32_t id, const char *address, int32_t server, hb_gdb **ret_gdb, hb_error *err)
{
	hb_gdb *gdb = new_gdb(err);
	if (!gdb)
		return HB_E_MEMORY;
	gdb->one = true;
	gdb->server = server;
	char *program = find_program(gdb_name ? gdb_name : "gdb");
	hb_status status =
		program ? hb__gdb_start(gdb, program, err) : missing(err, gdb_name ? gdb_name : "gdb", "gdb");
	status = status ? status : hb__gdb_connect_one(gdb, id, address, err);
	free(program);
	if (status)
		hb_gdb_kill(gdb);
	else
		*ret_gdb = gdb;
	return status;
}

hb_status hb_gdb_open(const char *gdb_name, const char *gdbserver_name, hb_gdb **ret_gdb, hb_error *err)
{
	hb_gdb *gdb = new_gdb(err);
	hb_status status = HB_OK;
	if (!gdb)
		return HB_E_MEMORY;
	char *program = find_program(gdb_name ? gdb_name : "gdb");
	char *server = find_program(gdbserver_name ? gdbserver_name : "gdbserver");
	if (!program)
		status = missing(err, gdb_name ? gdb_name : "gdb", "gdb");
	else if (!server)
		status = missing(err, gdbserver_name ? gdbserver_name : "gdbserver", "gdbserver");
	else if (tracing_is_forbidden())
		status = hb__gdb_fail(err, HB_E_SYSTEM,
			"gdb may not attach to any process: the system call ptrace is forbidden here (%s), as in some containers; "
			"start the container with --cap-add=SYS_PTRACE or --security-opt seccomp=unconfined",
			strerror(errno));
	else
		status = hb__gdb_start(gdb, program, err);
	status = status ? status : hb__gdb_connect(gdb, server, err);
	free(program);
	free(server);
	if (status)
		hb_gdb_close(gdb);
	else
		*ret_gdb = gdb;
	return status;
}

/* ---- ending ---- */

bool hb__gdb_signal(hb_gdb *gdb, int signal)
{
	return gdb->process >= 0 && !pidfd_send_signal(gdb->process, signal, NULL, 0);
}

static bool ended(hb_gdb *gdb, double seconds)
{
	double until = hb_seconds() + seconds;
	char thrown[4096];
	for (;;) {
		struct pollfd fds[2] = {{gdb->process, POLLIN, 0}, {gdb->socket, POLLIN, 0}};
		double left = until - hb_seconds();
		if (poll(fds, gdb->socket < 0 ? 1 : 2, left <= 0 ? 0 : (int)(left * 1000) + 1) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents)
			return true;
		if (left <= 0)
			return false;
		/* what it still says is not to block it */
		if (fds[1].revents && recv(gdb->socket, thrown, sizeof thrown, MSG_DONTWAIT) <= 0)
			usleep(1000);
	}
}

void hb__gdb_end(hb_gdb *gdb, double seconds)
{
	if (!gdb->kept) {
		hb__gdb_end_server(gdb);
		return;
	}
	static const int ways[] = {SIGHUP, SIGTERM, SIGKILL};
	for (size_t i = 0; i < sizeof ways / sizeof *ways && gdb->process >= 0 && !ended(gdb, seconds); i++) {
		hb__gdb_signal(gdb, ways[i]);
		seconds = 3;
	}
	pthread_join(gdb->keeper, NULL);
	gdb->kept = false;
	hb__gdb_end_server(gdb);
}

void hb_gdb_close(hb_gdb *gdb)
{
	if (!gdb)
		return;
	if (!gdb->lost)
		hb__gdb_send(gdb, "-gdb-exit");
	hb__gdb_end(gdb, gdb->lost ? 0 : 5);
	int fds[] = {gdb->socket, gdb->process, gdb->server_life, gdb->timer, gdb->news, gdb->inner, gdb->waiting};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		hb__gdb_forget(gdb, &gdb->at[i]);
	hb__mi_free(&gdb->record);
	hb__mi_free(&gdb->answer);
	free(gdb->answer_line);
	free(gdb->said);
	free(gdb->notes);
	free(gdb->in);
	free(gdb->points);
	free(gdb->told);
	free(gdb);
}

/* In this order: a process that is let go of, or whose gdb ends, runs; with SIGKILL pending it does not. */
void hb_gdb_kill(hb_gdb *gdb)
{
	if (!gdb)
		return;
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		if (gdb->at[i].used && gdb->at[i].life >= 0)
			pidfd_send_signal(gdb->at[i].life, SIGKILL, NULL, 0);
	/* nothing is left for them to put in order */
	hb__gdb_signal(gdb, SIGKILL);
	if (gdb->server > 0)
		kill(gdb->server, SIGKILL);
	gdb->lost = true;
	hb_gdb_close(gdb);
}

int hb_gdb_fd(const hb_gdb *gdb) { return gdb->waiting; }

void hb_gdb_patience(hb_gdb *gdb, double seconds) { gdb->patience = seconds; }
