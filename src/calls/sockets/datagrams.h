/* Where datagrams of a replay are left, and by what they are found there: the processes do it, and hbdb asks before whether anybody will.
 * Names of ends and addresses are those of the record. */
#ifndef HBDB_CALLS_SOCKETS_DATAGRAMS_H
#define HBDB_CALLS_SOCKETS_DATAGRAMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HB_DATAGRAM_PLACE 420

/* "udp OWN > PEER" in its parts, of at most `room` bytes each; PEER is empty where there is none. */
static inline void hb_end_parts(const char *end, char *own, char *peer, size_t room)
{
	const char *at = strchr(end, ' '), *to = at ? strstr(at, " > ") : NULL;
	snprintf(own, room, "%.*s", at ? (int)(to ? to - at - 1 : (long)strlen(at + 1)) : 0, at ? at + 1 : "");
	snprintf(peer, room, "%s", to ? to + 3 : "");
}

static inline const char *hb_datagram_port(const char *address)
{
	return *address == '/' || *address == '@' ? NULL : strrchr(address, ':');
}

/* Where those are left that go to an address: its protocol and port, or its path, for a receiver may have any address of its machine. */
static inline void hb_datagram_place(const char *end, const char *address, char place[HB_DATAGRAM_PLACE])
{
	const char *port = hb_datagram_port(address);
	snprintf(place, HB_DATAGRAM_PLACE, "datagrams %.*s %.380s", (int)strcspn(end, " "), end, port ? port : address);
}

static inline uint64_t hb_datagram_key(const char *from, uint64_t hash, uint64_t bytes)
{
	const char *port = hb_datagram_port(from);
	uint64_t h = 1469598103934665603u ^ hash;
	for (const char *p = port ? port : from; *p && *p != ' '; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3u;
	return (h ^ bytes * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
}

#endif
