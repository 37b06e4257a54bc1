/* Frames and what is in them. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/task.h"
#include "system/wire/inside.h"

void hb__wire_fail(hb_wire *wire, const char *format, ...)
{
	va_list ap;
	if (!wire->open)
		return;
	va_start(ap, format);
	vsnprintf(wire->why, sizeof wire->why, format, ap);
	va_end(ap);
	wire->open = false;
	hb__wire_rouse(wire);
}

/* The connection can be written to nearly always: so this makes hb_wire_fd readable. */
void hb__wire_rouse(hb_wire *wire)
{
	hb__wire_watch(wire, wire->out, EPOLLOUT | (wire->in == wire->out ? EPOLLIN : 0));
}

/* ---- queues ---- */

bool hb__queue_room(struct hb__queue *q, size_t more)
{
	if (q->at && (q->n == 0 || q->at + q->n + more > q->room)) {
		memmove(q->p, q->p + q->at, q->n);
		q->at = 0;
	}
	return HB_GROW(q->p, q->room, q->at + q->n + more);
}

void hb__queue_take(struct hb__queue *q, size_t n)
{
	q->at += n;
	q->n -= n;
}

static void put_number(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static uint32_t get_number(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void hb__wire_put(hb_wire *wire, unsigned kind, uint32_t channel, const void *p, size_t n)
{
	struct hb__queue *q = &wire->write;
	if (!wire->open)
		return;
	if (!hb__queue_room(q, HB__HEAD + n)) {
		hb__wire_fail(wire, "there is no memory left");
		return;
	}
	uint8_t *to = q->p + q->at + q->n;
	put_number(to, (uint32_t)(n + HB__HEAD - 4));
	to[4] = (uint8_t)kind;
	put_number(to + 5, channel);
	if (n)
		memcpy(to + HB__HEAD, p, n);
	q->n += HB__HEAD + n;
	hb__wire_rouse(wire);
}

void hb__wire_put_json(hb_wire *wire, unsigned kind, uint32_t channel, const cJSON *object)
{
	char *text = cJSON_PrintUnformatted(object);
	size_t n = text ? strlen(text) : 0;
	if (!text || n > HB_WIRE_PAYLOAD)
		hb__wire_fail(wire, "a message of %zu bytes is longer than a frame may be", n);
	else
		hb__wire_put(wire, kind, channel, text, n);
	cJSON_free(text);
}

/* ---- asks, answers, news ---- */

static cJSON *with(cJSON *object) { return object ? object : cJSON_CreateObject(); }

void hb_wire_ask(hb_wire *wire, const char *name, cJSON *ask, hb_wire_answered *answered, void *user)
{
	ask = with(ask);
	bool fits = wire->open && HB_GROW(wire->question, wire->question_room, wire->nquestions + 1);
	if (!fits) {
		answered(user, NULL, wire->open ? "there is no memory left" : wire->why, 2);
		cJSON_Delete(ask);
		return;
	}
	wire->question[wire->nquestions++] = (struct hb__question){++wire->next_id, answered, user};
	cJSON_AddNumberToObject(ask, "id", (double)wire->next_id);
	cJSON_AddStringToObject(ask, "ask", name);
	hb__wire_put_json(wire, HB__ASK, 0, ask);
	cJSON_Delete(ask);
}

void hb_wire_answer(hb_wire *wire, uint64_t id, cJSON *answer)
{
	answer = with(answer);
	cJSON_AddNumberToObject(answer, "id", (double)id);
	hb__wire_put_json(wire, HB__ANSWER, 0, answer);
	cJSON_Delete(answer);
}

void hb_wire_refuse(hb_wire *wire, uint64_t id, int status, const char *format, ...)
{
	char text[1024];
	cJSON *answer = cJSON_CreateObject();
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	cJSON_AddStringToObject(answer, "error", text);
	cJSON_AddNumberToObject(answer, "status", status);
	hb_wire_answer(wire, id, answer);
}

void hb_wire_news(hb_wire *wire, const char *name, cJSON *news)
{
	news = with(news);
	cJSON_AddStringToObject(news, "news", name);
	hb__wire_put_json(wire, HB__NEWS, 0, news);
	cJSON_Delete(news);
}

static void took_answer(hb_wire *wire, const cJSON *answer)
{
	int64_t id, status = 2;
	if (!hb_wire_number(answer, "id", &id))
		return;
	for (size_t i = 0; i < wire->nquestions; i++)
		if (wire->question[i].id == (uint64_t)id) {
			struct hb__question q = wire->question[i];
			const char *error = hb_wire_text(answer, "error");
			wire->question[i] = wire->question[--wire->nquestions];
			if (error)
				hb_wire_number(answer, "status", &status);
			q.answered(q.user, answer, error, error ? (int)status : 0);
			return;
		}
}

static void took_news(hb_wire *wire, cJSON *news)
{
	const char *name = hb_wire_text(news, "news");
	int64_t protocol;
	if (name && !strcmp(name, "hello") && !wire->peer) {
		if (!hb_wire_number(news, "protocol", &protocol) || protocol != HB_WIRE_PROTOCOL)
			hb__wire_fail(wire,
				"the other side speaks another version of the protocol: its hbdb is another one (%s)",
				hb_wire_text(news, "version") ? hb_wire_text(news, "version")
							      : "it does not say which");
		else
			wire->peer = cJSON_Duplicate(news, 1);
	} else if (name && wire->calls.news) {
		wire->calls.news(wire->user, wire, name, news);
	}
}

static bool took_json(hb_wire *wire, unsigned kind, uint32_t channel, const char *p, size_t n)
{
	cJSON *object = cJSON_ParseWithLength(p, n);
	const char *name = hb_wire_text(object, "ask");
	int64_t id = 0;
	bool fine = cJSON_IsObject(object);
	if (fine && kind == HB__ASK)
		fine = name && hb_wire_number(object, "id", &id);
	if (!fine)
		;
	else if (kind == HB__ASK)
		wire->calls.asked(wire->user, wire, (uint64_t)id, name, object);
	else if (kind == HB__ANSWER)
		took_answer(wire, object);
	else if (kind == HB__NEWS)
		took_news(wire, object);
	else
		hb__channel_end(wire, channel, object);
	cJSON_Delete(object);
	return fine;
}

static bool took_frame(hb_wire *wire, unsigned kind, uint32_t channel, const uint8_t *p, size_t n)
{
	switch (kind) {
	case HB__ASK:
	case HB__ANSWER:
	case HB__NEWS:
		return !channel && took_json(wire, kind, channel, (const char *)p, n);
	case HB__END:
		return channel && took_json(wire, kind, channel, (const char *)p, n);
	case HB__BYTES:
		return channel && hb__channel_bytes(wire, channel, p, n);
	case HB__ROOM:
		if (!channel || n != 4)
			return false;
		hb__channel_room(wire, channel, get_number(p));
		return true;
	default:
		return false;
	}
}

/* ---- reading and writing ---- */

/* Skips what a login prints before the agent begins. */
static bool greet(hb_wire *wire)
{
	struct hb__queue *q = &wire->read;
	size_t magic = sizeof HB_WIRE_MAGIC - 1;
	uint8_t *found = q->n >= magic ? memmem(q->p + q->at, q->n, HB_WIRE_MAGIC, magic) : NULL;
	size_t skip = found ? (size_t)(found - (q->p + q->at)) : q->n >= magic ? q->n - magic + 1 : 0;
	wire->skipped += skip;
	hb__queue_take(q, skip + (found ? magic : 0));
	if (wire->skipped > HB__GREETING)
		hb__wire_fail(wire, "what came is not from hbdb");
	wire->greeted = found != NULL;
	return wire->greeted;
}

static void take_frames(hb_wire *wire)
{
	struct hb__queue *q = &wire->read;
	if (!wire->greeted && !greet(wire))
		return;
	while (wire->open && q->n >= HB__HEAD) {
		const uint8_t *p = q->p + q->at;
		size_t length = get_number(p);
		if (length < HB__HEAD - 4 || length > HB_WIRE_PAYLOAD + HB__HEAD - 4) {
			hb__wire_fail(wire, "what came is no frame: the connection carries something else, too");
			return;
		}
		if (q->n < length + 4)
			return;
		if (!took_frame(wire, p[4], get_number(p + 5), p + HB__HEAD, length + 4 - HB__HEAD))
			hb__wire_fail(wire, "a frame of kind %u makes no sense", p[4]);
		hb__queue_take(q, length + 4);
	}
}

/* Who ends without having read what was said to him leaves a broken connection: of one that never spoke it is no news what the network calls that. */
static void lost(hb_wire *wire, int error)
{
	if (error && (wire->peer || (error != ECONNRESET && error != EPIPE)))
		hb__wire_fail(wire, "the connection broke: %s", strerror(error));
	else
		hb__wire_fail(wire, wire->peer ? "the other side ended the connection"
					       : "the other side ended before it said anything");
}

static void take_in(hb_wire *wire)
{
	struct hb__queue *q = &wire->read;
	for (int turns = 0; wire->open && turns < 8; turns++) {
		if (!hb__queue_room(q, 65536)) {
			hb__wire_fail(wire, "there is no memory left");
			return;
		}
		ssize_t n = read(wire->in, q->p + q->at + q->n, 65536);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			lost(wire, n ? errno : 0);
			return;
		}
		q->n += (size_t)n;
		take_frames(wire);
	}
}

static void give_out(hb_wire *wire)
{
	struct hb__queue *q = &wire->write;
	while (wire->open && q->n) {
		ssize_t n = write(wire->out, q->p + q->at, q->n);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			lost(wire, errno);
			return;
		}
		hb__queue_take(q, (size_t)n);
	}
}

