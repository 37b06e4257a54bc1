/* Datagrams: who received whose, and what could have come otherwise. */
#include "world.h"

static struct world w;

static int message(int p, uint32_t a, int q, uint32_t b)
{
	return world_message(&w, world_at(&w, p, 0, a), world_at(&w, q, 0, b), NULL);
}

#define TO "127.0.0.1:53"
#define OWN "udp 0.0.0.0:53"

/* Overtaking, loss and doubling of datagrams with contents of their own. The first is sent before the socket has an address. */
static void different(void)
{
	world_begin(&w, 2);
	uint32_t put[4], got[5];
	put[0] = net_sendto(&w.p[0], "udp -", TO, 100, 11);
	for (unsigned i = 1; i < 4; i++)
		put[i] = net_sendto(&w.p[0], "udp 0.0.0.0:40000", TO, 100 * (i + 1), 11 + i);
	static const uint64_t order[5] = {2, 0, 0, 1, 2};
	for (unsigned i = 0; i < 5; i++)
		got[i] = net_recvfrom(&w.p[1], OWN, "127.0.0.1:40000", 1000 + 100 * i, 11 + order[i]);
	check(world_build(&w), "different datagrams: the model is built");
	bool good = true;
	for (unsigned i = 0; i < 5; i++)
		good = good && message(0, put[order[i]], 1, got[i]) == SURE;
	check(good && world_matched(&w) == 5, "overtaken and doubled ones are matched");
	const hb_model_info *info = hb_model_get_info(w.m);
	check(info->sends == 6 && !info->outside && !info->troubles && !info->open,
		"one that was lost is a send, and no trouble");
	world_end(&w);
}

static void equal(void)
{
	world_begin(&w, 2);
	uint32_t a = net_sendto(&w.p[0], "udp 127.0.0.1:40000", TO, 100, 7),
		 x = net_recvfrom(&w.p[1], OWN, "127.0.0.1:40000", 200, 7);
	uint32_t b = net_sendto(&w.p[0], "udp 127.0.0.1:40000", TO, 100000, 7),
		 y = net_recvfrom(&w.p[1], OWN, "127.0.0.1:40000", 200000, 7);
	/* of Unix sockets they are in order */
	uint32_t c[2], z[2];
	for (unsigned i = 0; i < 2; i++)
		c[i] = net_sendto(&w.p[0], "unixgram 5", "/tmp/log", 300000 + 100 * i, 9);
	for (unsigned i = 0; i < 2; i++)
		z[i] = net_recvfrom(&w.p[1], "unixgram /tmp/log", NULL, 400000 + 100 * i, 9);
	check(world_build(&w), "equal datagrams: the model is built");
	check(message(0, a, 1, x) == SURE, "the first that was received can be no other");
	check(message(0, b, 1, y) == DOUBTED, "the second may be the first again, and is ambiguous");
	check(message(0, c[0], 1, z[0]) == SURE && message(0, c[1], 1, z[1]) == SURE, "Unix sockets keep the order");
	world_end(&w);
}

/* A datagram that was sent after the receive was over is not it. */
static void too_late(void)
{
	world_begin(&w, 2);
	net_recvfrom(&w.p[1], OWN, "127.0.0.1:40000", 100, 7);
	net_sendto(&w.p[0], "udp 127.0.0.1:40000", TO, 900000, 7);
	check(world_build(&w), "sent too late: the model is built");
	check(!world_matched(&w) && world_trouble(&w, "1 datagrams came from sockets of recorded processes"),
		"it is not matched, and it is said");
	world_end(&w);
}

