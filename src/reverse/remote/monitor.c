/* Commands of our own: gdb's `monitor`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "parts.h"

static void print(hb_remote *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(hb_remote *g, const char *format, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	hb__send_console(g, text);
}

static void help(hb_remote *g)
{
	hb__send_console(g,
		"monitor event            where the process is: how many events are over\n"
		"monitor goto EVENT       to an event, in either direction\n"
		"monitor goto START|END   to the first instruction; to the crash, or the call that ends the process\n"
		"monitor back [N]         to the event N events before this one (1)\n"
		"monitor checkpoints      the copies of the process that are kept\n"
		"After goto and back gdb shows the old place until you type:\n"
		"  maintenance flush register-cache\n"
		"  maintenance flush dcache\n");
}

static void tell_event(hb_remote *g)
{
	uint64_t event;
	if (hb_reverse_event(g->r, &event))
		print(g, "after event %" PRIu64 "\n", event);
	else
		print(g,
			"No events are counted: there is no recorder in the process that does (hb_alone_clock), or it has not begun yet.\n");
}

/* For who drives gdb (src/session/gdb/server.c reads it): whether events are counted, how many are over, whether it stands at its beginning or
 * at its end, what ends it, or whether its record ends, whether it stands exactly where the last one is told, the number by which the system knows it now. */
static void tell_stand(hb_remote *g)
{
	uint64_t event;
	bool counted = hb_reverse_event(g->r, &event), end = g->last.kind == HB_STOP_END || g->last.dies;
	print(g, "stand %d %" PRIu64 " %d %d %d %d %d %d %d %d\n", counted, event, g->last.kind == HB_STOP_BEGIN,
		g->last.kind == HB_STOP_FAILED, end, end ? g->last.signal : 0, end ? g->last.status : 0,
		end && g->last.cut, hb_reverse_at_event(g->r), (int)hb_reverse_real(g->r));
}

static void moved(hb_remote *g, hb_stop stop, double began)
{
	uint64_t event;
	g->last = stop;
	hb__flush_notes(g);
	if (stop.kind == HB_STOP_FAILED)
		return;
	if (stop.kind == HB_STOP_BEGIN)
		print(g, "at the start");
	else if (stop.kind == HB_STOP_END && stop.cut)
		print(g, "at the end of its recording");
	else if (stop.kind == HB_STOP_END)
		print(g, stop.signal ? "at the end: signal %d" : "at the end: exit status %d",
			stop.signal ? stop.signal : stop.status);
	else if (stop.kind == HB_STOP_SIGNAL)
		print(g, "at the end: signal %d, which has a handler", stop.signal);
	else if (stop.kind == HB_STOP_CANCEL)
		print(g, "interrupted");
	else if (stop.kind == HB_STOP_GONE)
		print(g, "the process was killed by somebody else");
	else
		print(g, "there");
	if (hb_reverse_event(g->r, &event))
		print(g, ", after event %" PRIu64, event);
	print(g, ", %.1f ms. For gdb to see it: maintenance flush register-cache\n", (hb_seconds() - began) * 1e3);
	if (stop.kind == HB_STOP_GONE)
		g->over = true;
}

static bool number_of(const char *text, uint64_t *ret)
{
	char *end;
	*ret = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

static void go_to(hb_remote *g, const char *where)
{
	uint64_t event;
	double began = hb_seconds();
	if (!strcasecmp(where, "start"))
		moved(g, hb_reverse_to_start(g->r), began);
	else if (!strcasecmp(where, "end"))
		moved(g, hb_reverse_to_end(g->r), began);
	else if (number_of(where, &event))
		moved(g, hb_reverse_to_event(g->r, event), began);
	else
		print(g, "goto needs the number of an event, START or END.\n");
}

static void back(hb_remote *g, const char *count)
{
	uint64_t n = 1, event;
	double began = hb_seconds();
	if (*count && !number_of(count, &n))
		print(g, "back needs a number of events.\n");
	else if (!hb_reverse_event(g->r, &event))
		tell_event(g);
	else
		moved(g, hb_reverse_to_event(g->r, n < event ? event - n : 0), began);
}

static void checkpoints(hb_remote *g)
{
	hb_reverse_checkpoint list[256];
	size_t n = hb_reverse_checkpoints(g->r, list, 256);
	uint64_t sum = 0, event;
	bool events = hb_reverse_event(g->r, &event);
	for (size_t i = 0; i < n && i < 256; i++) {
		char after[48] = "";
		if (events)
			snprintf(after, sizeof after, ", after event %" PRIu64, list[i].event);
		print(g, "%10.3f s%s, %.1f MB of its own%s\n", list[i].seconds, after, (double)list[i].bytes / 1e6,
			list[i].end ? ", the end" : "");
		sum += list[i].bytes;
	}
	print(g, "%zu checkpoints, %.1f MB\n", n, (double)sum / 1e6);
}

void hb__monitor(hb_remote *g, const char *line)
{
	char word[32] = "", argument[64] = "", more[2] = "";
	int n = sscanf(line, "%31s %63s %1s", word, argument, more);
	if (n == 3 || n < 1 || (n == 2 && strcmp(word, "goto") && strcmp(word, "back")))
		print(g, n < 1 ? "Commands: see monitor help.\n" : "There is no such command: see monitor help.\n");
	else if (!strcmp(word, "help"))
		help(g);
	else if (!strcmp(word, "event"))
		tell_event(g);
	else if (!strcmp(word, "stand"))
		tell_stand(g);
	else if (!strcmp(word, "stay"))
		g->stay = true;
	else if (!strcmp(word, "goto"))
		go_to(g, argument);
	else if (!strcmp(word, "back"))
		back(g, argument);
	else if (!strcmp(word, "checkpoints"))
		checkpoints(g);
	else
		print(g, "There is no such command: see monitor help.\n");
	hb__flush_notes(g);
	hb__reply(g, "OK");
}
