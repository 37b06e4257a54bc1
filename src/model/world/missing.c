/* What a recording does not have of other worlds, said in one place for all who tell it. */
#include <stdio.h>

#include "model/world/world.h"

#define PLURAL(n, one, many) ((n) == 1 ? (one) : (many))

typedef bool sentence(const hb_worlds *w, char text[HB_WORLDS_TEXT]);

static bool spawned(const hb_worlds *w, char text[HB_WORLDS_TEXT])
{
	const hb_untold *u = &w->untold[HB_BRIDGE_SPAWNED];
	if (w->orphans) /* which may be these */
		return false;
	snprintf(text, HB_WORLDS_TEXT,
		"%llu spawned %s not in this recording: hbdb's variables did not reach %s, or %s never called MPI_Init; messages with %s are not matched",
		(unsigned long long)u->processes, PLURAL(u->processes, "process is", "processes are"),
		PLURAL(u->processes, "it", "them"), PLURAL(u->processes, "it", "they"),
		PLURAL(u->processes, "it", "them"));
	return u->calls;
}

static bool orphans(const hb_worlds *w, char text[HB_WORLDS_TEXT])
{
	uint32_t calls = w->untold[HB_BRIDGE_SPAWNED].calls;
	snprintf(text, HB_WORLDS_TEXT,
		calls ? "of %u spawned %s and %u %s that spawned it is not known which belong together: messages between them are not matched"
		      : "who spawned the processes of %u %s is not in this recording: messages with them are not matched",
		w->orphans, PLURAL(w->orphans, "world", "worlds"), calls, PLURAL(calls, "call", "calls"));
	return w->orphans;
}

static bool met(const hb_worlds *w, char text[HB_WORLDS_TEXT], int kind, const char *function, const char *other)
{
	uint32_t calls = w->untold[kind].calls;
	snprintf(text, HB_WORLDS_TEXT,
		"it is not known whom %u %s of %s met, so messages with them are not matched: record %s with the same hbdb record",
		calls, PLURAL(calls, "call", "calls"), function, other);
	return calls;
}

static bool accepted(const hb_worlds *w, char text[HB_WORLDS_TEXT])
{
	return met(w, text, HB_BRIDGE_ACCEPTED, "MPI_Comm_accept", "the program that connects");
}
static bool connected(const hb_worlds *w, char text[HB_WORLDS_TEXT])
{
	return met(w, text, HB_BRIDGE_CONNECTED, "MPI_Comm_connect", "the program that accepts");
}
static bool joined(const hb_worlds *w, char text[HB_WORLDS_TEXT])
{
	return met(w, text, HB_BRIDGE_JOINED, "MPI_Comm_join", "the other program");
}

static bool by_time(const hb_worlds *w, char text[HB_WORLDS_TEXT])
{
	snprintf(text, HB_WORLDS_TEXT,
		"%u connections at ports and spawned worlds are told from each other by the times of their calls alone: messages may belong to another one of these",
		w->by_time);
	return w->by_time;
}

bool hb_worlds_missing(const hb_worlds *w, uint32_t index, char text[HB_WORLDS_TEXT])
{
	static sentence *const all[] = {spawned, orphans, accepted, connected, joined, by_time};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i](w, text) && !index--)
			return true;
	return false;
}
