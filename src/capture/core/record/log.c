/* The file of a process: a header, then units, mapped chunk by chunk. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/core/file.h"
#include "capture/core/layer.h"
#include "capture/core/record/record.h"

#define CHUNKS 4096
#define CHUNK_UNITS_MAX 128u /* 4 MiB */
#define PREPARED 8u          /* units whose pages are made at once, of all chunks but the first */

struct hb__clock hb__clock;

struct chunk {
	uint8_t *base;
	uint64_t first; /* number of its first unit in the file */
	uint32_t units, given, done;
};

static struct {
	struct hb__file_lock lock;
	bool discard;
	char dir[4096];
	struct hb__file at;
	struct hb_log_header *header;
	struct chunk chunk[CHUNKS];
	uint32_t chunks, now; /* now: the one that units are taken from */
	uint64_t units;       /* allocated in the file */
} file = {.lock = {.mutex = PTHREAD_MUTEX_INITIALIZER}};

static void lock(void) { hb__file_lock(&file.lock); }
static void unlock(void) { hb__file_unlock(&file.lock); }

/* Two readings of both clocks far enough apart give the rate; MPI_Init lies between them. */
static uint64_t start_count, start_mono;
static uint64_t began_mono; /* the process: of one that was forked, later */

__attribute__((constructor)) static void clock_start(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	if (!hb__clock.stands && __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8))
		hb__clock.counter = true;
#endif
	start_mono = began_mono = hb__both_clocks(&start_count);
}

static double clock_calibrate(void)
{
	uint64_t count, mono = hb__both_clocks(&count);
	while (mono - start_mono < 2000000) /* a process that reaches here within 2 ms waits */
		mono = hb__both_clocks(&count);
	double ns = hb__clock.counter ? (double)(mono - start_mono) / (double)(count - start_count) : 1.0;
	hb__clock.shift = 0;
	while (ns * (double)(1u << hb__clock.shift) < 4.0)
		hb__clock.shift++;
	hb__clock.zero = count;
	hb__clock.mono_zero = mono;
	hb__clock.real_zero = hb__system_ns(CLOCK_REALTIME);
	return ns * (double)(1u << hb__clock.shift);
}

uint64_t hb__log_began(void) { return hb__clock.real_zero - (hb__clock.mono_zero - began_mono); }

/* The mapping stays as it is: it is the parent's, whose place in the child nobody knows any more. */
void hb__log_forked(void)
{
	file.lock.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	file.header = NULL;
	file.chunks = file.now = 0;
	file.units = 0;
	hb__ring_forked();
	began_mono = hb__system_ns(CLOCK_MONOTONIC);
}

static void stop(int why, const char *doing)
{
	struct hb_log_header *h = file.header;
	if (h && h->stopped)
		return;
	if (h)
		h->stopped = (uint32_t)why;
	if (hb__file_is_over()) /* it may not even say so */
		return;
	hb__say("cannot %s %s: %s; the program goes on, %s", doing, file.at.path, strerror(why),
		h ? "but its recording ends here" : "but it is not recorded");
}

static int chunk_add(uint32_t units)
{
	void *p;
	if (file.chunks == CHUNKS)
		return EFBIG;
	int e = hb__file_map(&file.at, (off_t)file.units * HB_UNIT_SIZE, (size_t)units * HB_UNIT_SIZE, &p);
	if (e)
		return e;
	file.chunk[file.chunks++] = (struct chunk){.base = p, .first = file.units, .units = units};
	file.units += units;
	return 0;
}

/* A process that comes as far as the second chunk writes much. */
static void *take(struct chunk *k)
{
	uint8_t *unit = k->base + (size_t)HB_UNIT_SIZE * k->given;
	if (k->first && k->given % PREPARED == 0 && k->units - k->given >= PREPARED)
		hb__file_prepare(
			&file.at, (off_t)(k->first + k->given) * HB_UNIT_SIZE, (size_t)PREPARED * HB_UNIT_SIZE, unit);
	k->given++;
	return unit;
}

/* So that there is a unit to take. 0, or an errno. */
static int next_chunk(void)
{
	const struct chunk *last = &file.chunk[file.now];
	int e = 0;
	if (last->given < last->units)
		return 0;
	if (file.now + 1 == file.chunks) {
		uint32_t more = last->units * 2 > CHUNK_UNITS_MAX ? CHUNK_UNITS_MAX : last->units * 2;
		e = chunk_add(more);
		if ((e == ENOSPC || e == EFBIG || e == ENOMEM) && more > 1) /* the last bit of room is worth having */
			e = chunk_add(1);
	}
	file.now += !e;
	return e;
}

