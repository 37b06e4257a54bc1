/* Addresses become processes, and what they did events in their logs. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"
#include "calls/calls.h"
#include "foreign/packets/packets.h"
#include "format/row.h"

#define NAME_LENGTH 19 /* of the name of a process, as hbdb-recording(5), WORLDS, cuts it */
#define ANY_PORT UINT32_MAX

struct rule { /* of --host */
	hb__address address;
	uint32_t port; /* ANY_PORT: all */
	uint32_t name;
};

struct name { /* of a rule; its process is made when the first packet of it comes */
	char *text;
	uint32_t host;
};

struct place { /* a cell of the table of addresses */
	hb__address address;
	uint32_t host; /* 1 + number; 0: free */
};

struct hb__hosts {
	hb_import *import;
	uint64_t origin;
	bool here;             /* a process is on the host of the recording */
	struct hb__host *host; /* by process */
	size_t hosts, hosts_cap;
	struct place *place; /* by address, with open addressing */
	size_t places, places_cap;
	struct rule *rule;
	size_t rules, rules_cap;
	struct name *name;
	size_t names, names_cap;
};

struct hb__hosts *hb__hosts_begin(hb_import *import)
{
	struct hb__hosts *h = calloc(1, sizeof *h);
	if (h)
		h->import = import;
	return h;
}

void hb__hosts_free(struct hb__hosts *h)
{
	for (size_t i = 0; h && i < h->names; i++)
		free(h->name[i].text);
	if (h) {
		free(h->host);
		free(h->place);
		free(h->rule);
		free(h->name);
	}
	free(h);
}

bool hb__hosts_here(const struct hb__hosts *h) { return h->here; }

void hb__hosts_origin(struct hb__hosts *h, uint64_t origin) { h->origin = origin; }

/* ---- the rules ---- */

static bool is_4(hb__address a)
{
	static const uint8_t begin[12] = {[10] = 0xff, [11] = 0xff};
	return !memcmp(a.byte, begin, sizeof begin);
}

static bool read_address(const char *text, size_t n, hb__address *ret)
{
	char copy[INET6_ADDRSTRLEN];
	if (n >= sizeof copy)
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	*ret = (hb__address){.byte = {[10] = 0xff, [11] = 0xff}};
	return inet_pton(AF_INET, copy, ret->byte + 12) == 1 || inet_pton(AF_INET6, copy, ret->byte) == 1;
}

static bool read_port(const char *text, const char *end, uint32_t *ret)
{
	char *stop;
	unsigned long port = strtoul(text, &stop, 10);
	*ret = (uint32_t)port;
	return *text >= '0' && *text <= '9' && stop == end && port <= 65535;
}

/* "10.0.0.1", "10.0.0.1:53", "fe80::1", "[fe80::1]:53" */
static bool read_rule(const char *text, const char *end, struct rule *ret)
{
	const char *colon = memchr(text, ':', (size_t)(end - text));
	ret->port = ANY_PORT;
	if (*text == '[') {
		const char *close = memchr(text, ']', (size_t)(end - text));
		if (!close || !read_address(text + 1, (size_t)(close - text - 1), &ret->address))
			return false;
		return close + 1 == end || (close[1] == ':' && read_port(close + 2, end, &ret->port));
	}
	if (colon && !memchr(colon + 1, ':', (size_t)(end - colon - 1)))
		return read_address(text, (size_t)(colon - text), &ret->address) &&
		       read_port(colon + 1, end, &ret->port);
	return read_address(text, (size_t)(end - text), &ret->address);
}

static bool add_name(struct hb__hosts *h, const char *text, size_t n)
{
	char *copy = strndup(text, n);
	if (!copy || !HB_GROW(h->name, h->names_cap, h->names + 1)) {
		free(copy);
		return false;
	}
	h->name[h->names++] = (struct name){copy, HB_NO};
	return true;
}

