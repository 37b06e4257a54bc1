/* The way of a packet: from the file through its headers to an event. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "foreign/packets/packets.h"

enum { TCP = 6, UDP = 17 };
#define STEP 65536         /* packets between two calls of the progress */
#define APART 60000000000u /* nanoseconds: clocks of two machines that are wrong by more are not compared */
#define BEFORE 1000        /* nanoseconds from tick 0 to the first packet */

static void transport(struct hb__packets *p, const struct hb__ip *ip)
{
	if (ip->protocol == UDP)
		hb__udp(p, ip);
	else if (ip->protocol == TCP)
		hb__tcp(p, ip);
	else
		p->other++;
}

static void took(struct hb__packets *p, struct hb__packet *packet)
{
	bool many;
	struct hb__ip ip;
	enum hb__found found = hb__link_open(packet, &many);
	if (found == HB_FOUND)
		found = hb__ip_open(packet, many, &ip);
	p->other += found == HB_FOUND_OTHER;
	p->shorts += found == HB_FOUND_SHORT;
	p->strange += found == HB_FOUND_UNKNOWN;
	if (found == HB_FOUND_UNKNOWN)
		p->strange_link = packet->link;
	if (found != HB_FOUND)
		return;
	int whole = ip.part ? hb__fragments_add(p->fragments, &ip, packet->time) : 1;
	if (whole > 0)
		transport(p, &ip);
	p->failed |= whole < 0;
}

/* Packets come in the order of the file: each takes two ticks, so that what it sent and what it brought have times of their own. */
static void stamp(struct hb__packets *p, uint64_t time)
{
	hb_import *m = p->import;
	time += (uint64_t)m->options.shift;
	if (!p->packets) {
		m->first = m->last = time;
		hb__hosts_origin(p->hosts, time < BEFORE ? 0 : time - BEFORE);
	}
	p->back += time < m->last;
	m->last = time > m->last ? time : m->last;
	uint64_t origin = m->first < BEFORE ? 0 : m->first - BEFORE;
	uint64_t tick = time > origin ? time - origin : 0;
	p->tick = tick > p->tick + 2 ? tick : p->tick + 2;
	p->packets++;
}

/* ---- what is said at the end ---- */

#define N(n, one, many) (unsigned long long)(n), (n) == 1 ? (one) : (many)

static void note_left_out(struct hb__packets *p)
{
	hb_import *m = p->import;
	uint64_t lost = hb__fragments_lost(p->fragments);
	if (p->strange)
		hb__import_note(m, "%llu %s left out: the kind of link %u is not known",
			N(p->strange, "packet was", "packets were"), p->strange_link);
	if (p->other)
		hb__import_note(m, "%llu %s left out: neither UDP nor TCP", N(p->other, "packet was", "packets were"));
	if (p->shorts)
		hb__import_note(m, "%llu %s left out: captured too short for the ports to be there",
			N(p->shorts, "packet was", "packets were"));
	if (lost)
		hb__import_note(m, "%llu %s left out: not all parts were captured",
			N(lost, "packet that came in parts was", "packets that came in parts were"));
	if (p->cut)
		hb__import_note(m, "%llu %s captured in part: the hash is not known",
			N(p->cut, "datagram was", "datagrams were"));
	if (p->again)
		hb__import_note(m, "%llu %s left out: seen at another point of the capture, too",
			N(p->again, "datagram was", "datagrams were"));
	if (p->many)
		hb__import_note(m, "%llu %s sent to a group or to all: a capture does not tell who received",
			N(p->many, "datagram was", "datagrams were"));
	if (p->back)
		hb__import_note(m, "%llu %s an earlier time than the packet in front: the order of the file holds",
			N(p->back, "packet has", "packets have"));
}

static void note_connections(struct hb__packets *p)
{
	hb_import *m = p->import;
	if (p->begun_before)
		hb__import_note(m, "%llu %s open already when the capture began",
			N(p->begun_before, "connection was", "connections were"));
	if (p->unanswered)
		hb__import_note(
			m, "%llu %s tried and not answered", N(p->unanswered, "connection was", "connections were"));
	if (p->missing)
		hb__import_note(
			m, "%llu %s of streams received and not captured", N(p->missing, "byte was", "bytes were"));
	if (p->undelivered)
		hb__import_note(m, "%llu %s of streams captured, and it is not known that all in front of them came",
			N(p->undelivered, "byte was", "bytes were"));
	if (p->stray)
		hb__import_note(m, "%llu %s left out: outside of what their connection can have under way",
			N(p->stray, "segment was", "segments were"));
}

