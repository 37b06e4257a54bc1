/* Recordings of processes that talk, written call by call as hbdb-recording(5) says: who did what at which time is in the test's hands. */
#ifndef TESTS_SOCKETS_NETWORK_H
#define TESTS_SOCKETS_NETWORK_H

#include <stdarg.h>

#include "calls/calls.h"
#include "unit/rawlog.h"

#define NET_ENDS 4096
#define NET_BEGAN 1000000000 /* ns: the beginning of time on every host */

/* The functions of the layer, in the order of its table. */
enum {
#define HB_SOCKET_FUNCTION(name, class, does) NET_##class##_##name,
#include "calls/sockets/sockets.def"
	NET_FUNCTIONS
};

struct net_process {
	struct raw_log log;
	uint64_t at[RAW_LANES]; /* when the last call of each lane was over */
	unsigned lanes, texts, slots;
	char *text[NET_ENDS];
	unsigned text_of[1 << 14]; /* by hash: 1 + number */
	uint16_t slot_of[1 << 14]; /* by lane, function and text: 1 + slot */
	uint32_t slot_key[1 << 14];
	uint64_t began;
};

static inline void net_define(struct raw_log *r)
{
	static const struct {
		const char *name;
		uint8_t cls;
	} functions[] = {
#define HB_SOCKET_FUNCTION(name, class, does) {#name, HB_##class},
#include "calls/sockets/sockets.def"
	};
	static const struct {
		const char *name[4];
		uint8_t type[4];
	} values[HB_CLASSES] = {
		[HB_STREAM] = {{"bytes", "asked"}, {0, 0}},
		[HB_DATAGRAM] = {{"bytes", "hash", "peer"}, {0, HB_TYPE_UNSIGNED, HB_TYPE_TEXT}},
		[HB_CONNECTION] = {{"result", "new", "second"}, {0, HB_TYPE_TEXT, HB_TYPE_TEXT}},
		[HB_READY] = {{"count", "descriptor", "events", "end"}, {0, 0, 0, HB_TYPE_TEXT}},
		[HB_FAMILY] = {{"pid", "status"}, {0, 0}},
	};
	for (unsigned i = 0; i < NET_FUNCTIONS; i++) {
		uint8_t b[256], *p = hb_put_uv(b, i), cls = functions[i].cls;
		bool ready = cls == HB_READY, family = cls == HB_FAMILY;
		*p++ = cls;
		p = hb_put_uv(raw_text(p, functions[i].name), !family);
		if (!family) {
			*p++ = ready ? HB_RECORDED_NUMBER : HB_RECORDED_TEXT;
			p = raw_text(p, ready ? "timeout" : "end");
		}
		raw_definition(r, RAW_LANES, HB_DEF_FUNCTION, b, (size_t)(p - b));
		bool pair = i == NET_CONNECTION_pipe || i == NET_CONNECTION_socketpair,
		     shut = i == NET_CONNECTION_shutdown;
		bool accept = i == NET_CONNECTION_accept || i == NET_CONNECTION_accept4;
		unsigned n = 0, most = cls != HB_CONNECTION ? 4 : pair ? 3 : accept || shut ? 2 : 1;
		while (n < most && values[cls].name[n])
			n++;
		p = hb_put_uv(hb_put_uv(b, i), n);
		for (unsigned k = 0; k < n; k++) {
			*p++ = shut ? HB_TYPE_INTEGER : values[cls].type[k];
			p = raw_text(p, shut && k ? "how" : pair && k == 1 ? "first" : values[cls].name[k]);
		}
		raw_definition(r, RAW_LANES, HB_DEF_VALUES, b, (size_t)(p - b));
	}
	uint8_t b[64], *p = hb_put_uv(hb_put_uv(raw_text(b, "sockets"), 0), NET_FUNCTIONS);
	raw_definition(r, RAW_LANES, HB_DEF_LAYER, b, (size_t)(p - b));
}