static void several_receivers(void)
{
	static const char *const ends[3] = {"udp [::]:6696", "udp [::]:6696", "udp [::]:6696"};
	uint32_t got[3];
	world_begin(&w, 4);
	for (int i = 1; i < 4; i++) {
		char host[16];
		snprintf(host, sizeof host, "host%d", i);
		net_drop(&w.p[i]);
		net_begin(&w.p[i], 100u + (unsigned)i, host, 1, 0);
	}
	uint32_t put = net_sendto(&w.p[0], "udp [::]:6696", "[ff02::1:6]:6696", 100, 5);
	for (int i = 0; i < 3; i++)
		got[i] = net_recvfrom(&w.p[i + 1], ends[i], i ? "[fe80::1%2]:6696" : "[fe80::1%3]:6696", 100, 5);
	check(world_build(&w), "multicast: the model is built");
	check(message(0, put, 1, got[0]) == SURE && message(0, put, 2, got[1]) == SURE &&
			message(0, put, 3, got[2]) == SURE && world_matched(&w) == 3,
		"one send, three receivers");
	world_end(&w);
}

static void cut(void)
{
	world_begin(&w, 2);
	uint32_t a = net_datagram(&w.p[0], 0, true, "udp 127.0.0.1:40000", TO, 100, 110, 500, 1);
	uint32_t b = net_datagram(&w.p[0], 0, true, "udp 127.0.0.1:40000", TO, 200, 210, 50, 2);
	uint32_t x = net_datagram(&w.p[1], 0, false, OWN, "127.0.0.1:40000", 50000, 50010, 50, 2);
	uint32_t y = net_datagram(&w.p[1], 0, false, OWN, "127.0.0.1:40000", 60000, 60010, 100, 0);
	check(world_build(&w), "cut: the model is built");
	check(message(0, b, 1, x) == SURE && message(0, a, 1, y) == SURE, "the only one that was longer");
	world_end(&w);
}

static void outside(void)
{
	world_begin(&w, 1);
	net_sendto(&w.p[0], "udp 10.0.0.1:40000", "192.0.2.9:53", 100, 1);
	net_recvfrom(&w.p[0], "udp 10.0.0.1:40000", "192.0.2.9:53", 200, 2);
	check(world_build(&w), "datagrams to and from outside: the model is built");
	const hb_outside *o = hb_model_outside(w.m);
	check(hb_model_get_info(w.m)->outside == 1 && !strcmp(o->name, "udp 192.0.2.9:53") && o->sent == 1 &&
			o->received == 1 && !hb_model_get_info(w.m)->sends && !hb_model_get_info(w.m)->troubles,
		"they are counted");
	world_end(&w);
}

/* Several in one call. */
static void several_in_one(void)
{
	world_begin(&w, 2);
	int64_t text = net_text(&w.p[0], TO), from = net_text(&w.p[1], "127.0.0.1:40000");
	uint32_t put = net_call(&w.p[0], 0, NET_DATAGRAM_sendmmsg, "udp 127.0.0.1:40000", 100, 110, 6,
		(int64_t[]){4, 1, text, 5, 2, text});
	uint32_t one = net_call(&w.p[1], 0, NET_DATAGRAM_recvmmsg, OWN, 200, 210, 3, (int64_t[]){5, 2, from});
	uint32_t two = net_call(&w.p[1], 0, NET_DATAGRAM_recvmmsg, OWN, 300, 310, 3, (int64_t[]){4, 1, from});
	check(world_build(&w), "several in one call: the model is built");
	check(message(0, put, 1, one) == SURE && message(0, put, 1, two) == SURE && world_matched(&w) == 2,
		"each for itself");
	world_end(&w);
}

