/* What whoever debugs processes of this machine from another one needs to know of them, and do to them, beside what gdb does for him. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/task.h"
#include "system/agent/inside.h"

/* ---- the end of a process ---- */

struct wait {
	hb_agent *agent;
	hb_wire *wire;
	uint32_t channel;
	int process; /* a descriptor of it; -1: it has ended */
	struct wait *next;
};
static struct wait *waits;

static void forget(struct wait *wait)
{
	for (struct wait **at = &waits; *at; at = &(*at)->next)
		if (*at == wait) {
			*at = wait->next;
			break;
		}
	free(wait);
}

static void give_up(struct wait *wait)
{
	if (wait->process >= 0) {
		hb_agent_let_go(wait->agent, wait->process);
		close(wait->process);
	}
	wait->process = -1;
}

static void has_ended(hb_agent *agent, void *user, int fd)
{
	struct wait *wait = user;
	(void)agent, (void)fd;
	give_up(wait);
	hb_wire_end(wait->wire, wait->channel, NULL);
}

static void closed(void *user, uint32_t channel, const cJSON *how)
{
	(void)channel, (void)how;
	give_up(user);
	forget(user);
}

void hb__ask_await(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	int64_t pid, channel;
	struct wait *wait = calloc(1, sizeof *wait);
	if (!hb_wire_number(ask, "pid", &pid) || pid < 1 || pid > INT32_MAX ||
		!hb_wire_number(ask, "channel", &channel) || channel < 1 || channel > UINT32_MAX || !wait) {
		hb_wire_refuse(wire, id, 2, "the ask names no process, or no channel");
		free(wait);
		return;
	}
	/* the number may be given out again: what is described is what the descriptor is of, where that still lives behind it */
	*wait = (struct wait){agent, wire, (uint32_t)channel, pidfd_open((pid_t)pid, 0), waits};
	cJSON *process = wait->process >= 0 ? hb_agent_describe((int32_t)pid) : NULL;
	if (!process || pidfd_send_signal(wait->process, 0, NULL, 0)) {
		hb_wire_refuse(wire, id, 1, "there is no process %lld of this user's", (long long)pid);
		cJSON_Delete(process);
		if (wait->process >= 0)
			close(wait->process);
		free(wait);
		return;
	}
	waits = wait;
	if (!hb_wire_join(wire, wait->channel, -1, -1, true, closed, wait)) {
		close(wait->process);
		forget(wait);
		cJSON_Delete(process);
		hb_wire_refuse(wire, id, 2, "the channel %lld is in use", (long long)channel);
		return;
	}
	if (!hb_agent_listen(agent, wait->process, has_ended, wait))
		has_ended(agent, wait, wait->process);
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddItemToObject(answer, "process", process);
	hb_wire_answer(wire, id, answer);
}

/* ---- looks ---- */

void hb__ask_look(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	static const char *const allowed[] = {"maps", "status", "exe"};
	const char *file = hb_wire_text(ask, "file");
	int64_t pid;
	bool known = false;
	(void)agent;
	for (size_t i = 0; file && i < sizeof allowed / sizeof *allowed; i++)
		known |= !strcmp(file, allowed[i]);
	if (!known || !hb_wire_number(ask, "pid", &pid) || pid < 1 || pid > INT32_MAX) {
		hb_wire_refuse(wire, id, 2, "the ask names no process, or no file that can be looked at");
		return;
	}
	char *text = hb_task_text((int32_t)pid, file);
	if (!text) {
		hb_wire_refuse(
			wire, id, 1, "%s of process %lld cannot be read: %s", file, (long long)pid, strerror(errno));
		return;
	}
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddStringToObject(answer, "text", text);
	hb_wire_answer(wire, id, answer);
	free(text);
}

void hb__ask_rouse(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	hb_agent_process p;
	int64_t number;
	(void)agent;
	if (!hb_wire_number(ask, "signal", &number) || number < 0 || number > SIGRTMAX) {
		hb_wire_refuse(wire, id, 2, "the ask says no signal");
		return;
	}
	if (!hb_agent_the_process(wire, id, ask, &p))
		return;
	uint64_t thread = hb_task_awake(p.pid);
	bool roused = thread && (!number || !syscall(SYS_tgkill, p.pid, (pid_t)thread, (int)number));
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddBoolToObject(answer, "roused", roused);
	hb_wire_answer(wire, id, answer);
}
