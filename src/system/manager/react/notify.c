/* Telling others: commands, datagrams, systemd. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/grow.h"
#include "system/manager/inside.h"

#define CHILDREN 64 /* at a time: more wait for nobody, they are not begun */

extern char **environ;

/* ---- commands ---- */

/* The event as a line of JSON, in memory: so that no reader can hold us up. -1: it could not be made. */
static int event_file(const cJSON *event)
{
	char *text = cJSON_PrintUnformatted(event);
	int fd = text ? memfd_create("event", MFD_CLOEXEC) : -1;
	if (fd >= 0) {
		size_t n = strlen(text);
		text[n] = '\n'; /* in the place of its end */
		if (write(fd, text, n + 1) != (ssize_t)n + 1 || lseek(fd, 0, SEEK_SET)) {
			close(fd);
			fd = -1;
		}
	}
	cJSON_free(text);
	return fd;
}

void hb__notify_command(struct hb_manager *m, char *const *argv, const cJSON *event, const char *what)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, pipe;
	pid_t pid = 0;
	int fd = m->nchildren < CHILDREN ? event_file(event) : -1, trouble = EAGAIN;
	if (fd >= 0 && HB_GROW(m->child, m->child_room, m->nchildren + 1)) {
		sigemptyset(&none);
		sigemptyset(&pipe);
		sigaddset(&pipe, SIGPIPE);
		posix_spawn_file_actions_init(&files);
		posix_spawnattr_init(&how);
		posix_spawn_file_actions_adddup2(&files, fd, 0);
		posix_spawn_file_actions_addclosefrom_np(&files, 3);
		posix_spawnattr_setsigmask(&how, &none);
		posix_spawnattr_setsigdefault(&how, &pipe);
		posix_spawnattr_setpgroup(&how, 0);
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
		trouble = posix_spawnp(&pid, argv[0], &files, &how, argv, environ);
		posix_spawnattr_destroy(&how);
		posix_spawn_file_actions_destroy(&files);
	}
	if (fd >= 0)
		close(fd);
	if (trouble) {
		hb__manager_note(m, "note", "warning", 0, 0, 0, "%s: cannot run %.200s: %s", what, argv[0],
			trouble == EAGAIN ? "too many run already" : strerror(trouble));
		return;
	}
	m->child[m->nchildren].pid = pid;
	snprintf(m->child[m->nchildren++].what, sizeof m->child[0].what, "%s: %.60s", what, argv[0]);
}

bool hb__child_reaped(struct hb_manager *m, pid_t pid, int status)
{
	for (size_t i = 0; i < m->nchildren; i++)
		if (m->child[i].pid == pid) {
			if (status)
				hb__manager_note(m, "note", "warning", 0, 0, 0, "%s ended with status %d",
					m->child[i].what, status);
			m->child[i] = m->child[--m->nchildren];
			return true;
		}
	return false;
}

/* ---- datagrams ---- */

static bool send_unix(const char *path, const char *text, size_t n)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	int fd = length && length < sizeof address.sun_path
			 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
			 : -1;
	if (fd < 0)
		return false;
	memcpy(address.sun_path, path, length);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	if (*path == '@')
		address.sun_path[0] = 0; /* an abstract one */
	bool sent = sendto(fd, text, n, MSG_NOSIGNAL, (struct sockaddr *)&address, size) == (ssize_t)n;
	int error = errno;
	close(fd);
	errno = error;
	return sent;
}

static bool send_udp(const char *where, const char *text, size_t n)
{
	char host[256];
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV}, *found = NULL;
	const char *colon = strrchr(where, ':');
	bool sent = false;
	snprintf(host, sizeof host, "%.*s", (int)(colon - where), where);
	if (getaddrinfo(host, colon + 1, &hints, &found))
		return false;
	for (const struct addrinfo *a = found; a && !sent; a = a->ai_next) {
		int fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		sent = fd >= 0 && sendto(fd, text, n, MSG_NOSIGNAL, a->ai_addr, a->ai_addrlen) == (ssize_t)n;
		if (fd >= 0)
			close(fd);
	}
	freeaddrinfo(found);
	return sent;
}

void hb__notify_datagram(struct hb_manager *m, const char *where, const cJSON *event)
{
	char *text = cJSON_PrintUnformatted(event);
	bool sent = text && (!strncmp(where, "unix:", 5) ? send_unix(where + 5, text, strlen(text))
							 : send_udp(where + 4, text, strlen(text)));
	if (!sent)
		hb__manager_note(m, "note", "warning", 0, 0, 0, "no datagram could be sent to %.200s: %s", where,
			strerror(errno));
	cJSON_free(text);
}

/* ---- systemd ---- */

/* A field of the journal's own protocol: with a line feed in it, its length goes before. */
static void put_field(char *to, size_t size, size_t *n, const char *name, const char *value)
{
	size_t length = strlen(value), need = strlen(name) + length + 16;
	if (*n + need > size)
		return;
	if (!strchr(value, '\n')) {
		*n += (size_t)snprintf(to + *n, size - *n, "%s=%s\n", name, value);
		return;
	}
	*n += (size_t)snprintf(to + *n, size - *n, "%s\n", name);
	for (int i = 0; i < 8; i++)
		to[(*n)++] = (char)(length >> (8 * i));
	memcpy(to + *n, value, length);
	*n += length;
	to[(*n)++] = '\n';
}

void hb__notify_journal(struct hb_manager *m, const cJSON *event)
{
	char text[8192], number[32];
	size_t n = 0;
	const char *weight = hb__manager_text(event, "weight");
	/* HBDB_JOURNAL: for tests, which have no journal */
	const char *given = getenv("HBDB_JOURNAL");
	snprintf(number, sizeof number, "%lld", (long long)hb__manager_int(event, "event"));
	put_field(text, sizeof text, &n, "MESSAGE", hb__manager_text(event, "text"));
	put_field(text, sizeof text, &n, "PRIORITY",
		!strcmp(weight, "error")     ? "3"
		: !strcmp(weight, "warning") ? "4"
					     : "6");
	put_field(text, sizeof text, &n, "SYSLOG_IDENTIFIER", "hbdb-manager");
	put_field(text, sizeof text, &n, "HBDB_EVENT", number);
	put_field(text, sizeof text, &n, "HBDB_KIND", hb__manager_text(event, "kind"));
	put_field(text, sizeof text, &n, "HBDB_NODE", hb__manager_text(event, "node_name"));
	put_field(text, sizeof text, &n, "HBDB_PROGRAM", hb__manager_text(event, "program_name"));
	put_field(text, sizeof text, &n, "HBDB_PROCESS", hb__manager_text(event, "process_name"));
	put_field(text, sizeof text, &n, "HBDB_RECORDING", hb__manager_text(event, "recording"));
	if (!send_unix(given ? given : "/run/systemd/journal/socket", text, n))
		hb__manager_note(
			m, "note", "warning", 0, 0, 0, "the journal did not take an event: %s", strerror(errno));
}

void hb__tell_systemd(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	if (path && (*path == '/' || *path == '@'))
		send_unix(path, text, strlen(text));
}
