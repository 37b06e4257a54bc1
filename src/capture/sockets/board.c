/* What processes of a replay leave for each other: files in its folder to which everybody appends, and that everybody reads. So nobody
 * stands in the middle, and what was left is there for who comes late, and for who comes again.
 *
 * A file is a sequence of entries: a key, how many bytes, and these. Appending is one call of the system: entries do not mix, and what lies
 * below the length of the file is written. Who waits sleeps on a word in another file that all have mapped. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/follow/follow.h"
#include "capture/sockets/ends.h"

#define BELLS 1024u
#define HIGH 4096
#define SLICE_MS 100

struct entry {
	uint64_t key;
	uint64_t bytes;
} HB_LITTLE_ENDIAN;

struct board {
	uint64_t name; /* its hash */
	struct board *next;
	int fd;
	uint32_t *bell;
	const uint8_t *base;
	size_t mapped, read;  /* read: entries up to here stand in the index */
	struct hb__map index; /* key -> where its entry stands in the file, plus 1: the first of this key */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct board *boards;
static uint32_t *bells;

/* The program gets the numbers that it had: ours are out of its way, and below what it may have. */
int hb__board_high(int fd)
{
	struct rlimit most = {HIGH * 2, HIGH * 2};
	if (fd < 0)
		return fd;
	getrlimit(RLIMIT_NOFILE, &most);
	int up = fcntl(fd, F_DUPFD_CLOEXEC, most.rlim_cur >= HIGH * 2 ? HIGH : (int)(most.rlim_cur / 2));
	if (up < 0)
		return fd;
	close(fd);
	return up;
}

/* Processes of root may become those of other users. So the file has its name only when they may open it; and it is not created where it is:
 * of a folder where everybody may write the system lets not even root do that with a file of another user. */
int hb__board_open(const char *path, int flags)
{
	char begun[4400];
	int fd = open(path, flags | O_CLOEXEC);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	snprintf(begun, sizeof begun, "%s.%ld", path, syscall(SYS_gettid));
	fd = open(begun, flags | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fd;
	fchmod(fd, 0666);
	bool first = !link(begun, path);
	unlink(begun);
	if (first)
		return fd;
	close(fd);
	return open(path, flags | O_CLOEXEC);
}

static int open_file(const char *what)
{
	char path[4300];
	snprintf(path, sizeof path, "%s/%s", hb__config.dir, what);
	return hb__board_high(hb__board_open(path, O_RDWR | O_APPEND));
}

static uint32_t *find_bells(void)
{
	if (bells)
		return bells;
	int fd = open_file("board.bells");
	void *p = fd >= 0 && !ftruncate(fd, BELLS * sizeof *bells)
			  ? mmap(NULL, BELLS * sizeof *bells, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
			  : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	return bells = p == MAP_FAILED ? NULL : p;
}

/* With the lock. */
static struct board *board_of(const char *place)
{
	uint64_t name = hb__text_hash(HB__TEXT_HASH, place, HB__END_NAME);
	char file[40];
	for (struct board *b = boards; b; b = b->next)
		if (b->name == name)
			return b;
	struct board *b = hb__pages(sizeof *b);
	if (!b || !find_bells())
		return NULL;
	snprintf(file, sizeof file, "board.%016llx", (unsigned long long)name);
	b->name = name;
	b->bell = &bells[name % BELLS];
	b->fd = open_file(file);
	if (b->fd < 0)
		return NULL;
	b->next = boards;
	return boards = b;
}

bool hb__board_leave(const char *place, uint64_t key, const struct iovec *piece, size_t n, size_t bytes)
{
	struct entry head = {key, bytes};
	struct iovec all[1 + 64] = {{&head, sizeof head}};
	size_t left = bytes, pieces = 1;
	int error = errno;
	for (size_t i = 0; i < n && i < 64 && left; i++) {
		size_t some = piece[i].iov_len < left ? piece[i].iov_len : left;
		all[pieces++] = (struct iovec){piece[i].iov_base, some};
		left -= some;
	}
	pthread_mutex_lock(&lock);
	struct board *b = left ? NULL : board_of(place);
	bool done = b && writev(b->fd, all, (int)pieces) == (ssize_t)(sizeof head + bytes);
	if (b) {
		__atomic_fetch_add(b->bell, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, b->bell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return done;
}

/* Takes in what was appended since. */
static void read_on(struct board *b)
{
	struct stat st;
	if (fstat(b->fd, &st) || (size_t)st.st_size <= b->read)
		return;
	if ((size_t)st.st_size > b->mapped) { /* the old mapping stays: somebody may read from it */
		size_t more = ((size_t)st.st_size * 2 + 65535) & ~(size_t)65535;
		void *p = mmap(NULL, more, PROT_READ, MAP_SHARED, b->fd, 0);
		if (p == MAP_FAILED)
			return;
		b->base = p;
		b->mapped = more;
	}
	struct entry e;
	while (b->read + sizeof e <= (size_t)st.st_size) {
		memcpy(&e, b->base + b->read, sizeof e);
		if (e.bytes > (size_t)st.st_size - b->read - sizeof e)
			return;
		if (!hb__map_find(&b->index, e.key | 1))
			hb__map_put(&b->index, e.key | 1, (void *)(uintptr_t)(b->read + 1));
		b->read += sizeof e + e.bytes;
	}
}

static const void *look(struct board *b, uint64_t key, size_t *ret_bytes)
{
	uintptr_t at = (uintptr_t)hb__map_find(&b->index, key | 1);
	if (!at) {
		read_on(b);
		at = (uintptr_t)hb__map_find(&b->index, key | 1);
	}
	if (!at)
		return NULL;
	struct entry e;
	memcpy(&e, b->base + at - 1, sizeof e);
	*ret_bytes = e.bytes;
	return b->base + at - 1 + sizeof e;
}

const void *hb__board_take(const char *place, uint64_t key, int ms, size_t *ret_bytes)
{
	int error = errno;
	const void *found = NULL;
	int64_t waited = 0;
	for (unsigned turn = 0; !found; turn++) {
		pthread_mutex_lock(&lock);
		struct board *b = board_of(place);
		uint32_t rung = b ? __atomic_load_n(b->bell, __ATOMIC_SEQ_CST) : 0;
		found = b ? look(b, key, ret_bytes) : NULL;
		pthread_mutex_unlock(&lock);
		if (found || !b || (ms >= 0 && waited >= ms) || hb__job_ends())
			break;
		struct timespec slice = {0, SLICE_MS * 1000000L};
		if (syscall(SYS_futex, b->bell, FUTEX_WAIT, rung, &slice, NULL, 0) && errno == ETIMEDOUT)
			waited += SLICE_MS;
	}
	errno = error;
	return found;
}

/* Its descriptors and mappings it has in common with the parent, and they do. */
void hb__board_forked(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
