/* The conversation with gdb. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "parts.h"

hb_remote *hb_remote_new(int in, int out)
{
	hb_remote *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->in = in;
	g->out = out;
	for (int i = 0; i < HB_HOST_FILES; i++)
		g->file[i] = -1;
	return g;
}

void hb_remote_free(hb_remote *g)
{
	for (int i = 0; g && i < HB_HOST_FILES; i++)
		if (g->file[i] >= 0)
			close(g->file[i]);
	if (g)
		free(g->buffer);
	free(g);
}

/* What there is to be read; false: gdb is gone. */
static bool fill(hb_remote *g)
{
	if (!HB_GROW(g->buffer, g->room, g->n + 4096))
		return false;
	ssize_t got;
	do
		got = read(g->in, g->buffer + g->n, 4096);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	g->n += (size_t)got;
	return true;
}

bool hb_remote_cancel(void *user)
{
	hb_remote *g = user;
	struct pollfd p = {.fd = g->in, .events = POLLIN};
	if (g->over || (poll(&p, 1, 0) > 0 && !fill(g))) {
		g->over = true;
		return true;
	}
	char *interrupt = memchr(g->buffer, 3, g->n);
	if (!interrupt)
		return false;
	/* nothing else comes while gdb waits */
	g->n = 0;
	return true;
}

/* ADDRESS,LENGTH; what is behind them, NULL: they are none. */
static const char *range(const char *text, uint64_t *ret_at, uint64_t *ret_size)
{
	size_t n = hb_hex_number(text, ret_at);
	if (!n || text[n] != ',')
		return NULL;
	text += n + 1;
	n = hb_hex_number(text, ret_size);
	return n ? text + n : NULL;
}

static void read_memory(hb_remote *g, const char *text)
{
	uint64_t at, size;
	static char data[HB_PACKET_MAX / 2], hex[HB_PACKET_MAX + 1];
	if (!range(text, &at, &size)) {
		hb__reply(g, "E01");
		return;
	}
	size_t n = hb_reverse_read(g->r, at, data, size < sizeof data ? size : sizeof data);
	if (!n && size) {
		hb__reply(g, "E14");
		return;
	}
	hb_hex(data, n, hex);
	hb__reply(g, "%s", hex);
}

static void write_memory(hb_remote *g, const char *text, bool binary)
{
	uint64_t at, size;
	char *data = NULL;
	const char *rest = range(text, &at, &size);
	bool good = rest && *rest == ':' && size <= HB_PACKET_MAX / 2;
	if (good && binary) {
		good = g->size - (size_t)(rest + 1 - g->packet) == size && !hb_reverse_write(g->r, at, rest + 1, size);
	} else if (good) {
		data = malloc(size + 1);
		good = data && strlen(rest + 1) == 2 * size && hb_hex_bytes(rest + 1, data, size) &&
		       !hb_reverse_write(g->r, at, data, size);
		free(data);
	}
	hb__reply(g, good ? "OK" : "E01");
}

/* z and Z: TYPE,ADDRESS,KIND. */
static void point(hb_remote *g, const char *text, bool plant)
{
	uint64_t at, size;
	static const hb_point_kind kinds[] = {
		HB_POINT_CODE, HB_POINT_CODE, HB_POINT_WRITE, HB_POINT_ACCESS, HB_POINT_ACCESS};
	/* 3, accesses that only read, the processor does not tell apart */
	if (*text < '0' || *text > '4' || *text == '3')
		return;
	hb_point_kind kind = kinds[*text - '0'];
	if (text[1] != ',' || !range(text + 2, &at, &size)) {
		hb__reply(g, "E01");
		return;
	}
	if (kind == HB_POINT_CODE)
		size = 1;
	int bad = plant ? hb_reverse_plant(g->r, kind, at, size) : hb_reverse_remove(g->r, kind, at, size);
	hb__reply(g, bad ? "E01" : "OK");
}

/* One action for all, or first for the thread that steps. */
static void go_on(hb_remote *g, const char *text)
{
	uint64_t signal = 0, low = 0, high = 0;
	pid_t thread = 0;
	char what = *text;
	if (what == 'C' || what == 'S')
		text += 1 + hb_hex_number(text + 1, &signal);
	else if (what == 'r')
		text = range(text + 1, &low, &high);
	else
		text++;
	if (!text || !strchr("cCsSrt", what)) {
		hb__reply(g, "E01");
		return;
	}
	if (*text == ':')
		hb__read_thread(text + 1, &thread);
	hb_stop stop;
	int host = hb__host_signal((int)signal);
	if (what == 'c' || what == 'C')
		stop = hb_reverse_continue(g->r, host);
	else
		stop = hb_reverse_step(g->r, thread, host, low, high);
	hb__reply_stop(g, &stop);
}

