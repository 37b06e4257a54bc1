/* The connection to the manager. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../memory/sockets.h"
#include "base/clock.h"
#include "base/socket/unix.h"
#include "console.h"
#include "system/manager/manager.h"

#define ANSWER_S 120.0

struct hb_asker {
	hb_wire *wire;
	bool late; /* nobody waits for its answer any more */
	/* of the ask at hand */
	bool come;
	cJSON *answer;
	char *error;
	int status;
	void (*news)(void *user, const char *name, const cJSON *news);
	void *user;
};

static void asked(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *ask)
{
	(void)user, (void)ask;
	hb_wire_refuse(wire, id, 2, "a console is asked for nothing: %s", name);
}

static void took_news(void *user, hb_wire *wire, const char *name, const cJSON *news)
{
	hb_asker *c = user;
	(void)wire;
	if (c->news)
		c->news(c->user, name, news);
}

static char *nobody(const char *path, const char *why)
{
	return hb__format(
		"no manager answers at %s (%s); 'hbdb manager' runs one in the foreground, 'systemctl --user start hbdb-manager' as a service",
		path, why);
}

/* The other end has to be a process of this user's, or, at a socket that is shared, of the owner of its folder: else whoever made the socket would be believed. */
static const char *not_ours(int fd, const char *path)
{
	struct ucred who;
	socklen_t n = sizeof who;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n))
		return "the system does not say who is there";
	if (who.uid == getuid())
		return NULL;
	/* somebody else's manager lets us in: its socket is named by hand, and stands where he alone may write */
	return hb_manager_folder_wrong(path, true) && who.uid ? "it belongs to another user, and its folder is not safe"
							      : NULL;
}

