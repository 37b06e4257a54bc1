/* Streams begin and end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../state.h"

struct hb__stream hb__streams[HB_TRACE_SYS_MAX];
_Atomic uint32_t hb__active;
pid_t hb__pid;
pthread_mutex_t hb__control = PTHREAD_MUTEX_INITIALIZER;
static bool begun;

/* ---- the process ---- */

static void before_fork(void) { pthread_mutex_lock(&hb__control); }
static void after_fork(void) { pthread_mutex_unlock(&hb__control); }

/* A child is traced into the streams that say so, and controls none of them. */
static void in_child(void)
{
	hb__pid = getpid();
	for (unsigned i = 0; i < HB_TRACE_SYS_MAX; i++) {
		struct hb__stream *s = &hb__streams[i];
		if (!(hb__active & 1u << i) || s->head->inheritance == HB_POSIX_TRACE_INHERITED)
			continue;
		hb__active &= ~(1u << i);
		s->generation++; /* its place is free here */
		if (s->file >= 0)
			close(s->file);
	}
	pthread_mutex_init(&hb__control, NULL);
}

static __attribute__((constructor)) void begin(void)
{
	hb__pid = getpid();
	hb__clock_begin();
	begun = hb__names_begin() && !pthread_atfork(before_fork, after_fork, in_child);
}

bool hb__begin(void) { return begun; }

/* ---- identifiers: generation, and which one ---- */

static hb_trace_id_t trid_of(const struct hb__stream *s) { return s->generation << 8 | (uint32_t)(s - hb__streams); }

struct hb__stream *hb__stream_of(hb_trace_id_t trid)
{
	struct hb__stream *s = &hb__streams[trid & 255];
	if ((trid & 255) >= HB_TRACE_SYS_MAX)
		return NULL;
	uint32_t generation = HB__LOAD(s->generation);
	return generation & 1 && (generation & 0xffffff) == trid >> 8 && s->creator == hb__pid ? s : NULL;
}

/* ---- creation ---- */

static uint64_t ring_cells(size_t bytes)
{
	uint64_t want = bytes / HB_STREAM_CELL + HB__RESERVED + 1, cells = 64;
	while (cells < want)
		cells *= 2;
	return cells;
}

static int check_attr(const hb_trace_attr_t *a, bool with_log)
{
	if (a->magic != HB__ATTR_MAGIC || (a->stream_full_policy == HB_POSIX_TRACE_FLUSH && !with_log))
		return EINVAL;
	return ring_cells(a->stream_size) > HB_STREAM_RING_MOST ? ENOMEM : 0;
}

/* Two streams in one file would write over each other, and who empties it takes the other one's memory away. Where the file system knows no locks
 * it is as if there were none. */
