/* The table of descriptors. What one leads to is asked of the system when it is used for the first time since somebody changed it. */
#define XXH_INLINE_ALL
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <xxhash.h>

#include "capture/sockets/ends.h"

#define PIPEFS_MAGIC 0x50495045 /* linux/magic.h */
#define ADDRESSES 1024u

static uint32_t *table;
static int most;         /* the greatest descriptor that stands in it, plus 1 */
static int most_leading; /* likewise of those that lead somewhere: files may be far above, and are not looked through */

int hb__ends_most(void) { return most; }

int hb__ends_most_leading(void) { return most_leading; }

uint32_t *hb__ends_table(void)
{
	if (!table)
		table = hb__pages((size_t)2 * HB_DESCRIPTORS_MOST * sizeof *table);
	return table;
}

/* What the user of hbdb reads and writes is not between processes: HBDB_OUTSIDE has the inodes of its standard input, output and errors. */
static bool is_users(uint64_t inode)
{
	static uint64_t users[3];
	static int known; /* how many, plus 1 */
	if (!known) {
		const char *text = getenv("HBDB_OUTSIDE");
		int n = 0;
		for (char *end; text && *text && n < 3; text = *end == ':' ? end + 1 : end) {
			users[n] = strtoull(text, &end, 10);
			n += end != text;
			if (end == text)
				break;
		}
		known = n + 1;
	}
	for (int i = 0; i + 1 < known; i++)
		if (users[i] == inode)
			return true;
	return false;
}

