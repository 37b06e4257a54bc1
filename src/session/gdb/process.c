/* Starting gdb and gdbserver, at their place, and ending them. When this process dies gdb gets an end of file and a SIGHUP.
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
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

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

/* gdb's own descriptors are the child's; -1: it has none of that kind. */
static bool watch_child(hb_gdb *gdb, const hb_gdb_child *child)
{
	return (child->socket < 0 || hb__gdb_watch(gdb, child->socket)) &&
	       (child->life < 0 || hb__gdb_watch(gdb, child->life));
}

static hb_status start(hb_gdb *gdb, const char *program, hb_error *err)
{
	static char nx[] = "-nx", quiet[] = "-q", interpreter[] = "--interpreter=mi3";
	char *argv[] = {(char *)program, nx, quiet, interpreter, NULL};
	if (!make_waiting(gdb))
		return hb__gdb_fail(err, HB_E_SYSTEM, "cannot talk to gdb: %s", strerror(errno));
	hb_status status = gdb->place->start(gdb->place, argv, &gdb->child, err);
	if (status)
		return status;
	gdb->socket = gdb->child->socket;
	gdb->process = gdb->child->life;
	if (!watch_child(gdb, gdb->child))
		return hb__gdb_fail(err, HB_E_SYSTEM, "cannot talk to gdb: %s", strerror(errno));
	return settle(gdb, err);
}

hb_status hb__gdb_connect_server(hb_gdb *gdb, char *const *argv, const char *how, hb_error *err)
{
	char address[HB_GDB_ADDRESS];
	double seconds = gdb->patience * HB__GDB_WORK;
	hb_status status = gdb->place->serve(gdb->place, argv, address, &gdb->server, err);
	if (status)
		return status;
	int64_t token = hb__gdb_send(gdb, "-target-select %s %s", how, address);
	status = gdb->place->served(gdb->place, gdb->server, gdb->child, seconds, err);
	gdb->server_life = gdb->server->life;
	if (gdb->server_life >= 0)
		hb__gdb_watch(gdb, gdb->server_life);
	return status ? status : hb__gdb_answer(gdb, token, seconds, err);
}

hb_gdb *hb__gdb_new(hb_gdb_place *place, hb_error *err)
{
	hb_gdb *gdb = calloc(1, sizeof *gdb);
	if (!gdb) {
		hb__gdb_fail(err, HB_E_MEMORY, "out of memory");
		return NULL;
	}
	gdb->socket = gdb->waiting = gdb->inner = gdb->timer = gdb->news = gdb->process = gdb->server_life = -1;
	gdb->patience = 10;
	gdb->place = place ? place : hb_gdb_here();
	return gdb;
}

hb_status hb_gdb_open_served(
	const char *gdb_name, int32_t id, const char *address, int32_t server, hb_gdb **ret_gdb, hb_error *err)
{
	hb_gdb *gdb = hb__gdb_new(NULL, err);
	if (!gdb)
		return HB_E_MEMORY;
	gdb->one = true;
	gdb->server = hb_gdb_here_child(server);
	gdb_name = gdb_name ? gdb_name : "gdb";
	hb_status status = gdb->server ? gdb->place->look(gdb->place, gdb_name, NULL, err) : HB_E_MEMORY;
	status = status ? status : start(gdb, gdb_name, err);
	status = status ? status : hb__gdb_connect_one(gdb, id, server, address, err);
	if (status)
		hb_gdb_kill(gdb);
	else
		*ret_gdb = gdb;
	return status;
}

hb_status hb_gdb_open_stub(const hb_gdb_stub *stub, int32_t id, hb_gdb **ret_gdb, hb_error *err)
{
	hb_gdb *gdb = hb__gdb_new(NULL, err);
	const char *name = stub->gdb ? stub->gdb : "gdb";
	if (!gdb)
		return HB_E_MEMORY;
	gdb->one = gdb->stub = true;
	gdb->halts = SIGINT; /* what serves a stub reads nothing while its process runs */
	hb_status status = gdb->place->look(gdb->place, name, NULL, err);
	status = status ? status : start(gdb, name, err);
	status = status ? status : hb__gdb_connect_stub(gdb, id, stub, err);
	if (status)
		hb_gdb_close(gdb);
	else
		*ret_gdb = gdb;
	return status;
}