/* A process that began at a time (ns), of a host and a network namespace. */
static inline void net_begin(struct net_process *p, unsigned pid, const char *host, uint64_t network, uint64_t began)
{
	*p = (struct net_process){.began = began};
	raw_begin(&p->log, HB_LEVEL_EVENTS);
	struct hb_log_header *h = raw_header(&p->log);
	h->rank = 0;
	h->size = 1;
	h->pid = pid;
	h->tick_fs = 1000000; /* a tick is a nanosecond */
	h->origin_mono = NET_BEGAN + began;
	h->origin_real = UINT64_C(1700000000000000000) + began;
	h->library = 0;
	h->state = HB_STATE_LEFT;
	memset(h->host, 0, sizeof h->host);
	memset(h->version_text, 0, sizeof h->version_text);
	snprintf(h->host, sizeof h->host, "%s", host);
	snprintf(h->program, sizeof h->program, "/usr/bin/process%u", pid);
	net_define(&p->log);
	uint8_t b[64], *q = hb_put_uv(b, network);
	raw_definition(&p->log, RAW_LANES, HB_DEF_NETWORK, b, (size_t)(q - b));
	uint8_t w[256], *x = hb_put_uv(raw_text(w, ""), 0);
	x = hb_put_uv(hb_put_sv(raw_text(x, ""), -1), UINT64_C(1700000000000000000) + began);
	raw_definition(&p->log, RAW_LANES, HB_DEF_PROCESS, w, (size_t)(x - w));
	raw_lane(&p->log, 0, 1);
	p->lanes = 1;
}

/* The number of a text. */
static inline int64_t net_text(struct net_process *p, const char *s)
{
	unsigned h = 5381;
	for (const char *c = s; *c; c++)
		h = h * 33 + (uint8_t)*c;
	for (h &= (1 << 14) - 1; p->text_of[h]; h = (h + 1) & ((1 << 14) - 1))
		if (!strcmp(p->text[p->text_of[h] - 1], s))
			return p->text_of[h] - 1;
	if (p->texts == NET_ENDS)
		abort();
	uint8_t b[512], *q = raw_text(hb_put_uv(b, p->texts), s);
	raw_definition(&p->log, RAW_LANES, HB_DEF_TEXT, b, (size_t)(q - b));
	p->text[p->texts] = strdup(s);
	p->text_of[h] = ++p->texts;
	return p->texts - 1;
}

static inline unsigned net_slot(struct net_process *p, int lane, unsigned function, int64_t argument)
{
	uint32_t key = (uint32_t)(argument + 2) * 512 + function * 8 + (unsigned)lane + 1, h = key * 2654435761u >> 18;
	for (; p->slot_of[h]; h = (h + 1) & ((1 << 14) - 1))
		if (p->slot_key[h] == key)
			return p->slot_of[h] - 1u;
	bool family = function >= NET_FAMILY_fork;
	p->slot_key[h] = key;
	p->slot_of[h] = (uint16_t)++p->slots;
	raw_slot(&p->log, lane, p->slots - 1, function, 0, 0, !family, &argument);
	return p->slots - 1;
}

/* A call from one time to another (ns from the beginning of time), on an end; NULL: it has none. Calls that were made inside of it come before it. */
static inline uint32_t net_call(struct net_process *p, int lane, unsigned function, const char *end, uint64_t enter,
	uint64_t exit, int n, const int64_t *results)
{
	while (p->lanes <= (unsigned)lane) {
		raw_lane(&p->log, (int)p->lanes, p->lanes + 1);
		p->lanes++;
	}
	unsigned slot = net_slot(p, lane, function, end ? net_text(p, end) : -1);
	if (enter < p->began || exit < enter || exit < p->began + p->at[lane]) {
		fprintf(stderr, "a call ends before the one before it was over\n");
		abort();
	}
	raw_event(&p->log, lane, slot, enter - p->began - p->at[lane], exit - enter, 0, n, results);
	p->at[lane] = exit - p->began;
	return (uint32_t)p->log.lane[lane].events;
}

/* ---- calls in short: on lane 0 where none is given, `lasted` 10 ns ---- */

#define NET_LASTED 10

