/* scale DATAGRAMS|STREAM|EQUAL N: the model of N datagrams, or of N writes of a stream, of 4 clients and a server: all matched and none wrong; and what it cost. */
#include <sys/resource.h>
#include <time.h>

#include "sockets/world.h"

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double memory(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1024;
}

static void datagram(struct world *w, unsigned i, bool equal)
{
	char own[64], from[64];
	unsigned c = i % 4;
	snprintf(own, sizeof own, "udp 127.0.0.1:%u", 40000 + c);
	snprintf(from, sizeof from, "127.0.0.1:%u", 40000 + c);
	uint64_t hash = equal ? 7 : i * 0x9e3779b97f4a7c15u + 1;
	net_sendto(&w->p[1 + c], own, "127.0.0.1:53", 1000 + 100ull * i, hash);
	net_recvfrom(&w->p[0], "udp 0.0.0.0:53", from, 1050 + 100ull * i, hash);
}

static void chunk(struct world *w, unsigned i)
{
	char own[64], served[64];
	unsigned c = i % 4;
	snprintf(own, sizeof own, "tcp 127.0.0.1:%u > 127.0.0.1:80", 40000 + c);
	snprintf(served, sizeof served, "tcp 127.0.0.1:80 > 127.0.0.1:%u", 40000 + c);
	net_write(&w->p[1 + c], own, 1000 + 100ull * i, 100);
	net_read(&w->p[0], served, 1050 + 100ull * i, 100);
}

/* The k-th of a client is received by the call for it, which is the number of all before it. */
static bool right(const struct world *w)
{
	const hb_receive *v = hb_model_receives(w->m);
	bool good = true;
	for (uint32_t i = 0; i < hb_model_get_info(w->m)->receives && good; i++) {
		hb_at from = v[i].send == HB_NO ? (hb_at){HB_NO, 0} : hb_send_at(w->m, v[i].send);
		good = from.line != HB_NO && (v[i].post - 1) % 4 == hb_model_lines(w->m)[from.line].process - 1 &&
		       (v[i].post - 1) / 4 == from.event - 1;
	}
	return good;
}

int main(int argc, char **argv)
{
	struct world w;
	const char *what = argc > 2 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	bool stream = !strcmp(what, "STREAM"), equal = !strcmp(what, "EQUAL");
	if (!n || (!stream && !equal && strcmp(what, "DATAGRAMS"))) {
		fprintf(stderr, "scale DATAGRAMS|STREAM|EQUAL N\n");
		return 2;
	}
	world_begin(&w, 5);
	for (unsigned i = 0; i < n; i++)
		if (stream)
			chunk(&w, i);
		else
			datagram(&w, i, equal);
	hb_error err;
	double before = memory(), begun = seconds();
	check(world_build(&w), "%s: the model of %u is built", what, n);
	double built = seconds();
	check(world_matched(&w) == n && right(&w), "all are matched, and right");
	uint32_t ambiguous =
		hb_model_get_info(w.m)->ambiguous; /* the first of a client need not be: it can be no earlier one */
	check(equal ? ambiguous >= n - 4 : !ambiguous, "%u are ambiguous", ambiguous);
	check(hb_model_clocks(w.m, NULL, NULL, &err) == HB_OK, "clocks");
	printf("  written, read and matched in %.2f s, clocks in %.2f s; %.0f MB more at most\n", built - begun,
		seconds() - built, memory() - before);
	world_end(&w);
	check_clean();
	return check_end();
}
