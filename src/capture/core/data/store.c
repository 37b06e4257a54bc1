/* The file of contents: blocks and extents, and which contents are in it already. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/data/data.h"
#include "capture/core/file.h"
#include "capture/core/memory/memory.h"
#include "capture/core/record/record.h"
#include "format/data/raw.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define LEFT_MOST ((uint64_t)256 << 20) /* bytes of a disk that are left to events, of a small one an eighth */
#define ASKING_MOST 32                  /* processes that may ask for room at the same moment */
#define AHEAD_BYTES ((size_t)2 << 20)   /* what a process still gets that can make no calls for files any more */

bool hb__data_keeps, hb__data_writes;

static struct {
	struct hb__file_lock lock;
	struct hb__file at;
	struct hb_data_header *header;
	uint8_t *ahead; /* mapped, and not given yet: the blocks that come next in the file */
	uint32_t ahead_blocks;
} file = {.lock = {.mutex = PTHREAD_MUTEX_INITIALIZER}};

/* What came in before the process had a name: extents in memory, which become the first ones of the file. */
#define EARLY_MOST 1024u /* extents */
static struct {
	bool now;
	pthread_mutex_t lock; /* held as long as an item is written: none may be cut in two when the file begins */
	struct hb_data_extent *extent[EARLY_MOST];
	uint32_t n;
	uint64_t blocks, came;
} early = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void) { hb__file_lock(&file.lock); }
static void unlock(void) { hb__file_unlock(&file.lock); }

/* ---- the file ---- */

/* Whether the rank is in a list like 0,3-5; an empty one has all. */
static bool listed(const char *list, int rank)
{
	if (!list || !*list)
		return true;
	for (const char *p = list; *p; p += *p == ',') {
		char *end;
		long first = strtol(p, &end, 10), last = first;
		if (end == p)
			return false;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (rank >= first && rank <= last)
			return true;
		p = end;
	}
	return false;
}

static void stop(int why, const char *doing)
{
	hb__data_keeps = hb__data_writes = false;
	if (file.header && file.header->stopped)
		return;
	if (file.header)
		file.header->stopped = (uint32_t)why;
	if (hb__file_is_over()) /* it may not even say so */
		return;
	hb__say("cannot %s %s: %s; the program goes on and its events are recorded, but %s from here on is not kept",
		doing, file.at.path, strerror(why),
		hb__config.data ? "what comes into it" : "what contents its messages have");
}

/* rank.N.log -> rank.N.data */
static void path_beside_log(char *path, size_t size)
{
	const char *log = hb__log_file();
	size_t n = strlen(log);
	n -= n > 4 && !strcmp(log + n - 4, ".log") ? 4 : 0;
	const char *dir = hb__config.mode == HB__REPLAY ? hb__config.replay_log : hb__config.dir;
	snprintf(path, size, "%s/%.*s.data", dir, (int)n, log);
}

static int create(const char *path)
{
	void *p = NULL;
	snprintf(file.at.path, sizeof file.at.path, "%s", path);
	int e = hb__file_create(&file.at);
	if (!e)
		e = hb__file_map(&file.at, 0, HB_DATA_BLOCK, &p);
	if (e)
		return e;
	struct hb_data_header *h = p;
	h->version = HB_DATA_VERSION;
	h->rank = hb__rank;
	h->pid = (uint32_t)getpid();
	h->blocks = 1;
	memcpy(h->magic, HB_DATA_MAGIC, sizeof h->magic); /* from here on it is one */
	file.header = h;
	return 0;
}

void hb__data_early(void) { hb__data_keeps = early.now = true; }

static __thread bool holds __attribute__((tls_model("initial-exec")));

void hb__data_hold(void)
{
	if (likely(!__atomic_load_n(&early.now, __ATOMIC_ACQUIRE)))
		return;
	pthread_mutex_lock(&early.lock);
	holds = true;
}

bool hb__data_holds(void) { return holds; }

void hb__data_release(void)
{
	if (likely(!holds))
		return;
	holds = false;
	pthread_mutex_unlock(&early.lock);
}

