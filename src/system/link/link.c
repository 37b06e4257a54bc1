/* The thread that keeps a connection going, and those who wait for its answers. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "system/link/link.h"
#include "system/link/start.h"

/* What hangs on the wire may outlive who asked for it: whoever is last frees it. */
struct hb_stream {
	hb_link *link;
	int owners;
	uint32_t channel;
	bool open; /* the wire has it */
	cJSON *answer;
	hb_link_end end;
};

struct hb_link {
	hb_wire *wire;
	pthread_mutex_t lock; /* of all that follows, and of the wire */
	pthread_cond_t changed;
	pthread_t thread;
	int wake;
	bool ending, lost;
	pid_t pid;
	hb_link_news *news;
	void *user;
	void (*dialled)(void *user, int fd);
	void *dialled_user;
};

struct answer {
	int owners; /* who waits, and the wire */
	bool come;
	cJSON *object;
	bool refused;
	char error[256];
};

static hb_status fail(hb_error *err, hb_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static hb_status fail(hb_error *err, hb_status status, const char *format, ...)
{
	if (err) {
		va_list ap;
		*err = (hb_error){.status = status};
		va_start(ap, format);
		vsnprintf(err->message, sizeof err->message, format, ap);
		va_end(ap);
	}
	return status;
}

/* ---- the thread ---- */

static void refuse(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *ask)
{
	(void)user, (void)ask;
	hb_wire_refuse(wire, id, 2, "nothing is asked of this side: %s", name);
}

/* The lock is the thread's while the wire turns; news may not wait for others under it. */
static void took_news(void *user, hb_wire *wire, const char *name, const cJSON *news)
{
	hb_link *link = user;
	int64_t channel;
	int end[2];
	if (!strcmp(name, "dialled") && link->dialled && hb_wire_number(news, "channel", &channel) && channel > 0 &&
		channel <= UINT32_MAX) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end))
			return;
		if (hb_wire_join(wire, (uint32_t)channel, end[0], end[0], false, NULL, NULL))
			link->dialled(link->dialled_user, end[1]);
		else
			close(end[1]);
	} else if (link->news) {
		link->news(link->user, link, name, news);
	}
}

static void *keep(void *user)
{
	hb_link *link = user;
	struct pollfd at[2] = {{hb_wire_fd(link->wire), POLLIN, 0}, {link->wake, POLLIN, 0}};
	for (;;) {
		uint64_t n;
		poll(at, 2, -1);
		pthread_mutex_lock(&link->lock);
		if (at[1].revents && read(link->wake, &n, sizeof n) < 0 && errno != EAGAIN)
			link->ending = true;
		link->lost = !hb_wire_turn(link->wire) || link->lost;
		bool over = link->ending || link->lost;
		pthread_cond_broadcast(&link->changed);
		pthread_mutex_unlock(&link->lock);
		if (over)
			return NULL;
	}
}

static void rouse(hb_link *link)
{
	uint64_t one = 1;
	while (write(link->wake, &one, sizeof one) < 0 && errno == EINTR)
		;
}

/* False: the time is over. */
static bool wait_until(hb_link *link, double until)
{
	struct timespec t = {(time_t)until, (long)((until - (double)(time_t)until) * 1e9)};
	return pthread_cond_timedwait(&link->changed, &link->lock, &t) != ETIMEDOUT;
}

static double until(double seconds) { return seconds < 0 ? 1e11 : hb_seconds() + seconds; }

/* ---- opening and closing ---- */

/* The command that kept the connection: it ends when that does, or is ended. Its status as the system has it; -1: not known. */
static int end_command(pid_t pid)
{
	double begin = hb_seconds();
	int status = -1;
	for (int sent = 0; pid > 0 && !waitpid(pid, &status, WNOHANG);) {
		double passed = hb_seconds() - begin;
		if (passed > 2 && sent < 1)
			sent = 1, kill(-pid, SIGTERM);
		if (passed > 4 && sent < 2)
			sent = 2, kill(-pid, SIGKILL);
		usleep(2000);
	}
	return status;
}

static int close_link(hb_link *link)
{
	pthread_mutex_lock(&link->lock);
	link->ending = true;
	pthread_mutex_unlock(&link->lock);
	rouse(link);
	pthread_join(link->thread, NULL);
	pthread_mutex_lock(&link->lock);
	hb_wire_close(link->wire);
	pthread_mutex_unlock(&link->lock);
	int status = end_command(link->pid);
	close(link->wake);
	pthread_cond_destroy(&link->changed);
	pthread_mutex_destroy(&link->lock);
	free(link);
	return status;
}

/* A shell on the other side says so by its status. */
static void was_not_found(char *const *argv, int ended, hb_error *err)
{
	size_t n = 0;
	if (ended == -1 || !WIFEXITED(ended) || WEXITSTATUS(ended) != 127)
		return;
	while (argv[n + 1])
		n++;
	fail(err, HB_E_SYSTEM, "%s: there is no hbdb there, at the path that it has here: %s", argv[0], argv[n]);
}

