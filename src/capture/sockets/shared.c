/* Replay: what this process has to know of others with which it has a stream, or a socket that listens, in common (calls/sockets/shared.h). */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/core/follow/follow.h"
#include "capture/sockets/ends.h"

#define SLICE_MS 100

static struct {
	bool opened;
	const struct hb_shared *all, *own; /* own: those of this process */
	size_t n, nown;
	uint32_t *done; /* by stream, little-endian: processes of other processors have them, too */
	uint64_t streams;
} turns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* bytes: 0, it is only read. */
static void *map_file(const char *folder, const char *name, size_t bytes, size_t *ret_bytes)
{
	char path[4300];
	struct stat st;
	void *p = MAP_FAILED;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = bytes ? hb__board_open(path, O_RDWR) : open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && (!bytes || !ftruncate(fd, (off_t)bytes)) && !fstat(fd, &st) && st.st_size)
		p = mmap(NULL, (size_t)st.st_size, bytes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
	*ret_bytes = p == MAP_FAILED ? 0 : (size_t)st.st_size;
	if (fd >= 0)
		close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static int order(const struct hb_shared *t, uint32_t process, uint32_t lane, uint32_t event)
{
	if (t->process != process)
		return t->process < process ? -1 : 1;
	if (t->lane != lane)
		return t->lane < lane ? -1 : 1;
	return t->event < event ? -1 : t->event > event;
}

/* The first that is not before. */
static const struct hb_shared *find(
	const struct hb_shared *in, size_t n, uint32_t process, uint32_t lane, uint32_t event)
{
	size_t from = 0, to = n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (order(&in[middle], process, lane, event) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return in + from;
}

static void open_turns(void)
{
	size_t bytes = 0, words = 0;
	if (!turns.all) {
		const struct hb_shared_head *head = map_file(hb__config.script, "shared", 0, &bytes);
		if (!head || bytes < sizeof *head || head->magic != HB_SHARED_MAGIC ||
			head->n != (bytes - sizeof *head) / sizeof(struct hb_shared))
			return;
		turns.all = (const struct hb_shared *)(head + 1);
		turns.n = head->n;
		turns.streams = head->streams;
		if (head->streams)
			turns.done =
				map_file(hb__config.dir, "shared.done", head->streams * sizeof *turns.done, &words);
	}
	uint32_t process = (uint32_t)hb__replayed_as();
	turns.own = find(turns.all, turns.n, process, 0, 0);
	turns.nown = (size_t)(find(turns.all, turns.n, process + 1, 0, 0) - turns.own);
}

const struct hb_shared *hb__shared_of(const struct hb__lane *lane, size_t *ret_n)
{
	int error = errno;
	if (unlikely(!__atomic_load_n(&turns.opened, __ATOMIC_ACQUIRE))) {
		pthread_mutex_lock(&lock);
		if (!turns.opened)
			open_turns();
		__atomic_store_n(&turns.opened, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&lock);
	}
	errno = error;
	*ret_n = 0;
	if (likely(!turns.nown))
		return NULL;
	const struct hb_shared *end = turns.own + turns.nown, *t = find(turns.own, turns.nown, turns.own->process,
								      lane->number, (uint32_t)lane->follow->event);
	while (t + *ret_n < end && t[*ret_n].lane == lane->number && t[*ret_n].event == lane->follow->event)
		++*ret_n;
	return *ret_n ? t : NULL;
}

bool hb__shared_wait(const struct hb_shared *t)
{
	int error = errno;
	uint32_t *done = turns.done && t->a < turns.streams ? &turns.done[t->a] : NULL, now;
	while (done && hb_little32(now = __atomic_load_n(done, __ATOMIC_SEQ_CST)) < t->b && !hb__job_ends()) {
		struct timespec slice = {0, SLICE_MS * 1000000L};
		syscall(SYS_futex, done, FUTEX_WAIT, now, &slice, NULL, 0);
	}
	errno = error;
	return done && hb_little32(*done) >= t->b;
}

void hb__shared_over(const struct hb_shared *t)
{
	int error = errno;
	uint32_t *done = turns.done && t->a < turns.streams ? &turns.done[t->a] : NULL;
	if (done && hb_little32(__atomic_load_n(done, __ATOMIC_SEQ_CST)) <= t->b) {
		__atomic_store_n(done, hb_little32(t->b + 1), __ATOMIC_SEQ_CST);
		syscall(SYS_futex, done, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	}
	errno = error;
}

/* It follows another record. */
void hb__shared_forked(void)
{
	turns.opened = false;
	turns.own = NULL;
	turns.nown = 0;
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
