/* Files of this machine for gdb (vFile), which looks for the program and its libraries there. Only to be read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts.h"

static void fail(hb_remote *g)
{
	/* gdb knows these few; all others are 9999 */
	static const int known[] = {EPERM, ENOENT, EINTR, EBADF, EACCES, EFAULT, EBUSY, EEXIST, ENODEV, ENOTDIR, EISDIR,
		EINVAL, ENFILE, EMFILE, EFBIG, ENOSPC, ESPIPE, EROFS};
	int code = 9999;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (errno == known[i])
			code = errno;
	hb__reply(g, "F-1,%x", (unsigned)code);
}

/* The name in hexadecimal, up to a comma or the end. */
static bool name_of(const char *hex, char *ret, size_t room)
{
	size_t n = strcspn(hex, ",") / 2;
	if (n >= room || !hb_hex_bytes(hex, ret, n))
		return false;
	ret[n] = 0;
	return true;
}

static void open_file(hb_remote *g, const char *text)
{
	char name[4096];
	uint64_t flags = 0;
	const char *comma = strchr(text, ',');
	int slot = 0;
	while (slot < HB_HOST_FILES && g->file[slot] >= 0)
		slot++;
	if (!name_of(text, name, sizeof name) || !comma)
		errno = EINVAL;
	else if (slot == HB_HOST_FILES)
		errno = EMFILE;
	else if (hb_hex_number(comma + 1, &flags), flags)
		errno = EROFS;
	else if ((g->file[slot] = open(name, O_RDONLY | O_CLOEXEC)) >= 0) {
		hb__reply(g, "F%x", (unsigned)slot);
		return;
	}
	fail(g);
}

static int file_of(const hb_remote *g, const char *text, const char **ret_rest)
{
	uint64_t n;
	*ret_rest = text + hb_hex_number(text, &n);
	errno = EBADF;
	return *ret_rest > text && n < HB_HOST_FILES ? g->file[n] : -1;
}

static void read_file(hb_remote *g, const char *text)
{
	uint64_t count = 0, offset = 0;
	const char *rest;
	char data[HB_PACKET_MAX / 2], head[32];
	int fd = file_of(g, text, &rest);
	if (*rest == ',')
		rest += 1 + hb_hex_number(rest + 1, &count);
	if (*rest == ',')
		hb_hex_number(rest + 1, &offset);
	/* bytes that have to be marked take two */
	if (count > HB_PACKET_MAX / 4)
		count = HB_PACKET_MAX / 4;
	ssize_t n = fd < 0 ? -1 : pread(fd, data, count, (off_t)offset);
	if (n < 0) {
		fail(g);
		return;
	}
	snprintf(head, sizeof head, "F%x;", (unsigned)n);
	hb__reply_bytes(g, head, data, (size_t)n);
}

static void put_number(unsigned char *at, size_t size, uint64_t value)
{
	while (size--) {
		at[size] = (unsigned char)value;
		value >>= 8;
	}
}

static void tell_file(hb_remote *g, const char *text)
{
	struct stat st;
	const char *rest;
	unsigned char data[64] = {0};
	int fd = file_of(g, text, &rest);
	if (fd < 0 || fstat(fd, &st)) {
		fail(g);
		return;
	}
	/* dev, ino, mode, nlink, uid, gid, rdev: 4 bytes each; size, blksize, blocks: 8; three times: 4 */
	put_number(data + 8, 4, st.st_mode & (S_IFMT | 0777));
	put_number(data + 12, 4, st.st_nlink);
	put_number(data + 16, 4, st.st_uid);
	put_number(data + 20, 4, st.st_gid);
	put_number(data + 28, 8, (uint64_t)st.st_size);
	put_number(data + 36, 8, (uint64_t)st.st_blksize);
	put_number(data + 44, 8, (uint64_t)st.st_blocks);
	put_number(data + 52, 4, (uint64_t)st.st_atime);
	put_number(data + 56, 4, (uint64_t)st.st_mtime);
	put_number(data + 60, 4, (uint64_t)st.st_ctime);
	hb__reply_bytes(g, "F40;", data, sizeof data);
}

static void close_file(hb_remote *g, const char *text)
{
	const char *rest;
	uint64_t n;
	int fd = file_of(g, text, &rest);
	if (fd < 0) {
		fail(g);
		return;
	}
	hb_hex_number(text, &n);
	close(fd);
	g->file[n] = -1;
	hb__reply(g, "F0");
}

static void read_link(hb_remote *g, const char *text)
{
	char name[4096], to[4096], head[32];
	errno = EINVAL;
	ssize_t n = name_of(text, name, sizeof name) ? readlink(name, to, sizeof to) : -1;
	if (n < 0) {
		fail(g);
		return;
	}
	snprintf(head, sizeof head, "F%x;", (unsigned)n);
	hb__reply_bytes(g, head, to, (size_t)n);
}

void hb__host_file(hb_remote *g, const char *packet, size_t size)
{
	(void)size;
	static const struct {
		const char *name;
		void (*run)(hb_remote *g, const char *text);
	} calls[] = {{"open:", open_file}, {"pread:", read_file}, {"fstat:", tell_file}, {"close:", close_file},
		{"readlink:", read_link}};
	packet += strlen("vFile:");
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strncmp(packet, calls[i].name, strlen(calls[i].name))) {
			calls[i].run(g, packet + strlen(calls[i].name));
			return;
		}
	/* the process sees the files that we see */
	if (!strncmp(packet, "setfs:", 6))
		hb__reply(g, "F0");
}
