/* Captured packets: what the files of this folder share. */
#ifndef HBDB_FOREIGN_PACKETS_H
#define HBDB_FOREIGN_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "foreign/import.h"

static inline uint16_t hb__be16(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline uint32_t hb__be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* ---- file.c, blocks.c: packets of a file ---- */

struct hb__packet {
	uint64_t time;  /* nanoseconds since the epoch */
	uint64_t point; /* where it was captured: interface and, where it is told, way */
	uint32_t link;  /* LINKTYPE_ */
	const uint8_t *at;
	size_t have, length; /* bytes captured, bytes that it had */
};

struct hb__interface { /* of pcapng */
	uint32_t link, snap;
	uint8_t resolution; /* as option if_tsresol has it */
	int64_t offset;     /* seconds */
};

struct hb__capture {
	hb_import *import;
	const uint8_t *at, *end;
	bool big;  /* the file's numbers have the most significant byte first */
	bool next; /* pcapng */
	/* pcap */
	bool nanoseconds;
	uint32_t link;
	/* pcapng */
	struct hb__interface *interface; /* of the section */
	size_t interfaces, interfaces_cap;
	uint64_t points; /* interfaces of the sections before */
	uint64_t time;   /* of the last packet that had one */
};

/* Reads the head of the file. */
hb_status hb__capture_open(hb_import *import, struct hb__capture *ret, hb_error *err);
/* False: the end, or the cut, which the import has been told. */
bool hb__capture_next(struct hb__capture *capture, struct hb__packet *ret);
void hb__capture_close(struct hb__capture *capture);
uint32_t hb__capture_u32(const struct hb__capture *capture, const uint8_t *p);
uint16_t hb__capture_u16(const struct hb__capture *capture, const uint8_t *p);
/* blocks.c */
hb_status hb__blocks_open(struct hb__capture *capture, hb_error *err);
bool hb__blocks_next(struct hb__capture *capture, struct hb__packet *ret);

/* ---- link.c ---- */

enum { HB_LINK_COOKED = 113, HB_LINK_COOKED_2 = 276 }; /* links that tell the way of a packet: Linux, interface "any" */
enum hb__found { HB_FOUND, HB_FOUND_OTHER, HB_FOUND_SHORT, HB_FOUND_UNKNOWN };
/* Takes off what stands in front of IP. many: it went to more than one host. OTHER: it is not IP; SHORT: what was captured ends before
 * that can be said; UNKNOWN: the kind of link is not known. */
enum hb__found hb__link_open(struct hb__packet *packet, bool *ret_many);

/* ---- ip.c, fragments.c ---- */

typedef struct hb__address {
	uint8_t byte[16]; /* of version 4 as version 6 has it: ::ffff:0:0/96 */
} hb__address;

struct hb__ip {
	hb__address from, to;
	uint8_t protocol;
	bool many;       /* to more than one host */
	bool part, more; /* a fragment; not the last one */
	uint32_t id, offset;
	uint64_t point;
	const uint8_t *at; /* what IP carries */
	size_t have, length;
};
enum hb__found hb__ip_open(const struct hb__packet *packet, bool many, struct hb__ip *ret);

struct hb__fragments;
struct hb__fragments *hb__fragments_begin(void); /* NULL: out of memory */
void hb__fragments_free(struct hb__fragments *f);
/* A part. 1: all parts are there, and *ip is the whole packet, which is valid until the next call; 0: not yet; -1: out of memory. time: nanoseconds. */
int hb__fragments_add(struct hb__fragments *f, struct hb__ip *ip, uint64_t time);
/* Packets of which parts were missing. */
uint64_t hb__fragments_lost(const struct hb__fragments *f);

/* ---- hosts.c: addresses become processes ---- */

enum hb__event { /* the functions of each log, by number */
	HB_EVENT_SENDTO,
	HB_EVENT_RECVFROM,
	HB_EVENT_SEND,
	HB_EVENT_RECV,
	HB_EVENT_CONNECT,
	HB_EVENT_ACCEPT,
	HB_EVENT_SHUTDOWN,
	HB_EVENT_CLOSE,
	HB_EVENTS
};

typedef struct hb__endpoint {
	hb__address address;
	uint16_t port;
} hb__endpoint;

struct hb__host {
	hb_draft *draft;
	uint64_t exit; /* tick at which its last event was left */
};

struct hb__hosts;
/* NULL: out of memory. */
struct hb__hosts *hb__hosts_begin(hb_import *import);
void hb__hosts_free(struct hb__hosts *hosts);
/* Reads import->options.hosts. */
hb_status hb__hosts_rules(struct hb__hosts *hosts, hb_error *err);
/* The process of an endpoint, made when it is not there yet; HB_NO: out of memory. */
uint32_t hb__host_of(struct hb__hosts *hosts, hb__endpoint e);
/* Whether one of the processes has an address of the machine itself, and is on that of the recording. */
bool hb__hosts_here(const struct hb__hosts *hosts);
/* Nanoseconds since the epoch at tick 0. */
void hb__hosts_origin(struct hb__hosts *hosts, uint64_t origin);
/* "10.0.0.1:53", "[fe80::1]:53" */
#define HB_ENDPOINT_TEXT 64
void hb__endpoint_text(hb__endpoint e, char ret[static HB_ENDPOINT_TEXT]);
/* host HB_NO, here and in the next: a process that is recorded itself, and nothing is done. */
uint32_t hb__host_text(struct hb__hosts *hosts, uint32_t host, const char *text);
/* An event of a host at an end: entered at a tick, but not before the host's last event was left. */
void hb__host_event(struct hb__hosts *hosts, uint32_t host, enum hb__event event, uint32_t end, uint64_t enter,
	uint64_t exit, uint32_t n, const int64_t *result);

/* ---- flows.c ---- */

struct hb__range { /* bytes of a stream, counted from its beginning */
	uint64_t from, to;
};
struct hb__ranges {
	struct hb__range *at; /* in order, none touches another one */
	size_t n, cap;
};
#define HB_RANGES_MOST 1024 /* of a direction: with more, what is missing before the first is given up */
struct hb__side {           /* one direction of a connection, and who sends in it */
	bool known;         /* base is */
	bool seen;          /* a packet of it was captured */
	bool ended;         /* FIN was seen, at `end` */
	bool read;          /* ... and so was, by the other side, the end of the stream */
	uint32_t base;      /* sequence number of the stream's first byte */
	uint64_t sent, got, end;
	struct hb__ranges early; /* behind `got`, and not next to it */
};

struct hb__connection {
	struct hb__side side[2];
	int client;     /* which side connected; -1: not known */
	uint64_t asked; /* tick of the SYN */
	bool connected, accepted, closed;
};

struct hb__flow {
	hb__endpoint e[2];
	uint8_t protocol;
	bool many;                         /* UDP: e[1] is no host */
	uint32_t host[2], end[2], peer[2]; /* by side: process (HB_NO: recorded itself), and numbers of texts there */
	struct hb__connection *tcp;
	struct hb__flow *next, *before; /* in its bucket; all flows */
};

struct hb__flows;
/* known: the ends whose events are recorded already. */
struct hb__flows *hb__flows_begin(struct hb__hosts *hosts, const struct hb__known *known);
void hb__flows_free(struct hb__flows *flows);
/* The flow of these endpoints; *ret_side: which of the two `from` is. NULL: out of memory. */
struct hb__flow *hb__flow_of(
	struct hb__flows *flows, hb__endpoint from, hb__endpoint to, uint8_t protocol, bool many, int *ret_side);
/* How many flows have one side that is recorded, and how many have two. */
void hb__flows_count(const struct hb__flows *flows, uint64_t *ret_one, uint64_t *ret_both);
struct hb__flow *hb__flows_last(const struct hb__flows *flows); /* and `before` of each */

/* ---- udp.c, tcp.c: what is said at the end, and memory ---- */

struct hb__sightings;

struct hb__packets {
	hb_import *import;
	struct hb__hosts *hosts;
	struct hb__flows *flows;
	struct hb__fragments *fragments;
	struct hb__sightings *sightings;
	uint64_t tick; /* of the packet */
	bool several;  /* packets may be seen at several points */
	bool failed;   /* out of memory */
	uint64_t packets, back, other, shorts,
		strange; /* all; earlier than the one before; not UDP or TCP; cut before that can be said; of links not known */
	uint32_t strange_link;
	uint64_t datagrams, cut, many, again; /* of them: cut; to several hosts; seen at another point before */
	uint64_t connections, begun_before, unanswered, refused; /* TCP: all; open when the capture began; */
	uint64_t missing, undelivered,
		stray; /* bytes not captured; captured and not seen to arrive; segments outside of the window */
};

void hb__udp(struct hb__packets *p, const struct hb__ip *ip);
void hb__sightings_free(struct hb__sightings *s);
void hb__tcp(struct hb__packets *p, const struct hb__ip *ip);
/* The capture has ended. */
void hb__tcp_end(struct hb__packets *p);

#endif
