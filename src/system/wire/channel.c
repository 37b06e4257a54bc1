/* Channels: bytes between a descriptor here and one on the other side.
 *
 * Of each channel no more than HB_WIRE_ROOM bytes are under way in a direction: whoever has written so many waits until the other
 * side tells that they were taken (kind 6). A channel whose reader is slow so holds up neither the others nor the asks. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/grow.h"
#include "system/wire/inside.h"

#define PIECE 32768u               /* bytes of a frame of a channel */
#define ENOUGH (HB_WIRE_ROOM * 8u) /* bytes that wait for the connection before channels wait, too */

struct hb__channel *hb__wire_channel(hb_wire *wire, uint32_t number)
{
	for (size_t i = 0; i < wire->nchannels; i++)
		if (wire->channel[i]->used && wire->channel[i]->number == number)
			return wire->channel[i];
	return NULL;
}

uint32_t hb_wire_channel(hb_wire *wire)
{
	uint32_t number;
	do {
		number = wire->next_channel;
		wire->next_channel += 2;
		if (wire->next_channel < 2)
			wire->next_channel = wire->made ? 1 : 2;
	} while (hb__wire_channel(wire, number));
	return number;
}

static struct hb__channel *new_channel(hb_wire *wire)
{
	for (size_t i = 0; i < wire->nchannels; i++)
		if (!wire->channel[i]->used)
			return wire->channel[i];
	if (!HB_GROW(wire->channel, wire->channel_room, wire->nchannels + 1))
		return NULL;
	struct hb__channel *c = calloc(1, sizeof *c);
	if (c)
		wire->channel[wire->nchannels++] = c;
	return c;
}

static void close_in(hb_wire *wire, struct hb__channel *c)
{
	if (c->in >= 0 && c->in != c->out) {
		hb__wire_watch(wire, c->in, 0);
		close(c->in);
	}
	c->in = -1;
}

static void close_out(hb_wire *wire, struct hb__channel *c)
{
	if (c->out >= 0 && c->in == c->out) {
		shutdown(c->out, SHUT_WR);
	} else if (c->out >= 0) {
		hb__wire_watch(wire, c->out, 0);
		close(c->out);
	}
	c->out = -1;
}

/* in and out are one descriptor, and one of them was given up: the other one keeps it. */
static void free_channel(hb_wire *wire, struct hb__channel *c)
{
	int in = c->in, out = c->out;
	if (in >= 0) {
		hb__wire_watch(wire, in, 0);
		close(in);
	}
	if (out >= 0 && out != in) {
		hb__wire_watch(wire, out, 0);
		close(out);
	}
	cJSON_Delete(c->how);
	cJSON_Delete(c->said);
	free(c->come.p);
	*c = (struct hb__channel){.in = -1, .out = -1};
}

bool hb_wire_join(hb_wire *wire, uint32_t channel, int in, int out, bool own_end, hb_wire_closed *closed, void *user)
{
	struct hb__channel *c = wire->open && channel && !hb__wire_channel(wire, channel) ? new_channel(wire) : NULL;
	for (int i = 0; c && i < 2; i++) {
		int fd = i ? out : in, flags = fd < 0 ? 0 : fcntl(fd, F_GETFL);
		if (fd >= 0 && (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0))
			c = NULL;
	}
	if (!c || !hb__wire_watch(wire, in, EPOLLIN)) {
		if (in >= 0)
			close(in);
		if (out >= 0 && out != in)
			close(out);
		return false;
	}
	*c = (struct hb__channel){.number = channel,
		.used = true,
		.in = in,
		.out = out,
		.own_end = own_end,
		.room = HB_WIRE_ROOM,
		.closed = closed,
		.user = user};
	c->ended = in < 0 && !own_end;
	hb__wire_rouse(wire);
	return true;
}

void hb_wire_end(hb_wire *wire, uint32_t channel, cJSON *how)
{
	struct hb__channel *c = hb__wire_channel(wire, channel);
	if (!c || c->how) {
		cJSON_Delete(how);
		return;
	}
	c->how = how ? how : cJSON_CreateObject();
	if (c->in < 0)
		c->ended = true;
	hb__wire_rouse(wire);
}

void hb_wire_cut(hb_wire *wire, uint32_t channel)
{
	struct hb__channel *c = hb__wire_channel(wire, channel);
	if (!c)
		return;
	/* that no more bytes come may have been told; that nothing more is wanted has not */
	if (!c->told || !c->how) {
		static const char cut[] = "{\"error\":\"the other side does not want it any more\"}";
		hb__wire_put(wire, HB__END, channel, cut, sizeof cut - 1);
	}
	free_channel(wire, c);
}

/* ---- what comes ---- */