hb_status hb__gdb_start(hb_gdb *gdb, const char *program, const char *server, hb_error *err)
{
	hb_status status = gdb->place->look ? gdb->place->look(gdb->place, program, server, err) : HB_OK;
	return status ? status : start(gdb, program, err);
}

hb_status hb_gdb_open(
	hb_gdb_place *place, const char *gdb_name, const char *gdbserver_name, hb_gdb **ret_gdb, hb_error *err)
{
	static char once[] = "--once", multi[] = "--multi", standard[] = "-";
	const char *server = gdbserver_name ? gdbserver_name : "gdbserver";
	char *argv[] = {(char *)server, once, multi, standard, NULL};
	hb_gdb *gdb = hb__gdb_new(place, err);
	if (!gdb)
		return HB_E_MEMORY;
	hb_status status = hb__gdb_start(gdb, gdb_name ? gdb_name : "gdb", server, err);
	status = status ? status : hb__gdb_connect_server(gdb, argv, "extended-remote", err);
	if (status)
		hb_gdb_close(gdb);
	else
		*ret_gdb = gdb;
	return status;
}

/* ---- ending ---- */

bool hb__gdb_signal(hb_gdb *gdb, int signal)
{
	return gdb->child && gdb->place->signal(gdb->place, gdb->child, signal);
}

/* What it still says is not to block it. */
static bool ended(hb_gdb *gdb, double seconds)
{
	double until = hb_seconds() + seconds;
	char thrown[4096];
	while (!gdb->place->over(gdb->place, gdb->child)) {
		struct pollfd fds[2] = {{gdb->process, POLLIN, 0}, {gdb->socket, POLLIN, 0}};
		double left = until - hb_seconds();
		if (left <= 0)
			return false;
		if (poll(fds, 2, left > 0.05 ? 50 : (int)(left * 1000) + 1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents && recv(gdb->socket, thrown, sizeof thrown, MSG_DONTWAIT) <= 0)
			usleep(1000);
	}
	return true;
}

void hb__gdb_end(hb_gdb *gdb, double seconds)
{
	static const int ways[] = {SIGHUP, SIGTERM, SIGKILL};
	for (size_t i = 0; i < sizeof ways / sizeof *ways && gdb->child && !ended(gdb, seconds); i++) {
		hb__gdb_signal(gdb, ways[i]);
		seconds = 3;
	}
	/* gdbserver ends when gdb has: it then lets go of everything */
	if (gdb->child)
		gdb->place->release(gdb->place, gdb->child);
	if (gdb->server)
		gdb->place->release(gdb->place, gdb->server);
	gdb->child = gdb->server = NULL;
	gdb->socket = gdb->process = gdb->server_life = -1;
}

void hb_gdb_close(hb_gdb *gdb)
{
	if (!gdb)
		return;
	/* what serves a stub says that gdb had begun its process: gdb would kill it */
	if (gdb->stub && !gdb->lost && gdb->at[0].used && !hb_gdb_interrupt(gdb, gdb->at[0].id, NULL)) {
		hb__gdb_forget_points(gdb, -1);
		hb__gdb_ask(gdb, NULL, "-target-detach");
	}
	if (gdb->standing && !gdb->lost && gdb->at[0].used)
		hb_gdb_detach(gdb, gdb->at[0].id);
	if (!gdb->lost)
		hb__gdb_send(gdb, "-gdb-exit");
	hb__gdb_end(gdb, gdb->lost ? 0 : 5);
	int fds[] = {gdb->timer, gdb->news, gdb->inner, gdb->waiting};
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
		if (gdb->at[i].used)
			gdb->place->kill(gdb->place, gdb->at[i].pid, gdb->at[i].life, SIGKILL);
	/* nothing is left for them to put in order */
	hb__gdb_signal(gdb, SIGKILL);
	if (gdb->server)
		gdb->place->signal(gdb->place, gdb->server, SIGKILL);
	gdb->lost = true;
	hb_gdb_close(gdb);
}

int hb_gdb_fd(const hb_gdb *gdb) { return gdb->waiting; }

void hb_gdb_patience(hb_gdb *gdb, double seconds) { gdb->patience = seconds; }