hb_status hb__hosts_rules(struct hb__hosts *h, hb_error *err)
{
	const char *p = h->import->options.hosts;
	while (p && *p) {
		const char *end = p + strcspn(p, ","), *equal = memchr(p, '=', (size_t)(end - p));
		struct rule rule;
		if (equal && (equal == p || memchr(p, '/', (size_t)(equal - p))))
			return hb__import_fail(err, HB_E_ARGUMENT, NULL, 0,
				"'%.*s' has no name that a process can have", (int)(end - p), p);
		if (equal && !add_name(h, p, (size_t)(equal - p)))
			return hb__import_no_memory(h->import, err);
		const char *address = equal ? equal + 1 : p;
		if (!h->names || address == end || !read_rule(address, end, &rule))
			return hb__import_fail(err, HB_E_ARGUMENT, NULL, 0,
				"'%.*s' is no NAME=ADDRESS or NAME=ADDRESS:PORT", (int)(end - p), p);
		rule.name = (uint32_t)h->names - 1;
		if (!HB_GROW(h->rule, h->rules_cap, h->rules + 1))
			return hb__import_no_memory(h->import, err);
		h->rule[h->rules++] = rule;
		p = *end ? end + 1 : end;
	}
	return HB_OK;
}

/* ---- processes ---- */

static void address_text(hb__address a, char ret[static INET6_ADDRSTRLEN])
{
	if (is_4(a))
		inet_ntop(AF_INET, a.byte + 12, ret, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, a.byte, ret, INET6_ADDRSTRLEN);
}

void hb__endpoint_text(hb__endpoint e, char ret[static HB_ENDPOINT_TEXT])
{
	char text[INET6_ADDRSTRLEN];
	address_text(e.address, text);
	snprintf(ret, HB_ENDPOINT_TEXT, is_4(e.address) ? "%s:%u" : "[%s]:%u", text, e.port);
}

/* "ip-10.0.0.1". Of a long address the name has its end, and the path all of it. */
static void program_of(hb__address a, char *ret, size_t n)
{
	char text[INET6_ADDRSTRLEN];
	address_text(a, text);
	size_t most = NAME_LENGTH - strlen("ip-"), length = strlen(text);
	if (length <= most)
		snprintf(ret, n, "ip-%s", text);
	else
		snprintf(ret, n, "%s/ip-%s", text, text + length - most);
}

static const hb_draft_field end_argument[] = {{HB_RECORDED_TEXT, "end"}};
static const hb_draft_field of_stream[] = {{HB_TYPE_INTEGER, "bytes"}, {HB_TYPE_INTEGER, "asked"}};
static const hb_draft_field of_datagram[] = {
	{HB_TYPE_INTEGER, "bytes"}, {HB_TYPE_UNSIGNED, "hash"}, {HB_TYPE_TEXT, "peer"}};
static const hb_draft_field of_connect[] = {{HB_TYPE_INTEGER, "result"}};
static const hb_draft_field of_accept[] = {{HB_TYPE_INTEGER, "result"}, {HB_TYPE_TEXT, "new"}};
static const hb_draft_field of_shutdown[] = {{HB_TYPE_INTEGER, "result"}, {HB_TYPE_INTEGER, "how"}};

#define VALUES(of) sizeof(of) / sizeof *(of), end_argument, of
static const hb_draft_function functions[HB_EVENTS] = {
	[HB_EVENT_SENDTO] = {HB_DATAGRAM, "sendto", 1, VALUES(of_datagram)},
	[HB_EVENT_RECVFROM] = {HB_DATAGRAM, "recvfrom", 1, VALUES(of_datagram)},
	[HB_EVENT_SEND] = {HB_STREAM, "send", 1, VALUES(of_stream)},
	[HB_EVENT_RECV] = {HB_STREAM, "recv", 1, VALUES(of_stream)},
	[HB_EVENT_CONNECT] = {HB_CONNECTION, "connect", 1, VALUES(of_connect)},
	[HB_EVENT_ACCEPT] = {HB_CONNECTION, "accept", 1, VALUES(of_accept)},
	[HB_EVENT_SHUTDOWN] = {HB_CONNECTION, "shutdown", 1, VALUES(of_shutdown)},
	[HB_EVENT_CLOSE] = {HB_CONNECTION, "close", 1, VALUES(of_connect)},
};