static enum hb_leads pipe_end(int fd, const struct stat *st, char name[HB__END_NAME])
{
	struct statfs fs;
	char link[32], path[256];
	if (!fstatfs(fd, &fs) && fs.f_type == PIPEFS_MAGIC) {
		snprintf(name, HB__END_NAME, "pipe %llu", (unsigned long long)st->st_ino);
		return HB_LEADS_STREAM;
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	snprintf(name, HB__END_NAME, "fifo %llu:%llu %s", (unsigned long long)st->st_dev,
		(unsigned long long)st->st_ino, path);
	return HB_LEADS_STREAM;
}

static uint32_t named(enum hb_leads kind, const char *name)
{
	const struct hb__text *t = hb__text_of(name, hb__text_hash(HB__TEXT_HASH, name, HB__END_NAME));
	return t ? t->number << HB_LEADS_BITS | kind : HB_LEADS_NOWHERE;
}

static enum hb_leads ask(int fd, char name[HB__END_NAME])
{
	struct stat st;
	*name = 0;
	if (fstat(fd, &st))
		return HB_LEADS_UNKNOWN;
	if (S_ISSOCK(st.st_mode) && !is_users(st.st_ino))
		return hb__socket_end(fd, st.st_ino, name);
	return S_ISFIFO(st.st_mode) && !is_users(st.st_ino) ? pipe_end(fd, &st, name) : HB_LEADS_NOWHERE;
}

/* By the system alone: nothing is kept. What the system is asked by is not the program's. */
static enum hb_leads look_at(int fd, char name[HB__END_NAME])
{
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	enum hb_leads kind = ask(fd, name);
	hb__apart = apart;
	return kind;
}

enum hb_leads hb__ends_kind(int fd)
{
	char name[HB__END_NAME];
	return look_at(fd, name);
}

void hb__ends_name(int fd, char ret_name[HB_NAME_MOST])
{
	int error = errno;
	look_at(fd, ret_name);
	errno = error;
}

bool hb__ends_lead(int fd)
{
	char name[HB__END_NAME];
	int error = errno;
	enum hb_leads kind = look_at(fd, name);
	errno = error;
	if (kind == HB_LEADS_NOWHERE && fd < HB_DESCRIPTORS_MOST && hb__ends_table()) {
		most = fd >= most ? fd + 1 : most;
		__atomic_store_n(&table[fd], kind, __ATOMIC_RELEASE);
	}
	return kind != HB_LEADS_NOWHERE && kind != HB_LEADS_UNKNOWN;
}

static uint32_t look(int fd)
{
	char name[HB__END_NAME];
	uint32_t foreseen =
		fd >= 0 && fd < HB_DESCRIPTORS_MOST && table ? table[HB_DESCRIPTORS_MOST + fd] : HB_LEADS_UNKNOWN;
	if (unlikely(hb_leads_kind(foreseen) != HB_LEADS_UNKNOWN))
		return foreseen;
	enum hb_leads kind = look_at(fd, name);
	return kind == HB_LEADS_NOWHERE ? kind : kind == HB_LEADS_UNKNOWN ? kind : named(kind, name);
}

/* Of those that the process has not used yet: it need not be asked then, which a filter of system calls may forbid. */
void hb__ends_foresee(void)
{
	DIR *all = hb__ends_table() ? opendir("/proc/self/fd") : NULL;
	int fds[256], n = 0;
	for (const struct dirent *e; all && n < 256 && (e = readdir(all));)
		if (*e->d_name != '.')
			fds[n++] = atoi(e->d_name);
	if (all)
		closedir(all);
	for (int fd = 0; !all && fd < 256; fd++) /* below another root */
		fds[n++] = fd;
	for (int i = 0; i < n; i++)
		if (fds[i] < HB_DESCRIPTORS_MOST && hb_leads_kind(table[fds[i]]) == HB_LEADS_UNKNOWN)
			table[HB_DESCRIPTORS_MOST + fds[i]] = look(fds[i]);
}

uint32_t hb__ends_connecting(int fd, const struct sockaddr *to, socklen_t length)
{
	int error = errno, state = hb__uncancelled();
	char name[HB__END_NAME], peer[HB__END_NAME];
	enum hb_leads kind = look_at(fd, name);
	size_t n = strlen(name);
	if (kind == HB_LEADS_NAMELESS && hb__address_name(to, length, peer, sizeof peer))
		snprintf(name + n, sizeof name - n, " > %.*s", (int)(sizeof name - n - 4), peer);
	uint32_t end = kind < HB_LEADS_STREAM ? kind : named(kind, name);
	hb__cancelled_again(state);
	errno = error;
	return end;
}

void hb__ends_same(int fd, uint32_t end)
{
	if (hb_leads_kind(end) != HB_LEADS_UNKNOWN && hb_leads_kind(end) < HB_LEADS_NAMELESS && fd >= 0 &&
		fd < HB_DESCRIPTORS_MOST && hb__ends_table()) {
		most = fd >= most ? fd + 1 : most;
		if (hb_leads_kind(end) > HB_LEADS_NOWHERE && fd >= most_leading)
			most_leading = fd + 1;
		__atomic_store_n(&table[fd], end, __ATOMIC_RELEASE);
	}
}

uint32_t hb__ends_find(int fd)
{
	int error = errno, state = hb__uncancelled();
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	uint32_t end = look(fd);
	hb__apart = apart;
	hb__cancelled_again(state);
	errno = error;
	hb__ends_same(fd, end);
	return end;
}

/* ---- addresses of datagrams ---- */

struct known {
	socklen_t length;
	uint32_t text;
	uint8_t bytes[];
};
static const struct known *known[ADDRESSES];

static int64_t new_address(const struct sockaddr *address, socklen_t length, const struct known **at)
{
	char name[HB__END_NAME];
	if (!hb__address_name(address, length, name, sizeof name))
		return HB_NO_TEXT;
	const struct hb__text *t = hb__text_of(name, hb__text_hash(HB__TEXT_HASH, name, HB__END_NAME));
	if (!t)
		return HB_NO_TEXT;
	pthread_mutex_lock(&hb__track_mutex);
	struct known *new = hb__pool(sizeof *new + length);
	pthread_mutex_unlock(&hb__track_mutex);
	if (new) {
		new->length = length;
		new->text = t->number;
		memcpy(new->bytes, address, length);
		__atomic_store_n(at, new, __ATOMIC_RELEASE);
	}
	return t->number;
}

int64_t hb__ends_address(const struct sockaddr *address, socklen_t length)
{
	if (!address || !length || length > sizeof(struct sockaddr_storage))
		return HB_NO_TEXT;
	uint64_t h = HB__TEXT_HASH;
	for (socklen_t i = 0; i < length; i++)
		h = (h ^ ((const uint8_t *)address)[i]) * 0x100000001b3u;
	const struct known **at = &known[(h ^ h >> 32) % ADDRESSES], *k = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	if (likely(k && k->length == length && !memcmp(k->bytes, address, length)))
		return k->text;
	uint8_t apart = hb__apart;
	hb__apart = apart | HB__APART_OURS;
	int64_t text = new_address(address, length, at);
	hb__apart = apart;
	return text;
}

void hb__ends_again(void)
{
	if (table)
		memset(table, 0, (size_t)most * sizeof *table);
	memset(known, 0, sizeof known);
}

int64_t hb__ends_hash(const struct iovec *piece, size_t n, size_t bytes)
{
	if (likely(n && piece->iov_len >= bytes))
		return (int64_t)XXH3_64bits(piece->iov_base, bytes);
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	for (size_t i = 0; i < n && bytes; i++) {
		size_t some = piece[i].iov_len < bytes ? piece[i].iov_len : bytes;
		XXH3_64bits_update(&state, piece[i].iov_base, some);
		bytes -= some;
	}
	return (int64_t)XXH3_64bits_digest(&state);
}