/* Two machines with the same port and the same contents; the first is doubled late. And two threads at once, with contents of their own. */
static void same_port(void)
{
	static const char *const own[2] = {"udp 10.0.0.1:5353", "udp 10.0.0.2:5353"};
	static const char *const address[2] = {"10.0.0.1:5353", "10.0.0.2:5353"};
	static const int from[5] = {0, 1, 1, 1, 0};
	uint32_t put[4], got[5], two[2], both[2];
	world_begin(&w, 3);
	for (unsigned i = 0; i < 4; i++)
		put[i] = net_sendto(&w.p[from[i]], own[from[i]], "10.0.0.3:53", 100000 * (i + 1), 7);
	for (unsigned i = 0; i < 5; i++)
		got[i] = net_recvfrom(&w.p[2], "udp 10.0.0.3:53", address[from[i]], 600000 + 100000 * i, 7);
	for (int i = 0; i < 2; i++)
		two[i] = net_datagram(&w.p[0], i, true, own[0], "10.0.0.3:53", 2000000, 2100000, 8, 100 + (unsigned)i);
	for (unsigned i = 0; i < 2; i++)
		both[i] = net_recvfrom(&w.p[2], "udp 10.0.0.3:53", address[0], 3000000 + 100 * i, 100 + i);
	check(world_build(&w), "the same port of two machines: the model is built");
	check(message(0, put[0], 2, got[0]) == SURE && message(0, put[0], 2, got[4]) == SURE,
		"the address tells them apart");
	check(message(1, put[1], 2, got[1]) == DOUBTED && message(1, put[3], 2, got[3]) == DOUBTED &&
			world_matched(&w) == 7,
		"equal ones of one machine are ambiguous");
	check(message(0, two[0], 2, both[0]) == SURE &&
			world_message(&w, world_at(&w, 0, 1, two[1]), world_at(&w, 2, 0, both[1]), NULL) == SURE,
		"what two threads send at once is sure where the contents differ");
	world_end(&w);
}

struct counted {
	uint32_t races, alternatives;
};

static bool count(void *user, const hb_race *race)
{
	struct counted *c = user;
	c->races++;
	c->alternatives += race->nalternatives;
	return true;
}

static void races(void)
{
	struct counted c = {0};
	hb_race_sum sum = {0};
	hb_error err;
	world_begin(&w, 3);
	struct net_process *s = &w.p[0], *a = &w.p[1], *b = &w.p[2];
	net_sendto(a, "udp 127.0.0.1:41000", TO, 100, 1);
	net_sendto(b, "udp 127.0.0.1:42000", TO, 200, 2);
	net_recvfrom(s, OWN, "127.0.0.1:41000", 50000, 1); /* may have been the other */
	net_recvfrom(s, OWN, "127.0.0.1:42000", 60000, 2); /* nothing else was there */
	/* an answer, and what was sent because of it */
	net_sendto(s, OWN, "127.0.0.1:41000", 70000, 3);
	net_datagram(a, 0, false, "udp 127.0.0.1:41000 > " TO, NULL, 100000, 100010, 8, 3); /* not a wildcard */
	net_sendto(a, "udp 127.0.0.1:41000", TO, 200000, 4);
	net_recvfrom(s, OWN, "127.0.0.1:41000", 300000, 4);
	/* connections of two */
	net_simple(s, NET_CONNECTION_listen, "tcp 127.0.0.1:80", 400000);
	net_connect(a, "tcp 127.0.0.1:5001 > 127.0.0.1:80", 500000);
	net_connect(b, "tcp 127.0.0.1:5002 > 127.0.0.1:80", 500000);
	net_accept(s, "tcp 127.0.0.1:80", "tcp 127.0.0.1:80 > 127.0.0.1:5001", 600000);
	net_accept(s, "tcp 127.0.0.1:80", "tcp 127.0.0.1:80 > 127.0.0.1:5002", 700000);
	/* a pipe of two */
	net_write(a, "pipe 3", 800000, 4);
	net_write(b, "pipe 3", 900000, 4);
	net_read(s, "pipe 3", 1000000, 4);
	net_read(s, "pipe 3", 1100000, 4);
	check(world_build(&w), "races: the model is built");
	hb_races(w.m, 0, count, &c, &sum, NULL, NULL, &err);
	check(c.races == 3 && c.alternatives == 3,
		"a datagram, a connection and a chunk of a pipe of two (%u races, %u alternatives)", c.races,
		c.alternatives);
	check(sum.wildcards == 7, "receives of sockets without a peer are wildcards (%llu)",
		(unsigned long long)sum.wildcards);
	world_end(&w);
}

int main(void)
{
	different();
	equal();
	too_late();
	several_receivers();
	cut();
	outside();
	several_in_one();
	same_port();
	races();
	check_clean();
	return check_end();
}