bool hb__wire_watch(hb_wire *wire, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.fd = fd};
	if (fd < 0)
		return true;
	if (!events) {
		epoll_ctl(wire->inner, EPOLL_CTL_DEL, fd, NULL);
		return true;
	}
	return !epoll_ctl(wire->inner, EPOLL_CTL_MOD, fd, &e) ||
	       (errno == ENOENT && !epoll_ctl(wire->inner, EPOLL_CTL_ADD, fd, &e));
}

static void fail_questions(hb_wire *wire)
{
	while (wire->nquestions) {
		struct hb__question q = wire->question[--wire->nquestions];
		q.answered(q.user, NULL, wire->why, 2);
	}
}

bool hb_wire_turn(hb_wire *wire)
{
	if (wire->open) {
		take_in(wire);
		hb__channels_turn(wire);
		give_out(wire);
		uint32_t write = wire->write.n ? EPOLLOUT : 0;
		if (wire->in == wire->out)
			hb__wire_watch(wire, wire->in, EPOLLIN | write);
		else
			hb__wire_watch(wire, wire->out, write);
	}
	if (!wire->open) {
		fail_questions(wire);
		hb__channels_lose(wire);
	}
	return wire->open;
}

/* ---- opening ---- */

static cJSON *hello(const char *part)
{
	cJSON *o = cJSON_CreateObject();
	struct utsname system = {0};
	const struct passwd *user = getpwuid(getuid());
	uname(&system);
	cJSON_AddStringToObject(o, "hbdb", part);
	cJSON_AddNumberToObject(o, "protocol", HB_WIRE_PROTOCOL);
	cJSON_AddStringToObject(o, "version", HBDB_VERSION);
	cJSON_AddStringToObject(o, "host", system.nodename);
	cJSON_AddStringToObject(o, "user", user ? user->pw_name : "?");
	cJSON_AddNumberToObject(o, "pid", getpid());
	cJSON_AddStringToObject(o, "boot", hb_boot_id());
	cJSON_AddStringToObject(o, "machine", system.machine);
	cJSON_AddStringToObject(o, "order", __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "little" : "big");
	return o;
}

