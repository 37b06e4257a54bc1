/* Doors at which processes of a run dial in (docs/control.md): each becomes a channel. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/socket/unix.h"
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
		if (d->fd != fd)
			continue;
		int guest = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		if (guest >= 0 && hb_unix_peer(guest) != (long)getuid() && getuid() != 0) {
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
	const char *given = hb_wire_text(ask, "path"), *where = getenv("TMPDIR");
	char folder[80] = "", path[PATH_MAX], text[PATH_MAX + 8];
	if (!given)
		snprintf(folder, sizeof folder, "%s/hbdb-dial.XXXXXX",
			where && *where == '/' && strlen(where) < 50 ? where : "/tmp");
	bool made = given || mkdtemp(folder);
	snprintf(path, sizeof path, "%s%s", given ? given : folder, given ? "" : "/s");
	struct hb__door d = {.fd = made ? hb_unix_listen(path, SOCK_STREAM) : -1, .wire = wire};
	if (d.fd < 0 || !HB_GROW(agent->door, agent->door_room, agent->ndoors + 1) || !hb__agent_watch(agent, d.fd)) {
		hb_wire_refuse(wire, id, 2, "processes cannot dial in at %s: %s", path, strerror(errno));
		if (d.fd >= 0)
			close(d.fd);
		if (made && !given)
			rmdir(folder);
		return;
	}
	d.path = strdup(path);
	d.folder = given ? NULL : strdup(folder);
	agent->door[agent->ndoors++] = d;
	snprintf(text, sizeof text, "unix:%s", path);
	cJSON *answer = cJSON_CreateObject();
	cJSON_AddStringToObject(answer, "address", text);
	hb_wire_answer(wire, id, answer);
}