static void go_back(hb_remote *g, bool step)
{
	hb_stop stop = step ? hb_reverse_step_back(g->r) : hb_reverse_continue_back(g->r, g->stay);
	g->stay = false;
	hb_stop_kind kind = stop.kind;
	if (kind != HB_STOP_FAILED && kind != HB_STOP_NONE) {
		hb__reply_stop(g, &stop);
		return;
	}
	/* it stays where it is: no further back from here */
	stop.kind = HB_STOP_BEGIN;
	hb__reply_stop(g, &stop);
	g->last.kind = kind;
}

static void handle_v(hb_remote *g, const char *p)
{
	if (!strcmp(p, "vCont?"))
		hb__reply(g, "vCont;c;C;s;S;t;r");
	else if (!strncmp(p, "vCont;", 6))
		go_on(g, p + 6);
	else if (!strncmp(p, "vFile:", 6))
		hb__host_file(g, p, g->size);
	else if (!strncmp(p, "vKill", 5)) {
		hb__reply(g, "OK");
		g->over = true;
	}
}

static void choose_thread(hb_remote *g, const char *text)
{
	pid_t thread, list[512];
	hb__read_thread(text + 1, &thread);
	size_t n = hb_reverse_threads(g->r, list, 512);
	bool there = !thread;
	for (size_t i = 0; i < n && i < 512; i++)
		there |= list[i] == thread;
	if (there && *text == 'g')
		g->thread = thread;
	hb__reply(g, there ? "OK" : "E01");
}

static void is_alive(hb_remote *g, const char *text)
{
	pid_t kept = g->thread;
	char chosen[64];
	snprintf(chosen, sizeof chosen, "g%.60s", text);
	choose_thread(g, chosen);
	g->thread = kept;
}

static void tell_last(hb_remote *g, const char *text)
{
	(void)text;
	hb__reply_stop(g, &g->last);
}

static void read_registers(hb_remote *g, const char *text)
{
	(void)text;
	hb__read_registers(g);
}

static void write_hex(hb_remote *g, const char *text) { write_memory(g, text, false); }
static void write_binary(hb_remote *g, const char *text) { write_memory(g, text, true); }
static void plant(hb_remote *g, const char *text) { point(g, text, true); }
static void take_out(hb_remote *g, const char *text) { point(g, text, false); }

static void backwards(hb_remote *g, const char *text)
{
	if (*text == 's' || *text == 'c')
		go_back(g, *text == 's');
}

static void leave(hb_remote *g, const char *text)
{
	(void)text;
	hb__reply(g, "OK");
	g->over = true;
}

/* By the first letter of a packet; those of several letters get it, too. */
static const struct {
	char letter;
	bool whole;
	void (*run)(hb_remote *g, const char *text);
} packets[] = {{'?', false, tell_last}, {'g', false, read_registers}, {'G', false, hb__write_registers},
	{'p', false, hb__read_register}, {'P', false, hb__write_register}, {'m', false, read_memory},
	{'M', false, write_hex}, {'X', false, write_binary}, {'Z', false, plant}, {'z', false, take_out},
	{'b', false, backwards}, {'c', true, go_on}, {'s', true, go_on}, {'C', true, go_on}, {'S', true, go_on},
	{'v', true, handle_v}, {'H', false, choose_thread}, {'T', false, is_alive}, {'q', true, hb__query},
	{'Q', true, hb__query}, {'D', false, leave}};

static void handle(hb_remote *g)
{
	g->reply_size = 0;
	if (*g->packet == 'k') {
		g->over = true;
		return;
	}
	/* what is not known gets an empty answer */
	for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
		if (packets[i].letter == *g->packet)
			packets[i].run(g, g->packet + !packets[i].whole);
	hb__send(g, g->reply, g->reply_size);
}

/* One thing of what came. False: more has to come. */
static bool take(hb_remote *g)
{
	size_t used;
	bool acks = !g->no_acks;
	hb_packet_kind kind = hb_packet_take(g->buffer, g->n, &used, g->packet, &g->size);
	if (kind == HB_PACKET_MORE)
		return false;
	if (kind == HB_PACKET_TOO_LONG) {
		g->broken = g->over = true;
		return false;
	}
	memmove(g->buffer, g->buffer + used, g->n - used);
	g->n -= used;
	if (acks && (kind == HB_PACKET_WHOLE || kind == HB_PACKET_BAD) &&
		write(g->out, kind == HB_PACKET_WHOLE ? "+" : "-", 1) != 1)
		g->over = true;
	if (kind == HB_PACKET_WHOLE)
		handle(g);
	else if (kind == HB_PACKET_AGAIN && acks)
		hb__send(g, g->reply, g->reply_size);
	return true;
}

int hb_remote_serve(hb_remote *g, hb_reverse *r)
{
	g->r = r;
	g->last = (hb_stop){.kind = HB_STOP_STEP, .thread = hb_reverse_pid(r)};
	while (!g->over)
		if (!take(g) && !g->over && !fill(g))
			g->over = true;
	return g->broken ? -1 : 0;
}
