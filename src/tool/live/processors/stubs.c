/* Processes of other processors of a job: each waits before its first instruction until a gdb has come, and is given the one of its platform. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../parts.h"
#include "runner.h"

#define ANSWER_MS 10000 /* of what has nothing else to do */

void hb__live_open_stubs(hb_live *l)
{
	const char *where = getenv("TMPDIR");
	/* the path of a socket is short */
	l->stubs = hb__format("%s/hbdb-stubs.XXXXXX", where && *where == '/' && strlen(where) < 40 ? where : "/tmp");
	if (mkdtemp(l->stubs)) {
		hb__folder_guard_set(l->stubs, &l->stubs_guard);
		l->stubs_news = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		if (l->stubs_news >= 0 && inotify_add_watch(l->stubs_news, l->stubs, IN_CREATE | IN_MOVED_TO) < 0) {
			close(l->stubs_news);
			l->stubs_news = -1;
		}
		return;
	}
	hb__say("cannot make a folder like %s: %s; processes of other processors go without gdb", l->stubs,
		strerror(errno));
	free(l->stubs);
	l->stubs = NULL;
}

void hb__live_close_stubs(hb_live *l)
{
	DIR *dir = l->stubs ? opendir(l->stubs) : NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		hb_stub_found stub;
		/* it came as the job ended: nobody will let it go on */
		if (hb__stub_read(l->stubs, e->d_name, &stub)) {
			kill(stub.pid, SIGKILL);
			hb__stub_free(&stub);
		}
		unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
	if (l->stubs) {
		rmdir(l->stubs);
		hb__folder_guard_dismiss(&l->stubs_guard);
		if (l->stubs_news >= 0)
			close(l->stubs_news);
	}
	free(l->stubs);
	free(l->stub_pids);
}

/* In the place of a gdb that cannot be had: the words by which one lets go of it. */
static void let_go(const char *address)
{
	static const char words[] = "$D#44";
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char c = 0; /* the answer begins behind an acknowledgement */
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd answered = {fd, POLLIN, 0};
	snprintf(at.sun_path, sizeof at.sun_path, "%s", address);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof at) &&
		send(fd, words, strlen(words), MSG_NOSIGNAL) > 0)
		while (c != '$' && poll(&answered, 1, ANSWER_MS) > 0 && recv(fd, &c, 1, 0) > 0)
			;
	if (fd >= 0)
		close(fd);
}

static void attend(hb_live *l, const hb_stub_found *stub)
{
	const hb_gdb_stub how = {stub->pid, stub->gdb, stub->address, stub->root, stub->program};
	hb_error err = {0};
	l->stub_pids = hb__resize(l->stub_pids, (l->nstubs + 1) * sizeof *l->stub_pids);
	l->stub_pids[l->nstubs++] = stub->pid;
	if (!hb_session_stub(l->session, &how, &err))
		return;
	hb__say("process %d, %s, goes on without gdb: %s", stub->pid,
		stub->program ? hb__short(stub->program) : "of another processor", err.message);
	let_go(stub->address);
}

static bool seen(const hb_live *l, int32_t pid)
{
	for (size_t i = 0; i < l->nstubs; i++)
		if (l->stub_pids[i] == pid)
			return true;
	return false;
}

/* Most jobs have no process of another processor: then the folder is not read again and again. */
static bool is_to_be_looked_at(hb_live *l)
{
	char news[4096];
	bool due = l->stubs_due || (l->stubs && l->stubs_news < 0);
	while (l->stubs && l->stubs_news >= 0 && read(l->stubs_news, news, sizeof news) > 0)
		due = true;
	return due;
}

void hb__live_look_at_stubs(hb_live *l)
{
	DIR *dir = is_to_be_looked_at(l) ? opendir(l->stubs) : NULL;
	l->stubs_due = false;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		const char *dot = strrchr(e->d_name, '.');
		hb_stub_found stub;
		if (!dot || seen(l, atoi(dot + 1)))
			continue;
		if (!hb__stub_read(l->stubs, e->d_name, &stub)) {
			/* nobody listens there yet; or it is left of one that is gone */
			l->stubs_due |= atoi(dot + 1) > 0 && !kill(atoi(dot + 1), 0);
			continue;
		}
		attend(l, &stub);
		hb__stub_free(&stub);
	}
	if (dir)
		closedir(dir);
}
