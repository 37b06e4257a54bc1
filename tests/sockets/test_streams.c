/* Streams: who got whose bytes, and who received the end after whom. */
#include "world.h"

#define A "tcp 127.0.0.1:4000"
#define SERVER "tcp 127.0.0.1:4000 > 127.0.0.1:50000"
#define CLIENT "tcp 127.0.0.1:50000 > 127.0.0.1:4000"

static struct world w;

static int message(int p, uint32_t a, int q, uint32_t b)
{
	return world_message(&w, world_at(&w, p, 0, a), world_at(&w, q, 0, b), NULL);
}
static hb_relation order(int p, uint32_t a, int q, uint32_t b)
{
	return world_order(&w, world_at(&w, p, 0, a), world_at(&w, q, 0, b));
}

static void connection(void)
{
	uint64_t bytes = 0;
	world_begin(&w, 2);
	struct net_process *c = &w.p[0], *s = &w.p[1];
	uint32_t listen = net_simple(s, NET_CONNECTION_listen, A, 100), connect = net_connect(c, CLIENT, 200);
	uint32_t accept = net_accept(s, A, SERVER, 150), one = net_write(c, CLIENT, 300, 10),
		 two = net_write(c, CLIENT, 400, 20);
	uint32_t first = net_read(s, SERVER, 500, 15), second = net_read(s, SERVER, 600, 10);
	uint32_t answer = net_write(s, SERVER, 700, 5), got = net_read(c, CLIENT, 800, 5);
	uint32_t rest = net_read(s, SERVER, 900, 5), close = net_simple(c, NET_CONNECTION_close, CLIENT, 1000);
	uint32_t eof = net_bytes(s, 0, false, SERVER, 1100, 1110, 0, 100);
	check(world_build(&w), "a connection: the model is built");
	check(message(0, connect, 1, accept) == SURE, "connect is a message to accept");
	check(order(1, listen, 0, connect) == HB_BEFORE, "listen is before connect");
	check(message(0, one, 1, first) == SURE && message(0, two, 1, first) == SURE,
		"a receive depends on both whose bytes it got");
	check(message(0, two, 1, second) == SURE && message(0, one, 1, second) == NONE,
		"and the next on the second alone");
	check(message(0, two, 1, rest) == SURE &&
			world_message(&w, world_at(&w, 0, 0, two), world_at(&w, 1, 0, first), &bytes) && bytes == 5,
		"pieces have their bytes");
	check(message(1, answer, 0, got) == SURE && world_matched(&w) == 6, "the other direction, and nothing else");
	check(order(0, close, 1, eof) == HB_BEFORE, "the end of the stream is received after close");
	check(!hb_model_get_info(w.m)->open && !hb_model_get_info(w.m)->outside && !hb_model_get_info(w.m)->ambiguous,
		"nothing is open");
	const hb_group *g = hb_model_groups(w.m);
	const char *title = NULL;
	for (uint32_t i = 0; i < hb_model_get_info(w.m)->groups; i++)
		if (g[i].untagged && strstr(g[i].title, " - "))
			title = g[i].title;
	check(title && !strcmp(title, "tcp 127.0.0.1:4000 - 127.0.0.1:50000"), "its title is %s",
		title ? title : "none");
	world_end(&w);
}

/* A connect that nobody accepts, and the same port again, twice. */
static void port_again(void)
{
	uint32_t put[3], got[3] = {0}, connect[3], accept[3] = {0};
	world_begin(&w, 2);
	struct net_process *c = &w.p[0], *s = &w.p[1];
	for (int i = 0; i < 3; i++) {
		uint64_t at = 100000u * (unsigned)(i + 1);
		connect[i] = net_connect(c, CLIENT, at);
		put[i] = net_write(c, CLIENT, at + 10000, 10);
		net_simple(c, NET_CONNECTION_close, CLIENT, at + 60000);
		if (i == 1)
			continue; /* reset before it was accepted */
		accept[i] = net_accept(s, A, SERVER, at + 20000);
		got[i] = net_read(s, SERVER, at + 50000, 10);
	}
	check(world_build(&w), "a port is used again: the model is built");
	check(message(0, put[0], 1, got[0]) == SURE && message(0, put[2], 1, got[2]) == SURE &&
			message(0, put[1], 1, got[2]) == NONE,
		"what went through each connection is its own");
	check(message(0, connect[0], 1, accept[0]) == SURE && message(0, connect[2], 1, accept[2]) == SURE &&
			world_matched(&w) == 4,
		"connects that were accepted");
	world_end(&w);
}

