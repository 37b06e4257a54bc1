/* Who dials in, and lines in both directions: docs/control.md. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/task.h"
#include "session/internal.h"

#define CONNECTIONS_MOST 65536

static bool random_digits(char *to, size_t bytes)
{
	unsigned char r[32];
	if (bytes > sizeof r || getrandom(r, bytes, 0) != (ssize_t)bytes)
		return false;
	for (size_t i = 0; i < bytes; i++)
		snprintf(to + 2 * i, 3, "%02x", r[i]);
	return true;
}

static int listen_unix(hb_session *s)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	char name[33];
	if (!random_digits(name, 8))
		return -1;
	int n = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "hbdb-%d-%s", (int)getpid(), name);
	snprintf(s->where, sizeof s->where, "unix:@%s", a.sun_path + 1);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 &&
		(bind(fd, (struct sockaddr *)&a, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) ||
			listen(fd, SOMAXCONN))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int listen_tcp(hb_session *s)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t size = sizeof a;
	if (inet_pton(AF_INET, s->tcp, &a.sin_addr) != 1) {
		errno = EINVAL;
		return -1;
	}
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, SOMAXCONN) ||
			       getsockname(fd, (struct sockaddr *)&a, &size))) {
		close(fd);
		return -1;
	}
	snprintf(s->where, sizeof s->where, "tcp:%s:%d", s->tcp, ntohs(a.sin_port));
	return fd;
}

static char *variable(const char *name, const char *value)
{
	char *text = NULL;
	return asprintf(&text, "%s=%s", name, value) < 0 ? NULL : text;
}

/* Processes left word there of which one they are. */
static void remove_claims(const hb_session *s)
{
	DIR *dir = s->logs ? opendir(s->logs) : NULL;
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (!strncmp(e->d_name, HB_CONTROL_CLAIM, strlen(HB_CONTROL_CLAIM)))
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
}

void hb__forget_secret(hb_session *s)
{
	remove_claims(s);
	if (s->secret_file)
		unlink(s->secret_file);
	free(s->secret_file);
	s->secret_file = NULL;
}

/* Hands it over in a file that only its owner can read: a variable would stand in the command line of the launcher, which
 * everybody may read. In the folder of the logs, which the processes of other machines have, too. */
