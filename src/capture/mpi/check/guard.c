/* Memory that the program has to leave alone, watched by the processor: an access between two MPI calls is seen, with its
 * place, and costs nothing where there is none. The kernel lends the four breakpoint registers through perf_event_open
 * (PERF_TYPE_BREAKPOINT); where it does not, nothing is watched and `on` says guard=0.
 *
 * What is watched is a few bytes: the first ones, the last ones and some between, fewer of each operation the more there
 * are. Only accesses of this thread count, and only those between the calls, for inside them the library may do what it
 * likes: the registers are switched off there. A trap costs as much as thirty calls, and where the kernel copies into a buffer
 * on behalf of the library there would be one for each byte, which nobody is told of. After some hits a watch is over, so that a
 * loop over window memory does not pay for each of its rounds. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/mpi/check/check.h"
#include "capture/core/memory/memory.h"
#include "capture/core/record/clock.h"

#define REGISTERS 4
#define HITS 4   /* of one watch, then it is over */
#define GIVEN 16 /* that were the library's and do not count as these */
#define SURE 64  /* calls that what is watched outlives in any case; then switching has to be within the credit, too */
#define RING 4096

struct guard {
	const void *key; /* NULL: free */
	uintptr_t address;
	int fd;
	uint64_t id; /* of the event: the program may have closed our descriptor and opened another one there */
	bool told, reads;
	uint8_t given;
	unsigned bytes;
	uint64_t held;  /* what was there */
	unsigned grade; /* of the pieces of one operation: 0 is the last that is given up */
	struct hb_remark_touch owner;
};

struct guards {
	struct guards *next; /* all that there ever were; those of a thread that is gone get another one's */
	bool taken, tried, works;
	bool on;  /* the registers are switched on */
	int ring; /* the event whose buffer all watches write into, and which switches them all */
	uint64_t ring_id;
	uint32_t calls; /* since a register was set */
	struct perf_event_mmap_page *page;
	uint32_t used;
	struct guard guard[REGISTERS];
};
static __thread struct guards *self __attribute__((tls_model("initial-exec")));
static struct guards *all;
static uint32_t turn;
static uint64_t trap; /* what one costs, in counts of the clock */

/* One thread may complete what another one has begun. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

/* group: the event that switches it, -1: none */
static int event_open(struct perf_event_attr *attr, int group)
{
	attr->size = sizeof *attr;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

static int breakpoint(uintptr_t address, unsigned bytes, bool reads, int group)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
		.bp_type = reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W,
		.bp_addr = address,
		.bp_len = bytes,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR,
		.disabled = 1};
	return event_open(&attr, group);
}

/* One ring for all breakpoints of the thread, under an event that counts nothing: so they can come and go and the ring stays. One is set
 * off here, to learn what a hit costs. */
static void start(struct guards *w)
{
	w->tried = true;
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR};
	w->on = true;
	w->ring = event_open(&attr, -1);
	if (w->ring < 0)
		return;
	long page = sysconf(_SC_PAGESIZE);
	void *p = page == RING ? mmap(NULL, 2 * RING, PROT_READ | PROT_WRITE, MAP_SHARED, w->ring, 0) : MAP_FAILED;
	static _Alignas(8) char probe[8];
	int fd = p == MAP_FAILED ? -1 : breakpoint((uintptr_t)probe, HW_BREAKPOINT_LEN_8, false, w->ring);
	w->works = fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, w->ring);
	if (w->works && !trap && !ioctl(fd, PERF_EVENT_IOC_REFRESH, 1)) {
		uint64_t begin = hb__count();
		__atomic_store_n(probe, 1, __ATOMIC_RELAXED);
		trap = hb__count() - begin + 1;
	}
	if (fd >= 0)
		close(fd);
	ioctl(w->ring, PERF_EVENT_IOC_ID, &w->ring_id);
	if (w->works)
		w->page = p;
	else if (p != MAP_FAILED)
		munmap(p, 2 * RING);
	if (!w->works)
		close(w->ring);
}

static bool ours(const struct guard *x)
{
	uint64_t id;
	return !ioctl(x->fd, PERF_EVENT_IOC_ID, &id) && id == x->id;
}

static void release(struct guards *w, struct guard *x)
{
	if (ours(x))
		close(x->fd);
	x->key = NULL;
	w->used--;
	turn++;
	__atomic_fetch_sub(&hb__attention.guards, 1, __ATOMIC_RELAXED);
}

/* A thread leaves: a program may start many. */
static pthread_key_t leaving;
static void thread_gone(void *p)
{
	struct guards *w = p;
	self = NULL;
	lock();
	for (int i = 0; i < REGISTERS; i++)
		if (w->guard[i].key)
			release(w, &w->guard[i]);
	if (w->works) {
		munmap(w->page, 2 * RING);
		struct guard ring = {.fd = w->ring, .id = w->ring_id};
		if (ours(&ring))
			close(w->ring);
	}
	w->works = w->tried = w->taken = false;
	unlock();
}

