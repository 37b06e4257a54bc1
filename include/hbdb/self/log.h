/* No interface: how the streams of libhbdb-self lie in memory and in their logs, for the library and for what reads logs (docs/system/self.md, "The bytes
 * of a log").
 *
 * A file has a head, names of types, the stream itself (a ring of cells) and behind it what was flushed (cells again). Words are in the byte order
 * of the machine that wrote them: writers reserve and publish by atomic operations on the words of the ring where they lie, and a processor has
 * these for its own order only. The head says which order it is, and readers turn words round by the functions below. */
#ifndef HBDB_SELF_LOG_H
#define HBDB_SELF_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HB_STREAM_MAGIC "HBTRACE\n"
#define HB_STREAM_VERSION 1u
#define HB_STREAM_ORDER 0x01020304u
#define HB_STREAM_HEAD 4096u  /* bytes of the head */
#define HB_STREAM_NAME 64u    /* bytes of a name, padded with zeros */
#define HB_STREAM_NAMES 1024u /* names, by identifier */
#define HB_STREAM_CELL 64u
#define HB_STREAM_RING_AT (HB_STREAM_HEAD + HB_STREAM_NAME * HB_STREAM_NAMES)
#define HB_STREAM_RING_MOST (1u << 26) /* cells */

/* The state of a cell: the position that it was last taken for, times 256, plus: */
enum {
	HB_CELL_WRITING = 1, /* somebody writes it, or was killed while he did */
	HB_CELL_DONE = 2,
	HB_CELL_VOID = 3, /* it was taken for nothing */
	HB_CELL_PHASE = 3,
	HB_CELL_MORE = 4,  /* it belongs to the record before it */
	HB_CELL_PASSED = 8 /* a reader went on while somebody wrote it: he makes it void when he comes back */
};

/* The first cell of a record; those that follow it have a state and 56 bytes of data each. */
struct hb_cell {
	uint64_t state;
	uint64_t tick, address, thread;
	uint32_t pid;
	uint16_t id;
	uint8_t truncated, cells;
	uint16_t bytes;
	uint8_t data[22];
};
enum { HB_CELL_DATA = 22, HB_CELL_DATA_MORE = 56 };

/* The states of a stream. FILLED: it stopped because it was full, and goes on when it is empty. OVER: it was shut down. */
enum { HB_STREAM_SUSPENDED, HB_STREAM_RUNNING, HB_STREAM_FILLED, HB_STREAM_OVER };

struct hb_stream_head {
	char magic[8];
	uint32_t order, version;
	uint64_t cells;     /* of the ring, a power of two */
	uint64_t log_at;    /* bytes from the beginning of the file to the log; 0: the stream has none */
	uint64_t log_cells; /* of the log; 0: it grows without end */
	uint32_t in_ring;   /* 1: the ring of the file is the stream itself; 0: the file has what was flushed only */
	uint32_t pid;
	int32_t stream_policy, log_policy, inheritance, spare0;
	uint64_t stream_size, log_size, max_data;     /* as the attributes say */
	int64_t created_seconds, created_nanoseconds; /* of CLOCK_REALTIME */
	uint64_t tick0, real0, mono0, tick1,
		mono1;       /* two moments: ticks, nanoseconds of CLOCK_REALTIME and of CLOCK_MONOTONIC */
	uint64_t resolution; /* of a tick, nanoseconds, rounded up */
	char name[HB_STREAM_NAME], written_by[HB_STREAM_NAME], host[64], program[512];
	uint8_t spare1[1192];
	/* from offset 2048 on, what changes while the stream lives */
	uint32_t run, filtered, waiting, overflowing;
	uint64_t filter[HB_STREAM_NAMES / 64];
	uint8_t spare2[128 - 16];
	uint64_t tail; /* positions that were given out */
	uint8_t spare3[128 - 8];
	uint64_t head;               /* positions before this one were read, or flushed */
	uint64_t log_begin, log_end; /* in cells of the log since its beginning; what is here is in the log */
	uint64_t lost, log_lost, overflow_tick;
	uint32_t overrun, log_overrun, log_full, flushing;
	int32_t flush_error;
	uint32_t spare3a;
	uint64_t owner; /* who reads or flushes: pid << 32 | thread; 0: nobody */
	uint8_t spare4[1584];
};
typedef char hb_stream_head_fits[sizeof(struct hb_stream_head) == HB_STREAM_HEAD ? 1 : -1];
typedef char hb_cell_fits[sizeof(struct hb_cell) == HB_STREAM_CELL ? 1 : -1];

/* ---- reading a log that lies in memory ---- */

