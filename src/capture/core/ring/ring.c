/* The units of a ring. Closed ones stand in a queue in the order in which they were closed, whatever lane they are of, so that what is
 * kept is the last time of the process. A unit is folded into the account long before it is used again: one for each that is begun. */
#include <stdlib.h>
#include <string.h>

#include "capture/core/file.h"
#include "capture/core/layer.h"
#include "capture/core/ring/ring.h"

#define BATCH_MOST 64u /* units that are given up at once: each time the account is written */
#define LEAST 4u
#define LANES 65536u
#define UNITS_MORE (2 * LANES) /* that there may be above the size of the ring: open ones, of many threads */
#define ACCOUNT_MOST 1024u     /* units of an account */

struct queues {
	struct hb_unit_header *closed[UNITS_MORE], *folded[2 * BATCH_MOST], *spare[2 * BATCH_MOST];
	struct hb_unit_header *account[2][ACCOUNT_MOST]; /* of this generation and the one before */
	struct hb__past *past[LANES];                    /* those that have one, in the order in which they got it */
	struct hb__past *of_lane[LANES];
};

static struct {
	struct hb__file_lock lock;
	struct queues *q;
	uint32_t size, used, batch; /* units of rows: of the ring, in the file */
	uint32_t head, closed, folded, spare, pasts, generation;
} ring = {.lock = {.mutex = PTHREAD_MUTEX_INITIALIZER}};
static const struct hb__fn *functions[HB_FUNCTIONS_MOST];

void hb__ring_function(const struct hb__fn *fn) { __atomic_store_n(&functions[fn->id], fn, __ATOMIC_RELEASE); }

const struct hb__fn *hb__ring_function_of(uint32_t number)
{
	return number < HB_FUNCTIONS_MOST ? __atomic_load_n(&functions[number], __ATOMIC_ACQUIRE) : NULL;
}

void hb__ring_forked(void)
{
	ring.lock.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	ring.q = NULL;
	ring.used = ring.head = ring.closed = ring.folded = ring.spare = ring.pasts = ring.generation = 0;
	hb__counts_forked();
}

uint64_t hb__ring_asked(void)
{
	const char *size = getenv("HBDB_RING");
	return size ? strtoull(size, NULL, 10) : 0;
}

static bool ready(void)
{
	if (ring.q)
		return true;
	uint64_t size = hb__config.ring / HB_UNIT_SIZE;
	ring.size = size < LEAST ? LEAST : size < UNITS_MORE / 2 ? (uint32_t)size : UNITS_MORE / 2;
	ring.batch = ring.size / 16 < 1 ? 1 : ring.size / 16 < BATCH_MOST ? ring.size / 16 : BATCH_MOST;
	ring.q = hb__pages(sizeof *ring.q);
	return ring.q;
}

static struct hb__past *past_of(uint16_t lane)
{
	struct hb__past **past = &ring.q->of_lane[lane];
	if (!*past && (*past = hb__pages(sizeof **past))) {
		(*past)->lane = lane;
		(*past)->last_ref = -1;
		ring.q->past[ring.pasts++] = *past;
	}
	return *past;
}

/* Folds the oldest closed unit; false: there is none that can be given up. */
static bool fold(void)
{
	if (!ring.closed || ring.folded == 2 * BATCH_MOST)
		return false;
	struct hb_unit_header *unit = ring.q->closed[ring.head];
	struct hb__past *past = past_of(unit->lane);
	if (!past)
		return false;
	ring.head = (ring.head + 1) % UNITS_MORE;
	ring.closed--;
	hb__fold_unit(past, unit);
	ring.q->folded[ring.folded++] = unit;
	return true;
}

static struct hb_unit_header *account_unit(uint32_t index)
{
	if (index >= ACCOUNT_MOST)
		return NULL;
	struct hb_unit_header **at = &ring.q->account[ring.generation & 1][index];
	return *at ? *at : (*at = hb__log_unit());
}

/* Results of an event of the next unit stand in one that was folded: no lane can begin there. */
static bool in_between(void)
{
	for (uint32_t i = 0; i < ring.pasts; i++)
		if (ring.q->past[i]->ntold)
			return true;
	return false;
}

/* What was folded is given up. */
static void give_up(void)
{
	while (ring.folded < ring.batch && fold())
		;
	while (in_between() && fold())
		;
	if (!ring.folded || in_between())
		return;
	ring.generation++;
	uint32_t n = hb__account_write(ring.q->past, ring.pasts, ring.generation, account_unit);
	if (!n) {
		ring.generation--;
		return;
	}
	hb__log_account((uint64_t)ring.generation << 32 | n);
	memcpy(ring.q->spare, ring.q->folded, ring.folded * sizeof *ring.q->spare);
	ring.spare = ring.folded;
	ring.folded = 0;
}

void *hb__ring_unit(void)
{
	struct hb_unit_header *unit = NULL;
	hb__file_lock(&ring.lock);
	if (ready()) {
		if (ring.used + ring.batch >= ring.size && ring.folded < ring.batch)
			fold();
		if (!ring.spare && ring.used >= ring.size)
			give_up();
		if (hb__log_stops())
			unit = NULL;
		else if (ring.spare)
			unit = ring.q->spare[--ring.spare];
		else if (ring.used < UNITS_MORE)
			unit = hb__log_unit();
		if (unit) {
			ring.used += !unit->magic;
			HB_STORE(unit, magic, 0, __ATOMIC_RELEASE);
			memset(unit, 0, sizeof *unit);
		}
	}
	hb__file_unlock(&ring.lock);
	return unit;
}

void hb__ring_unit_done(struct hb_unit_header *unit)
{
	hb__file_lock(&ring.lock);
	if (ring.closed < UNITS_MORE) /* there are no more */
		ring.q->closed[(ring.head + ring.closed++) % UNITS_MORE] = unit;
	hb__file_unlock(&ring.lock);
}
