/* Which threads are ordered, their lanes and positions. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/core/layer.h"
#include "capture/threads/actor.h"

static struct hb_actor *actors[HB__ACTORS_MOST + 1];
static uint32_t nactors;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct hb_lane_control no_events;
__thread struct hb_actor *hb__actor_self __attribute__((tls_model("initial-exec")));

struct hb_actor *hb__actor_numbered(uint64_t number)
{
	return number <= HB__ACTORS_MOST ? __atomic_load_n(&actors[number], __ATOMIC_ACQUIRE) : NULL;
}

/* Many threads live shortly: their places are small, and stand close together. */
static struct hb_actor *room(void)
{
	static uint8_t *at, *end;
	size_t bytes = (sizeof(struct hb_actor) + 63) & ~(size_t)63;
	if ((size_t)(end - at) < bytes) {
		size_t more = 64 * bytes;
		at = hb__pages(more);
		end = at ? at + more : NULL;
	}
	struct hb_actor *a = (void *)at;
	at = at ? at + bytes : NULL;
	return a;
}

/* Replay: only a thread of the record has a lane, and that from its first operation on. */
static void follow(struct hb_actor *a)
{
	a->follows = true;
	if (!hb__self && hb__script_number(a->identity) < 0)
		return;
	a->lane = hb__lane_of_this_thread();
	if (!a->lane || !a->lane->follow)
		return;
	a->last = 0;
	for (int i = 0; i < HB_THREAD_FUNCTIONS; i++)
		a->last += hb__script_calls(a->lane->follow->reader, &hb__thread_functions[i]);
}

static struct hb_actor *create(void)
{
	if (!hb__ordered)
		return NULL;
	uint8_t apart = hb__apart;
	hb__apart |= HB__APART_OURS;
	pthread_mutex_lock(&lock);
	struct hb_actor *a = nactors < HB__ACTORS_MOST ? room() : NULL;
	if (a) {
		a->number = ++nactors;
		a->identity = hb__thread_identity();
		a->task = (int)syscall(SYS_gettid);
		a->counts = a->own;
		a->control = &no_events;
		a->lane = hb__self;
		a->failed = UINT64_MAX;
		__atomic_store_n(&actors[a->number], a, __ATOMIC_RELEASE);
	} else {
		hb__ordered = false;
		static bool told;
		if (!told)
			hb__say("the process has more than %u threads: the order between further ones is not recorded",
				HB__ACTORS_MOST);
		told = true;
	}
	pthread_mutex_unlock(&lock);
	hb__actor_self = a;
	if (a && hb__config.mode == HB__REPLAY)
		follow(a);
	hb__apart = apart;
	return a;
}

struct hb_actor *hb__actor_enter(const void *pc, bool *ret_follows)
{
	struct hb__lane *lane = hb__self;
	if (likely(!hb__many_threads) || !hb__active || hb__apart || (lane && lane->depth))
		return NULL;
	struct hb_actor *a = hb__actor_self;
	if (unlikely((a && a->busy) || !(hb__of_program(pc) & HB__ORDERS_THREADS)))
		return NULL;
	if (unlikely(!a) && !(a = create()))
		return NULL;
	a->pc = pc;
	unsigned at = hb__actor_caller(pc);
	a->caller[!a->caller[at] || a->caller[at ^ 1] ? at : at ^ 1] = pc;
	*ret_follows = a->follows;
	return a;
}

struct hb_actor *hb__actor_beside(struct hb__lane *lane, const void *pc)
{
	bool apart = hb__apart & ~HB__APART_CALL; /* which the first call of a thread is, too */
	if (likely(!hb__many_threads) || !hb__active || apart || lane->nested)
		return NULL;
	struct hb_actor *a = likely(hb__actor_self != NULL) ? hb__actor_self : create();
	if (unlikely(!a || a->busy))
		return NULL;
	a->pc = pc;
	return a;
}

/* The thread's own: from here on its counts are those of the log. */
static void adopt(struct hb_actor *a)
{
	struct hb_count *counts = (void *)HB_PLACE(a->lane->control, calls[hb__thread_functions[0].id]);
	for (int i = 0; i < HB_THREAD_FUNCTIONS; i++)
		if (a->own[i].n)
			hb__count_function(a->lane, (enum hb_thread_function)i, a->own[i].n);
	a->counts = counts;
	a->control = a->lane->control;
	a->adopted = a->lane;
}

uint64_t hb__actor_first_step(struct hb_actor *a, enum hb_thread_function function)
{
	if (unlikely(__atomic_load_n(&a->lane, __ATOMIC_ACQUIRE) != NULL && !a->adopted)) {
		adopt(a);
		hb__self = a->lane; /* another thread may have made it */
	}
	if (unlikely(a->counts[function].n++ == 0 && a->adopted))
		hb__count_function(a->lane, function, 0);
	return hb__position(a->events, ++a->operations);
}

static struct hb__lane *make_lane(struct hb_actor *a)
{
	if (a->lane)
		return a->lane;
	struct hb__lane *lane = a == hb__actor_self && hb__self ? hb__self : hb__lane_new(a->identity);
	if (lane)
		lane->control->task = (uint64_t)a->task;
	__atomic_store_n(&a->lane, lane, __ATOMIC_RELEASE);
	return lane;
}

struct hb__lane *hb__actor_lane(struct hb_actor *a)
{
	struct hb__lane *lane = __atomic_load_n(&a->lane, __ATOMIC_ACQUIRE);
	if (likely(lane))
		return lane;
	int error = errno;
	uint8_t apart = hb__apart;
	hb__apart |= HB__APART_OURS;
	pthread_mutex_lock(&lock);
	lane = make_lane(a);
	pthread_mutex_unlock(&lock);
	if (a == hb__actor_self && lane)
		hb__self = lane;
	hb__apart = apart;
	errno = error;
	return lane;
}

/* The thread makes an event of another layer: it goes on in the lane that another thread may have made for it. */
static struct hb__lane *promised(void)
{
	if (!hb__actor_self)
		return NULL;
	pthread_mutex_lock(&lock);
	struct hb__lane *lane = make_lane(hb__actor_self);
	pthread_mutex_unlock(&lock);
	return lane;
}

/* The others of the parent are not there. */
static void again(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	hb__actor_self = NULL;
}

/* What threads did that nobody had to wait for is told with their lanes, if they have one. */
static void leaving(void)
{
	for (uint32_t i = 1; i <= nactors; i++)
		if (actors[i]->lane && !actors[i]->adopted && !actors[i]->follows)
			adopt(actors[i]);
}

static const struct hb__fn *function(const char *name, uint8_t cls)
{
	if (cls != HB_THREAD)
		return NULL;
	for (int i = 0; i < HB_THREAD_FUNCTIONS; i++)
		if (!strcmp(hb__thread_functions[i].name, name))
			return &hb__thread_functions[i];
	return NULL;
}

__attribute__((constructor(103))) static void add_layer(void)
{
	static struct hb__layer threads = {.name = "threads",
		.functions = HB_THREAD_FUNCTIONS,
		.function = function,
		.again = again,
		.leaving = leaving};
	unsigned first = hb__layers_functions();
	for (int i = 0; i < HB_THREAD_FUNCTIONS; i++) {
		struct hb__fn *fn = &hb__thread_functions[i];
		fn->id = (uint16_t)(first + (unsigned)i);
		fn->cls = HB_THREAD;
		fn->flags = HB_EVENT;
		fn->means = hb_meaning_of(fn->name, HB_THREAD);
	}
	hb__layer_add(&threads);
	hb__promised_lane = promised;
}