/* Two hosts whose clocks say nothing to each other: the k-th connection is the k-th. */
static void hosts(void)
{
	static const char server[] = "tcp 10.0.0.1:4000 > 10.0.0.2:50000",
			  client[] = "tcp 10.0.0.2:50000 > 10.0.0.1:4000";
	uint32_t put[2], got[2];
	world_begin(&w, 2);
	net_drop(&w.p[1]);
	net_begin(&w.p[1], 101, "other", 1, 0);
	for (unsigned i = 0; i < 2; i++) {
		net_connect(&w.p[0], client, 100000 * (i + 1));
		put[i] = net_write(&w.p[0], client, 100000 * (i + 1) + 1000, 10);
		net_accept(&w.p[1], "tcp 10.0.0.1:4000", server, 1000 * (i + 1));
		got[i] = net_read(&w.p[1], server, 1000 * (i + 1) + 100, 10);
	}
	check(world_build(&w), "two hosts: the model is built");
	check(message(0, put[0], 1, got[0]) == SURE && message(0, put[1], 1, got[1]) == SURE && world_matched(&w) == 4,
		"each connection in its turn");
	world_end(&w);
}

/* A server hands its end to a child: bytes are counted over both. Their writes do not overlap at first, then they do. */
static void inherited(void)
{
	world_begin(&w, 3);
	struct net_process *c = &w.p[0], *s = &w.p[1], *child = &w.p[2];
	net_connect(c, CLIENT, 100);
	net_accept(s, A, SERVER, 150);
	uint32_t one = net_write(s, SERVER, 1000, 10), two = net_write(child, SERVER, 100000, 10);
	uint32_t a = net_read(c, CLIENT, 200000, 10), b = net_read(c, CLIENT, 201000, 10);
	uint32_t three = net_bytes(s, 0, true, SERVER, 300000, 400000, 10, 10);
	uint32_t four = net_bytes(child, 0, true, SERVER, 350000, 450000, 10, 10);
	uint32_t d = net_read(c, CLIENT, 500000, 12), e = net_read(c, CLIENT, 501000, 8);
	uint32_t five = net_bytes(s, 0, true, SERVER, 600000, 700000, 10, 10);
	uint32_t six = net_bytes(child, 0, true, SERVER, 650000, 750000, 10, 10);
	uint32_t f = net_read(c, CLIENT, 800000, 20);
	check(world_build(&w), "an inherited end: the model is built");
	check(message(1, one, 0, a) == SURE && message(2, two, 0, b) == SURE,
		"bytes of two processes in the order of time");
	check(message(1, three, 0, d) == DOUBTED && message(2, four, 0, d) == DOUBTED &&
			message(2, four, 0, e) == DOUBTED,
		"writes that overlap are ambiguous");
	check(message(1, five, 0, f) == SURE && message(2, six, 0, f) == SURE, "unless one receive got all of them");
	check(world_trouble(&w, "may belong to other receives"), "and it is said");
	world_end(&w);
}

/* Two readers that overlap; one send brought what both got. */
static void readers(void)
{
	world_begin(&w, 3);
	uint32_t put = net_write(&w.p[0], "pipe 77", 100, 30), next = net_write(&w.p[0], "pipe 77", 200000, 10);
	uint32_t a = net_bytes(&w.p[1], 0, false, "pipe 77", 300000, 400000, 10, 100);
	uint32_t b = net_bytes(&w.p[2], 0, false, "pipe 77", 310000, 410000, 20, 100);
	uint32_t c = net_read(&w.p[1], "pipe 77", 500000, 10);
	check(world_build(&w), "two readers of a pipe: the model is built");
	check(message(0, put, 1, a) == SURE && message(0, put, 2, b) == SURE && message(0, next, 1, c) == SURE,
		"one send for both is sure");
	world_end(&w);
}

