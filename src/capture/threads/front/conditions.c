/* Condition variables. A wait gives the mutex back, ends after a signal - an operation on the condition - and takes the mutex again. In a
 * replay nobody waits for a signal: the wait is over when its turn has come. */
#include "capture/threads/front/front.h"

/* What the waits of one kind call themselves. */
struct way {
	enum hb_thread_function wait;
	int (*lock)(void *mutex), (*unlock)(void *mutex);
};

static int lock_mutex(void *m) { return NEXT(pthread_mutex_lock)(m); }
static int unlock_mutex(void *m) { return NEXT(pthread_mutex_unlock)(m); }
static int lock_mtx(void *m) { return NEXT(mtx_lock)(m); }
static int unlock_mtx(void *m) { return NEXT(mtx_unlock)(m); }

static int wait_again(struct hb_actor *a, const struct way *way, void *mutex)
{
	struct hb_expected e;
	hb__door->expect(a, HB_THREAD_pthread_mutex_unlock, &e);
	way->unlock(mutex);
	hb__door->done(a, HB_THREAD_pthread_mutex_unlock, &e);
	hb__door->expect(a, way->wait, &e);
	int answer = (int)e.outcome;
	hb__door->done(a, way->wait, &e);
	hb__door->expect(a, HB_THREAD_pthread_mutex_lock, &e);
	way->lock(mutex);
	hb__door->done(a, HB_THREAD_pthread_mutex_lock, &e);
	return answer;
}

static void waits(struct hb_actor *a, void *mutex) { hb__door->unlocks(a, HB_THREAD_pthread_mutex_unlock, mutex); }

static void waited(struct hb_actor *a, const struct way *way, void *condition, void *mutex, int answer)
{
	if (answer)
		hb__door->told(a, way->wait, answer, 0, NULL);
	else
		hb__door->gives(a, way->wait, condition);
	hb__door->took(a, HB_THREAD_pthread_mutex_lock, mutex);
}

#define WAITING(name, kind, params, args)                                                     \
	SEEN int name params                                                                  \
	{                                                                                     \
		static const struct way way = {HB_THREAD_##name, lock_##kind, unlock_##kind}; \
		bool follows;                                                                 \
		struct hb_actor *a = hb__enter(CALLER, &follows);                             \
		if (likely(!a))                                                               \
			return NEXT(name) args;                                               \
		if (follows && hb__door->follows(a))                                          \
			return wait_again(a, &way, m);                                        \
		if (follows)                                                                  \
			return NEXT(name) args;                                               \
		waits(a, m);                                                                  \
		int answer = NEXT(name) args;                                                 \
		waited(a, &way, c, m, answer);                                                \
		return answer;                                                                \
	}

WAITING(pthread_cond_wait, mutex, (pthread_cond_t * c, pthread_mutex_t *m), (c, m))
WAITING(pthread_cond_timedwait, mutex, (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *t), (c, m, t))
WAITING(pthread_cond_clockwait, mutex,
	(pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, const struct timespec *t), (c, m, clock, t))
GIVING(pthread_cond_signal, int, c, (pthread_cond_t * c), (c), gives)
GIVING(pthread_cond_broadcast, int, c, (pthread_cond_t * c), (c), gives)

WAITING(cnd_wait, mtx, (cnd_t * c, mtx_t *m), (c, m))
WAITING(cnd_timedwait, mtx, (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t), (c, m, t))
GIVING(cnd_signal, int, c, (cnd_t * c), (c), gives)
GIVING(cnd_broadcast, int, c, (cnd_t * c), (c), gives)
