/* No interface: reading the log of a stream from its file, of which a program may write more meanwhile, or make it shorter: what is mapped would be gone then
 * under whoever reads it. Pieces of the file are copied when they are asked for. */
#ifndef HBDB_SELF_LOG_FILE_H
#define HBDB_SELF_LOG_FILE_H

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hbdb/self/log.h>

#define HB_STREAM_PIECE ((uint64_t)1 << 18) /* a record lies in two of them at most */

struct hb_stream_file {
	int fd;
	uint64_t size;  /* of the file, when it was opened */
	uint8_t *bytes; /* so many, and behind them room for a piece */
	size_t mapped;
	uint64_t has[2]; /* 1 + number of the pieces that are there */
	unsigned turn;
};

/* Bytes that are not there (any more) are zeros, which are no record. */
static inline void hb_stream_file_get(const struct hb_stream_file *f, uint8_t *to, uint64_t n, uint64_t at)
{
	uint64_t done = 0;
	while (done < n) {
		ssize_t got = pread(f->fd, to + done, (size_t)(n - done), (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (uint64_t)got;
	}
	memset(to + done, 0, (size_t)(n - done));
}

/* The piece with this offset is there from here on, and the one that was asked for before; others go. A cell that is written at this moment is left out:
 * it is not the same when it is read again. */
static inline void hb_stream_file_need(void *file, uint64_t offset)
{
	struct hb_stream_file *f = (struct hb_stream_file *)file;
	uint64_t piece = offset / HB_STREAM_PIECE, from = piece * HB_STREAM_PIECE, to = from + HB_STREAM_PIECE;
	uint8_t *again = f->bytes + f->mapped - HB_STREAM_PIECE;
	uint64_t old = f->has[f->turn];
	if (f->has[0] == piece + 1 || f->has[1] == piece + 1)
		return;
	if (old > 1) /* the first has the head, too */
		madvise(f->bytes + (old - 1) * HB_STREAM_PIECE, HB_STREAM_PIECE, MADV_DONTNEED);
	from = piece ? from : HB_STREAM_RING_AT;
	to = to < f->size ? to : f->size;
	hb_stream_file_get(f, f->bytes + from, to - from, from);
	hb_stream_file_get(f, again, to - from, from);
	for (uint64_t at = from; at + HB_STREAM_CELL <= to; at += HB_STREAM_CELL)
		if (memcmp(f->bytes + at, again + (at - from), HB_STREAM_CELL) != 0)
			memset(f->bytes + at, 0, HB_STREAM_CELL);
	f->has[f->turn] = piece + 1;
	f->turn = !f->turn;
}

static inline void hb_stream_file_close(struct hb_stream_file *f)
{
	if (f->bytes)
		munmap(f->bytes, f->mapped);
	if (f->fd >= 0)
		close(f->fd);
	f->bytes = NULL;
	f->fd = -1;
}

/* fd is the reader's from here on, also when it fails. 0, ENOMEM, or EINVAL: it is no log of a stream. */
static inline int hb_stream_file_open(int fd, uint64_t size, struct hb_stream_file *f, struct hb_stream_log *log)
{
	int error = EINVAL;
	memset(f, 0, sizeof *f);
	f->fd = fd;
	f->size = size;
	f->mapped = (size_t)((size + HB_STREAM_PIECE - 1) / HB_STREAM_PIECE * HB_STREAM_PIECE + HB_STREAM_PIECE);
	if (size >= HB_STREAM_RING_AT) {
		void *bytes = mmap(
			NULL, f->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		f->bytes = bytes == MAP_FAILED ? NULL : (uint8_t *)bytes;
		error = f->bytes ? 0 : ENOMEM;
	}
	if (!error) {
		hb_stream_file_get(f, f->bytes, HB_STREAM_RING_AT, 0);
		error = hb_stream_log_open(f->bytes, size, log) ? 0 : EINVAL;
	}
	if (error) {
		hb_stream_file_close(f);
		return error;
	}
	log->need = hb_stream_file_need;
	log->of = f;
	return 0;
}

#endif