bool hb__channel_bytes(hb_wire *wire, uint32_t number, const uint8_t *p, size_t n)
{
	struct hb__channel *c = hb__wire_channel(wire, number);
	if (!c)
		return true; /* it was cut meanwhile */
	if (c->over || c->come.n + c->owed + n > HB_WIRE_ROOM)
		return false; /* more than there was room for */
	if (c->out < 0) {
		c->owed += (uint32_t)n; /* nobody reads it here: it is taken, and forgotten */
		return true;
	}
	if (!hb__queue_room(&c->come, n)) {
		hb__wire_fail(wire, "there is no memory left");
		return true;
	}
	memcpy(c->come.p + c->come.at + c->come.n, p, n);
	c->come.n += n;
	return true;
}

void hb__channel_end(hb_wire *wire, uint32_t number, const cJSON *how)
{
	struct hb__channel *c = hb__wire_channel(wire, number);
	const char *error = hb_wire_text(how, "error");
	/* whose bytes were over may come to want nothing more */
	if (!c || (c->over && !error))
		return;
	c->over = true;
	cJSON_Delete(c->said);
	c->said = cJSON_Duplicate(how, 1);
	if (error) { /* it wants nothing more, either */
		close_in(wire, c);
		c->come.n = 0;
		c->ended = true;
	}
}

void hb__channel_room(hb_wire *wire, uint32_t number, uint32_t more)
{
	struct hb__channel *c = hb__wire_channel(wire, number);
	if (c && more <= HB_WIRE_ROOM - c->room)
		c->room += more;
}

/* ---- moving ---- */

static void send_some(hb_wire *wire, struct hb__channel *c)
{
	static _Thread_local uint8_t piece[PIECE];
	while (c->in >= 0 && c->room && wire->write.n < ENOUGH) {
		ssize_t n = read(c->in, piece, c->room < PIECE ? c->room : PIECE);
		bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
		if (later && !(c->own_end && c->how))
			break;
		if (n <=
			0) { /* the end; or this side's end was told, and what was written before that has been read: others may hold the descriptor for ever */
			close_in(wire, c);
			c->ended = !c->own_end || c->how;
			break;
		}
		hb__wire_put(wire, HB__BYTES, c->number, piece, (size_t)n);
		c->room -= (uint32_t)n;
	}
}

static void take_some(hb_wire *wire, struct hb__channel *c)
{
	while (c->out >= 0 && c->come.n) {
		ssize_t n = write(c->out, c->come.p + c->come.at, c->come.n);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n < 0) { /* its reader is gone */
			c->owed += (uint32_t)c->come.n;
			hb__queue_take(&c->come, c->come.n);
			close_out(wire, c);
			break;
		}
		hb__queue_take(&c->come, (size_t)n);
		c->owed += (uint32_t)n;
	}
	if (c->owed >= HB_WIRE_ROOM / 4 || (c->owed && !c->come.n)) {
		uint8_t more[4];
		for (int i = 0; i < 4; i++)
			more[i] = (uint8_t)(c->owed >> (8 * i));
		hb__wire_put(wire, HB__ROOM, c->number, more, 4);
		c->owed = 0;
	}
	if (c->over && !c->come.n)
		close_out(wire, c);
}

static void watch_channel(hb_wire *wire, const struct hb__channel *c)
{
	uint32_t in = c->in >= 0 && c->room && wire->write.n < ENOUGH ? EPOLLIN : 0;
	uint32_t out = c->out >= 0 && c->come.n ? EPOLLOUT : 0;
	if (c->in >= 0 && c->in == c->out) {
		hb__wire_watch(wire, c->in, in | out);
		return;
	}
	hb__wire_watch(wire, c->in, in);
	hb__wire_watch(wire, c->out, out);
}

static void turn(hb_wire *wire, struct hb__channel *c)
{
	send_some(wire, c);
	take_some(wire, c);
	if (c->ended && !c->told) {
		static const char nothing[] = "{}";
		if (c->how)
			hb__wire_put_json(wire, HB__END, c->number, c->how);
		else
			hb__wire_put(wire, HB__END, c->number, nothing, sizeof nothing - 1);
		c->told = true;
	}
	if (c->over && !c->come.n && c->told) {
		struct hb__channel gone = *c;
		c->said = NULL;
		free_channel(wire, c);
		if (gone.closed)
			gone.closed(gone.user, gone.number, gone.said);
		cJSON_Delete(gone.said);
		return;
	}
	watch_channel(wire, c);
}

void hb__channels_turn(hb_wire *wire)
{
	for (size_t i = 0; wire->open && i < wire->nchannels; i++)
		if (wire->channel[i]->used)
			turn(wire, wire->channel[i]);
}

void hb__channels_lose(hb_wire *wire)
{
	for (size_t i = 0; i < wire->nchannels; i++) {
		struct hb__channel *c = wire->channel[i], gone = *c;
		if (!c->used)
			continue;
		free_channel(wire, c);
		if (gone.closed) {
			cJSON *how = cJSON_CreateObject();
			cJSON_AddStringToObject(how, "error", wire->why);
			gone.closed(gone.user, gone.number, how);
			cJSON_Delete(how);
		}
	}
}

void hb__channels_close(hb_wire *wire)
{
	hb__channels_lose(wire);
	while (wire->nchannels)
		free(wire->channel[--wire->nchannels]);
	free(wire->channel);
}
