/* HTTP/1.1, one request for each connection, in one thread: a page is written in milliseconds, and whoever reads it slowly holds nobody up. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/socket/unix.h"
#include "serve.h"
#include "staying.h"
#include "view/guard.h"

#define MOST 32          /* connections */
#define ASKED_MOST 16384 /* bytes of a request */
#define HEADERS 64
#define PATIENCE 10.0 /* seconds for a request and its answer */

struct connection {
	int fd;
	char *asked;
	size_t n;
	hb_text answer; /* n > 0: all was asked, and this is being sent */
	size_t sent;
	double until;
};

struct server {
	int fd;
	const char *unix_path; /* NULL: a port */
	struct hb_guard guard;
	const char *token_file;
	const hb_served *page;
	struct connection c[MOST];
	size_t n;
};

/* ---- requests ---- */

struct request {
	const char *method, *path;
	struct {
		const char *name, *value;
	} header[HEADERS];
	size_t headers;
};

/* Cuts the request, which ends with an empty line, into its parts. */
static bool parse(char *text, struct request *r)
{
	char *rest = NULL, *line = strtok_r(text, "\r\n", &rest), *words = NULL;
	r->method = line ? strtok_r(line, " ", &words) : NULL;
	char *path = r->method ? strtok_r(NULL, " ", &words) : NULL;
	const char *version = path ? strtok_r(NULL, " ", &words) : NULL;
	if (!version || strncmp(version, "HTTP/1.", 7) != 0 || *path != '/')
		return false;
	path[strcspn(path, "?")] = 0;
	r->path = path;
	while ((line = strtok_r(NULL, "\r\n", &rest))) {
		char *colon = strchr(line, ':');
		if (!colon || r->headers == HEADERS)
			return false;
		*colon = 0;
		r->header[r->headers].name = line;
		r->header[r->headers++].value = colon + 1 + strspn(colon + 1, " \t");
	}
	return true;
}

static const char *header_at(const void *user, size_t index, const char **ret_value)
{
	const struct request *r = user;
	*ret_value = r->header[index].value;
	return r->header[index].name;
}

static const char *header(const struct request *r, const char *name)
{
	for (size_t i = 0; i < r->headers; i++)
		if (!strcasecmp(r->header[i].name, name))
			return r->header[i].value;
	return "";
}

/* Whether it may be answered; else the status. The guard of hbdb view knows what other web pages try; the token, which it wants in
 * the path, comes in a header here, as monitoring systems send one. */
static int check(const struct server *s, const struct request *r, const char **ret_why)
{
	static const char bearer[] = "Bearer ";
	const char *given = header(r, "Authorization"), *rest;
	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0) {
		*ret_why = "only GET requests are answered";
		return 405;
	}
	if (!s->unix_path) {
		given = strncasecmp(given, bearer, sizeof bearer - 1) ? "" : given + sizeof bearer - 1;
		char *path = hb__format("/%s%s", given, r->path);
		const struct hb_asked asked = {
			.method = r->method, .path = path, .headers = r->headers, .header = header_at, .user = r};
		int status = hb__guard(&s->guard, &asked, &rest, ret_why);
		free(path);
		if (status == 404)
			*ret_why = "the token is missing or wrong";
		if (status)
			return status == 404 ? 401 : status;
	}
	if (strcmp(r->path + 1, s->page->path) != 0) {
		*ret_why = "there is no such page";
		return 404;
	}
	return 0;
}

static const char *reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 401:
		return "Unauthorized\r\nWWW-Authenticate: Bearer";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 503:
		return "Service Unavailable";
	default:
		return "Bad Request";
	}
}

static void answer(const struct server *s, struct connection *c)
{
	struct request r = {0};
	hb_text page = {0};
	const char *why = "this is no request of HTTP", *type = "text/plain; charset=utf-8", *written;
	int status = parse(c->asked, &r) ? check(s, &r, &why) : 400;
	if (!status) {
		written = s->page->write(s->page->user, header(&r, "Accept"), &page, &why);
		type = written ? written : type;
		status = written ? 200 : 503;
	}
	if (status != 200) {
		page.n = 0;
		hb_text_format(&page, "%s\n", why);
		if (status == 401)
			hb_text_format(&page, "It stands in %s: send the header Authorization: Bearer TOKEN.\n",
				s->token_file);
	}
	hb_text_format(&c->answer,
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
		"X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
		status, reason(status), type, page.n);
	if (page.n && (!r.method || strcmp(r.method, "HEAD") != 0))
		hb_text_add(&c->answer, page.at, page.n);
	free(page.at);
}

/* ---- connections ---- */

static void drop(struct server *s, size_t i)
{
	close(s->c[i].fd);
	free(s->c[i].asked);
	free(s->c[i].answer.at);
	s->c[i] = s->c[--s->n];
}

