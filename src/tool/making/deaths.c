/* A thread that waits for the deaths of the processes, in the order in which the kernel tells of them. */
#include "deaths.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../store/logs.h"
#include "base/task.h"
#include "format/growing/growing.h"
#include "format/row.h"

#define LOOK_AGAIN_MS 10 /* a log is there before it says whose it is */

struct seen {
	int fd;        /* of the process, -1: it was dead when it was found */
	uint64_t died; /* as which one; 0: it lives */
	int32_t pid, rank;
	int32_t before; /* rank of one that had begun to die by itself when this death was told; -1: none */
	bool doubtful;  /* ... but it is not known that it was the cause, or there were several */
};

struct hb_deaths {
	char *recording;
	pthread_t thread;
	int waiting, files, stop;
	struct seen *at; /* by the order in which they were found */
	size_t n;
	uint64_t died;
	bool blind; /* something could not be looked at */
	bool news;  /* there may be logs that were not looked at */
	bool ended; /* it is to end; told once only */
};

static const uint64_t from_files = UINT64_MAX, from_stop = UINT64_MAX - 1;

static bool add(const hb_deaths *d, int fd, uint64_t who)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u64 = who};
	return !epoll_ctl(d->waiting, EPOLL_CTL_ADD, fd, &e);
}

/* Whether a process has this log mapped: numbers of processes are others in a container, and on other machines. */
static bool writes(uint32_t pid, const char *path)
{
	char maps[64], *line = NULL;
	size_t size = 0, n = strlen(path);
	bool found = false;
	snprintf(maps, sizeof maps, "/proc/%u/maps", pid);
	FILE *f = fopen(maps, "re");
	for (ssize_t got; f && !found && (got = getline(&line, &size, f)) > 0;)
		found = (size_t)got > n && !strncmp(line + (size_t)got - 1 - n, path, n);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool is_dead(int fd)
{
	struct pollfd of = {.fd = fd, .events = POLLIN};
	return poll(&of, 1, 0) == 1;
}

/* A launcher ends the others by these. */
static bool by_launcher(int status)
{
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM);
}

/* A process that dies lets go of its connections before the kernel tells of its death: the launcher may end another one meanwhile, whose
 * death is told first. So whoever is on its way out when a death is told, and was not ended by the launcher, may have died before: it has
 * when the other one was ended by the launcher. */
static void look_around(const hb_deaths *d, struct seen *told)
{
	hb_task one, other;
	bool ended = hb_task_read(told->pid, 0, &one) && one.state == 'Z' && by_launcher(one.status);
	for (size_t i = 0; i < d->n; i++) {
		const struct seen *s = &d->at[i];
		if (s == told || s->fd < 0 || s->died || !hb_task_read(s->pid, 0, &other) ||
			!(other.leaving || other.state == 'Z') || by_launcher(other.status))
			continue;
		told->doubtful = !ended || told->before >= 0;
		told->before = s->rank;
	}
}

/* Takes what epoll has, in the order of the deaths. */
static void note_deaths(hb_deaths *d, int ms)
{
	struct epoll_event e[64];
	for (int n; (n = epoll_wait(d->waiting, e, 64, ms)) > 0; ms = 0)
		for (int i = 0; i < n; i++) {
			if (e[i].data.u64 == from_stop) {
				d->ended = true;
				epoll_ctl(d->waiting, EPOLL_CTL_DEL, d->stop, NULL); /* it is readable for good */
			} else if (e[i].data.u64 == from_files) {
				char events[4096];
				while (read(d->files, events, sizeof events) > 0)
					;
				d->news = true;
			} else {
				struct seen *s = &d->at[e[i].data.u64];
				s->died = ++d->died;
				look_around(d, s);
				epoll_ctl(d->waiting, EPOLL_CTL_DEL, s->fd, NULL);
			}
		}
}

