/* Waits for partitioned sends of which partitions are not ready: when they never end, that is why. */
#include <string.h>

#include "capture/check/check.h"
#include "capture/mpi/family.h"

#define MOST 64     /* requests at a time; those beyond are not followed */
#define PARTS 4096u /* partitions of one */

struct parted {
	uintptr_t handle; /* 0: free */
	uint32_t n, left; /* not ready yet */
	bool active;
	uint8_t ready[PARTS / 8];
};

static struct parted parted[MOST];
static uint32_t alive;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct parted *find(uintptr_t handle)
{
	for (uint32_t i = 0; i < MOST && handle; i++)
		if (parted[i].handle == handle)
			return &parted[i];
	return NULL;
}

static void made(struct hb__call *c)
{
	int n = (int)c->a[1];
	uintptr_t handle = (uintptr_t) * (const MPI_Request *)hb__arg(c, HB_R_NEWREQ);
	for (uint32_t i = 0; i < MOST && n > 0 && (unsigned)n <= PARTS; i++)
		if (!parted[i].handle) {
			parted[i] = (struct parted){.handle = handle, .n = (uint32_t)n};
			alive++;
			return;
		}
}

static void started(uintptr_t handle)
{
	struct parted *p = find(handle);
	if (!p)
		return;
	p->active = true;
	p->left = p->n;
	memset(p->ready, 0, sizeof p->ready);
}

/* What is wrong with it others say. */
static void ready(struct parted *p, int at)
{
	if (!p->active || at < 0 || (uint32_t)at >= p->n || p->ready[at / 8] >> at % 8 & 1)
		return;
	p->ready[at / 8] |= (uint8_t)(1u << at % 8);
	p->left--;
}

static void on_ready(struct hb__call *c)
{
	if (c->fn->id == HB_FN_MPI_Pready) {
		struct parted *p = find(c->a[1]);
		if (p)
			ready(p, (int)c->a[0]);
	} else if (c->fn->id == HB_FN_MPI_Pready_range) {
		struct parted *p = find(c->a[2]);
		for (int i = (int)c->a[0]; p && i <= (int)c->a[1] && i <= (int)p->n; i++)
			ready(p, i);
	} else {
		struct parted *p = find(c->a[2]);
		const int *list = (const int *)c->a[1];
		for (int i = 0; p && list && i < (int)c->a[0]; i++)
			ready(p, list[i]);
	}
}

/* A wait for a send that cannot end yet: another thread may mark the rest, so only a hang makes it an error. */
static void waited(struct hb__call *c, uintptr_t handle)
{
	const struct parted *p = find(handle);
	char text[200];
	size_t used = 0;
	if (!p || !p->active || !p->left)
		return;
	for (uint32_t i = 0; i < p->n && used < sizeof text - 24; i++)
		if (!(p->ready[i / 8] >> i % 8 & 1))
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%u", used ? ", " : "", i);
	hb__remark(c, HB_REMARK_UNREADY, "n=%u text=%s%s", p->left, text, used < sizeof text - 24 ? "" : ", ...");
}

static void each(struct hb__call *c, void (*what)(struct hb__call *c, uintptr_t handle))
{
	if (hb__has(c, HB_R_REQUEST)) {
		const MPI_Request *one = (const MPI_Request *)hb__arg(c, HB_R_REQUEST);
		if (one)
			what(c, (uintptr_t)*one);
		return;
	}
	const MPI_Request *all = hb__has(c, HB_R_REQS) ? (const MPI_Request *)hb__arg(c, HB_R_REQS) : NULL;
	int n = all ? (int)hb__arg(c, HB_R_NREQ) : 0;
	for (int i = 0; i < n; i++)
		what(c, (uintptr_t)all[i]);
}

static void start_one(struct hb__call *c, uintptr_t handle)
{
	(void)c;
	started(handle);
}

static void free_one(struct hb__call *c, uintptr_t handle)
{
	struct parted *p = find(handle);
	(void)c;
	if (p) {
		p->handle = 0;
		alive--;
	}
}

void hb__check_unready_enter(struct hb__call *c)
{
	if (likely(!__atomic_load_n(&alive, __ATOMIC_RELAXED)))
		return;
	pthread_mutex_lock(&mutex);
	switch (c->fn->id) {
	case HB_FN_MPI_Start:
	case HB_FN_MPI_Startall:
		each(c, start_one);
		break;
	case HB_FN_MPI_Pready:
	case HB_FN_MPI_Pready_range:
	case HB_FN_MPI_Pready_list:
		on_ready(c);
		break;
	case HB_FN_MPI_Wait:
	case HB_FN_MPI_Waitall:
		each(c, waited);
		break;
	case HB_FN_MPI_Request_free:
		each(c, free_one);
		break;
	default:
		break;
	}
	pthread_mutex_unlock(&mutex);
}

void hb__check_unready_leave(struct hb__call *c, int code)
{
	if (likely(c->fn->id != HB_FN_MPI_Psend_init) || code != MPI_SUCCESS)
		return;
	pthread_mutex_lock(&mutex);
	made(c);
	pthread_mutex_unlock(&mutex);
}
