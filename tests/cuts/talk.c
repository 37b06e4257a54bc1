/* Nonsense on the socket of a session: whoever does not begin with the secret is hung up on, whatever a process says breaks nothing, and
 * others are heard all the same. And one that stops while it is told to stop elsewhere. usage: talk [TURNS] */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "session/session.h"

enum { SIZE = 3 };
static int passed, failed;
static uint64_t seed = 0x9e3779b97f4a7c15u;

static void check(bool good, const char *what)
{
	printf("%s %s\n", good ? "ok" : "FAIL", what);
	good ? passed++ : failed++;
}

static unsigned below(unsigned n)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (unsigned)((seed * 0x2545f4914f6cdd1du >> 32) % n);
}

static int dial(const char *where)
{
	if (!strncmp(where, "unix:@", 6)) {
		struct sockaddr_un a = {.sun_family = AF_UNIX};
		size_t n = strlen(where + 6);
		memcpy(a.sun_path + 1, where + 6, n);
		int s = socket(AF_UNIX, SOCK_STREAM, 0);
		socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
		return connect(s, (struct sockaddr *)&a, size) ? -1 : s;
	}
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(strrchr(where, ':') + 1))};
	inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
	int s = socket(AF_INET, SOCK_STREAM, 0);
	return connect(s, (struct sockaddr *)&a, sizeof a) ? -1 : s;
}

static void take(hb_session *s)
{
	for (int i = 0; i < 5; i++)
		hb_session_poll(s, 2);
}

static void say(int fd, const void *text, size_t n)
{
	ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
	(void)sent;
}

static bool hung_up(int fd)
{
	char c[64];
	ssize_t n;
	while ((n = recv(fd, c, sizeof c, MSG_DONTWAIT)) > 0)
		;
	return !n || errno == ECONNRESET;
}

static int hello(hb_session *s, const char *where, const char *secret, int rank)
{
	char line[256], host[64] = "";
	int fd = dial(where);
	gethostname(host, sizeof host - 1);
	int n = snprintf(line, sizeof line, "hello 1 %s %d %d %d replay %s\n", secret, rank, SIZE, (int)getpid(), host);
	say(fd, line, (size_t)n);
	take(s);
	return fd;
}

/* A line of ours with something wrong in it, or none of ours. */
static size_t nonsense(char *line, size_t room)
{
	static const char *const lines[] = {"at 0 5 after\n", "at 4294967295 18446744073709551615 end\n",
		"at 1023 7 differs\n", "going 0\n", "going 99999\n", "signal 11 0 3\n", "signal -1 2000 1\n", "bye\n",
		"at\n", "at 0 1 start\n", "hello 1 x 0 3 1 replay y\n", "unknown words here\n", "\n",
		"at 0 2 after extra words\n"};
	const char *from = lines[below(sizeof lines / sizeof *lines)];
	size_t n = strlen(from);
	memcpy(line, from, n);
	switch (below(6)) {
	case 0:
		line[below((unsigned)n)] = (char)below(256);
		break;
	case 1:
		n = below((unsigned)n) + 1; /* without its end: the next one is part of it */
		break;
	case 2:
		n = 1 + below((unsigned)room);
		for (size_t i = 0; i < n; i++)
			line[i] = (char)below(256);
		break;
	default:
		break;
	}
	return n;
}

static void strangers(hb_session *s, const char *where, const char *secret, const char *how)
{
	char name[128], line[1024];
	int fd = hello(s, where, "0123456789abcdef0123456789abcdef", 0);
	snprintf(name, sizeof name, "%s: a wrong secret is hung up on", how);
	check(hung_up(fd) && hb_session_proc(s, 0)->life == HB_LIFE_ABSENT, name);
	close(fd);
	int n = snprintf(line, sizeof line, "at 0 1 start\nhello 1 %s 0 3 1 replay here\n", secret);
	fd = dial(where);
	say(fd, line, (size_t)n);
	take(s);
	snprintf(name, sizeof name, "%s: so is who does not begin with hello", how);
	check(hung_up(fd) && hb_session_proc(s, 0)->life == HB_LIFE_ABSENT, name);
	close(fd);
	memset(line, 'a', sizeof line);
	fd = dial(where);
	say(fd, line, sizeof line);
	take(s);
	snprintf(name, sizeof name, "%s: and who says a line without an end", how);
	check(hung_up(fd), name);
	close(fd);
	int first = hello(s, where, secret, 0), second = hello(s, where, secret, 0),
	    far = hello(s, where, secret, SIZE);
	snprintf(name, sizeof name, "%s: a rank that is there already, and one that cannot be", how);
	check(!hung_up(first) && hung_up(second) && hung_up(far) && hb_session_proc(s, 0)->life != HB_LIFE_ABSENT,
		name);
	close(first);
	close(second);
	close(far);
	take(s);
	check(hb_session_proc(s, 0)->life == HB_LIFE_DEAD, "who goes without a goodbye is dead");
}