static const char *time_text(uint64_t ns, char ret[static 32])
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm utc;
	size_t n = strftime(ret, 32, "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &utc));
	snprintf(ret + n, 32 - n, ".%03u", (unsigned)(ns / 1000000 % 1000));
	return ret;
}

/* Whether it can be merged with the recording. */
static hb_status fits(struct hb__packets *p, hb_error *err)
{
	hb_import *m = p->import;
	const struct hb__known *k = &m->known;
	char t[4][32];
	uint64_t one, both;
	if (!k->network)
		return HB_OK;
	hb__flows_count(p->flows, &one, &both);
	if (m->last + APART < k->begun || m->first > k->ended + APART)
		return hb__import_fail(err, HB_E_ARGUMENT, m->path, 0,
			"the capture is of %s to %s UTC, the recording of %s to %s: they are not of the same time, or the "
			"clocks of their machines differ by more than a minute",
			time_text(m->first, t[0]), time_text(m->last, t[1]), time_text(k->begun, t[2]),
			time_text(k->ended, t[3]));
	if (!one)
		return hb__import_fail(err, HB_E_ARGUMENT, m->path, 0,
			both ? "all packets of the capture are between processes of the recording, which has them "
			       "already: there is nothing to merge"
			     : "no packet of the capture is from or to an end of a process of the recording: it was "
			       "made elsewhere, or addresses were changed on the way (NAT)");
	if (k->several && hb__hosts_here(p->hosts))
		return hb__import_fail(err, HB_E_ARGUMENT, m->path, 0,
			"the recording is of several hosts or network namespaces, and the capture has addresses like "
			"127.0.0.1: it is not known of which of them these are");
	hb__import_note(m, "%llu %s between a recorded process and another one",
		N(one, "connection or exchange of datagrams was", "connections or exchanges of datagrams were"));
	if (both)
		hb__import_note(m, "%llu %s left out: both sides are recorded",
			N(both, "connection or exchange of datagrams was",
				"connections or exchanges of datagrams were"));
	return HB_OK;
}

static hb_status finish(struct hb__packets *p, hb_error *err)
{
	hb_import *m = p->import;
	if (!p->failed)
		hb__tcp_end(p);
	if (p->failed)
		return hb__import_no_memory(m, err);
	hb_status status = p->packets > p->strange ? fits(p, err) : HB_OK;
	if (status)
		return status;
	note_left_out(p);
	note_connections(p);
	if (p->strange && p->strange == p->packets)
		return hb__import_fail(err, HB_E_VERSION, m->path, 0, "the kind of link of %s, %u, is not known",
			m->path, p->strange_link);
	if (m->drafts)
		return HB_OK;
	return hb__import_fail(err, HB_E_DAMAGED, m->path, 0, "%s has no packet of UDP or TCP%s%s", m->path,
		m->cut[0] ? ": " : "", m->cut);
}

static hb_status all(struct hb__packets *p, struct hb__capture *capture, hb_error *err)
{
	struct hb__packet packet;
	hb_import *m = p->import;
	hb_status status = hb__hosts_rules(p->hosts, err);
	if (status)
		return status;
	while (!p->failed && hb__capture_next(capture, &packet)) {
		stamp(p, packet.time);
		p->several |=
			capture->interfaces > 1 || packet.link == HB_LINK_COOKED || packet.link == HB_LINK_COOKED_2;
		took(p, &packet);
		if (m->options.progress && p->packets % STEP == 0)
			m->options.progress(m->options.user, (double)(capture->at - m->bytes) / (double)m->size);
	}
	return finish(p, err);
}

hb_status hb__import_packets(hb_import *m, hb_error *err)
{
	struct hb__capture capture;
	struct hb__packets p = {.import = m};
	hb_status status = hb__capture_open(m, &capture, err);
	if (status)
		return status;
	p.hosts = hb__hosts_begin(m);
	p.flows = p.hosts ? hb__flows_begin(p.hosts, &m->known) : NULL;
	p.fragments = hb__fragments_begin();
	status = p.flows && p.fragments ? all(&p, &capture, err) : hb__import_no_memory(m, err);
	hb__sightings_free(p.sightings);
	hb__fragments_free(p.fragments);
	hb__flows_free(p.flows);
	hb__hosts_free(p.hosts);
	hb__capture_close(&capture);
	return status;
}
