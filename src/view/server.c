/* HTTP: the connections, and what every answer says beside its body. */
#include <civetweb.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/live.h"
#include "build.h"
#include "guard.h"
#include "server.h"

/* A connection waits for a thread; one that sends slowly keeps it for so long. */
#define THREADS "64"
#define TIMEOUT_MS "4000"

/* ---- writing ---- */

static const char *reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 400:
		return "Bad Request";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 413:
		return "Content Too Large";
	case 503:
		return "Service Unavailable";
	default:
		return status < 500 ? "Refused" : "Failed";
	}
}

static void send_answer(struct mg_connection *c, const struct hb_request *r, bool body)
{
	hb_text head = {0};
	hb_text_format(&head,
		"HTTP/1.1 %d %s\r\n"
		"Content-Type: %s\r\n"
		"Content-Length: %zu\r\n"
		"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
		"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
		"X-Content-Type-Options: nosniff\r\n"
		"X-Frame-Options: DENY\r\n"
		"Referrer-Policy: no-referrer\r\n"
		"Cross-Origin-Resource-Policy: same-origin\r\n"
		"Cross-Origin-Opener-Policy: same-origin\r\n"
		"Cache-Control: no-store\r\n"
		"Connection: close\r\n\r\n",
		r->status, reason(r->status), r->type, r->out.n);
	if (head.n)
		mg_write(c, head.at, head.n);
	if (body && r->out.n)
		mg_write(c, r->out.at, r->out.n);
	free(head.at);
}

/* ---- reading ---- */

static const char *header(const void *user, size_t index, const char **ret_value)
{
	const struct mg_request_info *info = user;
	*ret_value = info->http_headers[index].value;
	return info->http_headers[index].name;
}

/* The whole body, NUL terminated; NULL: it did not come. */
static char *read_body(struct mg_connection *c, long long n)
{
	char *body = n >= 0 && n <= HB_BODY_MOST ? malloc((size_t)n + 1) : NULL;
	long long done = 0;
	while (body && done < n) {
		int r = mg_read(c, body + done, (size_t)(n - done));
		if (r <= 0)
			break;
		done += r;
	}
	if (!body || done < n) {
		free(body);
		return NULL;
	}
	body[n] = 0;
	return body;
}

static void *answer_thread(void *request)
{
	struct hb_request *r = request;
	r->server->answer(r);
	return NULL;
}

/* Threads of civetweb have stacks of 100 KiB: too little for libdw, and for JSON that somebody nested on purpose. */
static void answer_with_room(struct hb_request *r)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, answer_thread, r))
		hb__view_refuse(r, 503, "too many requests at once");
	else
		pthread_join(thread, NULL);
}

static void answer(struct mg_connection *c, const struct mg_request_info *info, struct hb_request *r)
{
	const hb_view_server *s = r->server;
	struct hb_guard guard = {.port = s->port};
	const struct hb_asked asked = {.method = info->request_method,
		.path = info->local_uri_raw,
		.headers = (size_t)info->num_headers,
		.header = header,
		.user = info,
		.body = info->content_length};
	const char *why = "";
	memcpy(guard.token, s->token, sizeof guard.token);
	int status = hb__guard(&guard, &asked, &r->name, &why);
	if (status) {
		hb__view_refuse(r, status, "%s", why);
		return;
	}
	r->post = !strcmp(info->request_method, "POST");
	r->query = info->query_string;
	char *body = r->post ? read_body(c, info->content_length) : NULL;
	r->body = body;
	if (r->post && !body)
		hb__view_refuse(r, 400, "the request is incomplete");
	else
		answer_with_room(r);
	free(body);
}

static int begin_request(struct mg_connection *c)
{
	const struct mg_request_info *info = mg_get_request_info(c);
	struct hb_request r = {.server = info->user_data};
	answer(c, info, &r);
	send_answer(c, &r, strcmp(info->request_method, "HEAD") != 0);
	free(r.out.at);
	return r.status;
}

/* What civetweb refuses by itself: too long, not HTTP. */
static int http_error(struct mg_connection *c, int status, const char *message)
{
	struct hb_request r = {0};
	hb__view_refuse(&r, status, "%s", message && *message ? message : "this request cannot be answered");
	send_answer(c, &r, true);
	free(r.out.at);
	return 0;
}

