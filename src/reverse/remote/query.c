/* Queries: q and Q packets. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

static const char *after(const char *packet, const char *head)
{
	size_t n = strlen(head);
	return strncmp(packet, head, n) ? NULL : packet + n;
}

static void supported(hb_remote *g, const char *features)
{
	g->named_processes = strstr(features, "multiprocess+");
	g->tells_breaks = strstr(features, "swbreak+");
	hb__reply(g,
		"PacketSize=%x;QStartNoAckMode+;multiprocess+;swbreak+;hwbreak+;vContSupported+;ReverseStep+;ReverseContinue+;"
		"qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+",
		HB_PACKET_MAX / 2);
}

static void auxiliary(hb_remote *g, const char *where)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/auxv", (int)hb_reverse_real(g->r));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		hb__reply(g, "E01");
	else
		hb__reply_part(g, where, text, (size_t)n);
}

static void program(hb_remote *g, const char *where)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/exe", (int)hb_reverse_real(g->r));
	ssize_t n = readlink(path, text, sizeof text);
	where = strchr(where, ':');
	if (n < 0 || !where)
		hb__reply(g, "E01");
	else
		hb__reply_part(g, where + 1, text, (size_t)n);
}

static void threads(hb_remote *g)
{
	pid_t list[512];
	size_t n = hb_reverse_threads(g->r, list, 512), at = 0;
	char text[HB_PACKET_MAX];
	for (size_t i = 0; i < n && i < 512; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, g->named_processes ? "%sp%x.%x" : "%s%.0x%x",
			i ? "," : "", g->named_processes ? (unsigned)hb_reverse_pid(g->r) : 0u, (unsigned)list[i]);
	hb__reply(g, "m%s", text);
}

static void current(hb_remote *g)
{
	unsigned pid = (unsigned)hb_reverse_pid(g->r);
	if (g->named_processes)
		hb__reply(g, "QCp%x.%x", pid, pid);
	else
		hb__reply(g, "QC%x", pid);
}

static void command(hb_remote *g, const char *hex)
{
	char line[256] = "";
	size_t n = strlen(hex) / 2;
	if (n < sizeof line && hb_hex_bytes(hex, line, n))
		hb__monitor(g, line);
	else
		hb__reply(g, "E01");
}

void hb__query(hb_remote *g, const char *packet)
{
	const char *rest;
	if ((rest = after(packet, "qSupported")))
		supported(g, rest);
	else if (after(packet, "QStartNoAckMode")) {
		g->no_acks = true;
		hb__reply(g, "OK");
	} else if ((rest = after(packet, "qXfer:features:read:target.xml:")))
		hb__reply_part(g, rest, hb__description(), strlen(hb__description()));
	else if ((rest = after(packet, "qXfer:auxv:read::")))
		auxiliary(g, rest);
	else if ((rest = after(packet, "qXfer:exec-file:read:")))
		program(g, rest);
	else if (after(packet, "qfThreadInfo"))
		threads(g);
	else if (after(packet, "qsThreadInfo"))
		hb__reply(g, "l");
	else if (!strcmp(packet, "qC"))
		current(g);
	else if (after(packet, "qAttached"))
		/* 0: started for gdb, which kills it when it leaves */
		hb__reply(g, "0");
	else if ((rest = after(packet, "qRcmd,")))
		command(g, rest);
}