hb_status hb_link_open(const hb_link_options *options, hb_link **ret_link, hb_error *err)
{
	static const hb_wire_calls calls = {.asked = refuse, .news = took_news};
	hb_link *link = calloc(1, sizeof *link);
	pthread_condattr_t clock;
	int fd, trouble = link ? 0 : ENOMEM;
	*ret_link = NULL;
	if (link)
		*link = (hb_link){
			.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .news = options->news, .user = options->user};
	if (!trouble && link->wake < 0)
		trouble = errno;
	if (!trouble)
		trouble = hb_link_start(options->argv, options->error, &link->pid, &fd);
	if (trouble) {
		free(link);
		return fail(err, HB_E_SYSTEM, "cannot start %s: %s", options->argv[0], strerror(trouble));
	}
	pthread_mutex_init(&link->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&link->changed, &clock);
	pthread_condattr_destroy(&clock);
	hb_status status = hb_wire_open(fd, fd, true, "console", &calls, link, &link->wire, err);
	if (!status && pthread_create(&link->thread, NULL, keep, link)) {
		hb_wire_close(link->wire);
		link->wire = NULL;
		status = fail(err, HB_E_SYSTEM, "cannot start a thread");
	}
	if (status) {
		end_command(link->pid);
		close(link->wake);
		free(link);
		return status;
	}
	double end = until(options->seconds);
	pthread_mutex_lock(&link->lock);
	while (!hb_wire_peer(link->wire) && !link->lost && wait_until(link, end))
		;
	bool fine = hb_wire_peer(link->wire) && !link->lost;
	if (!fine)
		fail(err, HB_E_SYSTEM, "%s: %s", options->argv[0],
			link->lost
				? hb_wire_why(link->wire)
				: "no agent answers: is hbdb installed there, and in the PATH of a login without a terminal?");
	pthread_mutex_unlock(&link->lock);
	if (!fine) {
		was_not_found(options->argv, close_link(link), err);
		return HB_E_SYSTEM;
	}
	*ret_link = link;
	return HB_OK;
}

void hb_link_close(hb_link *link)
{
	if (link)
		close_link(link);
}

cJSON *hb_link_peer(hb_link *link)
{
	pthread_mutex_lock(&link->lock);
	cJSON *copy = cJSON_Duplicate(hb_wire_peer(link->wire), 1);
	pthread_mutex_unlock(&link->lock);
	return copy;
}

char *hb_link_lost(hb_link *link)
{
	pthread_mutex_lock(&link->lock);
	char *why = link->lost ? strdup(hb_wire_why(link->wire)) : NULL;
	pthread_mutex_unlock(&link->lock);
	return why;
}

/* ---- asking ---- */

static void free_answer(struct answer *a)
{
	if (!--a->owners) {
		cJSON_Delete(a->object);
		free(a);
	}
}

static void answered(void *user, const cJSON *answer, const char *error, int status)
{
	struct answer *a = user;
	(void)status;
	a->come = true;
	a->refused = error && answer;
	snprintf(a->error, sizeof a->error, "%s", error ? error : "");
	a->object = error ? NULL : cJSON_Duplicate(answer, 1);
	free_answer(a);
}

/* Under the lock. */
static hb_status ask(hb_link *link, const char *name, cJSON *object, double seconds, cJSON **ret_answer, hb_error *err)
{
	struct answer *a = calloc(1, sizeof *a);
	hb_status status = HB_OK;
	double end = until(seconds);
	if (!a) {
		cJSON_Delete(object);
		return fail(err, HB_E_MEMORY, "there is no memory left");
	}
	a->owners = 2;
	hb_wire_ask(link->wire, name, object, answered, a);
	rouse(link);
	while (!a->come && wait_until(link, end))
		;
	if (!a->come)
		status = fail(err, HB_E_SYSTEM, "the agent has not answered within %.0f seconds (%s)", seconds, name);
	else if (!a->object)
		status = fail(err, a->refused ? HB_E_ARGUMENT : HB_E_SYSTEM, "%s", a->error);
	if (ret_answer) {
		*ret_answer = a->object;
		a->object = NULL;
	}
	free_answer(a);
	return status;
}

hb_status hb_link_ask(hb_link *link, const char *name, cJSON *object, double seconds, cJSON **ret_answer, hb_error *err)
{
	pthread_mutex_lock(&link->lock);
	hb_status status = ask(link, name, object, seconds, ret_answer, err);
	pthread_mutex_unlock(&link->lock);
	return status;
}

/* ---- streams ---- */

static void free_stream(hb_stream *s)
{
	if (--s->owners)
		return;
	cJSON_Delete(s->answer);
	free(s);
}

