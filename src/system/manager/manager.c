/* The loop. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "system/manager/inside.h"
#include "system/monitor/service.h"

#define PRUNE_S 600.0

const char *hb__manager_text(const cJSON *object, const char *name)
{
	const char *text = hb_wire_text(object, name);
	return text ? text : "";
}

int64_t hb__manager_int(const cJSON *object, const char *name)
{
	int64_t number = 0;
	return hb_wire_number(object, name, &number) ? number : 0;
}

void hb__manager_say(struct hb_manager *m, const char *format, ...)
{
	char line[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	m->options.say(m->options.user, line);
}

bool hb__manager_fine(struct hb_manager *m, hb_status status, const hb_error *err)
{
	if (status)
		hb__manager_say(m, "%s", err->message);
	return !status;
}

void hb__manager_note(struct hb_manager *m, const char *kind, const char *weight, int64_t node, int64_t program,
	int64_t process, const char *format, ...)
{
	char *text;
	hb_error err;
	va_list ap;
	va_start(ap, format);
	int n = vasprintf(&text, format, ap);
	va_end(ap);
	if (n < 0)
		return;
	hb_complex_happened happened = {
		.node = node, .program = program, .process = process, .kind = kind, .weight = weight, .text = text};
	hb__manager_fine(m, hb_complex_event(m->complex, &happened, NULL, &err), &err);
	free(text);
}

bool hb__manager_watch(struct hb_manager *m, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};
	return !epoll_ctl(m->inner, EPOLL_CTL_ADD, fd, &e);
}

/* ---- the loop ---- */