void hb__log_ahead(void)
{
	lock();
	if (file.header && !file.header->stopped)
		chunk_add(CHUNK_UNITS_MAX);
	unlock();
}

void hb__log_give(uid_t user)
{
	if (file.header && user != (uid_t)-1)
		hb__file_give(&file.at, user);
}

void *hb__log_unit(void)
{
	void *unit = NULL;
	lock();
	if (file.header && !file.header->stopped) {
		int e = next_chunk();
		if (e) {
			stop(e, "extend");
		} else {
			unit = take(&file.chunk[file.now]);
			file.header->units++;
			uint64_t count;
			file.header->last_mono = hb__both_clocks(&count);
			uint64_t tick = (count - hb__clock.zero) >> hb__clock.shift;
			file.header->last_tick = tick;
		}
	}
	unlock();
	return unit;
}

void hb__log_unit_done(struct hb_unit_header *unit)
{
	lock();
	for (uint32_t i = file.chunks; i-- > 0;) {
		struct chunk *k = &file.chunk[i];
		uint8_t *p = (uint8_t *)unit;
		if (!k->base || p < k->base || p >= k->base + (size_t)k->units * HB_UNIT_SIZE)
			continue;
		/* The first chunk holds the header and the first lane: it stays. */
		if (++k->done == k->units && i > 0) {
			munmap(k->base, (size_t)k->units * HB_UNIT_SIZE);
			k->base = NULL;
		}
		break;
	}
	unlock();
}

void hb__log_lost(void)
{
	if (file.header)
		HB_ADD(file.header, lost, 1, __ATOMIC_RELAXED);
}

bool hb__log_stops(void) { return !file.header || file.header->stopped; }

void hb__log_account(uint64_t account)
{
	uint64_t count;
	lock();
	if (file.header) {
		file.header->last_mono = hb__both_clocks(&count);
		file.header->last_tick = (count - hb__clock.zero) >> hb__clock.shift;
		HB_STORE(file.header, account, account, __ATOMIC_RELEASE);
	}
	unlock();
}

bool hb__log_discards(void) { return file.discard; }

const char *hb__log_file(void)
{
	const char *slash = strrchr(file.at.path, '/');
	return slash ? slash + 1 : file.at.path;
}

/* Until its header is written a log has a name that no reader knows: a process that dies here leaves no log that cannot be read. */
static int create(void)
{
	snprintf(file.at.path, sizeof file.at.path, "%s/" HB_LOG_BEGUN "%d.%d", file.dir, hb__rank, (int)getpid());
	int e = hb__file_create(&file.at);
	return e ? e : chunk_add(4); /* header, lane 0, its rows, definitions */
}

/* rank.N.log; where another process has that name or may have it: rank.N.PID.log, or what an earlier program of this process leaves of those. */
static int publish(bool by_pid)
{
	char path[sizeof file.at.path];
	int e = EEXIST;
	snprintf(path, sizeof path, "%s/rank.%d.log", file.dir, file.discard ? hb__replayed_as() : hb__rank);
	if (!strcmp(path, file.at.path))
		return 0;
	if (!by_pid)
		e = hb__file_give_name(file.at.path, path);
	for (unsigned program = 0; e == EEXIST && program < HB_LOG_PROGRAMS; program++) {
		snprintf(path, sizeof path, "%s/rank.%d.%u.log", file.dir, file.discard ? hb__replayed_as() : hb__rank,
			(unsigned)getpid() + program * HB_LOG_PROGRAM);
		e = strcmp(path, file.at.path) ? hb__file_give_name(file.at.path, path) : 0;
	}
	if (!e)
		memcpy(file.at.path, path, sizeof path);
	if (!e && hb__tracing)
		hb__tracing->named(file.at.path, hb__rank, hb__size);
	return e;
}

static char program[sizeof((struct hb_log_header *)0)->program];

void hb__log_remember_program(void)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	program[n > 0 ? n : 0] = 0;
}

