/* The loop. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/socket/unix.h"
#include "system/agent/inside.h"

static const hb_agent_row own[] = {
	{"signal", hb__ask_signal},
	{"stop", hb__ask_stop},
	{"go", hb__ask_go},
	{"run", hb__ask_run},
	{"start", hb__ask_start},
	{"dial", hb__ask_dial},
	{"await", hb__ask_await},
	{"look", hb__ask_look},
	{"rouse", hb__ask_rouse},
	{0},
};

void *hb_agent_user(const hb_agent *agent) { return agent->options.user; }
const hb_agent_options *hb_agent_given(const hb_agent *agent) { return &agent->options; }

void hb_agent_tell(hb_agent *agent, const char *name, cJSON *news)
{
	for (size_t i = 0; i < agent->nwires; i++)
		hb_wire_news(agent->wire[i], name, cJSON_Duplicate(news, 1));
	cJSON_Delete(news);
}

bool hb_agent_wait_for(hb_agent *agent, int32_t pid, hb_agent_ended *ended, void *user)
{
	if (!HB_GROW(agent->child, agent->child_room, agent->nchildren + 1))
		return false;
	agent->child[agent->nchildren++] = (struct hb__child){pid, ended, user};
	return true;
}

bool hb__agent_watch(hb_agent *agent, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	return !epoll_ctl(agent->inner, EPOLL_CTL_ADD, fd, &e);
}

bool hb_agent_listen(hb_agent *agent, int fd, hb_agent_heard *heard, void *user)
{
	struct epoll_event e = {.events = EPOLLIN | EPOLLONESHOT, .data.fd = fd};
	if (!HB_GROW(agent->listened, agent->listened_room, agent->nlistened + 1) ||
		epoll_ctl(agent->inner, EPOLL_CTL_ADD, fd, &e))
		return false;
	agent->listened[agent->nlistened++] = (struct hb__listened){fd, heard, user};
	return true;
}

void hb_agent_let_go(hb_agent *agent, int fd)
{
	for (size_t i = 0; i < agent->nlistened; i++)
		if (agent->listened[i].fd == fd) {
			epoll_ctl(agent->inner, EPOLL_CTL_DEL, fd, NULL);
			agent->listened[i] = agent->listened[--agent->nlistened];
			return;
		}
}

static bool is_listened(hb_agent *agent, int fd)
{
	for (size_t i = 0; i < agent->nlistened; i++)
		if (agent->listened[i].fd == fd) {
			agent->listened[i].heard(agent, agent->listened[i].user, fd);
			return true;
		}
	return false;
}

/* ---- connections ---- */

static void asked(void *user, hb_wire *wire, uint64_t id, const char *name, const cJSON *ask)
{
	hb_agent *agent = user;
	for (const hb_agent_row *row = own; row->name; row++)
		if (!strcmp(row->name, name)) {
			row->ask(agent, wire, id, ask);
			return;
		}
	for (const hb_agent_row *row = agent->options.rows; row && row->name; row++)
		if (!strcmp(row->name, name)) {
			row->ask(agent, wire, id, ask);
			return;
		}
	hb_wire_refuse(wire, id, 2, "this agent cannot be asked for '%s': its hbdb is of another version", name);
}

static hb_status connect_to(hb_agent *agent, int in, int out, hb_error *err)
{
	static const hb_wire_calls calls = {.asked = asked};
	hb_wire *wire;
	if (!HB_GROW(agent->wire, agent->wire_room, agent->nwires + 1))
		return HB_E_MEMORY;
	hb_status status = hb_wire_open(in, out, false, "agent", &calls, agent, &wire, err);
	if (status)
		return status;
	if (!hb__agent_watch(agent, hb_wire_fd(wire))) {
		hb_wire_close(wire);
		return HB_E_SYSTEM;
	}
	agent->wire[agent->nwires++] = wire;
	return HB_OK;
}

static void lose(hb_agent *agent, size_t i)
{
	hb_wire *wire = agent->wire[i];
	agent->wire[i] = agent->wire[--agent->nwires];
	if (agent->options.gone)
		agent->options.gone(agent, wire);
	hb__doors_close(agent, wire);
	hb__runs_end(agent, wire);
	hb_wire_close(wire);
}

