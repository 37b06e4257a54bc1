/* The thread that looks at the logs of a run and sends what is to be sent. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../store/find.h"
#include "../store/logs.h"
#include "base/clock.h"
#include "sending.h"

#define LOOK_MS 50

struct hb_sender {
	char *recording, *command;
	hb_send_policy policy;
	pid_t child;
	int pipe;
	double begin;
	pthread_t thread;
	bool ended, gone; /* the run is over; the other end does not read any more */
	int why;          /* gone: errno */
	hb_sent_log **log;
	size_t n;
	struct sent_file {
		char *name;
		ino_t inode;
		off_t size;
		struct timespec time;
	} * file; /* policy.files: as they were sent */
	size_t files;
};

/* ---- frames ---- */

static bool put(hb_sender *s, const void *bytes, size_t n)
{
	for (const char *p = bytes; n && !s->gone;) {
		ssize_t k = write(s->pipe, p, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			s->gone = true;
			s->why = errno;
			return false;
		}
		p += k;
		n -= (size_t)k;
	}
	return !s->gone;
}

static bool put_frame(hb_sender *s, uint8_t kind, const char *name, uint64_t offset, const void *bytes, uint32_t n)
{
	uint8_t head[2 + 255 + 12], *p = head;
	size_t length = strlen(name);
	*p++ = kind;
	*p++ = (uint8_t)length;
	memcpy(p, name, length);
	p += length;
	for (int i = 0; i < 8; i++)
		*p++ = (uint8_t)(offset >> 8 * i);
	for (int i = 0; i < 4; i++)
		*p++ = (uint8_t)(n >> 8 * i);
	return put(s, head, (size_t)(p - head)) && put(s, bytes, n);
}

static bool put_file(void *user, const char *name, uint64_t offset, const void *bytes, size_t n)
{
	bool good = strlen(name) < 256;
	if (good && !n) /* it is empty */
		return put_frame(user, HB_FRAME_FILE, name, offset, bytes, 0);
	for (size_t at = 0; good && at < n; at += HB_FRAME_MOST) {
		size_t k = n - at < HB_FRAME_MOST ? n - at : HB_FRAME_MOST;
		good = put_frame(user, HB_FRAME_FILE, name, offset + at, (const char *)bytes + at, (uint32_t)k);
	}
	return good;
}

/* ---- logs ---- */

static hb_sent_log *log_named(hb_sender *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(hb__sent_log_name(s->log[i]), name))
			return s->log[i];
	hb_sent_log *log = hb__sent_log_new(s->recording, name), **more = realloc(s->log, (s->n + 1) * sizeof *more);
	s->log = more ? more : s->log;
	if (!log || !more) {
		hb__sent_log_free(log);
		return NULL;
	}
	return s->log[s->n++] = log;
}

/* ---- files ---- */

static void send_file(hb_sender *s, const char *name, int fd)
{
	char bytes[65536];
	uint64_t at = 0;
	ssize_t n;
	do {
		n = read(fd, bytes, sizeof bytes);
		if (n > 0 || !at)
			put_file(s, name, at, bytes, n > 0 ? (size_t)n : 0);
		at += n > 0 ? (uint64_t)n : 0;
	} while (n > 0);
}

/* Of the folder `part` of the recording, all but logs. */
static void send_files(hb_sender *s, const char *part)
{
	char *folder = hb__format("%s%s%s", s->recording, *part ? "/" : "", part);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && !s->gone && (e = readdir(dir));) {
		struct stat st;
		char *name = hb__format("%s%s%s", part, *part ? "/" : "", e->d_name),
		     *path = hb__format("%s/%s", s->recording, name);
		bool good = e->d_name[0] != '.' && !lstat(path, &st);
		int fd = good && S_ISREG(st.st_mode) && !hb__is_log_name(e->d_name) ? open(path, O_RDONLY | O_CLOEXEC)
										    : -1;
		if (fd >= 0) {
			send_file(s, name, fd);
			close(fd);
		} else if (good && S_ISDIR(st.st_mode) && !*part)
			send_files(s, name);
		free(name);
		free(path);
	}
	if (dir)
		closedir(dir);
	free(folder);
}

