/* Doors at which processes of a run dial in (docs/control.md): each becomes a channel. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/socket/unix.h"
#include "system/agent/inside.h"

static void clear(struct hb__door *d)
{
	if (d->fd >= 0)
		close(d->fd);
	unlink(d->path);
	if (d->secret)
		unlink(d->secret);
	rmdir(d->folder);
	free(d->path);
	free(d->secret);
	free(d->name);
	free(d->folder);
}

static void close_door(hb_agent *agent, size_t i)
{
	struct hb__door d = agent->door[i];
	agent->door[i] = agent->door[--agent->ndoors];
	epoll_ctl(agent->inner, EPOLL_CTL_DEL, d.fd, NULL);
	clear(&d);
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

/* A name that is the same on all nodes makes a folder there whose path is, too. */
static bool good_name(const char *name)
{
	size_t n = strspn(name, "0123456789abcdefghijklmnopqrstuvwxyz-");
	return n && n <= 48 && !name[n];
}

/* Makes the folder. False: errno tells. */
static bool make_folder(const char *name, char folder[80])
{
	const char *where = getenv("TMPDIR");
	if (name) {
		snprintf(folder, 80, "/tmp/hbdb-dial-%s", name);
		return !mkdir(folder, 0700);
	}
	snprintf(folder, 80, "%s/hbdb-dial.XXXXXX", where && *where == '/' && strlen(where) < 50 ? where : "/tmp");
	return mkdtemp(folder) != NULL;
}

/* In a file that its owner alone can read: command lines, and with them variables that are handed on, are open to all. */
static bool write_secret(const char *path, const char *secret)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	ssize_t n = (ssize_t)strlen(secret);
	bool good = fd >= 0 && write(fd, secret, (size_t)n) == n;
	return (fd < 0 || !close(fd)) && good;
}

/* False: errno tells. */
static bool open_door(hb_agent *agent, struct hb__door *d, const char *name, const char *secret)
{
	char folder[80], path[96], file[96];
	if (!make_folder(name, folder))
		return false;
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(file, sizeof file, "%s/secret", folder);
	d->folder = strdup(folder);
	d->path = strdup(path);
	d->secret = secret ? strdup(file) : NULL;
	d->name = name ? strdup(name) : NULL;
	d->fd = hb_unix_listen(path, SOCK_STREAM);
	if (d->fd >= 0 && (!secret || write_secret(file, secret)) &&
		HB_GROW(agent->door, agent->door_room, agent->ndoors + 1) && hb__agent_watch(agent, d->fd)) {
		agent->door[agent->ndoors++] = *d;
		return true;
	}
	int trouble = errno;
	clear(d);
	errno = trouble;
	return false;
}

void hb__ask_dial(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *name = hb_wire_text(ask, "name"), *secret = hb_wire_text(ask, "secret");
	struct hb__door d = {.fd = -1, .wire = wire};
	if (name && !good_name(name)) {
		hb_wire_refuse(wire, id, 2, "the name of a door has small letters, digits and '-', at most 48");
		return;
	}
	for (size_t i = 0; name && i < agent->ndoors; i++)
		if (agent->door[i].wire == wire && agent->door[i].name && !strcmp(agent->door[i].name, name))
			close_door(agent, i--);
	if (!open_door(agent, &d, name, secret)) {
		hb_wire_refuse(wire, id, 2, "processes cannot dial in here: %s", strerror(errno));
		return;
	}
	char text[104];
	cJSON *answer = cJSON_CreateObject();
	snprintf(text, sizeof text, "unix:%s", d.path);
	cJSON_AddStringToObject(answer, "address", text);
	if (d.secret)
		cJSON_AddStringToObject(answer, "secret_file", d.secret);
	hb_wire_answer(wire, id, answer);
}
