/* Commands that are run for the other side of a connection, and end with it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/socket/door.h"
#include "base/task.h"
#include "system/agent/inside.h"

int32_t hb__begin(char *const *argv, const char *cwd, const cJSON *environment, int in, int out, int error, bool tied)
{
	int word[2], trouble = 0;
	if (pipe2(word, O_CLOEXEC))
		return -1;
	pid_t parent = getpid(), pid = fork();
	if (!pid) {
		sigset_t none;
		const cJSON *v;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		setsid();
		/* by which it ends: an agent that nohup began ignores it, and who inherits that does, too */
		if (tied &&
			(signal(SIGHUP, SIG_DFL) == SIG_ERR || prctl(PR_SET_PDEATHSIG, SIGHUP) || getppid() != parent))
			_exit(127);
		cJSON_ArrayForEach(v, environment) if (cJSON_IsString(v)) setenv(v->string, v->valuestring, 1);
		dup2(in, 0);
		dup2(out, 1);
		if (error >= 0)
			dup2(error, 2);
		if (!cwd || !chdir(cwd)) {
			close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
			execvp(argv[0], argv);
		}
		trouble = errno;
		_exit(write(word[1], &trouble, sizeof trouble) == sizeof trouble ? 127 : 126);
	}
	close(word[1]);
	if (pid > 0 && read(word[0], &trouble, sizeof trouble) == sizeof trouble) {
		waitpid(pid, NULL, 0);
		pid = -1;
	} else if (pid < 0) {
		trouble = errno;
	}
	close(word[0]);
	errno = trouble;
	return pid;
}

/* A door: whoever connects has the command begun, with the connection as its standard input and output. */
struct door {
	hb_door at;
	char **argv;
	cJSON *ask; /* what the command is to be run with */
};

struct run {
	hb_agent *agent;
	hb_wire *wire; /* NULL: the connection has ended */
	uint32_t channel;
	bool open;         /* the channel is */
	bool served;       /* it was begun at a door, and ends with who came in there */
	struct door *door; /* NULL: there is none, or it is closed */
	int32_t pid;       /* 0: it has ended, or has not begun */
	struct run *next;
};
static struct run *runs;

static void forget(struct run *run)
{
	for (struct run **at = &runs; *at; at = &(*at)->next)
		if (*at == run) {
			*at = run->next;
			break;
		}
	free(run);
}

static void close_door(struct run *run)
{
	struct door *d = run->door;
	if (!d)
		return;
	hb_agent_let_go(run->agent, d->at.fd);
	hb_door_close(&d->at);
	free(d->argv);
	cJSON_Delete(d->ask);
	free(d);
	run->door = NULL;
}

/* The other side has said its end, or the connection has: what was run is of no use any more. It was told by an end of file; one that goes on gets a SIGHUP, for
 * which a debugger lets go of its processes. One that was begun at a door ends with who came in: gdbserver, which SIGHUP would kill, has breakpoints to take back for
 * its gdb. */
static void end_run(struct run *run)
{
	if (run->pid && !run->served)
		kill(run->pid, SIGHUP);
	close_door(run);
}

static void closed(void *user, uint32_t channel, const cJSON *how)
{
	struct run *run = user;
	(void)channel, (void)how;
	run->open = false;
	end_run(run);
	if (!run->pid)
		forget(run);
}

static void ended(hb_agent *agent, void *user, int32_t pid, int status, int signal)
{
	struct run *run = user;
	cJSON *how = cJSON_CreateObject();
	(void)agent, (void)pid, (void)signal;
	run->pid = 0;
	cJSON_AddNumberToObject(how, "status", status);
	if (run->open && run->wire)
		hb_wire_end(run->wire, run->channel, how);
	else
		cJSON_Delete(how);
	if (!run->open)
		forget(run);
}

void hb__runs_end(hb_agent *agent, hb_wire *wire)
{
	(void)agent;
	for (struct run *run = runs; run; run = run->next)
		if (run->wire == wire) {
			run->wire = NULL;
			end_run(run);
		}
}