static inline uint64_t hb_stream_64(uint64_t v, int turned) { return turned ? __builtin_bswap64(v) : v; }
static inline uint32_t hb_stream_32(uint32_t v, int turned) { return turned ? __builtin_bswap32(v) : v; }
#define HB_STREAM_U64(head, field, turned) hb_stream_64((uint64_t)(head)->field, turned)
#define HB_STREAM_U32(head, field, turned) hb_stream_32((uint32_t)(head)->field, turned)

struct hb_stream_log {
	const uint8_t *bytes;
	uint64_t size;
	const struct hb_stream_head *head;
	int turned;                /* words are in the other byte order */
	uint64_t cells, log_cells; /* of the ring that is in the file (0: none), of the log */
	uint64_t from, to;         /* what the log has */
	uint64_t ring_from, ring_to;
	uint64_t at;   /* the next cell of the log, then of the ring */
	int ringing;   /* it is one of the ring */
	uint64_t last; /* 1 + position of the record before */
	/* Called before the cell at this offset is looked at. NULL: all bytes are there (hbdb/self/log_file.h has the other case). */
	void (*need)(void *of, uint64_t offset);
	void *of;
};

/* A record. The data are copied. */
struct hb_stream_record {
	uint64_t tick, address, thread;
	uint32_t pid, id, bytes;
	int truncated;
	uint8_t data[8192 + HB_CELL_DATA_MORE];
};

static inline void hb_stream_log_rewind(struct hb_stream_log *log)
{
	log->at = log->from;
	log->ringing = 0;
	log->last = 0;
}

/* 0: these bytes are no log of a stream. bytes must be aligned to 8, and stay. */
static inline int hb_stream_log_open(const uint8_t *bytes, uint64_t size, struct hb_stream_log *log)
{
	const struct hb_stream_head *head = (const struct hb_stream_head *)(const void *)bytes;
	uint64_t log_at, has, position, end;
	memset(log, 0, sizeof *log);
	if (size < HB_STREAM_RING_AT || memcmp(bytes, HB_STREAM_MAGIC, 8) != 0)
		return 0;
	log->bytes = bytes;
	log->size = size;
	log->head = head;
	log->turned = head->order != HB_STREAM_ORDER;
	if (HB_STREAM_U32(head, order, log->turned) != HB_STREAM_ORDER ||
		HB_STREAM_U32(head, version, log->turned) != HB_STREAM_VERSION)
		return 0;
	log->cells = HB_STREAM_U64(head, cells, log->turned);
	log_at = HB_STREAM_U64(head, log_at, log->turned);
	if (log->cells > HB_STREAM_RING_MOST || !log->cells || log->cells & (log->cells - 1) ||
		log_at < HB_STREAM_RING_AT || log_at % 8)
		return 0;
	/* as far as the file goes */
	log->log_cells = HB_STREAM_U64(head, log_cells, log->turned);
	has = size > log_at ? (size - log_at) / HB_STREAM_CELL : 0;
	log->from = HB_STREAM_U64(head, log_begin, log->turned);
	end = log->to = HB_STREAM_U64(head, log_end, log->turned);
	if (!log->log_cells && log->to > has)
		log->to = has;
	if (log->log_cells && log->from + log->log_cells < log->to)
		log->from = log->to - log->log_cells;
	if (log->from > log->to || end > (uint64_t)1 << 56)
		log->from = log->to = 0;
	position = HB_STREAM_U64(head, tail, log->turned);
	log->ring_from = HB_STREAM_U64(head, head, log->turned);
	if (log->ring_from + log->cells < position)
		log->ring_from = position - log->cells;
	log->ring_to = position;
	if (!HB_STREAM_U32(head, in_ring, log->turned) || log->ring_from > log->ring_to ||
		position > (uint64_t)1 << 55 || size < HB_STREAM_RING_AT + log->cells * HB_STREAM_CELL)
		log->ring_from = log->ring_to = 0;
	hb_stream_log_rewind(log);
	return 1;
}

/* The next cell, NULL: there is none. */
static inline const struct hb_cell *hb_stream_log_cell(const struct hb_stream_log *log, uint64_t at)
{
	uint64_t offset;
	if (log->ringing) {
		if (at >= log->ring_to)
			return NULL;
		offset = HB_STREAM_RING_AT + (at & (log->cells - 1)) * HB_STREAM_CELL;
	} else {
		if (at >= log->to)
			return NULL;
		offset = HB_STREAM_U64(log->head, log_at, log->turned) +
			 (log->log_cells ? at % log->log_cells : at) * HB_STREAM_CELL;
		if (offset > log->size || log->size - offset < HB_STREAM_CELL)
			return NULL;
	}
	if (log->need)
		log->need(log->of, offset);
	return (const struct hb_cell *)(const void *)(log->bytes + offset);
}

