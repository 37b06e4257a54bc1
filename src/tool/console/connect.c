/* The connection to the manager. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../agent/agent.h"
#include "base/clock.h"
#include "console.h"
#include "system/manager/manager.h"

#define ANSWER_S 120.0

struct hb_asker {
	hb_wire *wire;
	bool lost;
	/* of the ask at hand */
	bool come;
	cJSON *answer;
	char *error;
	int status;
	void (*news)(void *user, const char *name, const cJSON *news);
	void *user;
};

char *hb__manager_socket(const char *given)
{
	const char *variable = getenv("HBDB_MANAGER");
	if (given || (variable && *variable))
		return hb__copy(given ? given : variable);
	char *folder = hb__runtime_folder(), *path = folder ? hb__format("%s/manager", folder) : NULL;
	free(folder);
	return path;
}

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

static int nobody(const char *path, const char *why)
{
	return hb__fail_with(HB_EXIT_USAGE,
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

int hb__asker_open(const char *socket_path, hb_asker **ret_console)
{
	static const hb_wire_calls calls = {.asked = asked, .news = took_news};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char *path = hb__manager_socket(socket_path);
	*ret_console = NULL;
	if (!path)
		return HB_EXIT_USAGE;
	if (strlen(path) >= sizeof address.sun_path) {
		int code = hb__fail_with(HB_EXIT_USAGE, "%s: the path is too long for a socket", path);
		free(path);
		return code;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	signal(SIGPIPE, SIG_IGN);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const char *why = fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) ? strerror(errno)
											     : not_ours(fd, path);
	int code = why ? nobody(path, why) : 0;
	hb_asker *c = hb__alloc(sizeof *c);
	*c = (hb_asker){0};
	hb_error err;
	if (code) {
		if (fd >= 0)
			close(fd);
	} else if (hb_wire_open(fd, fd, true, "console", &calls, c, &c->wire, &err))
		code = hb__fail_with(HB_EXIT_USAGE, "%s", err.message);
	if (code)
		free(c);
	else
		*ret_console = c;
	free(path);
	return code;
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
	c->come = true;
	c->status = status;
	c->error = error ? hb__copy(error) : NULL;
	c->answer = error ? NULL : cJSON_Duplicate(answer, 1);
}

int hb__asker_ask(hb_asker *c, const char *name, cJSON *ask, cJSON **ret_answer)
{
	double end = hb_seconds() + ANSWER_S;
	c->come = false;
	hb_wire_ask(c->wire, name, ask, answered, c);
	while (!c->come && hb_seconds() < end) {
		struct pollfd at = {hb_wire_fd(c->wire), POLLIN, 0};
		poll(&at, 1, 1000);
		c->lost = !hb_wire_turn(c->wire) || c->lost;
		if (c->lost && !c->come)
			return hb__fail_with(HB_EXIT_USAGE, "the manager: %s", hb_wire_why(c->wire));
	}
	if (!c->come) {
		/* an answer that came now would go to somebody else */
		hb__say("the manager does not answer");
		exit(HB_EXIT_USAGE);
	}
	if (ret_answer)
		*ret_answer = c->answer;
	else
		cJSON_Delete(c->answer);
	if (!c->error)
		return 0;
	int code = hb__fail_with(c->status ? c->status : HB_EXIT_USAGE, "%s", c->error);
	free(c->error);
	return code;
}

int hb__asker_rows(hb_asker *c, const char *what, cJSON *ask, cJSON **ret_rows)
{
	cJSON *answer;
	int code = hb__asker_ask(c, what, ask, &answer);
	*ret_rows = NULL;
	if (code)
		return code;
	*ret_rows = cJSON_DetachItemFromObjectCaseSensitive(answer, "rows");
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "more")))
		hb__say("there are more %s than the manager tells at once: %d are shown", what,
			cJSON_GetArraySize(*ret_rows));
	cJSON_Delete(answer);
	if (!*ret_rows)
		return hb__fail_with(HB_EXIT_USAGE, "the manager answers without rows");
	return 0;
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
	int signals = signalfd(-1, &some, SFD_CLOEXEC);
	for (;;) {
		struct pollfd at[2] = {{hb_wire_fd(c->wire), POLLIN, 0}, {signals, POLLIN, 0}};
		poll(at, 2, -1);
		if (at[1].revents) {
			close(signals);
			return 0;
		}
		if (!hb_wire_turn(c->wire)) {
			close(signals);
			return hb__fail_with(HB_EXIT_USAGE, "the manager: %s", hb_wire_why(c->wire));
		}
	}
}
