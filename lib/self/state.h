/* What the parts of libhbdb-self know of each other. */
#ifndef HBDB_SELF_STATE_H
#define HBDB_SELF_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <hbdb/self.h>
#include <hbdb/self/log.h>
#include <hbdb/self/log_file.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#define HIDDEN __attribute__((visibility("hidden")))

enum { HB__RECORDED = 64 };  /* logs that may be open at a time */
enum { HB__BUFFER = 16384 }; /* bytes that a flush writes at a time */
enum { HB__RESERVED = 8 };   /* cells of a stream that events of the program do not take: its own events need them */
enum { HB__CELLS_MOST = 1 + (HB_TRACE_DATA_MAX - HB_CELL_DATA + HB_CELL_DATA_MORE - 1) / HB_CELL_DATA_MORE };
#define HB__ATTR_MAGIC 0x68627461u

/* An active stream of this process. The memory of one that was shut down stays reserved, without pages: a thread may still be in it. */
struct hb__stream {
	struct hb_stream_head *head;
	struct hb_cell *ring;
	size_t bytes;        /* of the mapping; 0: there was none yet */
	uint32_t generation; /* in the identifier; odd: it lives */
	pid_t creator;       /* in other processes the identifier means nothing */
	int file;            /* the log; -1: none */
	bool mapped;         /* the stream lies in it */
	uint32_t listed;     /* the next type of hb_posix_trace_eventtypelist_getnext_id */
	uint32_t names;      /* of types that are in the file, where it is not mapped */
	/* What is not whole before the first position was waited for long enough; those before the second are, since then (monotonic, ns; 0: none are). */
	uint64_t waited, waiting_for, waiting_since;
	uint64_t shown; /* the time of the last event that was read: times do not go back */
	_Alignas(8) uint8_t buffer[HB__BUFFER];
};
extern struct hb__stream hb__streams[HB_TRACE_SYS_MAX] HIDDEN;
extern _Atomic uint32_t hb__active HIDDEN; /* a bit for each stream that may record something here */
extern pid_t hb__pid HIDDEN;               /* of this process */

/* A log that was opened. */
struct hb__recorded {
	uint32_t generation; /* as above */
	uint32_t listed;
	struct hb_stream_file file;
	struct hb_stream_log log;
};
extern struct hb__recorded hb__recorded[HB__RECORDED] HIDDEN;

/* ---- time ---- */

extern bool hb__counter HIDDEN; /* a tick is one of the processor's counter, else a nanosecond of CLOCK_REALTIME */

static inline uint64_t hb__ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t hb__tick(void)
{
#if defined(__x86_64__)
	if (__builtin_expect(hb__counter, 1))
		return __rdtsc();
#endif
	return hb__ns(CLOCK_REALTIME);
}

void hb__clock_begin(void) HIDDEN;
/* The two moments of a new stream; the second one again, for a better rate. */
void hb__clock_of(struct hb_stream_head *head) HIDDEN;
void hb__clock_again(struct hb_stream_head *head) HIDDEN;

/* ---- words of a stream that several threads and processes use ---- */

#define HB__LOAD(word) __atomic_load_n(&(word), __ATOMIC_ACQUIRE)
#define HB__STORE(word, v) __atomic_store_n(&(word), v, __ATOMIC_RELEASE)
#define HB__ADD(word, v) __atomic_fetch_add(&(word), v, __ATOMIC_RELAXED)
#define HB__CAS(word, from, to) \
	__atomic_compare_exchange_n(&(word), &(from), to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

/* ---- names ---- */

bool hb__names_begin(void) HIDDEN;
const char *hb__name(uint32_t id) HIDDEN; /* NULL: it is none of this process */
uint32_t hb__names(void) HIDDEN;          /* identifiers are below this */
/* Copies those from `from` on into a file's table. */
void hb__names_copy(char *table, uint32_t from) HIDDEN;
int hb__name_open(const char *name, uint32_t *ret_id) HIDDEN;
uint32_t hb__name_next(uint32_t id) HIDDEN; /* the first one from id on that has a name; HB_TRACE_EVENT_IDS: none */

/* ---- writing ---- */

enum { HB__PUT, HB__FULL, HB__FAILED };
struct hb__event {
	uint32_t id;
	const void *data;
	size_t bytes;
	const void *address;
	uint64_t tick; /* 0: now */
	bool own;      /* of the stream itself: it may take what is reserved */
};
static inline unsigned hb__cells(size_t bytes)
{
	return bytes <= HB_CELL_DATA
		       ? 1
		       : 1 + (unsigned)((bytes - HB_CELL_DATA + HB_CELL_DATA_MORE - 1) / HB_CELL_DATA_MORE);
}
int hb__put(struct hb__stream *stream, const struct hb__event *event) HIDDEN;
/* An event of the stream itself, unless it is filtered out. */
void hb__put_own(struct hb__stream *stream, uint32_t id, const void *data, size_t bytes) HIDDEN;
/* An event of the program, to all streams. */
void hb__put_all(uint32_t id, const void *data, size_t bytes, const void *address) HIDDEN;
/* A stream that was full goes on. */
void hb__resume(struct hb__stream *stream) HIDDEN;

/* ---- reading ---- */

enum { HB__PATIENCE = 100000000 }; /* nanoseconds: so long is waited for others, which may be stopped, or have left */

/* One at a time reads or flushes. False: another one does. Waiting while this thread does, as a handler of signals may: false. */
void hb__lock(struct hb_stream_head *head) HIDDEN;
bool hb__try_lock(struct hb_stream_head *head) HIDDEN;
bool hb__lock_patiently(struct hb_stream_head *head) HIDDEN;
void hb__unlock(struct hb_stream_head *head) HIDDEN;
/* The next record at *at or behind it, before `end`: its cells are copied, *at is where it stands. 0: none is ready.
 * copy NULL: of a stream that does not loop; they are left where they are. */
unsigned hb__peek(struct hb__stream *stream, uint64_t *at, uint64_t end, struct hb_cell *copy) HIDDEN;

/* ---- the log ---- */

/* When somebody else does: it is left to him, he is waited for a while, or as long as it takes. 0 or an error number (EBUSY). */
enum hb__patience { HB__TRY, HB__PATIENT, HB__WAIT };
int hb__flush(struct hb__stream *stream, enum hb__patience patience) HIDDEN;
int hb__flush_locked(struct hb__stream *stream) HIDDEN;
/* What is in the head and in the names, for a file that is not mapped. */
int hb__write_head(struct hb__stream *stream) HIDDEN;

/* ---- identifiers of streams ---- */

/* NULL: none of these. control: the lock that creating and ending streams take. */
struct hb__stream *hb__stream_of(hb_trace_id_t trid) HIDDEN;
struct hb__recorded *hb__recorded_of(hb_trace_id_t trid) HIDDEN;
extern pthread_mutex_t hb__control HIDDEN;
bool hb__begin(void) HIDDEN; /* what all need, once: false: no memory */
/* Shuts all streams of this process down, as its end does. */
void hb__end(void) HIDDEN;

#endif