static struct guards *of_this_thread(void)
{
	static bool has_key;
	struct guards *w, *more = NULL;
	lock();
	if (!has_key)
		has_key = !pthread_key_create(&leaving, thread_gone);
	for (w = all; w && w->taken; w = w->next)
		;
	bool none = !w && has_key;
	unlock();
	if (none) {
		hb__track_lock(); /* the outer one of both */
		more = hb__pool(sizeof *more);
		hb__track_unlock();
	}
	lock();
	for (w = all; w && w->taken; w = w->next)
		;
	if (!w && more) {
		w = more;
		w->next = all;
		all = w;
	}
	if (w) {
		w->taken = true;
		pthread_setspecific(leaving, w);
		start(w);
	}
	unlock();
	return w;
}

bool hb__guard_works(void)
{
	if (unlikely(!self))
		self = of_this_thread();
	return self && self->works;
}

/* ---- which operations ---- */

bool hb__guard_wanted(const struct hb__call *c)
{
	static uint32_t seen[256]; /* by call site */
	return hb__credit(c, &seen[(uintptr_t)c->pc * 0x9e3779b97f4a7c15u >> 56]) && hb__guard_works();
}

/* The widest aligned piece that begins at the address. */
static unsigned width(uintptr_t address, size_t bytes)
{
	for (unsigned n = 8; n > 1; n /= 2)
		if (address % n == 0 && bytes >= n)
			return n;
	return 1;
}

/* A free register, or one that another operation can spare. */
static struct guard *register_for(struct guards *w, unsigned grade)
{
	struct guard *least = NULL;
	for (struct guard *x = w->guard; x < w->guard + REGISTERS; x++) {
		if (!x->key)
			return x;
		if (x->grade > grade && (!least || x->grade > least->grade))
			least = x;
	}
	if (least)
		release(w, least);
	return least;
}

static bool place(struct guards *w, const void *key, uintptr_t address, unsigned bytes, bool reads, unsigned grade,
	const struct hb_remark_touch *owner)
{
	struct guard *free = register_for(w, grade);
	if (!free)
		return false;
	int fd = breakpoint(address, bytes, reads, w->ring);
	if (fd < 0)
		return false;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, w->ring) || ioctl(fd, PERF_EVENT_IOC_REFRESH, HITS)) {
		close(fd);
		return false;
	}
	*free = (struct guard){
		.key = key, .address = address, .fd = fd, .reads = reads, .bytes = bytes, .grade = grade};
	if (!reads)
		hb__copy(&free->held, (const void *)address, bytes);
	ioctl(fd, PERF_EVENT_IOC_ID, &free->id);
	free->owner = *owner;
	w->used++;
	turn++;
	__atomic_fetch_add(&hb__attention.guards, 1, __ATOMIC_RELAXED);
	return true;
}