/* Reads the record that begins at `at`: how many cells it has, 0: none begins there. */
static inline unsigned hb_stream_log_record(
	const struct hb_stream_log *log, uint64_t at, struct hb_stream_record *record)
{
	const struct hb_cell *c = hb_stream_log_cell(log, at);
	uint64_t position;
	unsigned i, bytes, cells = c ? c->cells : 0;
	uint16_t word;
	if (!c || (hb_stream_64(c->state, log->turned) & 255) != HB_CELL_DONE || !cells)
		return 0;
	position = hb_stream_64(c->state, log->turned) >> 8;
	memcpy(&word, &c->bytes, sizeof word);
	bytes = log->turned ? (unsigned)__builtin_bswap16(word) : word;
	if ((log->ringing && position != at) || position < log->last ||
		bytes > HB_CELL_DATA + (cells - 1) * HB_CELL_DATA_MORE || bytes > 8192)
		return 0;
	record->tick = hb_stream_64(c->tick, log->turned);
	record->address = hb_stream_64(c->address, log->turned);
	record->thread = hb_stream_64(c->thread, log->turned);
	record->pid = hb_stream_32(c->pid, log->turned);
	record->id = log->turned ? (uint32_t)__builtin_bswap16(c->id) : c->id;
	record->truncated = c->truncated;
	record->bytes = bytes;
	memcpy(record->data, c->data, HB_CELL_DATA);
	for (i = 1; i < cells; i++) {
		const struct hb_cell *more = hb_stream_log_cell(log, at + i);
		if (!more ||
			hb_stream_64(more->state, log->turned) != ((position + i) << 8 | HB_CELL_MORE | HB_CELL_DONE))
			return 0;
		if (HB_CELL_DATA + (i - 1) * HB_CELL_DATA_MORE < bytes)
			memcpy(record->data + HB_CELL_DATA + (i - 1) * HB_CELL_DATA_MORE, (const uint8_t *)more + 8,
				HB_CELL_DATA_MORE);
	}
	/* the program may have gone on, and overwritten what was copied */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (i = 0; i < cells; i++) {
		const struct hb_cell *again = hb_stream_log_cell(log, at + i);
		if (!again || hb_stream_64(__atomic_load_n(&again->state, __ATOMIC_RELAXED), log->turned) !=
				      ((position + i) << 8 | (i ? HB_CELL_MORE : 0) | HB_CELL_DONE))
			return 0;
	}
	return record->id < HB_STREAM_NAMES ? cells : 0;
}

/* The next record of what was flushed, then of the stream as it was left. 0: the end. What is not whole is passed over. */
static inline int hb_stream_log_next(struct hb_stream_log *log, struct hb_stream_record *record)
{
	for (;;) {
		uint64_t to = log->ringing ? log->ring_to : log->to;
		while (log->at < to) {
			unsigned cells = hb_stream_log_record(log, log->at, record);
			if (cells) {
				const struct hb_cell *c = hb_stream_log_cell(log, log->at);
				log->last = (hb_stream_64(c->state, log->turned) >> 8) + cells;
				log->at += cells;
				return 1;
			}
			log->at++;
		}
		if (log->ringing)
			return 0;
		log->ringing = 1;
		log->at = log->ring_from;
	}
}

/* Nanoseconds since the epoch. */
static inline uint64_t hb_stream_log_time(const struct hb_stream_head *head, int turned, uint64_t tick)
{
	uint64_t tick0 = HB_STREAM_U64(head, tick0, turned), tick1 = HB_STREAM_U64(head, tick1, turned);
	uint64_t mono0 = HB_STREAM_U64(head, mono0, turned), mono1 = HB_STREAM_U64(head, mono1, turned);
	double rate = tick1 > tick0 && mono1 > mono0 ? (double)(mono1 - mono0) / (double)(tick1 - tick0) : 1;
	double ns = tick >= tick0 ? (double)(tick - tick0) * rate : -((double)(tick0 - tick) * rate);
	if (!(ns > -9e18 && ns < 9e18))
		ns = 0;
	return HB_STREAM_U64(head, real0, turned) + (uint64_t)(int64_t)ns;
}

/* Bytes of the name of a type, without a terminator; 0: the type has none. */
static inline size_t hb_stream_log_name(const struct hb_stream_log *log, uint32_t id, const char **ret_name)
{
	*ret_name = (const char *)log->bytes + HB_STREAM_HEAD + (size_t)id * HB_STREAM_NAME;
	return id < HB_STREAM_NAMES ? strnlen(*ret_name, HB_STREAM_NAME - 1) : 0;
}

#endif
