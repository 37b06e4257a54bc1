/* The rows of a raw log: the constants and the coding of integers that the
 * writer in the target and the reader share. docs/man/hbdb-recording.5 is the
 * normative description; this header follows it. */
#ifndef HBDB_FORMAT_ROW_H
#define HBDB_FORMAT_ROW_H

#include <stdint.h>
#include <string.h>

#include <hbdb/format.h> /* levels and states */

#include "base/little.h"

#define HB_LOG_MAGIC "HBDBLOG\n"
/* A process that begins another program (exec) writes a log for each of them: to the PID in the name of the file this is added, as often as it has
 * one already. No process has so high a number. */
#define HB_LOG_PROGRAM 4194304u
#define HB_LOG_PROGRAMS 500u
#define HB_LOGS_STOPPED "stopped" /* a file of a recording in which no process begins a log any more */
#define HB_LOG_TOLD 125u          /* why a process stopped: hbdb record --stop told it to; ECANCELED */
#define HB_LOG_BEGUN "begun."     /* then RANK.PID: what a log is called until its header is written */
#define HB_LOG_VERSION 2u         /* of the logs written; all from 1 on are read */
#define HB_LOG_OLDEST 1u
#define HB_LOG_INCOMPAT_SEALED 1u
#define HB_LOG_INCOMPAT_ARGUMENTS 2u /* raw: arguments of slots may change */
#define HB_LOG_INCOMPAT_RING 4u      /* events before the first that are there were given up; or, raw, may have been */
#define HB_LOG_POSTINGS 2u           /* compatible: which thread posted first is told (hbdb-recording(5), THREADS) */
#define HB_LOG_TURNS 1u              /* compatible: locks, atomic operations and shared pointers tell their turns */
#define HB_LOG_KNOWN (HB_LOG_INCOMPAT_SEALED | HB_LOG_INCOMPAT_ARGUMENTS | HB_LOG_INCOMPAT_RING)
#define HB_UNIT_SIZE 32768u
#define HB_UNIT_PAYLOAD 64u
#define HB_UNIT_MAGIC 0x55444248u /* "HBDU" */
#define HB_LANE_DEFINITIONS 65535u
#define HB_LANE_WAITS 16384u /* where the requests waited for stand in a lane control unit */

enum { HB_UNIT_LANE = 1, HB_UNIT_ROWS = 2, HB_UNIT_ACCOUNT = 3 };

enum { /* the first uv of a record */
	HB_ROW_DEF = 1,
	HB_ROW_POLLS = 2,
	HB_ROW_RESULT = 3,
	HB_ROW_NOTE = 4,
	HB_ROW_RESULTS = 5,
	HB_ROW_MARK = 6,
	HB_ROW_SKIPPED = 7,
	HB_ROW_ARGUMENT = 8,
	HB_ROW_REMARK = 9,
	HB_ROW_EVENT = 16,
};

enum { /* kinds of definitions */
	HB_DEF_FUNCTION = 1,
	HB_DEF_MODULE = 2,
	HB_DEF_SITE = 3,
	HB_DEF_SLOT = 4,
	HB_DEF_COMM = 5,
	HB_DEF_DATATYPE = 6,
	HB_DEF_OP = 7,
	HB_DEF_SIGNATURE = 8,
	HB_DEF_ARRAY = 9, /* 8 is a datatype's signature */
	HB_DEF_ORIGIN = 10,
	HB_DEF_TEXT = 11,
	HB_DEF_VALUES = 12,
	HB_DEF_PROCESS = 13,
	HB_DEF_BRIDGE = 14,
	HB_DEF_REMARK = 15,
	HB_DEF_LAYER = 16,
	HB_DEF_PLACE = 17,
	HB_DEF_NETWORK = 18,
	HB_DEF_PROCESSOR = 19,
	HB_DEF_MEMBERS = 20,
};

enum { HB_CLASSES_MPI = 10 }; /* classes of functions from here on are not of MPI */
enum { HB_SLOT_CHECK = 1 };   /* flags of a slot */
enum { HB_TYPE_INTEGER, HB_TYPE_REAL, HB_TYPE_TEXT, HB_TYPE_UNSIGNED, HB_TYPES }; /* of values */
#define HB_FUNCTIONS_MOST ((HB_LANE_WAITS - 256) / 8)                             /* functions that a lane can count */

enum { /* status codes in results */
	HB_ST_AS_POSTED = 0,
	HB_ST_MESSAGE = 1,
	HB_ST_CANCELLED = 2,
	HB_ST_ERROR = 3,
	HB_ST_NULL = 4,
	HB_ST_UNKNOWN = 5,
	HB_ST_CONTENTS = 6, /* as posted, and the check of a collective's contents */
};

/* The file header, as it lies in the first 4096 bytes. */
struct hb_log_header {
	char magic[8];
	uint32_t version, incompatible, compatible, unit_size;
	int32_t rank, size;
	uint32_t pid, level;
	uint64_t tick_fs, origin_real, origin_mono, last_tick, last_mono;
	uint32_t state, stopped;
	uint64_t units;
	uint32_t thread_level, library;
	char host[64], version_text[256], program[512];
	uint64_t lost;
	uint32_t signal,
		signal_lane; /* with remarks: the signal that ended the process, 1 + lane of the thread that got it */
	uint64_t checksum;   /* of all before it, once the process has ended MPI; 0: none */
	uint64_t account;    /* of a ring: generation << 32 | units of the account in force; 0: nothing was given up */
} __attribute__((packed)) HB_LITTLE_ENDIAN;

/* Where a lock of the process stands in the first unit (pthread_mutex_t, robust): the kernel marks it when the process ends. */
#define HB_LOG_LIFE 4096

