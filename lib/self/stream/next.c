/* Events are read: from a stream that lives, or from a log that was opened. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../state.h"

enum {
	SLICE = 10000000
}; /* nanoseconds: a writer looks for who waits without a barrier, and may miss one who has just come */

struct reader { /* what the three functions were given */
	hb_trace_id_t trid;
	struct hb_posix_trace_event_info *event;
	void *data;
	size_t room, *data_len;
	int *unavailable;
};

static void give(const struct reader *r, const struct hb_stream_record *record, uint64_t ns)
{
	size_t n = record->bytes <= r->room ? record->bytes : r->room;
	*r->event = (struct hb_posix_trace_event_info){.posix_event_id = record->id,
		.posix_pid = (pid_t)record->pid,
		.posix_prog_address = (void *)(uintptr_t)record->address,
		.posix_truncation_status = n < record->bytes   ? HB_POSIX_TRACE_TRUNCATED_READ
					   : record->truncated ? HB_POSIX_TRACE_TRUNCATED_RECORD
							       : HB_POSIX_TRACE_NOT_TRUNCATED,
		.posix_timestamp = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)},
		.posix_thread_id = (pthread_t)record->thread};
	if (n)
		memcpy(r->data, record->data, n);
	*r->data_len = n;
	*r->unavailable = 0;
}

static void unfold(const struct hb_cell *cell, struct hb_stream_record *record)
{
	*record = (struct hb_stream_record){.tick = cell->tick,
		.address = cell->address,
		.thread = cell->thread,
		.pid = cell->pid,
		.id = cell->id,
		.bytes = cell->bytes,
		.truncated = cell->truncated};
	memcpy(record->data, cell->data, HB_CELL_DATA);
	for (unsigned i = 1; i < cell->cells; i++)
		memcpy(record->data + HB_CELL_DATA + (i - 1) * HB_CELL_DATA_MORE, (const uint8_t *)&cell[i] + 8,
			HB_CELL_DATA_MORE);
}

/* 0, EINVAL: it was shut down meanwhile, EAGAIN: there is none. */
static int take(struct hb__stream *s, const struct reader *r)
{
	struct hb_cell cell[HB__CELLS_MOST];
	struct hb_stream_record record;
	struct hb_stream_head *h = s->head;
	int code = EAGAIN;
	hb__lock(h);
	if (hb__stream_of(r->trid) != s) {
		hb__unlock(h);
		return EINVAL;
	}
	uint64_t at = h->head;
	unsigned cells = hb__peek(s, &at, HB__LOAD(h->tail), cell);
	HB__STORE(h->head, at + cells);
	if (cells) {
		unfold(cell, &record);
		hb__clock_again(h);
		uint64_t ns = hb_stream_log_time(h, 0, record.tick);
		s->shown = ns > s->shown ? ns : s->shown;
		give(r, &record, s->shown);
		code = 0;
	}
	if (HB__LOAD(h->tail) == h->head)
		hb__resume(s);
	hb__unlock(h);
	return code;
}

static int next_recorded(const struct reader *r)
{
	struct hb_stream_record record;
	int cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* the file is read under the lock */
	pthread_mutex_lock(&hb__control);
	struct hb__recorded *log = hb__recorded_of(r->trid);
	if (!log)
		;
	else if (hb_stream_log_next(&log->log, &record))
		give(r, &record, hb_stream_log_time(log->log.head, log->log.turned, record.tick));
	else
		*r->unavailable = 1;
	pthread_mutex_unlock(&hb__control);
	pthread_setcancelstate(cancel, NULL);
	return log ? 0 : EINVAL;
}

/* Waits for an event, or for `until` (nanoseconds of CLOCK_REALTIME; 0: for ever). */
static int wait(struct hb__stream *s, uint64_t until)
{
	uint64_t now = until ? hb__ns(CLOCK_REALTIME) : 0, left = until > now ? until - now : 0;
	if (until && !left)
		return ETIMEDOUT;
	if (!until || left > SLICE)
		left = SLICE;
	struct timespec slice = {.tv_nsec = (long)left};
	HB__STORE(s->head->waiting, 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (HB__LOAD(s->head->tail) != HB__LOAD(s->head->head) && !s->waiting_since)
		return 0;
	return syscall(SYS_futex, &s->head->waiting, FUTEX_WAIT, 1, &slice, NULL, 0) && errno == EINTR ? EINTR : 0;
}

/* Of a stream without a log. timeout: NULL, for ever. */
static int next(const struct reader *r, const struct timespec *timeout)
{
	struct hb__stream *s = hb__stream_of(r->trid);
	if (!s || s->file >= 0)
		return EINVAL;
	bool valid = timeout && timeout->tv_nsec >= 0 && timeout->tv_nsec < 1000000000;
	uint64_t until = 0;
	if (valid)
		until = timeout->tv_sec < 0 ? 1
					    : (uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_nsec + 1;
	for (;;) {
		int code = take(s, r);
		if (code == EAGAIN)
			code = timeout && !valid ? EINVAL : wait(s, until);
		else
			return code;
		if (code) {
			*r->unavailable = 1;
			return code;
		}
	}
}

int hb_posix_trace_getnext_event(hb_trace_id_t trid, struct hb_posix_trace_event_info *HB_RESTRICT event,
	void *HB_RESTRICT data, size_t num_bytes, size_t *HB_RESTRICT data_len, int *HB_RESTRICT unavailable)
{
	const struct reader r = {trid, event, data, num_bytes, data_len, unavailable};
	return hb__recorded_of(trid) ? next_recorded(&r) : next(&r, NULL);
}

int hb_posix_trace_timedgetnext_event(hb_trace_id_t trid, struct hb_posix_trace_event_info *HB_RESTRICT event,
	void *HB_RESTRICT data, size_t num_bytes, size_t *HB_RESTRICT data_len, int *HB_RESTRICT unavailable,
	const struct timespec *HB_RESTRICT timeout)
{
	const struct reader r = {trid, event, data, num_bytes, data_len, unavailable};
	return hb__recorded_of(trid) ? next_recorded(&r) : next(&r, timeout);
}

int hb_posix_trace_trygetnext_event(hb_trace_id_t trid, struct hb_posix_trace_event_info *HB_RESTRICT event,
	void *HB_RESTRICT data, size_t num_bytes, size_t *HB_RESTRICT data_len, int *HB_RESTRICT unavailable)
{
	const struct reader r = {trid, event, data, num_bytes, data_len, unavailable};
	struct hb__stream *s = hb__stream_of(trid);
	if (!s || s->file >= 0)
		return EINVAL;
	int code = take(s, &r);
	if (code != EAGAIN)
		return code;
	*unavailable = 1;
	return 0;
}
