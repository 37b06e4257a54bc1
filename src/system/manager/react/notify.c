/* Telling others: commands, datagrams, systemd. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <netdb.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/socket/unix.h"
#include "system/manager/inside.h"
#include "system/monitor/journal.h"

#define CHILDREN 64 /* at a time: more wait for nobody, they are not begun */

extern char **environ;

/* ---- commands ---- */

/* The event as a line of JSON, in memory: so that no reader can hold us up. -1: it could not be made. */
static int event_file(const cJSON *event)
{
	char *text = hb_wire_line(event);
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

/* 0, or what getaddrinfo says, or EAI_SYSTEM with errno. */
static int send_udp(const char *where, int flags, const char *text, size_t n)
{
	char host[256];
	struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV | flags}, *found = NULL;
	const char *colon = strrchr(where, ':');
	bool sent = false;
	snprintf(host, sizeof host, "%.*s", (int)(colon - where), where);
	int trouble = getaddrinfo(host, colon + 1, &hints, &found);
	if (trouble)
		return trouble;
	for (const struct addrinfo *a = found; a && !sent; a = a->ai_next) {
		int fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		sent = fd >= 0 && sendto(fd, text, n, MSG_NOSIGNAL, a->ai_addr, a->ai_addrlen) == (ssize_t)n;
		if (fd >= 0)
			close(fd);
	}
	freeaddrinfo(found);
	return sent ? 0 : EAI_SYSTEM;
}

/* Who has to be asked for the address of a host may not answer for long: a child waits for that. False: there is none. */
static bool send_by_child(struct hb_manager *m, const char *where, const char *text, size_t n)
{
	if (m->nchildren >= CHILDREN || !HB_GROW(m->child, m->child_room, m->nchildren + 1)) {
		errno = EAGAIN;
		return false;
	}
	pid_t pid = fork();
	if (!pid && !close_range(3, ~0U, 0)) /* the lock of the database, and connections, are the manager's */
		_exit(send_udp(where + 4, 0, text, n) ? 1 : 0);
	if (!pid)
		_exit(2);
	if (pid < 0)
		return false;
	m->child[m->nchildren].pid = pid;
	snprintf(m->child[m->nchildren++].what, sizeof m->child[0].what,
		"a datagram to %.60s, which has to be looked up,", where);
	return true;
}

void hb__notify_datagram(struct hb_manager *m, const char *where, const cJSON *event)
{
	char *text = hb_wire_line(event);
	size_t n = text ? strlen(text) : 0;
	int trouble = text ? 0 : EAI_MEMORY;
	if (text && !strncmp(where, "unix:", 5)) {
		trouble = hb_unix_send(where + 5, text, n, false) ? 0 : EAI_SYSTEM;
	} else if (text) {
		trouble = send_udp(where + 4, AI_NUMERICHOST, text, n);
		if (trouble && trouble != EAI_SYSTEM)
			trouble = send_by_child(m, where, text, n) ? 0 : EAI_SYSTEM;
	}
	if (trouble)
		hb__manager_note(m, "note", "warning", 0, 0, 0, "no datagram could be sent to %.200s: %s", where,
			trouble == EAI_SYSTEM ? strerror(errno) : gai_strerror(trouble));
	cJSON_free(text);
}

/* ---- systemd ---- */

/* A row of `events` as whoever else reads the database has it. */
static hb_told told_of(const cJSON *event)
{
	static char none[] = "";
	hb_told t = {.event = hb__manager_int(event, "event"),
		.time = hb__manager_int(event, "time"),
		.node_number = hb__manager_int(event, "node"),
		.program_number = hb__manager_int(event, "program"),
		.process_number = hb__manager_int(event, "process"),
		.pid = hb__manager_int(event, "pid"),
		.rank = cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(event, "rank")) ? hb__manager_int(event, "rank")
											: -1,
		.host = none,
		.file = none,
		.boot = none,
		.state = none};
	const struct {
		char **to;
		const char *name;
	} texts[] = {{&t.kind, "kind"}, {&t.weight, "weight"}, {&t.text, "text"}, {&t.node, "node_name"},
		{&t.program, "program_name"}, {&t.process, "process_name"}, {&t.recording, "recording"}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, texts[i].name));
		*texts[i].to = text ? text : none;
	}
	return t;
}

void hb__notify_journal(struct hb_manager *m, const cJSON *event)
{
	hb_told told = told_of(event);
	size_t size;
	/* HBDB_JOURNAL: another journal than the system's. A full one holds up nobody: the entry is lost, which is said */
	int fd = hb_journal_open(getenv("HBDB_JOURNAL"));
	char *entry = fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) ? NULL : hb_journal_entry(&told, &size);
	if (!entry || !hb_journal_send(fd, entry, size))
		hb__manager_note(
			m, "note", "warning", 0, 0, 0, "the journal did not take an event: %s", strerror(errno));
	free(entry);
	if (fd >= 0)
		close(fd);
}