static struct hb_data_extent *early_extent(uint32_t kind, uint32_t blocks, uint64_t *ret_at)
{
	struct hb_data_extent *x = early.n < EARLY_MOST ? hb__pages((size_t)blocks * HB_DATA_BLOCK) : NULL;
	if (!x)
		return NULL;
	x->magic = HB_DATA_EXTENT;
	x->kind = kind;
	x->blocks = blocks;
	*ret_at = (1 + early.blocks) * HB_DATA_BLOCK;
	early.extent[early.n++] = x;
	early.blocks += blocks;
	return x;
}

/* They stay where they are for those who write to them, and are in the file. */
static int take_early(void)
{
	uint64_t at = HB_DATA_BLOCK;
	for (uint32_t i = 0; i < early.n; i++) {
		size_t bytes = (size_t)early.extent[i]->blocks * HB_DATA_BLOCK;
		void *p, *to = early.extent[i];
		int e = hb__file_map(&file.at, (off_t)at, bytes, &p);
		if (e)
			return e;
		memcpy(p, to, bytes);
		/* not by the C library's name: what libraries of MPI put in its place loses the new address */
		if (syscall(SYS_mremap, p, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) < 0)
			return errno;
		at += bytes;
		file.header->blocks = at / HB_DATA_BLOCK;
	}
	file.header->came = early.came;
	return early.n == EARLY_MOST ? ENOBUFS : 0;
}

/* A recorded replay has digests, too, so that it can be compared. */
static bool is_asked_for(void)
{
	if (hb__config.mode == HB__REPLAY)
		return hb__config.whole && *hb__config.replay_log;
	/* also of a child by fork, which is not in the mode of its parent */
	return hb__config.data || hb__config.whole;
}

void hb__data_start(void)
{
	char path[sizeof file.at.path];
	if (!is_asked_for())
		return;
	path_beside_log(path, sizeof path);
	hb__data_hold();
	lock();
	int e = 0;
	bool begins = false, keeps = hb__config.data && listed(getenv("HBDB_DATA_RANKS"), hb__rank);
	if (!file.header && (keeps || (hb__config.whole && !hb__config.data))) {
		e = create(path);
		e = e || !keeps ? e : take_early();
		hb__data_writes = !e;
		hb__data_keeps = begins = !e && keeps;
	} else if (!file.header) {
		hb__data_keeps = false;
	} else if (file.header && strcmp(path, file.at.path)) {
		file.header->rank = hb__rank;
		e = hb__file_give_name(file.at.path, path);
		if (!e)
			snprintf(file.at.path, sizeof file.at.path, "%s", path);
	}
	__atomic_store_n(&early.now, false, __ATOMIC_RELEASE);
	unlock();
	hb__data_release();
	if (e)
		stop(e, file.header ? "write" : "create");
	if (begins)
		hb__data_tell_command();
}

void hb__data_give(uid_t user)
{
	if (file.header)
		hb__file_give(&file.at, user);
}

void hb__data_told(void)
{
	if (file.header)
		file.header->state = 1;
}

void hb__data_finish(void)
{
	hb__data_keeps = hb__data_writes = false;
	if (!file.header)
		return;
	lock();
	hb__file_cut(&file.at,
		(off_t)(file.header->blocks * HB_DATA_BLOCK)); /* what was allocated ahead; failing to is harmless */
	unlock();
}

/* What contents leave on a disk is for events, which are few beside them: a full disk stops the contents, not the events. */
static bool leaves_room(size_t bytes)
{
	struct statfs disk;
	if (syscall(SYS_statfs, file.at.path, &disk))
		return true; /* then the disk says so when it is full */
	uint64_t left = (uint64_t)disk.f_blocks * (uint64_t)disk.f_bsize / 8;
	left = left < LEFT_MOST ? left : LEFT_MOST;
	/* the others may be asking at this moment, too */
	bytes *= hb__size > ASKING_MOST ? ASKING_MOST : hb__size > 1 ? (size_t)hb__size : 1;
	return (uint64_t)disk.f_bavail * (uint64_t)disk.f_bsize >= left + bytes;
}

void hb__data_ahead(void)
{
	void *p;
	lock();
	if (file.header && !file.header->stopped && !file.ahead_blocks && leaves_room(AHEAD_BYTES) &&
		!hb__file_map(&file.at, (off_t)(file.header->blocks * HB_DATA_BLOCK), AHEAD_BYTES, &p)) {
		file.ahead = p;
		file.ahead_blocks = AHEAD_BYTES / HB_DATA_BLOCK;
	}
	unlock();
}

