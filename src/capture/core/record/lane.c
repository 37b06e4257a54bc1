/* Lanes: what each thread has for itself. */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/record/record.h"

#define SCRATCH (256u * 1024)

struct hb__lane *hb__lanes;
static uint16_t lane_count;
static bool all_special;
static uint8_t all_handled;
static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER;

void hb__lanes_special(void)
{
	pthread_mutex_lock(&lanes_lock);
	all_special = true;
	for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next)
		lane->special = true;
	pthread_mutex_unlock(&lanes_lock);
}

/* Its library lets several threads in: of lanes that were there before that was known. */
void hb__lanes_locked(void)
{
	pthread_mutex_lock(&lanes_lock);
	for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next)
		lane->limits |= HB__LOCKED;
	pthread_mutex_unlock(&lanes_lock);
}

/* As long as one thread is all there is nothing is asked. */
static uint8_t posting(void) { return hb__postings_ordered && hb__many_threads ? HB__POSTS : 0; }

void hb__lanes_posting(void)
{
	pthread_mutex_lock(&lanes_lock);
	for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next)
		lane->limits |= posting();
	pthread_mutex_unlock(&lanes_lock);
}

void hb__lanes_handled(uint8_t by)
{
	pthread_mutex_lock(&lanes_lock);
	all_handled |= by;
	for (struct hb__lane *lane = hb__lanes; lane; lane = lane->next)
		lane->handled |= by;
	pthread_mutex_unlock(&lanes_lock);
}

void *hb__pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void *hb__thread_room(void **at, size_t bytes)
{
	if (unlikely(!*at))
		*at = hb__pages(bytes);
	return *at;
}

/* The control block lies in the log, so that counters survive a kill; without a log it is private. */
static struct hb_lane_control *control_create(struct hb__lane *lane)
{
	struct hb_lane_control *k = hb__log_unit();
	lane->storing = k != NULL;
	if (!k)
		k = hb__pages(sizeof *k);
	if (!k)
		return NULL;
	k->unit.kind = HB_UNIT_LANE;
	k->unit.lane = lane->number;
	k->thread = lane->thread;
	k->task = (uint64_t)syscall(SYS_gettid);
	HB_STORE(&k->unit, magic, HB_UNIT_MAGIC, __ATOMIC_RELEASE);
	return k;
}

void hb__lanes_forked(void)
{
	lanes_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hb__lanes = NULL;
	all_special = false;
	all_handled = 0;
}

void hb__lanes_reserve(unsigned n) { lane_count = (uint16_t)n; }

struct hb__lane *hb__lane_create(uint64_t thread, int number)
{
	struct hb__lane *lane = hb__pages(sizeof *lane);
	if (!lane)
		return NULL;
	pthread_mutex_lock(&lanes_lock);
	bool room = number >= 0 || lane_count < HB_LANE_DEFINITIONS - 1;
	if (room)
		lane->number = number >= 0 ? (uint16_t)number : lane_count++;
	pthread_mutex_unlock(&lanes_lock);
	lane->thread = thread;
	lane->last_ref = -1;
	lane->random =
		0x9e3779b97f4a7c15u ^ (thread + 1) * 0xbf58476d1ce4e5b9u ^ (uint64_t)hb__rank << 32 ^ hb__count();
	lane->scratch = lane->scratch_base = hb__pages(SCRATCH);
	lane->scratch_end = lane->scratch + SCRATCH;
	lane->slots = hb__slots_create();
	if (!room || !lane->scratch || !lane->slots || !(lane->control = control_create(lane)))
		return NULL;
	lane->last = &lane->slots->none;
	lane->last_tick = hb__tick();
	lane->limits = (uint8_t)((hb__config.order           ? HB__AT_ORDER
					 : hb__clock.counter ? 0
							     : HB__SYSTEM) |
				 (hb__threaded ? HB__LOCKED : 0) | posting());
	pthread_mutex_lock(&lanes_lock);
	lane->special = all_special;
	lane->handled = all_handled | (hb__config.mode == HB__REPLAY || hb__config.shake ? HB__HANDLED : 0);
	lane->next = hb__lanes;
	hb__lanes = lane;
	pthread_mutex_unlock(&lanes_lock);
	return lane;
}

void *hb__scratch_more(struct hb__lane *lane, size_t bytes)
{
	/* Calls further out still use the old region: it is left to them. */
	size_t size = bytes * 2 < SCRATCH ? SCRATCH : bytes * 2;
	uint8_t *p = hb__pages(size);
	if (!p)
		return NULL;
	lane->scratch_base = p;
	lane->scratch_end = p + size;
	lane->scratch = p + bytes;
	return p;
}
