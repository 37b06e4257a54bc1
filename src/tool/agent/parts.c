/* A node's part of a recording: sealed, sent and removed, each by a child of the agent's, so that it goes on meanwhile. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../making/keep.h"
#include "../sending/sending.h"
#include "../store/find.h"
#include "../store/manifest.h"
#include "agent.h"
#include "format/within/within.h"

/* Only what looks like one is touched: a folder of this user's with logs, and perhaps contents, or nothing. Else the ask has been refused. NULL then. */
const char *hb__the_folder(hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb_wire_text(ask, "folder");
	struct stat is;
	if (!folder || *folder != '/')
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "the ask says no folder");
	else if (lstat(folder, &is))
		hb_wire_refuse(wire, id, HB_EXIT_RECORDING, "%s: %s", folder, strerror(errno));
	else if (!S_ISDIR(is.st_mode) || is.st_uid != geteuid())
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "%s is not a folder of this user's", folder);
	else
		return folder;
	return NULL;
}

/* ---- seal ---- */

struct waiting {
	hb_wire *wire;
	uint64_t id;
	int said; /* keep, state: what the child writes is the answer, or why there is none; -1: nothing */
	struct waiting *next;
};
static struct waiting *all;

void hb__parts_gone(hb_wire *wire)
{
	for (struct waiting *w = all; w; w = w->next)
		w->wire = w->wire == wire ? NULL : w->wire;
}

static void forget(struct waiting *w)
{
	for (struct waiting **at = &all; *at; at = &(*at)->next)
		if (*at == w) {
			*at = w->next;
			break;
		}
	if (w->said >= 0)
		close(w->said);
	free(w);
}

static void sealed(hb_agent *agent, void *user, int32_t pid, int status, int signal)
{
	struct waiting *w = user;
	(void)agent, (void)pid, (void)signal;
	if (w->wire && status)
		hb_wire_refuse(
			w->wire, w->id, HB_EXIT_RECORDING, "the logs could not be compressed (status %d)", status);
	else if (w->wire)
		hb_wire_answer(w->wire, w->id, NULL);
	forget(w);
}

/* The child has written its answer, an object, or, when it failed, why. */
static void has_said(hb_agent *agent, void *user, int32_t pid, int status, int signal)
{
	struct waiting *w = user;
	struct stat is = {0};
	(void)agent, (void)pid, (void)signal;
	fstat(w->said, &is);
	size_t size = (size_t)is.st_size;
	char *text = hb__alloc(size + 1);
	ssize_t n = pread(w->said, text, size, 0);
	cJSON *answer = n > 0 && !status ? cJSON_ParseWithLength(text, (size_t)n) : NULL;
	if (w->wire && answer)
		hb_wire_answer(w->wire, w->id, cJSON_Duplicate(answer, true));
	else if (w->wire)
		hb_wire_refuse(w->wire, w->id, HB_EXIT_RECORDING, "%.1000s",
			n > 0 && status ? text : "the process of the agent's that was at work on it was ended");
	cJSON_Delete(answer);
	free(text);
	forget(w);
}

static void seal(const char *folder)
{
	char host[256] = "";
	hb_sum sum;
	gethostname(host, sizeof host - 1);
	hb__finish_logs(folder, true, &sum);
	/* all else is told by who adds up what comes */
	if (sum.not_sealed)
		hb__say("%s: %llu %s uncompressed", host, (unsigned long long)sum.not_sealed,
			hb__plural(sum.not_sealed, "log stays", "logs stay"));
	_exit(0);
}

static pid_t begin_child(void)
{
	pid_t pid = fork();
	if (!pid) {
		sigset_t none;
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
	}
	return pid;
}

/* True: this is the child. said: a file of the child's and the agent's, or -1; the agent's from here on. */
static bool work(hb_agent *agent, hb_wire *wire, uint64_t id, hb_agent_ended *over, int said)
{
	struct waiting *w = hb__alloc(sizeof *w);
	*w = (struct waiting){.wire = wire, .id = id, .said = said, .next = all};
	pid_t pid = begin_child();
	if (!pid)
		return true;
	all = w;
	if (pid < 0 || !hb_agent_wait_for(agent, pid, over, w)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "no process could be started: %s", strerror(errno));
		forget(w);
	}
	return false;
}

int hb__work_for(hb_agent *agent, hb_wire *wire, uint64_t id)
{
	int said = memfd_create("hbdb-answer", MFD_CLOEXEC);
	if (said < 0)
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "there is no place for the answer: %s", strerror(errno));
	return said >= 0 && work(agent, wire, id, has_said, said) ? said : -1;
}

void hb__work_done(int said, cJSON *answer)
{
	char *text = cJSON_PrintUnformatted(answer);
	if (text)
		dprintf(said, "%s", text);
	_exit(text ? 0 : HB_EXIT_RECORDING);
}

void hb__ask_seal(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb__the_folder(wire, id, ask);
	if (folder && work(agent, wire, id, sealed, -1))
		seal(folder);
}

/* ---- fetch, follow ---- */

/* "logs": logs and contents; "others": all else; NULL: all. Of what stands in the folder itself. */
static bool wanted(const char *which, const char *name)
{
	size_t n = strlen(name), ending = strlen(".data");
	bool log = hb__is_log_name(name) ||
		   (!strncmp(name, "rank.", 5) && n > ending && !strcmp(name + n - ending, ".data"));
	return !which || log == !strcmp(which, "logs");
}