/* Blocks that the file has grown by ahead. What is left when it is not enough is given up. */
static void *from_ahead(uint32_t need, uint32_t *blocks)
{
	uint8_t *p = file.ahead;
	if (likely(!file.ahead_blocks))
		return NULL;
	if (file.ahead_blocks < need) {
		munmap(p, (size_t)file.ahead_blocks * HB_DATA_BLOCK);
		file.ahead_blocks = 0;
		return NULL;
	}
	*blocks = *blocks < file.ahead_blocks ? *blocks : file.ahead_blocks;
	file.ahead += (size_t)*blocks * HB_DATA_BLOCK;
	file.ahead_blocks -= *blocks;
	return p;
}

/* Also where the last bit of room is worth having. 0, or an errno. */
static int new_blocks(uint32_t need, uint32_t *blocks, uint64_t at, void **ret)
{
	*ret = from_ahead(need, blocks);
	if (unlikely(*ret != NULL))
		return 0;
	int e = leaves_room((size_t)*blocks * HB_DATA_BLOCK)
			? hb__file_map(&file.at, (off_t)at, (size_t)*blocks * HB_DATA_BLOCK, ret)
			: ENOSPC;
	if (e && *blocks > need && leaves_room((size_t)need * HB_DATA_BLOCK)) {
		*blocks = need;
		e = hb__file_map(&file.at, (off_t)at, (size_t)*blocks * HB_DATA_BLOCK, ret);
	}
	return e;
}

struct hb_data_extent *hb__data_extent(uint32_t kind, size_t bytes, uint32_t blocks, uint64_t *ret_at)
{
	void *p = NULL;
	size_t need = (bytes + HB_DATA_HEAD + HB_DATA_BLOCK - 1) / HB_DATA_BLOCK;
	int e = EFBIG;
	lock();
	blocks = blocks < need ? (uint32_t)need : blocks;
	if (early.now && need < UINT32_MAX) {
		struct hb_data_extent *first = early_extent(kind, blocks, ret_at);
		unlock();
		return first;
	}
	if (file.header && !file.header->stopped && need < UINT32_MAX) {
		*ret_at = file.header->blocks * HB_DATA_BLOCK;
		e = new_blocks((uint32_t)need, &blocks, *ret_at, &p);
	}
	struct hb_data_extent *x = e ? NULL : p;
	if (x) {
		if (likely(!hb__file_is_over())) /* one call instead of a fault for each page */
			madvise(p, (size_t)blocks * HB_DATA_BLOCK, MADV_POPULATE_WRITE);
		x->kind = kind;
		x->blocks = blocks;
		HB_STORE(x, magic, HB_DATA_EXTENT, __ATOMIC_RELEASE);
		HB_STORE(file.header, blocks, file.header->blocks + blocks, __ATOMIC_RELEASE);
	}
	unlock();
	if (e)
		stop(e, "extend");
	return x;
}

void hb__data_extent_done(struct hb_data_extent *x)
{
	if (x && !early.now)
		munmap(x, (size_t)x->blocks * HB_DATA_BLOCK);
}

void hb__data_came(size_t bytes)
{
	if (file.header)
		HB_ADD(file.header, came, bytes, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&early.came, bytes, __ATOMIC_RELAXED);
}

/* ---- what is stored already ---- */

#define SETS 8192u
#define WAYS 4u
struct stored {
	uint64_t low, high, at;
};
static struct stored *table; /* SETS * WAYS */
static int table_lock;
static uint32_t hand;

/* Threads do not wait for each other here: who comes second stores its contents once more. */
uint64_t hb__data_known(const void *p, size_t bytes, uint64_t at)
{
	struct hb__wide h = hb__hash_wide(p, bytes);
	uint64_t found = at;
	if (__atomic_exchange_n(&table_lock, 1, __ATOMIC_ACQUIRE))
		return at;
	if (!table)
		table = hb__pages(SETS * WAYS * sizeof *table);
	if (table) {
		struct stored *set = &table[(h.low % SETS) * WAYS], *free = NULL;
		for (unsigned i = 0; i < WAYS && found == at; i++) {
			if (set[i].low == h.low && set[i].high == h.high && set[i].at)
				found = set[i].at;
			else if (!set[i].at)
				free = &set[i];
		}
		if (found == at)
			*(free ? free : &set[hand++ % WAYS]) = (struct stored){h.low, h.high, at};
	}
	__atomic_store_n(&table_lock, 0, __ATOMIC_RELEASE);
	return found;
}