/* Somebody is at the door, which nobody else can come to: the first is the one. */
static void come_in(hb_agent *agent, void *user, int fd)
{
	struct run *run = user;
	struct door *d = run->door;
	int guest = accept4(fd, NULL, NULL, SOCK_CLOEXEC), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	run->pid = guest < 0 ? -1
			     : hb__begin(d->argv, hb_wire_text(d->ask, "cwd"),
				       cJSON_GetObjectItemCaseSensitive(d->ask, "environment"), guest, guest, nowhere,
				       false);
	if (guest >= 0)
		close(guest);
	if (nowhere >= 0)
		close(nowhere);
	if (run->pid < 0) {
		cJSON *how = cJSON_CreateObject();
		char text[256];
		snprintf(text, sizeof text, "cannot run %s: %s", d->argv[0], strerror(errno));
		cJSON_AddStringToObject(how, "error", text);
		hb_wire_end(run->wire, run->channel, how);
		run->pid = 0;
	} else if (!hb_agent_wait_for(agent, run->pid, ended, run)) {
		kill(run->pid, SIGKILL);
	}
	close_door(run);
}

/* False: errno tells. *argv is taken over. */
static bool open_door(hb_agent *agent, struct run *run, char **argv, const cJSON *ask)
{
	struct door *d = run->door = calloc(1, sizeof *d);
	if (!d)
		return false;
	if (!hb_door_open(&d->at)) {
		free(d);
		run->door = NULL;
		return false;
	}
	if (!hb_agent_listen(agent, d->at.fd, come_in, run)) {
		close_door(run);
		return false;
	}
	d->argv = argv;
	d->ask = cJSON_Duplicate(ask, 1);
	run->served = true;
	return true;
}

/* Begins what is to be run, or opens its door. False: it has been refused. argv is taken over. */
static bool begin(struct run *run, char **argv, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	int end[2], trouble;
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(ask, "door"))) {
		if (!open_door(run->agent, run, argv, ask)) {
			hb_wire_refuse(wire, id, 2, "cannot make a door for %s: %s", argv[0], strerror(errno));
			free(argv);
			return false;
		}
		run->open = hb_wire_join(wire, run->channel, -1, -1, true, closed, run);
		return true;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		hb_wire_refuse(wire, id, 2, "cannot make a socket: %s", strerror(errno));
		free(argv);
		return false;
	}
	run->pid = hb__begin(argv, hb_wire_text(ask, "cwd"), cJSON_GetObjectItemCaseSensitive(ask, "environment"),
		end[1], end[1], -1, true);
	trouble = errno;
	close(end[1]);
	if (run->pid < 0) {
		close(end[0]);
		hb_wire_refuse(
			wire, id, trouble == ENOENT ? 127 : 126, "cannot run %s: %s", argv[0], strerror(trouble));
		free(argv);
		return false;
	}
	free(argv);
	run->open = hb_wire_join(wire, run->channel, end[0], end[0], true, closed, run);
	if (!hb_agent_wait_for(run->agent, run->pid, ended, run) || !run->open)
		kill(run->pid, SIGKILL);
	return true;
}

/* The number with its begin is what `signal` takes. */
static void answer(const struct run *run, hb_wire *wire, uint64_t id)
{
	cJSON *o = cJSON_CreateObject();
	hb_task task;
	if (run->door) {
		cJSON_AddStringToObject(o, "address", run->door->at.path);
	} else {
		cJSON_AddNumberToObject(o, "pid", run->pid);
		if (hb_task_read(run->pid, 0, &task))
			cJSON_AddNumberToObject(o, "began", (double)task.began);
	}
	hb_wire_answer(wire, id, o);
}

void hb__ask_run(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	char **argv = hb_wire_words(ask, "command");
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(ask, "environment");
	int64_t channel;
	struct run *run = calloc(1, sizeof *run);
	if (!argv || !hb_wire_number(ask, "channel", &channel) || channel < 1 || channel > UINT32_MAX || !run ||
		(environment && !cJSON_IsObject(environment))) {
		hb_wire_refuse(wire, id, 2, "the ask says no command, or no channel");
		free(argv);
		free(run);
		return;
	}
	*run = (struct run){.agent = agent, .wire = wire, .channel = (uint32_t)channel, .next = runs};
	if (!begin(run, argv, wire, id, ask)) {
		free(run);
		return;
	}
	runs = run;
	if (run->open) {
		answer(run, wire, id);
		return;
	}
	hb_wire_refuse(wire, id, 2, "the channel %lld is in use", (long long)channel);
	close_door(run);
	if (!run->pid)
		forget(run);
}