static void send_part(const char *given, const char *which, int fd)
{
	bool copies = which && !strcmp(which, "files"); /* of files that the program read, if there are any */
	char *folder = copies ? hb__format("%s/files", given) : hb__copy(given);
	which = copies ? NULL : which;
	char host[256] = "";
	hb_within_writer w;
	gethostname(host, sizeof host - 1);
	hb_within_begin(&w, fd, host);
	DIR *dir = opendir(folder);
	int trouble = errno;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat is;
		if (e->d_name[0] == '.' || fstatat(dirfd(dir), e->d_name, &is, AT_SYMLINK_NOFOLLOW) ||
			!S_ISREG(is.st_mode) || !wanted(which, e->d_name))
			continue;
		char *path = hb__format("%s/%s", folder, e->d_name);
		hb_within_add(&w, path, e->d_name);
		free(path);
	}
	_exit(hb_within_end(&w, NULL) || (!dir && !(copies && trouble == ENOENT)));
}

/* What hbdb record --send sends, into the channel, until nobody takes it any more. Who says only that there is nothing more to be watched gets the rest. */
static void send_on(const char *folder, bool files, int fd)
{
	const hb_send_policy at_once = {.files = files};
	struct pollfd end = {.fd = fd, .events = POLLIN | POLLRDHUP};
	hb_sender *sender;
	dup2(fd, 1);
	if (hb__sender_begin("exec cat", &at_once, folder, &sender))
		_exit(1);
	hb__hush(); /* who takes it sees for himself where it ends, and may have seen enough */
	while (poll(&end, 1, -1) < 0 || !end.revents)
		;
	if (!(end.revents & (POLLHUP | POLLERR))) {
		hb__sender_flush(sender);
		hb__sender_end(sender);
	}
	_exit(0);
}

struct sending {
	hb_wire *wire;
	uint32_t channel;
	bool open, over;
	int said; /* why the child failed; -1: it says nothing */
};

static void let_go(struct sending *s)
{
	if (!s->over || s->open)
		return;
	if (s->said >= 0)
		close(s->said);
	free(s);
}

static void cut(void *user, uint32_t channel, const cJSON *how)
{
	struct sending *s = user;
	(void)channel, (void)how;
	s->open = false;
	let_go(s);
}

static void sent(hb_agent *agent, void *user, int32_t pid, int status, int signal)
{
	struct sending *s = user;
	char text[512] = "";
	(void)agent, (void)pid, (void)signal;
	s->over = true;
	if (s->open) {
		cJSON *how = cJSON_CreateObject();
		cJSON_AddNumberToObject(how, "status", status);
		if (status && s->said >= 0 && pread(s->said, text, sizeof text - 1, 0) > 0)
			cJSON_AddStringToObject(how, "error", text);
		hb_wire_end(s->wire, s->channel, how);
	}
	let_go(s);
}

int hb__channel_for(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask, int said)
{
	int64_t channel;
	int end[2];
	bool named = hb_wire_number(ask, "channel", &channel) && channel > 0 && channel <= UINT32_MAX;
	if (!named || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, named ? "cannot make a socket: %s" : "the ask says no channel",
			strerror(errno));
		if (said >= 0)
			close(said);
		return -1;
	}
	struct sending *s = hb__alloc(sizeof *s);
	*s = (struct sending){.wire = wire, .channel = (uint32_t)channel, .open = true, .said = said};
	pid_t pid = begin_child();
	if (!pid) {
		close(end[0]);
		return end[1];
	}
	close(end[1]);
	if (pid < 0 || !hb_agent_wait_for(agent, pid, sent, s)) {
		close(end[0]);
		s->open = false;
		s->over = true;
		let_go(s);
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "no process could be started: %s", strerror(errno));
	} else if (!hb_wire_join(wire, s->channel, end[0], end[0], true, cut, s)) {
		s->open = false;
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "the channel %lld is in use", (long long)channel);
	} else {
		hb_wire_answer(wire, id, NULL);
	}
	return -1;
}

void hb__ask_fetch(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb__the_folder(wire, id, ask);
	int fd = folder ? hb__channel_for(agent, wire, id, ask, -1) : -1;
	if (fd >= 0)
		send_part(folder, hb_wire_text(ask, "which"), fd);
}

void hb__ask_follow(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb__the_folder(wire, id, ask);
	int fd = folder ? hb__channel_for(agent, wire, id, ask, -1) : -1;
	if (fd >= 0)
		send_on(folder, cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(ask, "files")), fd);
}

/* ---- drop ---- */

bool hb__is_part_of_node(const char *name)
{
	return !strncmp(name, "hbdb-", 5) && strlen(name + 5) == HB_ID_LENGTH && !strchr(name, '/');
}

/* A folder in one. */
static bool is_in_part_of_node(const char *folder)
{
	char *parent = hb__copy(folder), *slash = strrchr(parent, '/'), *name;
	*slash = 0;
	name = strrchr(parent, '/');
	bool is =
		name && hb__is_part_of_node(name + 1) && slash[1] && strcmp(slash + 1, "..") && strcmp(slash + 1, ".");
	free(parent);
	return is;
}

void hb__ask_drop(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = hb__the_folder(wire, id, ask), *slash = folder ? strrchr(folder, '/') : NULL;
	(void)agent;
	if (!folder)
		return;
	/* what a manager or a user keeps under another name is nothing that was made for a node's part */
	if (!hb__is_part_of_node(slash + 1) && !is_in_part_of_node(folder)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "%s was not made for a node's part of a recording", folder);
		return;
	}
	/* all of it is gone at once: whoever copies it sees that it is not whole any more */
	char *aside = hb__format("%.*s/.%s.dropped", (int)(slash - folder), folder, slash + 1);
	hb__remove_folder(rename(folder, aside) ? folder : aside);
	free(aside);
	hb_wire_answer(wire, id, NULL);
}
