/* A node's part of a recording: sealed, kept, sent and removed, each by a child of the agent's, so that it goes on meanwhile. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../making/keep.h"
#include "../sending/sending.h"
#include "../store/find.h"
#include "../stopping/kept.h"
#include "../store/manifest.h"
#include "agent.h"
#include "format/within/within.h"

/* Only what looks like one is touched: a folder of this user's with logs, and perhaps contents, or nothing. Else the ask has been refused. NULL then. */
static const char *the_folder(hb_wire *wire, uint64_t id, const cJSON *ask)
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

/* ---- seal, keep ---- */

struct waiting {
	hb_wire *wire;
	uint64_t id;
	int said; /* keep: where the child writes the path of what it has made, or why it could not */
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

static void kept(hb_agent *agent, void *user, int32_t pid, int status, int signal)
{
	struct waiting *w = user;
	char text[PIPE_BUF + 1];
	ssize_t n = read(w->said, text, sizeof text - 1);
	(void)agent, (void)pid, (void)signal;
	text[n > 0 ? n : 0] = 0;
	if (w->wire && status) {
		hb_wire_refuse(w->wire, w->id, HB_EXIT_RECORDING, "%s",
			*text ? text : "what the recording holds could not be kept: the process that did it was ended");
	} else if (w->wire) {
		cJSON *answer = cJSON_CreateObject();
		cJSON_AddStringToObject(answer, "recording", text);
		hb_wire_answer(w->wire, w->id, answer);
	}
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

/* said: the end of a pipe that the child writes to, which the parent keeps the other end of; {-1, -1}: none. True: this is the child. */
static bool work(hb_agent *agent, hb_wire *wire, uint64_t id, hb_agent_ended *over, const int said[2])
{
	struct waiting *w = hb__alloc(sizeof *w);
	*w = (struct waiting){.wire = wire, .id = id, .said = said[0], .next = all};
	pid_t pid = begin_child();
	if (!pid)
		return true;
	if (said[1] >= 0)
		close(said[1]);
	all = w;
	if (pid < 0 || !hb_agent_wait_for(agent, pid, over, w)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "no process could be started: %s", strerror(errno));
		forget(w);
	}
	return false;
}

void hb__ask_seal(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = the_folder(wire, id, ask);
	if (folder && work(agent, wire, id, sealed, (int[]){-1, -1}))
		seal(folder);
}

static void keep(const char *folder, const char *output, int said)
{
	char *made, *to = output && *output != '/' ? hb__format("%s/../%s", folder, output) : NULL;
	hb_sum sum;
	hb_error err;
	hb_status status = hb__keep(folder, to ? to : output, &made, &sum, &err);
	if (status)
		dprintf(said, "%s%s%s", err.message, err.sys ? ": " : "", err.sys ? strerror(err.sys) : "");
	else
		dprintf(said, "%s", made);
	_exit(status ? HB_EXIT_RECORDING : 0);
}

void hb__ask_keep(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = the_folder(wire, id, ask), *output = hb_wire_text(ask, "output");
	int said[2];
	if (!folder)
		return;
	if (output && (!*output || (*output != '/' && strchr(output, '/'))))
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "'%s' is neither an absolute path nor a name without a folder", output);
	else if (pipe2(said, O_CLOEXEC))
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "cannot make a pipe: %s", strerror(errno));
	else if (work(agent, wire, id, kept, said))
		keep(folder, output, said[1]);
}

/* ---- fetch, follow ---- */

/* "logs": logs and contents; "others": all else; NULL: all. */
static bool wanted(const char *which, const char *name)
{
	size_t n = strlen(name), ending = strlen(".data");
	bool log = hb__is_log_name(name) ||
		   (!strncmp(name, "rank.", 5) && n > ending && !strcmp(name + n - ending, ".data"));
	return !which || log == !strcmp(which, "logs");
}

static void send_part(const char *folder, const char *which, int fd)
{
	char host[256] = "";
	hb_within_writer w;
	gethostname(host, sizeof host - 1);
	hb_within_begin(&w, fd, host);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat is;
		if (e->d_name[0] == '.' || fstatat(dirfd(dir), e->d_name, &is, AT_SYMLINK_NOFOLLOW) ||
			!S_ISREG(is.st_mode) || !wanted(which, e->d_name))
			continue;
		char *path = hb__format("%s/%s", folder, e->d_name);
		hb_within_add(&w, path, e->d_name);
		free(path);
	}
	_exit(hb_within_end(&w, NULL) || !dir);
}

/* What hbdb record --send sends, into the channel, until nobody takes it any more. */
static void send_on(const char *folder, int fd)
{
	const hb_send_policy at_once = {0};
	struct pollfd end = {.fd = fd};
	hb_sender *sender;
	dup2(fd, 1);
	if (hb__sender_begin("exec cat", &at_once, folder, &sender))
		_exit(1);
	while (poll(&end, 1, -1) < 0 || !end.revents)
		;
	_exit(0);
}

struct sending {
	hb_wire *wire;
	uint32_t channel;
	bool open, over;
	int status;
};

static void let_go(struct sending *s)
{
	if (s->over && !s->open)
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
	(void)agent, (void)pid, (void)signal;
	s->over = true;
	if (s->open) {
		cJSON *how = cJSON_CreateObject();
		cJSON_AddNumberToObject(how, "status", status);
		hb_wire_end(s->wire, s->channel, how);
	}
	let_go(s);
}

/* A child that writes into the channel of an ask. */
static void begin_sending(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask, bool follow)
{
	const char *folder = the_folder(wire, id, ask);
	int64_t channel;
	int end[2];
	if (!folder)
		return;
	if (!hb_wire_number(ask, "channel", &channel) || channel < 1 || channel > UINT32_MAX) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "the ask says no channel");
		return;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "cannot make a socket: %s", strerror(errno));
		return;
	}
	struct sending *s = hb__alloc(sizeof *s);
	*s = (struct sending){.wire = wire, .channel = (uint32_t)channel, .open = true};
	pid_t pid = begin_child();
	if (!pid) {
		close(end[0]);
		if (follow)
			send_on(folder, end[1]);
		send_part(folder, hb_wire_text(ask, "which"), end[1]);
	}
	close(end[1]);
	if (pid < 0 || !hb_agent_wait_for(agent, pid, sent, s)) {
		close(end[0]);
		free(s);
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "no process could be started: %s", strerror(errno));
		return;
	}
	if (!hb_wire_join(wire, s->channel, end[0], end[0], true, cut, s)) {
		s->open = false;
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "the channel %lld is in use", (long long)channel);
		return;
	}
	hb_wire_answer(wire, id, NULL);
}

void hb__ask_fetch(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	begin_sending(agent, wire, id, ask, false);
}

void hb__ask_follow(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	begin_sending(agent, wire, id, ask, true);
}

/* ---- drop ---- */

void hb__ask_drop(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	const char *folder = the_folder(wire, id, ask), *slash = folder ? strrchr(folder, '/') : NULL;
	(void)agent;
	if (!folder)
		return;
	/* what a manager or a user keeps under another name is nothing that was made for a node's part */
	if (strncmp(slash, "/hbdb-", 6) != 0 || strlen(slash + 6) != HB_ID_LENGTH) {
		hb_wire_refuse(wire, id, HB_EXIT_USAGE, "%s was not made for a node's part of a recording", folder);
		return;
	}
	hb__remove_folder(folder);
	hb_wire_answer(wire, id, NULL);
}
