/* Commands that are run for the other side of a connection, and end with it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

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
		if (tied && (prctl(PR_SET_PDEATHSIG, SIGHUP) || getppid() != parent))
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

struct run {
	hb_wire *wire; /* NULL: the connection has ended */
	uint32_t channel;
	bool open;   /* the channel is */
	int32_t pid; /* 0: it has ended */
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

/* The other side has said its end, or the connection has: what was run is of no use any more. It was told by an end of file; one that goes on gets a SIGHUP, and a
 * while after that, where it does not end, SIGKILL (a debugger has let go of its processes by then, or never will). */
static void closed(void *user, uint32_t channel, const cJSON *how)
{
	struct run *run = user;
	(void)channel, (void)how;
	run->open = false;
	if (run->pid)
		kill(run->pid, SIGHUP);
	else
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
			if (run->pid)
				kill(run->pid, SIGHUP);
		}
}

void hb__ask_run(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	char **argv = hb_wire_words(ask, "command");
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(ask, "environment");
	int64_t channel;
	int end[2];
	struct run *run = calloc(1, sizeof *run);
	if (!argv || !hb_wire_number(ask, "channel", &channel) || channel < 1 || channel > UINT32_MAX || !run ||
		(environment && !cJSON_IsObject(environment))) {
		hb_wire_refuse(wire, id, 2, "the ask says no command, or no channel");
	} else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		hb_wire_refuse(wire, id, 2, "cannot make a socket: %s", strerror(errno));
	} else {
		*run = (struct run){.wire = wire, .channel = (uint32_t)channel, .open = true, .next = runs};
		run->pid = hb__begin(argv, hb_wire_text(ask, "cwd"), environment, end[1], end[1], -1, true);
		int trouble = errno;
		close(end[1]);
		if (run->pid < 0) {
			close(end[0]);
			hb_wire_refuse(wire, id, trouble == ENOENT ? 127 : 126, "cannot run %s: %s", argv[0],
				strerror(trouble));
		} else {
			runs = run;
			run->open = hb_wire_join(wire, run->channel, end[0], end[0], true, closed, run);
			if (!hb_agent_wait_for(agent, run->pid, ended, run) || !run->open)
				kill(run->pid, SIGKILL);
			cJSON *answer = cJSON_CreateObject();
			cJSON_AddNumberToObject(answer, "pid", run->pid);
			if (run->open)
				hb_wire_answer(wire, id, answer);
			else
				hb_wire_refuse(wire, id, 2, "the channel %lld is in use", (long long)channel),
					cJSON_Delete(answer);
			run = NULL;
		}
	}
	free(run);
	free(argv);
}