static void reap(struct hb_manager *m)
{
	int how;
	for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
		if (!hb__node_reaped(m, pid))
			hb__child_reaped(m, pid, WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
}

static void prune(struct hb_manager *m, double now)
{
	hb_error err;
	if (m->pruned && now < m->pruned + PRUNE_S)
		return;
	m->pruned = now;
	int64_t first = hb_complex_last_event(m->complex) - HB__EVENTS_KEPT;
	hb__manager_fine(m,
		hb_complex_prune(
			m->complex, first < m->reacted ? first : m->reacted, hb_complex_now() - 86400000000, &err),
		&err);
}

static void tick(struct hb_manager *m)
{
	double now = hb_seconds();
	hb__manager_nodes_tick(m, now);
	hb__programs_tick(m);
	hb__manager_react_tick(m, now);
	prune(m, now);
	if (m->pulse > 0 && now >= m->ticked + m->pulse) {
		m->ticked = now;
		hb_service_say("WATCHDOG=1");
	}
}

static bool is_console(const struct hb_manager *m, int fd)
{
	for (size_t i = 0; i < m->nconsoles; i++)
		if (hb_wire_fd(m->console[i]->wire) == fd)
			return true;
	return false;
}

static void console_heard(struct hb_manager *m, int fd)
{
	for (size_t i = 0; i < m->nconsoles; i++)
		if (hb_wire_fd(m->console[i]->wire) == fd) {
			if (!hb_wire_turn(m->console[i]->wire))
				hb__console_end(m, i);
			return;
		}
}

static void heard(struct hb_manager *m, int fd)
{
	struct signalfd_siginfo signal;
	uint64_t n;
	if (fd == m->listener) {
		hb__let_in(m);
	} else if (fd == m->timer) {
		if (read(fd, &n, sizeof n) > 0)
			tick(m);
	} else if (fd == m->signals) {
		while (read(fd, &signal, sizeof signal) == sizeof signal)
			m->ending |= signal.ssi_signo != SIGCHLD;
		reap(m);
	} else if (!hb__node_heard(m, fd))
		hb__manager_run_heard(m, fd);
}

static void turn(struct hb_manager *m)
{
	while (!m->ending) {
		struct epoll_event at[32];
		hb_error err;
		int n = epoll_wait(m->inner, at, 32, -1);
		/* what comes together is put in together; but for asks of consoles: what is answered is in the database */
		bool one = n > 0 && hb__manager_fine(m, hb_complex_begin(m->complex, &err), &err);
		for (int i = 0; i < n && !m->ending; i++)
			if (!is_console(m, at[i].data.fd))
				heard(m, at[i].data.fd);
		if (one)
			hb__manager_fine(m, hb_complex_end(m->complex, true, &err), &err);
		for (int i = 0; i < n && !m->ending; i++)
			console_heard(m, at[i].data.fd);
		hb__asks_resume(m);
		/* only what is in the database has happened */
		hb__manager_react(m);
		hb__consoles_tell(m);
	}
}

/* ---- beginning ---- */

static hb_status fail(hb_error *err, hb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static hb_status fail(hb_error *err, hb_status status, const char *format, ...)
{
	va_list ap;
	*err = (hb_error){.status = status, .sys = errno};
	va_start(ap, format);
	vsnprintf(err->message, sizeof err->message, format, ap);
	va_end(ap);
	return status;
}

/* One manager for a database: the lock ends with its process, however that ends. */
static hb_status take_lock(struct hb_manager *m, hb_error *err)
{
	char path[512];
	if ((size_t)snprintf(path, sizeof path, "%s.lock", m->options.database) >= sizeof path)
		return fail(err, HB_E_ARGUMENT, "the database's path is too long");
	m->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (m->lock < 0)
		return fail(err, HB_E_SYSTEM, "%.180s: %s", path, strerror(errno));
	return flock(m->lock, LOCK_EX | LOCK_NB)
		       ? fail(err, HB_E_ARGUMENT, "another manager has the database %.180s", m->options.database)
		       : HB_OK;
}

static hb_status put_reactions(struct hb_manager *m, hb_error *err)
{
	hb_status status = hb_complex_reactions_off(m->complex, err);
	size_t n = m->options.reactions ? hb_reactions_count(m->options.reactions) : 0;
	m->rule = calloc(n + 1, sizeof *m->rule);
	for (size_t i = 0; i < n && !status && m->rule; i++) {
		const hb_reaction *r = hb_reactions_at(m->options.reactions, i);
		int64_t last;
		status = hb_complex_reaction(m->complex, m->options.reactions_file, r->line, r->condition, r->action,
			&m->rule[i], &last, err);
		hb_reactions_last(m->options.reactions, i, last);
	}
	return m->rule ? status : fail(err, HB_E_MEMORY, "out of memory");
}

static hb_status find_allowed(struct hb_manager *m, hb_error *err)
{
	for (const char *const *name = m->options.allow; name && *name; name++) {
		const struct passwd *user = getpwnam(*name);
		uid_t *more = realloc(m->allowed, (m->nallowed + 1) * sizeof *more);
		if (!user || !more)
			return fail(err, HB_E_ARGUMENT, "there is no user '%.60s' here", *name);
		m->allowed = more;
		m->allowed[m->nallowed++] = user->pw_uid;
	}
	const struct passwd *own = getpwuid(getuid());
	snprintf(m->user, sizeof m->user, "%s", own ? own->pw_name : "?");
	return HB_OK;
}

static hb_status begin(struct hb_manager *m, hb_error *err)
{
	struct itimerspec every = {{0, HB__TICK_MS * 1000000L}, {0, HB__TICK_MS * 1000000L}};
	sigset_t some;
	sigemptyset(&some);
	sigaddset(&some, SIGCHLD);
	sigaddset(&some, SIGTERM);
	sigaddset(&some, SIGINT);
	sigaddset(&some, SIGHUP);
	hb_status status = find_allowed(m, err);
	status = status ? status : take_lock(m, err);
	status = status ? status : hb_complex_open(m->options.database, &m->complex, err);
	if (status)
		return status;
	sigprocmask(SIG_BLOCK, &some, NULL);
	signal(SIGPIPE, SIG_IGN);
	m->inner = epoll_create1(EPOLL_CLOEXEC);
	m->signals = signalfd(-1, &some, SFD_CLOEXEC | SFD_NONBLOCK);
	m->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (m->inner < 0 || m->signals < 0 || m->timer < 0 || timerfd_settime(m->timer, 0, &every, NULL) ||
		!hb__manager_watch(m, m->signals, EPOLLIN) || !hb__manager_watch(m, m->timer, EPOLLIN))
		return fail(err, HB_E_SYSTEM, "the manager cannot begin: %s", strerror(errno));
	m->reacted = hb_complex_mark(m->complex, "reacted");
	status = hb_complex_consoles_gone(m->complex, err);
	status = status ? status : put_reactions(m, err);
	if (!status)
		hb__manager_react_anew(m);
	status = status ? status : hb__door_open(m, err);
	if (!status)
		hb__manager_nodes_read(m);
	return status;
}

hb_status hb_manager_serve(const hb_manager_options *options, hb_error *err)
{
	struct hb_manager m = {
		.options = *options, .inner = -1, .signals = -1, .timer = -1, .listener = -1, .lock = -1};
	hb_status status = begin(&m, err);
	if (!status) {
		hb__manager_say(&m, "the manager listens at %s", options->socket);
		m.pulse = hb_service_pulse();
		hb_service_say("READY=1");
		turn(&m);
		hb_service_say("STOPPING=1");
	}
	while (m.nconsoles)
		hb__console_end(&m, 0);
	hb__manager_nodes_close(&m);
	hb__manager_runs_close();
	hb__asks_forget(&m);
	hb__door_close(&m);
	hb_complex_close(m.complex);
	int fds[] = {m.inner, m.signals, m.timer, m.lock};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(m.node);
	free(m.console);
	free(m.child);
	free(m.allowed);
	free(m.rule);
	return status;
}
