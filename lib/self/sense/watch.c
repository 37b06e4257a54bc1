/* A thread that looks at the sensors now and then. */
#include <errno.h>
#include <signal.h>

#include "sense.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static double interval; /* seconds; 0: there is no thread */
static pid_t of;        /* the process that the thread is in */

static void *watch(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (interval > 0) {
		struct timespec until;
		clock_gettime(CLOCK_MONOTONIC, &until);
		uint64_t ns = (uint64_t)until.tv_nsec + (uint64_t)(interval * 1e9);
		until.tv_sec += (time_t)(ns / 1000000000);
		until.tv_nsec = (long)(ns % 1000000000);
		if (pthread_cond_timedwait(&changed, &lock, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&lock);
		hb_self_check();
		pthread_mutex_lock(&lock);
	}
	of = 0;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int begin(void)
{
	pthread_t thread;
	pthread_condattr_t attr;
	sigset_t all, before;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	pthread_condattr_destroy(&attr);
	sigfillset(&all); /* the program's signals are not for this thread */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		pthread_detach(thread);
	return error;
}

int hb_self_watch(double seconds)
{
	if (!(seconds >= 0 && seconds < 1e9) || (seconds > 0 && seconds < 1e-3))
		return EINVAL;
	pthread_mutex_lock(&lock);
	bool there = of == hb__pid;
	int error = 0;
	interval = seconds;
	if (there)
		pthread_cond_signal(&changed);
	else if (seconds > 0 && !(error = begin()))
		of = hb__pid;
	pthread_mutex_unlock(&lock);
	return error;
}