static bool nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) >= 0;
}

hb_status hb_wire_open(int in, int out, bool made, const char *part, const hb_wire_calls *calls, void *user,
	hb_wire **ret_wire, hb_error *err)
{
	hb_wire *wire = calloc(1, sizeof *wire);
	*ret_wire = NULL;
	if (wire)
		*wire = (hb_wire){.in = in,
			.out = out,
			.inner = epoll_create1(EPOLL_CLOEXEC),
			.made = made,
			.open = true,
			.calls = *calls,
			.user = user,
			.next_channel = made ? 1 : 2};
	if (!wire || wire->inner < 0 || !nonblocking(in) || !nonblocking(out) || !hb__wire_watch(wire, in, EPOLLIN) ||
		!hb__queue_room(&wire->write, 64)) {
		if (err) {
			*err = (hb_error){.status = HB_E_SYSTEM, .sys = errno};
			snprintf(err->message, sizeof err->message, "a connection cannot be opened: %s",
				strerror(errno));
		}
		if (wire)
			hb_wire_close(wire);
		else
			close(in), close(out);
		return HB_E_SYSTEM;
	}
	memcpy(wire->write.p, HB_WIRE_MAGIC, sizeof HB_WIRE_MAGIC - 1);
	wire->write.n = sizeof HB_WIRE_MAGIC - 1;
	hb_wire_news(wire, "hello", hello(part));
	give_out(wire);
	*ret_wire = wire;
	return HB_OK;
}

void hb_wire_close(hb_wire *wire)
{
	if (!wire)
		return;
	give_out(wire);
	hb__wire_fail(wire, "the connection was closed here");
	fail_questions(wire);
	hb__channels_close(wire);
	if (wire->inner >= 0)
		close(wire->inner);
	close(wire->in);
	if (wire->out != wire->in)
		close(wire->out);
	cJSON_Delete(wire->peer);
	free(wire->read.p);
	free(wire->write.p);
	free(wire->question);
	free(wire);
}

int hb_wire_fd(const hb_wire *wire) { return wire->inner; }
const char *hb_wire_why(const hb_wire *wire) { return wire->why; }
const cJSON *hb_wire_peer(const hb_wire *wire) { return wire->peer; }
size_t hb_wire_waiting(const hb_wire *wire) { return wire->write.n; }
