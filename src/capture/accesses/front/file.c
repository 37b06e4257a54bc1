/* The file: buffers of threads become blocks, and what may still be left out is held back. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/grow.h"
#include "capture/accesses/front/front.h"

#define RING_MOST (1u << 20)   /* iterations */
#define HELD_MOST (256u << 20) /* bytes that are held back */

/* A block that is not in the file yet. */
struct held {
	uint8_t *payload; /* NULL: left out */
	uint32_t bytes, thread;
	bool detail;
};

static struct {
	pthread_mutex_t lock;
	int fd;
	char path[4200];
	dev_t device;
	ino_t inode;
	off_t end;
	uint64_t blocks;
	struct hb_trace_header header;
	struct held *held; /* those with the numbers from `base` on */
	size_t nheld, held_room;
	uint64_t base;
	size_t held_bytes;
	struct hb__ring *rings;
	uint32_t wrote; /* threads that did */
	bool over;
} file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static void lock(void) { pthread_mutex_lock(&file.lock); }
static void unlock(void) { pthread_mutex_unlock(&file.lock); }

/* ---- the file ---- */

static void stop(int why, const char *doing)
{
	if (hb__tracing_state == HB__TRACE_OFF)
		return;
	hb__trace_stop();
	hb__door->say(
		"cannot %s %s: %s; the program goes on, but its trace ends here", doing, file.path, strerror(why));
}

static bool is_ours(int fd)
{
	struct stat s;
	return fd >= 0 && !fstat(fd, &s) && s.st_dev == file.device && s.st_ino == file.inode;
}

/* Away from those that a program may close by number. */
static int moved(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, 500);
	if (high >= 0)
		close(fd);
	return high >= 0 ? high : fd;
}

/* Programs close descriptors that they do not know, and open others by the same number. */
static bool descriptor(void)
{
	if (likely(is_ours(file.fd)))
		return true;
	int fd = open(file.path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!is_ours(fd)) {
		close(fd);
		errno = ENOENT;
		return false;
	}
	file.fd = moved(fd);
	return true;
}

/* Beyond its limit the system would send a signal that ends the program. */
static bool within_limit(size_t bytes)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
		(rlim_t)file.end + bytes <= limit.rlim_cur)
		return true;
	errno = EFBIG;
	return false;
}

static bool write_all(const struct iovec *part, int n, size_t bytes)
{
	if (!descriptor() || !within_limit(bytes))
		return false;
	ssize_t got = pwritev(file.fd, part, n, file.end);
	if (got == (ssize_t)bytes) {
		file.end += got;
		return true;
	}
	int why = got < 0 ? errno : ENOSPC;
	if (got > 0 && ftruncate(file.fd, file.end)) /* a reader stops before a block that was cut off */
		why = errno;
	errno = why;
	return false;
}

static void write_block(uint32_t thread, const uint8_t *payload, uint32_t bytes)
{
	if (hb__tracing_state != HB__TRACE_ON)
		return;
	struct hb_trace_block block = {bytes, thread, XXH3_64bits_withSeed(payload, bytes, file.blocks)};
	struct iovec part[] = {{&block, sizeof block}, {(void *)payload, bytes}};
	if (write_all(part, 2, sizeof block + bytes))
		file.blocks++;
	else
		stop(errno, "write");
}

static bool write_header(void)
{
	return descriptor() && within_limit(0) &&
	       pwrite(file.fd, &file.header, sizeof file.header, 0) == (ssize_t)sizeof file.header;
}

/* ---- what is held back ---- */

/* What comes behind something that is held back is, too. */
static bool holding(void) { return file.rings || file.fd < 0 || file.nheld; }

static void hold(uint32_t thread, const uint8_t *payload, uint32_t bytes, bool detail)
{
	uint8_t *copy = file.held_bytes + bytes <= HELD_MOST ? malloc(bytes) : NULL;
	if (!copy || !HB_GROW(file.held, file.held_room, file.nheld + 1)) {
		free(copy);
		stop(ENOMEM, file.fd < 0 ? "keep what belongs into the trace" : "hold back what belongs into");
		return;
	}
	memcpy(copy, payload, bytes);
	file.held_bytes += bytes;
	file.held[file.nheld++] = (struct held){copy, bytes, thread, detail};
}

static void block(uint32_t thread, const uint8_t *payload, size_t bytes, bool detail)
{
	if (holding())
		hold(thread, payload, (uint32_t)bytes, detail);
	else
		write_block(thread, payload, (uint32_t)bytes);
}