static void forget_stored(void)
{
	if (table)
		munmap(table, SETS * WAYS * sizeof *table);
	table = NULL;
	table_lock = 0;
}

/* ---- large contents ---- */

#define PAGE 4096u
#define LARGE_BLOCKS 64u /* of an extent, once there were some smaller ones */

/* Only the page of the head is mapped. It is written before it is touched: a fault for a page that is not in memory reads what lies around it, too,
 * megabytes of an extent that is empty, and that was half of what large contents cost. */
static int map_head(off_t at, size_t blocks, void **ret)
{
	struct hb_data_extent first = {.kind = HB_DATA_BYTES, .blocks = (uint32_t)blocks};
	int e = hb__file_reserve(&file.at, at, blocks * HB_DATA_BLOCK);
	e = e ? e : hb__file_write(&file.at, at, &first, sizeof first);
	return e ? e : hb__file_map(&file.at, at, PAGE, ret);
}

static int large_extent(struct hb__large *l, size_t bytes)
{
	size_t need = (bytes + PAGE + HB_DATA_BLOCK - 1) / HB_DATA_BLOCK;
	void *head = NULL;
	l->blocks = !l->blocks ? 4 : l->blocks < LARGE_BLOCKS ? 2 * l->blocks : LARGE_BLOCKS;
	size_t blocks = need > l->blocks || !leaves_room((size_t)l->blocks * HB_DATA_BLOCK) ? need : l->blocks;
	off_t at = (off_t)(file.header->blocks * HB_DATA_BLOCK);
	int e = !leaves_room(blocks * HB_DATA_BLOCK) ? ENOSPC : map_head(at, blocks, &head);
	if (e)
		return e;
	struct hb_data_extent *x = head;
	HB_STORE(x, magic, HB_DATA_EXTENT, __ATOMIC_RELEASE);
	HB_STORE(file.header, blocks, file.header->blocks + blocks, __ATOMIC_RELEASE);
	if (l->head)
		munmap(l->head, PAGE);
	l->head = x;
	l->at = (uint64_t)at + PAGE;
	l->end = (uint64_t)at + blocks * HB_DATA_BLOCK;
	return 0;
}

bool hb__data_large(struct hb__large *l, const void *p, size_t bytes, uint64_t *ret_at)
{
	int e = 0;
	if (early.now || bytes > (size_t)UINT32_MAX / 2 || file.ahead_blocks || hb__file_is_over())
		return false;
	if (l->end < l->at + bytes) {
		lock();
		bool takes = file.header && !file.header->stopped;
		e = takes ? large_extent(l, bytes) : 0;
		unlock();
		if (!takes)
			return false;
	}
	if (!e) {
		*ret_at = hb__data_known(p, bytes, l->at);
		if (*ret_at != l->at)
			return true;
		e = hb__file_write(&file.at, (off_t)l->at, p, bytes);
	}
	if (e) {
		stop(e, "extend");
		return false;
	}
	uint64_t begin = l->end - (uint64_t)l->head->blocks * HB_DATA_BLOCK;
	HB_STORE(l->head, valid, l->at + bytes - begin - HB_DATA_HEAD, __ATOMIC_RELEASE);
	/* whole pages are a fifth cheaper than parts; what lies between is zeros, of which sealing leaves nothing */
	l->at += (bytes + PAGE - 1) / PAGE * PAGE;
	return true;
}

/* The file is the parent's. */
void hb__data_forked(void)
{
	hb__data_keeps = false;
	file.lock.mutex = early.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	file.header = NULL;
	file.ahead_blocks = 0;
	early.now = holds = false;
	early.n = 0;
	early.blocks = early.came = 0;
	hb__streams_forked();
	forget_stored();
}