static int say_nothing(const struct mg_connection *c, const char *message)
{
	(void)c;
	(void)message;
	return 1;
}

/* ---- opening ---- */

/* civetweb does not tell why it could not listen. */
static int why_not(uint16_t port)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1, error = EIO, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
		bind(fd, (const struct sockaddr *)&at, sizeof at) || listen(fd, 1))
		error = errno;
	close(fd);
	return error;
}

static hb_status failed(hb_error *err, int sys, const char *message)
{
	if (err) {
		*err = (hb_error){.status = HB_E_SYSTEM, .sys = sys};
		snprintf(err->message, sizeof err->message, "%s", message);
	}
	return HB_E_SYSTEM;
}

static hb_status listen_at(hb_view_server *s, uint16_t port, hb_error *err)
{
	char listening[32];
	snprintf(listening, sizeof listening, "127.0.0.1:%u", port);
	const char *options[] = {"listening_ports", listening, "num_threads", THREADS, "request_timeout_ms", TIMEOUT_MS,
		"max_request_size", HB_HEADERS_MOST, "enable_keep_alive", "no", "enable_directory_listing", "no",
		"enable_auth_domain_check", "no", "tcp_nodelay", "1", "listen_backlog", "128", NULL};
	struct mg_callbacks callbacks = {.begin_request = begin_request,
		.http_error = http_error,
		.log_message = say_nothing,
		.log_access = say_nothing};
	struct mg_server_port ports[1];
	s->http = mg_start(&callbacks, s, options);
	if (!s->http)
		return failed(err, why_not(port), "cannot listen on 127.0.0.1");
	if (mg_get_server_ports(s->http, 1, ports) != 1)
		return failed(err, EIO, "cannot find out the port");
	s->port = (uint16_t)ports[0].port;
	snprintf(s->address, sizeof s->address, "http://127.0.0.1:%u/%s/", s->port, s->token);
	return HB_OK;
}

static hb_status new_server(void (*answers)(struct hb_request *request), hb_view_server **ret, hb_error *err)
{
	hb_view_server *s = *ret = calloc(1, sizeof *s);
	if (!s)
		return failed(err, ENOMEM, "out of memory");
	s->answer = answers;
	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	pthread_mutex_init(&s->lock.mutex, NULL);
	pthread_cond_init(&s->lock.turn, NULL);
	return hb__guard_token(s->token) ? HB_OK : failed(err, errno, "no random numbers");
}

/* Signals belong to the thread that came here: those of the server take none. */
static sigset_t keep_signals(void)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	return old;
}

hb_status hb_view_open_complex(const hb_view_complex *complex, uint16_t port, hb_view_server **ret, hb_error *err)
{
	sigset_t old = keep_signals();
	hb_view_server *s;
	hb_status status = new_server(hb__complex_answer, &s, err);
	if (s)
		s->complex = *complex;
	status = status ? status : listen_at(s, port, err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (status)
		hb_view_close(s);
	else
		*ret = s;
	return status;
}

hb_status hb_view_open(const hb_view_options *options, hb_view_server **ret, hb_error *err)
{
	sigset_t old = keep_signals();
	hb_view_server *s;
	hb_status status = new_server(hb__view_answer, &s, err);
	if (s)
		s->o = *options;
	status = status ? status : hb__live_new(s, err);
	status = status ? status : hb__build_overview(s, err);
	if (!status && !options->silent)
		status = listen_at(s, options->port, err);
	status = status ? status : hb__build_begin(s, err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (status) {
		hb_view_close(s);
		return status;
	}
	*ret = s;
	return HB_OK;
}

void hb_view_close(hb_view_server *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->mutex);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mutex);
	hb__live_end_waiting(s);
	if (s->http)
		mg_stop(s->http);
	hb__build_end(s);
	hb__live_free(s);
	pthread_cond_destroy(&s->lock.turn);
	pthread_mutex_destroy(&s->lock.mutex);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mutex);
	free(s);
}

const char *hb_view_address(const hb_view_server *s) { return s->address; }
uint16_t hb_view_port(const hb_view_server *s) { return s->port; }