/* A file is renamed into place, so that another one of the same name is another file. */
static void send_changed(hb_sender *s, const char *name)
{
	struct stat st;
	size_t i = 0;
	char *path = hb__format("%s/%s", s->recording, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	free(path);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (i < s->files && strcmp(s->file[i].name, name) != 0)
		i++;
	if (i == s->files) {
		s->file = hb__resize(s->file, (s->files + 1) * sizeof *s->file);
		s->file[s->files++] = (struct sent_file){.name = hb__copy(name)};
	}
	struct sent_file *f = &s->file[i];
	if (f->inode != st.st_ino || f->size != st.st_size || f->time.tv_sec != st.st_mtim.tv_sec ||
		f->time.tv_nsec != st.st_mtim.tv_nsec) {
		send_file(s, name, fd);
		*f = (struct sent_file){f->name, st.st_ino, st.st_size, st.st_mtim};
	}
	close(fd);
}

/* ---- looking ---- */

static void look(hb_sender *s, bool all)
{
	DIR *dir = opendir(s->recording);
	for (struct dirent *e; dir && !s->gone && (e = readdir(dir));) {
		bool idle = false;
		hb_sent_log *log = hb__is_log_name(e->d_name) ? log_named(s, e->d_name) : NULL;
		uint64_t unsent = log ? hb__unsent(log, &idle) : 0;
		if (log && (all || hb__send_now(&s->policy, hb_seconds() - s->begin, unsent, idle)))
			hb__send_log(log, put_file, s);
		if (s->policy.files && !hb__is_log_name(e->d_name) && e->d_name[0] != '.')
			send_changed(s, e->d_name);
	}
	if (dir)
		closedir(dir);
}

static void *run(void *user)
{
	hb_sender *s = user;
	const struct timespec tick = {0, LOOK_MS * 1000000L};
	while (!__atomic_load_n(&s->ended, __ATOMIC_ACQUIRE) && !s->gone) {
		look(s, false);
		nanosleep(&tick, NULL);
	}
	return NULL;
}

/* ---- from outside ---- */

static void free_sender(hb_sender *s)
{
	for (size_t i = 0; i < s->n; i++)
		hb__sent_log_free(s->log[i]);
	for (size_t i = 0; i < s->files; i++)
		free(s->file[i].name);
	free(s->file);
	free(s->log);
	free(s->policy.rule);
	free(s->recording);
	free(s->command);
	free(s);
}

static pid_t start(const char *command, int *ret_pipe)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid_t child = fork();
	if (!child) {
		setpgid(0, 0); /* Ctrl-C is for the job; the rest of it is to arrive */
		dup2(ends[0], 0);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (child < 0)
		close(ends[1]);
	*ret_pipe = child < 0 ? -1 : ends[1];
	return child;
}

/* Not SIG_IGN: the job would inherit that. */
static void on_nothing(int sig) { (void)sig; }

int hb__sender_begin(const char *command, const hb_send_policy *policy, const char *recording, hb_sender **ret)
{
	*ret = NULL;
	hb_sender *s = hb__alloc(sizeof *s);
	*s = (hb_sender){.recording = hb__copy(recording),
		.command = hb__copy(command),
		.policy = *policy,
		.begin = hb_seconds()};
	signal(SIGPIPE, on_nothing);
	s->child = start(command, &s->pipe);
	if (s->child < 0) {
		int code = hb__fail_with(HB_EXIT_USAGE, "cannot start %s: %s", command, strerror(errno));
		free_sender(s);
		return code;
	}
	put(s, HB_STREAM_MAGIC, strlen(HB_STREAM_MAGIC));
	if (!s->policy.files)
		send_files(s, "");
	if (pthread_create(&s->thread, NULL, run, s)) {
		close(s->pipe); /* the command comes to the end of its input */
		waitpid(s->child, NULL, 0);
		free_sender(s);
		return hb__fail_with(HB_EXIT_USAGE, "cannot start a thread that sends");
	}
	*ret = s;
	return 0;
}

void hb__sender_flush(hb_sender *s)
{
	if (!s)
		return;
	__atomic_store_n(&s->ended, true, __ATOMIC_RELEASE);
	pthread_join(s->thread, NULL);
	look(s, true);
}

void hb__sender_end(hb_sender *s)
{
	int status = 0;
	if (!s)
		return;
	if (!s->policy.files)
		send_files(s, "");
	put_frame(s, HB_FRAME_END, "", 0, NULL, 0);
	if (s->pipe >= 0)
		close(s->pipe);
	while (s->child > 0 && waitpid(s->child, &status, 0) < 0 && errno == EINTR)
		;
	if (s->gone)
		hb__say("not all of the recording was sent: '%s' did not read on (%s); %s is whole", s->command,
			strerror(s->why), hb__short(s->recording));
	else if (status)
		hb__say("'%s', which got the recording, ended with status %d; %s is whole", s->command,
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), hb__short(s->recording));
	free_sender(s);
}
