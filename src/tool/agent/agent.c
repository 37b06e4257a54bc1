/* The agent of a node. */
#include "agent.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../memory/sockets.h"
#include "../memory/state.h"
#include "../watch/watch.h"
#include "base/socket/unix.h"

#define NODE_TICKS 25 /* of 200 ms: how often it tells how its node is */
#define NOTE 1024     /* bytes of a notification of libhbdb-self */

/* ---- how the node is ---- */

static int64_t free_memory(void)
{
	char line[256];
	long long kib = -1;
	FILE *f = fopen("/proc/meminfo", "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "MemAvailable: %lld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib < 0 ? -1 : kib * 1024;
}

static void tell_node(hb_agent *agent)
{
	double load = -1;
	struct statvfs disk;
	cJSON *news = cJSON_CreateObject();
	if (getloadavg(&load, 1) == 1)
		cJSON_AddNumberToObject(news, "load", load);
	cJSON_AddNumberToObject(news, "memory", (double)free_memory());
	if (!statvfs(hb_agent_given(agent)->state, &disk))
		cJSON_AddNumberToObject(news, "disk", (double)disk.f_bavail * (double)disk.f_frsize);
	hb_agent_tell(agent, "node", news);
}

/* ---- what programs say of themselves: libhbdb-self ---- */

/* Line: hbdb-self 1 PID KIND NAME VALUE TEXT. The system says who sent it: a PID that is not his is not believed. */
static void take_note(hb_agent *agent, char *line, const struct ucred *who)
{
	char *word[6], *rest = line;
	for (int i = 0; i < 6; i++)
		if (!(word[i] = strsep(&rest, " \n")))
			return;
	if (strcmp(word[0], "hbdb-self") || strcmp(word[1], "1") || (who && who->pid != atoi(word[2])))
		return;
	cJSON *news = cJSON_CreateObject(), *process = hb_agent_describe(atoi(word[2]));
	if (process)
		cJSON_AddItemToObject(news, "process", process);
	cJSON_AddStringToObject(news, "kind", word[3]);
	cJSON_AddStringToObject(news, "name", word[4]);
	cJSON_AddNumberToObject(news, "value", strtod(word[5], NULL));
	cJSON_AddStringToObject(news, "text", rest ? rest : "");
	hb_agent_tell(agent, "sensor", news);
}

static void take_notes(hb_agent *agent, int fd)
{
	char line[NOTE + 1];
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} room;
	for (;;) {
		struct iovec at = {line, NOTE};
		struct msghdr m = {.msg_iov = &at,
			.msg_iovlen = 1,
			.msg_control = room.bytes,
			.msg_controllen = sizeof room.bytes};
		ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);
		if (n < 0)
			return;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		struct ucred who = {0};
		if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&who, CMSG_DATA(c), sizeof who);
		line[n] = 0;
		if (who.uid == getuid() || !getuid())
			take_note(agent, line, &who);
	}
}

/* The system keeps ten or so, and refuses what comes behind: so each is taken when it comes. */
static void notes_heard(hb_agent *agent, void *user, int fd)
{
	take_notes(agent, fd);
	hb_agent_let_go(agent, fd);
	hb_agent_listen(agent, fd, notes_heard, user);
}

/* Of several agents of a user one has it: the first, and when that has ended another one. */
static void open_notes(hb_agent *agent, hb_tool_agent *own)
{
	int on = 1;
	own->notes = own->notes_path ? hb_unix_listen(own->notes_path, SOCK_DGRAM) : -1;
	if (own->notes < 0)
		return;
	setsockopt(own->notes, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
	hb_agent_listen(agent, own->notes, notes_heard, NULL);
}

/* ---- the agent ---- */

static void tick(hb_agent *agent)
{
	static unsigned ticks;
	hb_tool_agent *own = hb_agent_user(agent);
	hb__watching_tick(agent, own->watching);
	if (own->notes < 0)
		open_notes(agent, own);
	else /* where it could not be listened to */
		take_notes(agent, own->notes);
	if (ticks++ % NODE_TICKS == 0)
		tell_node(agent);
}

static void gone(hb_agent *agent, hb_wire *wire)
{
	hb__watching_gone(((hb_tool_agent *)hb_agent_user(agent))->watching, wire);
	hb__parts_gone(wire);
	hb__put_gone(wire);
	hb__lanes_gone(wire);
}

static const hb_agent_row rows[] = {
	{"ps", hb__ask_ps},
	{"watch", hb__ask_watch},
	{"unwatch", hb__ask_unwatch},
	{"seal", hb__ask_seal},
	{"keep", hb__ask_keep},
	{"unrecord", hb__ask_unrecord},
	{"state", hb__ask_state},
	{"fetch", hb__ask_fetch},
	{"follow", hb__ask_follow},
	{"drop", hb__ask_drop},
	{"put", hb__ask_put},
	{"deaths", hb__ask_deaths},
	{"lanes", hb__ask_lanes},
	{"inside", hb__ask_inside},
	{"calls", hb__ask_calls},
	{0},
};

int hb__serve_agent(int in, int out, const char *socket)
{
	char self[PATH_MAX], *state = hb__state_path("agent", true);
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	hb_error err;
	if (!state || n < 0) {
		free(state);
		return hb__fail_with(
			HB_EXIT_USAGE, "there is no folder for what an agent remembers: set XDG_STATE_HOME or HOME");
	}
	self[n] = 0;
	mkdir(state, 0700);
	char *folder = hb__runtime_folder();
	hb_tool_agent own = {.watching = hb__watching_new(),
		.notes = -1,
		.notes_path = folder ? hb__format("%s/notify", folder) : NULL};
	free(folder);
	hb_agent_options options = {.in = in,
		.out = out,
		.socket = socket,
		.state = state,
		.program = self,
		.notify = own.notes_path,
		.rows = rows,
		.tick = tick,
		.gone = gone,
		.user = &own};
	hb_status status = hb_agent_serve(&options, &err);
	hb__put_gone(NULL);
	hb__put_wait();
	if (own.notes >= 0) {
		/* while it is still taken: behind that it may be another agent's */
		unlink(own.notes_path);
		close(own.notes);
	}
	free(own.notes_path);
	hb__watching_free(own.watching);
	free(state);
	return status ? hb__fail_with(HB_EXIT_USAGE, "%s", err.message) : HB_EXIT_OK;
}