/* 127.0.0.0/8, ::1 */
static bool is_loopback(hb__address a)
{
	static const uint8_t one[16] = {[15] = 1};
	return is_4(a) ? a.byte[12] == 127 : !memcmp(a.byte, one, sizeof one);
}

/* Of an address of the machine itself, and merged with a recording, it is where that was made. */
static uint32_t host_new(struct hb__hosts *h, const char *program, hb__address a)
{
	if (!HB_GROW(h->host, h->hosts_cap, h->hosts + 1))
		return HB_NO;
	bool here = h->import->known.network && is_loopback(a);
	h->here |= here;
	hb_draft *draft = hb__import_process(h->import, program, h->origin, here);
	if (!draft)
		return HB_NO;
	hb_draft_layer(draft, "sockets");
	hb_draft_network(draft, here ? h->import->known.network : 0);
	for (int i = 0; i < HB_EVENTS; i++)
		hb_draft_define(draft, &functions[i]);
	hb_draft_lane(draft);
	h->host[h->hosts] = (struct hb__host){.draft = draft};
	return (uint32_t)h->hosts++;
}

static struct place *place_of(const struct hb__hosts *h, hb__address a)
{
	size_t mask = h->places_cap - 1, i = XXH3_64bits(&a, sizeof a) & mask;
	while (h->place[i].host && memcmp(&h->place[i].address, &a, sizeof a))
		i = (i + 1) & mask;
	return &h->place[i];
}

static bool more_places(struct hb__hosts *h)
{
	struct place *old = h->place;
	size_t places = h->places_cap, cap = places ? 2 * places : 64;
	struct place *place = calloc(cap, sizeof *place);
	if (!place)
		return false;
	h->place = place;
	h->places_cap = cap;
	for (size_t i = 0; i < places; i++)
		if (old[i].host)
			*place_of(h, old[i].address) = old[i];
	free(old);
	return true;
}

/* The rule with a port goes before that of the whole address. NULL: there is none. */
static struct name *named(struct hb__hosts *h, hb__endpoint e)
{
	struct name *found = NULL;
	for (size_t i = 0; i < h->rules; i++) {
		const struct rule *r = &h->rule[i];
		if (memcmp(&r->address, &e.address, sizeof e.address))
			continue;
		if (r->port == e.port)
			return &h->name[r->name];
		if (r->port == ANY_PORT && !found)
			found = &h->name[r->name];
	}
	return found;
}

uint32_t hb__host_of(struct hb__hosts *h, hb__endpoint e)
{
	struct name *name = named(h, e);
	if (name) {
		if (name->host == HB_NO)
			name->host = host_new(h, name->text, e.address);
		return name->host;
	}
	if (2 * h->places >= h->places_cap && !more_places(h))
		return HB_NO;
	struct place *place = place_of(h, e.address);
	if (!place->host) {
		char program[128];
		program_of(e.address, program, sizeof program);
		uint32_t host = host_new(h, program, e.address);
		if (host == HB_NO)
			return HB_NO;
		*place = (struct place){e.address, host + 1};
		h->places++;
	}
	return place->host - 1;
}

/* ---- events ---- */

uint32_t hb__host_text(struct hb__hosts *h, uint32_t host, const char *text)
{
	return host == HB_NO ? HB_NO : hb_draft_text(h->host[host].draft, text);
}

void hb__host_event(struct hb__hosts *h, uint32_t number, enum hb__event event, uint32_t end, uint64_t enter,
	uint64_t exit, uint32_t n, const int64_t *result)
{
	if (number == HB_NO)
		return;
	struct hb__host *host = &h->host[number];
	int64_t argument = end;
	enter = enter > host->exit ? enter : host->exit;
	exit = exit > enter ? exit : enter;
	hb_row row = {.function = event,
		.nargs = 1,
		.arg = &argument,
		.enter = enter,
		.exit = exit,
		.nresults = n,
		.results = result};
	hb_draft_row(host->draft, 0, &row);
	host->exit = exit;
}
