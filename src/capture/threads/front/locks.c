/* What has an owner. */
#include "capture/threads/front/front.h"

TAKING(pthread_mutex_lock, m, (pthread_mutex_t * m), (m), NEXT(pthread_mutex_lock)(m))
TAKING(pthread_mutex_trylock, m, (pthread_mutex_t * m), (m), NEXT(pthread_mutex_lock)(m))
TAKING(pthread_mutex_timedlock, m, (pthread_mutex_t * m, const struct timespec *t), (m, t), NEXT(pthread_mutex_lock)(m))
TAKING(pthread_mutex_clocklock, m, (pthread_mutex_t * m, clockid_t clock, const struct timespec *t), (m, clock, t),
	NEXT(pthread_mutex_lock)(m))
UNLOCKING(pthread_mutex_unlock, m, (pthread_mutex_t * m), (m))

TAKING(pthread_rwlock_rdlock, l, (pthread_rwlock_t * l), (l), NEXT(pthread_rwlock_rdlock)(l))
TAKING(pthread_rwlock_tryrdlock, l, (pthread_rwlock_t * l), (l), NEXT(pthread_rwlock_rdlock)(l))
TAKING(pthread_rwlock_timedrdlock, l, (pthread_rwlock_t * l, const struct timespec *t), (l, t),
	NEXT(pthread_rwlock_rdlock)(l))
TAKING(pthread_rwlock_clockrdlock, l, (pthread_rwlock_t * l, clockid_t clock, const struct timespec *t), (l, clock, t),
	NEXT(pthread_rwlock_rdlock)(l))
TAKING(pthread_rwlock_wrlock, l, (pthread_rwlock_t * l), (l), NEXT(pthread_rwlock_wrlock)(l))
TAKING(pthread_rwlock_trywrlock, l, (pthread_rwlock_t * l), (l), NEXT(pthread_rwlock_wrlock)(l))
TAKING(pthread_rwlock_timedwrlock, l, (pthread_rwlock_t * l, const struct timespec *t), (l, t),
	NEXT(pthread_rwlock_wrlock)(l))
TAKING(pthread_rwlock_clockwrlock, l, (pthread_rwlock_t * l, clockid_t clock, const struct timespec *t), (l, clock, t),
	NEXT(pthread_rwlock_wrlock)(l))
UNLOCKING(pthread_rwlock_unlock, l, (pthread_rwlock_t * l), (l))

TAKING(pthread_spin_lock, (const void *)l, (pthread_spinlock_t * l), (l), NEXT(pthread_spin_lock)(l))
TAKING(pthread_spin_trylock, (const void *)l, (pthread_spinlock_t * l), (l), NEXT(pthread_spin_lock)(l))
UNLOCKING(pthread_spin_unlock, (const void *)l, (pthread_spinlock_t * l), (l))

/* Of C11: what they return instead of 0 is told as it is. */
TAKING(mtx_lock, m, (mtx_t * m), (m), NEXT(mtx_lock)(m))
TAKING(mtx_trylock, m, (mtx_t * m), (m), NEXT(mtx_lock)(m))
TAKING(mtx_timedlock, m, (mtx_t *restrict m, const struct timespec *restrict t), (m, t), NEXT(mtx_lock)(m))
UNLOCKING(mtx_unlock, m, (mtx_t * m), (m))
