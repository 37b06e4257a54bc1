/* Processes of this machine, and signals to them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/task.h"
#include "system/agent/inside.h"

bool hb_agent_the_process(hb_wire *wire, uint64_t id, const cJSON *ask, hb_agent_process *ret)
{
	const cJSON *named = cJSON_GetObjectItemCaseSensitive(ask, "process");
	int64_t pid, began;
	const char *boot = hb_wire_text(named ? named : ask, "boot");
	hb_task task;
	ask = named ? named : ask;
	if (!hb_wire_number(ask, "pid", &pid) || !hb_wire_number(ask, "began", &began) || pid < 1 || pid > INT32_MAX ||
		began < 0) {
		hb_wire_refuse(wire, id, 2, "the ask names no process: pid and began are missing");
		return false;
	}
	*ret = (hb_agent_process){(int32_t)pid, (uint64_t)began};
	if ((boot && strcmp(boot, hb_boot_id())) || !hb_task_read(ret->pid, 0, &task) || task.began != ret->began ||
		strchr("ZX", task.state)) {
		hb_wire_refuse(wire, id, 1, "process %d has ended", ret->pid);
		return false;
	}
	return true;
}

/* The number may be given out again between the look and the signal: so the process is held by a descriptor. */
static void send_signal(hb_wire *wire, uint64_t id, const cJSON *ask, int number)
{
	hb_agent_process p;
	hb_task task;
	if (!hb_agent_the_process(wire, id, ask, &p))
		return;
	int fd = pidfd_open(p.pid, 0);
	if (fd < 0 || !hb_task_read(p.pid, 0, &task) || task.began != p.began)
		hb_wire_refuse(wire, id, 1, "process %d has ended", p.pid);
	/* it lives, and leads its group: no other group has this number */
	else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(ask, "group")) && getpgid(p.pid) == p.pid
			 ? kill(-p.pid, number)
			 : pidfd_send_signal(fd, number, NULL, 0))
		hb_wire_refuse(wire, id, 2, "process %d cannot be sent signal %d: %s", p.pid, number, strerror(errno));
	else
		hb_wire_answer(wire, id, NULL);
	if (fd >= 0)
		close(fd);
}

void hb__ask_signal(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	int64_t number;
	(void)agent;
	if (!hb_wire_number(ask, "signal", &number) || number < 1 || number > SIGRTMAX)
		hb_wire_refuse(wire, id, 2, "the ask says no signal");
	else
		send_signal(wire, id, ask, (int)number);
}

void hb__ask_stop(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	(void)agent;
	send_signal(wire, id, ask, SIGSTOP);
}

void hb__ask_go(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	(void)agent;
	send_signal(wire, id, ask, SIGCONT);
}

static int64_t in_status(const char *text, const char *field)
{
	const char *at = strstr(text, field);
	return at ? strtoll(at + strlen(field), NULL, 10) : -1;
}

cJSON *hb_agent_describe(int32_t pid)
{
	hb_task task;
	char path[64], file[4096], status[4096];
	struct stat who;
	struct utsname system;
	snprintf(path, sizeof path, "/proc/%d", pid);
	if (!hb_task_read(pid, 0, &task) || stat(path, &who) || (who.st_uid != getuid() && getuid() != 0))
		return NULL;
	if (!hb_task_file(pid, 0, "status", status, sizeof status))
		*status = 0;
	cJSON *o = cJSON_CreateObject();
	cJSON_AddNumberToObject(o, "pid", pid);
	cJSON_AddNumberToObject(o, "began", (double)task.began);
	cJSON_AddStringToObject(o, "boot", hb_boot_id());
	cJSON_AddStringToObject(o, "state",
		strchr("ZX", task.state)   ? "ended"
		: strchr("Tt", task.state) ? "stopped"
					   : "running");
	cJSON_AddNumberToObject(o, "threads", (double)in_status(status, "\nThreads:"));
	cJSON_AddNumberToObject(o, "used", (double)task.used / (double)sysconf(_SC_CLK_TCK));
	cJSON_AddNumberToObject(o, "memory", (double)in_status(status, "\nVmRSS:") * 1024);
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	ssize_t n = readlink(path, file, sizeof file - 1);
	if (n > 0) {
		file[n] = 0;
		cJSON_AddStringToObject(o, "program", file);
	}
	if (!uname(&system))
		cJSON_AddStringToObject(o, "machine", system.machine);
	return o;
}