static int claim_file(int *file)
{
	if (!flock(*file, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	close(*file);
	*file = -1;
	return EBUSY;
}

/* The file for reading too, so that it can be mapped; else for writing, as it was given. *ret -1: neither. */
static int reopen(int file, int *ret, bool *ret_mapped)
{
	char path[64];
	struct stat st;
	int flags = fcntl(file, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return EBADF;
	if (fstat(file, &st) || !S_ISREG(st.st_mode))
		return EINVAL; /* the log is written at places, not only at its end */
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	*ret = open(path, O_RDWR | O_CLOEXEC);
	*ret_mapped = *ret >= 0;
	if (*ret < 0 && flags & O_APPEND)
		return EINVAL;
	if (*ret < 0) {
		*ret = fcntl(file, F_DUPFD_CLOEXEC, 3);
		*ret_mapped = *ret >= 0 && (flags & O_ACCMODE) == O_RDWR;
	}
	return *ret < 0 ? errno == EMFILE ? EAGAIN : errno : claim_file(ret);
}

/* The memory of a stream: of its file, or of nobody else but children. */
static int map(struct hb__stream *s, size_t bytes, int file)
{
	if (file >= 0) {
		int error = ftruncate(file, 0) ? errno : posix_fallocate(file, 0, (off_t)bytes);
		if (error)
			return error;
	}
	void *old = s->bytes == bytes
			    ? s->head
			    : NULL; /* of another size: its place in memory stays empty, a thread may be in it */
	void *at = mmap(old, bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0) | (old ? MAP_FIXED : 0), file, 0);
	if (at == MAP_FAILED)
		return ENOMEM;
	s->head = at;
	s->ring = (struct hb_cell *)(void *)((char *)at + HB_STREAM_RING_AT);
	s->bytes = bytes;
	return 0;
}

static void fill_head(struct hb__stream *s, const hb_trace_attr_t *a, bool with_log, uint64_t cells)
{
	struct hb_stream_head *h = s->head;
	struct timespec now;
	h->order = HB_STREAM_ORDER;
	h->version = HB_STREAM_VERSION;
	h->cells = cells;
	h->in_ring = s->mapped;
	h->pid = (uint32_t)hb__pid;
	h->stream_policy = a->stream_full_policy ? a->stream_full_policy
			   : with_log            ? HB_POSIX_TRACE_FLUSH
						 : HB_POSIX_TRACE_LOOP;
	h->log_policy = a->log_full_policy;
	h->inheritance = a->inheritance;
	h->stream_size = a->stream_size;
	h->log_size = a->log_size;
	h->max_data = a->max_data_size;
	if (with_log) {
		uint64_t fit = a->log_size / HB_STREAM_CELL;
		h->log_at = HB_STREAM_RING_AT + (s->mapped ? cells * HB_STREAM_CELL : 0);
		h->log_cells = a->log_full_policy == HB_POSIX_TRACE_APPEND ? 0
			       : fit < 2u * HB__CELLS_MOST                 ? 2u * HB__CELLS_MOST
									   : fit;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	h->created_seconds = now.tv_sec;
	h->created_nanoseconds = now.tv_nsec;
	hb__clock_of(h);
	memcpy(h->name, a->name, sizeof h->name);
	memcpy(h->written_by, a->version, sizeof h->written_by);
	gethostname(h->host, sizeof h->host - 1);
	ssize_t n = readlink("/proc/self/exe", h->program, sizeof h->program - 1);
	if (n < 0)
		snprintf(h->program, sizeof h->program, "%s", "program");
	hb__names_copy((char *)h + HB_STREAM_HEAD, 0);
	memcpy(h->magic, HB_STREAM_MAGIC, sizeof h->magic); /* from here on it is a log */
}

static int create(struct hb__stream *s, const hb_trace_attr_t *a, int file, bool mapped)
{
	uint64_t cells = ring_cells(a->stream_size);
	int error = map(s, HB_STREAM_RING_AT + cells * HB_STREAM_CELL, mapped ? file : -1);
	if (error)
		return error;
	s->file = file;
	s->mapped = mapped;
	s->creator = hb__pid;
	s->listed = s->names = 0;
	s->waited = s->waiting_for = s->waiting_since = s->shown = 0;
	fill_head(s, a, file >= 0, cells);
	if (file >= 0 && !mapped && (ftruncate(file, 0) || (error = hb__write_head(s))))
		return error ? error : errno;
	HB__STORE(s->generation, s->generation + 1);
	return 0;
}

static int create_any(pid_t pid, const hb_trace_attr_t *given, int log, hb_trace_id_t *ret)
{
	hb_trace_attr_t standard;
	hb_posix_trace_attr_init(&standard);
	const hb_trace_attr_t *a = given ? given : &standard;
	bool mapped = false;
	int file = -1, error = check_attr(a, log != -2);
	if (error)
		return error;
	if (pid && pid != getpid())
		return pid < 0 || (kill(pid, 0) && errno == ESRCH) ? ESRCH : EPERM;
	if (!begun)
		return ENOMEM;
	if (log != -2 && (error = reopen(log, &file, &mapped)))
		return error;
	pthread_mutex_lock(&hb__control);
	unsigned i = 0;
	while (i < HB_TRACE_SYS_MAX && (hb__streams[i].generation & 1 || hb__active & 1u << i))
		i++;
	error = i < HB_TRACE_SYS_MAX ? create(&hb__streams[i], a, file, mapped) : EAGAIN;
	if (!error) {
		*ret = trid_of(&hb__streams[i]);
		atomic_fetch_or(&hb__active, 1u << i);
	}
	pthread_mutex_unlock(&hb__control);
	if (error && file >= 0)
		close(file);
	return error;
}

int hb_posix_trace_create(pid_t pid, const hb_trace_attr_t *HB_RESTRICT attr, hb_trace_id_t *HB_RESTRICT trid)
{
	return create_any(pid, attr, -2, trid);
}

int hb_posix_trace_create_withlog(
	pid_t pid, const hb_trace_attr_t *HB_RESTRICT attr, int file_desc, hb_trace_id_t *HB_RESTRICT trid)
{
	return create_any(pid, attr, file_desc < 0 ? -1 : file_desc, trid);
}

int hb_self_open(const char *path, const hb_trace_attr_t *attr, hb_trace_id_t *ret)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0)
		return errno;
	int error = hb_posix_trace_create_withlog(0, attr, file, ret);
	close(file);
	return error ? error : hb_posix_trace_start(*ret);
}

/* ---- the end ---- */

/* What a writer has not finished is waited for as long as hb__peek does. */
static int flush_rest(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	int error;
	do
		error = hb__flush_locked(s);
	while (!error && HB__LOAD(h->head) != HB__LOAD(h->tail));
	return error;
}

static int shut_down(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	int error = 0, by_itself = 0;
	uint32_t running = HB_STREAM_RUNNING;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* as in a flush */
	hb__lock(h);
	if (HB__CAS(h->run, running, HB_STREAM_SUSPENDED))
		hb__put_own(s, HB_POSIX_TRACE_STOP, &by_itself, sizeof by_itself);
	HB__STORE(h->run, HB_STREAM_OVER);
	if (s->file >= 0)
		error = flush_rest(s);
	atomic_fetch_and(&hb__active, ~(1u << (s - hb__streams)));
	HB__STORE(s->generation, s->generation + 1);
	if (s->file >= 0) {
		if (!error)
			error = hb__write_head(s);
		close(s->file);
		s->file = -1;
	}
	/* The pages go, the place in memory stays: threads that are in it write to nobody. */
	s->mapped = false;
	hb__unlock(h);
	mmap(h, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int hb_posix_trace_shutdown(hb_trace_id_t trid)
{
	pthread_mutex_lock(&hb__control);
	struct hb__stream *s = hb__stream_of(trid);
	int error = s ? shut_down(s) : EINVAL;
	pthread_mutex_unlock(&hb__control);
	return error;
}

void hb__end(void)
{
	for (unsigned i = 0; i < HB_TRACE_SYS_MAX; i++)
		if (hb__streams[i].generation & 1 && hb__streams[i].creator == hb__pid)
			hb_posix_trace_shutdown(trid_of(&hb__streams[i]));
}

static __attribute__((destructor)) void end(void) { hb__end(); }

/* ---- start, stop, flush, clear ---- */

/* A stream that is full stays as it is until it is empty. */
int hb_posix_trace_start(hb_trace_id_t trid)
{
	struct hb__stream *s = hb__stream_of(trid);
	if (!s)
		return EINVAL;
	struct hb_stream_head *h = s->head;
	hb__lock(h);
	if (HB__LOAD(h->run) == HB_STREAM_SUSPENDED) {
		hb__put_own(s, HB_POSIX_TRACE_START, h->filter, sizeof h->filter);
		HB__STORE(h->run, HB_STREAM_RUNNING);
	}
	hb__unlock(h);
	return 0;
}

int hb_posix_trace_stop(hb_trace_id_t trid)
{
	struct hb__stream *s = hb__stream_of(trid);
	uint32_t running = HB_STREAM_RUNNING;
	int automatic = 0;
	if (!s)
		return EINVAL;
	if (HB__CAS(s->head->run, running, HB_STREAM_SUSPENDED))
		hb__put_own(s, HB_POSIX_TRACE_STOP, &automatic, sizeof automatic);
	return 0;
}

int hb_posix_trace_flush(hb_trace_id_t trid)
{
	struct hb__stream *s = hb__stream_of(trid);
	return s && s->file >= 0 ? hb__flush(s, HB__WAIT) : EINVAL;
}

int hb_posix_trace_clear(hb_trace_id_t trid)
{
	struct hb__stream *s = hb__stream_of(trid);
	if (!s)
		return EINVAL;
	struct hb_stream_head *h = s->head;
	int error = 0;
	hb__lock(h);
	HB__STORE(h->head, HB__LOAD(h->tail));
	h->log_end = h->log_begin = 0;
	h->log_full = h->log_overrun = h->overrun = h->overflowing = 0;
	h->lost = h->log_lost = 0;
	h->flush_error = 0;
	if (s->file >= 0) {
		if (ftruncate(s->file, (off_t)h->log_at))
			error = errno;
		else
			error = hb__write_head(s);
	}
	hb__resume(s);
	hb__unlock(h);
	return error;
}
