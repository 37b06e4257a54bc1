/* What is in a stream goes to its log. Signals are held back meanwhile: a flush that a handler left by longjmp would never end. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../state.h"

/* Not pwrite, which a thread may be cancelled in. Signals are held back; the one of a file that would become too big is taken out. */
static int write_at(int file, const void *bytes, size_t n, uint64_t offset)
{
	for (size_t done = 0; done < n;) {
		long got = syscall(SYS_pwrite64, file, (const char *)bytes + done, n - done, offset + done);
		if (got > 0) {
			done += (size_t)got;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		int error = got < 0 ? errno : ENOSPC;
		if (error == EFBIG) {
			const struct timespec now = {0};
			sigset_t too_big;
			sigemptyset(&too_big);
			sigaddset(&too_big, SIGXFSZ);
			sigtimedwait(&too_big, NULL, &now);
		}
		return error;
	}
	return 0;
}

int hb__write_head(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	if (s->mapped)
		return 0;
	uint32_t n = hb__names();
	char *table = (char *)h + HB_STREAM_HEAD;
	hb__names_copy(table, s->names);
	int error = write_at(s->file, h, HB_STREAM_HEAD, 0);
	if (!error && s->names < n)
		error = write_at(s->file, table + (size_t)s->names * HB_STREAM_NAME,
			(n - s->names) * (size_t)HB_STREAM_NAME, HB_STREAM_HEAD + (uint64_t)s->names * HB_STREAM_NAME);
	if (!error)
		s->names = n;
	return error;
}

/* Cells to the end of the log. A log that loops is first told to begin behind what they overwrite. */
static int append(struct hb__stream *s, const void *cells, uint64_t n)
{
	struct hb_stream_head *h = s->head;
	uint64_t end = h->log_end;
	if (h->log_cells && end + n > h->log_begin + h->log_cells) {
		HB__STORE(h->log_begin, end + n - h->log_cells);
		HB__STORE(h->log_full, 1);
	}
	for (uint64_t done = 0; done < n;) {
		uint64_t at = h->log_cells ? (end + done) % h->log_cells : end + done;
		uint64_t run = h->log_cells && h->log_cells - at < n - done ? h->log_cells - at : n - done;
		int error = write_at(s->file, (const char *)cells + done * HB_STREAM_CELL, run * HB_STREAM_CELL,
			h->log_at + at * HB_STREAM_CELL);
		if (error)
			return error;
		done += run;
	}
	HB__STORE(h->log_end, end + n);
	return 0;
}

/* The last event of a log that takes no more. */
static int append_stop(struct hb__stream *s)
{
	int automatic = 1;
	struct hb_cell stop = {.state = (HB__LOAD(s->head->tail) << 8) | HB_CELL_DONE,
		.tick = hb__tick(),
		.thread = (uint64_t)(uintptr_t)pthread_self(),
		.pid = (uint32_t)hb__pid,
		.id = HB_POSIX_TRACE_STOP,
		.cells = 1,
		.bytes = sizeof automatic};
	memcpy(stop.data, &automatic, sizeof automatic);
	return append(s, &stop, 1);
}

/* Writes what the buffer has. A log until full discards what does not fit, and the stream stops. */
static int write_out(struct hb__stream *s, const struct hb_cell *cell, unsigned n)
{
	struct hb_stream_head *h = s->head;
	if (h->log_policy != HB_POSIX_TRACE_UNTIL_FULL)
		return n ? append(s, cell, n) : 0;
	if (h->log_full) {
		HB__STORE(h->log_overrun, n ? 1 : h->log_overrun);
		return 0;
	}
	unsigned fits = 0;
	while (fits < n && h->log_end + fits + cell[fits].cells < h->log_cells) /* one is left for the stop */
		fits += cell[fits].cells;
	int error = fits ? append(s, cell, fits) : 0;
	if (error || fits == n)
		return error;
	for (unsigned i = fits; i < n; i += cell[i].cells)
		h->log_lost++;
	error = append_stop(s);
	HB__STORE(h->log_overrun, 1);
	HB__STORE(h->log_full, 1);
	uint32_t running = HB_STREAM_RUNNING, filled = HB_STREAM_FILLED;
	if (!HB__CAS(h->run, running, HB_STREAM_SUSPENDED))
		HB__CAS(h->run, filled, HB_STREAM_SUSPENDED);
	return error;
}

/* Cells of the ring, which stay as they are until the head is moved. */
static int write_ring(struct hb__stream *s, uint64_t from, uint64_t to)
{
	uint64_t cells = s->head->cells, at = from & (cells - 1), n = to - from,
		 first = n < cells - at ? n : cells - at;
	int error = first ? append(s, &s->ring[at], first) : 0;
	return error || first == n ? error : append(s, s->ring, n - first);
}

/* Runs of whole records go from the ring to the log as they are. */
static int write_all(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	uint64_t end = HB__LOAD(h->tail), from = h->head, to = from;
	for (unsigned cells = 1; cells;) {
		uint64_t at = to;
		cells = hb__peek(s, &at, end, NULL);
		if (cells && at == to) {
			to += cells;
			continue;
		}
		int error = write_ring(s, from, to);
		if (error)
			return error; /* they stay in the stream */
		HB__STORE(h->head, at);
		from = to = at;
		to += cells;
	}
	return 0;
}

/* The same by way of a buffer: writers may overwrite the ring meanwhile, or not all of it fits into the log. */
static int copy_all(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	struct hb_cell *cell = (struct hb_cell *)(void *)s->buffer;
	const unsigned room = HB__BUFFER / HB_STREAM_CELL - HB__CELLS_MOST;
	uint64_t end = HB__LOAD(h->tail), at = h->head;
	for (bool more = true; more;) {
		unsigned n = 0, cells = 0;
		while (n <= room && (cells = hb__peek(s, &at, end, cell + n))) {
			n += cells;
			at += cells;
		}
		more = cells;
		int error = write_out(s, cell, n);
		if (error)
			return error; /* they stay in the stream */
		HB__STORE(h->head, at);
	}
	return 0;
}

int hb__flush_locked(struct hb__stream *s)
{
	struct hb_stream_head *h = s->head;
	HB__STORE(h->flushing, 1);
	bool running = HB__LOAD(h->run) == HB_STREAM_RUNNING;
	if (running)
		hb__put_own(s, HB_POSIX_TRACE_FLUSH_START, NULL, 0);
	hb__clock_again(h);
	bool stays = h->stream_policy != HB_POSIX_TRACE_LOOP && h->log_policy != HB_POSIX_TRACE_UNTIL_FULL;
	int error = stays ? write_all(s) : copy_all(s);
	if (!error)
		error = hb__write_head(s);
	if (error) {
		if (__atomic_exchange_n(&h->flush_error, error, __ATOMIC_ACQ_REL) != error)
			hb__put_own(s, HB_POSIX_TRACE_ERROR, &error, sizeof error);
	} else {
		hb__resume(s);
	}
	if (running && !error)
		hb__put_own(s, HB_POSIX_TRACE_FLUSH_STOP, NULL, 0);
	HB__STORE(h->flushing, 0);
	return error;
}

int hb__flush(struct hb__stream *s, enum hb__patience patience)
{
	struct hb_stream_head *h = s->head;
	int saved = errno;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* from before the lock on: it must not be left either */
	int error = EBUSY;
	if (patience == HB__TRY           ? hb__try_lock(h)
		: patience == HB__PATIENT ? hb__lock_patiently(h)
					  : (hb__lock(h), true)) {
		error = s->file >= 0 && s->head == h ? hb__flush_locked(s) : EINVAL; /* it may have been shut down */
		hb__unlock(h);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return error;
}