static void ends_of_streams(void)
{
	world_begin(&w, 4);
	struct net_process *reader = &w.p[0], *x = &w.p[1], *y = &w.p[2];
	net_write(x, "pipe 5", 100, 1);
	net_write(y, "pipe 5", 100000, 1);
	uint32_t close = net_simple(x, NET_CONNECTION_close, "pipe 5", 200000),
		 later = net_simple(x, NET_CONNECTION_listen, A, 900000);
	uint32_t last = net_simple(y, NET_CONNECTION_listen, "tcp 127.0.0.1:1", 250000);
	net_read(reader, "pipe 5", 300000, 2);
	uint32_t eof = net_bytes(reader, 0, false, "pipe 5", 310000, 320000, 0, 100);
	/* shutdown, while the other process of the end goes on */
	static const char a[] = "unix 8 > 9 /tmp/s", b[] = "unix 9 > 8 /tmp/s";
	net_write(&w.p[3], a, 100, 3);
	uint32_t shut = net_call(&w.p[3], 0, NET_CONNECTION_shutdown, a, 200, 210, 2, (int64_t[]){0, 1});
	net_simple(&w.p[3], NET_CONNECTION_close, a, 950000);
	net_read(reader, b, 400000, 3);
	uint32_t end = net_bytes(reader, 0, false, b, 500000, 510000, 0, 100);
	/* the descriptor that put something in was closed before the last one of this process was */
	net_write(x, "pipe 6", 910000, 1);
	net_read(reader, "pipe 6", 920000, 1);
	uint32_t early = net_bytes(reader, 0, false, "pipe 6", 930000, 940000, 0, 100);
	uint32_t late = net_simple(x, NET_CONNECTION_close, "pipe 6", 990000);
	check(world_build(&w), "ends of streams: the model is built");
	check(order(1, late, 0, early) == HB_CONCURRENT, "a close that came later is not before");
	check(order(1, close, 0, eof) == HB_BEFORE, "one closed it");
	check(order(2, last, 0, eof) == HB_BEFORE, "the other one ended");
	check(order(1, later, 0, eof) == HB_CONCURRENT, "what the first did later is not before");
	check(order(3, shut, 0, end) == HB_BEFORE && order(3, shut + 1, 0, end) == HB_CONCURRENT,
		"shutdown ends it, too");
	check(world_matched(&w) == 4, "bytes of Unix sockets and pipes");
	world_end(&w);
}

static void outside(void)
{
	world_begin(&w, 2);
	net_connect(&w.p[0], "tcp 10.0.0.1:50000 > 192.0.2.7:80", 100);
	net_write(&w.p[0], "tcp 10.0.0.1:50000 > 192.0.2.7:80", 200, 10);
	net_read(&w.p[0], "tcp 10.0.0.1:50000 > 192.0.2.7:80", 300, 10);
	net_read(&w.p[0], "tcp 10.0.0.1:50000 > 192.0.2.7:80", 400, 10);
	/* somebody who is not recorded writes into the same pipe */
	net_write(&w.p[0], "pipe 9", 1000, 10);
	net_read(&w.p[1], "pipe 9", 50000, 25);
	check(world_build(&w), "peers outside: the model is built");
	const hb_outside *o = hb_model_outside(w.m);
	check(hb_model_get_info(w.m)->outside == 1 && !strcmp(o[0].name, "tcp 192.0.2.7:80") && o[0].sent == 1 &&
			o[0].received == 2,
		"they are counted, with their address");
	check(!world_matched(&w) && hb_model_get_info(w.m)->open &&
			world_trouble(&w, "over pipe 9 25 bytes were received, and recorded processes sent 10"),
		"bytes that nobody sent: nothing is matched, and it is said");
	world_end(&w);
}