/* Only the agent's own user is let in. */
static void let_in(hb_agent *agent)
{
	int fd = accept4(agent->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	if (hb_unix_peer(fd) != (long)getuid())
		close(fd);
	else
		connect_to(agent, fd, fd, NULL);
}

/* ---- the loop ---- */

static void reap(hb_agent *agent)
{
	for (size_t i = 0; i < agent->nchildren; i++) {
		struct hb__child c = agent->child[i];
		int how;
		if (waitpid(c.pid, &how, WNOHANG) != c.pid)
			continue;
		agent->child[i--] = agent->child[--agent->nchildren];
		c.ended(agent, c.user, c.pid, WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how),
			WIFSIGNALED(how) ? WTERMSIG(how) : 0);
	}
}

static void heard(hb_agent *agent, int fd)
{
	struct signalfd_siginfo signal;
	uint64_t n;
	if (fd == agent->listener) {
		let_in(agent);
	} else if (fd == agent->timer) {
		if (read(fd, &n, sizeof n) > 0 && agent->options.tick)
			agent->options.tick(agent);
	} else if (fd == agent->signals) {
		while (read(fd, &signal, sizeof signal) == sizeof signal)
			agent->ending |= signal.ssi_signo != SIGCHLD;
		reap(agent);
	} else if (!is_listened(agent, fd) && !hb__door_opens(agent, fd)) {
		for (size_t i = 0; i < agent->nwires; i++)
			if (hb_wire_fd(agent->wire[i]) == fd && !hb_wire_turn(agent->wire[i])) {
				lose(agent, i);
				break;
			}
	}
}

static void turn(hb_agent *agent)
{
	while (!agent->ending) {
		struct epoll_event at[16];
		int n = epoll_wait(agent->inner, at, 16, -1);
		for (int i = 0; i < n && !agent->ending; i++)
			heard(agent, at[i].data.fd);
		if (agent->options.in >= 0 && !agent->nwires)
			return;
	}
}

/* ---- beginning ---- */

static hb_status fail(hb_error *err, const char *what, const char *path)
{
	if (err) {
		*err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
		snprintf(err->message, sizeof err->message, "%s %s: %s", what, path, strerror(errno));
	}
	return HB_E_SYSTEM;
}

static hb_status listen_at(hb_agent *agent, const char *path, hb_error *err)
{
	agent->listener = hb_unix_listen(path, SOCK_STREAM);
	if (agent->listener >= 0 && hb__agent_watch(agent, agent->listener))
		return HB_OK;
	struct stat is;
	int trouble = errno;
	bool other = trouble == EADDRINUSE && !lstat(path, &is) && !S_ISSOCK(is.st_mode);
	errno = trouble;
	return fail(err,
		other                   ? "what stands there is no socket, and is left alone:"
		: trouble == EADDRINUSE ? "an agent listens already at"
					: "cannot listen at",
		path);
}

static hb_status begin(hb_agent *agent, hb_error *err)
{
	struct itimerspec tick = {{0, HB__TICK_MS * 1000000L}, {0, 1}}; /* the first one at once */
	sigset_t some;
	sigemptyset(&some);
	sigaddset(&some, SIGCHLD);
	sigaddset(&some, SIGTERM);
	sigaddset(&some, SIGINT);
	sigaddset(&some, SIGHUP);
	sigprocmask(SIG_BLOCK, &some, NULL);
	signal(SIGPIPE, SIG_IGN);
	agent->inner = epoll_create1(EPOLL_CLOEXEC);
	agent->signals = signalfd(-1, &some, SFD_CLOEXEC | SFD_NONBLOCK);
	agent->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (agent->inner < 0 || agent->signals < 0 || agent->timer < 0 ||
		timerfd_settime(agent->timer, 0, &tick, NULL) || !hb__agent_watch(agent, agent->signals) ||
		!hb__agent_watch(agent, agent->timer))
		return fail(err, "cannot begin", "");
	if (agent->options.in >= 0)
		return connect_to(agent, agent->options.in, agent->options.out, err);
	return listen_at(agent, agent->options.socket, err);
}

hb_status hb_agent_serve(const hb_agent_options *options, hb_error *err)
{
	hb_agent agent = {.options = *options, .inner = -1, .signals = -1, .timer = -1, .listener = -1};
	hb_status status = begin(&agent, err);
	if (!status)
		turn(&agent);
	while (agent.nwires)
		lose(&agent, 0);
	hb__doors_close(&agent, NULL);
	if (agent.listener >= 0 && !status)
		unlink(options->socket);
	int fds[] = {agent.inner, agent.signals, agent.timer, agent.listener};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(agent.wire);
	free(agent.child);
	free(agent.door);
	free(agent.listened);
	return status;
}
