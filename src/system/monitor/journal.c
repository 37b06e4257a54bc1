/* An entry is lines NAME=VALUE; a value with a line feed in it is written as NAME, line feed, its length in 8 bytes (little-endian), the value,
 * line feed. An entry that is too long for a datagram goes in a sealed file without a name, by its descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/socket/unix.h"
#include "journal.h"

int hb_journal_open(const char *path) { return hb_unix_connect(path ? path : HB_JOURNAL, SOCK_DGRAM); }

static void field(FILE *f, const char *name, const char *value)
{
	if (!*value)
		return;
	if (!strchr(value, '\n')) {
		fprintf(f, "%s=%s\n", name, value);
		return;
	}
	fprintf(f, "%s\n", name);
	uint64_t n = strlen(value);
	for (int i = 0; i < 8; i++)
		fputc((int)(n >> 8 * i & 255), f);
	fprintf(f, "%s\n", value);
}

static void number(FILE *f, const char *name, int64_t value) { fprintf(f, "%s=%lld\n", name, (long long)value); }

char *hb_journal_entry(const hb_told *t, size_t *ret_size)
{
	char *entry = NULL, command[64];
	FILE *f = open_memstream(&entry, ret_size);
	if (!f)
		return NULL;
	hb_told_command(t, command);
	field(f, "MESSAGE", t->text);
	field(f, "MESSAGE_ID", HB_JOURNAL_ID);
	number(f, "PRIORITY", !strcmp(t->weight, "error") ? 3 : !strcmp(t->weight, "warning") ? 4 : 6);
	field(f, "SYSLOG_IDENTIFIER", "hbdb");
	number(f, "HBDB_EVENT", t->event);
	number(f, "HBDB_TIME", t->time);
	field(f, "HBDB_KIND", t->kind);
	field(f, "HBDB_WEIGHT", t->weight);
	field(f, "HBDB_NODE", t->node);
	field(f, "HBDB_PROGRAM", t->program);
	field(f, "HBDB_PROCESS", t->process);
	if (t->process_number)
		number(f, "HBDB_PID", t->pid);
	field(f, "HBDB_RECORDING", t->recording);
	field(f, "HBDB_COMMAND", command);
	if (fclose(f)) {
		free(entry);
		return NULL;
	}
	return entry;
}

static int file_of(const char *entry, size_t size)
{
	int fd = memfd_create("hbdb-journal", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	for (size_t done = 0; fd >= 0 && done < size;) {
		ssize_t n = write(fd, entry + done, size - done);
		if (n < 0 && errno != EINTR) {
			close(fd);
			return -1;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
	return fd;
}

bool hb_journal_send(int fd, const char *entry, size_t size)
{
	ssize_t n;
	do
		n = send(fd, entry, size, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0 || (errno != EMSGSIZE && errno != ENOBUFS))
		return n >= 0;
	int file = file_of(entry, size);
	if (file < 0)
		return false;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
	struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control.room};
	memcpy(CMSG_DATA(&control.head), &file, sizeof file);
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	int error = errno;
	close(file);
	errno = error;
	return n >= 0;
}