hb_asker *hb__asker_reach(const char *path, char **ret_error)
{
	static const hb_wire_calls calls = {.asked = asked, .news = took_news};
	*ret_error = NULL;
	signal(SIGPIPE, SIG_IGN);
	int fd = hb_unix_connect(path, SOCK_STREAM);
	if (fd < 0 && errno == ENAMETOOLONG) {
		*ret_error = hb__format("%s: the path is too long for a socket", path);
		return NULL;
	}
	const char *why = fd < 0 ? strerror(errno) : not_ours(fd, path);
	if (why) {
		*ret_error = nobody(path, why);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	hb_asker *c = hb__alloc(sizeof *c);
	*c = (hb_asker){0};
	hb_error err;
	if (!hb_wire_open(fd, fd, true, "console", &calls, c, &c->wire, &err))
		return c;
	*ret_error = hb__copy(err.message);
	free(c);
	return NULL;
}

int hb__asker_open(const char *socket_path, hb_asker **ret_console)
{
	char *path = hb__manager_socket(socket_path), *error = NULL;
	*ret_console = path ? hb__asker_reach(path, &error) : NULL;
	int code = *ret_console ? 0 : error ? hb__fail_with(HB_EXIT_USAGE, "%s", error) : HB_EXIT_USAGE;
	free(error);
	free(path);
	return code;
}

hb_wire *hb__asker_wire(hb_asker *c) { return c->wire; }

/* Why the connection ended: who is not let in is told nothing. */
static const char *ended(const hb_asker *c)
{
	return hb_wire_peer(c->wire)
		       ? hb_wire_why(c->wire)
		       : "it closed the connection before it said anything: it lets in its own user and those whom --allow names, and 256 connections; its events say who was refused";
}

bool hb__asker_there(hb_asker *c, int wait_ms, const char **ret_why)
{
	struct pollfd at = {hb_wire_fd(c->wire), POLLIN, 0};
	poll(&at, 1, wait_ms);
	bool there = hb_wire_turn(c->wire);
	*ret_why = there ? NULL : ended(c);
	return there;
}

void hb__asker_close(hb_asker *c)
{
	if (!c)
		return;
	hb_wire_close(c->wire);
	free(c);
}

void hb__asker_news(hb_asker *c, void (*news)(void *user, const char *name, const cJSON *news), void *user)
{
	c->news = news;
	c->user = user;
}

static void answered(void *user, const cJSON *answer, const char *error, int status)
{
	hb_asker *c = user;
	if (c->late)
		return;
	c->come = true;
	c->status = status;
	c->error = error ? hb__copy(error) : NULL;
	c->answer = error ? NULL : cJSON_Duplicate(answer, 1);
}

int hb__asker_try(hb_asker *c, const char *name, cJSON *ask, double seconds, cJSON **ret_answer, char **ret_error)
{
	double end = hb_seconds() + seconds;
	bool lost = false;
	*ret_error = NULL;
	c->come = false;
	hb_wire_ask(c->wire, name, ask, answered, c);
	while (!c->come && !lost && hb_seconds() < end) {
		struct pollfd at = {hb_wire_fd(c->wire), POLLIN, 0};
		poll(&at, 1, 1000);
		lost = !hb_wire_turn(c->wire);
	}
	if (!c->come) {
		c->late = !lost;
		*ret_error = lost ? hb__format("the manager: %s", ended(c)) : hb__copy("the manager does not answer");
		return HB_EXIT_USAGE;
	}
	if (ret_answer)
		*ret_answer = c->answer;
	else
		cJSON_Delete(c->answer);
	if (c->error && !hb_wire_peer(c->wire)) {
		free(c->error);
		c->error = hb__format("the manager: %s", ended(c));
	}
	*ret_error = c->error;
	return !c->error ? 0 : c->status ? c->status : HB_EXIT_USAGE;
}

int hb__asker_ask(hb_asker *c, const char *name, cJSON *ask, cJSON **ret_answer)
{
	char *error;
	int code = hb__asker_try(c, name, ask, ANSWER_S, ret_answer, &error);
	if (code)
		hb__say("%s", error);
	free(error);
	/* an answer that came now would go to somebody else */
	if (c->late)
		exit(code);
	return code;
}

static void append(cJSON *to, cJSON *from)
{
	for (cJSON *one; from && (one = cJSON_DetachItemFromArray(from, 0));)
		cJSON_AddItemToArray(to, one);
}

int hb__asker_list(hb_asker *c, const char *what, cJSON *ask, const char *list, cJSON **ret_rows)
{
	int code = 0;
	bool more = true;
	cJSON *question = ask ? ask : cJSON_CreateObject();
	*ret_rows = cJSON_CreateArray();
	while (more && !code) {
		cJSON *answer = NULL, *next, *rows;
		code = hb__asker_ask(c, what, cJSON_Duplicate(question, true), &answer);
		rows = cJSON_GetObjectItemCaseSensitive(answer, list);
		if (!code && !cJSON_IsArray(rows))
			code = hb__fail_with(HB_EXIT_USAGE, "the manager answers without %s", list);
		more = rows && rows->child && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "more"));
		append(*ret_rows, rows);
		next = cJSON_DetachItemFromObjectCaseSensitive(answer, "next");
		more = more && next;
		cJSON_DeleteItemFromObjectCaseSensitive(question, "after");
		if (next)
			cJSON_AddItemToObject(question, "after", next);
		cJSON_Delete(answer);
	}
	cJSON_Delete(question);
	if (!code)
		return 0;
	cJSON_Delete(*ret_rows);
	*ret_rows = NULL;
	return code;
}

int hb__asker_rows(hb_asker *c, const char *what, cJSON *ask, cJSON **ret_rows)
{
	return hb__asker_list(c, what, ask, "rows", ret_rows);
}

sigset_t hb__asker_signals(void)
{
	sigset_t some;
	sigemptyset(&some);
	sigaddset(&some, SIGINT);
	sigaddset(&some, SIGTERM);
	sigprocmask(SIG_BLOCK, &some, NULL);
	return some;
}

int hb__asker_wait(hb_asker *c)
{
	sigset_t some = hb__asker_signals();
	int signals = signalfd(-1, &some, SFD_CLOEXEC), code = 0;
	/* what cannot be written is said when hbdb ends */
	while (!code && !ferror(stdout)) {
		/* of our output: whether who reads it is gone */
		struct pollfd at[3] = {{hb_wire_fd(c->wire), POLLIN, 0}, {signals, POLLIN, 0}, {1, 0, 0}};
		poll(at, 3, -1);
		if (at[1].revents || at[2].revents)
			break;
		if (!hb_wire_turn(c->wire))
			code = hb__fail_with(HB_EXIT_USAGE, "the manager: %s", ended(c));
	}
	close(signals);
	return code;
}
