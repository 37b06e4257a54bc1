/* Answers: framed, sent; stops in gdb's words. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

void hb__reply(hb_remote *g, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(g->reply, sizeof g->reply, format, ap);
	va_end(ap);
	g->reply_size = n < 0 ? 0 : (size_t)n < sizeof g->reply ? (size_t)n : sizeof g->reply - 1;
}

void hb__reply_bytes(hb_remote *g, const char *head, const void *bytes, size_t n)
{
	size_t m = strlen(head);
	if (n > HB_PACKET_MAX - m)
		n = HB_PACKET_MAX - m;
	memcpy(g->reply, head, m);
	memcpy(g->reply + m, bytes, n);
	g->reply_size = m + n;
}

void hb__reply_part(hb_remote *g, const char *where, const void *text, size_t n)
{
	uint64_t offset, length;
	size_t digits = hb_hex_number(where, &offset);
	if (!digits || where[digits] != ',' || !hb_hex_number(where + digits + 1, &length)) {
		hb__reply(g, "E01");
		return;
	}
	/* it may double in the frame */
	if (length > HB_PACKET_MAX / 2)
		length = HB_PACKET_MAX / 2;
	if (offset >= n)
		hb__reply(g, "l");
	else if (n - offset > length)
		hb__reply_bytes(g, "m", (const char *)text + offset, length);
	else
		hb__reply_bytes(g, "l", (const char *)text + offset, n - offset);
}

void hb__send(hb_remote *g, const char *data, size_t n)
{
	static char frame[2 * HB_PACKET_MAX + 4];
	size_t size = hb_packet_frame(data, n, frame);
	for (size_t at = 0; at < size;) {
		ssize_t put = write(g->out, frame + at, size - at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			g->over = true;
			return;
		}
		at += (size_t)put;
	}
}

void hb__send_console(hb_remote *g, const char *text)
{
	char data[2 * 1024 + 2];
	for (size_t n = strlen(text); n;) {
		size_t part = n < 1024 ? n : 1024;
		data[0] = 'O';
		hb_hex(text, part, data + 1);
		hb__send(g, data, 2 * part + 1);
		text += part;
		n -= part;
	}
}

void hb_remote_note(void *user, const char *text)
{
	hb_remote *g = user;
	size_t n = strlen(g->notes);
	snprintf(g->notes + n, sizeof g->notes - n, "hbdb: %s\n", text);
}

void hb__flush_notes(hb_remote *g)
{
	hb__send_console(g, g->notes);
	g->notes[0] = 0;
}

/* Signals as gdb numbers them (include/gdb/signals.def); those that are not here have the number that Linux has. */
static const struct {
	int host, gdb;
} signals[] = {{SIGBUS, 10}, {SIGUSR1, 30}, {SIGUSR2, 31}, {SIGCHLD, 20}, {SIGCONT, 19}, {SIGSTOP, 17}, {SIGTSTP, 18},
	{SIGURG, 16}, {SIGIO, 23}, {SIGSYS, 12}, {SIGPWR, 32}, {SIGSTKFLT, 143}};

static int gdb_signal(int host)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i].host == host)
			return signals[i].gdb;
	return host >= 33 ? host + 12 : host;
}

int hb__host_signal(int gdb)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i].gdb == gdb)
			return signals[i].host;
	return gdb >= 45 ? gdb - 12 : gdb;
}

static void name_thread(const hb_remote *g, pid_t thread, char ret[48])
{
	pid_t pid = hb_reverse_pid(g->r);
	if (g->named_processes)
		snprintf(ret, 48, "p%x.%x", (unsigned)pid, (unsigned)thread);
	else
		snprintf(ret, 48, "%x", (unsigned)thread);
}

const char *hb__read_thread(const char *text, pid_t *ret_thread)
{
	uint64_t n;
	*ret_thread = 0;
	if (*text == 'p') {
		const char *dot = strchr(text, '.');
		if (!dot)
			return text + 1 + hb_hex_number(text + 1, &n);
		text = dot + 1;
	}
	if (*text == '-')
		return text + 1 + hb_hex_number(text + 1, &n);
	text += hb_hex_number(text, &n);
	*ret_thread = (pid_t)n;
	return text;
}

static void note_end(hb_remote *g, const hb_stop *stop)
{
	char text[128];
	if (stop->cut)
		snprintf(text, sizeof text,
			"The recording of the process ends here. It stays here; reverse-continue goes back.");
	else
		snprintf(text, sizeof text,
			"The process is about to exit with status %d. It stays here; reverse-continue goes back.",
			stop->status);
	hb_remote_note(g, text);
}

void hb__reply_stop(hb_remote *g, const hb_stop *stop)
{
	char thread[48], why[64] = "";
	int signal = SIGTRAP;
	name_thread(g, stop->thread, thread);
	switch (stop->kind) {
	case HB_STOP_BREAK:
		if (g->tells_breaks)
			snprintf(why, sizeof why, "swbreak:;");
		break;
	case HB_STOP_WATCH:
		snprintf(why, sizeof why, "watch:%llx;", (unsigned long long)stop->address);
		break;
	case HB_STOP_SIGNAL:
		signal = stop->signal;
		break;
	case HB_STOP_BEGIN:
		snprintf(why, sizeof why, "replaylog:begin;");
		break;
	case HB_STOP_END:
		/* the signal once: who goes on after it hears that there is no more */
		if (stop->signal && !(g->last.kind == HB_STOP_END))
			signal = stop->signal;
		else
			snprintf(why, sizeof why, "replaylog:end;");
		if (!stop->signal && g->last.kind != HB_STOP_END)
			note_end(g, stop);
		break;
	case HB_STOP_CANCEL:
		signal = SIGINT;
		break;
	case HB_STOP_GONE:
		g->over = true;
		hb__reply(g, "X%02x", (unsigned)gdb_signal(stop->signal));
		return;
	default:
		break;
	}
	hb__flush_notes(g);
	hb__reply(g, "T%02xthread:%s;%s", (unsigned)gdb_signal(signal), thread, why);
	g->last = *stop;
}