static void talk(const char *tcp, const char *how, int turns)
{
	const hb_session_options options = {.size = SIZE, .tcp = tcp};
	hb_session *s;
	char line[700], name[128];
	hb_error err = {0};
	if (hb_session_open(&options, &s, &err)) {
		check(false, err.message);
		return;
	}
	const char *where = strchr(hb_session_environment(s)[0], '=') + 1;
	strangers(s, where, strchr(hb_session_environment(s)[1], '=') + 1, how);
	for (int i = 0; i < turns; i++) {
		hb_session_again(s, NULL, NULL);
		where = strchr(hb_session_environment(s)[0], '=') + 1;
		int fd = hello(s, where, strchr(hb_session_environment(s)[1], '=') + 1, 1);
		for (unsigned k = below(20); k > 0; k--)
			say(fd, line, nonsense(line, sizeof line));
		take(s);
		hb_session_stop_at(s, &(hb_target){.rank = 1, .event = below(9), .inside = below(2)}, 1, NULL);
		close(fd);
		take(s);
	}
	hb_session_again(s, NULL, NULL);
	where = strchr(hb_session_environment(s)[0], '=') + 1;
	int fd = hello(s, where, strchr(hb_session_environment(s)[1], '=') + 1, 2);
	say(fd, "at 0 1 start\nwhat is this\nat 0 4 after now\n", 43);
	take(s);
	const hb_proc *p = hb_session_proc(s, 2);
	snprintf(name, sizeof name, "%s: after %d that talk nonsense one is heard as ever", how, turns);
	check(p->life == HB_LIFE_HELD && p->threads[0].event == 4 && p->threads[0].why == HB_WHY_AFTER, name);
	close(fd);
	hb_session_close(s);
}

/* ---- a process stops where it was to before, while it is told where it is to stop now ---- */

/* What the session has told the process since the last time. */
static const char *told(hb_session *s, int fd)
{
	static char text[1024];
	take(s);
	ssize_t n = recv(fd, text, sizeof text - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = 0;
	return text;
}

static void tell(hb_session *s, int fd, const char *line)
{
	say(fd, line, strlen(line));
	take(s);
}

/* Thread 1 of process 0, and whether it is let go. */
static void aim(hb_session *s, int fd, bool nowhere, uint64_t event, bool goes)
{
	hb_set all;
	hb_set_init(&all, SIZE);
	hb_set_all(&all);
	told(s, fd);
	hb_session_stop_at(
		s, &(hb_target){.rank = 0, .lane = 1, .event = event, .free = nowhere, .next = true}, 1, NULL);
	if (goes)
		hb_session_go(s, &all);
	hb_set_free(&all);
}

static void crossing(void)
{
	const hb_session_options options = {.size = SIZE};
	hb_session *s;
	if (hb_session_open(&options, &s, NULL)) {
		check(false, "a session is opened");
		return;
	}
	int fd = hello(
		s, strchr(hb_session_environment(s)[0], '=') + 1, strchr(hb_session_environment(s)[1], '=') + 1, 0);
	const hb_proc *p = hb_session_proc(s, 0);
	tell(s, fd, "at 0 1 start\n");
	aim(s, fd, false, 3, true);
	tell(s, fd, "going 0\n");
	aim(s, fd, false, 7, true);
	check(!strcmp(told(s, fd), "stop 1 7 next\n"), "another stop: it is not set free in between");
	tell(s, fd, "at 1 3 after\n");
	check(!strcmp(told(s, fd), "go 1\n") && !p->threads[1].held && p->threads[1].event == 3,
		"one that stops where it was to before goes on");
	tell(s, fd, "going 1\nat 1 7 after\n");
	check(!*told(s, fd) && p->threads[1].held && p->threads[1].done, "... and stands where it is to now");
	aim(s, fd, false, 9, false);
	tell(s, fd, "going 1\nat 1 8 after\n");
	check(strcmp(told(s, fd), "go 1\n") && p->threads[1].held,
		"one that was not let go since stays where it stands");
	aim(s, fd, false, 9, true);
	check(strstr(told(s, fd), "go 1\n") && !p->threads[1].held, "... until it is");
	tell(s, fd, "going 1\n");
	aim(s, fd, true, 0, true);
	check(!strcmp(told(s, fd), "free 1\n"), "one that is to stop nowhere is told so");
	tell(s, fd, "at 1 9 after\n");
	check(!strcmp(told(s, fd), "go 1\n") && !p->threads[1].held,
		"... and goes on when it stops where it was to before");
	tell(s, fd, "going 1\nat 1 9 end\n");
	check(!*told(s, fd) && p->threads[1].held, "one that cannot go on is not told to");
	close(fd);
	hb_session_close(s);
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 40;
	talk(NULL, "unix", turns);
	talk("127.0.0.1", "tcp", turns);
	crossing();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
