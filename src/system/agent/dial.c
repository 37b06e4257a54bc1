/* Doors at which processes of a run dial in (docs/control.md): each becomes a channel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/grow.h"
#include "system/agent/inside.h"

static void close_door(hb_agent *agent, size_t i)
{
	struct hb__door d = agent->door[i];
	agent->door[i] = agent->door[--agent->ndoors];
	epoll_ctl(agent->inner, EPOLL_CTL_DEL, d.fd, NULL);
	close(d.fd);
	unlink(d.path);
	if (d.folder)
		rmdir(d.folder);
	free(d.path);
	free(d.folder);
}

void hb__doors_close(hb_agent *agent, hb_wire *wire)
{
	for (size_t i = 0; i < agent->ndoors;)
		if (!wire || agent->door[i].wire == wire)
			close_door(agent, i);
		else
			i++;
}

bool hb__door_opens(hb_agent *agent, int fd)
{
	for (size_t i = 0; i < agent->ndoors; i++) {
		struct hb__door *d = &agent->door[i];
		struct ucred who;
		socklen_t n = sizeof who;
		if (d->fd != fd)
			continue;
		int guest = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (guest >= 0 && (getsockopt(guest, SOL_SOCKET, SO_PEERCRED, &who, &n) || (who.uid != getuid() && getuid() != 0))) {
			close(guest);
		} else if (guest >= 0) {
			uint32_t channel = hb_wire_channel(d->wire);
			cJSON *news = cJSON_CreateObject();
			cJSON_AddNumberToObject(news, "channel", channel);
			hb_wire_news(d->wire, "dialled", news);
			hb_wire_join(d->wire, channel, guest, guest, false, NULL, NULL);
		}
		return true;
	}
	return false;
}

void hb__ask_dial(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *given = hb_wire_text(ask, "path"), *where = getenv("TMPDIR");
	struct hb__door d = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), .wire = wire};
	char folder[80] = "", text[200];
	if (!given)
		snprintf(folder, sizeof folder, "%s/hbdb-dial.XXXXXX", where && *where == '/' && strlen(where) < 50 ? where : "/tmp");
	bool fits = given ? strlen(given) < sizeof address.sun_path : mkdtemp(folder) != NULL;
	if (fits && given)
		strcpy(address.sun_path, given);
	else if (fits)
		snprintf(address.sun_path, sizeof address.sun_path, "%s/s", folder);
	if (given)
		unlink(address.sun_path);
	if (!fits || d.fd < 0 || !HB_GROW(agent->door, agent->door_room, agent->ndoors + 1) || bind(d.fd, (struct sockaddr *)&address, sizeof address) || listen(d.fd, 1024) ||
		!hb__agent_watch(agent, d.fd)) {
		hb_wire_refuse(wire, id, 2, "processes cannot dial in at %s: %s", given ? given : folder, fits ? strerror(errno) : "the path is too long");
		if (d.fd >= 0)
			close(d.fd);
		return;
	}
	d.path = strdup(address.sun_path);
	d.folder = given ? NULL : strdup(folder);
	agent->door[agent->ndoors++] = d;
	snprintf(text, sizeof text, "unix:%s", address.sun_path);
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddStringToObject(answer, "address", text);
	hb_wire_answer(wire, id, answer);
}