/* At a Unix socket: this user, or root. */
static bool may(const struct server *s, int fd)
{
	struct ucred who;
	socklen_t size = sizeof who;
	if (!s->unix_path)
		return true;
	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) && (who.uid == geteuid() || !who.uid);
}

static void let_in(struct server *s)
{
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	if (s->n == MOST || !may(s, fd)) {
		close(fd);
		return;
	}
	s->c[s->n++] =
		(struct connection){.fd = fd, .asked = hb__alloc(ASKED_MOST + 1), .until = hb_seconds() + PATIENCE};
}

/* False: it is over. */
static bool turn(const struct server *s, struct connection *c)
{
	if (!c->answer.n) {
		ssize_t n = recv(c->fd, c->asked + c->n, ASKED_MOST - c->n, 0);
		if (n <= 0)
			return n < 0 && (errno == EAGAIN || errno == EINTR);
		c->n += (size_t)n;
		c->asked[c->n] = 0;
		bool whole = strlen(c->asked) == c->n && strstr(c->asked, "\r\n\r\n");
		if (whole)
			answer(s, c);
		if (!whole || c->answer.broken)
			return !c->answer.broken && strlen(c->asked) == c->n && c->n < ASKED_MOST;
	}
	ssize_t n = send(c->fd, c->answer.at + c->sent, c->answer.n - c->sent, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->sent += (size_t)n;
	return c->sent < c->answer.n;
}

static void serve(struct server *s)
{
	while (!hb__told_to_end()) {
		struct pollfd p[MOST + 1] = {{.fd = s->fd, .events = POLLIN}};
		for (size_t i = 0; i < s->n; i++)
			p[i + 1] = (struct pollfd){.fd = s->c[i].fd, .events = s->c[i].answer.n ? POLLOUT : POLLIN};
		size_t n = s->n;
		if (poll(p, (nfds_t)n + 1, hb__moves(1000)) < 0)
			continue;
		double now = hb_seconds();
		/* from behind: what is dropped gets the last one's place */
		for (size_t i = n; i-- > 0;)
			if ((p[i + 1].revents && !turn(s, &s->c[i])) || now > s->c[i].until)
				drop(s, i);
		if (p[0].revents)
			let_in(s);
	}
}

/* ---- listening ---- */

static int listen_unix(struct server *s, const char *path)
{
	if (!*path)
		return hb__fail_with(HB_EXIT_USAGE, "--listen unix: lacks the path of a socket");
	s->fd = hb_unix_listen(path, SOCK_STREAM);
	if (s->fd < 0 && errno == ENAMETOOLONG)
		return hb__fail_with(HB_EXIT_USAGE, "--listen unix:%s: the path of a socket has at most %zu bytes",
			path, sizeof((struct sockaddr_un *)0)->sun_path - 1);
	if (s->fd < 0)
		return hb__fail_with(HB_EXIT_USAGE, "cannot listen at %s: %s", path, strerror(errno));
	s->unix_path = path;
	return 0;
}

static int listen_port(struct server *s, const char *text)
{
	static const char here[] = "127.0.0.1:";
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	char *end = NULL;
	long port = strncmp(text, here, sizeof here - 1) ? -1 : strtol(text + sizeof here - 1, &end, 10);
	if (port < 0 || port > 65535 || *end || !text[sizeof here - 1])
		return hb__fail_with(HB_EXIT_USAGE,
			"--listen takes unix:PATH or 127.0.0.1:PORT (0: any free one), but got '%s'; other machines read a port of this one through ssh",
			text);
	int one = 1;
	at.sin_port = htons((uint16_t)port);
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
		bind(s->fd, (const struct sockaddr *)&at, sizeof at) || listen(s->fd, 64) ||
		getsockname(s->fd, (struct sockaddr *)&at, &size))
		return hb__fail_with(HB_EXIT_USAGE, "cannot listen at %s: %s", text, strerror(errno));
	s->guard.port = ntohs(at.sin_port);
	return 0;
}

int hb__serve_page(const char *address, const char *token, const char *token_file, const hb_served *page)
{
	struct server s = {.fd = -1, .token_file = token_file, .page = page};
	bool local = !strncmp(address, "unix:", 5);
	snprintf(s.guard.token, sizeof s.guard.token, "%s", token);
	int code = local ? listen_unix(&s, address + 5) : listen_port(&s, address);
	if (!code) {
		if (local)
			printf("%s\n", address);
		else
			printf("http://127.0.0.1:%u/%s\n", s.guard.port, page->path);
		if (fflush(stdout))
			code = hb__fail_with(HB_EXIT_USAGE, "cannot print the address: %s", strerror(errno));
		else
			serve(&s);
	}
	while (s.n)
		drop(&s, s.n - 1);
	if (s.unix_path) /* while it is still taken: behind that it may be another one's */
		unlink(s.unix_path);
	if (s.fd >= 0)
		close(s.fd);
	return code;
}