static void header_fill(struct hb_log_header *h, double tick_ns)
{
	memcpy(h->magic, HB_LOG_MAGIC, 8);
	h->version = HB_LOG_VERSION;
	h->incompatible =
		(hb__config.order ? 0 : HB_LOG_INCOMPAT_ARGUMENTS) | (hb__config.ring ? HB_LOG_INCOMPAT_RING : 0);
	h->compatible = HB_LOG_TURNS;
	h->unit_size = HB_UNIT_SIZE;
	h->rank = hb__rank;
	h->size = hb__size;
	h->pid = (uint32_t)getpid();
	h->level = hb__config.racing ? HB_LEVEL_RACING : hb__config.order ? HB_LEVEL_ORDER : HB_LEVEL_EVENTS;
	h->tick_fs = (uint64_t)(tick_ns * 1e6);
	h->origin_real = hb__clock.real_zero;
	h->origin_mono = hb__clock.mono_zero;
	h->library = hb__forked() ? 0 : hb__layers_library(h->version_text, sizeof h->version_text);
	gethostname(h->host, sizeof h->host - 1);
	ssize_t n = readlink("/proc/self/exe", h->program, sizeof h->program - 1);
	h->program[n > 0 ? n : 0] = 0;
	if (n <= 0)
		memcpy(h->program, program, sizeof program);
	h->units = 1;
}

/* hbdb waits for the end of the process by a lock that it holds: see tool/making/deaths.c. The lock ends with its thread, so only the
 * first thread takes it, which mostly lasts as long as the process. */
static void hold_life(struct hb_log_header *h)
{
	pthread_mutex_t *life = (pthread_mutex_t *)((char *)h + HB_LOG_LIFE);
	pthread_mutexattr_t shared;
	_Static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0, "the futex stands first");
	if (gettid() != getpid() || pthread_mutexattr_init(&shared))
		return;
	if (!pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) &&
		!pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST) && !pthread_mutex_init(life, &shared))
		pthread_mutex_lock(life);
	pthread_mutexattr_destroy(&shared);
}

bool hb__log_create(const char *dir, bool discard)
{
	double tick_ns = clock_calibrate();
	file.discard = discard;
	lock();
	snprintf(file.dir, sizeof file.dir, "%s", dir);
	int e = create();
	struct hb_log_header *h = e ? NULL : take(&file.chunk[0]);
	if (h) {
		header_fill(h, tick_ns);
		hold_life(h);
		e = publish(hb__spawned || hb__begun_early());
	}
	if (e)
		hb__file_remove(&file.at);
	unlock();
	if (e) {
		stop(e, "create");
		return false;
	}
	file.header = h;
	return true;
}

void hb__log_state(uint32_t state)
{
	if (file.header)
		file.header->state = state;
}

/* From a signal handler. */
void hb__log_signal(uint32_t signal, uint32_t lane)
{
	if (!file.header)
		return;
	uint64_t had = file.header->checksum;
	file.header->checksum = 0;
	file.header->signal_lane = lane;
	file.header->signal = signal;
	if (had)
		file.header->checksum = hb__header_sum(file.header);
}

void hb__log_finish(uint32_t state)
{
	struct hb_log_header *h = file.header;
	if (!h)
		return;
	lock();
	uint64_t count;
	h->last_mono = hb__both_clocks(&count);
	h->last_tick = (count - hb__clock.zero) >> hb__clock.shift;
	h->state = state;
	hb__lanes_sum(state == HB_STATE_FINALIZED);
	hb__definitions_sum();
	h->checksum = hb__header_sum(h);
	/* Give back what was allocated ahead; failing to is harmless. */
	if (!hb__file_cut(&file.at, (off_t)h->units * HB_UNIT_SIZE))
		file.units = h->units;
	unlock();
}

void hb__log_identity(bool layer)
{
	struct hb_log_header *h = file.header;
	if (!h)
		return;
	h->rank = hb__rank;
	h->size = hb__size;
	h->library = 0;
	memset(h->version_text, 0, sizeof h->version_text);
	if (layer)
		h->library = hb__layers_library(h->version_text, sizeof h->version_text);
	lock();
	int e = hb__file_is_over() ? 0 : publish(!layer || hb__spawned);
	unlock();
	if (e)
		stop(e, "rename");
}

void hb__log_postings(void)
{
	if (file.header)
		file.header->compatible |= HB_LOG_POSTINGS;
}

void hb__log_thread_level(int level)
{
	if (file.header)
		file.header->thread_level = (uint32_t)level;
}