static void closed(void *user, uint32_t channel, const cJSON *how)
{
	hb_stream *s = user;
	int64_t status = -1;
	const char *error = hb_wire_text(how, "error");
	(void)channel;
	hb_wire_number(how, "status", &status);
	s->end = (hb_link_end){.over = true, .status = (int)status};
	snprintf(s->end.why, sizeof s->end.why, "%s", error ? error : "");
	s->open = false;
	free_stream(s);
}

hb_status hb_link_stream(hb_link *link, const char *name, cJSON *object, double seconds, int *ret_fd,
	hb_stream **ret_stream, hb_error *err)
{
	int end[2];
	hb_stream *s = calloc(1, sizeof *s);
	*ret_fd = -1;
	*ret_stream = NULL;
	object = object ? object : cJSON_CreateObject();
	if (!s || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		free(s);
		cJSON_Delete(object);
		return fail(err, HB_E_SYSTEM, "cannot make a socket: %s", strerror(errno));
	}
	pthread_mutex_lock(&link->lock);
	*s = (hb_stream){
		.link = link, .owners = 2, .channel = hb_wire_channel(link->wire), .open = true, .end.status = -1};
	cJSON_AddNumberToObject(object, "channel", s->channel);
	hb_status status = HB_OK;
	if (!hb_wire_join(link->wire, s->channel, end[0], end[0], false, closed, s)) {
		cJSON_Delete(object);
		s->owners--;
		status =
			fail(err, HB_E_SYSTEM, "%s", link->lost ? hb_wire_why(link->wire) : "no channel can be opened");
	} else {
		status = ask(link, name, object, seconds, &s->answer, err);
	}
	if (status) {
		if (s->open && s->owners > 1) {
			hb_wire_cut(link->wire, s->channel);
			s->owners--;
		}
		free_stream(s);
	}
	pthread_mutex_unlock(&link->lock);
	if (status) {
		close(end[1]);
		return status;
	}
	*ret_fd = end[1];
	*ret_stream = s;
	return HB_OK;
}

hb_link_end hb_stream_wait(hb_stream *stream, double seconds)
{
	hb_link *link = stream->link;
	double end = until(seconds);
	pthread_mutex_lock(&link->lock);
	while (!stream->end.over && seconds != 0 && wait_until(link, end))
		;
	hb_link_end how = stream->end;
	pthread_mutex_unlock(&link->lock);
	return how;
}

void hb_stream_close(hb_stream *stream)
{
	if (!stream)
		return;
	hb_link *link = stream->link;
	pthread_mutex_lock(&link->lock);
	if (stream->open) {
		hb_wire_cut(link->wire, stream->channel);
		stream->owners--;
		rouse(link);
	}
	free_stream(stream);
	pthread_mutex_unlock(&link->lock);
}

hb_status hb_link_run(hb_link *link, char *const *argv, const char *cwd, char *const *environment, int *ret_fd,
	hb_stream **ret_stream, hb_error *err)
{
	cJSON *o = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(o, "command");
	for (; *argv; argv++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*argv));
	if (cwd)
		cJSON_AddStringToObject(o, "cwd", cwd);
	cJSON *variables = environment ? cJSON_AddObjectToObject(o, "environment") : NULL;
	for (; variables && *environment; environment++) {
		char name[256];
		size_t n = strcspn(*environment, "=");
		if (n && n < sizeof name && (*environment)[n]) {
			snprintf(name, sizeof name, "%.*s", (int)n, *environment);
			cJSON_AddStringToObject(variables, name, *environment + n + 1);
		}
	}
	return hb_link_stream(link, "run", o, 60, ret_fd, ret_stream, err);
}

const cJSON *hb_stream_answer(const hb_stream *stream) { return stream->answer; }

hb_status hb_link_dial(hb_link *link, const char *name, const char *secret, void (*dialled)(void *user, int fd),
	void *user, char **ret_address, char **ret_file, hb_error *err)
{
	cJSON *answer, *fields = cJSON_CreateObject();
	if (name)
		cJSON_AddStringToObject(fields, "name", name);
	if (secret)
		cJSON_AddStringToObject(fields, "secret", secret);
	pthread_mutex_lock(&link->lock);
	link->dialled = dialled;
	link->dialled_user = user;
	hb_status status = ask(link, "dial", fields, 60, &answer, err);
	pthread_mutex_unlock(&link->lock);
	if (status)
		return status;
	const char *address = hb_wire_text(answer, "address"), *file = hb_wire_text(answer, "secret_file");
	bool whole = address && (file || !secret);
	*ret_address = whole ? strdup(address) : NULL;
	if (ret_file)
		*ret_file = whole && file ? strdup(file) : NULL;
	cJSON_Delete(answer);
	return whole ? HB_OK : fail(err, HB_E_SYSTEM, "the agent does not say where processes are to dial in");
}

void hb_link_undial(hb_link *link)
{
	pthread_mutex_lock(&link->lock);
	link->dialled = NULL;
	pthread_mutex_unlock(&link->lock);
}
