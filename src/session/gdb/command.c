/* Commands and their answers; lines of gdb as they come. */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/gdb/inside.h"

#define LINE_MOST (64u << 20) /* longer ones are not gdb's any more */
#define SAID_MOST (1u << 20)  /* kept of what a command prints */
#define GRACE 3.0             /* seconds for each way of ending a command that takes too long */

/* ---- reading ---- */

/* Makes room and receives once. False: nothing came by `until`, or gdb is gone. */
static bool receive(hb_gdb *gdb, double until)
{
	if (gdb->in_at) {
		memmove(gdb->in, gdb->in + gdb->in_at, gdb->in_n - gdb->in_at);
		gdb->in_n -= gdb->in_at;
		gdb->in_at = 0;
	}
	if (gdb->in_cap - gdb->in_n < 65536) {
		size_t cap = gdb->in_cap ? 2 * gdb->in_cap : 1u << 18;
		char *more = cap > 2 * LINE_MOST ? NULL : realloc(gdb->in, cap);
		if (!more) {
			hb__gdb_lose(gdb, "its answer is too long");
			return false;
		}
		gdb->in = more;
		gdb->in_cap = cap;
	}
	for (;;) {
		struct epoll_event e[16];
		bool dead = false;
		double left = until - hb_seconds();
		int n = epoll_wait(gdb->inner, e, 16, left <= 0 ? 0 : left > 1000 ? 1000000 : (int)(left * 1000) + 1);
		if (n < 0 && errno != EINTR)
			return false;
		ssize_t got = -1;
		for (int i = 0; i < n; i++)
			if (e[i].data.fd == gdb->socket)
				got = recv(gdb->socket, gdb->in + gdb->in_n, gdb->in_cap - gdb->in_n, MSG_DONTWAIT);
			else if (e[i].data.fd == gdb->process)
				dead = true;
			else
				hb__gdb_noticed(gdb, e[i].data.fd);
		if (gdb->lost)
			return false;
		if (got > 0) {
			gdb->in_n += (size_t)got;
			return true;
		}
		/* gdbserver may hold the socket's other end: an end of file alone is not to be waited for */
		if (got == 0 || dead) {
			hb__gdb_lose(gdb, gdb->words[0] ? gdb->words : "gdb has ended");
			return false;
		}
		if (left <= 0)
			return false;
	}
}

static void add_said(hb_gdb *gdb, const char *text)
{
	size_t n = strlen(text);
	if (gdb->said_n + n + 1 > gdb->said_cap) {
		size_t cap = 2 * (gdb->said_n + n + 1);
		char *more = gdb->said_n + n > SAID_MOST ? NULL : realloc(gdb->said, cap);
		if (!more)
			return;
		gdb->said = more;
		gdb->said_cap = cap;
	}
	memcpy(gdb->said + gdb->said_n, text, n + 1);
	gdb->said_n += n;
}

void hb__gdb_collect(hb_gdb *gdb, bool on)
{
	gdb->collecting = on;
	if (!on)
		return;
	gdb->said_n = 0;
	if (gdb->said)
		gdb->said[0] = 0;
}

/* The answer waited for is kept with its line. */
static void keep_answer(hb_gdb *gdb, char *line)
{
	struct hb__mi record = gdb->record;
	gdb->record = gdb->answer;
	gdb->answer = record;
	free(gdb->answer_line);
	gdb->answer_line = line;
	gdb->answered = true;
}

static void take_line(hb_gdb *gdb, char *line, size_t n)
{
	/* news of libraries are most of what gdb says, and of no use */
	if (!strncmp(line, "=library", 8) || !strncmp(line, "=breakpoint-modified", 20) ||
		!strncmp(line, "=cmd-param", 10))
		return;
	bool answer = isdigit((unsigned char)*line);
	char *copy = answer ? strndup(line, n) : NULL, *text = copy ? copy : line;
	if (!hb__mi_read(&gdb->record, text)) {
		snprintf(gdb->words, sizeof gdb->words, "%.*s", (int)(n < 255 ? n : 255), text);
	} else if (gdb->record.kind == '^') {
		if (copy && gdb->record.token == gdb->want) {
			keep_answer(gdb, copy);
			return;
		}
	} else {
		const char *words = gdb->record.values[0].text;
		if (gdb->collecting && words &&
			(gdb->record.kind == '~' || gdb->record.kind == '&' || gdb->record.kind == '@'))
			add_said(gdb, words);
		else if (gdb->one && words && gdb->record.kind == '@')
			hb__gdb_note(gdb, words);
		hb__gdb_heard(gdb, &gdb->record);
	}
	free(copy);
}

bool hb__gdb_take(hb_gdb *gdb, double until)
{
	while (!gdb->lost) {
		char *start = gdb->in + gdb->in_at;
		char *end = gdb->in_n > gdb->in_at ? memchr(start, '\n', gdb->in_n - gdb->in_at) : NULL;
		if (end) {
			*end = 0;
			gdb->in_at += (size_t)(end - start) + 1;
			take_line(gdb, start, (size_t)(end - start));
			return true;
		}
		if (!receive(gdb, until))
			return false;
	}
	return false;
}

/* ---- writing ---- */