static void switched(struct guards *w, bool on)
{
	uint64_t begin = hb__count();
	const struct guard ring = {.fd = w->ring, .id = w->ring_id};
	if (ours(&ring))
		ioctl(w->ring, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	w->on = on;
	hb__credit_used(hb__count() - begin);
}

void hb__guard_begin(
	const void *key, const void *address, size_t bytes, bool reads, const struct hb_remark_touch *owner)
{
	if (!address || !bytes || !hb__guard_works())
		return;
	uint64_t begin = hb__count();
	self->calls = 0;
	if (self->on)
		switched(self, false);
	uintptr_t first = (uintptr_t)address, last = first + bytes, second = first + width(first, bytes);
	/* the last bytes tell of a loop over all of them */
	const uintptr_t from[REGISTERS] = {
		first, (last - 1) & ~(uintptr_t)7, second, (first + bytes / 2) & ~(uintptr_t)7};
	uintptr_t watched[REGISTERS][2];
	unsigned n = 0;
	lock();
	for (unsigned i = 0; i < REGISTERS; i++) {
		uintptr_t at = from[i] < first ? first : from[i];
		for (unsigned k = 0; k < n; k++) /* what is watched already is passed over */
			if (at >= watched[k][0] && at < watched[k][1]) {
				at = watched[k][1];
				k = (unsigned)-1;
			}
		if (at >= last)
			continue;
		if (!place(self, key, at, width(at, last - at), reads, n, owner))
			break;
		watched[n][0] = at;
		watched[n++][1] = at + width(at, last - at);
	}
	unlock();
	hb__credit_used(2 * (hb__count() - begin)); /* and to take them away again */
}

uint32_t hb__guard_turn(void) { return turn; }

bool hb__guard_gap(uintptr_t *low, uintptr_t high, uintptr_t *ret_low, uintptr_t *ret_high)
{
	const struct guards *w = self && self->used ? self : NULL;
	uintptr_t from = *low, to = high;
	for (int i = 0; w && i < REGISTERS; i++) { /* what is watched where the piece would begin */
		const struct guard *x = &w->guard[i];
		if (x->key && from >= x->address && from < x->address + x->bytes) {
			from = x->address + x->bytes;
			i = -1;
		}
	}
	for (int i = 0; w && i < REGISTERS; i++)
		if (w->guard[i].key && w->guard[i].address > from && w->guard[i].address < to)
			to = w->guard[i].address;
	*ret_low = from;
	*ret_high = *low = to;
	return from < high;
}

void hb__guard_end(const void *key)
{
	if (!__atomic_load_n(&hb__attention.guards, __ATOMIC_RELAXED))
		return;
	lock();
	for (struct guards *w = all; w; w = w->next)
		for (int i = 0; w->used && i < REGISTERS; i++)
			if (w->guard[i].key == key)
				release(w, &w->guard[i]);
	unlock();
}

bool hb__guard_told(const void *key)
{
	bool told = true, found = false;
	if (!__atomic_load_n(&hb__attention.guards, __ATOMIC_RELAXED))
		return told;
	lock();
	for (struct guards *w = all; w && !found; w = w->next)
		for (int i = 0; w->used && i < REGISTERS && !found; i++) {
			found = w->guard[i].key == key;
			told = !found || w->guard[i].told;
		}
	unlock();
	return told;
}

/* ---- what was seen ---- */

struct hit {
	struct perf_event_header header;
	uint64_t ip, address;
};

/* libc's string functions read past what they were given, in whole words: not the program's doing. A write is. */
static bool counts(const struct hit *hit)
{
	const char *path;
	uintptr_t base, end;
	if (hb__in_library((const void *)hit->ip) || !hb__module_of((const void *)hit->ip, &path, &base, &end))
		return false;
	return !hb__is_recorder(path);
}

/* A vector store under a mask hits a breakpoint beside the bytes that it writes (libc's memset does that): a buffer that is
 * sent must have changed. */
static bool changed(const struct guard *x)
{
	uint64_t now = 0;
	return x->reads || x->owner.win >= 0 || !hb__copy(&now, (const void *)x->address, x->bytes) || now != x->held;
}

static void tell(struct hb__call *c, struct guards *w, const struct hit *hit)
{
	for (int i = 0; i < REGISTERS; i++) {
		struct guard *x = &w->guard[i], was = {0};
		lock();
		if (x->key && !x->told && hit->address == x->address && changed(x))
			was = *x;
		for (int k = 0; was.key && k < REGISTERS; k++)
			w->guard[k].told |= w->guard[k].key == was.key;
		unlock();
		if (!was.key)
			continue;
		was.owner.by = hb__define_site((const void *)hit->ip);
		hb__remark_of(c, HB_REMARK_TOUCHED, &was.owner);
	}
}

/* What the library did inside a call does not use up the hits of the program, within bounds. */
static void give_back(struct guards *w, const struct hit *hit)
{
	lock();
	for (int i = 0; i < REGISTERS; i++) {
		struct guard *x = &w->guard[i];
		if (x->key && hit->address == x->address && x->given < GIVEN && ours(x)) {
			x->given++;
			ioctl(x->fd, PERF_EVENT_IOC_REFRESH, 1);
		}
	}
	unlock();
}

static __attribute__((noinline)) void read_ring(struct hb__call *c, struct guards *w, uint64_t head)
{
	const uint8_t *ring = (const uint8_t *)w->page + RING;
	uint64_t tail = w->page->data_tail;
	while (tail + sizeof(struct hit) <= head) {
		struct hit hit;
		for (size_t i = 0; i < sizeof hit; i++) /* a record may go around the end */
			((uint8_t *)&hit)[i] = ring[(tail + i) % RING];
		bool sample = hit.header.type == PERF_RECORD_SAMPLE;
		hb__credit_used(trap);
		if (sample && !c)
			give_back(w, &hit);
		else if (sample && counts(&hit))
			tell(c, w, &hit);
		tail += hit.header.size ? hit.header.size : head - tail;
	}
	__atomic_store_n(&w->page->data_tail, head, __ATOMIC_RELEASE);
}

static void look(struct hb__call *c, struct guards *w)
{
	uint64_t head = __atomic_load_n(&w->page->data_head, __ATOMIC_ACQUIRE);
	if (unlikely(head != w->page->data_tail))
		read_ring(c, w, head);
}

/* ---- around the calls ---- */

static void let_go(struct guards *w)
{
	lock();
	for (int i = 0; i < REGISTERS; i++)
		if (w->guard[i].key)
			release(w, &w->guard[i]);
	unlock();
}

void hb__guard_entered(struct hb__call *c)
{
	struct guards *w = self;
	if (!w || !w->works || c->lane->nested)
		return;
	if (w->on && w->used)
		switched(w, false);
	look(c, w);
	if (w->used && ++w->calls > SURE && !hb__credit_left(hb__count()))
		let_go(w);
}

void hb__guard_left(const struct hb__call *c)
{
	struct guards *w = self;
	if (w && w->works && w->used && !w->on && !c->lane->nested)
		switched(w, true);
}

/* They stay on: a program may ask a million times. But for the last one, none of these calls does anything to the buffers. */
void hb__guard_asks(struct hb__call *c)
{
	struct guards *w = self;
	if (!w || !w->works)
		return;
	look(c, w);
}

void hb__guard_asked(bool yes)
{
	struct guards *w = self;
	if (!w || !w->works)
		return;
	look(NULL, w);
	if (yes) /* the kernel may have copied: a trap for each byte that is watched */
		hb__credit_used(trap * REGISTERS * 8);
}