static bool write_secret(hb_session *s)
{
	hb__forget_secret(s);
	if (asprintf(&s->secret_file, "%s/control.secret", s->logs) < 0) {
		s->secret_file = NULL;
		return false;
	}
	unlink(s->secret_file);
	int fd = open(s->secret_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	ssize_t n = (ssize_t)strlen(s->secret);
	bool good = fd >= 0 && write(fd, s->secret, (size_t)n) == n;
	if (fd >= 0 && close(fd))
		good = false;
	return good;
}

/* On nodes: where they have doors says who has a way there. */
static hb_status listen_on_nodes(hb_session *s, hb_error *err)
{
	char *address = NULL, *file = NULL;
	hb_status status = s->nodes->listen(s->nodes->user, s->secret, &address, &file, err);
	s->listener = s->nodes->incoming;
	if (!status) {
		s->environment[0] = variable(HB_CONTROL_ENV, address);
		s->environment[1] = variable(HB_CONTROL_SECRET_FILE_ENV, file);
		status = s->environment[0] && s->environment[1] ? HB_OK : HB_E_MEMORY;
	}
	free(address);
	free(file);
	return status;
}

/* A secret of its own for every run: a process that is left over from the one before is not heard. */
hb_status hb__listen(hb_session *s, hb_error *err)
{
	if (s->listener < 0 && !s->nodes)
		s->listener = s->tcp ? listen_tcp(s) : listen_unix(s);
	if (s->listener < 0 && !s->nodes)
		return hb__session_fail(err, HB_E_SYSTEM, "cannot wait for connections of the processes%s%s: %s",
			s->tcp ? " at " : "", s->tcp ? s->tcp : "", strerror(errno));
	if (!random_digits(s->secret, 16))
		return hb__session_fail(err, HB_E_SYSTEM, "the system gives no random numbers: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		free(s->environment[i]);
		s->environment[i] = NULL;
	}
	if (s->nodes)
		return listen_on_nodes(s, err);
	s->environment[0] = variable(HB_CONTROL_ENV, s->where);
	if (s->logs && !write_secret(s))
		return hb__session_fail(err, HB_E_SYSTEM, "cannot write the secret of the session into %s: %s", s->logs,
			strerror(errno));
	s->environment[1] = s->logs ? variable(HB_CONTROL_SECRET_FILE_ENV, s->secret_file)
				    : variable(HB_CONTROL_SECRET_ENV, s->secret);
	return s->environment[0] && s->environment[1] ? HB_OK : HB_E_MEMORY;
}

void hb__hang_up(hb_session *s)
{
	for (size_t i = 0; i < s->nconnections; i++)
		close(s->connection[i].fd);
	s->nconnections = 0;
	for (int32_t i = 0; i < s->size; i++)
		s->process[i].fd = -1;
}

/* The next one who dials in; -1: nobody is there. */
static int next_guest(const hb_session *s)
{
	int fd;
	struct pollfd any = {s->listener, POLLIN, 0};
	if (!s->nodes)
		return accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return poll(&any, 1, 0) > 0 && read(s->listener, &fd, sizeof fd) == sizeof fd ? fd : -1;
}

void hb__accept(hb_session *s)
{
	for (int fd; (fd = next_guest(s)) >= 0;) {
		if (!HB_GROW(s->connection, s->room, s->nconnections + 1) || s->nconnections >= CONNECTIONS_MOST) {
			close(fd);
			continue;
		}
		s->connection[s->nconnections++] = (struct hb__connection){.fd = fd, .rank = -1};
	}
}

void hb__tell(const struct hb__process *process, const char *format, ...)
{
	char line[HB_CONTROL_LINE];
	va_list args;
	if (process->fd < 0)
		return;
	va_start(args, format);
	int n = vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	line[n++] = '\n';
	ssize_t sent = send(process->fd, line, (size_t)n, MSG_NOSIGNAL);
	(void)sent; /* a process that is gone is noticed where it is read */
}

/* Each thread by a line of its own: were all set free first, one that is under way could pass its stop in between. */
void hb__tell_stops(struct hb__process *process)
{
	for (uint32_t i = 0; i < process->p.nthreads; i++) {
		hb_thread *t = &process->p.threads[i];
		if (t->asked)
			hb__tell(process, "stop %u %" PRIu64 "%s", i, t->stop + t->stop_inside,
				t->stop_next ? " next" : "");
		else if (t->told)
			hb__tell(process, "free %u", i);
		t->told = t->asked;
	}
}

static bool equal(const char *a, const char *b)
{
	unsigned char differs = strlen(a) != strlen(b);
	for (size_t i = 0; a[i] && b[i]; i++)
		differs |= (unsigned char)(a[i] ^ b[i]);
	return !differs;
}

/* What a process may be called; what it says is printed. */
static bool good_name(const char *name)
{
	size_t n = strspn(name, HB_PROGRAM_LETTERS "@#");
	return *name && !name[n];
}

/* By its rank, or its name; NULL: there is no such process. */
static struct hb__process *process_named(hb_session *s, const char *name, int32_t rank, int32_t size)
{
	if (strcmp(name, HB_CONTROL_RANK)) {
		int32_t number = hb_session_find(s, name, strlen(name));
		bool room = number >= 0 || s->process || hb__room_for(s, 0);
		return number >= 0 ? &s->process[number] : room && good_name(name) ? hb__add_process(s, name) : NULL;
	}
	if (!s->ranks && (size <= 0 || size > 1 << 20 || !hb__room_for(s, size)))
		return NULL;
	return rank >= 0 && rank < s->ranks ? &s->process[s->first + rank] : NULL;
}

/* The socket has no permissions of its own: whoever is on this machine could know its name. Those on nodes are in folders of this user's. */
static bool is_mine(const hb_session *s, int fd)
{
	struct ucred u;
	socklen_t size = sizeof u;
	return s->tcp || s->nodes || (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &u, &size) && u.uid == geteuid());
}

/* The first line; false: not one of ours. */
static bool hello(hb_session *s, struct hb__connection *c, const char *line)
{
	int version, rank, size, pid;
	char secret[64], mode[16], host[64] = "?", name[HB_PROCESS_NAME] = HB_CONTROL_RANK, log[64] = "";
	_Static_assert(sizeof name == 40, "as the format says");
	if (sscanf(line, "hello %d %63s %d %d %d %15s %63s %39s %63s", &version, secret, &rank, &size, &pid, mode, host,
		    name, log) < 6 ||
		version != HB_CONTROL_VERSION || !equal(secret, s->secret) || !is_mine(s, c->fd))
		return false;
	struct hb__process *p = process_named(s, name, rank, size);
	if (!p || p->fd >= 0 || p->p.life != HB_LIFE_ABSENT)
		return false;
	p->fd = c->fd;
	c->rank = p->p.rank;
	if (*log && !strchr(log, '/'))
		snprintf(p->p.log, sizeof p->p.log, "%s", log);
	else
		snprintf(p->p.log, sizeof p->p.log, "rank.%d.log", rank);
	p->p.life = HB_LIFE_RUNNING;
	p->p.pid = pid;
	p->p.record = !strcmp(mode, "record");
	p->p.here = hb_host_is_here(host);
	snprintf(p->p.host, sizeof p->p.host, "%s", host);
	p->place = s->nodes && !p->p.here ? s->nodes->place(s->nodes->user, host) : NULL;
	p->alive = p->p.here ? pidfd_open(pid, 0) : -1;
	p->moved = hb_seconds();
	hb__thread_of(p, 0)->lane_known = true;
	hb__stub_dialled(s, p);
	hb__tell_stops(p);
	hb__changed(s, p);
	return true;
}

static void stands(struct hb__process *p, hb_thread *t, hb_why why, uint64_t event)
{
	t->lane_known = t->held = true;
	t->why = why;
	t->event = event;
	t->inside = false;
	t->done = t->asked && event >= t->stop;
	p->p.life = HB_LIFE_HELD;
}