struct hb_unit_header {
	uint32_t magic;
	uint16_t kind, lane;
	uint32_t seq, committed, closed, generation; /* generation: of an account */
	uint64_t checksum, events_before, base_tick;
	uint64_t head; /* closed: checksum of the 48 bytes before it; 0: none */
	uint64_t spare;
} HB_LITTLE_ENDIAN;

/* One of those in a lane's control, for who has their address. */
struct hb_count {
	uint64_t n;
} HB_LITTLE_ENDIAN;

struct hb_lane_control {
	struct hb_unit_header unit;
	uint64_t thread, polls, inside, inside_enter, events;
	uint64_t asked;          /* with remarks: 1 + events when the last call that completes or polls began */
	uint64_t polling, waits; /* of that call: 1 + its slot when it polls; how many requests it waits for */
	uint64_t task;           /* number of the thread in its system; 0: not known */
	uint64_t faults;         /* with remarks: how many of them are about erroneous arguments */
	uint64_t spare[14];
	uint64_t calls[(HB_LANE_WAITS - 256) / 8];
	uint64_t wait[(HB_UNIT_SIZE - HB_LANE_WAITS) / 8]; /* LANE << 48 | POSTING */
} HB_LITTLE_ENDIAN;

_Static_assert(sizeof(struct hb_log_header) == 968, "as in hbdb-recording.5");
_Static_assert(sizeof(struct hb_unit_header) == HB_UNIT_PAYLOAD, "as in hbdb-recording.5");
_Static_assert(sizeof(struct hb_lane_control) == HB_UNIT_SIZE, "as in hbdb-recording.5");
_Static_assert(__builtin_offsetof(struct hb_lane_control, calls) == 256, "as in hbdb-recording.5");
_Static_assert(__builtin_offsetof(struct hb_lane_control, wait) == HB_LANE_WAITS, "as in hbdb-recording.5");

#define HB_UV_MAX 10 /* bytes of the longest uv */

static inline uint8_t *hb_put_uv(uint8_t *p, uint64_t v)
{
	while (__builtin_expect(v >= 0x80, 0)) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

static inline uint64_t hb_zigzag(int64_t n) { return ((uint64_t)n << 1) ^ (uint64_t)(n >> 63); }
static inline int64_t hb_unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }
static inline uint8_t *hb_put_sv(uint8_t *p, int64_t n) { return hb_put_uv(p, hb_zigzag(n)); }

static inline uint8_t *hb_put_str(uint8_t *p, const char *s, size_t n)
{
	p = hb_put_uv(p, n);
	memcpy(p, s, n);
	return p + n;
}

/* Reads a uv in [p, end). Returns the byte after it, or NULL when it is cut or longer than 64 bits. Most are one byte, and
 * whoever reads a row reads a dozen. */
static inline const uint8_t *hb_get_uv(const uint8_t *p, const uint8_t *end, uint64_t *ret_v)
{
	uint64_t v = 0;
	if (__builtin_expect(p < end && *p < 0x80, 1)) {
		*ret_v = *p;
		return p + 1;
	}
	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint8_t b = *p++;
		if (shift == 63 && b > 1)
			return NULL;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			*ret_v = v;
			return p;
		}
	}
	return NULL;
}

static inline const uint8_t *hb_get_sv(const uint8_t *p, const uint8_t *end, int64_t *ret_n)
{
	uint64_t v;
	p = hb_get_uv(p, end, &v);
	if (p)
		*ret_n = hb_unzigzag(v);
	return p;
}

/* ---- digests of sequences of basic datatypes: polynomials modulo 2^61 - 1, so that those of a sequence of sequences follow
 * from theirs, without listing it (definitions of kind 8) ---- */

#define HB_SIGNATURE_MODULUS ((1ull << 61) - 1)
#define HB_SIGNATURE_BASE 1000003ull

#if defined(__SIZEOF_INT128__) /* where there is MPI */

__extension__ typedef unsigned __int128 hb_wide;

struct hb_sequence {
	uint64_t digest, elements;
};

static inline uint64_t hb_signature_times(uint64_t a, uint64_t b)
{
	hb_wide p = (hb_wide)a * b;
	uint64_t r = (uint64_t)(p & HB_SIGNATURE_MODULUS) + (uint64_t)(p >> 61);
	return r >= HB_SIGNATURE_MODULUS ? r - HB_SIGNATURE_MODULUS : r;
}

static inline uint64_t hb_signature_power(uint64_t n)
{
	uint64_t r = 1;
	for (uint64_t b = HB_SIGNATURE_BASE; n; n >>= 1, b = hb_signature_times(b, b))
		if (n & 1)
			r = hb_signature_times(r, b);
	return r;
}

/* One element. */
static inline struct hb_sequence hb_signature_one(uint32_t basic) { return (struct hb_sequence){basic + 1u, 1}; }

/* a, then b. */
static inline struct hb_sequence hb_signature_then(struct hb_sequence a, struct hb_sequence b)
{
	uint64_t d = hb_signature_times(a.digest, hb_signature_power(b.elements)) + b.digest;
	return (struct hb_sequence){d >= HB_SIGNATURE_MODULUS ? d - HB_SIGNATURE_MODULUS : d, a.elements + b.elements};
}

/* a, count times. */
static inline struct hb_sequence hb_signature_repeat(struct hb_sequence a, uint64_t count)
{
	struct hb_sequence r = {0, 0};
	for (; count; count >>= 1, a = hb_signature_then(a, a))
		if (count & 1)
			r = hb_signature_then(r, a);
	return r;
}

#endif

#endif
