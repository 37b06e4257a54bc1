/* Which process began to die first, of those on this machine.
 *
 * A process that dies lets go of its memory, then of its connections, and only then the system tells of its death: a launcher that sees
 * the connections closed may have ended another process by then, whose death is told before. So nobody is asked for deaths. Each process
 * holds a lock in its log, of the robust kind: the kernel marks the lock of a process that ends, however it ends, before it takes
 * anything else from it, and wakes who waits for it (robust futexes, get_robust_list(2)). A thread per process waits; it looks at all
 * locks, and when one alone is marked, that process was the first. When several are, nobody can say. */
#include "deaths.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../store/logs.h"
#include "base/task.h"
#include "format/growing/growing.h"
#include "format/row.h"

#define LOOK_AGAIN_MS 10 /* a log is there before it says whose it is */
#define MOST 1024        /* processes that are waited for */
#define STACK 65536
#define OFTEN_MS 5 /* between two looks */

struct seen {
	hb_deaths *of;
	struct hb_log_header *header; /* the beginning of its log, mapped; NULL: not on this machine */
	uint32_t *word;               /* the futex of its lock */
	int32_t rank;
	bool waited; /* has a thread */
	pthread_t thread;
};

struct hb_deaths {
	char *recording;
	pthread_t thread;
	pthread_mutex_t lock; /* of all that follows */
	int files, stop;
	struct seen *at[MOST];
	size_t n;
	const struct seen *first; /* the first that began to die before it had got through MPI_Finalize */
	bool doubtful;            /* it was not alone when it was seen, or lived on */
	bool blind;               /* some process cannot be waited for */
	bool often;
	int64_t clean, by; /* ns: when nobody was marked yet, and when the first one was seen */
	bool ended;        /* the threads are to end */
};

static bool is_marked(const struct seen *s) { return __atomic_load_n(s->word, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED; }

/* From one on, the next that began to die before it had got through MPI_Finalize. */
static const struct seen *next_dying(const hb_deaths *d, size_t from, size_t *ret_next)
{
	for (size_t i = from; i < d->n; i++)
		if (d->at[i]->header && is_marked(d->at[i]) && d->at[i]->header->state != HB_STATE_FINALIZED) {
			*ret_next = i + 1;
			return d->at[i];
		}
	return NULL;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* With d->lock. Who is marked was the first when all others are seen without a mark after that. */
static void look_for_first(hb_deaths *d)
{
	size_t next;
	int64_t now = now_ns();
	d->first = next_dying(d, 0, &next);
	if (!d->first) {
		d->clean = now;
		return;
	}
	d->by = now_ns();
	const struct seen *one = next_dying(d, 0, &next);
	d->doubtful = one != d->first || next_dying(d, next, &next);
	/* the lock ends with the first thread of the process, and when that begins another program */
	d->doubtful = d->doubtful || !hb_task_is_dying((int32_t)d->first->header->pid);
}

static void *wait_for(void *user)
{
	struct seen *s = user;
	hb_deaths *d = s->of;
	const struct timespec second = {.tv_sec = 1}; /* the word to end may come between the look and the wait */
	for (bool ended = false; !ended && !is_marked(s);) {
		uint32_t held = __atomic_or_fetch(s->word, FUTEX_WAITERS, __ATOMIC_ACQ_REL);
		if (!(held & FUTEX_OWNER_DIED))
			syscall(SYS_futex, s->word, FUTEX_WAIT, held, &second, NULL, 0);
		pthread_mutex_lock(&d->lock);
		ended = d->ended;
		pthread_mutex_unlock(&d->lock);
	}
	pthread_mutex_lock(&d->lock);
	/* what comes after the first matters no more: it is not said to be doubtful for that */
	if (!d->first)
		look_for_first(d);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

/* Maps the beginning of a log, with its lock. */
static bool map(struct seen *s, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;
	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= HB_UNIT_SIZE)
		p = mmap(NULL, HB_UNIT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (p == MAP_FAILED)
		return false;
	s->header = p;
	s->word = (uint32_t *)((char *)p + HB_LOG_LIFE);
	return *s->word != 0; /* 0: the process could not take it */
}

static bool begin_waiting(struct seen *s)
{
	pthread_attr_t small;
	if (pthread_attr_init(&small))
		return false;
	pthread_attr_setstacksize(&small, STACK);
	s->waited = !pthread_create(&s->thread, &small, wait_for, s);
	pthread_attr_destroy(&small);
	return s->waited;
}

/* With d->lock. False: the log does not say yet whose it is. */
static bool find(hb_deaths *d, const hb_log_file *f)
{
	hb_log_head h;
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i]->rank == f->rank)
			return true;
	if (hb_log_head_read(f->path, &h, NULL))
		return false;
	if (d->n == MOST) {
		d->blind = true;
		return true;
	}
	struct seen *s = d->at[d->n++] = hb__alloc(sizeof *s);
	*s = (struct seen){.of = d, .rank = f->rank};
	d->blind = !hb_host_is_here(h.host) || !map(s, f->path) || !begin_waiting(s) || d->blind;
	return true;
}

/* Looks for logs that are new. False: not all of them say yet whose they are. */
static bool look(hb_deaths *d)
{
	hb_logs logs;
	bool all = true;
	if (hb__list_logs(d->recording, &logs))
		return true;
	pthread_mutex_lock(&d->lock);
	size_t known = d->n, next;
	for (size_t i = 0; i < logs.n; i++)
		all = (logs.at[i].pid || find(d, &logs.at[i])) && all;
	if (d->first) /* it may not be the first: one that came to a log before may have been dying already */
		d->doubtful = d->doubtful || next_dying(d, known, &next);
	else
		look_for_first(d);
	/* one that was not known had perhaps died when the others were looked at */
	for (size_t i = known; d->first && i < d->n; i++)
		d->clean = d->at[i] == d->first ? 0 : d->clean;
	pthread_mutex_unlock(&d->lock);
	hb__close_logs(&logs);
	return all;
}

/* Those that are known. */
static void look_again(hb_deaths *d)
{
	pthread_mutex_lock(&d->lock);
	if (!d->first)
		look_for_first(d);
	pthread_mutex_unlock(&d->lock);
}

static void *follow(void *user)
{
	hb_deaths *d = user;
	struct pollfd on[] = {{.fd = d->stop, .events = POLLIN}, {.fd = d->files, .events = POLLIN}};
	bool all = false, came = true;
	do {
		char events[4096];
		if (came || !all) {
			while (read(d->files, events, sizeof events) > 0)
				;
			all = look(d);
		}
		if (d->often)
			look_again(d);
		came = poll(on, 2, d->often ? OFTEN_MS : all ? -1 : LOOK_AGAIN_MS) > 0;
	} while (!on[0].revents);
	look(d);
	return NULL;
}

static void release(hb_deaths *d)
{
	for (size_t i = 0; i < d->n; i++) {
		if (d->at[i]->header)
			munmap(d->at[i]->header, HB_UNIT_SIZE);
		free(d->at[i]);
	}
	if (d->files >= 0)
		close(d->files);
	if (d->stop >= 0)
		close(d->stop);
	pthread_mutex_destroy(&d->lock);
	free(d->recording);
	free(d);
}

hb_deaths *hb__deaths_begin(const char *recording, bool often)
{
	hb_deaths *d = hb__alloc(sizeof *d);
	sigset_t all, before;
	*d = (hb_deaths){.recording = hb__copy(recording),
		.often = often,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.files = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.stop = eventfd(0, EFD_CLOEXEC)};
	bool good =
		d->files >= 0 && d->stop >= 0 && inotify_add_watch(d->files, recording, IN_CREATE | IN_MOVED_TO) >= 0;
	sigfillset(&all); /* signals are for the thread that has the job */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	good = good && !pthread_create(&d->thread, NULL, follow, d);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (good)
		return d;
	release(d);
	return NULL;
}

static const struct seen *of_rank(const hb_deaths *d, int32_t rank)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i]->rank == rank)
			return d->at[i];
	return NULL;
}