/* It has stopped where it was to before: it had not yet heard of the stop that it has now, nor that it is to go there. A `go` was not
 * sent, for it was not held then. */
static bool is_overtaken(const hb_thread *t, hb_why why, uint64_t event)
{
	return why == HB_WHY_AFTER && t->sent && (!t->asked || event < t->stop + t->stop_inside);
}

static void stopped(struct hb__process *p, uint32_t lane, hb_why why, uint64_t event)
{
	hb_thread *t = &p->p.threads[lane];
	if (!is_overtaken(t, why, event)) {
		stands(p, t, why, event);
		return;
	}
	t->lane_known = true;
	t->event = event;
	t->inside = false;
	hb__tell(p, "go %u", lane);
}

static void at(struct hb__process *p, const char *line)
{
	static const char *const words[] = {
		HB_CONTROL_START, HB_CONTROL_AFTER, "signal", HB_CONTROL_END, HB_CONTROL_DIFFERS};
	unsigned lane;
	uint64_t event;
	char why[16];
	if (sscanf(line, "at %u %" SCNu64 " %15s", &lane, &event, why) != 3)
		return;
	hb_thread *t = hb__thread_of(p, lane);
	for (int i = 0; t && i < 5; i++)
		if (!strcmp(why, words[i]))
			stopped(p, lane, (hb_why)i, event);
	/* Nobody has asked it to go on from where it began: that it stands where it is to is not yet told. */
	if (t && t->why == HB_WHY_START)
		t->done = false;
}

static void signalled(struct hb__process *p, const char *line)
{
	unsigned lane;
	uint64_t event;
	int sig;
	if (sscanf(line, "signal %d %u %" SCNu64, &sig, &lane, &event) != 3)
		return;
	hb_thread *t = hb__thread_of(p, lane);
	if (!t)
		return;
	stands(p, t, HB_WHY_SIGNAL, event);
	p->p.signal = sig;
}

static void going(struct hb__process *p, const char *line)
{
	unsigned lane;
	if (sscanf(line, "going %u", &lane) != 1 || lane >= p->p.nthreads)
		return;
	p->p.threads[lane].held = false;
	bool any = false;
	for (uint32_t i = 0; i < p->p.nthreads; i++)
		any |= p->p.threads[i].held;
	if (p->p.life == HB_LIFE_HELD && !any)
		p->p.life = HB_LIFE_RUNNING;
}

/* False: hang up. */
static bool understand(hb_session *s, struct hb__connection *c, const char *line)
{
	if (c->rank < 0)
		return hello(s, c, line);
	struct hb__process *p = &s->process[c->rank];
	if (!strncmp(line, "at ", 3))
		at(p, line);
	else if (!strncmp(line, "signal ", 7))
		signalled(p, line);
	else if (!strncmp(line, "going ", 6))
		going(p, line);
	else if (!strncmp(line, "bye ", 4)) {
		hb__read_lanes_of(s, p);
		p->p.life = HB_LIFE_EXITED;
		snprintf(p->p.bye, sizeof p->p.bye, "%.15s", line + 4);
	} else
		return true;
	p->moved = hb_seconds();
	hb__changed(s, p);
	return true;
}

static void ended(hb_session *s, struct hb__connection *c)
{
	struct hb__process *p = hb__process_of(s, c->rank);
	close(c->fd);
	*c = s->connection[--s->nconnections];
	if (!p)
		return;
	p->fd = -1;
	if (p->p.life != HB_LIFE_EXITED) {
		hb__read_lanes_of(s, p);
		int sig = p->p.here ? hb__died_of(p->p.pid) : 0;
		p->p.life = HB_LIFE_DEAD;
		p->p.signal = sig ? sig : p->p.signal;
		p->p.lost = p->place && s->nodes->lost(s->nodes->user, p->p.host);
	}
	for (uint32_t i = 0; i < p->p.nthreads; i++)
		p->p.threads[i].held = p->p.threads[i].inside = false;
	hb__changed(s, p);
}

void hb__hear(hb_session *s, size_t index)
{
	struct hb__connection *c = &s->connection[index];
	bool there = true;
	for (;;) {
		ssize_t n = recv(c->fd, c->pending + c->n, sizeof c->pending - c->n, MSG_DONTWAIT);
		if (n <= 0) {
			there = n < 0 && (errno == EAGAIN || errno == EINTR);
			break;
		}
		c->n += (size_t)n;
		size_t from = 0;
		for (size_t i = 0; i < c->n && there; i++) {
			if (c->pending[i] != '\n')
				continue;
			c->pending[i] = 0;
			there = understand(s, c, c->pending + from);
			from = i + 1;
		}
		if (!there || (!from && c->n == sizeof c->pending)) {
			there = false; /* no line of ours is so long */
			break;
		}
		memmove(c->pending, c->pending + from, c->n - from);
		c->n -= from;
	}
	if (!there)
		ended(s, c);
}