static void let_go(struct held *h)
{
	file.held_bytes -= h->payload ? h->bytes : 0;
	free(h->payload);
	h->payload = NULL;
}

/* Everything is settled before the first iteration that a ring may still leave out. */
static void settle(void)
{
	uint64_t limit = file.base + file.nheld;
	size_t n = 0;
	if (file.fd < 0)
		return;
	for (const struct hb__ring *r = file.rings; r; r = r->next) {
		uint64_t first = !r->n ? limit : r->at[r->n < r->most ? 0 : r->n % r->most];
		limit = first < limit ? first : limit;
	}
	for (; file.base + n < limit; n++) {
		struct held *h = &file.held[n];
		if (h->payload)
			write_block(h->thread, h->payload, h->bytes);
		let_go(h);
	}
	if (n)
		memmove(file.held, file.held + n, (file.nheld - n) * sizeof *file.held);
	file.nheld -= n;
	file.base += n;
}

static void leave_out(uint64_t from, uint64_t to, const struct hb__thread *of)
{
	for (uint64_t i = from < file.base ? file.base : from; i < to && i < file.base + file.nheld; i++) {
		struct held *h = &file.held[i - file.base];
		if (h->detail && (!of || of->number == h->thread))
			let_go(h);
	}
}

/* ---- buffers ---- */

/* With the lock. */
static void take(struct hb__thread *t)
{
	uint8_t *to = __atomic_load_n(&t->complete, __ATOMIC_ACQUIRE);
	if (to == t->done)
		return;
	block(t->number, t->done, (size_t)(to - t->done), t->detail);
	if (!t->wrote)
		file.wrote++;
	t->wrote = true;
	t->done = to;
}

/* What the others have lies in what the first one is in. They write on: only they themselves begin their buffers again. */
static void take_all(void)
{
	take(hb__first);
	for (struct hb__thread *t = hb__threads(); t; t = t->next)
		take(t);
}

static void flush_locked(struct hb__thread *t)
{
	take(hb__first);
	take(t);
	t->w = t->done = t->complete = t->buffer;
}

void hb__flush(struct hb__thread *t)
{
	uint8_t before = hb__door->aside();
	lock();
	flush_locked(t);
	if (unlikely(file.rings != NULL))
		settle();
	unlock();
	hb__door->back(before);
}

void hb__flush_others(struct hb__thread *first)
{
	bool any = false;
	for (const struct hb__thread *t = hb__threads(); t && !any; t = t->next)
		any = t != first && __atomic_load_n(&t->complete, __ATOMIC_ACQUIRE) != t->done;
	if (any)
		hb__flush_all();
}

void hb__flush_all(void)
{
	uint8_t before = hb__door->aside();
	lock();
	take_all();
	unlock();
	hb__door->back(before);
}

bool hb__put_begin(struct hb__thread *t, size_t most, bool detail)
{
	if (unlikely(hb__tracing_state != HB__TRACE_ON || hb__mute))
		return false;
	if (unlikely((size_t)(t->full - t->w) < most || (t->detail != detail && t->w != t->buffer && file.rings)))
		hb__flush(t);
	t->detail = detail;
	return true;
}

void hb__define(struct hb__thread *t, const uint8_t *record, size_t bytes)
{
	if (t == hb__first) {
		if (hb__put_begin(t, bytes, false)) {
			memcpy(t->w, record, bytes);
			t->w += bytes;
			hb__put_done(t);
		}
		return;
	}
	if (hb__mute)
		return;
	uint8_t before = hb__door->aside();
	lock();
	block(t->number, record, bytes, false);
	if (!t->wrote)
		file.wrote++;
	t->wrote = true;
	unlock();
	hb__door->back(before);
}

/* ---- rings ---- */

void hb__ring_open(struct hb__ring *ring, uint64_t most, struct hb__thread *of)
{
	static bool told;
	if (most > RING_MOST && !told)
		hb__put_trouble(of ? of : hb__first, HB_TROUBLE_ROOM, 0,
			"of the last %llu iterations of a loop only the last %u are kept", (unsigned long long)most,
			RING_MOST);
	told = told || most > RING_MOST;
	most = most < RING_MOST ? most : RING_MOST;
	lock();
	ring->at = calloc(most, sizeof *ring->at);
	ring->most = ring->at ? most : 0;
	ring->n = 0;
	ring->of = of;
	if (ring->at) {
		ring->next = file.rings;
		file.rings = ring;
	}
	unlock();
	if (!ring->at)
		stop(ENOMEM, "hold back what belongs into");
}