/* The second writer's clock is late: what it put in was taken out before. */
static void clocks(void)
{
	world_begin(&w, 3);
	uint32_t one = net_write(&w.p[0], "pipe 4", 100000, 10), two = net_write(&w.p[0], "pipe 4", 500000, 10);
	uint32_t other = net_write(&w.p[1], "pipe 4", 600000, 10);
	uint32_t a = net_read(&w.p[2], "pipe 4", 200000, 10), b = net_read(&w.p[2], "pipe 4", 490000, 10);
	net_read(&w.p[2], "pipe 4", 510000, 10);
	check(world_build(&w), "clocks that contradict each other: the model is built");
	check(message(0, one, 2, a) == DOUBTED && message(0, two, 2, b) == DOUBTED && !message(1, other, 2, b) &&
			world_trouble(&w, "the clocks of processes contradict each other by up to 90 us"),
		"nothing is sure, and it is said");
	world_end(&w);
}

/* Killed inside of a write; and two networks with the same loopback addresses. */
static void killed_and_networks(void)
{
	world_begin(&w, 4);
	net_write(&w.p[0], CLIENT, 100, 10);
	unsigned slot = net_slot(&w.p[0], 0, NET_STREAM_write, net_text(&w.p[0], CLIENT));
	raw_control(&w.p[0].log, 0)->inside = 1 + slot;
	raw_control(&w.p[0].log, 0)->inside_enter = 200;
	net_read(&w.p[1], SERVER, 1000, 10);
	uint32_t got = net_read(&w.p[1], SERVER, 2000, 7);
	net_drop(&w.p[2]);
	net_begin(&w.p[2], 102, "host", 2, 0);
	uint32_t other = net_write(&w.p[2], CLIENT, 100, 10);
	check(world_build(&w), "killed inside of a write: the model is built");
	check(message(0, 2, 1, got) == SURE, "what came after all is of the call that never returned");
	check(message(2, other, 1, 1) == NONE && hb_model_get_info(w.m)->outside == 1,
		"another network's address is another one");
	world_end(&w);
}

/* One side accepted inside of MPI_Init, and received and answered the first 24 bytes there: the totals of one direction allow what is wrong. */
static void inside_init(bool mpi)
{
	world_begin(&w, 2);
	struct net_process *c = &w.p[0], *s = &w.p[1];
	raw_header(&c->log)->library = raw_header(&s->log)->library = mpi ? 1 : 0;
	net_connect(c, CLIENT, 100);
	uint32_t hello = net_write(c, CLIENT, 200, 24);
	net_read(c, CLIENT, 300, 24);
	uint32_t one = net_write(c, CLIENT, 400, 24), got = net_read(s, SERVER, 500, 24);
	net_write(s, SERVER, 600, 30);
	net_read(c, CLIENT, 700, 30);
	uint32_t close = net_simple(c, NET_CONNECTION_close, CLIENT, 1000);
	uint32_t eof = net_bytes(s, 0, false, SERVER, 1100, 1110, 0, 100);
	check(world_build(&w), "an end without a beginning: the model is built");
	if (mpi)
		check(!world_matched(&w) && world_trouble(&w, "was made inside of MPI_Init at one side") &&
				hb_model_get_info(w.m)->open && !message(0, one, 1, got),
			"of a process of MPI: nothing is matched, and it is said");
	else
		check(message(0, hello, 1, got) == SURE && !world_trouble(&w, "MPI_Init"),
			"of another one: somebody else made it, and bytes count from the first");
	check(order(0, close, 1, eof) == HB_BEFORE, "its end is after the close all the same");
	world_end(&w);
}

int main(void)
{
	connection();
	port_again();
	hosts();
	inherited();
	readers();
	ends_of_streams();
	outside();
	clocks();
	killed_and_networks();
	inside_init(true);
	inside_init(false);
	check_clean();
	return check_end();
}