/* Whether each process that did not get through MPI_Finalize was waited for. */
static hb_deaths_seen seen_of(const hb_deaths *d)
{
	hb_deaths_seen ret = {.known = !d->blind,
		.any = d->first != NULL,
		.first = d->first && !d->doubtful ? d->first->rank : -1,
		.clean = d->clean,
		.by = d->by};
	hb_logs logs;
	if (hb__list_logs(d->recording, &logs))
		return (hb_deaths_seen){.first = -1};
	for (size_t i = 0; ret.known && i < logs.n; i++) {
		hb_log_head h;
		ret.known = !hb_log_head_read(logs.at[i].path, &h, NULL) &&
			    (h.state == HB_STATE_FINALIZED || (!logs.at[i].pid && of_rank(d, logs.at[i].rank)));
		if (!ret.known)
			break;
		ret.size = h.size > 0 ? (size_t)h.size : 0;
		ret.recorded += !logs.at[i].pid;
	}
	hb__close_logs(&logs);
	return ret;
}

static void end_threads(hb_deaths *d)
{
	pthread_mutex_lock(&d->lock);
	d->ended = true;
	pthread_mutex_unlock(&d->lock);
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i]->waited) {
			syscall(SYS_futex, d->at[i]->word, FUTEX_WAKE, 1, NULL, NULL, 0);
			pthread_join(d->at[i]->thread, NULL);
		}
}

hb_deaths_seen hb__deaths_over(hb_deaths *d)
{
	const uint64_t one = 1;
	if (!d)
		return (hb_deaths_seen){.first = -1};
	bool told = write(d->stop, &one, sizeof one) == (ssize_t)sizeof one;
	if (!told)
		pthread_cancel(d->thread);
	pthread_join(d->thread, NULL);
	end_threads(d);
	hb_deaths_seen seen = told ? seen_of(d) : (hb_deaths_seen){.first = -1};
	release(d);
	return seen;
}

int32_t hb__deaths_end(hb_deaths *d)
{
	hb_deaths_seen seen = hb__deaths_over(d);
	return seen.known && seen.any && seen.recorded >= seen.size ? seen.first : -1; /* none is without a log */
}