void hb__ring_turn(struct hb__ring *ring)
{
	if (!ring->most)
		return;
	lock();
	if (!ring->of)
		take_all();
	flush_locked(ring->of ? ring->of : hb__first);
	uint64_t *place = &ring->at[ring->n % ring->most];
	if (ring->n >= ring->most) {
		uint64_t next = ring->most > 1 ? ring->at[(ring->n + 1) % ring->most] : file.base + file.nheld;
		leave_out(*place, next, ring->of);
	}
	*place = file.base + file.nheld;
	ring->n++;
	settle();
	unlock();
}

void hb__ring_close(struct hb__ring *ring)
{
	if (!ring->most)
		return;
	lock();
	for (struct hb__ring **at = &file.rings; *at; at = &(*at)->next)
		if (*at == ring) {
			*at = ring->next;
			break;
		}
	free(ring->at);
	*ring = (struct hb__ring){0};
	take_all();
	settle();
	unlock();
}

/* ---- the life of the file ---- */

static void create(void)
{
	memcpy(file.header.magic, HB_TRACE_MAGIC, 8);
	file.header.version = HB_TRACE_VERSION;
	file.header.pid = (uint32_t)getpid();
	struct stat s;
	int fd = open(file.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || fstat(fd, &s)) {
		stop(errno, "create");
		return;
	}
	file.device = s.st_dev;
	file.inode = s.st_ino;
	file.fd = moved(fd);
	file.end = sizeof file.header;
	if (!write_header())
		stop(errno, "write");
	else
		settle();
}

/* In the place of "log". */
static bool path_of(const char *log, char *to, size_t size)
{
	size_t n = strlen(log);
	return n > 4 && !strcmp(log + n - 4, ".log") && snprintf(to, size, "%.*strace", (int)(n - 3), log) < (int)size;
}

void hb__file_named(const char *log, int rank, int size)
{
	char path[sizeof file.path];
	if (!hb__trace_starts() || !path_of(log, path, sizeof path))
		return;
	uint8_t before = hb__door->aside();
	lock();
	file.header.rank = rank;
	file.header.size = size;
	if (file.fd < 0) {
		memcpy(file.path, path, sizeof path);
		create();
	} else if (strcmp(path, file.path)) {
		if (rename(file.path, path))
			stop(errno, "rename");
		else
			memcpy(file.path, path, sizeof path);
		if (hb__tracing_state == HB__TRACE_ON && !write_header())
			stop(errno, "write");
	}
	unlock();
	hb__door->back(before);
}

static void last_words(void)
{
	struct hb__thread *t = hb__first_here();
	if (!t)
		return;
	if (hb__watcher.settle_all)
		hb__watcher.settle_all();
	if (hb__watcher.over)
		hb__watcher.over(t);
	if (hb__wanted.dry || hb__wanted.control)
		hb__constructs_cost(t);
	hb__thread_leaves(t);
}

void hb__file_over(void)
{
	if (hb__tracing_state != HB__TRACE_ON || file.over)
		return;
	uint8_t before = hb__door->aside();
	last_words();
	lock();
	file.over = true;
	if (hb__first)
		take_all();
	file.rings = NULL; /* of loops that did not end: what they hold back are their last iterations */
	settle();
	const uint8_t over = HB_TRACE_OVER;
	if (file.fd >= 0)
		write_block(0, &over, 1);
	file.header.threads = file.wrote > 1 ? file.wrote : 1;
	if (file.fd >= 0 && hb__tracing_state == HB__TRACE_ON && !write_header())
		stop(errno, "write");
	hb__trace_stop();
	if (is_ours(file.fd))
		close(file.fd);
	unlock();
	hb__door->back(before);
}

bool hb__file_is_there(void) { return file.fd >= 0; }

void hb__file_forget(void)
{
	if (is_ours(file.fd))
		close(file.fd);
	file.fd = -1;
	file.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

const char *hb__file_folder(char *to, size_t size)
{
	const char *slash = strrchr(file.path, '/');
	snprintf(to, size, "%.*s", slash ? (int)(slash - file.path) : 0, file.path);
	return to;
}

void hb__file_stem(char *to, size_t size)
{
	const char *name = hb__last_part(file.path);
	size_t n = strlen(name);
	snprintf(to, size, "%.*s", n > 11 ? (int)(n - 11) : 0, name + (n > 11 ? 5 : 0));
}

int hb__file_size(void) { return file.header.size; }
