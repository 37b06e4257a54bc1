/* Semaphores, barriers, routines that run once, threads that are looked for. */
#include "capture/threads/front/front.h"

/* They fail with -1 and errno. */
#define SEMAPHORE(name, params, args)                                            \
	SEEN int name params                                                     \
	{                                                                        \
		bool follows;                                                    \
		struct hb_actor *actor = hb__enter(CALLER, &follows);            \
		if (likely(!actor))                                              \
			return NEXT(name) args;                                  \
		if (unlikely(follows)) {                                         \
			struct hb_expected e;                                    \
			hb__door->expect(actor, HB_THREAD_##name, &e);           \
			if (!e.outcome)                                          \
				while (NEXT(sem_wait)(s) && errno == EINTR)      \
					;                                        \
			hb__door->done(actor, HB_THREAD_##name, &e);             \
			errno = e.outcome ? (int)e.outcome : errno;              \
			return e.outcome ? -1 : 0;                               \
		}                                                                \
		int got = NEXT(name) args, error = errno;                        \
		if (!got)                                                        \
			hb__door->gives(actor, HB_THREAD_##name, s);             \
		else                                                             \
			hb__door->told(actor, HB_THREAD_##name, error, 0, NULL); \
		errno = error;                                                   \
		return got;                                                      \
	}
SEMAPHORE(sem_wait, (sem_t * s), (s))
SEMAPHORE(sem_trywait, (sem_t * s), (s))
SEMAPHORE(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict t), (s, t))
SEMAPHORE(sem_clockwait, (sem_t *restrict s, clockid_t clock, const struct timespec *restrict t), (s, clock, t))
GIVING(sem_post, int, s, (sem_t * s), (s), gives)

SEEN int sem_getvalue(sem_t *restrict s, int *restrict value)
{
	bool follows;
	struct hb_actor *actor = hb__enter(CALLER, &follows);
	int got = NEXT(sem_getvalue)(s, value);
	if (likely(!actor) || got)
		return got;
	int64_t is = *value;
	if (!follows) {
		hb__door->told(actor, HB_THREAD_sem_getvalue, 1, 1, &is);
		return got;
	}
	struct hb_expected e;
	hb__door->expect(actor, HB_THREAD_sem_getvalue, &e);
	if (e.outcome)
		*value = (int)e.value[0];
	hb__door->done(actor, HB_THREAD_sem_getvalue, &e);
	return got;
}

/* Two operations: it is there, and it goes on. */
SEEN int pthread_barrier_wait(pthread_barrier_t *b)
{
	const enum hb_thread_function function = HB_THREAD_pthread_barrier_wait;
	bool follows;
	struct hb_actor *actor = hb__enter(CALLER, &follows);
	if (likely(!actor))
		return NEXT(pthread_barrier_wait)(b);
	struct hb_expected e;
	if (follows) {
		hb__door->expect(actor, function, &e);
		hb__door->done(actor, function, &e);
		int got = NEXT(pthread_barrier_wait)(b);
		hb__door->expect(actor, function, &e);
		if (e.row)
			got = e.outcome ? (int)e.outcome : 0;
		else if (hb__door->follows(actor))
			got = 0;
		hb__door->done(actor, function, &e);
		return got;
	}
	hb__door->gives(actor, function, b);
	int got = NEXT(pthread_barrier_wait)(b);
	if (got) /* the one that is told so, or an error */
		hb__door->told(actor, function, got, 0, NULL);
	else
		hb__door->gives(actor, function, b);
	return got;
}

/* ---- once ---- */

/* What the routine of this thread's call is: it may call pthread_once itself. */
struct once {
	struct hb_actor *actor;
	void (*routine)(void);
	const void *object;
	bool follows, ran;
	struct once *outer;
};
static __thread struct once *once __attribute__((tls_model("initial-exec")));

static void over(struct once *o)
{
	const enum hb_thread_function function = HB_THREAD_pthread_once;
	struct hb_expected e;
	if (!o->follows) {
		hb__door->gives(o->actor, function, o->object);
		return;
	}
	hb__door->expect(o->actor, function, &e);
	hb__door->done(o->actor, function, &e);
}

/* Those who come later do so after its end. */
static void run_once(void)
{
	struct once *o = once;
	o->ran = true;
	o->routine();
	over(o);
}

SEEN int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	struct once o = {.routine = routine, .object = control, .outer = once};
	o.actor = hb__enter(CALLER, &o.follows);
	if (!o.actor)
		return NEXT(pthread_once)(control, routine);
	if (o.follows)
		hb__door->awaits(o.actor, HB_THREAD_pthread_once);
	once = &o;
	int got = NEXT(pthread_once)(control, run_once);
	once = o.outer;
	if (!o.ran)
		over(&o);
	return got;
}

/* ---- joins that may fail ---- */

#define JOINING(name, params, args)                                                         \
	SEEN int name params                                                                \
	{                                                                                   \
		bool follows;                                                               \
		struct hb_actor *actor = hb__enter(CALLER, &follows);                       \
		if (likely(!actor))                                                         \
			return NEXT(name) args;                                             \
		struct hb_expected e;                                                       \
		if (follows) {                                                              \
			hb__door->expect(actor, HB_THREAD_##name, &e);                      \
			int got = e.outcome ? (int)e.outcome : pthread_join(thread, value); \
			hb__door->done(actor, HB_THREAD_##name, &e);                        \
			return got;                                                         \
		}                                                                           \
		int got = NEXT(name) args;                                                  \
		if (got)                                                                    \
			hb__door->told(actor, HB_THREAD_##name, got, 0, NULL);              \
		else                                                                        \
			hb__door->gives(actor, HB_THREAD_##name, NULL);                     \
		return got;                                                                 \
	}
JOINING(pthread_tryjoin_np, (pthread_t thread, void **value), (thread, value))
JOINING(pthread_timedjoin_np, (pthread_t thread, void **value, const struct timespec *t), (thread, value, t))
JOINING(pthread_clockjoin_np, (pthread_t thread, void **value, clockid_t clock, const struct timespec *t),
	(thread, value, clock, t))
