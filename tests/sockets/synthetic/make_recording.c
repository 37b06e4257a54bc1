/* make_recording NAME: a recording of a shell that starts a server and two clients, which talk over TCP, UDP, pipes and Unix sockets, and of somebody outside. */
#include <sys/stat.h>

#include "network.h"

#define LISTENS "tcp 127.0.0.1:7000"
#define UDP "udp 0.0.0.0:53"

enum { SHELL, SERVER, FIRST, SECOND, PROCESSES };
static const unsigned pids[PROCESSES] = {500, 501, 502, 503};

static void manifest(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/manifest.json", name);
	FILE *f = fopen(path, "w");
	if (!f ||
		fprintf(f,
			"{\n\t\"format\": \"hbdb-recording\",\n\t\"version\": 1,\n\t\"hbdb\": \"make_recording\",\n\t\"command\": [\"sh\"],\n"
			"\t\"folder\": \"/\",\n\t\"started\": \"2023-11-14T22:13:20.000Z\",\n\t\"level\": \"events\",\n\t\"contents\": true,\n"
			"\t\"aslr\": false,\n\t\"environment\": {},\n\t\"processes\": %d,\n\t\"exit_status\": 0,\n\t\"seconds\": 1\n}\n",
			PROCESSES) < 0 ||
		fclose(f)) {
		perror(path);
		exit(2);
	}
}

/* Where a process stands in the tree of creation. */
static void place(struct net_process *p, int which)
{
	static const char *const names[PROCESSES] = {"sh", "server", "client", "client"};
	uint8_t b[256], *q = hb_put_uv(b, which == SHELL ? 1 : 2);
	q = raw_text(hb_put_uv(hb_put_uv(q, 100), pids[SHELL]), "sh");
	if (which != SHELL)
		q = raw_text(hb_put_uv(hb_put_uv(q, 100u + (unsigned)which), pids[which]), names[which]);
	raw_definition(&p->log, RAW_LANES, HB_DEF_PLACE, b, (size_t)(q - b));
	snprintf(raw_header(&p->log)->program, sizeof raw_header(&p->log)->program, "/usr/bin/%s", names[which]);
}

static void talk(struct net_process *p)
{
	struct net_process *s = &p[SERVER];
	static const char *const own[2] = {
		"tcp 127.0.0.1:50001 > 127.0.0.1:7000", "tcp 127.0.0.1:50002 > 127.0.0.1:7000"};
	static const char *const served[2] = {
		"tcp 127.0.0.1:7000 > 127.0.0.1:50001", "tcp 127.0.0.1:7000 > 127.0.0.1:50002"};
	static const char *const from[2] = {"127.0.0.1:41000", "127.0.0.1:42000"};
	for (int i = SERVER; i < PROCESSES; i++)
		net_family(&p[SHELL], i == SERVER ? NET_FAMILY_fork : NET_FAMILY_posix_spawn, 100000u * (unsigned)i,
			pids[i]);
	net_simple(s, NET_CONNECTION_listen, LISTENS, 500000);
	for (int i = 0; i < 2; i++) {
		struct net_process *c = &p[FIRST + i];
		uint64_t at = 600000 + 1000 * (unsigned)i;
		net_connect(c, own[i], at);
		net_write(c, own[i], at + 2000, 100);
		net_datagram(c, 0, true, "udp 0.0.0.0:40000", "192.0.2.9:53", at + 3000, at + 3100, 30, 77);
		if (i) { /* two answers in one call */
			const int64_t answer = net_text(c, "192.0.2.9:53");
			net_call(c, 0, NET_DATAGRAM_recvmmsg, "udp 0.0.0.0:40000", at + 3200, at + 3300, 6,
				(int64_t[]){11, 4001, answer, 12, 4002, answer});
		}
		net_sendto(c, i ? "udp 127.0.0.1:42000" : "udp 127.0.0.1:41000", "127.0.0.1:53", at + 4000,
			1000 + (unsigned)i);
	}
	net_sendto(&p[FIRST], "udp 127.0.0.1:41000", "127.0.0.1:53", 605000, 1002); /* lost */
	int64_t none = net_text(s, LISTENS);
	net_call(s, 0, NET_READY_poll, NULL, 700000, 710000, 7, (int64_t[]){2, 3, 1, none, 4, 1, net_text(s, UDP)});
	for (int i = 0; i < 2; i++)
		net_accept(s, LISTENS, served[i], 720000u + 1000u * (unsigned)i);
	for (int i = 0; i < 2; i++)
		net_read(s, served[i], 730000u + 1000u * (unsigned)i, 100);
	net_call(s, 0, NET_DATAGRAM_recvmmsg, UDP, 740000, 740100, 6,
		(int64_t[]){8, 1001, net_text(s, from[1]), 8, 1000, net_text(s, from[0])});
	for (int i = 0; i < 2; i++)
		net_write(s, served[i], 750000u + 1000u * (unsigned)i, 20);
	for (int i = 0; i < 2; i++)
		net_simple(s, NET_CONNECTION_close, served[i], 755000u + 1000u * (unsigned)i);
	for (int i = 0; i < 2; i++) {
		net_read(&p[FIRST + i], own[i], 800000, 20);
		net_bytes(&p[FIRST + i], 0, false, own[i], 810000, 810010, 0, 100);
		net_write(&p[FIRST + i], "pipe 33", 820000u + 30000u * (unsigned)i, 6);
	}
	net_write(&p[SECOND], "pipe 33", 900000, 2); /* nobody reads it */
	net_read(&p[SHELL], "pipe 33", 1000000, 12);
	for (int i = SERVER; i < PROCESSES; i++)
		net_family(&p[SHELL], NET_FAMILY_waitpid, 1100000u + 1000u * (unsigned)i, pids[i]);
}

int main(int argc, char **argv)
{
	struct net_process *p = calloc(PROCESSES, sizeof *p);
	if (argc != 2 || !p || mkdir(argv[1], 0777)) {
		fprintf(stderr, "make_recording NAME: makes the folder NAME\n");
		return 2;
	}
	for (int i = 0; i < PROCESSES; i++) {
		net_begin(&p[i], pids[i], "host", 1, i ? 100000u * (unsigned)i + 50000 : 0);
		place(&p[i], i);
	}
	talk(p);
	manifest(argv[1]);
	for (int i = 0; i < PROCESSES; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/rank.0.%u.log", argv[1], pids[i]);
		net_save(&p[i], path);
	}
	free(p);
	return 0;
}