static bool write_all(hb_gdb *gdb, const char *text, size_t n)
{
	double until = hb_seconds() + gdb->patience;
	while (n) {
		ssize_t sent = send(gdb->socket, text, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0) {
			text += sent;
			n -= (size_t)sent;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return false;
		struct pollfd fd = {gdb->socket, POLLOUT, 0};
		if (errno == EAGAIN && (poll(&fd, 1, 100) < 0 || hb_seconds() > until))
			return false;
	}
	return true;
}

static int64_t send_list(hb_gdb *gdb, const char *format, va_list ap)
{
	char *command = NULL, *line = NULL;
	int64_t token = ++gdb->token;
	int n = vasprintf(&command, format, ap);
	if (n >= 0)
		n = asprintf(&line, "%lld%s\n", (long long)token, command);
	if (n < 0 || gdb->lost)
		token = -1;
	else if (!write_all(gdb, line, (size_t)n)) {
		hb__gdb_lose(gdb, gdb->words[0] ? gdb->words : "gdb takes no commands");
		token = -1;
	}
	free(command);
	free(line);
	return token;
}

int64_t hb__gdb_send(hb_gdb *gdb, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int64_t token = send_list(gdb, format, ap);
	va_end(ap);
	return token;
}

/* ---- waiting for an answer ---- */

/* Ends a command that takes too long. A function called in the program gets a signal, for which gdb stops it and puts everything
 * back: asked to interrupt it, gdb would have gdbserver signal a whole process group. All other threads stand meanwhile: one that
 * is not stopped is the one. */
static void rouse(hb_gdb *gdb, bool strongly)
{
	for (size_t i = 0; i < HB_GDB_MOST; i++) {
		const struct hb__inferior *inf = &gdb->at[i];
		if (inf->used && inf->calling &&
			gdb->place->rouse(gdb->place, inf->pid, inf->life, strongly ? SIGSTOP : SIGINT))
			return;
	}
	hb__gdb_signal(gdb, SIGINT);
}

static bool wait_answer(hb_gdb *gdb, double until)
{
	while (!gdb->answered && hb__gdb_take(gdb, until))
		;
	return gdb->answered;
}

/* The time is over, but gdb has to come back. False: it does not. */
static bool bring_back(hb_gdb *gdb)
{
	for (int tries = 0; tries < 2 && !gdb->lost; tries++) {
		rouse(gdb, tries > 0);
		if (wait_answer(gdb, hb_seconds() + GRACE))
			return true;
	}
	if (!gdb->lost)
		hb__gdb_lose(gdb, "it does not answer any more");
	return false;
}

static hb_status overdue(hb_gdb *gdb, double seconds, hb_error *err)
{
	bool called = false;
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		called |= gdb->at[i].used && gdb->at[i].calling &&
			  gdb->place->rouse(gdb->place, gdb->at[i].pid, gdb->at[i].life, 0);
	errno = ETIMEDOUT;
	if (!bring_back(gdb))
		return hb__gdb_fail(err, HB_E_SYSTEM,
			"gdb did not answer within %.3g s and was ended; its processes go on without it", seconds);
	return hb__gdb_fail(err, HB_E_SYSTEM,
		called ? "the called function did not return within %.3g s and was stopped where it was"
		       : "gdb did not answer within %.3g s; the command was ended",
		seconds);
}

hb_status hb__gdb_answer(hb_gdb *gdb, int64_t token, double seconds, hb_error *err)
{
	gdb->answered = false;
	gdb->want = token;
	if (token >= 0 && !gdb->lost)
		wait_answer(gdb, hb_seconds() + seconds);
	hb_status status = HB_OK;
	if (!gdb->answered && !gdb->lost && token >= 0)
		status = overdue(gdb, seconds, err);
	else if (!gdb->answered)
		status = hb__gdb_fail(err, HB_E_SYSTEM, "gdb has ended: %s",
			gdb->words[0] ? gdb->words : "perhaps it was killed; no process is attached any more");
	gdb->want = -1;
	if (status || strcmp(gdb->answer.what, "error"))
		return status;
	const char *message = hb__mi_text(&gdb->answer, &gdb->answer.values[0], "msg");
	return hb__gdb_fail(err, HB_E_ARGUMENT, "%s", message ? message : "gdb could not do that");
}

hb_status hb__gdb_ask(hb_gdb *gdb, hb_error *err, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int64_t token = send_list(gdb, format, ap);
	va_end(ap);
	return hb__gdb_answer(gdb, token, gdb->patience, err);
}

/* ---- the end of it ---- */

void hb__gdb_lose(hb_gdb *gdb, const char *why)
{
	if (gdb->lost)
		return;
	hb_gdb_stop stop = {.reason = HB_GDB_LOST};
	gdb->lost = true;
	snprintf(stop.meaning, sizeof stop.meaning, "%s", why);
	/* nothing more is to come: hb_gdb_fd is not to be readable for ever */
	epoll_ctl(gdb->inner, EPOLL_CTL_DEL, gdb->socket, NULL);
	epoll_ctl(gdb->inner, EPOLL_CTL_DEL, gdb->process, NULL);
	epoll_ctl(gdb->inner, EPOLL_CTL_DEL, gdb->server_life, NULL);
	hb__gdb_end(gdb, 0.1);
	for (size_t i = 0; i < HB_GDB_MOST; i++)
		hb__gdb_forget(gdb, &gdb->at[i]);
	hb__gdb_forget_points(gdb, -1);
	hb__gdb_tell(gdb, -1, &stop);
}