static inline uint32_t net_bytes(struct net_process *p, int lane, bool out, const char *end, uint64_t enter,
	uint64_t exit, int64_t bytes, int64_t asked)
{
	return net_call(p, lane, out ? NET_STREAM_write : NET_STREAM_read, end, enter, exit, asked > bytes ? 2 : 1,
		(int64_t[]){bytes, asked});
}
static inline uint32_t net_write(struct net_process *p, const char *end, uint64_t at, int64_t bytes)
{
	return net_bytes(p, 0, true, end, at, at + NET_LASTED, bytes, bytes);
}
static inline uint32_t net_read(struct net_process *p, const char *end, uint64_t at, int64_t bytes)
{
	return net_bytes(p, 0, false, end, at, at + NET_LASTED, bytes, bytes + 1);
}
static inline uint32_t net_connect(struct net_process *p, const char *end, uint64_t at)
{
	return net_call(p, 0, NET_CONNECTION_connect, end, at, at + NET_LASTED, 1, (int64_t[]){0});
}
static inline uint32_t net_accept(struct net_process *p, const char *listens, const char *made, uint64_t at)
{
	return net_call(
		p, 0, NET_CONNECTION_accept, listens, at, at + NET_LASTED, 2, (int64_t[]){0, net_text(p, made)});
}
static inline uint32_t net_simple(struct net_process *p, unsigned function, const char *end, uint64_t at)
{
	return net_call(p, 0, function, end, at, at + NET_LASTED, 1, (int64_t[]){0});
}
/* peer NULL: as the end says, or not known. */
static inline uint32_t net_datagram(struct net_process *p, int lane, bool out, const char *end, const char *peer,
	uint64_t enter, uint64_t exit, int64_t bytes, uint64_t hash)
{
	return net_call(p, lane, out ? NET_DATAGRAM_sendto : NET_DATAGRAM_recvfrom, end, enter, exit, 3,
		(int64_t[]){bytes, (int64_t)hash, peer ? net_text(p, peer) : -1});
}
static inline uint32_t net_sendto(struct net_process *p, const char *end, const char *peer, uint64_t at, uint64_t hash)
{
	return net_datagram(p, 0, true, end, peer, at, at + NET_LASTED, 8, hash);
}
static inline uint32_t net_recvfrom(
	struct net_process *p, const char *end, const char *peer, uint64_t at, uint64_t hash)
{
	return net_datagram(p, 0, false, end, peer, at, at + NET_LASTED, 8, hash);
}
static inline uint32_t net_family(struct net_process *p, unsigned function, uint64_t at, int64_t pid)
{
	return net_call(
		p, 0, function, NULL, at, at + NET_LASTED, function >= NET_FAMILY_wait ? 2 : 1, (int64_t[]){pid, 0});
}

/* Both ends of a stream are made. */
static inline uint32_t net_pair(struct net_process *p, const char *first, const char *second, uint64_t at)
{
	return net_call(p, 0, NET_CONNECTION_pipe, first, at, at + NET_LASTED, 3,
		(int64_t[]){0, net_text(p, first), net_text(p, second)});
}
/* It is told that n ends may be read; of 0 that its time is over. */
static inline uint32_t net_poll(
	struct net_process *p, uint64_t enter, uint64_t exit, unsigned n, const char *const *ends)
{
	int64_t told[1 + 3 * 8] = {n};
	for (unsigned i = 0; i < n && i < 8; i++) {
		told[1 + 3 * i] = 3 + i;
		told[2 + 3 * i] = 1;
		told[3 + 3 * i] = net_text(p, ends[i]);
	}
	return net_call(p, 0, NET_READY_poll, NULL, enter, exit, 1 + 3 * (int)n, told);
}

static inline void net_drop(struct net_process *p)
{
	raw_free(&p->log);
	for (unsigned i = 0; i < p->texts; i++)
		free(p->text[i]);
}

static inline void net_save(struct net_process *p, const char *path)
{
	raw_save(&p->log, path);
	net_drop(p);
}

#endif