/* False: the log does not say yet whose it is. */
static bool find(hb_deaths *d, const hb_log_file *f)
{
	hb_log_head h;
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i].rank == f->rank)
			return true;
	if (hb_log_head_read(f->path, &h, NULL))
		return false;
	d->at = hb__resize(d->at, (d->n + 1) * sizeof *d->at);
	struct seen *s = &d->at[d->n++];
	*s = (struct seen){.fd = -1, .pid = (int32_t)h.pid, .rank = f->rank, .before = -1};
	s->fd = hb_host_is_here(h.host) ? pidfd_open((pid_t)h.pid, 0) : -1;
	int error = errno;
	bool waits = s->fd >= 0 && writes(h.pid, f->path) && add(d, s->fd, d->n - 1);
	if (waits && !is_dead(s->fd))
		return true;
	/* It died before epoll waited for it, or just then: others that died after it may stand before it there. A zombie has no memory
	 * any more, and its descriptor tells of its death at once. */
	bool dead = s->fd >= 0 ? is_dead(s->fd) : hb_host_is_here(h.host) && error == ESRCH;
	if (s->fd >= 0)
		close(s->fd); /* epoll forgets it with that */
	s->fd = -1;
	d->blind = d->blind || !dead;
	note_deaths(d, 0); /* those who are known to have died before */
	s = &d->at[d->n - 1];
	s->died = ++d->died;
	return true;
}

/* Looks for logs that are new. False: not all of them say yet whose they are. */
static bool look(hb_deaths *d)
{
	hb_logs logs;
	bool all = true;
	if (hb__list_logs(d->recording, &logs))
		return true;
	for (size_t i = 0; i < logs.n; i++)
		all = (logs.at[i].pid || find(d, &logs.at[i])) && all;
	hb__close_logs(&logs);
	return all;
}

static void release(hb_deaths *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->at[i].fd >= 0)
			close(d->at[i].fd);
	const int fds[] = {d->waiting, d->files, d->stop};
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(d->at);
	free(d->recording);
	free(d);
}

static void *follow(void *user)
{
	hb_deaths *d = user;
	bool all = true;
	for (d->news = true; !d->ended;) {
		if (d->news || !all) {
			d->news = false;
			all = look(d);
		}
		if (!d->ended) /* what was looked at may have taken the word to end */
			note_deaths(d, all && !d->news ? -1 : LOOK_AGAIN_MS);
	}
	look(d);
	note_deaths(d, 0);
	return NULL;
}

hb_deaths *hb__deaths_begin(const char *recording)
{
	hb_deaths *d = hb__alloc(sizeof *d);
	sigset_t all, before;
	*d = (hb_deaths){.recording = hb__copy(recording),
		.waiting = epoll_create1(EPOLL_CLOEXEC),
		.files = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.stop = eventfd(0, EFD_CLOEXEC)};
	bool good = d->waiting >= 0 && d->files >= 0 && d->stop >= 0 &&
		    inotify_add_watch(d->files, recording, IN_CREATE | IN_MOVED_TO) >= 0 &&
		    add(d, d->files, from_files) && add(d, d->stop, from_stop);
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
		if (d->at[i].rank == rank)
			return &d->at[i];
	return NULL;
}

/* The first of those whose logs do not end with MPI_Finalize. */
static int32_t first_of(const hb_deaths *d)
{
	const struct seen *first = NULL;
	size_t found_dead = 0, recorded = 0, size = 0;
	bool known = !d->blind;
	hb_logs logs;
	if (hb__list_logs(d->recording, &logs))
		return -1;
	for (size_t i = 0; known && i < logs.n; i++) {
		hb_log_head h;
		known = !hb_log_head_read(logs.at[i].path, &h, NULL);
		if (!known)
			break;
		size = h.size > 0 ? (size_t)h.size : 0;
		recorded += !logs.at[i].pid;
		const struct seen *s = logs.at[i].pid ? NULL : of_rank(d, logs.at[i].rank);
		if (h.state == HB_STATE_FINALIZED)
			continue;
		known = s && s->died;
		if (!known)
			break;
		found_dead += s->fd < 0;
		first = !first || s->died < first->died ? s : first;
	}
	hb__close_logs(&logs);
	/* who was dead already when it was found may have died before any other; so may one that never got to a log */
	known = known && first && recorded >= size && found_dead <= (first->fd < 0);
	known = known && !first->doubtful;
	return !known ? -1 : first->before >= 0 ? first->before : first->rank;
}

int32_t hb__deaths_end(hb_deaths *d)
{
	const uint64_t one = 1;
	if (!d)
		return -1;
	bool told = write(d->stop, &one, sizeof one) == (ssize_t)sizeof one;
	if (!told)
		pthread_cancel(d->thread);
	pthread_join(d->thread, NULL);
	int32_t first = told ? first_of(d) : -1;
	release(d);
	return first;
}
